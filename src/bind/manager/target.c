// Conversion of arguments (an entity or an instance, for a manager) to a checked row.
#include "bind/manager/manager.h"

#include <math.h>

const ct_bind_kind ct_bind_manager_kind = {"component manager"};

const char *ct_bind_push_reason(lua_State *L, const ct_bind_manager *manager) {
    return lua_pushfstring(L, manager->destroyed, manager->core->name);
}

int ct_bind_raise_destroyed(lua_State *L, const ct_bind_manager *manager) {
    luaL_error(L, manager->destroyed, manager->core->name);
    CT_NEVER(0);
}

void ct_bind_raise_definition(lua_State *L) {
    ct_bind_raise_arg(L, 1, "%s expected, got userdata (another %s: methods belong to one)",
                      ct_bind_manager_kind.name, ct_bind_manager_kind.name);
}

static ct_bind_manager *check_thawed(lua_State *L, ct_bind_manager *manager) {
    ct_bind_check_thawed(L, manager->core->store.entities);
    return manager;
}

ct_bind_manager *ct_bind_changing_manager(lua_State *L) {
    return check_thawed(L, ct_bind_manager_self(L));
}

ct_bind_manager *ct_bind_own_changing(lua_State *L) { return check_thawed(L, ct_bind_own_self(L)); }

void ct_bind_check_open(lua_State *L, const ct_world *world) {
    const char *why = ct_world_refuses(world);
    if (CT_UNLIKELY(why != NULL && world->ending != CT_WORLD_CLEARING)) luaL_error(L, "%s", why);
}

int ct_bind_manager_finish(lua_State *L, const ct_bind_manager *manager, ct_status status) {
    return CT_LIKELY(status == CT_OK) ? 0 : ct_bind_manager_fail(L, manager, status);
}

int ct_bind_manager_fail(lua_State *L, const ct_bind_manager *manager, ct_status status) {
    if (manager->destroyed != NULL) ct_bind_raise_destroyed(L, manager);
    const char *what;
    uint32_t limit = ct_manager_limit(manager->core, &what);
    ct_bind_raise_status(L, status, manager->core->name, limit, what);
    CT_NEVER(0);
}

void ct_bind_push_world(lua_State *L, int manager) { ct_bind_push_own(L, manager, "world"); }

void ct_bind_recall_manager_table(lua_State *L, const ct_bind_manager *manager) {
    ct_bind_recall(L, manager->world);
    if (lua_isnil(L, -1)) return;
    ct_bind_rawgetp(L, -1, manager);
    lua_remove(L, -2);
}

void ct_bind_push_manager_table(lua_State *L, const ct_bind_manager *manager) {
    ct_bind_recall_manager_table(L, manager);
    if (!lua_isnil(L, -1)) return;
    ct_bind_recall(L, manager->world);
    if (lua_isnil(L, -1)) ct_bind_raise_replaced(L);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    ct_bind_rawsetp(L, -3, manager);
    lua_replace(L, -3);
    lua_pop(L, 1);
}

int ct_bind_push_instance(lua_State *L, ct_manager *manager, ct_row row) {
    if (row.i == CT_NO_ROW) return ct_bind_return_nil(L);
    return ct_bind_return_whole(L, ct_store_instance(&manager->store, row));
}

int ct_bind_raise_dead(lua_State *L, int arg, const ct_bind_manager *manager, ct_entity e,
                       uint32_t place) {
    if (manager->destroyed != NULL) return ct_bind_raise_destroyed(L, manager);
    ct_bind_push_dead(L, e, manager->world);
    if (place > 0) lua_pushfstring(L, "[%d]: %s", (int)place, lua_tostring(L, -1));
    return ct_bind_arg_error(L, arg);
}

int ct_bind_raise_no_row(lua_State *L, int arg, const ct_bind_manager *manager, ct_entity e,
                         uint32_t place) {
    const ct_entity_manager *entities = manager->core->store.entities;
    if (manager->destroyed != NULL) return ct_bind_raise_destroyed(L, manager);
    if (!ct_entity_manager_alive_or_dying(entities, e))
        return ct_bind_raise_dead(L, arg, manager, e, place);
    ct_bind_push_entity_name(L, e);
    lua_pushfstring(L, "%s has no %s", lua_tostring(L, -1), manager->core->name);
    if (place > 0) lua_pushfstring(L, "[%d]: %s", (int)place, lua_tostring(L, -1));
    return ct_bind_arg_error(L, arg);
}

int ct_bind_raise_stale(lua_State *L, int arg, const ct_bind_manager *manager) {
    if (manager->destroyed != NULL) ct_bind_raise_destroyed(L, manager);
    double number = lua_tonumber(L, arg); // an instance is an integer with an epoch other than 0
    if (!(number >= CT_MAX_ROWS && number < 9007199254740992.0 && number == floor(number)))
        ct_bind_raise_arg(L, arg,
                          "stale %s instance (%f is a row or another number, not an instance)",
                          manager->core->name, number);
    ct_bind_raise_arg(L, arg, "stale %s instance", manager->core->name);
    CT_NEVER(0);
}

// Returns the row of an instance. Raises for a row with a dead owner like for the dead entity.
static ct_row check_instance(lua_State *L, int arg, const ct_bind_manager *manager) {
    ct_row row = {CT_NO_ROW};
    if (lua_type(L, arg) != LUA_TNUMBER)
        ct_bind_raise_arg(L, arg, "entity expected, got %s", ct_bind_type_name(L, arg));
    const ct_store *store = &manager->core->store;
    if (!ct_store_find_instance(store, lua_tonumber(L, arg), &row))
        ct_bind_raise_stale(L, arg, manager);
    ct_entity owner = ct_store_owners(store)[row.i];
    if (CT_LIKELY(ct_entity_manager_alive_or_dying(store->entities, owner))) return row;
    if (owner.id == CT_NOBODY) ct_bind_raise_stale(L, arg, manager);
    ct_bind_raise_no_row(L, arg, manager, owner, 0);
    return row;
}

ct_row ct_bind_check_target(lua_State *L, int arg, const ct_bind_manager *manager) {
    ct_entity e;
    if (!ct_bind_to_entity(L, arg, &e)) return check_instance(L, arg, manager);
    ct_row row = ct_store_find(&manager->core->store, e);
    if (CT_UNLIKELY(row.i == CT_NO_ROW)) ct_bind_raise_no_row(L, arg, manager, e, 0);
    return row;
}

ct_row ct_bind_check_live_target(lua_State *L, int arg, const ct_bind_manager *manager) {
    ct_row row = ct_bind_check_target(L, arg, manager);
    ct_entity owner = ct_store_owners(&manager->core->store)[row.i];
    const ct_entity_manager *entities = manager->core->store.entities;
    if (CT_LIKELY(entities->guarded == 0)) return row;
    ct_bind_check_thawed(L, entities);
    ct_bind_check_alive(L, arg, owner, manager->world);
    return row;
}
