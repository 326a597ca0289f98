// What Lua code that LuaJIT compiles is told by the binding, and asked for.
// Knows nothing of what that code makes.
#ifndef BIND_COMPILED_H
#define BIND_COMPILED_H

#include "bind/value/object.h"

// One table per Lua state, which outlives the module. lua/cuttle/fast.lua takes it by the function
// core.take_compiled, which gives it once: compiled code believes what it holds. The core itself
// believes none of it but the factories and what lies in tables of its own:
//
//     layout          CT_COMPILED_LAYOUT: fast.lua refuses a core that has another
//     addresses       of core functions, each a string with the bytes of a pointer
//     offsets         of members in structs of the core
//     live_views      key -> addresses behind a compiled column view; when they end, column.c
//                     puts the text that the view raises from then on there, or nil for the usual
//     enabled         function: whether the compiler is on. Absent: nobody makes anything
//     freeze_views    function(begins): compiled views leave everything to the C views, or no
//     longer
//     mailbox         a table: compiled code cannot make a number of an entity, but it can put one
//                     there, and posted_id tells the id
//     mailbox_thread  the bytes of what posted_id is called with
//     methods         the tables of methods of all classes, by name
//     entities_pointer, manager_pointer   functions: handle -> the address behind it, or nil
//     iterator, view, rows, accessor, own_methods   factories; what they get is said where they are
//                     called

/// Counts up when what lua/cuttle/fast.lua or columns.lua says of the core's memory changes: a file
/// of one version would read the memory of another wrongly.
enum { CT_COMPILED_LAYOUT = 9 };

/// Pushes that table.
void ct_bind_push_compiled(lua_State *L);

/// Pushes its table 'live_views', whatever has become of that one. Allocates nothing.
void ct_bind_push_live_views(lua_State *L);

/// Pushes the factory of that name; pushes nothing and returns false when there is
/// none or the compiler is off. Calls Lua.
bool ct_bind_push_maker(lua_State *L, const char *name);

/// Compiled column views leave everything to the C views until they are told otherwise: while
/// something may be read that is not to be written. Calls Lua; raises nothing.
void ct_bind_freeze_views(lua_State *L, bool frozen);

/// The two userdata on top become an iterator, a function whose calls run the step of that name: a
/// closure over them, or one of Lua where the compiler is on. Compiled code knows functions of C by
/// their identity: one that is made anew for each loop would end every trace, at five times the
/// cost.
void ct_bind_push_iterator(lua_State *L, const char *name);

/// Enters a step.
void ct_bind_add_step(lua_State *L, const char *name, lua_CFunction step);

/// In a step, the first or second of its two userdata.
static inline void *ct_bind_step_value(lua_State *L, int which) {
    void *kept = lua_touserdata(L, lua_upvalueindex(which));
    return kept != NULL ? kept : lua_touserdata(L, which);
}

/// The same of a handle: its object.
static inline void *ct_bind_step_object(lua_State *L, int which) {
    const ct_bind_handle *handle = (const ct_bind_handle *)ct_bind_step_value(L, which);
    return handle->object;
}

/// Enters the address of something under 'name'.
void ct_bind_add_address(lua_State *L, const char *name, void (*function)(void));

/// Enters the offset of a member of a struct under 'name'.
void ct_bind_add_offset(lua_State *L, const char *name, size_t offset);

/// Adds 'take_compiled' to the module table on top.
void ct_bind_open_compiled(lua_State *L);

#endif
