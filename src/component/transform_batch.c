// Deferred computation of world poses: at the end of a batch, or by a propagate in deferred mode.
//
// Bitsquid part 3 ("A side note on deferred updates") moves changed rows into a section at the end
// of the arrays. Here rows are not moved, and a list contains the dirty ones. Swapping rows of 190
// bytes and correcting their links took 168 to 356 ns for each node, 38 to 46 times as long as
// immediate mode; the list takes 1.0 to 1.4 times as long (bench/hierarchy_bench.c).
#include "base/message.h"
#include "component/transform_changes.h"

// Writes the rows from 'row' up to 'top', both included, to 'way'. Returns their number.
static uint32_t way_up(const ct_transform_arrays *t, uint32_t row, uint32_t top, uint32_t *way) {
    uint32_t length = 0;
    for (;; row = ct_transform_above(t, row)) {
        way[length++] = row;
        if (row == top) return length;
    }
}

const float *ct_transform_current_world(const ct_manager *manager, uint32_t row, float *room) {
    ct_transforms *transforms = ct_transforms_of(manager); // the computation is no visible change
    ct_transform_arrays t = ct_transform_open(manager);
    // In deferred mode getters return the pose of the last propagate.
    if (transforms->deferred) return t.world[row];
    ct_transform_resolve_all(transforms);
    if (CT_LIKELY(transforms->dirty_count == 0)) return t.world[row];
    uint32_t top = CT_NO_ROW;
    for (uint32_t at = row; at != CT_NO_ROW; at = ct_transform_above(&t, at)) {
        if ((t.state[at] & CT_STATE_PLACE) != 0) top = at;
    }
    if (top == CT_NO_ROW) return t.world[row];
    // Multiplies downwards in the same order as the end of the batch, so that the bits are equal.
    uint32_t *way = transforms->dirty + transforms->dirty_capacity;
    uint32_t length = way_up(&t, row, top, way), above = ct_transform_above(&t, top);
    ct_transform_world_under(&t, above != CT_NO_ROW ? t.world[above] : NULL, top, room);
    for (uint32_t i = length - 1; i-- > 0;)
        ct_transform_world_under(&t, room, way[i], room);
    return room;
}

// Returns whether an ancestor is dirty, so that computing the ancestor computes this row too. Marks
// ancestors without a dirty ancestor, so that the next search stops there.
static bool is_covered(const ct_transform_arrays *t, uint32_t row) {
    uint32_t at = ct_transform_above(t, row);
    while (at != CT_NO_ROW && (t->state[at] & (CT_STATE_PLACE | CT_STATE_MARKED)) == 0)
        at = ct_transform_above(t, at);
    if (at != CT_NO_ROW && (t->state[at] & CT_STATE_MARKED) == 0) return true;
    for (at = ct_transform_above(t, row); at != CT_NO_ROW && (t->state[at] & CT_STATE_MARKED) == 0;
         at = ct_transform_above(t, at))
        t->state[at] |= CT_STATE_MARKED;
    return false;
}

static void clear_marks(const ct_transform_arrays *t, uint32_t row) {
    for (uint32_t at = ct_transform_above(t, row);
         at != CT_NO_ROW && (t->state[at] & CT_STATE_MARKED) != 0; at = ct_transform_above(t, at))
        t->state[at] &= ~CT_STATE_MARKED;
}

// Computes dirty rows and their descendants. O(dirty rows, their ancestors and descendants) for any
// shape of the hierarchy.
static void compute_dirty(ct_transforms *transforms) {
    ct_transform_finish_writes(transforms);
    ct_transform_arrays t = ct_transform_open(&transforms->base);
    uint32_t tops = 0, count = transforms->dirty_count;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = transforms->dirty[i];
        if (!is_covered(&t, row)) transforms->dirty[transforms->dirty_capacity + tops++] = row;
    }
    for (uint32_t i = 0; i < count; ++i)
        t.state[transforms->dirty[i]] &= ~CT_STATE_PLACE;
    transforms->dirty_count = 0;
    const uint32_t *top = transforms->dirty + transforms->dirty_capacity;
    for (uint32_t i = 0; i < tops; ++i) {
        clear_marks(&t, top[i]);
        ct_transform_propagate_from(transforms, &t, top[i]);
    }
}

