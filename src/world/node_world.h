// Nodes of models in a world: where they stand, what a model and a transform tell together, and
// room to hang on them.
// Knows nothing of how either of them gets its matrix.
#ifndef CT_NODE_WORLD_H
#define CT_NODE_WORLD_H

#include "world/world.h"

CT_BEGIN_C

/// out = the world matrix of the entity that owns 'row' of the world's models x the matrix of its
/// node, 16 numbers. False, and nothing written, when the entity has no transform. Computed anew by
/// each call.
bool ct_node_world_matrix(const ct_world *world, ct_row row, uint32_t node, float *out);

/// Makes room for these, which have transforms, to hang on nodes: until others do, linking them to
/// nodes allocates nothing. CT_OK or CT_ERR_MEMORY.
ct_status ct_node_world_reserve(const ct_world *world, const ct_entity *children, uint32_t count);

CT_END_C

#endif
