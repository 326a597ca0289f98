// m:create and m:create_many: components for entities there are, all or nothing.
// Knows nothing of what the fields of a component mean.
#include "bind/manager/manager.h"

#include "storage/manager_check.h"

static int raise_dead(lua_State *L, const ct_bind_manager *manager, ct_entity owner,
                      uint32_t place) {
    ct_bind_push_dead(L, owner, manager->core->store.entities, ct_bind_names(manager->world));
    if (place > 0) lua_pushfstring(L, "[%d]: %s", (int)place, lua_tostring(L, -1));
    return ct_bind_arg_error(L, 2);
}

ct_row ct_bind_create_components(const ct_bind_gather *g, const ct_bind_manager *manager,
                                 const ct_entity *owners, const ct_bind_values *values, bool many) {
    lua_State *L = g->L;
    const ct_entity_manager *entities = manager->core->store.entities;
    ct_row first;
    for (uint32_t i = 0; i < values->count; ++i) {
        if (CT_LIKELY(ct_entity_manager_alive(entities, owners[i]))) continue;
        ct_bind_gather_end(g);
        raise_dead(L, manager, owners[i], many ? i + 1 : 0);
    }
    ct_status status = ct_manager_create(manager->core, owners, values->count, values->values,
                                         values->ids, &first);
    ct_message message;
    if (status == CT_ERR_EXISTS)
        ct_manager_tell_exists(manager->core, owners[first.i],
                               values->ids != NULL ? &values->ids[first.i] : NULL, &message);
    ct_bind_gather_end(g);
    if (status == CT_ERR_EXISTS) luaL_argerror(L, 2, message.text);
    if (status != CT_OK) ct_bind_manager_fail(L, manager, status);
    return first;
}

// m:create(e [, values]) -> instance
static int create(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_entity e = ct_bind_check_entity(L, 2);
    lua_settop(L, 3);
    ct_bind_check_open(L, manager->world);
    const ct_bind_gather g = ct_bind_gather_begin(L, manager->state);
    const ct_bind_values *values = ct_bind_gather_values(&g, 3, manager->core, CT_BIND_WHOLE, 1);
    if (values == NULL) return ct_bind_arg_error(L, 3);
    ct_bind_push_instance(L, manager->core,
                          ct_bind_create_components(&g, manager, &e, values, false));
    return 1;
}

// m:create_many(list [, values]) -> first instance, or nil for an empty list
static int create_many(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    uint32_t count;
    lua_settop(L, 3);
    ct_bind_check_open(L, manager->world);
    const ct_entity *owners = ct_bind_pin_entity_array(L, 2, &count);
    const ct_bind_gather g = ct_bind_gather_begin(L, manager->state);
    const ct_bind_values *values = ct_bind_gather_values(&g, 3, manager->core, CT_BIND_MANY, count);
    if (values == NULL) return ct_bind_arg_error(L, 3);
    ct_row first = ct_bind_create_components(&g, manager, owners, values, true);
    ct_bind_push_instance(L, manager->core, count > 0 ? first : (ct_row){CT_NO_ROW});
    return 1;
}

const luaL_Reg ct_bind_component_create_methods[] = {
    {"create", create}, {"create_many", create_many}, {NULL, NULL}};
