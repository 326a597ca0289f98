// Shadow worlds: copies of the names and component types of worlds, without rows, over a separate
// entity manager.
#ifndef CT_SHADOW_WORLDS_H
#define CT_SHADOW_WORLDS_H

#include "level/snapshot.h"

/// A set of shadow worlds. They may be changed freely; nothing outside refers to them. The struct
/// must not move in memory.
typedef struct ct_shadow_worlds {
    const ct_allocator *allocator;
    ct_entity_manager entities; ///< empty after ct_shadow_worlds_init
    ct_world *worlds;
    ct_levels *levels; ///< empty lists; used where the original world has levels
    ct_snapshot_world *items;
    ct_snapshot_worlds core; ///< the shadow worlds and 'entities'
    uint32_t made;           ///< number of initialized worlds
    uint32_t epochs;
} ct_shadow_worlds;

/// Initializes an empty entity manager, which may be filled before ct_shadow_worlds_copy.
/// Allocates nothing.
void ct_shadow_worlds_init(ct_shadow_worlds *shadows, const ct_allocator *allocator);

/// Creates the worlds. Returns CT_OK, or CT_ERR_MEMORY with some of them created; the caller must
/// call ct_shadow_worlds_free in both cases.
ct_status ct_shadow_worlds_copy(ct_shadow_worlds *shadows, const ct_snapshot_worlds *worlds);

void ct_shadow_worlds_free(ct_shadow_worlds *shadows);

#endif
