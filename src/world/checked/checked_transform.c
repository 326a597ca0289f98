// Transform functions for plugins, with checked arguments.
#include "world/checked/checked.h"
#include "world/checked/explained.h"

#include "base/math.h"
#include "component/transform.h"

#include <string.h>

static bool is_transform(const ct_manager *manager, ct_row row) {
    return ct_checked_is(manager, &ct_transform_type, row);
}

static bool may_set(const ct_manager *manager, ct_row row) {
    return is_transform(manager, row) && ct_checked_may_change(manager->store.entities);
}

const float *ct_checked_world_matrix(ct_manager *transforms, ct_row row) {
    return is_transform(transforms, row) ? ct_transform_world_matrix(transforms, row) : NULL;
}

ct_status ct_checked_local_pose(ct_manager *transforms, ct_row row, ct_pose *out) {
    if (!is_transform(transforms, row)) return CT_ERR_DATA;
    ct_transform_local_pose(transforms, row, out);
    return CT_OK;
}

ct_status ct_checked_world_pose(ct_manager *transforms, ct_row row, ct_pose *out) {
    if (!is_transform(transforms, row)) return CT_ERR_DATA;
    ct_transform_world_pose(transforms, row, out);
    return CT_OK;
}

typedef enum part { LOCAL_POSE, WORLD_POSITION, WORLD_ROTATION, WORLD_POSE } part;

static ct_status set(ct_manager *transforms, ct_row row, part what, const void *item) {
    static const uint32_t floats[] = {10, 3, 4, 10};
    ct_pose pose;
    float *numbers = (float *)(void *)&pose;
    CT_ASSERT(item != NULL);
    memcpy(numbers, item, floats[what] * sizeof *numbers);
    ct_floats_clean(numbers, floats[what]);
    switch (what) {
    case LOCAL_POSE: return ct_transform_set_local_pose(transforms, row, &pose);
    case WORLD_POSITION: return ct_transform_set_world_position(transforms, row, numbers);
    case WORLD_ROTATION: return ct_transform_set_world_rotation(transforms, row, numbers);
    default: return ct_transform_set_world_pose(transforms, row, &pose);
    }
}

static ct_status set_one(ct_manager *transforms, ct_row row, part what, const void *item) {
    if (!may_set(transforms, row) || item == NULL) return CT_ERR_DATA;
    return set(transforms, row, what, item);
}

// Sets poses in one batch, so that common descendants are computed once.
static ct_status set_many(ct_manager *transforms, uint32_t count, const ct_row *rows, part what,
                          const ct_values *items, uint32_t *refused) {
    uint32_t failed = 0;
    if (refused != NULL) *refused = 0;
    if (transforms->type != &ct_transform_type ||
        !ct_checked_may_change(transforms->store.entities) || items == NULL || items->items == NULL)
        return CT_ERR_DATA;
    for (uint32_t i = 0; i < count; ++i) {
        if (rows[i].i != CT_NO_ROW && !ct_checked_has_row(transforms, rows[i])) return CT_ERR_DATA;
    }
    ct_status status = ct_transform_begin_batch(transforms);
    if (status != CT_OK) return status;
    // Nothing below this line can fail.
    for (uint32_t i = 0; i < count; ++i) {
        if (rows[i].i != CT_NO_ROW)
            failed += set(transforms, rows[i], what, ct_values_item(items, i)) != CT_OK;
    }
    ct_transform_end_batch(transforms);
    if (refused != NULL) *refused = failed;
    return CT_OK;
}

ct_status ct_checked_set_local_pose(ct_manager *transforms, ct_row row, const ct_pose *pose) {
    return set_one(transforms, row, LOCAL_POSE, pose);
}

ct_status ct_checked_set_world_position(ct_manager *transforms, ct_row row, const float *position) {
    return set_one(transforms, row, WORLD_POSITION, position);
}

ct_status ct_checked_set_world_rotation(ct_manager *transforms, ct_row row, const float *rotation) {
    return set_one(transforms, row, WORLD_ROTATION, rotation);
}

ct_status ct_checked_set_world_pose(ct_manager *transforms, ct_row row, const ct_pose *pose) {
    return set_one(transforms, row, WORLD_POSE, pose);
}

ct_status ct_checked_set_local_poses(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                     const ct_values *poses) {
    return set_many(transforms, count, rows, LOCAL_POSE, poses, NULL);
}

ct_status ct_checked_set_world_positions(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                         const ct_values *positions, uint32_t *refused) {
    return set_many(transforms, count, rows, WORLD_POSITION, positions, refused);
}

ct_status ct_checked_set_world_rotations(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                         const ct_values *rotations, uint32_t *refused) {
    return set_many(transforms, count, rows, WORLD_ROTATION, rotations, refused);
}

ct_status ct_checked_set_world_poses(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                     const ct_values *poses, uint32_t *refused) {
    return set_many(transforms, count, rows, WORLD_POSE, poses, refused);
}

ct_status ct_checked_link(ct_manager *transforms, ct_row child, ct_row parent, bool keep_world) {
    return ct_explained_link(transforms, child, parent, keep_world, NULL);
}

ct_status ct_checked_link_node(ct_manager *transforms, ct_row child, ct_row parent, uint32_t node,
                               bool keep_world) {
    if (!may_set(transforms, child) || !ct_explained_can_be_parent(transforms, parent, NULL))
        return CT_ERR_DATA;
    return ct_transform_link_node(transforms, child, parent, node, keep_world);
}

// Returns a relative of a row, or CT_NO_ROW.
static ct_row relative(ct_manager *transforms, ct_row row,
                       ct_row (*which)(ct_manager *transforms, ct_row row)) {
    return is_transform(transforms, row) ? which(transforms, row) : (ct_row){CT_NO_ROW};
}

ct_row ct_checked_parent(ct_manager *transforms, ct_row row) {
    return relative(transforms, row, ct_transform_parent);
}

ct_row ct_checked_first_child(ct_manager *transforms, ct_row row) {
    return relative(transforms, row, ct_transform_first_child);
}

ct_row ct_checked_next_sibling(ct_manager *transforms, ct_row row) {
    return relative(transforms, row, ct_transform_next_sibling);
}

uint32_t ct_checked_child_count(ct_manager *transforms, ct_row row) {
    return is_transform(transforms, row) ? ct_transform_child_count(transforms, row) : 0;
}

ct_status ct_checked_watch_poses(ct_manager *transforms, uint32_t *watch) {
    *watch = 0;
    return transforms->type == &ct_transform_type ? ct_transform_watch(transforms, watch)
                                                  : CT_ERR_DATA;
}

bool ct_checked_unwatch_poses(ct_manager *transforms, uint32_t watch) {
    return transforms->type == &ct_transform_type && ct_transform_unwatch(transforms, watch);
}

ct_status ct_checked_changed_poses(ct_manager *transforms, uint32_t watch, ct_changed_poses *out) {
    *out = (ct_changed_poses){NULL, 0, false};
    if (transforms->type != &ct_transform_type) return CT_ERR_DATA;
    return ct_transform_changed_poses(transforms, watch, out);
}
