// Poses and matrices as arguments and results.
#include "bind/value/pose.h"

#include "base/math.h"
#include "bind/value/values.h"

#include <string.h>

bool ct_bind_to_pose(lua_State *L, int index, ct_pose *out) {
    enum { ROTATION = 1, ANGLE };
    static const ct_field fields[] = {{.name = "position", .type = CT_FIELD_VEC3},
                                      {.name = "rotation", .type = CT_FIELD_QUAT},
                                      {.name = "angle", .type = CT_FIELD_FLOAT},
                                      {.name = "scale", .type = CT_FIELD_VEC3, .uniform = true}};
    float angle = 0;
    void *const into[] = {out->position, out->rotation, &angle, out->scale};
    *out = ct_pose_identity;
    for (int i = 0; i < 4; ++i) {
        if (lua_isnil(L, index + i) || ct_bind_value_to_item(L, index + i, &fields[i], into[i]))
            continue;
        return ct_bind_refuse(L, "%s: %s", fields[i].name, lua_tostring(L, -1));
    }
    if (lua_isnil(L, index + ANGLE)) return true;
    if (!lua_isnil(L, index + ROTATION))
        return ct_bind_refuse(L, "angle: not together with rotation");
    ct_quat_from_angle(angle, out->rotation);
    return true;
}

// A pose is ten numbers in a row, without gaps.
void ct_bind_check_pose(lua_State *L, int arg, ct_pose *out) {
    float numbers[10];
    for (int i = 0; i < 10; ++i)
        numbers[i] = ct_bind_check_float(L, arg + i);
    memcpy(out, numbers, sizeof *out);
}

// Pushes at most 16 numbers and returns their count. The memory of the numbers may be freed while
// they are pushed.
static int push_floats(lua_State *L, const void *numbers, int count) {
    float copy[16];
    memcpy(copy, numbers, (size_t)count * sizeof *copy);
    luaL_checkstack(L, count, "too many results");
    for (int i = 0; i < count; ++i)
        lua_pushnumber(L, copy[i]);
    return count;
}

int ct_bind_push_pose(lua_State *L, const ct_pose *pose) { return push_floats(L, pose, 10); }

void ct_bind_check_out(lua_State *L, int arg) {
    if (!lua_isnoneornil(L, arg)) luaL_checktype(L, arg, LUA_TTABLE);
}

void ct_bind_fill_floats(lua_State *L, int table, const float *numbers, int count) {
    for (int i = 0; i < count; ++i)
        ct_bind_store_number(L, table, i + 1, numbers[i]);
}

int ct_bind_push_matrix(lua_State *L, const float *matrix, int out) {
    if (lua_isnoneornil(L, out)) return push_floats(L, matrix, 16);
    float copy[16];
    memcpy(copy, matrix, sizeof copy);
    lua_settop(L, out);
    ct_bind_fill_floats(L, out, copy, 16);
    return 1;
}
