// Models of a host: definitions, and the nodes of entities.
#include "component/model.h"

#include "component/transform.h"
#include "host/host_internal.h"
#include "world/placement.h"

ct_status ct_host_define_model(ct_host_entities *host, ct_host_world world, const char *name,
                               uint32_t count, const ct_host_node *nodes) {
    ct_message why = {""};
    ct_manager *models = ct_slot_named(host, world, CT_MODEL, name);
    if (models == NULL) return CT_ERR_DATA;
    ct_scratch scratch;
    ct_scratch_init(&scratch, &host->allocator);
    ct_model_node *copies = ct_scratch_take(&scratch, (count + (size_t)1) * sizeof *copies);
    for (uint32_t i = 0; copies != NULL && i < count; ++i)
        copies[i] = (ct_model_node){ct_slot_text(nodes[i].name), nodes[i].parent, nodes[i].pose};
    ct_status status = CT_ERR_MEMORY;
    if (copies != NULL)
        status = ct_model_define(models, ct_slot_text(name), copies, count, 0, &why);
    ct_scratch_free(&scratch);
    if (status == CT_ERR_FULL) ct_message_set(&why, "too many names");
    if (why.text[0] != '\0') ct_message_set(&host->message, "model '%s': %s", name, why.text);
    return ct_slot_status(host, status);
}

ct_status ct_host_evaluate(ct_host_entities *host, ct_host_world world) {
    ct_manager *models = NULL;
    if (ct_slots_may_edit(host)) models = ct_slot_builtin(host, world, CT_MODEL);
    if (models == NULL) return CT_ERR_DATA;
    ct_model_evaluate(models);
    return CT_OK;
}

ct_manager *ct_slot_node(ct_host_entities *host, ct_host_world world, ct_entity e, uint32_t node,
                         ct_row *row) {
    ct_manager *models = ct_slot_builtin_row(host, world, CT_MODEL, e, row);
    if (models == NULL) return NULL;
    uint32_t count = ct_model_node_count(models, *row);
    if (node < count) return models;
    (void)ct_slot_fail(host, "the model has %u nodes, got node %u", count, node);
    return NULL;
}

ct_status ct_host_nodes_of(ct_host_entities *host, ct_host_world world, ct_entity e,
                           ct_host_nodes *out) {
    ct_row row;
    const ct_manager *models = ct_slot_node(host, world, e, 0, &row);
    if (models == NULL) return CT_ERR_DATA;
    const ct_host_nodes result = {.count = ct_model_node_count(models, row),
                                  .matrices = ct_model_node_matrix(models, row, 0)};
    return ct_slot_result(host, out, &result, sizeof result);
}

ct_status ct_host_find_node(ct_host_entities *host, ct_host_world world, ct_entity e,
                            const char *name, uint32_t *node) {
    ct_row row;
    const ct_manager *models = ct_slot_node(host, world, e, 0, &row);
    if (models == NULL) return CT_ERR_DATA;
    const ct_text text = ct_slot_text(name != NULL ? name : "");
    uint32_t found = ct_model_find_node(models, row, text);
    if (found == CT_MODEL_NO_NODE) {
        (void)ct_model_refuse_node(models, row, text, &host->message);
        return CT_ERR_DATA;
    }
    *node = found;
    return CT_OK;
}

ct_status ct_host_node_pose(ct_host_entities *host, ct_host_world world, ct_entity e, uint32_t node,
                            ct_pose *out) {
    ct_row row;
    const ct_manager *models = ct_slot_node(host, world, e, node, &row);
    if (models == NULL) return CT_ERR_DATA;
    ct_model_node_pose(models, row, node, out);
    return CT_OK;
}

ct_status ct_host_set_node_pose(ct_host_entities *host, ct_host_world world, ct_entity e,
                                uint32_t node, const ct_pose *pose) {
    ct_row row;
    if (!ct_slots_may_edit(host)) return CT_ERR_DATA;
    ct_manager *models = ct_slot_node(host, world, e, node, &row);
    if (models == NULL) return CT_ERR_DATA;
    ct_model_set_node_pose(models, row, node, pose);
    return CT_OK;
}

ct_status ct_host_node_matrix(ct_host_entities *host, ct_host_world world, ct_entity e,
                              uint32_t node, float *out) {
    ct_row row;
    const ct_manager *models = ct_slot_node(host, world, e, node, &row);
    if (models == NULL) return CT_ERR_DATA;
    if (ct_node_world_matrix(&ct_slot_world_of(host, world)->core, row, node, out)) return CT_OK;
    (void)ct_slot_row(host, ct_slot_builtin(host, world, CT_TRANSFORM), e, &row);
    return CT_ERR_DATA;
}
