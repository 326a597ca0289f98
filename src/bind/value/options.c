// Tables of options as arguments, read by a list of what there is.
// Knows nothing of what the options are for.
#include "bind/value/options.h"

#include <string.h>

// Raises that the value on top is not what an option may be; for an item, with the message on top.
static int raise_unfit(lua_State *L, int arg, const ct_bind_option *option) {
    if (option->type == CT_BIND_ITEM) {
        lua_pushfstring(L, "%s: %s", option->name, lua_tostring(L, -1));
        return ct_bind_arg_error(L, arg);
    }
    static const char *const types[] = {"boolean", "number", "string", "string",
                                        "entity",  "table",  ""};
    const char *expected = option->expected, *got = ct_bind_type_name(L, -1);
    int type = lua_type(L, -1);
    if (expected == NULL || (option->type == CT_BIND_TEXT && type != LUA_TSTRING))
        expected = types[option->type];
    if (option->type == CT_BIND_INTEGER && type == LUA_TNUMBER)
        got = lua_pushfstring(L, "%f", lua_tonumber(L, -1));
    if (option->type == CT_BIND_INTEGER && option->expected == NULL)
        expected = lua_pushfstring(L, "integer in [%f, %f]", option->low, option->high);
    if (option->type == CT_BIND_WORD && type == LUA_TSTRING)
        got = lua_pushfstring(L, "\"%s\"", lua_tostring(L, -1));
    lua_pushfstring(L, "%s: %s expected, got %s", option->name, expected, got);
    return ct_bind_arg_error(L, arg);
}

static bool read_word(lua_State *L, const ct_bind_option *option) {
    const char *word = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    for (uint32_t i = 0; option->words[i] != NULL; ++i) {
        if (strcmp(option->words[i], word) != 0) continue;
        *(uint32_t *)option->into = i;
        return true;
    }
    return false;
}

static bool read_text(lua_State *L, const ct_bind_option *option) {
    size_t length;
    if (lua_type(L, -1) != LUA_TSTRING) return false;
    const char *text = lua_tolstring(L, -1, &length);
    if (strlen(text) != length || (double)length < option->low || (double)length > option->high)
        return false;
    memcpy(option->into, text, length + 1);
    return true;
}

static bool read_item(lua_State *L, const ct_bind_option *option) {
    const ct_field field = {.type = option->item, .uniform = option->uniform};
    return ct_bind_value_to_item(L, -1, &field, option->into);
}

// The value on top, which is not nil.
static bool read_value(lua_State *L, const ct_bind_option *option) {
    switch (option->type) {
    case CT_BIND_INTEGER: return ct_bind_to_whole(L, -1, option->low, option->high, option->into);
    case CT_BIND_WORD: return read_word(L, option);
    case CT_BIND_TEXT: return read_text(L, option);
    case CT_BIND_ENTITY: return ct_bind_to_entity(L, -1, option->into);
    case CT_BIND_TABLE: return lua_istable(L, -1);
    case CT_BIND_ITEM: return read_item(L, option);
    case CT_BIND_BOOLEAN: break;
    }
    if (!lua_isboolean(L, -1)) return false;
    *(bool *)option->into = lua_toboolean(L, -1);
    return true;
}

// Raises for the key of an option that there is not, below the value on top.
static void check_key(lua_State *L, int arg, const ct_bind_option *options, uint32_t count) {
    enum { MOST = 16 };
    const char *names[MOST] = {NULL};
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
    CT_ASSERT(count <= MOST);
    for (uint32_t i = 0; i < count; ++i) {
        names[i] = options[i].name;
        if (strcmp(names[i], key) == 0) return;
    }
    ct_bind_push_unknown(L, "option", key, names, count);
    ct_bind_arg_error(L, arg);
}

uint32_t ct_bind_read_options(lua_State *L, int arg, const ct_bind_option *options,
                              uint32_t count) {
    uint32_t given = 0;
    if (lua_isnoneornil(L, arg)) return 0;
    luaL_checktype(L, arg, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, arg) != 0; lua_pop(L, 1))
        check_key(L, arg, options, count);
    for (uint32_t i = 0; i < count; ++i) {
        lua_getfield(L, arg, options[i].name);
        if (!lua_isnil(L, -1)) given |= 1u << i;
        if (!lua_isnil(L, -1) && !read_value(L, &options[i])) raise_unfit(L, arg, &options[i]);
        lua_pop(L, 1);
    }
    return given;
}
