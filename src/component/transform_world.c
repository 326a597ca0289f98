// World poses of transforms: getters, and setters by way of the local pose.
#include "component/transform_changes.h"

#include <math.h>
#include <string.h>

// Finds the first row, from 'row' up, with a world matrix that has no axis of length 0, or the
// root. Returns it and writes its rotation. Below a scale of zero matrices do not determine
// rotations.
static uint32_t nearest_ancestor_with_rotation(const ct_manager *manager, uint32_t row,
                                               float *rotation) {
    ct_transform_arrays t = ct_transform_open(manager);
    float room[16], unused[3];
    const float *world = ct_transform_current_world(manager, row, room);
    while (ct_transform_is_flat(world) && t.parent[row] != CT_NO_ROW) {
        row = ct_transform_above(&t, row);
        world = ct_transform_current_world(manager, row, room);
    }
    memcpy(rotation, t.rotation[row], sizeof t.rotation[row]);
    if (!ct_transform_is_flat(world))
        ct_mat4_decompose(world, rotation, t.scale[row], rotation, unused);
    return row;
}

// Multiplies the local rotations from 'row', then 'parent', up to 'top', which has the rotation
// 'above'.
static void accumulate_rotation(const ct_transform_arrays *t, uint32_t row, uint32_t parent,
                                uint32_t top, const float *above, float *rotation) {
    memcpy(rotation, ct_quat_identity, sizeof ct_quat_identity);
    for (uint32_t at = row; at != top; at = at == row ? parent : ct_transform_above(t, at)) {
        ct_quat_product(t->rotation[at], rotation, rotation);
        if (ct_transform_is_attached(t, at)) ct_transform_turn_by_node(t, at, rotation);
    }
    ct_quat_product(above, rotation, rotation);
    ct_quat_normalize(rotation, rotation);
}

// In deferred mode the parts of a dirty row are newer than its world matrix.
static bool is_ahead(const ct_manager *manager, uint32_t row) {
    const ct_transforms *transforms = ct_transforms_of(manager);
    return transforms->deferred && (ct_transform_open(manager).state[row] & CT_STATE_PLACE) != 0;
}

// Computes the rotation and scale nearest to the world matrix of a row. O(1), or O(depth) below a
// scale of zero.
static void world_parts(const ct_manager *manager, ct_row row, float *rotation, float *scale) {
    ct_transform_arrays t = ct_transform_open(manager);
    bool ahead = is_ahead(manager, row.i);
    if (t.parent[row.i] == CT_NO_ROW && !ahead) {
        memcpy(rotation, t.rotation[row.i], sizeof t.rotation[row.i]);
        memcpy(scale, t.scale[row.i], sizeof t.scale[row.i]);
        return;
    }
    float room[16], like[4] = {0, 0, 0, 1}, above[4];
    const float *own = ct_transform_current_world(manager, row.i, room);
    if (ct_transform_is_flat(own) || t.parent[row.i] == CT_NO_ROW) {
        uint32_t top = nearest_ancestor_with_rotation(manager, row.i, above);
        accumulate_rotation(&t, row.i, ct_transform_above(&t, row.i), top, above, like);
    }
    ct_mat4_decompose(own, like, ahead ? NULL : t.scale[row.i], rotation, scale);
}

void ct_transform_keep_world_as_root(ct_manager *manager, ct_row row) {
    ct_transform_arrays t = ct_transform_open(manager);
    float room[16];
    const float *world = ct_transform_current_world(manager, row.i, room);
    world_parts(manager, row, t.rotation[row.i], t.scale[row.i]);
    ct_transform_put_any_local(&t, row.i, world);
}

// Computes the members that every child reads, for the first child.
static void look_at_parent(ct_manager *manager, ct_detach_context *parent) {
    const float *s = parent->scale;
    parent->world = ct_transform_current_world(manager, parent->row, parent->room);
    world_parts(manager, (ct_row){parent->row}, parent->rotation, parent->scale);
    float off = fabsf(s[1] - s[0]) + fabsf(s[2] - s[0]);
    parent->even = s[0] > 0.0f && off <= 1e-6f * s[0] &&
                   !ct_mat4_is_sheared(parent->world, parent->rotation, parent->scale);
}

