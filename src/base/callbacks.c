// List of callbacks.
#include "base/callbacks.h"

#include <string.h>

// Inserts the item at 'from' into the first 'kept' items, which are sorted by order.
static void place_item(ct_callbacks *list, uint32_t kept, uint32_t from) {
    ct_callback item = list->items[from];
    uint32_t place = kept;
    for (; place > 0 && list->items[place - 1].order > item.order; --place)
        list->items[place] = list->items[place - 1];
    list->items[place] = item;
}

// Removes the gaps, and sorts new callbacks.
static void tidy(ct_callbacks *list) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; ++i) {
        if (list->items[i].fn != NULL) place_item(list, kept++, i);
    }
    list->count = list->sorted = kept;
    list->gaps = 0;
}

ct_status ct_callbacks_add(ct_callbacks *list, const ct_allocator *allocator, ct_callback_fn fn,
                           void *user, uint32_t order, uint32_t token) {
    ct_status status = ct_array_reserve(allocator, (void **)&list->items, &list->capacity,
                                        list->count + 1, sizeof *list->items);
    if (status != CT_OK) return status;
    list->items[list->count++] = (ct_callback){fn, user, token, order};
    if (list->walks > 0) return CT_OK;
    place_item(list, list->sorted, list->sorted);
    list->sorted++;
    return CT_OK;
}

// Returns the first index in [first, end) with a token that is not below this one, or 'end'. Tokens
// ascend in this range.
static uint32_t first_from(const ct_callbacks *list, uint32_t first, uint32_t end, uint32_t token) {
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (list->items[middle].token < token)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

// Returns the end of the run of equal orders that begins at 'first'.
static uint32_t end_of_order(const ct_callbacks *list, uint32_t first) {
    uint32_t order = list->items[first].order, end = list->sorted;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (list->items[middle].order <= order)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

// Returns the index of a token, or the count.
static uint32_t find(const ct_callbacks *list, uint32_t token) {
    uint32_t place = first_from(list, list->sorted, list->count, token);
    if (place < list->count && list->items[place].token == token) return place;
    for (uint32_t first = 0, end; first < list->sorted; first = end) {
        end = end_of_order(list, first);
        place = first_from(list, first, end, token);
        if (place < end && list->items[place].token == token) return place;
    }
    return list->count;
}

bool ct_callbacks_remove(ct_callbacks *list, uint32_t token) {
    uint32_t place = find(list, token);
    if (place == list->count || list->items[place].fn == NULL) return false;
    list->items[place].fn = NULL;
    list->gaps++;
    // Gaps are removed together: to remove each one immediately would cost O(callbacks).
    if (list->walks == 0 && list->gaps * 2 > list->count) tidy(list);
    return true;
}

void ct_callbacks_end(ct_callbacks *list) {
    if (--list->walks > 0) return;
    if (list->sorted < list->count || list->gaps * 2 > list->count) tidy(list);
}

uint32_t ct_callbacks_place(const ct_callbacks *list, uint32_t token) {
    return first_from(list, 0, list->count, token);
}

bool ct_callbacks_passed(const ct_callbacks *list, uint32_t next, uint32_t token) {
    return find(list, token) < next;
}

void ct_callbacks_free(ct_callbacks *list, const ct_allocator *allocator) {
    ct_free(allocator, list->items, list->capacity * sizeof *list->items);
    memset(list, 0, sizeof *list);
}
