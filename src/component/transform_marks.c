// Columns of transforms that were written in place, and the list of dirty rows.
//
// Writing a column sets three marks and reads no state: one of the row, one of its block of rows,
// one of the manager. A mark adds almost no cost to a loop, and finding one marked row of a million
// reads 31,250 bytes.
#include "base/message.h"
#include "component/transform_changes.h"

#include <string.h>

// Composes the axes if rotation or scale was written or the matrix is sheared: writing the position
// also replaces a sheared matrix. Returns whether it composed them.
static bool compose(const ct_transform_arrays *t, uint32_t row, bool turned) {
    float local[16];
    if (!turned && (t->state[row] & CT_STATE_COMPOSED) != 0) return false;
    if (turned) ct_quat_normalize(t->rotation[row], t->rotation[row]);
    ct_mat4_compose(t->position[row], t->rotation[row], t->scale[row], local);
    memcpy(t->axes[row], local, sizeof t->axes[row]);
    t->state[row] |= CT_STATE_COMPOSED;
    return true;
}

void ct_transform_resolve_row(ct_transforms *transforms, uint32_t row) {
    ct_transform_arrays t = ct_transform_open(&transforms->base);
    if (!ct_transform_is_marked(t.marks[row])) return;
    compose(&t, row, t.marks[row].turn != 0);
    t.marks[row] = (ct_transform_marks){0, 0};
    ct_transform_mark_dirty(transforms, row);
}

// Returns whether eight marks, of four rows or of eight blocks, are 0.
static bool is_clear(const void *marks) {
    uint64_t eight;
    memcpy(&eight, marks, sizeof eight);
    return eight == 0;
}

static void resolve_block(ct_transforms *transforms, const ct_transform_arrays *t, uint32_t first,
                          uint32_t end, bool finish) {
    for (uint32_t row = first; row < end; ++row) {
        if (row % 4 == 0 && row + 4 <= end && is_clear(&t->marks[row])) {
            row += 3;
            continue;
        }
        if (!ct_transform_is_marked(t->marks[row])) continue;
        bool composed = compose(t, row, t->marks[row].turn != 0);
        t->marks[row] = (ct_transform_marks){0, 0};
        if (finish && t->parent[row] == CT_NO_ROW && t->first[row] == CT_NO_ROW &&
            (t->state[row] & CT_STATE_PLACE) == 0) {
            // The world pose is the local pose. If only the position was written, the axes are
            // valid already.
            if (composed)
                ct_transform_get_local(t, row, t->world[row]);
            else
                ct_store_point(t->position[row], t->world[row] + 12);
            if (CT_UNLIKELY(transforms->watches != NULL))
                ct_transform_notify_rows(transforms, row, 1);
        } else {
            ct_transform_mark_dirty(transforms, row);
        }
    }
}

static void resolve(ct_transforms *transforms, bool finish) {
    ct_transform_arrays t = ct_transform_open(&transforms->base);
    uint32_t count = ct_store_count(&transforms->base.store);
    transforms->written = 0;
    for (uint32_t first = 0; first < count; first += CT_MARK_BLOCK) {
        uint32_t block = first / CT_MARK_BLOCK, end = first + CT_MARK_BLOCK;
        if (block % 8 == 0 && is_clear(transforms->blocks + block)) {
            first += 7 * CT_MARK_BLOCK;
            continue;
        }
        if (transforms->blocks[block] == 0) continue;
        transforms->blocks[block] = 0;
        resolve_block(transforms, &t, first, end < count ? end : count, finish);
    }
}

void ct_transform_resolve_all(ct_transforms *transforms) {
    if (transforms->written != 0) resolve(transforms, false);
}

void ct_transform_finish_writes(ct_transforms *transforms) {
    if (transforms->written != 0) resolve(transforms, true);
}

ct_status ct_transform_reserve_blocks(ct_transforms *transforms, uint32_t rows) {
    const ct_allocator *allocator = transforms->base.store.allocator;
    size_t wanted = ct_transform_block_bytes(rows),
           had = ct_transform_block_bytes(transforms->block_rows);
    if (rows <= transforms->block_rows) return CT_OK;
    unsigned char *blocks = ct_alloc(allocator, wanted);
    if (blocks == NULL) return CT_ERR_MEMORY;
    // Nothing below this line can fail.
    memset(blocks, 0, wanted);
    if (transforms->blocks != NULL) memcpy(blocks, transforms->blocks, had);
    ct_free(allocator, transforms->blocks, had);
    transforms->blocks = blocks;
    transforms->block_rows = rows;
    transforms->base.store.columns.moves++;
    return CT_OK;
}

void ct_transform_free_blocks(ct_transforms *transforms) {
    ct_free(transforms->base.store.allocator, transforms->blocks,
            ct_transform_block_bytes(transforms->block_rows));
    transforms->blocks = NULL;
    transforms->block_rows = 0;
    transforms->base.store.columns.moves++;
}

void ct_transform_clear_blocks(ct_transforms *transforms) {
    transforms->written = 0;
    if (transforms->blocks != NULL)
        memset(transforms->blocks, 0, ct_transform_block_bytes(transforms->block_rows));
}

bool ct_transform_validate_marks(const ct_transforms *transforms, const ct_transform_arrays *t,
                                 uint32_t count, ct_message *message) {
    for (uint32_t row = 0; row < count; ++row) {
        if (!ct_transform_is_marked(t->marks[row])) continue;
        if (transforms->written == 0 || transforms->deferring == 0 ||
            transforms->blocks[row / CT_MARK_BLOCK] == 0)
            return ct_message_set(message, CT_TRANSFORM ": row %u is marked but its block is not",
                                  row);
    }
    return true;
}

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
