// Destruction of a world and all its levels.
#ifndef CT_WORLD_END_H
#define CT_WORLD_END_H

#include "level/level.h"
#include "world/clear.h"

CT_BEGIN_C

/// Destroys the world of these levels and unloads the levels, the youngest first. Destroys every
/// entity that has a component, if 'owners' has room (world/clear.h); the other entities stay
/// alive. Runs hooks for all removed components, calls ct_host.clearing and ct_host.ended, then
/// frees everything like ct_world_free. Callbacks get 'context' and can create no components.
/// Returns false if a callback failed; the world is destroyed in either case. O(rows + entities of
/// levels); allocates nothing.
bool ct_world_end(ct_levels *levels, const ct_owners *owners, void *context);

CT_END_C

#endif
