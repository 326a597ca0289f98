// What several components of an entity are together: transforms attached to nodes of models, and
// nodes and grids in the world.
#ifndef CT_COMPONENT_LINKS_H
#define CT_COMPONENT_LINKS_H

#include "component/grid.h"
#include "storage/manager.h"
#include "world/world.h"

CT_BEGIN_C

/// From now on transforms may hang on nodes of models, and follow them.
void ct_node_links_connect(ct_manager *transforms, ct_manager *models);

/// out = the world matrix of the entity that owns 'row' of the world's models x the matrix of its
/// node, 16 numbers. False, and nothing written, when the entity has no transform. Computed anew by
/// each call.
bool ct_node_world_matrix(const ct_world *world, ct_row row, uint32_t node, float *out);

/// The grid at a row of the world's grids, as its entity's transform places it in the plane of x
/// and y; z is not looked at. Where it has none, its own space is the world's. The pose is that
/// which ct_transform_world_matrix tells: in deferred mode the one propagated last. False when the
/// pose makes a line or a point of its cells. O(1); in a batch O(depth).
bool ct_grid_world_view(const ct_world *world, ct_row row, ct_grid_view *out);

CT_END_C

#endif
