// Functions for messages of the Lua files of the module.

#include "base/nearest.h"
#include "bind/value/check.h"

// core.messages.nearest(name, names) -> the most similar name, or nil
static int nearest(lua_State *L) {
    ct_nearest nearest = ct_nearest_begin(luaL_checkstring(L, 1));
    luaL_checktype(L, 2, LUA_TTABLE);
    uint32_t length = ct_bind_rawlen(L, 2);
    for (uint32_t i = 1; i <= length && i <= 64; ++i) {
        lua_rawgeti(L, 2, (int)i); // the table keeps the name
        if (lua_type(L, -1) == LUA_TSTRING) ct_nearest_offer(&nearest, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    return ct_bind_return_text(L, nearest.name);
}

// core.messages.type_name(value) -> its type for messages: "light userdata with tag 0"
static int type_name(lua_State *L) {
    luaL_checkany(L, 1);
    return ct_bind_return_text(L, ct_bind_type_name(L, 1));
}

// core.messages.text_of(raised) -> a string, a number as a string, or the result of its __tostring;
// else nil
static int text_of(lua_State *L) {
    luaL_checkany(L, 1);
    lua_settop(L, 1);
    return ct_bind_error_message(L, NULL) ? 1 : 0;
}

// core.messages.index(value) -> the error message for a table of values with __index in its
// metatable; nothing for other values
static int index_message(lua_State *L) {
    luaL_checkany(L, 1);
    return ct_bind_has_index(L, 1) && !ct_bind_refuse_index(L) ? 1 : 0;
}

static const luaL_Reg functions[] = {{"nearest", nearest},
                                     {"type_name", type_name},
                                     {"text_of", text_of},
                                     {"index", index_message},
                                     {NULL, NULL}};

void ct_bind_open_messages(lua_State *L) { ct_bind_add_functions(L, "messages", functions); }
