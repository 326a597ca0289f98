// Transform manager: its columns, and the conversion of values.
#include "component/transform.h"

#include "base/message.h"
#include "component/transform_changes.h"
#include "storage/death_trace.h"

#include <string.h>

enum { LOCAL_POSITION, LOCAL_ROTATION, LOCAL_SCALE, LOCAL_MATRIX, WORLD_MATRIX };

static const float one[3] = {1, 1, 1};

static const ct_field fields[] = {
    {.name = "local_position",
     .type = CT_FIELD_VEC3,
     .column = CT_TRANSFORM_POSITION,
     .in_place = true},
    {.name = "local_rotation",
     .type = CT_FIELD_QUAT,
     .column = CT_TRANSFORM_ROTATION,
     .in_place = true,
     .mark = offsetof(ct_transform_marks, turn)},
    {.name = "local_scale",
     .type = CT_FIELD_VEC3,
     .column = CT_TRANSFORM_SCALE,
     .in_place = true,
     .mark = offsetof(ct_transform_marks, turn),
     .uniform = true,
     .preset = one},
    {.name = "local_matrix",
     .type = CT_FIELD_MAT4,
     .computed = true,
     .read_only = true,
     .affine = true},
    {.name = "world_matrix",
     .type = CT_FIELD_MAT4,
     .column = CT_TRANSFORM_WORLD,
     .read_only = true,
     .alone = true,
     .affine = true},
};

static const ct_field inputs[] = {
    {.name = "position", .type = CT_FIELD_VEC3, .planar = true},
    {.name = "rotation", .type = CT_FIELD_QUAT},
    {.name = "angle", .type = CT_FIELD_FLOAT, .excludes = 1u << CT_TRANSFORM_IN_ROTATION},
    {.name = "scale", .type = CT_FIELD_VEC3, .uniform = true, .planar = true, .preset = one},
    {.name = "matrix", .type = CT_FIELD_MAT4, .excludes = (1u << CT_TRANSFORM_IN_MATRIX) - 1},
    {.name = "parent", .type = CT_FIELD_ENTITY, .hierarchy = true},
    {.name = "parent_node", .type = CT_FIELD_STRING, .numbered = true},
};

static const ct_field layout[] = {
    {.name = "local", .type = CT_FIELD_MAT4},
    {.name = "world", .type = CT_FIELD_MAT4, .computed = true}, // from the other columns
    {.name = "rotation", .type = CT_FIELD_QUAT},
    {.name = "scale", .type = CT_FIELD_VEC3},
};

// Returns the number of different items of a value for 'count' rows.
static uint32_t items_in(const ct_values *value, uint32_t count) {
    if (value->items == NULL) return 0;
    return value->stride == 0 ? 1 : count;
}

// ---------------------------------------------------------------- checks

static bool check_parents(const ct_manager *manager, const ct_values *parents, uint32_t count,
                          ct_message *message) {
    for (uint32_t i = 0; i < items_in(parents, count); ++i) {
        ct_entity parent;
        memcpy(&parent, ct_values_item(parents, i), sizeof parent);
        if (parent.id == CT_NOBODY) continue;
        uint32_t index = ct_entity_index(parent), generation = ct_entity_generation(parent);
        if (!ct_entity_manager_alive(manager->store.entities, parent)) {
            ct_message why;
            ct_dead_message(NULL, manager->store.entities, parent, &why);
            return ct_message_set(message, "parent: %s", why.text);
        }
        if (ct_store_find(&manager->store, parent).i == CT_NO_ROW)
            return ct_message_set(message, "parent: entity(%u:%u) has no transform", index,
                                  generation);
    }
    return true;
}

static bool check(const ct_manager *manager, const ct_values *values, uint32_t count,
                  ct_message *message) {
    const ct_values *matrices = &values[CT_TRANSFORM_IN_MATRIX];
    for (uint32_t i = 0; i <= CT_TRANSFORM_IN_MATRIX; ++i) {
        for (uint32_t other = 0; values[i].items != NULL && other < i; ++other) {
            if ((inputs[i].excludes >> other & 1) != 0 && values[other].items != NULL)
                return ct_message_set(message, "%s: not together with %s", inputs[i].name,
                                      inputs[other].name);
        }
    }
    for (uint32_t i = 0; i < items_in(matrices, count); ++i) {
        const float *matrix = ct_values_item(matrices, i);
        if (matrix != NULL && !ct_mat4_is_affine(matrix))
            return ct_message_set(message, "matrix: " CT_AFFINE_MESSAGE);
    }
    return check_parents(manager, &values[CT_TRANSFORM_IN_PARENT], count, message);
}

// Finds the row of the given parent, or CT_NO_ROW. Returns false if a parent is given but has no
// row, because 'check' was not called.
static bool parent_row(const ct_manager *manager, const ct_values *values, uint32_t i,
                       ct_row *out) {
    const void *item = ct_values_item(&values[CT_TRANSFORM_IN_PARENT], i);
    ct_entity parent = {CT_NOBODY};
    if (item != NULL) memcpy(&parent, item, sizeof parent);
    out->i = CT_NO_ROW;
    if (parent.id == CT_NOBODY) return true;
    *out = ct_store_find(&manager->store, parent);
    return out->i != CT_NO_ROW;
}

