// Shadow worlds: the names and components of some worlds, without rows, over an entity manager of
// their own.
#ifndef CT_SHADOW_WORLDS_H
#define CT_SHADOW_WORLDS_H

#include "level/snapshot.h"

CT_BEGIN_C

/// Everything in it may change, and nothing of it is seen from outside. May not move in memory.
typedef struct ct_shadow_worlds {
    const ct_allocator *allocator;
    ct_entity_manager entities; ///< empty at first
    ct_world *worlds;
    ct_levels *levels; ///< without a level; used where the others have some
    ct_snapshot_world *items;
    ct_snapshot_worlds core; ///< all of that
    uint32_t made;           ///< worlds there are
    uint32_t epochs;
} ct_shadow_worlds;

/// An empty entity manager, which may be filled before worlds come. Allocates nothing.
void ct_shadow_worlds_init(ct_shadow_worlds *shadows, const ct_allocator *allocator);

/// Makes the worlds. CT_OK, or CT_ERR_MEMORY with some of them made: ct_shadow_worlds_free all the
/// same.
ct_status ct_shadow_worlds_copy(ct_shadow_worlds *shadows, const ct_snapshot_worlds *worlds);

void ct_shadow_worlds_free(ct_shadow_worlds *shadows);

CT_END_C

#endif