void ct_transform_detach_keep_world(ct_manager *manager, uint32_t row, ct_detach_context *parent) {
    const ct_transforms *transforms = ct_transforms_of(manager);
    ct_transform_arrays t = ct_transform_open(manager);
    bool dirty = (t.state[row] & CT_STATE_PLACE) != 0;
    float room[16], like[4] = {0, 0, 0, 1};
    const float *world = t.world[row];
    if (parent->world == NULL) look_at_parent(manager, parent);
    // Computed like ct_transform_current_world, so that the bits are equal.
    if (!transforms->deferred && (dirty || parent->world == parent->room)) {
        ct_transform_world_under(&t, parent->world, row, room);
        world = room;
    }
    // A uniform scale commutes with a rotation. In deferred mode the world pose of a dirty row does
    // not match its local pose.
    bool simple = parent->even && (t.state[row] & CT_STATE_COMPOSED) != 0;
    if (simple && !(transforms->deferred && dirty) && !ct_transform_is_attached(&t, row)) {
        ct_quat_product(parent->rotation, t.rotation[row], t.rotation[row]);
        ct_quat_normalize(t.rotation[row], t.rotation[row]);
        for (int j = 0; j < 3; ++j)
            t.scale[row][j] = ct_float_clean(parent->scale[0] * t.scale[row][j]);
        ct_transform_put_any_local(&t, row, world);
        return;
    }
    if (ct_transform_is_flat(world)) {
        if (parent->top == CT_NO_ROW)
            parent->top = nearest_ancestor_with_rotation(manager, parent->row, parent->above);
        accumulate_rotation(&t, row, parent->row, parent->top, parent->above, like);
    }
    ct_mat4_decompose(world, like, transforms->deferred && dirty ? NULL : t.scale[row],
                      t.rotation[row], t.scale[row]);
    ct_transform_put_any_local(&t, row, world);
}

ct_status ct_transform_keep_world_under(ct_manager *manager, ct_row row, ct_row parent,
                                        const float *node) {
    ct_transform_arrays t = ct_transform_open(manager);
    float local[16], like[4] = {0, 0, 0, 1}, above[4], turn[4], unused[3], room[2][16];
    const float *base = ct_transform_current_world(manager, parent.i, room[0]);
    if (node != NULL) {
        ct_mat4_product(base, node, room[0]);
        base = room[0];
    }
    if (!ct_mat4_solve(base, ct_transform_current_world(manager, row.i, room[1]), local))
        return CT_ERR_DATA;
    if (ct_transform_is_flat(local)) {
        world_parts(manager, row, like, unused);
        world_parts(manager, parent, above, unused);
        if (node != NULL) {
            ct_mat4_decompose(node, NULL, NULL, turn, unused);
            ct_quat_product(above, turn, above);
        }
        for (int i = 0; i < 3; ++i)
            above[i] = -above[i];
        ct_quat_product(above, like, like);
        ct_quat_normalize(like, like);
    }
    ct_mat4_decompose(local, like, t.scale[row.i], t.rotation[row.i], t.scale[row.i]);
    ct_transform_put_any_local(&t, row.i, local);
    return CT_OK;
}

// ---------------------------------------------------------------- getting

const float *ct_transform_world_matrix(ct_manager *manager, ct_row row) {
    // Deaths are not flushed: a world matrix does not change when a parent dies. In a batch dead
    // parents may be among the ancestors.
    return ct_transform_current_world(manager, row.i, ct_transforms_of(manager)->current);
}

void ct_transform_world_pose(ct_manager *manager, ct_row row, ct_pose *out) {
    ct_transform_flush_deaths(manager);
    ct_transform_resolve_all(ct_transforms_of(manager));
    memcpy(out->position, ct_transform_world_matrix(manager, row) + 12, sizeof out->position);
    world_parts(manager, row, out->rotation, out->scale);
}

// ---------------------------------------------------------------- setting

// Returns the matrix that the local pose of a row with a parent is relative to, as getters return
// it.
static const float *current_base(const ct_manager *manager, uint32_t row, float *room) {
    ct_transform_arrays t = ct_transform_open(manager);
    const float *above = ct_transform_current_world(manager, ct_transform_above(&t, row), room);
    return ct_transform_base_of(&t, above, row, room);
}

ct_status ct_transform_set_world_position(ct_manager *manager, ct_row row, const float *position) {
    ct_transform_arrays t = ct_transform_open_current(manager);
    uint32_t parent = ct_transform_above(&t, row.i);
    float local[3], room[16];
    memcpy(local, position, sizeof local);
    if (parent != CT_NO_ROW &&
        !ct_mat4_solve_point(current_base(manager, row.i, room), position, local))
        return CT_ERR_DATA;
    ct_transform_set_local_position(manager, row, local);
    return CT_OK;
}

