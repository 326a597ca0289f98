// Where a grid lies in the world: what a grid and a transform tell together.
// Knows nothing of how a transform gets its matrix, nor of what is asked of the grid.
#ifndef CT_GRID_WORLD_H
#define CT_GRID_WORLD_H

#include "component/grid_query.h"
#include "world/world.h"

CT_BEGIN_C

/// The grid at a row of the world's grids, as its entity's transform places it in the plane of x
/// and y; z is not looked at. Where it has none, its own space is the world's. The pose is that
/// which ct_transform_world_matrix tells: in deferred mode the one propagated last. False when the
/// pose makes a line or a point of its cells. O(1); in a batch O(depth).
bool ct_grid_world_view(const ct_world *world, ct_row row, ct_grid_view *out);

CT_END_C

#endif
