// World poses of model nodes and of grids.
#include "world/placement.h"

#include "base/math.h"
#include "component/model.h"
#include "component/transform.h"

#include <math.h>

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
