// Checks and conversions of arguments from scripts, and their error messages.
#include "bind/value/check.h"

#include "storage/field.h"

#include <stdarg.h>
#include <string.h>

// Returns the name of a userdata type, such as the null of level source. The metatable keeps the
// string alive.
static const char *userdata_name(lua_State *L, int index) {
    if (!luaL_getmetafield(L, index, "__name")) return "userdata";
    const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "userdata";
    lua_pop(L, 1);
    return name;
}

const char *ct_bind_type_name(lua_State *L, int index) {
    static const char *const tags[] = {"light userdata with tag 0",
                                       "light userdata that is not an entity",
                                       "light userdata with tag 2", "light userdata with tag 3"};
    if (lua_type(L, index) == LUA_TNONE) return "no value";
    if (lua_type(L, index) == LUA_TUSERDATA) return userdata_name(L, index);
    if (lua_type(L, index) != LUA_TLIGHTUSERDATA) return luaL_typename(L, index);
    ct_entity e;
    if (ct_bind_to_entity(L, index, &e)) return "entity";
    return tags[(uintptr_t)lua_touserdata(L, index) & 3u];
}

int ct_bind_arg_error(lua_State *L, int arg) {
    luaL_argerror(L, arg, lua_tostring(L, -1));
    CT_NEVER(0);
}

int ct_bind_raise_arg(lua_State *L, int arg, const char *format, ...) {
    va_list values;
    va_start(values, format);
    ct_bind_push_format(L, format, values);
    va_end(values);
    ct_bind_arg_error(L, arg);
    CT_NEVER(0);
}

void ct_bind_prepare_table(lua_State *L, int arg, uint32_t count) {
    if (lua_isnil(L, arg)) {
        lua_createtable(L, (int)count, 0);
        lua_replace(L, arg);
    }
    luaL_checktype(L, arg, LUA_TTABLE);
}

int ct_bind_return_failure(lua_State *L) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

int ct_bind_return_message(lua_State *L, const char *message) {
    lua_pushstring(L, message);
    return ct_bind_return_failure(L);
}

bool ct_bind_refuse(lua_State *L, const char *format, ...) {
    va_list values;
    va_start(values, format);
    ct_bind_push_format(L, format, values);
    va_end(values);
    return false;
}

ct_entity ct_bind_check_entity(lua_State *L, int arg) {
    ct_entity e = {CT_NOBODY};
    if (CT_UNLIKELY(!ct_bind_to_entity(L, arg, &e)))
        ct_bind_raise_arg(L, arg, "entity expected, got %s", ct_bind_type_name(L, arg));
    return e;
}

void ct_bind_push_entity(lua_State *L, ct_entity e) {
    if (ct_entity_is_id(e.id))
        lua_pushlightuserdata(L, (void *)((uintptr_t)e.id << 2 | CT_ENTITY_TAG));
    else
        lua_pushnil(L);
}

void ct_bind_push_entity_name(lua_State *L, ct_entity e) {
    lua_pushfstring(L, "entity(%d:%d)", (int)ct_entity_index(e), (int)ct_entity_generation(e));
}

bool ct_bind_to_whole(lua_State *L, int index, double low, double high, double *out) {
    if (lua_type(L, index) != LUA_TNUMBER) return false;
    *out = lua_tonumber(L, index);
    // Also false for NaN and infinities. The cast is defined, because |value| < 2^53.
    return *out >= low && *out <= high && (double)(int64_t)*out == *out;
}

double ct_bind_check_whole(lua_State *L, int arg, double low, double high) {
    double value = 0;
    if (ct_bind_to_whole(L, arg, low, high, &value)) return value;
    luaL_checktype(L, arg, LUA_TNUMBER);
    if (high == CT_BIND_LARGEST_WHOLE) // more digits than %f has
        ct_bind_raise_arg(L, arg, "integer in [%s, 2^53 - 1] expected, got %f",
                          low < 0 ? "1 - 2^53" : "0", value);
    ct_bind_raise_arg(L, arg, "integer in [%f, %f] expected, got %f", low, high, value);
    return 0;
}

