// Poses and matrices of nodes, and the evaluation of all matrices.
#include "component/model_internal.h"

#include "base/message.h"
#include "base/nearest.h"

// Returns the index of a node in the pool.
static uint32_t place_of(const ct_manager *models, ct_row row, uint32_t node) {
    CT_ASSERT(node < ct_model_node_count(models, row));
    return ct_store_u32(&models->store, CT_MODEL_FIRST)[row.i] + node;
}

uint32_t ct_model_node_count(const ct_manager *models, ct_row row) {
    return ct_model_definition_of(ct_models_of(models), row)->nodes.count;
}

static const ct_string *names_of(const ct_manager *models, ct_row row) {
    return ct_node_names(&ct_model_definition_of(ct_models_of(models), row)->nodes);
}

static uint32_t find_name(const ct_manager *models, ct_row row, ct_string name) {
    const ct_string *names = names_of(models, row);
    uint32_t count = ct_model_node_count(models, row);
    for (uint32_t i = 0; i < count; ++i) {
        if (names[i].ref == name.ref) return i;
    }
    return CT_MODEL_NO_NODE;
}

uint32_t ct_model_find_node(const ct_manager *models, ct_row row, ct_text name) {
    ct_string wanted = ct_string_pool_find(models->strings, name);
    return wanted.ref != 0 ? find_name(models, row, wanted) : CT_MODEL_NO_NODE;
}

uint32_t ct_model_same_node(const ct_manager *models, ct_row row, const struct ct_columns *before,
                            uint32_t node) {
    ct_string name = ct_node_names(before)[node];
    if (name.ref != 0) return find_name(models, row, name);
    return node < ct_model_node_count(models, row) ? node : CT_MODEL_NO_NODE;
}

void ct_model_set_watch(ct_manager *models, const ct_model_watch *watch) {
    ct_models_of(models)->watch = *watch;
}

bool ct_model_refuse_node(const ct_manager *models, ct_row row, ct_text name, ct_message *message) {
    ct_string resource = {ct_store_u32(&models->store, CT_MODEL_RESOURCE)[row.i]};
    const ct_string *names = names_of(models, row);
    uint32_t count = ct_model_node_count(models, row);
    ct_message reason;
    ct_nearest nearest = ct_nearest_begin_text(name);
    for (uint32_t i = 0; i < count; ++i) {
        if (names[i].ref != 0)
            ct_nearest_offer(&nearest, ct_string_pool_text(models->strings, names[i]).bytes);
    }
    ct_nearest_message(&nearest, &reason);
    return ct_message_set(message, "%s has no node %s",
                          ct_string_pool_text(models->strings, resource).bytes, reason.text);
}

void ct_model_refuse_number(const ct_manager *models, ct_row row, ct_text number,
                            ct_message *message) {
    ct_string resource = {ct_store_u32(&models->store, CT_MODEL_RESOURCE)[row.i]};
    char shown[16];
    ct_message_set(message, "%s has %u nodes, got %s",
                   ct_string_pool_text(models->strings, resource).bytes,
                   ct_model_node_count(models, row), ct_message_text(number, shown, sizeof shown));
}

void ct_model_compose(const ct_columns *nodes, uint32_t node, const ct_pose *pose) {
    float *rotation = ct_node_numbers(nodes, CT_NODE_ROTATION, node);
    float *scale = ct_node_numbers(nodes, CT_NODE_SCALE, node);
    ct_quat_normalize(pose->rotation, rotation);
    memcpy(scale, pose->scale, sizeof pose->scale);
    ct_floats_clean(scale, 3);
    ct_mat4_compose(pose->position, rotation, scale, ct_node_numbers(nodes, CT_NODE_LOCAL, node));
}

void ct_model_set_node_pose(ct_manager *models, ct_row row, uint32_t node, const ct_pose *pose) {
    ct_model_compose(&ct_models_of(models)->pool, place_of(models, row, node), pose);
    models->store.columns.at[CT_MODEL_CHANGED][row.i] = 1;
}

void ct_model_read_pose(const ct_columns *nodes, uint32_t node, ct_pose *out) {
    memcpy(out->position, ct_node_numbers(nodes, CT_NODE_LOCAL, node) + 12, sizeof out->position);
    memcpy(out->rotation, ct_node_numbers(nodes, CT_NODE_ROTATION, node), sizeof out->rotation);
    memcpy(out->scale, ct_node_numbers(nodes, CT_NODE_SCALE, node), sizeof out->scale);
}

void ct_model_node_pose(const ct_manager *models, ct_row row, uint32_t node, ct_pose *out) {
    ct_model_read_pose(&ct_models_of(models)->pool, place_of(models, row, node), out);
}

void ct_model_multiply(const uint32_t *restrict parent, const float *restrict local,
                       float *restrict model, uint32_t count) {
    for (size_t i = 0; i < count; ++i) {
        ct_mat4_columns above;
        if (parent[i] == CT_MODEL_NO_NODE) {
            above = ct_mat4_load(local + 16 * i);
            ct_mat4_store(&above, model + 16 * i);
        } else {
            above = ct_mat4_load(model + (size_t)16 * parent[i]);
            above = ct_mat4_product_loaded(&above, local + 16 * i, model + 16 * i);
        }
        // A chain is multiplied in registers: through memory each node would wait for its parent.
        for (; i + 1 < count && parent[i + 1] == i; ++i)
            above = ct_mat4_product_loaded(&above, local + 16 * (i + 1), model + 16 * (i + 1));
    }
}

static void evaluate(ct_manager *models) {
    const ct_models *m = ct_models_of(models);
    const uint32_t *first = ct_store_u32(&models->store, CT_MODEL_FIRST);
    uint32_t count = ct_store_count(&models->store);
    unsigned char *changed = models->store.columns.at[CT_MODEL_CHANGED];
    if (count == 0) return;
    unsigned char *end = changed + count;
    // memchr skips unchanged rows.
    for (unsigned char *at = changed; at < end; ++at) {
        at = memchr(at, 1, (size_t)(end - at));
        if (at == NULL) return;
        ct_row row = {(uint32_t)(at - changed)};
        const ct_columns *nodes = &ct_model_definition_of(m, row)->nodes;
        *at = 0;
        ct_model_multiply(ct_node_parents(nodes),
                          ct_node_numbers(&m->pool, CT_NODE_LOCAL, first[row.i]),
                          ct_node_numbers(&m->pool, CT_NODE_MODEL, first[row.i]), nodes->count);
    }
}

void ct_model_evaluate(ct_manager *models) {
    const ct_model_watch *watch = &ct_models_of(models)->watch;
    uint64_t begun = ct_work_begin(&models->timings);
    evaluate(models);
    if (watch->evaluated != NULL) watch->evaluated(watch->user);
    ct_work_end(&models->timings, CT_WORK_EVALUATE, begun);
}

const float *ct_model_node_matrix(const ct_manager *models, ct_row row, uint32_t node) {
    return ct_node_numbers(&ct_models_of(models)->pool, CT_NODE_MODEL, place_of(models, row, node));
}
