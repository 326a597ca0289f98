// m:create and m:create_many: components for entities there are, all or nothing.
// Knows nothing of what the fields of a component mean.
#include "bind/manager/attachment.h"

#include "storage/manager_check.h"

// Creates components of the values at argument 3 (a table or nil): the first row, or CT_NO_ROW for
// no owner. 'many': values may be given per owner, and a dead owner is named by its place.
static ct_row create_rows(lua_State *L, const ct_bind_manager *manager, const ct_entity *owners,
                          uint32_t count, bool many) {
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

// Before the call none of these entities had such a component, and none has one afterwards.
static void undo(lua_State *L, const ct_bind_created *created) {
    ct_bind_manager *manager = created->manager;
    int error = lua_gettop(L);
    for (uint32_t i = created->count; i-- > 0;) {
        ct_row row = ct_store_find(&manager->core->store, created->entities[i]);
        if (row.i != CT_NO_ROW) row = manager->attachment->detach(L, manager, row, error);
        if (row.i != CT_NO_ROW) ct_manager_strip(manager->core, 1, &created->entities[i]);
    }
}

static int create_for(lua_State *L, ct_bind_manager *manager, const ct_entity *owners,
                      uint32_t count, bool many) {
    const ct_bind_created created = {manager, owners, NULL, count, many};
    int given = 0;
    if (CT_UNLIKELY(manager->attachment != NULL))
        given = ct_bind_prepare_attachment(L, &created, 3, 3, "");
    ct_row first = create_rows(L, manager, owners, count, many);
    if (CT_UNLIKELY(given != 0)) {
        ct_bind_make_attachments_or_undo(L, &created, given, undo);
        // Callbacks may have moved rows, or destroyed what they were called for.
        if (count > 0) first = ct_store_find(&manager->core->store, owners[0]);
    }
    ct_bind_push_instance(L, manager->core, first);
    return 1;
}

// m:create(e [, values]) -> instance
static int create(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_entity e = ct_bind_check_entity(L, 2);
    lua_settop(L, 3);
    ct_bind_check_open(L, manager->world);
    return create_for(L, manager, &e, 1, false);
}

// m:create_many(list [, values]) -> first instance, or nil for an empty list
static int create_many(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    uint32_t count;
    lua_settop(L, 3);
    ct_bind_check_open(L, manager->world);
    const ct_entity *owners = ct_bind_pin_entity_array(L, 2, &count);
    return create_for(L, manager, owners, count, true);
}

const luaL_Reg ct_bind_component_create_methods[] = {
    {"create", create}, {"create_many", create_many}, {NULL, NULL}};
