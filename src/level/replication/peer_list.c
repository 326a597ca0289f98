// Ascending lists of entities.
#include "level/replication/peer_list.h"

#include <string.h>

void ct_peer_list_free(const ct_allocator *allocator, ct_peer_list *list) {
    ct_free(allocator, list->items, list->capacity * sizeof *list->items);
    memset(list, 0, sizeof *list);
}

static bool ct_peer_list_has(const ct_peer_list *list, ct_entity e) {
    uint32_t low = 0, high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list->items[middle].id < e.id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && list->items[low].id == e.id;
}

void ct_peer_list_intersect(ct_peer_list *list, const ct_peer_list *other) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; ++i) {
        if (ct_peer_list_has(other, list->items[i])) list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

bool ct_peer_list_take(ct_scratch *memory, ct_peer_list *list, uint32_t most) {
    memset(list, 0, sizeof *list);
    list->items = ct_scratch_take(memory, (most + (size_t)1) * sizeof *list->items);
    return list->items != NULL;
}

ct_status ct_peer_list_reserve(const ct_allocator *allocator, ct_peer_list *list, uint32_t more) {
    return ct_array_reserve(allocator, (void **)&list->items, &list->capacity, list->count + more,
                            sizeof *list->items);
}

ct_status ct_peer_list_copy(const ct_allocator *allocator, ct_peer_list *to,
                            const ct_peer_list *from) {
    to->count = 0;
    ct_status status = ct_peer_list_reserve(allocator, to, from->count);
    if (status != CT_OK) return status;
    to->count = from->count;
    if (from->count > 0) memcpy(to->items, from->items, from->count * sizeof *to->items);
    return CT_OK;
}

void ct_peer_list_unite(ct_peer_list *list, const ct_peer_list *other) {
    uint32_t added = 0;
    for (uint32_t i = 0; i < other->count; ++i)
        added += !ct_peer_list_has(list, other->items[i]);
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
