// Writers: the bytes of one component, put together number after number in the target's order.
// Knows nothing of who will read them.
#include "bind/level/writer.h"

#include "resource/writer.h"

#include <string.h>

static const char writer_key = 0;

static ct_writer *check_writer(lua_State *L) {
    return ct_bind_check_class(L, 1, &writer_key, "writer");
}

static int collect(lua_State *L) {
    ct_writer_free(check_writer(L));
    return 0;
}

// core.compile.writer(big_endian) -> writer
static int new_writer(lua_State *L) {
    bool big_endian = lua_toboolean(L, 1);
    const ct_allocator *allocator = &ct_bind_state_of(L)->allocator;
    ct_writer_init(ct_bind_class_object(L, &writer_key, sizeof(ct_writer)), allocator, big_endian);
    return 1;
}

// The writer itself, for the next call; or what went wrong is raised, and all but the 'count' bytes
// that there were is forgotten.
static int answer(lua_State *L, ct_writer *writer, uint32_t count) {
    ct_status status = writer->status;
    if (status != CT_OK) {
        writer->count = count;
        writer->status = CT_OK;
        if (status == CT_ERR_FULL) return luaL_error(L, "a writer holds at most 4294967295 bytes");
        return luaL_error(L, "not enough memory");
    }
    lua_settop(L, 1);
    return 1;
}

static int write_number(lua_State *L, ct_lane lane, uint32_t width, double value) {
    ct_writer *writer = check_writer(L);
    uint32_t count = writer->count;
    double item; // aligned for every lane
    ct_lane_store(lane, value, &item);
    ct_writer_numbers(writer, &item, width, 1);
    return answer(L, writer, count);
}

static int write_whole(lua_State *L, ct_lane lane, uint32_t width) {
    double low, high;
    check_writer(L);
    ct_lane_range(lane, &low, &high);
    return write_number(L, lane, width, ct_bind_check_whole(L, 2, low, high));
}

static int write_u8(lua_State *L) { return write_whole(L, CT_LANE_UINT8, 1); }
static int write_u16(lua_State *L) { return write_whole(L, CT_LANE_UINT16, 2); }
static int write_u32(lua_State *L) { return write_whole(L, CT_LANE_UINT32, 4); }
static int write_i8(lua_State *L) { return write_whole(L, CT_LANE_INT8, 1); }
static int write_i16(lua_State *L) { return write_whole(L, CT_LANE_INT16, 2); }
static int write_i32(lua_State *L) { return write_whole(L, CT_LANE_INT32, 4); }

static int write_real(lua_State *L, ct_lane lane, uint32_t width) {
    check_writer(L);
    luaL_checktype(L, 2, LUA_TNUMBER);
    return write_number(L, lane, width, lua_tonumber(L, 2));
}

static int write_f32(lua_State *L) { return write_real(L, CT_LANE_FLOAT, 4); }
static int write_f64(lua_State *L) { return write_real(L, CT_LANE_DOUBLE, 8); }

// writer:string(v): u32 length, then the bytes
static int write_string(lua_State *L) {
    ct_writer *writer = check_writer(L);
    uint32_t count = writer->count;
    size_t length;
    luaL_checktype(L, 2, LUA_TSTRING);
    const char *bytes = lua_tolstring(L, 2, &length);
    if ((uint32_t)length != length) {
        writer->status = CT_ERR_FULL;
    } else {
        ct_writer_u32(writer, (uint32_t)length);
        ct_writer_bytes(writer, bytes, (uint32_t)length);
    }
    return answer(L, writer, count);
}

// writer:tostring() -> the bytes
static int bytes_of(lua_State *L) {
    const ct_writer *writer = check_writer(L);
    for (;;) {
        // Making room may run a finalizer that writes: then there is more to copy.
        uint32_t count = writer->count;
        char *copy = lua_newuserdata(L, (size_t)count + 1);
        if (writer->count > count) continue;
        if (count > 0) memcpy(copy, writer->bytes, count);
        lua_pushlstring(L, copy, count);
        return 1;
    }
}

static int tostring(lua_State *L) {
    lua_pushfstring(L, "writer (%f bytes)", (lua_Number)check_writer(L)->count);
    return 1;
}

static const luaL_Reg methods[] = {
    {"u8", write_u8},         {"u16", write_u16},     {"u32", write_u32}, {"i8", write_i8},
    {"i16", write_i16},       {"i32", write_i32},     {"f32", write_f32}, {"f64", write_f64},
    {"string", write_string}, {"tostring", bytes_of}, {NULL, NULL},
};

void ct_bind_open_writer(lua_State *L) {
    ct_bind_class_new(L, &writer_key, "writer", methods, collect, tostring);
    lua_getfield(L, -1, "compile");
    lua_pushcfunction(L, new_writer);
    lua_setfield(L, -2, "writer");
    lua_pop(L, 1);
    ct_bind_open_reader(L);
}
