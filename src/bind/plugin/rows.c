// Row arguments of scripts in calls of plugins.
#include "bind/plugin/plugin.h"

// Returns the binding's object of a manager; raises if the manager has ended.
static const ct_bind_manager *object_of(lua_State *L, const ct_manager *core) {
    const ct_bind_manager *object = core->object;
    if (object == NULL || object->destroyed != NULL)
        luaL_error(L, "component manager does not exist any more");
    return object;
}

ct_row ct_bind_plugin_check_row(lua_State *L, int arg, ct_manager *manager) {
    return ct_bind_check_target(L, arg, object_of(L, manager));
}

ct_row ct_bind_plugin_check_live_row(lua_State *L, int arg, ct_manager *manager) {
    return ct_bind_check_live_target(L, arg, object_of(L, manager));
}

void ct_bind_plugin_push_instance(lua_State *L, ct_manager *manager, ct_row row) {
    if (row.i >= ct_store_count(&manager->store)) row.i = CT_NO_ROW;
    ct_bind_push_instance(L, manager, row);
}
