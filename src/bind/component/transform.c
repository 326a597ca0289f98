// Local and world poses of transforms, got and set.
// Knows nothing of how they are linked or computed.
#include "bind/component/transform.h"

#include "base/math.h"
#include "bind/value/pose.h"
#include "component/transform.h"

#include <string.h>

// Arguments as ct_bind_check_item takes them: numbers, or one table.
static const ct_field vec3 = {.name = "vec3", .type = CT_FIELD_VEC3};
static const ct_field quat = {.name = "quat", .type = CT_FIELD_QUAT};
static const ct_field mat4 = {.name = "mat4", .type = CT_FIELD_MAT4};

static void check_affine(lua_State *L, int arg, float *matrix) {
    ct_bind_check_item(L, arg, &mat4, matrix);
    if (ct_mat4_is_affine(matrix)) return;
    lua_pushliteral(L, "numbers 4, 8, 12 and 16 must be 0, 0, 0 and 1");
    ct_bind_arg_error(L, arg);
}

static int raise_no_pose(lua_State *L, ct_manager *core, ct_row row) {
    ct_row parent = ct_transform_parent(core, row);
    return ct_bind_raise_no_inverse(L, 2, ct_store_owners(&core->store)[parent.i]);
}

// ---------------------------------------------------------------- local poses

static int local_angle(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row row = ct_bind_check_target(L, 2, manager);
    ct_pose pose;
    ct_transform_local_pose(manager->core, row, &pose);
    lua_pushnumber(L, ct_quat_angle(pose.rotation));
    return 1;
}

static int local_matrix(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row row = ct_bind_check_target(L, 2, manager);
    ct_bind_check_out(L, 3);
    return ct_bind_push_matrix(L, ct_transform_local_matrix(manager->core, row), 3);
}

static int set_local_angle(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row row = ct_bind_check_live_target(L, 2, manager);
    ct_transform_set_local_angle(manager->core, row, ct_bind_check_float(L, 3));
    return 0;
}

static int set_local_pose(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row row = ct_bind_check_live_target(L, 2, manager);
    ct_pose pose;
    ct_bind_check_pose(L, 3, &pose);
    ct_transform_set_local_pose(manager->core, row, &pose);
    return 0;
}

static int set_local_matrix(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row row = ct_bind_check_live_target(L, 2, manager);
    float matrix[16];
    check_affine(L, 3, matrix);
    ct_transform_set_local_matrix(manager->core, row, matrix);
    return 0;
}

// ---------------------------------------------------------------- world poses

static void world_pose(lua_State *L, ct_pose *out) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row row = ct_bind_check_target(L, 2, manager);
    ct_transform_world_pose(manager->core, row, out);
}

static int world_position(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row row = ct_bind_check_target(L, 2, manager);
    return ct_bind_push_floats(L, ct_transform_world_matrix(manager->core, row) + 12, 3);
}

static int world_rotation(lua_State *L) {
    ct_pose pose;
    world_pose(L, &pose);
    return ct_bind_push_floats(L, pose.rotation, 4);
}

static int world_angle(lua_State *L) {
    ct_pose pose;
    world_pose(L, &pose);
    lua_pushnumber(L, ct_quat_angle(pose.rotation));
    return 1;
}

static int world_scale(lua_State *L) {
    ct_pose pose;
    world_pose(L, &pose);
    return ct_bind_push_floats(L, pose.scale, 3);
}

static int world_matrix(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row row = ct_bind_check_target(L, 2, manager);
    ct_bind_check_out(L, 3);
    return ct_bind_push_matrix(L, ct_transform_world_matrix(manager->core, row), 3);
}

static int set_world_position(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row row = ct_bind_check_live_target(L, 2, manager);
    float position[3];
    ct_bind_check_item(L, 3, &vec3, position);
    if (ct_transform_set_world_position(manager->core, row, position) != CT_OK)
        return raise_no_pose(L, manager->core, row);
    return 0;
}

static int set_world_rotation(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row row = ct_bind_check_live_target(L, 2, manager);
    float rotation[4];
    ct_bind_check_item(L, 3, &quat, rotation);
    if (ct_transform_set_world_rotation(manager->core, row, rotation) != CT_OK)
        return raise_no_pose(L, manager->core, row);
    return 0;
}

static int set_world_pose(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row row = ct_bind_check_live_target(L, 2, manager);
    ct_pose pose;
    ct_bind_check_pose(L, 3, &pose);
    if (ct_transform_set_world_pose(manager->core, row, &pose) != CT_OK)
        return raise_no_pose(L, manager->core, row);
    return 0;
}

static int set_world_matrix(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row row = ct_bind_check_live_target(L, 2, manager);
    float matrix[16];
    check_affine(L, 3, matrix);
    if (ct_transform_set_world_matrix(manager->core, row, matrix) != CT_OK)
        return raise_no_pose(L, manager->core, row);
    return 0;
}

// ---------------------------------------------------------------- get

static void set_array(lua_State *L, const char *name, const float *numbers, int count) {
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; ++i) {
        lua_pushnumber(L, numbers[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, name);
}

// m:get(target) -> what create takes: position, rotation and scale, or matrix if sheared; parent
static int get(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row row = ct_bind_check_target(L, 2, manager);
    // All is read before the first table is made: that may run finalizers.
    ct_manager *core = manager->core;
    ct_pose pose;
    float matrix[16];
    ct_transform_local_pose(core, row, &pose);
    memcpy(matrix, ct_transform_local_matrix(core, row), sizeof matrix);
    bool sheared = ct_transform_is_sheared(core, row);
    ct_row parent = ct_transform_parent(core, row);
    ct_entity above = {CT_NOBODY};
    if (parent.i != CT_NO_ROW) above = ct_store_owners(&core->store)[parent.i];
    lua_createtable(L, 0, 4);
    if (sheared) {
        set_array(L, "matrix", matrix, 16);
    } else {
        set_array(L, "position", pose.position, 3);
        set_array(L, "rotation", pose.rotation, 4);
        set_array(L, "scale", pose.scale, 3);
    }
    ct_bind_push_entity(L, above);
    lua_setfield(L, -2, "parent");
    return 1;
}

const luaL_Reg ct_bind_transform_methods[] = {
    {"get", get},
    {"local_angle", local_angle},
    {"local_matrix", local_matrix},
    {"set_local_angle", set_local_angle},
    {"set_local_pose", set_local_pose},
    {"set_local_matrix", set_local_matrix},
    {"world_position", world_position},
    {"world_rotation", world_rotation},
    {"world_angle", world_angle},
    {"world_scale", world_scale},
    {"world_matrix", world_matrix},
    {"set_world_position", set_world_position},
    {"set_world_rotation", set_world_rotation},
    {"set_world_pose", set_world_pose},
    {"set_world_matrix", set_world_matrix},
    {"link", ct_bind_transform_link},
    {"unlink", ct_bind_transform_unlink},
    {"parent", ct_bind_transform_parent},
    {"first_child", ct_bind_transform_first_child},
    {"next_sibling", ct_bind_transform_next_sibling},
    {"prev_sibling", ct_bind_transform_prev_sibling},
    {"root", ct_bind_transform_root},
    {"depth", ct_bind_transform_depth},
    {"children", ct_bind_transform_children},
    {"destroy_tree", ct_bind_transform_destroy_tree},
    {"batch", ct_bind_transform_batch},
    {"set_mode", ct_bind_transform_set_mode},
    {"propagate", ct_bind_transform_propagate},
    {"dirty_count", ct_bind_transform_dirty_count},
    {"sort", ct_bind_transform_sort},
    {NULL, NULL},
};
