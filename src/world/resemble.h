// A world that has the components of another, and none of its rows: to build in, or to look into.
// Knows nothing of what is built.
#ifndef CT_WORLD_RESEMBLE_H
#define CT_WORLD_RESEMBLE_H

#include "world/world.h"

CT_BEGIN_C

/// Defines in a new world whatever 'from' has defined, resources that rows may refer to included.
/// CT_OK, or CT_ERR_MEMORY, also when a plugin's 'opened' refused. O(definitions).
ct_status ct_world_resemble(ct_world *world, const ct_world *from);

/// Creates an entity in place of one of 'from', to which others are linked: it has a transform, and
/// the model of that one, if there is any. CT_OK or CT_ERR_MEMORY.
ct_status ct_world_resemble_parent(ct_world *world, const ct_world *from, ct_entity parent,
                                   ct_entity *out);

/// The parts of it, for a host whose managers have more to them. A component of a plugin that
/// 'world' has not, or NULL; and the resources, of managers that both have. O(definitions).
const ct_component *ct_world_missing_plugin(const ct_world *world, const ct_world *from);
ct_status ct_world_share_resources(ct_world *world, const ct_world *from);

CT_END_C

#endif
