// Tables of options as arguments, parsed by lua/cuttle/options.lua.
#include "bind/value/options.h"

bool ct_bind_read_options(lua_State *L, int arg, const char *name, int count) {
    if (lua_isnoneornil(L, arg)) return false;
    int wrong = lua_gettop(L) + 1;
    if (!lua_istable(L, arg))
        ct_bind_raise_arg(L, arg, "table expected, got %s", ct_bind_type_name(L, arg));
    ct_bind_push_lua_methods(L, "options");
    lua_getfield(L, wrong, name);
    if (!lua_isfunction(L, -1)) luaL_error(L, "options need require \"cuttle\"");
    lua_replace(L, wrong);
    lua_pushvalue(L, arg);
    lua_call(L, 1, 1 + count);
    if (lua_isstring(L, wrong)) {
        lua_settop(L, wrong);
        ct_bind_arg_error(L, arg);
    }
    lua_remove(L, wrong);
    return true;
}

bool ct_bind_read_flag(lua_State *L, int arg, const char *name) {
    if (!ct_bind_read_options(L, arg, name, 1)) return false;
    bool flag = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return flag;
}

double ct_bind_option_whole(lua_State *L, int index, double low, double high, double otherwise) {
    double value;
    return ct_bind_to_whole(L, index, low, high, &value) ? value : otherwise;
}