double ct_bind_check_number(lua_State *L, int arg) {
    luaL_checktype(L, arg, LUA_TNUMBER);
    return lua_tonumber(L, arg);
}

float ct_bind_check_float(lua_State *L, int arg) {
    float value;
    if (lua_type(L, arg) != LUA_TNUMBER) luaL_checktype(L, arg, LUA_TNUMBER);
    ct_real_store(CT_SCALAR_FLOAT, lua_tonumber(L, arg), &value);
    return value;
}

uint32_t ct_bind_check_id(lua_State *L, int arg) {
    return (uint32_t)ct_bind_check_whole(L, arg, 0, 4294967295.0);
}

const char *ct_bind_check_name(lua_State *L, int arg, int index) {
    size_t length;
    const char *name = luaL_checklstring(L, index, &length);
    if (CT_UNLIKELY(strlen(name) != length))
        ct_bind_raise_arg(L, arg, "a name cannot hold a zero byte");
    return name;
}

bool ct_bind_is_word(lua_State *L, int index, const char *word) {
    size_t length = 0;
    const char *text = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &length) : NULL;
    return text != NULL && length == strlen(word) && memcmp(text, word, length) == 0;
}

ct_text ct_bind_to_text(lua_State *L, int index) {
    size_t length = 0;
    const char *bytes = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &length) : NULL;
    if (length > 0x7FFFFFFFu) return (ct_text){NULL, 0};
    return (ct_text){bytes, (uint32_t)length};
}

void ct_bind_push_unknown(lua_State *L, const char *what, const char *name,
                          const ct_nearest *nearest) {
    if (nearest->name != NULL)
        lua_pushfstring(L, "unknown %s '%s' (did you mean '%s'?)", what, name, nearest->name);
    else
        lua_pushfstring(L, "unknown %s '%s'", what, name);
}

int ct_bind_raise_status(lua_State *L, ct_status status, const char *what, uint32_t limit,
                         const char *unit) {
    if (status == CT_ERR_FULL) luaL_error(L, "%s is full (%d %s)", what, (int)limit, unit);
    if (status == CT_ERR_CYCLE) luaL_error(L, "%s: the parent would make a cycle", what);
    if (status == CT_ERR_DATA) luaL_error(L, "%s: invalid value", what);
    if (status == CT_ERR_OVER) luaL_error(L, "%s is over", what);
    CT_ASSERT(status == CT_ERR_MEMORY);
    luaL_error(L, "not enough memory");
    CT_NEVER(0);
}

bool ct_bind_has_index(lua_State *L, int index) {
    int top = lua_gettop(L);
    bool found = false;
    if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) return false;
    lua_pushnil(L);
    while (!found && lua_next(L, top + 1) != 0) {
        found = lua_type(L, -2) == LUA_TSTRING && strcmp(lua_tostring(L, -2), "__index") == 0;
        lua_pop(L, 1);
    }
    lua_settop(L, top);
    return found;
}

bool ct_bind_refuse_index(lua_State *L) {
    return ct_bind_refuse(L, "table has __index in its metatable, which is not read: copy its "
                             "values into a plain table");
}

bool ct_bind_next_name(lua_State *L, int table, int last) {
    int best = last + 1;
    lua_settop(L, last);
    lua_pushnil(L);
    lua_pushnil(L);
    for (; lua_next(L, table) != 0; lua_settop(L, best + 1)) {
        lua_settop(L, best + 1);
        bool name = lua_type(L, -1) == LUA_TSTRING;
        if (!name || (!lua_isnil(L, last) && !ct_bind_less(L, last, -1))) continue;
        if (!lua_isnil(L, best) && !ct_bind_less(L, -1, best)) continue;
        lua_pushvalue(L, -1);
        lua_replace(L, best);
    }
    lua_replace(L, last);
    if (lua_isnil(L, last)) return false;
    lua_pushvalue(L, last);
    ct_bind_push_raw(L, table, last);
    return true;
}
