// Deferred mode of transforms: changes wait for propagate, which walks only over what moved.
// Knows nothing of how a pose is set, nor of the other components.
//
// The dirty section is that of Bitsquid part 3 ("A side note on deferred updates"): the rows at the
// end of the arrays. There a node moves when it is set, which puts children before parents
// whenever a node is set before its children, and is undone by swaps. Here setting only marks the
// row. Propagate lists whole subtrees, deepest row first, and puts what is listed before
// the section in the opposite order: so parents stand before children, for any shape of tree.
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

void ct_transform_fix_section(ct_transforms *me, uint32_t to, uint32_t from) {
    ct_transform_arrays t = ct_transform_open(&me->base);
    uint32_t parent = t.parent[to];
    if (from < me->section || parent == CT_NO_ROW || parent < me->section) return;
    if (to < me->section)
        ct_transform_mark_dirty(me, to); // it has left while its parent stays
    else if (parent > to)
        me->disordered = true;
}

// ---------------------------------------------------------------- moving rows in

static bool is_outside(const ct_transforms *me, const ct_transform_arrays *t, uint32_t row) {
    return row < me->section && (t->state[row] & CT_STATE_MARKED) == 0;
}

// The last one of a list of siblings, from 'row' on backwards, that is outside the section.
static uint32_t last_outside(const ct_transforms *me, const ct_transform_arrays *t, uint32_t row) {
    while (row != CT_NO_ROW && !is_outside(me, t, row))
        row = t->prev[row];
    return row;
}

// The last row of a walk below 'row', over rows outside the section only: what is below a row of
// the section is in it as well, or dirty and listed on its own account.
static uint32_t end_of_walk(const ct_transforms *me, const ct_transform_arrays *t, uint32_t row) {
    for (uint32_t child; (child = last_outside(me, t, t->last[row])) != CT_NO_ROW;)
        row = child;
    return row;
}

// Lists a subtree from its last row to its first, and marks its rows. Returns the new length.
static uint32_t list_subtree(const ct_transforms *me, const ct_transform_arrays *t, uint32_t top,
                             uint32_t *list, uint32_t length) {
    for (uint32_t at = end_of_walk(me, t, top);;) {
        t->state[at] |= CT_STATE_MARKED;
        list[length++] = at;
        if (at == top) return length;
        uint32_t next = last_outside(me, t, t->prev[at]);
        at = next != CT_NO_ROW ? end_of_walk(me, t, next) : t->parent[at];
    }
}

// The listed rows become those right before the section, in any order: each that stands farther
// off changes places with one that is not listed. Returns whether any did.
static bool pack_before_section(ct_transforms *me, const ct_transform_arrays *t, uint32_t *list,
                                uint32_t length) {
    uint32_t first = me->section - length, place = first;
    bool moved = false;
    // Most can go straight to where they will stand.
    for (uint32_t i = 0; i < length; ++i) {
        uint32_t target = me->section - 1 - i;
        if (list[i] >= first || (t->state[target] & CT_STATE_MARKED) != 0) continue;
        ct_transform_swap(me, list[i], target);
        list[i] = target;
        moved = true;
    }
    for (uint32_t i = 0; i < length; ++i) {
        if (list[i] >= first) continue;
        while ((t->state[place] & CT_STATE_MARKED) != 0)
            place++;
        ct_transform_swap(me, list[i], place);
        list[i] = place;
        moved = true;
    }
    return moved;
}

// Everything dirty moves in, and is marked. Returns whether any row moved. Each row moves three
// times at most, so that one with many children costs no more than they do.
static bool gather_section(ct_transforms *me) {
    ct_transform_arrays t = ct_transform_open(&me->base);
    uint32_t *list = me->dirty + me->dirty_capacity, *targets = me->dirty, length = 0;
    for (uint32_t i = 0; i < me->dirty_count; ++i) {
        uint32_t row = me->dirty[i], parent = t.parent[row];
        // Only links can put a parent behind its child, and they note the child.
        if (parent != CT_NO_ROW && parent >= me->section && parent > row) me->disordered = true;
        if (is_outside(me, &t, row)) length = list_subtree(me, &t, row, list, length);
    }
    bool moved = pack_before_section(me, &t, list, length);
    for (uint32_t i = 0; i < length; ++i)
        t.state[list[i]] &= ~CT_STATE_MARKED;
    for (uint32_t i = 0; i < me->dirty_count; ++i) {
        uint32_t row = me->dirty[i];
        t.state[row] = (t.state[row] & ~CT_STATE_PLACE) | CT_STATE_MARKED;
    }
    me->dirty_count = 0;
    // Nobody is dirty any more: the notes' room serves for the order, the last of the list first.
    me->section -= length;
    for (uint32_t i = 0; i < length; ++i)
        targets[list[i] - me->section] = me->section + length - 1 - i;
    return ct_transform_permute(me, me->section, length, targets) || moved;
}

// Puts parents before children again, after links between rows of the section. O(section).
static bool arrange_section(ct_transforms *me) {
    ct_transform_arrays t = ct_transform_open(&me->base);
    uint32_t first = me->section, count = ct_store_count(&me->base.store) - first;
    uint32_t *targets = me->dirty, place = first;
    for (uint32_t row = first; row < first + count; ++row) {
        if (t.parent[row] != CT_NO_ROW && t.parent[row] >= first) continue;
        for (uint32_t at = row; at != CT_NO_ROW; at = ct_transform_step(&t, at, row))
            targets[at - first] = place++;
    }
    CT_ASSERT(place == first + count);
    me->disordered = false;
    return ct_transform_permute(me, first, count, targets);
}

// ---------------------------------------------------------------- the pass

// Computes what is marked or below something computed in this pass; that is told by a count of
// quiet passes of 0, since parents come first. Returns how many rows have been quiet for long.
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
        ct_transform_world_from(world, parent, local[row], world[row]);
    }
    return settled;
}

// Quiet rows go to the front of the section, which then begins behind them. All keep their order
// among themselves. Returns whether any row moved.
static bool leave_section(ct_transforms *me, uint32_t leaving) {
    ct_transform_arrays t = ct_transform_open(&me->base);
    uint32_t first = me->section, count = ct_store_count(&me->base.store) - first;
    uint32_t *targets = me->dirty, out = first, in = first + leaving;
    for (uint32_t i = 0; i < count; ++i)
        targets[i] = quiet_passes(t.state[first + i]) >= me->settle_passes ? out++ : in++;
    me->section = first + leaving;
    return ct_transform_permute(me, first, count, targets);
}

void ct_transform_propagate(ct_manager *transforms) {
    ct_transforms *me = ct_transforms_of(transforms);
    ct_transform_flush_deaths(transforms);
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
    ct_transform_flush_deaths(transforms);
    ct_status status = ct_transform_reserve_dirty(me, transforms->store.columns.capacity);
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
    ct_transform_flush_deaths(transforms);
    if (!me->deferred) return me->dirty_count;
    trim_section(me);
    uint32_t dirty = ct_store_count(&transforms->store) - me->section;
    for (uint32_t i = 0; i < me->dirty_count; ++i)
        dirty += me->dirty[i] < me->section;
    return dirty;
}
