// m:create and m:create_many: components for entities there are, all or nothing.
// Knows nothing of what the fields of a component mean.
#include "bind/manager/manager.h"

#include <stdio.h>

// The owner at fault has a component already; 'id' is the one that both would have, or NULL. Its
// text is the script's: it is copied before a finalizer may run.
static int raise_exists(lua_State *L, const ct_bind_manager *manager, ct_entity owner,
                        const ct_component_id *id) {
    char text[100] = "";
    if (id != NULL && id->text.bytes != NULL)
        snprintf(text, sizeof text, " with id '%.80s'", id->text.bytes);
    else if (id != NULL)
        snprintf(text, sizeof text, " with id %u", (unsigned)id->number);
    ct_bind_push_entity_name(L, owner);
    lua_pushfstring(L, " already has a %s%s", manager->core->name, text);
    lua_concat(L, 2);
    return ct_bind_arg_error(L, 2);
}

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
    if (status == CT_ERR_EXISTS) {
        // Its text lies in a table of the script's that stands where it stood.
        ct_component_id id = {0};
        if (values->ids != NULL) id = values->ids[first.i];
        ct_bind_gather_end(g);
        raise_exists(L, manager, owners[first.i], values->ids != NULL ? &id : NULL);
    }
    ct_bind_gather_end(g);
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
