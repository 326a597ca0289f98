// Matches the entities of two versions of a resource.
#ifndef CT_MATCH_H
#define CT_MATCH_H

#include "resource/resource.h"

CT_BEGIN_C

#define CT_MATCH_NONE 0xFFFFFFFFu

/// Both ways; CT_MATCH_NONE where there is no other.
typedef struct ct_match {
    const ct_resource *old;
    const ct_resource *fresh;
    uint32_t *old_of;   ///< per entity of 'fresh'
    uint32_t *fresh_of; ///< per entity of 'old'
} ct_match;

/// Matches from the roots down. What has a source id is found by it, within the instance of the
/// prefab that it is written in, wherever it stands; what has none by its name, and its order among
/// namesakes without an id, under the same matched parent. CT_OK or CT_ERR_MEMORY: then nothing is
/// held. O(entities).
ct_status ct_match_init(ct_match *match, const ct_resource *old, const ct_resource *fresh,
                        const ct_allocator *allocator);

void ct_match_free(ct_match *match, const ct_allocator *allocator);

CT_END_C

#endif
