// Readers: bytes in the host's order, taken apart one number after another.
// Knows nothing of who wrote them.
#include "bind/level/writer.h"

#include <string.h>

static const char reader_key = 0;

typedef struct reader {
    const char *bytes; // of a string that the environment keeps; NULL before it does
    size_t count;
    size_t at;
} reader;

static reader *check_reader(lua_State *L) {
    return ct_bind_check_class(L, 1, &reader_key, "reader");
}

// cuttle.reader(bytes) -> reader
static int new_reader(lua_State *L) {
    luaL_checktype(L, 1, LUA_TSTRING);
    reader *r = ct_bind_class_object(L, &reader_key, sizeof *r);
    lua_createtable(L, 1, 0);
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, 1);
    lua_setfenv(L, -2);
    r->bytes = lua_tolstring(L, 1, &r->count);
    return 1;
}

// The next 'count' bytes; raises when there are fewer.
static const char *take(lua_State *L, reader *r, size_t count) {
    if (count > r->count - r->at)
        luaL_error(L, "reader: %f bytes expected at byte %f, %f left", (lua_Number)count,
                   (lua_Number)r->at, (lua_Number)(r->count - r->at));
    const char *bytes = r->bytes + r->at;
    r->at += count;
    return bytes;
}

static int read_number(lua_State *L, ct_lane lane, size_t width) {
    double item; // aligned for every lane
    reader *r = check_reader(L);
    memcpy(&item, take(L, r, width), width);
    lua_pushnumber(L, ct_lane_load(lane, &item));
    return 1;
}

static int read_u8(lua_State *L) { return read_number(L, CT_LANE_UINT8, 1); }
static int read_u16(lua_State *L) { return read_number(L, CT_LANE_UINT16, 2); }
static int read_u32(lua_State *L) { return read_number(L, CT_LANE_UINT32, 4); }
static int read_i8(lua_State *L) { return read_number(L, CT_LANE_INT8, 1); }
static int read_i16(lua_State *L) { return read_number(L, CT_LANE_INT16, 2); }
static int read_i32(lua_State *L) { return read_number(L, CT_LANE_INT32, 4); }
static int read_f32(lua_State *L) { return read_number(L, CT_LANE_FLOAT, 4); }
static int read_f64(lua_State *L) { return read_number(L, CT_LANE_DOUBLE, 8); }

// reader:string() -> a string written by writer:string
static int read_string(lua_State *L) {
    reader *r = check_reader(L);
    size_t before = r->at;
    uint32_t length;
    memcpy(&length, take(L, r, sizeof length), sizeof length);
    if (length > r->count - r->at) {
        size_t at = r->at;
        r->at = before;
        return luaL_error(L, "reader: %f bytes expected at byte %f, %f left", (lua_Number)length,
                          (lua_Number)at, (lua_Number)(r->count - at));
    }
    lua_pushlstring(L, take(L, r, length), length);
    return 1;
}

// reader:left() -> how many bytes were not read yet
static int left(lua_State *L) {
    const reader *r = check_reader(L);
    lua_pushnumber(L, (lua_Number)(r->count - r->at));
    return 1;
}

static int tostring(lua_State *L) {
    const reader *r = check_reader(L);
    lua_pushfstring(L, "reader (%f bytes left)", (lua_Number)(r->count - r->at));
    return 1;
}

static const luaL_Reg methods[] = {
    {"u8", read_u8},         {"u16", read_u16}, {"u32", read_u32}, {"i8", read_i8},
    {"i16", read_i16},       {"i32", read_i32}, {"f32", read_f32}, {"f64", read_f64},
    {"string", read_string}, {"left", left},    {NULL, NULL},
};

void ct_bind_open_reader(lua_State *L) {
    ct_bind_class_new(L, &reader_key, "reader", methods, NULL, tostring);
    lua_pushcfunction(L, new_reader);
    lua_setfield(L, -2, "reader");
}
