// m:create and m:create_many: components for existing entities, all or nothing.
#include "bind/manager/attachment.h"

#include "bind/value/lua_values.h"
#include "storage/manager_access.h"

// Creates components from the values at argument 3 (a table or nil). Returns the first row, or
// CT_NO_ROW if 'count' is 0. If 'many', values may be given per owner, and the error for a dead
// owner has its position. 'additions' (NULL: hooks do not run) begins when no check can fail any
// more.
static inline ct_row create_rows(lua_State *L, const ct_bind_manager *manager,
                                 const ct_entity *owners, uint32_t count, bool many,
                                 ct_additions *additions) {
    ct_manager *core = manager->core;
    ct_row first;
    const ct_bind_parse g = ct_bind_parse_begin(L, manager->state);
    const ct_component_id *ids;
    const ct_values *values =
        ct_bind_parse_component(&g, 3, core, many ? CT_BIND_MANY : CT_BIND_WHOLE, count, &ids);
    if (values == NULL) ct_bind_arg_error(L, 3);
    for (uint32_t i = 0; i < count; ++i) {
        if (CT_LIKELY(ct_entity_manager_alive(core->store.entities, owners[i]))) continue;
        ct_bind_parse_end(&g);
        ct_bind_raise_dead(L, 2, manager, owners[i], many ? i + 1 : 0);
    }
    ct_status status = additions != NULL
                           ? ct_additions_create(additions, manager->world, core, owners, count,
                                                 values, ids, &first)
                           : ct_manager_create_whole(core, owners, count, values, ids, &first);
    ct_message message;
    if (status == CT_ERR_EXISTS)
        ct_manager_exists_message(core, owners[first.i], ids != NULL ? &ids[first.i] : NULL,
                                  &message);
    ct_bind_parse_end(&g);
    if (status == CT_ERR_EXISTS) luaL_argerror(L, 2, message.text);
    if (status != CT_OK) ct_bind_manager_fail(L, manager, status);
    return count > 0 ? first : (ct_row){CT_NO_ROW};
}

// Rolls back the created components and raises the error on top of the stack again.
static void rollback(lua_State *L, ct_additions *additions) {
    lua_pushnil(L); // further errors are dropped
    ct_bind_notice notice = {L, 0, lua_gettop(L)};
    additions->world->busy++;
    ct_additions_rollback(additions, &notice);
    additions->world->busy--;
    ct_bind_forget_values(L, &additions->world->values);
    ct_additions_end(additions);
    lua_pop(L, 1);
    lua_error(L);
}

// Creates components if the manager has hooks or an attachment. Returns the first row, or
// CT_NO_ROW.
static ct_row create_notified(lua_State *L, ct_bind_manager *manager, const ct_entity *owners,
                              uint32_t count, bool many) {
    const ct_bind_created created = {manager, owners, NULL, count, many};
    ct_additions additions;
    int given = 0;
    if (ct_bind_is_hosted(manager)) given = ct_bind_prepare_attachment(L, &created, 3, 3, "");
    ct_bind_prepare_hooks(L, manager->world);
    ct_row first = create_rows(L, manager, owners, count, many, &additions);
    if (!ct_bind_notify_added(L, &additions, &created, given)) rollback(L, &additions);
    // Hooks may have moved rows or destroyed their components.
    if (additions.count > 0) first = ct_additions_row(&additions, 0);
    ct_additions_end(&additions);
    return first;
}

static ct_row create_for(lua_State *L, ct_bind_manager *manager, const ct_entity *owners,
                         uint32_t count, bool many) {
    return CT_UNLIKELY(manager->core->hooks != NULL || ct_bind_is_hosted(manager))
               ? create_notified(L, manager, owners, count, many)
               : create_rows(L, manager, owners, count, many, NULL);
}

void ct_bind_create_for(lua_State *L, ct_bind_manager *manager, uint32_t count,
                        const ct_entity *owners) {
    create_for(L, manager, owners, count, true);
}

ct_status ct_bind_create_one(lua_State *L, const ct_bind_manager *manager, ct_entity e,
                             const ct_values *values) {
    ct_manager *core = manager->core;
    ct_additions additions;
    ct_row row;
    if (CT_LIKELY(core->hooks == NULL)) return ct_manager_create(core, &e, 1, values, NULL, &row);
    ct_bind_prepare_hooks(L, manager->world);
    ct_status status =
        ct_additions_create(&additions, manager->world, core, &e, 1, values, NULL, &row);
    if (status != CT_OK) return status;
    if (!ct_bind_notify_added(L, &additions, NULL, 0)) rollback(L, &additions);
    ct_additions_end(&additions);
    return CT_OK;
}

// m:create(e [, values]) -> instance
static int create(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_entity e = ct_bind_check_entity(L, 2);
    lua_settop(L, 3);
    ct_bind_check_open(L, manager->world);
    return ct_bind_push_instance(L, manager->core, create_for(L, manager, &e, 1, false));
}

// m:create_many(list [, values]) -> first instance, or nil for an empty list
static int create_many(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    uint32_t count;
    lua_settop(L, 3);
    ct_bind_check_open(L, manager->world);
    const ct_entity *owners = ct_bind_pin_entity_array(L, 2, &count);
    return ct_bind_push_instance(L, manager->core, create_for(L, manager, owners, count, true));
}

const luaL_Reg ct_bind_component_create_methods[] = {
    {"create", create}, {"create_many", create_many}, {NULL, NULL}};
