// Error values of script functions as messages.
#include "bind/value/check.h"

// any value -> a string or nil. Called protected, because __tostring belongs to the script.
static int to_message(lua_State *L) {
    if (lua_isstring(L, 1)) {
        lua_tostring(L, 1);
    } else if (luaL_callmeta(L, 1, "__tostring") == 0 || lua_type(L, -1) != LUA_TSTRING) {
        lua_pushnil(L);
    }
    return 1;
}

bool ct_bind_error_message(lua_State *L, const char *otherwise) {
    if (lua_type(L, -1) == LUA_TSTRING) return true;
    if (ct_bind_call_protected(L, to_message, 1, 1) == 0 && !lua_isnil(L, -1)) return true;
    lua_pop(L, 1);
    lua_pushstring(L, otherwise);
    return false;
}
