// Connection of transforms and the model nodes that they are attached to.
#include "world/node_links.h"

#include "base/message.h"
#include "component/model.h"
#include "component/transform.h"

static const float *matrix(void *user, ct_entity owner, uint32_t node) {
    const ct_manager *models = user;
    ct_row row = ct_store_find(&models->store, owner);
    if (row.i == CT_NO_ROW || node >= ct_model_node_count(models, row)) return NULL;
    return ct_model_node_matrix(models, row, node);
}

// Returns the number in "#12", or 0 if the text is not a number or it is too large.
static uint32_t number_in(ct_text text) {
    uint32_t number = 0;
    for (uint32_t i = 1; i < text.length; ++i) {
        unsigned digit = (unsigned char)text.bytes[i] - (unsigned)'0';
        if (digit > 9 || number > CT_MODEL_MAX_NODES) return 0;
        number = number * 10 + digit;
    }
    return number;
}

static uint32_t find(void *user, ct_entity owner, ct_text node, ct_message *message) {
    const ct_manager *models = user;
    ct_row row = ct_store_find(&models->store, owner);
    if (row.i == CT_NO_ROW) {
        ct_message_set(message, "entity(%u:%u) has no model", ct_entity_index(owner),
                       ct_entity_generation(owner));
        return CT_NO_NODE;
    }
    bool marked = node.length > 0 && node.bytes[0] == '#';
    if (marked && (node.length == 1 || node.bytes[1] != '#')) {
        uint32_t number = number_in(node), count = ct_model_node_count(models, row);
        if (number >= 1 && number <= count) return number - 1;
        ct_model_refuse_number(models, row, (ct_text){node.bytes + 1, node.length - 1}, message);
        return CT_NO_NODE;
    }
    if (marked) node = (ct_text){node.bytes + 1, node.length - 1};
    uint32_t found = ct_model_find_node(models, row, node);
    if (found == CT_MODEL_NO_NODE) ct_model_refuse_node(models, row, node, message);
    return found;
}

static void evaluated(void *user) { ct_transform_follow_nodes(user); }

typedef struct change {
    const ct_manager *models;
    ct_row row;
    const struct ct_columns *before;
} change;

static uint32_t renumber(const void *user, uint32_t node) {
    const change *c = user;
    return ct_model_same_node(c->models, c->row, c->before, node);
}

static void changed(void *user, const ct_manager *models, ct_row row,
                    const struct ct_columns *before) {
    const change c = {models, row, before};
    ct_entity owner = ct_store_owners(&models->store)[row.i];
    ct_transform_renumber_nodes(user, owner, before != NULL ? renumber : NULL, &c);
}

void ct_node_links_connect(ct_manager *transforms, ct_manager *models) {
    const ct_node_source source = {models, matrix, find};
    const ct_model_watch watch = {transforms, evaluated, changed};
    ct_transform_set_node_source(transforms, &source);
    ct_model_set_watch(models, &watch);
}
