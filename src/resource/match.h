// Matching of the entities of two versions of a resource.
#ifndef CT_MATCH_H
#define CT_MATCH_H

#include "resource/resource.h"

#define CT_MATCH_NONE 0xFFFFFFFFu

/// Search key of an entity: its id and the scope of the id, or its name and its parent. Parents and
/// scopes precede the entities below them.
typedef struct ct_match_key {
    ct_text text;   ///< bytes NULL: no name
    uint32_t under; ///< CT_MATCH_NONE: the scope of the file itself, or no parent
    bool id;
} ct_match_key;

/// Writes the key of each entity of a resource; the texts belong to the resource. O(entities).
void ct_match_keys(const ct_resource *resource, ct_match_key *out);

/// Matches entities by their keys, as ct_match_init does. old_of[j] and next_of[i] become
/// CT_MATCH_NONE for unmatched entities. Returns CT_OK or CT_ERR_MEMORY. O(entities).
ct_status ct_match_entities(const ct_match_key *old, uint32_t old_count, const ct_match_key *next,
                            uint32_t next_count, uint32_t *old_of, uint32_t *next_of,
                            const ct_allocator *allocator);

/// Adds marks, so that the marked entities match another version without the others: what they are
/// under, and earlier entities with the same key. Returns CT_OK or CT_ERR_MEMORY. O(entities).
ct_status ct_match_complete(const ct_match_key *keys, uint32_t count, bool *marks,
                            const ct_allocator *allocator);

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

#endif
