// Row order of transforms: swaps, moves of many rows, and sorting by hierarchy.
#include "component/transform_changes.h"

static uint32_t swapped(uint32_t row, uint32_t a, uint32_t b) {
    return row == a ? b : row == b ? a : row;
}

// Replaces the row's own references to either row.
static void fix_own(const ct_transform_arrays *t, uint32_t row, uint32_t a, uint32_t b) {
    t->parent[row] = swapped(t->parent[row], a, b);
    t->first[row] = swapped(t->first[row], a, b);
    t->last[row] = swapped(t->last[row], a, b);
    t->next[row] = swapped(t->next[row], a, b);
    t->prev[row] = swapped(t->prev[row], a, b);
}

static void fix_siblings(const ct_transform_arrays *t, uint32_t row) {
    uint32_t parent = ct_transform_above(t, row), next = t->next[row], prev = t->prev[row];
    if (prev != CT_NO_ROW)
        t->next[prev] = row;
    else if (parent != CT_NO_ROW)
        t->first[parent] = row;
    if (next != CT_NO_ROW)
        t->prev[next] = row;
    else if (parent != CT_NO_ROW)
        t->last[parent] = row;
}

// Updates the parent stored by the children. Amortized O(1): only the first move of a parent with
// many children writes to all of them.
static void fix_children(const ct_transform_arrays *t, uint32_t row) {
    uint32_t child = t->first[row];
    if (child == CT_NO_ROW || t->parent[child] >= CT_PARENT_IS_INDEX) return;
    for (uint32_t few = CT_MANY_CHILDREN; few > 0 && child != CT_NO_ROW; --few) {
        t->parent[child] = row;
        child = t->next[child];
    }
    if (child == CT_NO_ROW) return;
    uint32_t name = CT_PARENT_IS_INDEX | ct_entity_index(t->owner[row]);
    for (child = t->first[row]; child != CT_NO_ROW; child = t->next[child])
        t->parent[child] = name;
}

// Returns whether all links of a row lead into the 'count' rows at 'first', or nowhere.
static bool is_closed(const ct_transform_arrays *t, uint32_t row, uint32_t first, uint32_t count) {
    const uint32_t links[] = {t->parent[row], t->first[row], t->last[row], t->next[row],
                              t->prev[row]};
    bool closed = true;
    for (uint32_t i = 0; i < 5; ++i)
        closed &= links[i] == CT_NO_ROW || links[i] - first < count;
    return closed;
}

// Updates rows outside that refer to a moved row. Only rows with a link to the outside have such
// neighbors.
static void fix_outside(const ct_transform_arrays *t, uint32_t first, uint32_t count) {
    for (uint32_t row = first; row < first + count; ++row) {
        if (!is_closed(t, row, first, count)) fix_siblings(t, row);
    }
    // Sibling links are correct now, so children can be found.
    for (uint32_t row = first; row < first + count; ++row) {
        if (is_closed(t, row, first, count)) continue;
        uint32_t parent = ct_transform_above(t, row);
        fix_children(t, row);
        if (parent != CT_NO_ROW) fix_children(t, parent);
    }
}

void ct_transform_moved(ct_manager *manager, ct_row to, ct_row from, uint32_t count) {
    ct_transforms *transforms = ct_transforms_of(manager);
    ct_transform_arrays t = ct_transform_open(manager);
    uint32_t *const links[] = {t.parent, t.first, t.last, t.next, t.prev};
    bool others = count == 1;
    for (uint32_t i = 0; i < 5 && count > 1; ++i)
        others |= ct_links_shift(links[i] + to.i, count, to, from, count);
    if (others) fix_outside(&t, to.i, count);
    for (uint32_t row = to.i; row < to.i + count && transforms->dirty_count > 0; ++row)
        ct_transform_fix_dirty_index(transforms, row);
}

// Swaps two rows and updates all references to them, except loops and instances.
static void swap(ct_transforms *transforms, uint32_t a, uint32_t b) {
    if (a == b) return;
    ct_store_swap(&transforms->base.store, (ct_row){a}, (ct_row){b});
    ct_transform_arrays t = ct_transform_open(&transforms->base);
    fix_own(&t, a, a, b);
    fix_own(&t, b, a, b);
    fix_siblings(&t, a);
    fix_siblings(&t, b);
    fix_children(&t, a);
    fix_children(&t, b);
    ct_transform_fix_dirty_index(transforms, a);
    ct_transform_fix_dirty_index(transforms, b);
}

// Prefetches a row that will be swapped soon.
static void look_ahead(const ct_columns *columns, uint32_t row) {
    for (uint32_t c = 0; c < columns->column_count; ++c)
        CT_PREFETCH(columns->at[c] + (size_t)row * columns->width[c]);
}

// Moves each row to its target. 'targets' is a permutation of all rows and is overwritten. Returns
// whether any row moved.
static bool permute(ct_transforms *transforms, uint32_t count, uint32_t *targets) {
    bool moved = false;
    for (uint32_t i = 0; i < count; ++i) {
        // Each swap moves one row to its final place.
        while (targets[i] != i) {
            uint32_t place = targets[i];
            look_ahead(&transforms->base.store.columns, targets[place]);
            swap(transforms, i, place);
            targets[i] = targets[place];
            targets[place] = place;
            moved = true;
        }
    }
    return moved;
}

static ct_status sort(ct_manager *manager) {
    ct_transforms *transforms = ct_transforms_of(manager);
    const ct_allocator *allocator = manager->store.allocator;
    ct_transform_flush_deaths(manager);
    ct_transform_resolve_all(transforms);
    uint32_t count = ct_store_count(&manager->store), place = 0;
    if (count == 0) return CT_OK;
    uint32_t *targets = ct_alloc(allocator, count * sizeof *targets);
    if (targets == NULL) return CT_ERR_MEMORY;
    // Nothing below this line can fail.
    ct_transform_arrays t = ct_transform_open(manager);
    for (uint32_t root = 0; root < count; ++root) {
        if (t.parent[root] != CT_NO_ROW) continue;
        for (uint32_t row = root; row != CT_NO_ROW; row = ct_transform_step(&t, row, root))
            targets[row] = place++;
    }
    CT_ASSERT(place == count);
    if (permute(transforms, count, targets)) ct_store_rows_moved(&manager->store);
    ct_free(allocator, targets, count * sizeof *targets);
    return CT_OK;
}

ct_status ct_transform_sort(ct_manager *manager) {
    uint64_t begun = ct_work_begin(&manager->timings);
    ct_status status = sort(manager);
    ct_work_end(&manager->timings, CT_WORK_SORT, begun);
    return status;
}
