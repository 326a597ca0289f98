// Methods of the transform manager for local and world poses.
#include "bind/component/components.h"

#include "base/math.h"
#include "bind/value/list.h"
#include "bind/value/pose.h"
#include "component/transform.h"

#include <string.h>

// There is one function for all methods of a signature; the core function is a parameter.

// Types of arguments for ct_bind_check_item, which accepts numbers or one table.
static const ct_field vec3 = {.name = "vec3", .type = CT_FIELD_VEC3};
static const ct_field quat = {.name = "quat", .type = CT_FIELD_QUAT};
static const ct_field mat4 = {.name = "mat4", .type = CT_FIELD_MAT4};

// ---------------------------------------------------------------- getters

// m:NAME(target [, out])
static int get_matrix(lua_State *L, const float *(*get)(ct_manager *, ct_row)) {
    const ct_bind_target t = ct_bind_own_target(L);
    ct_bind_check_out(L, 3);
    return ct_bind_push_matrix(L, get(t.core, t.row), 3);
}

static int local_matrix(lua_State *L) { return get_matrix(L, ct_transform_local_matrix); }
static int world_matrix(lua_State *L) { return get_matrix(L, ct_transform_world_matrix); }

// m:NAME(target)
static int get_part(lua_State *L, ct_transform_part part) {
    const ct_bind_target t = ct_bind_own_target(L);
    double numbers[CT_TRANSFORM_PART_NUMBERS];
    uint32_t count = ct_transform_read_part(t.core, t.row, part, numbers);
    for (uint32_t i = 0; i < count; ++i)
        lua_pushnumber(L, numbers[i]);
    return (int)count;
}

static int local_angle(lua_State *L) { return get_part(L, CT_TRANSFORM_LOCAL_ANGLE); }
static int world_angle(lua_State *L) { return get_part(L, CT_TRANSFORM_WORLD_ANGLE); }
static int world_position(lua_State *L) { return get_part(L, CT_TRANSFORM_WORLD_POSITION); }
static int world_rotation(lua_State *L) { return get_part(L, CT_TRANSFORM_WORLD_ROTATION); }
static int world_scale(lua_State *L) { return get_part(L, CT_TRANSFORM_WORLD_SCALE); }

// ---------------------------------------------------------------- setters

// Raises why a pose cannot be set. 'matrix' is the argument, or NULL.
static int raise_no_pose(lua_State *L, ct_manager *core, ct_row row, const float *matrix) {
    if (matrix != NULL && !ct_mat4_is_affine(matrix))
        return ct_bind_raise_arg(L, 3, "numbers 4, 8, 12 and 16 must be 0, 0, 0 and 1");
    return ct_bind_raise_link(L, 2, core, row, ct_transform_parent(core, row), CT_ERR_DATA);
}

static int set_numbers(lua_State *L, const ct_field *argument,
                       ct_status (*set)(ct_manager *, ct_row, const float *)) {
    const ct_bind_target t = ct_bind_own_live_target(L);
    float numbers[16];
    ct_bind_check_item(L, 3, argument, numbers);
    if (CT_LIKELY(set(t.core, t.row, numbers) == CT_OK)) return 0;
    return raise_no_pose(L, t.core, t.row, argument == &mat4 ? numbers : NULL);
}

static int set_local_matrix(lua_State *L) {
    return set_numbers(L, &mat4, ct_transform_set_local_matrix);
}
static int set_world_position(lua_State *L) {
    return set_numbers(L, &vec3, ct_transform_set_world_position);
}
static int set_world_rotation(lua_State *L) {
    return set_numbers(L, &quat, ct_transform_set_world_rotation);
}
static int set_world_matrix(lua_State *L) {
    return set_numbers(L, &mat4, ct_transform_set_world_matrix);
}

// m:NAME(target, px,py,pz, qx,qy,qz,qw, sx,sy,sz)
static int set_pose(lua_State *L, ct_status (*set)(ct_manager *, ct_row, const ct_pose *)) {
    const ct_bind_target t = ct_bind_own_live_target(L);
    ct_pose pose;
    ct_bind_check_pose(L, 3, &pose);
    if (CT_LIKELY(set(t.core, t.row, &pose) == CT_OK)) return 0;
    return raise_no_pose(L, t.core, t.row, NULL);
}

static int set_local_pose(lua_State *L) { return set_pose(L, ct_transform_set_local_pose); }
static int set_world_pose(lua_State *L) { return set_pose(L, ct_transform_set_world_pose); }

static int set_local_angle(lua_State *L) {
    const ct_bind_target t = ct_bind_own_live_target(L);
    ct_transform_set_local_angle(t.core, t.row, ct_bind_check_float(L, 3));
    return 0;
}

