// How a level enters and leaves the list of its world.
// Knows nothing of who else uses levels.
#ifndef CT_LEVEL_INTERNAL_H
#define CT_LEVEL_INTERNAL_H

#include "level/level.h"

/// An entity that is one no more: see ct_level.entities.
#define CT_LEVEL_LOST 0x80000000u

/// Enters a level as the youngest; lets go of others of which nothing is alive.
void ct_levels_add(ct_level *level, void *context);

/// Takes a level out, if it is in. Cannot fail.
void ct_levels_remove(ct_level *level);

/// The same, and tells the host that it may free the level.
void ct_levels_release(ct_level *level, void *context);

#endif
