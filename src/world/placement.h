// World poses of model nodes and of grids.
#ifndef CT_PLACEMENT_H
#define CT_PLACEMENT_H

#include "component/grid_shape.h"
#include "world/world.h"

/// Writes the world matrix of the entity that owns 'row' of the world's models, times the matrix of
/// its node: 16 numbers. Returns false, and writes nothing, if the entity has no transform.
bool ct_node_world_matrix(const ct_world *world, ct_row row, uint32_t node, float *out);

/// Initializes the view of a grid, at a row of the world's grids, with the pose of its entity in
/// the xy plane; z is ignored. Without a transform the grid's space is the world's. In deferred
/// mode the pose is that of the last propagate. Returns false if the pose maps the cells to a line
/// or a point. O(1); in a batch O(depth).
bool ct_grid_world_view(const ct_world *world, ct_row row, ct_grid_view *out);

/// Writes the plane of a grid for ct_grid_move, from the same pose. Returns false if the pose is
/// rotated, mirrored or scaled by more than the rounding of floats. O(1); in a batch O(depth).
bool ct_grid_world_plane(const ct_world *world, ct_row row, ct_grid_plane *out);

#endif
