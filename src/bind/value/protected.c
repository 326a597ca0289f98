// Protected calls, and error values of script functions as messages.
#include "bind/value/check.h"

// Creating a function allocates in Lua 5.1, so protected calls use one that is registered.
static const char trampoline_key = 0;

typedef struct protected_call {
    lua_CFunction function;
} protected_call;

// ..., protected_call -> results of its function for the other arguments
static int trampoline(lua_State *L) {
    const protected_call *call = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return call->function(L);
}

int ct_bind_call_protected(lua_State *L, lua_CFunction function, int arguments, int results) {
    protected_call call = {function};
    ct_bind_push_registered(L, &trampoline_key);
    lua_insert(L, -arguments - 1);
    lua_pushlightuserdata(L, &call);
    return lua_pcall(L, arguments + 1, results, 0);
}

int ct_bind_call_nested(lua_State *L, lua_CFunction function, int arguments, int results) {
    ct_bind_state *state = ct_bind_state_of(L);
    state->callbacks++;
    int problem = function != NULL ? ct_bind_call_protected(L, function, arguments, results)
                                   : lua_pcall(L, arguments, results, 0);
    state->callbacks--;
    return problem;
}

void ct_bind_open_protected(lua_State *L) {
    lua_pushcfunction(L, trampoline);
    ct_bind_register(L, &trampoline_key);
}

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
