// Records of the messages that a peer was sent.
#include "level/replication/peer.h"

#include <stdlib.h>
#include <string.h>

static bool has(const ct_peer_list *list, ct_entity e) {
    return list->count > 0 &&
           bsearch(&e, list->items, list->count, sizeof e, ct_u32_compare) != NULL;
}

// Removes the entities that are not in the other list.
static void intersect(ct_peer_list *list, const ct_peer_list *other) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; ++i) {
        if (has(other, list->items[i])) list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

// Adds the entities of another list, for which there is room.
static void unite(ct_peer_list *list, const ct_peer_list *other) {
    uint32_t added = 0;
    for (uint32_t i = 0; i < other->count; ++i)
        added += !has(list, other->items[i]);
    uint32_t to = list->count + added, mine = list->count, its = other->count;
    list->count = to;
    while (its > 0) {
        ct_entity e = other->items[its - 1];
        if (mine > 0 && list->items[mine - 1].id >= e.id) {
            its -= list->items[mine - 1].id == e.id;
            list->items[--to] = list->items[--mine];
        } else {
            list->items[--to] = e;
            its--;
        }
    }
}

void ct_peer_sent_free(const ct_allocator *allocator, ct_peer_sent *sent) {
    for (uint32_t i = 0; i < CT_SENT_LISTS; ++i)
        ct_free(allocator, sent->lists[i].items,
                sent->lists[i].capacity * sizeof *sent->lists[i].items);
    memset(sent, 0, sizeof *sent);
}

ct_status ct_peer_sent_merge(const ct_allocator *allocator, ct_peer_sent *sent,
                             const ct_peer_sent *message) {
    ct_peer_list *lists = sent->lists;
    for (uint32_t i = 0; i < CT_SENT_LISTS; ++i) {
        ct_status status =
            ct_array_reserve(allocator, (void **)&lists[i].items, &lists[i].capacity,
                             lists[i].count + message->lists[i].count, sizeof *lists[i].items);
        if (status != CT_OK) return status;
    }
    unite(&lists[CT_SENT_ANY], &message->lists[CT_SENT_ANY]);
    unite(&lists[CT_SENT_WAITED], &message->lists[CT_SENT_WAITED]);
    if (sent->every)
        unite(&lists[CT_SENT_EVERY], &message->lists[CT_SENT_EVERY]); // of no other message so far
    else if (!message->every)
        intersect(&lists[CT_SENT_EVERY], &message->lists[CT_SENT_EVERY]);
    sent->every = sent->every && message->every;
    sent->any = sent->any || message->any;
    sent->full = sent->full || message->full;
    return CT_OK;
}
