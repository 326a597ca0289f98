// World poses of model nodes and of grids.
#include "world/placement.h"

#include "base/math.h"
#include "component/model.h"
#include "component/transform.h"

bool ct_node_world_matrix(const ct_world *world, ct_row row, uint32_t node, float *out) {
    const ct_manager *models = ct_world_find(world, CT_MODEL);
    ct_manager *transforms = ct_world_find(world, CT_TRANSFORM);
    ct_row place = ct_store_find(&transforms->store, ct_store_owners(&models->store)[row.i]);
    if (place.i == CT_NO_ROW) return false;
    ct_mat4_product(ct_transform_world_matrix(transforms, place),
                    ct_model_node_matrix(models, row, node), out);
    return true;
}

bool ct_grid_world_view(const ct_world *world, ct_row row, ct_grid_view *out) {
    const ct_manager *grids = ct_world_find(world, CT_GRID);
    ct_manager *transforms = ct_world_find(world, CT_TRANSFORM);
    ct_row place = ct_store_find(&transforms->store, ct_store_owners(&grids->store)[row.i]);
    const float *matrix =
        place.i != CT_NO_ROW ? ct_transform_world_matrix(transforms, place) : ct_mat4_identity;
    return ct_grid_view_init(out, grids, row, matrix);
}
