// Deferred mode of transforms: changes wait for propagate, which walks only over what moved.
// Knows nothing of how a pose is set, nor of the other components.
//
// The dirty section is the seed's (part 3, "A side note on deferred updates"): the rows at the end
// of the arrays. The seed moves a node there when it is set, which puts children before
// parents whenever a node is set before its children, and mends that by swaps. Here setting only
// notes the row. Propagate moves whole subtrees in, deepest row first, each to the front of the
// section: so parents stand before children without a swap more, for any shape of tree.
#include "component/transform_changes.h"

#include <string.h>

static uint32_t quiet_passes(uint32_t state) {
    return (state & CT_STATE_QUIET) / CT_STATE_QUIET_ONE;
}

// ---------------------------------------------------------------- what others do to the section

// Rows at the end may have gone since.
static void trim_section(ct_transforms *me) {
    uint32_t count = ct_store_count(&me->base.store);
    if (me->section > count) me->section = count;
}

void ct_transform_mend_section(ct_transforms *me, uint32_t to, uint32_t from) {
    ct_transform_arrays t = ct_transform_open(&me->base);
    uint32_t parent = t.parent[to];
    if (from < me->section || parent == CT_NO_ROW || parent < me->section) return;
    if (to < me->section)
        ct_transform_note(me, to); // it has left while its parent stays
    else if (parent > to)
        me->disordered = true;
}

// ---------------------------------------------------------------- moving rows in

// The last one of a list of siblings, from 'row' on backwards, that is not in the section.
static uint32_t last_outside(const ct_transform_arrays *t, uint32_t row, uint32_t section) {
    while (row != CT_NO_ROW && row >= section)
        row = t->prev[row];
    return row;
}

// The last row of a walk below 'row', over rows outside the section only: what is below a row of
// the section is in it as well, or noted and moved in on its own account.
static uint32_t end_of_walk(const ct_transform_arrays *t, uint32_t row, uint32_t section) {
    for (uint32_t child; (child = last_outside(t, t->last[row], section)) != CT_NO_ROW;)
        row = child;
    return row;
}

// Moves a subtree to the front of the section, from its last row to its first, so that there it
// stands in the order of a walk.
static void enter_section(ct_transforms *me, uint32_t top) {
    ct_transform_arrays t = ct_transform_open(&me->base);
    uint32_t at = end_of_walk(&t, top, me->section);
    for (;;) {
        uint32_t next = CT_NO_ROW;
        if (at != top) {
            next = last_outside(&t, t.prev[at], me->section);
            next = next != CT_NO_ROW ? end_of_walk(&t, next, me->section) : t.parent[at];
        }
        uint32_t front = --me->section;
        ct_transform_swap(me, at, front);
        t.state[front] &= ~CT_STATE_QUIET;
        if (next == CT_NO_ROW) return;
        // The row that made room is now where the other was.
        if (next == front) next = at;
        if (top == front) top = at;
        at = next;
    }
}

// Everything noted moves in, and is marked. Answers whether any row moved.
static bool gather_section(ct_transforms *me) {
    uint32_t before = me->section;
    ct_transform_arrays t = ct_transform_open(&me->base);
    for (uint32_t i = 0; i < me->noted_count; ++i) {
        uint32_t row = me->noted[i];
        if (row < me->section) enter_section(me, row);
    }
    for (uint32_t i = 0; i < me->noted_count; ++i) {
        uint32_t row = me->noted[i], parent = t.parent[row];
        t.state[row] = (t.state[row] & ~CT_STATE_PLACE) | CT_STATE_MARKED;
        // Only links can put a parent behind its child, and they note the child.
        if (parent != CT_NO_ROW && parent > row) me->disordered = true;
    }
    me->noted_count = 0;
    return me->section != before;
}

// Puts parents before children again, after links between rows of the section. O(section).
static bool arrange_section(ct_transforms *me) {
    ct_transform_arrays t = ct_transform_open(&me->base);
    uint32_t first = me->section, count = ct_store_count(&me->base.store) - first;
    uint32_t *targets = me->noted, place = first;
    for (uint32_t row = first; row < first + count; ++row) {
        if (t.parent[row] != CT_NO_ROW && t.parent[row] >= first) continue;
        for (uint32_t at = row; at != CT_NO_ROW; at = ct_transform_step(&t, at, row))
            targets[at - first] = place++;
    }
    CT_ASSERT(place == first + count);
    me->disordered = false;
    return ct_transform_arrange(me, first, count, targets);
}

