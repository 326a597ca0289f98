// Row arguments of scripts in calls of plugins.
#include "bind/plugin/plugin.h"

// Returns the binding's object of a manager; raises if the manager has ended.
static const ct_bind_manager *object_of(lua_State *L, const ct_manager *core) {
    const ct_bind_manager *object = core->object;
    if (object == NULL || object->destroyed != NULL)
        luaL_error(L, "component manager does not exist any more");
    return object;
}

// Finds a row in the common case, without the object of the manager.
static ct_row find_row(lua_State *L, int arg, const ct_manager *manager) {
    ct_entity e;
    ct_row row = {CT_NO_ROW};
    if (ct_bind_to_entity(L, arg, &e)) return ct_store_find(&manager->store, e);
    if (lua_type(L, arg) != LUA_TNUMBER ||
        !ct_store_find_instance(&manager->store, lua_tonumber(L, arg), &row) ||
        !ct_entity_manager_alive_or_dying(manager->store.entities,
                                          ct_store_owners(&manager->store)[row.i]))
        return (ct_row){CT_NO_ROW};
    return row;
}

ct_row ct_bind_plugin_check_row(lua_State *L, int arg, ct_manager *manager) {
    ct_row row = find_row(L, arg, manager);
    if (CT_LIKELY(row.i != CT_NO_ROW)) return row;
    return ct_bind_check_target(L, arg, object_of(L, manager));
}

ct_row ct_bind_plugin_check_live_row(lua_State *L, int arg, ct_manager *manager) {
    ct_row row = find_row(L, arg, manager);
    if (CT_LIKELY(row.i != CT_NO_ROW && manager->store.entities->guarded == 0)) return row;
    return ct_bind_check_live_target(L, arg, object_of(L, manager));
}

void ct_bind_plugin_push_instance(lua_State *L, ct_manager *manager, ct_row row) {
    if (row.i >= ct_store_count(&manager->store)) row.i = CT_NO_ROW;
    ct_bind_push_instance(L, manager, row);
}
