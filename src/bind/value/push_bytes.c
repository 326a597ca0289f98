// Bytes that the core wrote, as Lua strings.
#include "bind/value/push_bytes.h"

#include "bind/value/check.h"

#include <string.h>

// Size in bytes from which a full collection before the copy is worthwhile.
#define LARGE (32u << 20)

// Message of LuaJIT for strings of 2 GB or more. It is compared exactly, because errors of
// finalizers must be distinguished from it.
#define TOO_LONG "string length overflow"

// push_string(writer, strings) -> the writer's bytes as a string
static int push_string(lua_State *L) {
    const ct_writer *writer = lua_touserdata(L, 1);
    if (lua_istable(L, 2) && writer->count >= LARGE) {
        for (uint32_t i = ct_bind_rawlen(L, 2); i > 0; --i)
            ct_bind_store_nil(L, 2, (int)i);
        lua_gc(L, LUA_GCCOLLECT, 0);
    }
#if defined(CT_TEST) && CT_TEST
    uint32_t limit = ct_bind_state_of(L)->string_limit;
    if (limit > 0 && writer->count >= limit) {
        lua_pushstring(L, TOO_LONG);
        return lua_error(L);
    }
#endif
    return ct_bind_return_bytes(L, (const char *)writer->bytes, writer->count);
}

void ct_bind_push_bytes(lua_State *L, ct_writer *writer, ct_status status, const char *what,
                        int strings) {
    int problem = 0;
    if (status == CT_OK) {
        lua_pushlightuserdata(L, writer);
        if (strings != 0) lua_pushvalue(L, strings);
        problem = ct_bind_call_protected(L, push_string, strings != 0 ? 2 : 1, 1);
    }
    ct_writer_free(writer);
    if (status == CT_ERR_FULL) luaL_error(L, "%s cannot be larger than 4 GB", what);
    if (status != CT_OK) luaL_error(L, "not enough memory");
    if (problem == 0) return;
    if (lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), TOO_LONG) == 0)
        luaL_error(L, "%s cannot be larger than 2 GB under LuaJIT", what);
    lua_error(L);
}

void ct_bind_fill_texts(lua_State *L, int table, const ct_writer *texts) {
    for (uint32_t at = 0, i = 1; at < texts->count; ++i) {
        const char *text = (const char *)texts->bytes + at;
        at += (uint32_t)strlen(text) + 1;
        ct_bind_store_string(L, table, (int)i, text);
    }
}