// ---------------------------------------------------------------- writing

static ct_status fill(ct_manager *manager, ct_row first, uint32_t count, const ct_values *values) {
    ct_row parent;
    for (uint32_t i = 0; i < items_in(&values[CT_TRANSFORM_IN_PARENT], count); ++i) {
        if (!parent_row(manager, values, i, &parent) ||
            (parent.i >= first.i && parent.i != CT_NO_ROW))
            return CT_ERR_DATA;
    }
    ct_status status = ct_transform_make_room(manager);
    if (status != CT_OK) return status;
    // Nothing below this line can fail.
    ct_transforms *transforms = ct_transforms_of(manager);
    ct_transform_arrays t = ct_transform_open(manager);
    float local[16];
    bool composed = values[CT_TRANSFORM_IN_MATRIX].items == NULL;
    for (uint32_t row = first.i; row < first.i + count; ++row)
        ct_transform_clear_links(&t, row);
    ct_transform_flush_deaths(manager);
    for (uint32_t row = first.i; row < first.i + count; ++row) {
        ct_transform_resolve(values, row - first.i, local, t.rotation[row], t.scale[row]);
        ct_transform_put_local(&t, row, local);
        if (composed) t.state[row] = CT_STATE_COMPOSED;
        parent_row(manager, values, row - first.i, &parent);
        if (parent.i != CT_NO_ROW) ct_transform_append(&t, row, parent.i);
        ct_transform_compute_world(&t, row);
        if (transforms->deferred) ct_transform_mark_dirty(transforms, row);
    }
    if (CT_UNLIKELY(transforms->watches != NULL))
        ct_transform_notify_rows(transforms, first.i, count);
    return CT_OK;
}

static ct_status write(ct_manager *manager, uint32_t field, ct_row row, const void *item) {
    switch (field) {
    case LOCAL_POSITION: ct_transform_set_local_position(manager, row, item); return CT_OK;
    case LOCAL_ROTATION: ct_transform_set_local_rotation(manager, row, item); return CT_OK;
    case LOCAL_SCALE: ct_transform_set_local_scale(manager, row, item); return CT_OK;
    case LOCAL_MATRIX: return ct_transform_set_local_matrix(manager, row, item);
    default: return ct_transform_set_world_matrix(manager, row, item);
    }
}

static ct_status assign_parent(ct_manager *manager, ct_row row, ct_row parent,
                               const ct_values *values) {
    const ct_text *text = ct_values_item(&values[CT_TRANSFORM_IN_PARENT_NODE], 0);
    bool given = values[CT_TRANSFORM_IN_PARENT].items != NULL;
    ct_message unread;
    if (text != NULL) {
        ct_row above = given ? parent : ct_transform_parent(manager, row);
        if (above.i == CT_NO_ROW) return CT_ERR_DATA;
        uint32_t node = ct_transform_find_node(manager, above, *text, &unread);
        if (node == CT_NO_NODE) return CT_ERR_DATA;
        return given ? ct_transform_link_node(manager, row, parent, node, false)
                     : ct_transform_reattach(manager, row, node);
    }
    if (parent.i != CT_NO_ROW) return ct_transform_link(manager, row, parent, false);
    if (given) ct_transform_unlink(manager, row, false);
    return CT_OK;
}

// Sets local pose and parent together. Parts that are not given are kept.
static ct_status assign(ct_manager *manager, ct_row row, const ct_values *values, bool created) {
    ct_transform_flush_deaths(manager);
    ct_row parent;
    const float *matrix = ct_values_item(&values[CT_TRANSFORM_IN_MATRIX], 0);
    if (matrix != NULL && !ct_mat4_is_affine(matrix)) return CT_ERR_DATA;
    if (!parent_row(manager, values, 0, &parent)) return CT_ERR_DATA;
    // Linking is first, because it checks for cycles before it changes anything.
    ct_status status = assign_parent(manager, row, parent, values);
    if (status != CT_OK) return status;
    // The world pose of a new row is computed at once, also in deferred mode.
    ct_transforms *transforms = ct_transforms_of(manager);
    const ct_transform_arrays t = ct_transform_open(manager);
    if (created && transforms->deferring) ct_transform_propagate_from(transforms, &t, row.i);
    if (matrix != NULL) return ct_transform_set_local_matrix(manager, row, matrix);

    ct_pose pose;
    ct_transform_local_pose(manager, row, &pose);
    const void *position = ct_values_item(&values[CT_TRANSFORM_IN_POSITION], 0);
    const void *rotation = ct_values_item(&values[CT_TRANSFORM_IN_ROTATION], 0);
    const float *angle = ct_values_item(&values[CT_TRANSFORM_IN_ANGLE], 0);
    const void *scale = ct_values_item(&values[CT_TRANSFORM_IN_SCALE], 0);
    if (position == NULL && rotation == NULL && angle == NULL && scale == NULL) return CT_OK;
    if (position != NULL) memcpy(pose.position, position, sizeof pose.position);
    if (rotation != NULL) memcpy(pose.rotation, rotation, sizeof pose.rotation);
    if (angle != NULL) ct_quat_from_angle(*angle, pose.rotation);
    if (scale != NULL) memcpy(pose.scale, scale, sizeof pose.scale);
    return ct_transform_set_local_pose(manager, row, &pose);
}

