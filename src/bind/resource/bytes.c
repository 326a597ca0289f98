// Conversion of numbers to bytes and back, for the writers and readers in lua/cuttle/bytes.lua.
#include "bind/resource/resource.h"

#include "base/writer.h"
#include "bind/value/values.h"

#include <string.h>

typedef struct kind {
    const char *name;
    ct_scalar lane;
    uint32_t width;
} kind;

static const kind *check_kind(lua_State *L) {
    static const kind kinds[] = {
        {"u8", CT_SCALAR_UINT8, 1},  {"u16", CT_SCALAR_UINT16, 2}, {"u32", CT_SCALAR_UINT32, 4},
        {"i8", CT_SCALAR_INT8, 1},   {"i16", CT_SCALAR_INT16, 2},  {"i32", CT_SCALAR_INT32, 4},
        {"f32", CT_SCALAR_FLOAT, 4}, {"f64", CT_SCALAR_DOUBLE, 8},
    };
    const char *name = luaL_checkstring(L, 1);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    }
    luaL_argerror(L, 1, "kind of a number expected");
    CT_NEVER(NULL);
}

// core.bytes.pack(kind, big_endian, value) -> bytes, or nil and the error of the value
static int pack(lua_State *L) {
    const kind *k = check_kind(L);
    double item, low, high; // 'item' is aligned for every lane
    bool big_endian = lua_toboolean(L, 2);
    if (lua_type(L, 3) != LUA_TNUMBER) {
        lua_pushfstring(L, "number expected, got %s", luaL_typename(L, 3));
        return ct_bind_return_failure(L);
    }
    if (!ct_scalar_store(k->lane, lua_tonumber(L, 3), &item)) {
        ct_scalar_range(k->lane, &low, &high);
        ct_bind_refuse(L, "integer in [%f, %f] expected, got %f", low, high, lua_tonumber(L, 3));
        return ct_bind_return_failure(L);
    }
    if (big_endian != ct_host_is_big_endian()) ct_swap_numbers(&item, k->width, 1);
    return ct_bind_return_bytes(L, (const char *)&item, k->width);
}

// core.bytes.unpack(kind, bytes, at) -> the number after the first 'at' bytes, in the byte order
// of the host
static int unpack(lua_State *L) {
    size_t count;
    const kind *k = check_kind(L);
    double item;
    luaL_checktype(L, 2, LUA_TSTRING);
    const char *bytes = lua_tolstring(L, 2, &count);
    if (count < k->width) return luaL_argerror(L, 2, "too short");
    size_t at = (size_t)ct_bind_check_whole(L, 3, 0, (double)(count - k->width));
    memcpy(&item, bytes + at, k->width);
    ct_bind_push_scalar(L, k->lane, &item);
    return 1;
}

static const luaL_Reg functions[] = {{"pack", pack}, {"unpack", unpack}, {NULL, NULL}};

void ct_bind_open_bytes(lua_State *L) { ct_bind_add_functions(L, "bytes", functions); }
