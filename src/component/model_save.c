// Node poses of models in a save. Matrices are recomputed by load.
//
//     for each row: u32 node count, u32 shape; for each node: position, rotation, scale
#include "component/model_internal.h"

#include "base/message.h"

#include <string.h>

enum { POSE_FLOATS = 10 };

ct_status ct_model_save(ct_manager *models, const ct_saved_rows *saved, ct_writer *out,
                        ct_message *message) {
    (void)message;
    for (uint32_t i = 0; i < saved->count; ++i) {
        ct_row row = {saved->rows[i]};
        const ct_model_definition *definition = ct_model_definition_of(ct_models_of(models), row);
        uint32_t count = definition->nodes.count;
        ct_writer_u32(out, count);
        ct_writer_u32(out, definition->shape);
        for (uint32_t node = 0; node < count; ++node) {
            ct_pose pose;
            ct_model_node_pose(models, row, node, &pose);
            ct_writer_numbers(out, pose.position, 4, 3);
            ct_writer_numbers(out, pose.rotation, 4, 4);
            ct_writer_numbers(out, pose.scale, 4, 3);
        }
    }
    return out->status;
}

static bool read_node(ct_models *m, uint32_t place, ct_reader *in) {
    float pose[POSE_FLOATS];
    if (!ct_reader_numbers(in, 4, POSE_FLOATS, pose)) return false;
    if (!ct_field_nan_clean(CT_FIELD_FLOAT, pose, POSE_FLOATS) || !ct_quat_is_unit(pose + 3))
        return false;
    float *rotation = ct_node_numbers(&m->pool, CT_NODE_ROTATION, place);
    float *scale = ct_node_numbers(&m->pool, CT_NODE_SCALE, place);
    memcpy(rotation, pose + 3, 4 * sizeof *rotation);
    memcpy(scale, pose + 7, 3 * sizeof *scale);
    ct_mat4_compose(pose, rotation, scale, ct_node_numbers(&m->pool, CT_NODE_LOCAL, place));
    return true;
}

static bool read_row(ct_models *m, ct_row row, ct_reader *in, ct_message *message) {
    const ct_model_definition *definition = ct_model_definition_of(m, row);
    uint32_t first = ct_store_u32(&m->base.store, CT_MODEL_FIRST)[row.i];
    uint32_t count = ct_reader_u32(in), shape = ct_reader_u32(in);
    ct_message_set(message, CT_MODEL ": the save is damaged");
    if (in->damaged) return false;
    if (count != definition->nodes.count || shape != definition->shape)
        return ct_model_refuse_nodes(m, ct_store_u32(&m->base.store, CT_MODEL_RESOURCE)[row.i],
                                     message);
    for (uint32_t node = 0; node < count; ++node) {
        if (!read_node(m, first + node, in)) return false;
    }
    m->base.store.columns.at[CT_MODEL_CHANGED][row.i] = 1;
    return true;
}

ct_status ct_model_load(ct_manager *models, ct_reader *in, ct_message *message) {
    ct_models *m = ct_models_of(models);
    for (ct_row row = {0}; row.i < ct_store_count(&models->store); ++row.i) {
        if (!read_row(m, row, in, message)) return CT_ERR_DATA;
    }
    ct_model_evaluate(models);
    return CT_OK;
}

static ct_status define_like(ct_manager *models, const ct_models *from, ct_text name,
                             const ct_columns *nodes) {
    const ct_allocator *allocator = models->store.allocator;
    size_t bytes = nodes->count * sizeof(ct_model_node);
    ct_model_node *described = ct_alloc(allocator, bytes);
    ct_message unread;
    if (described == NULL) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < nodes->count; ++i) {
        ct_model_node *node = &described[i];
        node->name = ct_string_pool_text(from->base.strings, ct_node_names(nodes)[i]);
        node->parent = ct_node_parents(nodes)[i];
        ct_model_read_pose(nodes, i, &node->pose);
    }
    ct_status status = ct_model_define(models, name, described, nodes->count, 1, &unread);
    ct_free(allocator, described, bytes);
    return status;
}

ct_status ct_model_copy_resources(ct_manager *models, const ct_manager *from) {
    const ct_models *other = ct_models_of(from);
    for (uint32_t ref = 1; ref < from->strings->entry_count; ++ref) {
        uint32_t number = ct_resource_names_number(from, (ct_string){ref});
        if (number == 0) continue;
        ct_text name = ct_string_pool_text(from->strings, (ct_string){ref});
        ct_status status = define_like(models, other, name, &other->definitions[number - 1].nodes);
        if (status != CT_OK) return status;
    }
    return CT_OK;
}
