// Spaces of a host, with a query of their own.
#ifndef CT_SPACE_OBJECT_H
#define CT_SPACE_OBJECT_H

#include "host/host_internal.h"
#include "world/space/space.h"

CT_BEGIN_C

typedef struct ct_slot_space {
    ct_space core;
    ct_query *matches; ///< belongs to the space; its world frees it, too
} ct_slot_space;

/// Frees a space. 'ended': its world has ended and freed all but the block.
static inline void ct_slot_space_free(const ct_host_entities *host, ct_slot_space *space,
                                      bool ended) {
    if (!ended) {
        ct_space_free(&space->core);
        ct_query_free(space->matches);
    }
    ct_free(&host->allocator, space, sizeof *space);
}

CT_END_C

#endif
