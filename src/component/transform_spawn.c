// Transforms in compiled resources: baking and spawning.
#include "base/arena.h"
#include "component/transform_changes.h"
#include "storage/layout.h"

#include <string.h>

enum { LAYOUT_LOCAL, LAYOUT_WORLD, LAYOUT_ROTATION, LAYOUT_SCALE };

bool ct_transform_bake(const ct_values *values, uint32_t i, uint32_t ancestor, void *const *columns,
                       struct ct_arena *arena) {
    (void)arena;
    float(*local)[16] = columns[LAYOUT_LOCAL], (*world)[16] = columns[LAYOUT_WORLD];
    float(*rotation)[4] = columns[LAYOUT_ROTATION], (*scale)[3] = columns[LAYOUT_SCALE];
    ct_transform_resolve(values, 0, local[i], rotation[i], scale[i]);
    if (ancestor == CT_NO_ROW)
        memcpy(world[i], local[i], sizeof world[i]);
    else
        ct_mat4_product(world[ancestor], local[i], world[i]);
    return true;
}

// Finds the row that the children of each entity of the resource link to: its own, or that of the
// nearest ancestor with a transform. 'nearest' has room for every entity.
static void find_nearest(const ct_spawn *spawn, uint32_t first, uint32_t *nearest) {
    uint32_t instance = 0;
    for (uint32_t e = 0; e < spawn->entity_count; ++e) {
        if (instance < spawn->num_instances && spawn->entity_index[instance] == e)
            nearest[e] = first + instance++;
        else
            nearest[e] =
                spawn->parent_index[e] != CT_NO_ROW ? nearest[spawn->parent_index[e]] : CT_NO_ROW;
    }
}

static void clear_links(const ct_transform_arrays *t, uint32_t first, uint32_t count) {
    size_t bytes = count * sizeof *t->parent;
    uint32_t *const columns[] = {t->parent, t->first, t->last, t->next, t->prev};
    for (int c = 0; c < 5; ++c)
        memset(columns[c] + first, 0xFF, bytes); // CT_NO_ROW
    memset(t->state + first, 0, bytes);
    memset(t->marks + first, 0, count * sizeof *t->marks);
}

// Links the new rows. 'nearest' is NULL if every entity has a transform. Roots are linked to
// 'under'.
static void link_rows(const ct_transform_arrays *t, const ct_spawn *spawn, uint32_t first,
                      const uint32_t *nearest, uint32_t under) {
    for (uint32_t i = 0; i < spawn->num_instances; ++i) {
        uint32_t above = spawn->parent_index[spawn->entity_index[i]];
        uint32_t parent = CT_NO_ROW;
        if (above != CT_NO_ROW) parent = nearest != NULL ? nearest[above] : first + above;
        if (parent == CT_NO_ROW) parent = under;
        if (parent != CT_NO_ROW) ct_transform_append(t, first + i, parent);
    }
}

static bool are_equal(const float *a, const float *b, size_t count) {
    bool equal = true;
    for (size_t i = 0; i < count; ++i)
        equal &= a[i] == b[i];
    return equal;
}

// Returns whether the local pose of a row is the identity: then the spawn's pose replaces it.
static bool is_identity(const ct_transform_arrays *t, uint32_t row) {
    return are_equal(t->axes[row], ct_mat4_identity, 12) &&
           are_equal(t->position[row], ct_pose_identity.position, 3) &&
           are_equal(t->rotation[row], ct_pose_identity.rotation, 4) &&
           are_equal(t->scale[row], ct_pose_identity.scale, 3);
}

// Multiplies 'pose' from the left with the local pose of a new root.
static void move_root(const ct_transform_arrays *t, uint32_t row, const ct_pose *pose,
                      const float *turn, const float *matrix) {
    float rotation[4], scale[3], local[16];
    if (is_identity(t, row)) {
        ct_transform_put_local(t, row, matrix);
        memcpy(t->rotation[row], turn, sizeof *t->rotation);
        for (int j = 0; j < 3; ++j)
            t->scale[row][j] = ct_float_clean(pose->scale[j]);
        t->state[row] |= CT_STATE_COMPOSED;
        return;
    }
    ct_quat_product(turn, t->rotation[row], rotation);
    ct_quat_normalize(rotation, rotation);
    for (int j = 0; j < 3; ++j)
        scale[j] = ct_float_clean(pose->scale[j] * t->scale[row][j]);
    ct_transform_world_below(t, matrix, row, local);
    ct_transform_put_any_local(t, row, local);
    // A uniform scale commutes with a rotation; any other scale needs a decomposition.
    if (pose->scale[0] != pose->scale[1] || pose->scale[1] != pose->scale[2])
        ct_mat4_decompose(local, rotation, scale, rotation, scale);
    memcpy(t->rotation[row], rotation, sizeof rotation);
    memcpy(t->scale[row], scale, sizeof scale);
}