static const void *read(ct_manager *manager, uint32_t field, ct_row row) {
    ct_transform_flush_deaths(manager);
    if (field == WORLD_MATRIX) return ct_transform_world_matrix(manager, row);
    if (field == LOCAL_MATRIX) return ct_transform_local_matrix(manager, row);
    ct_transform_resolve_row(ct_transforms_of(manager), row.i);
    return ct_manager_item(manager, &fields[field], row);
}

// The list of dirty rows keeps its memory while changes are deferred.
static size_t memory(ct_manager *manager, ct_memory_task task) {
    ct_transforms *transforms = ct_transforms_of(manager);
    bool spare = task == CT_MEMORY_TRIM && transforms->deferring == 0;
    if (spare || task == CT_MEMORY_FREE) {
        ct_free(manager->store.allocator, transforms->dirty, ct_transform_dirty_bytes(transforms));
        transforms->dirty = NULL;
        transforms->dirty_capacity = 0;
        ct_transform_free_blocks(transforms);
    }
    return ct_transform_dirty_bytes(transforms) + ct_transform_attached_memory(transforms, task) +
           ct_transform_watch_memory(transforms, task) +
           (transforms->blocks != NULL ? ct_transform_block_bytes(transforms->block_rows) : 0);
}

static bool check_spawn(const ct_manager *manager, const ct_spawn *spawn, ct_message *message) {
    if (spawn->parent.id == CT_NOBODY) return true;
    if (ct_entity_manager_alive(manager->store.entities, spawn->parent) &&
        ct_store_find(&manager->store, spawn->parent).i != CT_NO_ROW)
        return true;
    return ct_message_set(message, "parent: it lost its transform while the level was spawned");
}

// In a batch each world pose is computed once.
static ct_status batch(ct_manager *manager, bool begin, const ct_spawn *spawn) {
    if (begin) return ct_transform_begin_batch(manager);
    ct_status status = spawn != NULL ? ct_transform_place_spawned(manager, spawn) : CT_OK;
    ct_transform_end_batch(manager);
    return status;
}

static void init(ct_manager *manager) {
    ct_transforms *transforms = ct_transforms_of(manager);
    manager->deaths_seen = manager->store.entities->tail;
    transforms->marks = (ct_column_marks){.open = &transforms->deferring,
                                          .written = &transforms->written,
                                          .marks = &manager->store.columns.at[CT_TRANSFORM_MARKS],
                                          .blocks = &transforms->blocks};
    manager->marks = &transforms->marks;
    transforms->propagate = ct_transform_choose_propagate();
    ct_entity_map_init(&transforms->attached.map, CT_MAP_HASH);
}

static bool check_layout(const unsigned char *data, const ct_layout_places *places, uint32_t count,
                         const uint32_t *ancestor, ct_message *message) {
    const float *column[3]; // local, world, rotation
    for (int c = 0; c < 3; ++c)
        column[c] = (const float *)(const void *)(data + places->field[c]);
    return ct_transform_check(count, ancestor, column[0], column[1], column[2], message);
}

enum { INPUTS = sizeof inputs / sizeof *inputs };

static const ct_layout late = {.fields = inputs + CT_TRANSFORM_LATE,
                               .field_count = INPUTS - CT_TRANSFORM_LATE};

static const ct_manager_shape shape = {
    .name = CT_TRANSFORM,
    .bytes = sizeof(ct_transforms),
    .widths = (const uint16_t[]){12, 48, 64, 16, 12, 4, 4, 4, 4, 4, 4, 2},
    .column_count = CT_TRANSFORM_COLUMN_END - CT_TRANSFORM_POSITION,
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .inputs = inputs,
    .input_count = CT_TRANSFORM_LATE,
    .late_count = INPUTS - CT_TRANSFORM_LATE,
    .layout = {.fields = layout,
               .field_count = sizeof layout / sizeof *layout,
               .check = check_layout,
               .bake = ct_transform_bake,
               .late = &late,
               .late_name = CT_TRANSFORM_NODES},
};

const ct_manager_type ct_transform_type = {
    .shape = &shape,
    .init = init,
    .check = check,
    .fill = fill,
    .write = write,
    .assign = assign,
    .check_assign = ct_transform_check_node,
    .flush_deaths = ct_transform_flush_deaths,
    .read = read,
    .removing = ct_transform_removing,
    .moved = ct_transform_moved,
    .orphaned = ct_transform_orphaned,
    .get = ct_transform_get_input,
    .check_spawn = check_spawn,
    .spawn = ct_transform_spawn,
    .batch = batch,
    .memory = memory,
    .state = ct_transform_state,
    .save = ct_transform_save,
    .load = ct_transform_load,
    .hash = ct_transform_hash,
    .validate = ct_transform_validate,
};
