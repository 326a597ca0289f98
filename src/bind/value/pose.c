// Poses and matrices as arguments and results.
// Knows nothing of whose they are.
#include "bind/value/pose.h"

#include <string.h>

void ct_bind_check_pose(lua_State *L, int arg, ct_pose *out) {
    float numbers[10];
    for (int i = 0; i < 10; ++i)
        numbers[i] = ct_bind_check_float(L, arg + i);
    memcpy(out->position, numbers, sizeof out->position);
    memcpy(out->rotation, numbers + 3, sizeof out->rotation);
    memcpy(out->scale, numbers + 7, sizeof out->scale);
}

int ct_bind_push_pose(lua_State *L, const ct_pose *pose) {
    float numbers[10];
    memcpy(numbers, pose->position, sizeof pose->position);
    memcpy(numbers + 3, pose->rotation, sizeof pose->rotation);
    memcpy(numbers + 7, pose->scale, sizeof pose->scale);
    return ct_bind_push_floats(L, numbers, 10);
}

int ct_bind_push_floats(lua_State *L, const float *numbers, int count) {
    float copy[16];
    memcpy(copy, numbers, (size_t)count * sizeof *copy);
    luaL_checkstack(L, count, "too many results");
    for (int i = 0; i < count; ++i)
        lua_pushnumber(L, copy[i]);
    return count;
}

void ct_bind_check_out(lua_State *L, int arg) {
    if (!lua_isnoneornil(L, arg)) luaL_checktype(L, arg, LUA_TTABLE);
}

int ct_bind_push_matrix(lua_State *L, const float *matrix, int out) {
    if (lua_isnoneornil(L, out)) return ct_bind_push_floats(L, matrix, 16);
    float copy[16];
    memcpy(copy, matrix, sizeof copy);
    lua_settop(L, out);
    for (int i = 0; i < 16; ++i) {
        lua_pushnumber(L, copy[i]);
        lua_rawseti(L, out, i + 1);
    }
    return 1;
}
