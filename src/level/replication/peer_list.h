// Ascending lists of entities.
// Must not depend on messages.
#ifndef CT_PEER_LIST_H
#define CT_PEER_LIST_H

#include "base/arena.h"

CT_BEGIN_C

typedef struct ct_peer_list {
    ct_entity *items; ///< ascending ids
    uint32_t count, capacity;
} ct_peer_list;

void ct_peer_list_free(const ct_allocator *allocator, ct_peer_list *list);

/// Removes the entities that are not in the other list. O(n log n).
void ct_peer_list_intersect(ct_peer_list *list, const ct_peer_list *other);

/// Makes an empty list with room for 'most' entities, which is not freed. Returns whether there was
/// memory.
bool ct_peer_list_take(ct_scratch *memory, ct_peer_list *list, uint32_t most);

/// Makes room for 'more' entities. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_peer_list_reserve(const ct_allocator *allocator, ct_peer_list *list, uint32_t more);

/// Copies a list. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_peer_list_copy(const ct_allocator *allocator, ct_peer_list *to,
                            const ct_peer_list *from);

/// Adds the entities of another list, for which there is room. O(n log n).
void ct_peer_list_unite(ct_peer_list *list, const ct_peer_list *other);

CT_END_C

#endif
