// The places of model nodes and of grids in the world.
#ifndef CT_PLACEMENT_H
#define CT_PLACEMENT_H

#include "component/grid.h"
#include "world/world.h"

CT_BEGIN_C

/// Writes the world matrix of the entity that owns 'row' of the world's models, times the matrix of
/// its node: 16 numbers. False, and nothing written, when the entity has no transform.
bool ct_node_world_matrix(const ct_world *world, ct_row row, uint32_t node, float *out);

/// The grid at a row of the world's grids, as the transform of its entity places it in the plane of
/// x and y; z is not used. Without a transform, the grid's own space is the world's. In deferred
/// mode the pose is that of the last propagate. False when the pose makes a line or a point of the
/// cells. O(1); in a batch O(depth).
bool ct_grid_world_view(const ct_world *world, ct_row row, ct_grid_view *out);

CT_END_C

#endif
