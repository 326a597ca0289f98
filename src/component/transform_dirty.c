// The list of transforms whose local pose or parent has changed while their world pose has not.
#include "component/transform_changes.h"

#include <string.h>

ct_status ct_transform_reserve_dirty(ct_transforms *t, uint32_t rows) {
    const ct_allocator *allocator = t->base.store.allocator;
    if (rows <= t->dirty_capacity) return CT_OK;
    uint32_t capacity = ct_grow_capacity(t->dirty_capacity, rows, CT_MAX_ROWS);
    uint32_t *dirty = ct_alloc(allocator, (size_t)capacity * 2 * sizeof *dirty);
    if (dirty == NULL) return CT_ERR_MEMORY;
    // Nothing below this line can fail.
    if (t->dirty_count > 0) memcpy(dirty, t->dirty, t->dirty_count * sizeof *dirty);
    ct_free(allocator, t->dirty, ct_transform_dirty_bytes(t));
    t->dirty = dirty;
    t->dirty_capacity = capacity;
    return CT_OK;
}

void ct_transform_mark_dirty(ct_transforms *t, uint32_t row) {
    uint32_t *state = ct_store_u32(&t->base.store, CT_TRANSFORM_STATE);
    if ((state[row] & CT_STATE_PLACE) != 0) return;
    CT_ASSERT(t->dirty_count < t->dirty_capacity);
    t->dirty[t->dirty_count++] = row;
    state[row] |= t->dirty_count;
}

void ct_transform_clear_dirty(ct_transforms *t, uint32_t row) {
    uint32_t *state = ct_store_u32(&t->base.store, CT_TRANSFORM_STATE);
    uint32_t place = state[row] & CT_STATE_PLACE;
    if (place == 0) return;
    uint32_t last = t->dirty[--t->dirty_count];
    t->dirty[place - 1] = last;
    state[last] = (state[last] & ~CT_STATE_PLACE) | place;
    state[row] &= ~CT_STATE_PLACE;
}

void ct_transform_fix_dirty_index(ct_transforms *t, uint32_t row) {
    uint32_t place = ct_store_u32(&t->base.store, CT_TRANSFORM_STATE)[row] & CT_STATE_PLACE;
    if (place != 0) t->dirty[place - 1] = row;
}
