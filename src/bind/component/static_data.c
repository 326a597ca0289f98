// Shared parts of define_resource and resource_data of managers with static data.
#include "bind/component/components.h"

ct_text ct_bind_check_resource_name(lua_State *L, int arg) {
    ct_text name = ct_bind_to_text(L, arg);
    luaL_checktype(L, arg, LUA_TSTRING);
    luaL_argcheck(L, name.length > 0, arg, "name of 1 to 2147483647 bytes expected");
    return name;
}

void ct_bind_push_resources(lua_State *L) {
    ct_bind_push_manager_table(L, ct_bind_object_at(L, 1));
    ct_bind_push_subtable(L, "resources");
    lua_remove(L, -2);
}

void ct_bind_keep_resource(lua_State *L) {
    ct_bind_push_resources(L);
    ct_bind_push_raw(L, -1, 2);
    ct_bind_copy_raw(L, -2, 2, 3);
}

void ct_bind_put_resource_back(lua_State *L) { ct_bind_copy_raw(L, -2, 2, -1); }

int ct_bind_finish_resource(lua_State *L, ct_status status, const char *what) {
    if (status == CT_OK) return 0;
    ct_bind_put_resource_back(L);
    return ct_bind_raise_status(L, status, what, (uint32_t)CT_MAX_STRINGS, "names");
}

int ct_bind_resource_data(lua_State *L) {
    const ct_bind_manager *manager = ct_bind_own_self(L);
    ct_text name = ct_bind_check_resource_name(L, 2);
    ct_bind_push_resources(L);
    ct_bind_push_raw(L, -1, 2);
    if (!lua_isnil(L, -1)) return 1;
    ct_message message;
    ct_resource_names_unknown_message(manager->core, name, &message);
    return ct_bind_raise_arg(L, 2, "%s", message.text);
}