static void compose_pose(const ct_pose *pose, float *turn, float *matrix) {
    if (are_equal(pose->rotation, ct_pose_identity.rotation, 4) &&
        are_equal(pose->scale, ct_pose_identity.scale, 3)) { // as copies often have it
        memcpy(turn, ct_pose_identity.rotation, sizeof ct_pose_identity.rotation);
        memcpy(matrix, ct_mat4_identity, sizeof ct_mat4_identity);
        for (int j = 0; j < 3; ++j)
            matrix[12 + j] = ct_float_clean(pose->position[j]);
        return;
    }
    ct_quat_normalize(pose->rotation, turn);
    ct_mat4_compose(pose->position, turn, pose->scale, matrix);
}

// Computes world matrices. Ancestors precede descendants, so one pass is enough.
static void place_rows(const ct_transform_arrays *t, uint32_t first, uint32_t count,
                       const ct_pose *pose, uint32_t under) {
    float turn[4] = {0, 0, 0, 1}, matrix[16];
    if (pose != NULL) compose_pose(pose, turn, matrix);
    for (uint32_t row = first; row < first + count; ++row) {
        if (pose != NULL && ct_transform_above(t, row) == under)
            move_root(t, row, pose, turn, matrix);
        ct_transform_compute_world(t, row);
    }
}

// Links and places the rows, copy by copy. 'nearest' has room for the entities of one copy, or is
// NULL if every entity has a transform.
static void hang_and_place(const ct_transform_arrays *t, const ct_spawn *spawn, uint32_t first,
                           uint32_t *nearest, uint32_t under) {
    bool placed = spawn->pose != NULL || spawn->parent.id != CT_NOBODY;
    ct_spawn one = ct_spawn_copy(spawn, 0);
    clear_links(t, first, spawn->num_instances);
    for (uint32_t copy = 0; copy < spawn->copies; ++copy, ct_spawn_next(spawn, &one)) {
        if (nearest != NULL) find_nearest(&one, first, nearest);
        link_rows(t, &one, first, nearest, under);
        if (placed) place_rows(t, first, one.num_instances, one.pose, under);
        first += one.num_instances;
    }
}

// Allocates one number for each entity of a copy.
static uint32_t *take_nearest(const ct_spawn *spawn) {
    return ct_scratch_take(spawn->scratch, spawn->entity_count / spawn->copies * sizeof(uint32_t));
}

ct_status ct_transform_spawn(ct_manager *manager, const ct_spawn *spawn) {
    ct_layout_places places;
    uint32_t count = spawn->num_instances, *nearest = NULL, under = CT_NO_ROW;
    bool parented = spawn->parent.id != CT_NOBODY;
    if (!ct_layout_place(&manager->shape->layout, count, &places)) return CT_ERR_DATA;
    if (parented && ct_store_find(&manager->store, spawn->parent).i == CT_NO_ROW)
        return CT_ERR_DATA;
    ct_transform_flush_deaths(manager);
    if (count != spawn->entity_count) {
        nearest = take_nearest(spawn);
        if (nearest == NULL) return CT_ERR_MEMORY;
    }
    ct_row first;
    ct_status status = ct_manager_spawn_rows(manager, spawn, &first);
    if (status == CT_OK && count > 0) {
        status = ct_transform_make_room(manager);
        if (status != CT_OK) ct_store_rollback(&manager->store, count);
    }
    if (status != CT_OK || count == 0) return status;
    // Nothing below this line can fail.
    ct_transform_arrays t = ct_transform_open(manager);
    const float *local = (const float *)(const void *)(spawn->data + places.field[LAYOUT_LOCAL]);
    for (uint32_t i = 0; i < count; ++i)
        ct_transform_put_local(&t, first.i + i, local + (size_t)i * 16);
    memcpy(t.rotation[first.i], spawn->data + places.field[LAYOUT_ROTATION],
           count * sizeof *t.rotation);
    memcpy(t.scale[first.i], spawn->data + places.field[LAYOUT_SCALE], count * sizeof *t.scale);
    // Looked up here because making room may have moved rows.
    if (parented) under = ct_store_find(&manager->store, spawn->parent).i;
    if (spawn->pose == NULL && !parented)
        memcpy(t.world[first.i], spawn->data + places.field[LAYOUT_WORLD], count * sizeof *t.world);
    hang_and_place(&t, spawn, first.i, nearest, under);
    const ct_transforms *transforms = ct_transforms_of(manager);
    if (CT_UNLIKELY(transforms->watches != NULL))
        ct_transform_notify_rows(transforms, first.i, count);
    return CT_OK;
}

