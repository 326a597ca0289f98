// Items: objects with the fields of the current component of a loop as members.
#ifndef BIND_ITEMS_H
#define BIND_ITEMS_H

#include "bind/manager/manager.h"
#include "storage/walk.h"

/// Place of an item, in the block of its loop.
typedef struct ct_bind_cursor {
    const ct_walk *loop; ///< compiled items read the members up to 'offset'
    ct_store *store;
    const ct_entity_manager *entities;
    uint32_t checked; ///< entities->structure when the row was last checked
    uint32_t offset;  ///< the row of the item is loop->row + offset, wrapping
    uint32_t id;      ///< of the component, if an entity may have several
    ct_bind_manager *manager;
} ct_bind_cursor;

static inline ct_row ct_bind_cursor_row(const ct_bind_cursor *cursor) {
    return (ct_row){cursor->loop->row + cursor->offset};
}

/// Returns whether the row is still that of the component, and whether it may also be written now:
/// not for a dying owner, and not in callbacks of a restore.
bool ct_bind_cursor_is_open(ct_bind_cursor *cursor);
bool ct_bind_cursor_is_writable(ct_bind_cursor *cursor);

/// Pushes a new item for a cursor, which is in the block at index 'block'.
void ct_bind_push_new_item(lua_State *L, ct_bind_cursor *cursor, int block);

/// Creates the classes of items and of their vectors.
void ct_bind_open_items(lua_State *L);

/// Replaces the new item on top by one that LuaJIT compiles, if a factory exists and creates one
/// (items_compiled.c).
void ct_bind_compile_item(lua_State *L, ct_bind_cursor *cursor);

/// Registers the functions that compiled items call.
void ct_bind_open_compiled_items(lua_State *L);

#endif