// Makes room to mark every row of the current capacity: then marking cannot fail.
static ct_status reserve_changes(ct_transforms *transforms) {
    uint32_t rows = transforms->base.store.columns.capacity;
    ct_status status = ct_transform_reserve_blocks(transforms, rows);
    return status == CT_OK ? ct_transform_reserve_dirty(transforms, rows) : status;
}

ct_status ct_transform_make_room(ct_manager *manager) {
    ct_transforms *transforms = ct_transforms_of(manager);
    return transforms->deferring != 0 ? reserve_changes(transforms) : CT_OK;
}

ct_status ct_transform_begin_batch(ct_manager *manager) {
    ct_transforms *transforms = ct_transforms_of(manager);
    ct_transform_flush_deaths(manager);
    ct_status status = reserve_changes(transforms);
    if (status != CT_OK) return status;
    transforms->batches++;
    transforms->deferring = 1;
    return CT_OK;
}

void ct_transform_end_batch(ct_manager *manager) {
    ct_transforms *transforms = ct_transforms_of(manager);
    ct_transform_flush_deaths(manager);
    CT_ASSERT(transforms->batches > 0);
    if (--transforms->batches > 0 || transforms->deferred) return;
    compute_dirty(transforms);
    transforms->deferring = 0;
}

bool ct_transform_in_batch(const ct_manager *manager) {
    return ct_transforms_of(manager)->batches > 0;
}

ct_status ct_transform_set_deferred(ct_manager *manager) {
    ct_transforms *transforms = ct_transforms_of(manager);
    CT_ASSERT(transforms->batches == 0);
    ct_transform_flush_deaths(manager);
    ct_status status = reserve_changes(transforms);
    if (status != CT_OK) return status;
    transforms->deferred = true;
    transforms->deferring = 1;
    return CT_OK;
}

void ct_transform_set_immediate(ct_manager *manager) {
    ct_transforms *transforms = ct_transforms_of(manager);
    CT_ASSERT(transforms->batches == 0);
    ct_transform_propagate(manager);
    transforms->deferred = false;
    transforms->deferring = 0;
}

void ct_transform_propagate(ct_manager *manager) {
    ct_transforms *transforms = ct_transforms_of(manager);
    uint64_t begun = ct_work_begin(&manager->timings);
    ct_transform_flush_deaths(manager);
    if (transforms->deferred) compute_dirty(transforms);
    ct_work_end(&manager->timings, CT_WORK_PROPAGATE, begun);
}

void ct_transform_state(ct_manager *manager, ct_state *state) {
    ct_transforms *transforms = ct_transforms_of(manager);
    struct {
        uint32_t dirty_count, deferring, deferred, written; // without padding
    } v = {transforms->dirty_count, transforms->deferring, transforms->deferred,
           transforms->written};
    if (transforms->batches > 0 && !ct_state_require(state, CT_ERR_DATA))
        ct_message_set(state->message, CT_TRANSFORM ": a batch runs");
    ct_state_values(state, &v, sizeof v);
    if (state->pass == CT_STATE_RESERVE && v.deferring != 0)
        ct_state_require(state, reserve_changes(transforms));
    if (state->pass == CT_STATE_COMMIT) ct_transform_clear_blocks(transforms);
    ct_state_block(state, transforms->dirty, v.dirty_count * sizeof *transforms->dirty);
    ct_state_block(state, transforms->blocks,
                   v.written != 0 ? ct_transform_block_bytes(state->rows) : 0);
    ct_transform_attached_state(transforms, state);
    if (state->pass != CT_STATE_COMMIT) return;
    ct_transform_notify_all(transforms);
    transforms->dirty_count = v.dirty_count;
    transforms->deferring = v.deferring;
    transforms->deferred = v.deferred != 0;
    transforms->written = (unsigned char)v.written;
}

uint32_t ct_transform_dirty_count(ct_manager *manager) {
    ct_transform_flush_deaths(manager);
    ct_transform_resolve_all(ct_transforms_of(manager));
    return ct_transforms_of(manager)->dirty_count;
}