// m:NAME(target, x, y) keeps z; other arguments as in set_FIELD
static int set_part(lua_State *L) {
    bool two = lua_isnoneornil(L, 5) && lua_type(L, 4) == LUA_TNUMBER;
    if (CT_LIKELY(!two)) return ct_bind_set_field(L);
    uint32_t field;
    ct_bind_manager *manager = ct_bind_own_accessor(L, &field);
    ct_row row = ct_bind_check_live_target(L, 2, manager);
    float part[3];
    memcpy(part, ct_manager_read(manager->core, field, row), sizeof part);
    part[0] = ct_bind_check_float(L, 3);
    part[1] = ct_bind_check_float(L, 4);
    return ct_bind_manager_finish(L, manager, ct_manager_write(manager->core, field, row, part));
}

// ---------------------------------------------------------------- 2D poses

// m:pose_2d(target) -> x, y, angle, sx, sy
static int pose_2d(lua_State *L) { return get_part(L, CT_TRANSFORM_POSE_2D); }

// m:set_local_pose_2d(target, x, y, angle [, sx [, sy]])
static int set_local_pose_2d(lua_State *L) {
    const ct_bind_target t = ct_bind_own_live_target(L);
    ct_pose_2d pose = {ct_bind_check_float(L, 3), ct_bind_check_float(L, 4),
                       ct_bind_check_float(L, 5), 1, 1};
    bool keep = lua_isnoneornil(L, 6);
    if (!keep) pose.scale_x = ct_bind_check_float(L, 6);
    pose.scale_y = lua_isnoneornil(L, 7) ? pose.scale_x : ct_bind_check_float(L, 7);
    if (keep && !lua_isnoneornil(L, 7)) luaL_checktype(L, 6, LUA_TNUMBER);
    ct_transform_set_local_pose_2d(t.core, t.row, &pose, keep);
    return 0;
}

static void put_pose_2d(lua_State *L, ct_manager *core, ct_row row, int table, uint32_t place) {
    double numbers[CT_TRANSFORM_PART_NUMBERS];
    ct_transform_read_part(core, row, CT_TRANSFORM_POSE_2D, numbers);
    for (int i = 0; i < 5; ++i)
        ct_bind_store_number(L, table, (int)place * 5 + i + 1, numbers[i]);
}

// m:read_poses_2d(list or nil [, out]) -> out, with five numbers per entity, and the number of
// entities
static int read_poses_2d(lua_State *L) {
    enum { RESULT = 3 };
    ct_bind_manager *manager = ct_bind_own_self(L);
    const ct_store *store = &manager->core->store;
    bool all = lua_isnoneornil(L, 2);
    uint32_t count = 0, done = 0;
    lua_settop(L, RESULT);
    ct_bind_prepare_table(L, RESULT, 0);
    const ct_entity *list = all ? NULL : ct_bind_pin_entity_array(L, 2, &count);
    // Only table growth from here on, so no finalizer can run.
    for (uint32_t i = 0; i < (all ? ct_store_count(store) : count); ++i) {
        ct_row row = {i};
        if (!all) row = ct_store_find(store, list[i]);
        if (row.i == CT_NO_ROW) return ct_bind_raise_no_row(L, 2, manager, list[i], i + 1);
        ct_entity owner = ct_store_owners(store)[row.i];
        if (all && !ct_entity_manager_alive(store->entities, owner)) continue;
        put_pose_2d(L, manager->core, row, RESULT, done++);
    }
    lua_settop(L, RESULT);
    ct_bind_push_whole(L, done);
    return 2;
}

const ct_bind_method ct_bind_transform_methods[] = {
    {"local_position", ct_bind_get_field, "local_position"},
    {"set_local_position", set_part, "local_position"},
    CT_BIND_FIELD("local_rotation", "set_local_rotation"),
    {"local_scale", ct_bind_get_field, "local_scale"},
    {"set_local_scale", set_part, "local_scale"},
    {"local_angle", local_angle, NULL},
    {"set_local_angle", set_local_angle, NULL},
    {"pose_2d", pose_2d, NULL},
    {"set_local_pose_2d", set_local_pose_2d, NULL},
    {"read_poses_2d", read_poses_2d, NULL},
    {"set_local_pose", set_local_pose, NULL},
    {"local_matrix", local_matrix, NULL},
    {"set_local_matrix", set_local_matrix, NULL},
    {"world_position", world_position, NULL},
    {"set_world_position", set_world_position, NULL},
    {"world_rotation", world_rotation, NULL},
    {"set_world_rotation", set_world_rotation, NULL},
    {"world_angle", world_angle, NULL},
    {"world_scale", world_scale, NULL},
    {"set_world_pose", set_world_pose, NULL},
    {"world_matrix", world_matrix, NULL},
    {"set_world_matrix", set_world_matrix, NULL},
    {NULL, NULL, NULL},
};
