// What Lua code that LuaJIT compiles is told by the binding, and asked for.
// Knows nothing of what that code makes.
#ifndef BIND_COMPILED_H
#define BIND_COMPILED_H

#include "bind/bind.h"

// The module table has a field 'compiled' until lua/cuttle/fast.lua takes it out: scripts must
// not reach what lies in it, since what it holds is believed. One table per Lua state, which
// outlives the module:
//
//     layout          CT_COMPILED_LAYOUT: fast.lua refuses a core that has another
//     addresses       of core functions, each a string with the bytes of a pointer
//     offsets         of members in structs of the core
//     live_views      key -> addresses behind a compiled column view; when they end, column.c
//                     puts the text that the view raises from then on there, or nil for the usual
//     enabled         function: whether the compiler is on. Absent: nobody makes anything
//     view, rows, alive_id, row_of_id   makers; what they get is said where they are asked

/// Counts up when what lua/cuttle/fast.lua or columns.lua says of the core's memory changes: a file
/// of one version would read the memory of another wrongly.
enum { CT_COMPILED_LAYOUT = 1 };

/// Pushes that table.
void ct_bind_push_compiled(lua_State *L);

/// Pushes the maker of that name; pushes nothing and answers false when there is
/// none or the compiler is off. Calls Lua.
bool ct_bind_push_maker(lua_State *L, const char *name);

/// Replaces a method of the object at 'index' by what maker(object, method) answers, if
/// it answers anything.
void ct_bind_offer_method(lua_State *L, int index, const char *name);

/// Enters the address of something under 'name'.
void ct_bind_add_address(lua_State *L, const char *name, void (*function)(void));

void ct_bind_open_compiled(lua_State *L);

#endif
