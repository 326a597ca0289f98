// Matching of the entities of two versions of a resource.
#ifndef CT_MATCH_H
#define CT_MATCH_H

#include "resource/resource.h"

CT_BEGIN_C

#define CT_MATCH_NONE 0xFFFFFFFFu

/// Matches in both directions; CT_MATCH_NONE for unmatched entities.
typedef struct ct_match {
    const ct_resource *old;
    const ct_resource *next;
    uint32_t *old_of;  ///< per entity of 'next'
    uint32_t *next_of; ///< per entity of 'old'
} ct_match;

/// Matches entities from the roots down. An entity with a source id matches the entity with the
/// same id in the same prefab instance, wherever it is in the hierarchy. Other entities match by
/// name and by order among entities of the same name without an id under the same matched parent.
/// Returns CT_OK or CT_ERR_MEMORY with nothing allocated. O(entities).
ct_status ct_match_init(ct_match *match, const ct_resource *old, const ct_resource *next,
                        const ct_allocator *allocator);

void ct_match_free(ct_match *match, const ct_allocator *allocator);

CT_END_C

#endif
