// m:create and m:create_many: components for entities there are, all or nothing.
// Knows nothing of what the fields of a component mean.
#include "bind/manager/manager.h"

#include "storage/manager_check.h"

ct_row ct_bind_create_components(lua_State *L, const ct_bind_manager *manager,
                                 const ct_entity *owners, uint32_t count, bool many) {
    ct_manager *core = manager->core;
    ct_row first;
    const ct_bind_gather g = ct_bind_gather_begin(L, manager->state);
    const ct_bind_values *values =
        ct_bind_gather_values(&g, 3, core, many ? CT_BIND_MANY : CT_BIND_WHOLE, count);
    if (values == NULL) ct_bind_arg_error(L, 3);
    for (uint32_t i = 0; i < count; ++i) {
        if (CT_LIKELY(ct_entity_manager_alive(core->store.entities, owners[i]))) continue;
        ct_bind_gather_end(&g);
        ct_bind_raise_dead(L, 2, manager, owners[i], many ? i + 1 : 0);
    }
    ct_status status = ct_manager_create(core, owners, count, values->values, values->ids, &first);
    ct_message message;
    if (status == CT_ERR_EXISTS)
        ct_manager_tell_exists(core, owners[first.i],
                               values->ids != NULL ? &values->ids[first.i] : NULL, &message);
    ct_bind_gather_end(&g);
    if (status == CT_ERR_EXISTS) luaL_argerror(L, 2, message.text);
    if (status != CT_OK) ct_bind_manager_fail(L, manager, status);
    return count > 0 ? first : (ct_row){CT_NO_ROW};
}

// m:create(e [, values]) -> instance
static int create(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_entity e = ct_bind_check_entity(L, 2);
    lua_settop(L, 3);
    ct_bind_check_open(L, manager->world);
    ct_bind_push_instance(L, manager->core, ct_bind_create_components(L, manager, &e, 1, false));
    return 1;
}

// m:create_many(list [, values]) -> first instance, or nil for an empty list
static int create_many(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    uint32_t count;
    lua_settop(L, 3);
    ct_bind_check_open(L, manager->world);
    const ct_entity *owners = ct_bind_pin_entity_array(L, 2, &count);
    ct_row first = ct_bind_create_components(L, manager, owners, count, true);
    ct_bind_push_instance(L, manager->core, first);
    return 1;
}

const luaL_Reg ct_bind_component_create_methods[] = {
    {"create", create}, {"create_many", create_many}, {NULL, NULL}};
