// Where a model's node stands in the world.
#include "world/node_world.h"

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
