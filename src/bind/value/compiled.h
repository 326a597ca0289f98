// Data exchange between the binding and Lua code that LuaJIT compiles.
// Must not depend on the objects that the compiled code creates.
#ifndef BIND_COMPILED_H
#define BIND_COMPILED_H

#include "bind/value/object.h"

// One table per Lua state, which outlives the module. lua/cuttle/fast.lua takes it with
// core.take_compiled, which returns it only once, because compiled code trusts its contents. The
// core itself trusts only the factories and the subtables to which it holds separate references:
//
//     layout          CT_COMPILED_LAYOUT; fast.lua refuses a core with another value
//     addresses       of core functions, each a string with the bytes of a pointer
//     offsets         of members in structs of the core
//     live_views      key -> addresses behind a compiled column view; when the manager ends, the
//                     text that the view raises from then on, or nil for the default text
//     enabled         function: whether the compiler is on; if absent, no factory is used
//     freeze_views    function(begins): compiled views delegate all access to the C views, or
//                     stop doing so
//     open_mailbox    a function: -> the mailbox (mailbox.h), a table; the bytes of its address
//     methods         the tables of methods of all classes, by name
//     read_packed, packed_room, write_packed   functions of queries (world/query_fields.c)
//     entities_pointer, manager_pointer, formula_pointer, list_pointer, query_pointer,
//     template_pointer, world_pointer
//                     functions: object -> the address behind it, or nil (ct_bind_add_pointer)
//     formula_class   the metatable of Formulas (world/formula.c)
//     iterator, view, loop, item, accessor, own_methods
//                     factories; their arguments are described where they are called

/// Version of the memory layout that lua/cuttle/fast.lua and columns.lua assume. It is incremented
/// with each change of that layout, so that a file of another version is refused and reads no
/// memory.
enum { CT_COMPILED_LAYOUT = 21 };

/// Pushes the table of the state.
void ct_bind_push_compiled(lua_State *L);

/// Pushes the subtable 'live_views', even if the field was replaced since. Allocates nothing.
void ct_bind_push_live_views(lua_State *L);

/// Pushes the factory of that name. Pushes nothing and returns false if there is none or the
/// compiler is off. Calls Lua.
bool ct_bind_push_maker(lua_State *L, const char *name);

/// If 'frozen' is true, makes compiled column views delegate all access to the C views until the
/// next call with false: for times in which data may be read but not written. Calls Lua; does not
/// raise.
void ct_bind_freeze_views(lua_State *L, bool frozen);

/// Replaces the two userdata on top by an iterator: a function that calls the step of that name.
/// The iterator is a C closure over them, or a Lua function if the compiler is on. Compiled code
/// specializes on the identity of a C function: a new one for each loop would end every trace,
/// which makes loops five times slower.
void ct_bind_push_iterator(lua_State *L, const char *name);

/// Registers a step under a name.
void ct_bind_add_step(lua_State *L, const char *name, lua_CFunction step);

/// Returns the first or second of the two userdata of a step.
static inline void *ct_bind_step_value(lua_State *L, int which) {
    void *kept = lua_touserdata(L, lua_upvalueindex(which));
    return kept != NULL ? kept : lua_touserdata(L, which);
}

/// Returns the object of a handle that is the first or second userdata of a step.
static inline void *ct_bind_step_object(lua_State *L, int which) {
    const ct_bind_handle *handle = (const ct_bind_handle *)ct_bind_step_value(L, which);
    return handle->object;
}

/// Sets an event of the class at index 'class_index' to a closure over the values above the class,
/// which are popped. If 'name' is not NULL, compiled code finds the function under this name in the
/// table of the state, and calls it in uncommon cases.
void ct_bind_set_event(lua_State *L, int class_index, const char *event, lua_CFunction function,
                       const char *name);

/// Stores the address of a function under 'name'.
void ct_bind_add_address(lua_State *L, const char *name, void (*function)(void));

/// Stores a function under 'name' that returns the address of an object of this class or, if
/// 'handle' is true, the address behind such a handle.
void ct_bind_add_pointer(lua_State *L, const char *name, const ct_bind_kind *kind, bool handle);

/// Stores the offset of a struct member under 'name'.
void ct_bind_add_offset(lua_State *L, const char *name, size_t offset);

/// Adds 'take_compiled' to the module table on top.
void ct_bind_open_compiled(lua_State *L);

#endif
