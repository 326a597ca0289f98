// World poses of transforms that are computed later: at the end of a batch, or by a propagate of
// deferred mode.
//
// Bitsquid part 3 ("A side note on deferred updates") moves changed rows into a section at the end
// of the arrays. Here rows stay in place and a list contains the dirty ones. Swapping rows of 190
// bytes and correcting their links took 168 to 356 ns for each node, 38 to 46 times as long as
// immediate mode; the list takes 1.0 to 1.4 times as long (bench/hierarchy_bench.c).
#include "base/message.h"
#include "component/transform_changes.h"

// The way up from 'row' to 'top', both included, written from 'row' on; how long it is.
static uint32_t way_up(const ct_transform_arrays *t, uint32_t row, uint32_t top, uint32_t *way) {
    uint32_t length = 0;
    for (;; row = ct_transform_above(t, row)) {
        way[length++] = row;
        if (row == top) return length;
    }
}

const float *ct_transform_current_world(const ct_manager *transforms, uint32_t row, float *room) {
    ct_transforms *me = (ct_transforms *)(uintptr_t)transforms; // what is worked out is no change
    ct_transform_arrays t = ct_transform_open(transforms);
    // Deferred, getters tell the last propagated pose.
    if (me->deferred) return t.world[row];
    ct_transform_resolve_all(me);
    if (CT_LIKELY(me->dirty_count == 0)) return t.world[row];
    uint32_t top = CT_NO_ROW;
    for (uint32_t at = row; at != CT_NO_ROW; at = ct_transform_above(&t, at)) {
        if ((t.state[at] & CT_STATE_PLACE) != 0) top = at;
    }
    if (top == CT_NO_ROW) return t.world[row];
    // Down again, multiplying in the order in which the end of the batch will: the same bits.
    uint32_t *way = me->dirty + me->dirty_capacity;
    uint32_t length = way_up(&t, row, top, way), above = ct_transform_above(&t, top);
    ct_transform_world_under(&t, above != CT_NO_ROW ? t.world[above] : NULL, top, room);
    for (uint32_t i = length - 1; i-- > 0;)
        ct_transform_world_under(&t, room, way[i], room);
    return room;
}

// Whether some row above is dirty, so that computing that one computes this one too. Rows on the
// way that have nobody dirty above are marked: the next one to come by need not climb on.
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

// O(dirty rows, what is above them, and what is below them), whatever the shape.
static void compute_dirty(ct_transforms *me) {
    ct_transform_finish_writes(me);
    ct_transform_arrays t = ct_transform_open(&me->base);
    uint32_t tops = 0, count = me->dirty_count;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = me->dirty[i];
        if (!is_covered(&t, row)) me->dirty[me->dirty_capacity + tops++] = row;
    }
    for (uint32_t i = 0; i < count; ++i)
        t.state[me->dirty[i]] &= ~CT_STATE_PLACE;
    me->dirty_count = 0;
    const uint32_t *top = me->dirty + me->dirty_capacity;
    for (uint32_t i = 0; i < tops; ++i) {
        clear_marks(&t, top[i]);
        ct_transform_propagate_from(me, &t, top[i]);
    }
}

// Room to note every row there is room for: then noting cannot fail.
ct_status ct_transform_reserve_changes(ct_transforms *me) {
    uint32_t rows = me->base.store.columns.capacity;
    ct_status status = ct_transform_reserve_blocks(me, rows);
    return status == CT_OK ? ct_transform_reserve_dirty(me, rows) : status;
}

ct_status ct_transform_make_room(ct_manager *transforms) {
    ct_transforms *me = ct_transforms_of(transforms);
    return me->noting != 0 ? ct_transform_reserve_changes(me) : CT_OK;
}

ct_status ct_transform_begin_batch(ct_manager *transforms) {
    ct_transforms *me = ct_transforms_of(transforms);
    ct_transform_flush_deaths(transforms);
    ct_status status = ct_transform_reserve_changes(me);
    if (status != CT_OK) return status;
    me->batches++;
    me->noting = 1;
    return CT_OK;
}

void ct_transform_end_batch(ct_manager *transforms) {
    ct_transforms *me = ct_transforms_of(transforms);
    ct_transform_flush_deaths(transforms);
    CT_ASSERT(me->batches > 0);
    if (--me->batches > 0 || me->deferred) return;
    compute_dirty(me);
    me->noting = 0;
}

bool ct_transform_in_batch(const ct_manager *transforms) {
    return ((const ct_transforms *)(const void *)transforms)->batches > 0;
}

ct_status ct_transform_set_deferred(ct_manager *transforms) {
    ct_transforms *me = ct_transforms_of(transforms);
    CT_ASSERT(me->batches == 0);
    ct_transform_flush_deaths(transforms);
    ct_status status = ct_transform_reserve_changes(me);
    if (status != CT_OK) return status;
    me->deferred = true;
    me->noting = 1;
    return CT_OK;
}

void ct_transform_set_immediate(ct_manager *transforms) {
    ct_transforms *me = ct_transforms_of(transforms);
    CT_ASSERT(me->batches == 0);
    ct_transform_propagate(transforms);
    me->deferred = false;
    me->noting = 0;
}

void ct_transform_propagate(ct_manager *transforms) {
    ct_transforms *me = ct_transforms_of(transforms);
    uint64_t begun = ct_work_begin(&transforms->timings);
    ct_transform_flush_deaths(transforms);
    if (me->deferred) compute_dirty(me);
    ct_work_end(&transforms->timings, CT_WORK_PROPAGATE, begun);
}

void ct_transform_state(ct_manager *transforms, ct_state *state) {
    ct_transforms *me = ct_transforms_of(transforms);
    struct {
        uint32_t rows, dirty_count, noting;
        unsigned char deferred, written;
    } v = {ct_store_count(&transforms->store), me->dirty_count, me->noting, me->deferred,
           me->written};
    if (me->batches > 0 && !ct_state_require(state, CT_ERR_DATA))
        ct_message_set(state->message, CT_TRANSFORM ": a batch runs");
    ct_state_values(state, &v, sizeof v);
    if (state->pass == CT_STATE_RESERVE && v.noting != 0)
        ct_state_require(state, ct_transform_reserve_changes(me));
    if (state->pass == CT_STATE_COMMIT && me->blocks != NULL)
        memset(me->blocks, 0, ct_transform_block_bytes(me->block_rows));
    ct_state_block(state, me->dirty, v.dirty_count * sizeof *me->dirty);
    ct_state_block(state, me->blocks, v.written != 0 ? ct_transform_block_bytes(v.rows) : 0);
    ct_transform_hung_state(me, state);
    if (state->pass != CT_STATE_COMMIT) return;
    ct_transform_tell_all(me);
    me->dirty_count = v.dirty_count;
    me->noting = v.noting;
    me->deferred = v.deferred != 0;
    me->written = v.written;
}

uint32_t ct_transform_dirty_count(ct_manager *transforms) {
    ct_transform_flush_deaths(transforms);
    ct_transform_resolve_all(ct_transforms_of(transforms));
    return ct_transforms_of(transforms)->dirty_count;
}
