// What comes back of a world with a snapshot: strings, and managers one after another.
// Knows nothing of entities that have no component, nor of levels.
#ifndef CT_WORLD_STATE_H
#define CT_WORLD_STATE_H

#include "world/world.h"

CT_BEGIN_C

/// A pass over a world (base/state.h), whose components are the saved ones, by name and fields;
/// else RESERVE fails with CT_ERR_DATA. 'name' is for messages. After RESERVE, whatever came of it,
/// and at the end of all passes, 'strings' is released by ct_string_pool_release_numbers.
void ct_world_state(ct_world *world, const char *name, ct_string_numbers *strings, ct_state *state);

CT_END_C

#endif