// Links each row to its nearest ancestor with a transform, or to 'under', if its parent differs.
static ct_status relink(ct_manager *manager, const ct_spawn *spawn, uint32_t under,
                        uint32_t *nearest) {
    ct_transform_arrays t = ct_transform_open(manager);
    for (uint32_t e = 0; e < spawn->entity_count; ++e) {
        uint32_t parent = spawn->parent_index[e];
        uint32_t above = parent == CT_NO_ROW ? under : nearest[parent];
        ct_row own = ct_store_find(&manager->store, spawn->entity_lookup[e]);
        nearest[e] = own.i != CT_NO_ROW ? own.i : above;
        if (own.i == CT_NO_ROW || ct_transform_above(&t, own.i) == above) continue;
        ct_status status = CT_OK;
        if (above == CT_NO_ROW)
            ct_transform_unlink(manager, own, false);
        else
            status = ct_transform_link(manager, own, (ct_row){above}, false);
        if (status != CT_OK) return status;
    }
    return CT_OK;
}

// Composes a copy's pose with the local poses of its roots, and marks the changes.
static void place_roots(ct_manager *manager, const ct_spawn *spawn, uint32_t under) {
    const ct_transforms *transforms = ct_transforms_of(manager);
    ct_transform_arrays t = ct_transform_open(manager);
    float turn[4], matrix[16];
    if (spawn->pose != NULL) compose_pose(spawn->pose, turn, matrix);
    for (uint32_t e = 0; e < spawn->entity_count; ++e) {
        ct_row row = ct_store_find(&manager->store, spawn->entity_lookup[e]);
        if (row.i == CT_NO_ROW || ct_transform_above(&t, row.i) != under) continue;
        if (spawn->pose != NULL) move_root(&t, row.i, spawn->pose, turn, matrix);
        ct_transform_changed(manager, row);
        // New rows have a world pose at once, also if other world poses are computed later.
        if (transforms->deferred || transforms->batches > 1)
            ct_transform_propagate_from(transforms, &t, row.i);
    }
}

ct_status ct_transform_place_spawned(ct_manager *manager, const ct_spawn *spawn) {
    ct_transforms *transforms = ct_transforms_of(manager);
    uint32_t under = CT_NO_ROW;
    CT_ASSERT(transforms->batches > 0);
    if (spawn->entity_count == 0) return CT_OK;
    uint32_t *nearest = take_nearest(spawn);
    if (nearest == NULL) return CT_ERR_MEMORY;
    ct_transform_flush_deaths(manager);
    ct_transform_resolve_all(transforms);
    if (spawn->parent.id != CT_NOBODY) under = ct_store_find(&manager->store, spawn->parent).i;
    ct_status status = CT_OK;
    for (uint32_t copy = 0; copy < spawn->copies && status == CT_OK; ++copy) {
        const ct_spawn one = ct_spawn_copy(spawn, copy);
        status = relink(manager, &one, under, nearest);
    }
    if (status != CT_OK) return status;
    // Nothing below this line can fail.
    for (uint32_t copy = 0; copy < spawn->copies; ++copy) {
        const ct_spawn one = ct_spawn_copy(spawn, copy);
        place_roots(manager, &one, under);
    }
    return CT_OK;
}
