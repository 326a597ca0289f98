// Model nodes and grids in a world: their poses, and the transforms that are attached to nodes.
#include "world/placement.h"

#include "base/math.h"
#include "base/message.h"
#include "component/model.h"
#include "component/transform.h"

#include <math.h>

// ---------------------------------------------------------------- attached transforms

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

// ---------------------------------------------------------------- world poses

bool ct_node_world_matrix(const ct_world *world, ct_row row, uint32_t node, float *out) {
    const ct_manager *models = ct_world_find(world, CT_MODEL);
    ct_manager *transforms = ct_world_find(world, CT_TRANSFORM);
    ct_row place = ct_store_find(&transforms->store, ct_store_owners(&models->store)[row.i]);
    if (place.i == CT_NO_ROW) return false;
    ct_mat4_product(ct_transform_world_matrix(transforms, place),
                    ct_model_node_matrix(models, row, node), out);
    return true;
}

static const float *grid_matrix(const ct_world *world, const ct_manager *grids, ct_row row) {
    ct_manager *transforms = ct_world_find(world, CT_TRANSFORM);
    ct_row place = ct_store_find(&transforms->store, ct_store_owners(&grids->store)[row.i]);
    return place.i != CT_NO_ROW ? ct_transform_world_matrix(transforms, place) : ct_mat4_identity;
}

bool ct_grid_world_view(const ct_world *world, ct_row row, ct_grid_view *out) {
    const ct_manager *grids = ct_world_find(world, CT_GRID);
    return ct_grid_view_init(out, grids, row, grid_matrix(world, grids, row));
}

bool ct_grid_world_plane(const ct_world *world, ct_row row, ct_grid_plane *out) {
    static const int linear[] = {0, 1, 4, 5};
    const ct_manager *grids = ct_world_find(world, CT_GRID);
    const float *matrix = grid_matrix(world, grids, row);
    float size[2];
    for (int i = 0; i < 4; ++i) {
        if (!(fabsf(matrix[linear[i]] - ct_mat4_identity[linear[i]]) < 1e-6f)) return false;
    }
    ct_grid_cell_size(grids, row, size);
    *out = (ct_grid_plane){matrix[12], matrix[13], size[0], size[1]};
    return fabsf(matrix[12]) <= FLT_MAX && fabsf(matrix[13]) <= FLT_MAX;
}