// ---------------------------------------------------------------- the pass

// Computes what is marked or below something computed in this pass; that is told by a count of
// quiet passes of 0, since parents come first. Answers how many rows have been quiet for long.
static uint32_t compute_section(ct_transforms *me) {
    ct_transform_arrays t = ct_transform_open(&me->base);
    float(*restrict local)[16] = t.local;
    float(*restrict world)[16] = t.world;
    uint32_t *restrict state = t.state;
    uint32_t section = me->section, end = ct_store_count(&me->base.store), settled = 0;
    for (uint32_t row = section; row < end; ++row) {
        uint32_t parent = t.parent[row];
        bool follows =
            parent != CT_NO_ROW && parent >= section && (state[parent] & CT_STATE_QUIET) == 0;
        if ((state[row] & CT_STATE_MARKED) == 0 && !follows) {
            // A parent is never quiet for longer than what is below it, unless it was linked
            // since, and then it was marked; so those that leave leave nobody behind them.
            if (quiet_passes(state[row]) < me->settle_passes) state[row] += CT_STATE_QUIET_ONE;
            settled += quiet_passes(state[row]) >= me->settle_passes;
            continue;
        }
        state[row] &= ~(CT_STATE_MARKED | CT_STATE_QUIET);
        if (parent == CT_NO_ROW)
            memcpy(world[row], local[row], sizeof world[row]);
        else
            ct_mat4_product(world[parent], local[row], world[row]);
    }
    return settled;
}

// Quiet rows go to the front of the section, which then begins behind them. The others keep
// their order. Answers whether any row moved.
static bool leave_section(ct_transforms *me, uint32_t leaving) {
    ct_transform_arrays t = ct_transform_open(&me->base);
    uint32_t first = me->section, end = ct_store_count(&me->base.store), place = end;
    me->section += leaving;
    if (leaving == end - first) return false;
    for (uint32_t row = end; row-- > first;) {
        if (quiet_passes(t.state[row]) >= me->settle_passes) continue;
        if (--place == row) continue;
        ct_transform_swap(me, row, place);
    }
    return place != end;
}

void ct_transform_propagate(ct_manager *transforms) {
    ct_transforms *me = ct_transforms_of(transforms);
    ct_transform_settle(transforms);
    if (!me->deferred) return;
    trim_section(me);
    bool moved = gather_section(me);
    if (me->disordered) moved = arrange_section(me) || moved;
    uint32_t leaving = compute_section(me);
    if (leaving > 0) moved = leave_section(me, leaving) || moved;
    if (moved) ct_store_rows_moved(&transforms->store);
}

// ---------------------------------------------------------------- the mode

ct_status ct_transform_set_deferred(ct_manager *transforms, uint32_t settle_passes) {
    ct_transforms *me = ct_transforms_of(transforms);
    CT_ASSERT(me->batches == 0);
    CT_ASSERT(settle_passes > 0 && settle_passes <= CT_MAX_SETTLE_PASSES);
    ct_transform_settle(transforms);
    ct_status status = ct_transform_reserve_notes(me, transforms->store.columns.capacity);
    if (status != CT_OK) return status;
    me->settle_passes = settle_passes;
    if (me->deferred) return CT_OK;
    me->deferred = me->noting = true;
    me->section = ct_store_count(&transforms->store);
    return CT_OK;
}

void ct_transform_set_immediate(ct_manager *transforms) {
    ct_transforms *me = ct_transforms_of(transforms);
    CT_ASSERT(me->batches == 0);
    ct_transform_propagate(transforms);
    me->deferred = me->noting = me->disordered = false;
    me->section = CT_NO_ROW;
}

uint32_t ct_transform_dirty_count(ct_manager *transforms) {
    ct_transforms *me = ct_transforms_of(transforms);
    ct_transform_settle(transforms);
    if (!me->deferred) return me->noted_count;
    trim_section(me);
    uint32_t dirty = ct_store_count(&transforms->store) - me->section;
    for (uint32_t i = 0; i < me->noted_count; ++i)
        dirty += me->noted[i] < me->section;
    return dirty;
}
