// Shadow worlds: the names and components of some worlds, without rows, over an entity manager of
// their own.
#ifndef CT_MIRROR_H
#define CT_MIRROR_H

#include "level/snapshot.h"

CT_BEGIN_C

/// Everything in it may change, and nothing of it is seen from outside. May not move in memory.
typedef struct ct_mirror {
    const ct_allocator *allocator;
    ct_entity_manager entities; ///< empty at first
    ct_world *worlds;
    ct_levels *levels; ///< without a level; used where the others have some
    ct_snapshot_world *items;
    ct_snapshot_worlds core; ///< all of that
    uint32_t made;           ///< worlds there are
    uint32_t epochs;
} ct_mirror;

/// An empty entity manager, which may be filled before worlds come. Allocates nothing.
void ct_mirror_init(ct_mirror *mirror, const ct_allocator *allocator);

/// Makes the worlds. CT_OK, or CT_ERR_MEMORY with some of them made: ct_mirror_free all the same.
ct_status ct_mirror_resemble(ct_mirror *mirror, const ct_snapshot_worlds *worlds);

void ct_mirror_free(ct_mirror *mirror);

CT_END_C

#endif