ct_status ct_transform_set_world_matrix(ct_manager *manager, ct_row row, const float *matrix) {
    if (!ct_mat4_is_affine(matrix)) return CT_ERR_DATA;
    ct_transform_arrays t = ct_transform_open_current(manager);
    uint32_t parent = ct_transform_above(&t, row.i);
    float local[16], room[16];
    memcpy(local, matrix, sizeof local);
    if (parent != CT_NO_ROW && !ct_mat4_solve(current_base(manager, row.i, room), matrix, local))
        return CT_ERR_DATA;
    return ct_transform_set_local_matrix(manager, row, local);
}

static bool is_near(const float *scale, const float *other) {
    float off = 0, size = 0;
    for (int j = 0; j < 3; ++j) {
        off += fabsf(scale[j] - other[j]);
        size += fabsf(other[j]);
    }
    return off <= 1e-5f * size;
}

// Sets the local pose that results in a world rotation and scale, and in a world position unless it
// is NULL, below a parent. If the local pose can have 'kept_scale', it replaces the computed scale,
// so that no rounding errors accumulate.
static ct_status set_below(ct_manager *manager, ct_row row, const float *position,
                           const float *rotation, const float *scale, const float *kept_scale) {
    ct_transform_arrays t = ct_transform_open(manager);
    float local[16], world[16], turn[4], size[3], full[3], room[2][16];
    const float *above = current_base(manager, row.i, room[0]);
    const float *now = ct_transform_current_world(manager, row.i, room[1]);
    // An axis of length 0 is computed with length 1 and set to 0 at the end.
    for (int j = 0; j < 3; ++j)
        full[j] = scale[j] != 0.0f ? scale[j] : 1.0f;
    ct_mat4_compose(position != NULL ? position : now + 12, rotation, full, world);
    if (!ct_mat4_solve(above, world, local)) return CT_ERR_DATA;
    if (position == NULL) memcpy(local + 12, t.position[row.i], sizeof t.position[row.i]);
    ct_mat4_decompose(local, NULL, kept_scale != NULL ? kept_scale : scale, turn, size);
    bool sheared = ct_mat4_is_sheared(local, turn, size);
    for (size_t j = 0; j < 3; ++j) {
        if (scale[j] != 0.0f) continue;
        size[j] = 0;
        local[4 * j] = local[4 * j + 1] = local[4 * j + 2] = 0;
    }
    if (!sheared && kept_scale != NULL && is_near(size, kept_scale))
        memcpy(size, kept_scale, sizeof size);
    memcpy(t.rotation[row.i], turn, sizeof turn);
    memcpy(t.scale[row.i], size, sizeof size);
    if (!sheared) ct_mat4_compose(local + 12, turn, size, local);
    ct_transform_put_any_local(&t, row.i, local);
    if (!sheared) t.state[row.i] |= CT_STATE_COMPOSED;
    ct_transform_changed(manager, row);
    return CT_OK;
}

ct_status ct_transform_set_world_rotation(ct_manager *manager, ct_row row, const float *rotation) {
    ct_transform_arrays t = ct_transform_open_row(manager, row);
    if (t.parent[row.i] == CT_NO_ROW) {
        ct_transform_set_local_rotation(manager, row, rotation);
        return CT_OK;
    }
    float wanted[4], now[4], scale[3], kept[3], room[16];
    ct_quat_normalize(rotation, wanted);
    world_parts(manager, row, now, scale);
    memcpy(kept, t.scale[row.i], sizeof kept);
    // The kept scale determines which axes are mirrored.
    if (is_ahead(manager, row.i))
        ct_mat4_decompose(ct_transform_current_world(manager, row.i, room), now, kept, now, scale);
    return set_below(manager, row, NULL, wanted, scale, kept);
}

ct_status ct_transform_set_world_pose(ct_manager *manager, ct_row row, const ct_pose *pose) {
    ct_transform_arrays t = ct_transform_open_row(manager, row);
    if (t.parent[row.i] == CT_NO_ROW) return ct_transform_set_local_pose(manager, row, pose);
    ct_pose wanted = *pose;
    ct_quat_normalize(pose->rotation, wanted.rotation);
    return set_below(manager, row, wanted.position, wanted.rotation, wanted.scale, NULL);
}

bool ct_transform_root_pose(ct_manager *manager, ct_row row, ct_pose *pose, float *matrix) {
    ct_transform_world_pose(manager, row, pose);
    memcpy(matrix, ct_transform_world_matrix(manager, row), 16 * sizeof *matrix);
    return !ct_mat4_is_sheared(matrix, pose->rotation, pose->scale);
}
