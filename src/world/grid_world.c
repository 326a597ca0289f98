// Where a grid lies in the world: what a grid and a transform tell together.
#include "world/grid_world.h"

#include "base/math.h"
#include "component/transform.h"

bool ct_grid_world_view(const ct_world *world, ct_row row, ct_grid_view *out) {
    const ct_manager *grids = ct_world_find(world, CT_GRID);
    ct_manager *transforms = ct_world_find(world, CT_TRANSFORM);
    ct_row place = ct_store_find(&transforms->store, ct_store_owners(&grids->store)[row.i]);
    const float *matrix =
        place.i != CT_NO_ROW ? ct_transform_world_matrix(transforms, place) : ct_mat4_identity;
    return ct_grid_view_init(out, grids, row, matrix);
}
