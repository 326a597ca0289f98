// Destroys a world and all its levels.
#ifndef CT_WORLD_END_H
#define CT_WORLD_END_H

#include "level/level.h"
#include "world/clear.h"

CT_BEGIN_C

/// Ends the world of these levels, and the levels with it: they are unloaded, the youngest first;
/// all entities that have a component are destroyed, if there is room for them (world/clear.h);
/// hooks hear that all components go; the host ends what it keeps (ct_host.clearing), and hears of
/// the end (ct_host.ended); then everything is freed, as by ct_world_free. Other entities live on.
/// Callbacks of the host, which get 'context', find the world ending: they can make no components
/// any more. False when one failed: the world has ended all the same. O(rows + entities of levels);
/// allocates nothing.
bool ct_world_end(ct_levels *levels, const ct_owners *owners, void *context);

CT_END_C

#endif
