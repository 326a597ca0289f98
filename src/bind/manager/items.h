// Items: objects with the fields of the current component of a loop as members.
#ifndef BIND_ITEMS_H
#define BIND_ITEMS_H

#include "bind/manager/manager.h"
#include "storage/cursor.h"

/// Pushes a new item for a cursor, which is in the block at index 'block'.
void ct_bind_push_new_item(lua_State *L, ct_cursor *cursor, int block);

/// Creates the classes of items and of their vectors.
void ct_bind_open_items(lua_State *L);

/// Replaces the new item on top by one that LuaJIT compiles, if a factory exists and creates one
/// (items_compiled.c).
void ct_bind_compile_item(lua_State *L, ct_cursor *cursor);

/// Registers the functions that compiled items call.
void ct_bind_open_compiled_items(lua_State *L);

#endif
