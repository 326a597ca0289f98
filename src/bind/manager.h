// What the files of the binding that make up manager objects tell one another.
// Knows nothing of any one component.
#ifndef BIND_MANAGER_H
#define BIND_MANAGER_H

#include "bind/bind.h"

/// Pushes a new manager object for 'core'; the world object is at index 'world'.
/// The caller links it into the world's list.
void ct_bind_manager_new(lua_State *L, int world, ct_manager *core);

/// Whether the value at 'index' is a manager object, of any world and gone or not.
bool ct_bind_is_manager(lua_State *L, int index);

/// Adds get, set, read, write, column, fields and, for each field, FIELD and
/// set_FIELD to the manager object at 'index'. Methods there are already stay.
void ct_bind_add_field_methods(lua_State *L, int index, const ct_manager *core);

/// Raises "stale NAME instance".
int ct_bind_raise_stale(lua_State *L, int arg, const ct_bind_manager *manager) CT_NORETURN;

/// create and create_many.
extern const luaL_Reg ct_bind_component_create_methods[];

/// m:read, m:write and m:get themselves, for managers whose own methods of these names fall back
/// on them.
int ct_bind_manager_read(lua_State *L);
int ct_bind_manager_write(lua_State *L);
int ct_bind_manager_get(lua_State *L);

/// each and instances.
extern const luaL_Reg ct_bind_loop_methods[];

/// world:join and world:rows.
extern const luaL_Reg ct_bind_join_methods[];

/// Enters what compiled loops call (compiled.h).
void ct_bind_open_loops(lua_State *L);

/// Raises bad argument #arg when the manager says that values may not stand together.
void ct_bind_check_values(lua_State *L, int arg, const ct_manager *manager,
                          const ct_bind_values *values);

/// Raises what a failed ct_manager_create means. 'id' is the id at fault or NULL.
int ct_bind_raise_create(lua_State *L, const ct_manager *manager, ct_status status,
                         ct_entity at_fault, const ct_component_id *id) CT_NORETURN;

#endif
