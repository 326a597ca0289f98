// The option 'overrides' of world:spawn, from what a script writes to what the core takes.
// Knows nothing of what the overrides are for.
#ifndef BIND_OVERRIDES_H
#define BIND_OVERRIDES_H

#include "bind/world/world.h"
#include "resource/override.h"

/// Gathers the table at 'index' (or nil: none): sorted by path, in the arena until 'g' ends. Raises
/// bad argument #arg for what is no override; whether it fits is the core's to say.
const ct_override *ct_bind_gather_overrides(const ct_bind_gather *g, int index, int arg,
                                            const ct_world *world, uint32_t *count);

#endif
