// Where a model's node stands in the world: what a model and a transform tell together.
// Knows nothing of how either of them gets its matrix.
#ifndef CT_NODE_WORLD_H
#define CT_NODE_WORLD_H

#include "world/world.h"

CT_BEGIN_C

/// out = the world matrix of the entity that owns 'row' of the world's models x the matrix of its
/// node, 16 numbers. False, and nothing written, when the entity has no transform. Computed anew by
/// each call.
bool ct_node_world_matrix(const ct_world *world, ct_row row, uint32_t node, float *out);

CT_END_C

#endif
