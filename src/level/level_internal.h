// How a level enters and leaves the list of its world.
// Knows nothing of who else uses levels.
#ifndef CT_LEVEL_INTERNAL_H
#define CT_LEVEL_INTERNAL_H

#include "level/level.h"

/// An entity that is one no more: see ct_level.entities.
#define CT_LEVEL_LOST 0x80000000u

/// Whether anything may be done with the level now: CT_OK, CT_ERR_OVER or CT_ERR_EXISTS with the
/// reason in 'message'.
ct_status ct_level_check_state(const ct_level *level, ct_message *message);

/// The level has other entities from now on.
void ct_level_forget_places(ct_level *level);

/// Enters a level as the youngest; lets go of others of which nothing is alive.
void ct_levels_add(ct_level *level, void *context);

/// Takes a level out, if it is in. Cannot fail.
void ct_levels_remove(ct_level *level);

/// The same, and tells the host that it may free the level.
void ct_levels_release(ct_level *level, void *context);

#endif
