// Removal of rows of dead entities: those in the log of deaths, those found at random, or all.
#include "storage/manager.h"
#include "storage/store.h"

static bool row_is_dead(const ct_store *store, uint32_t row) {
    return !ct_entity_manager_alive_or_dying(store->entities, ct_store_owners(store)[row]);
}

static ct_manager *manager_of(ct_store *store) { return (ct_manager *)(void *)store; }

// Returns how many of 'count' rows have living owners, without a branch for each row.
static uint32_t count_living(const ct_store *store, uint32_t row, uint32_t count) {
    const ct_entity *owners = ct_store_owners(store) + row;
    const uint16_t *slots = store->entities->slots;
    uint32_t used = store->entities->used, living = 0;
    for (uint32_t i = 0; i < count && used > 0; ++i) {
        uint32_t index = ct_entity_index(owners[i]), known = index < used ? index : 0;
        living += (index == known) & (slots[known] == ct_entity_generation(owners[i]));
    }
    return living;
}

// Returns the length of the run of dead (or living) rows from 'row' to before 'end'. O(length).
static uint32_t run_of(const ct_store *store, uint32_t row, uint32_t end, bool dead) {
    enum { FIRST_PART = 8, LAST_PART = 1024 };
    uint32_t first = row;
    for (uint32_t part = FIRST_PART; end - row >= part && store->entities->dying == NULL;) {
        if (count_living(store, row, part) != (dead ? 0 : part)) break;
        row += part;
        if (part < LAST_PART) part *= 2;
    }
    while (row < end && row_is_dead(store, row) == dead)
        row++;
    return row - first;
}

// Returns the length of such a run that ends before 'end', back to 'first' at most.
static uint32_t run_before(const ct_store *store, uint32_t first, uint32_t end, bool dead) {
    enum { PART = 64 };
    uint32_t row = end;
    while (row - first >= PART && row_is_dead(store, row - 1) == dead &&
           run_of(store, row - PART, row, dead) == PART)
        row -= PART;
    while (row > first && row_is_dead(store, row - 1) == dead)
        row--;
    return end - row;
}

static void remove_rows(ct_store *store, uint32_t first, uint32_t count) {
    if (count == 1)
        ct_store_remove(store, (ct_row){first});
    else if (count > 1)
        ct_store_remove_rows(store, (ct_row){first}, count);
}

static uint32_t least_of(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Removes, in runs, the dead rows in [first, end) and at the end of all rows. A gap is filled with
// living rows from the end, so no row moves twice. The first 'gap' rows are known to be dead.
static void remove_dead(ct_store *store, uint32_t first, uint32_t end, uint32_t gap) {
    const uint32_t *count = &store->columns.count;
    uint32_t row = first;
    while (row < end && row < *count) {
        if (gap == 0) gap = run_of(store, row, least_of(end, *count), true);
        if (gap == 0) {
            row += run_of(store, row, least_of(end, *count), false);
            continue;
        }
        uint32_t last = run_before(store, row + gap, *count, true);
        remove_rows(store, *count - last, last);
        uint32_t behind = least_of(*count - row - gap, gap);
        uint32_t alive = run_before(store, *count - behind, *count, false);
        remove_rows(store, row, alive > 0 ? alive : gap);
        row += alive;
        gap = alive > 0 ? gap - alive : 0;
    }
}

static uint32_t sweep(ct_store *store) {
    uint32_t before = store->columns.count;
    uint32_t dead = run_of(store, 0, before, true);
    // After a level was unloaded, often all rows are dead. A single row is removed individually, so
    // that a loop that returned it can end without an error: no other row moves.
    if (before > 1 && dead == before) {
        ct_store_clear(store);
    } else {
        remove_dead(store, 0, before, dead);
    }
    store->sweep = 0;
    store->gc_position = store->entities->tail;
    manager_of(store)->deaths_seen = store->gc_position; // no dead entity has a row
    return before - store->columns.count;
}

// Returns the index at a position of the log of deaths.
static uint32_t logged(const ct_entity_manager *entities, uint64_t position) {
    return entities->log[position & (entities->capacity - 1)];
}

// Prefetches the data for later removals: first the map entry, then the row.
static void look_ahead(const ct_store *store, uint64_t position) {
    const ct_entity_manager *entities = store->entities;
    if (position + 16 < entities->tail)
        ct_entity_map_prefetch(&store->map, logged(entities, position + 16));
    if (position + 8 >= entities->tail) return;
    uint32_t row = ct_store_find_index(store, logged(entities, position + 8));
    if (row == CT_NO_ROW) return;
    const ct_columns *columns = &store->columns;
    for (uint32_t c = 0; c < columns->column_count; ++c)
        CT_PREFETCH(columns->at[c] + (size_t)row * columns->width[c]);
}

// Returns how many rows from 'row' on, at most 'limit', are the only ones of entities that follow
// one another in the log: after a level was unloaded most are. *entries becomes the number of their
// entries, at least one, with entries without rows between them.
static uint32_t logged_run(const ct_store *store, uint32_t row, uint32_t limit, uint64_t *entries) {
    const ct_entity *owners = ct_store_owners(store) + row;
    uint64_t position = store->gc_position, end = position + *entries;
    uint32_t run = 0;
    *entries = 1;
    if (end > store->entities->tail) end = store->entities->tail;
    if (limit > store->columns.count - row) limit = store->columns.count - row;
    for (; run < limit && position < end; ++position) {
        uint32_t index = logged(store->entities, position);
        if (ct_entity_index(owners[run]) != index) {
            if (ct_store_find_index(store, index) != CT_NO_ROW) break;
            continue;
        }
        if (!row_is_dead(store, row + run) || !ct_store_is_single(store, row + run)) break;
        run++;
        *entries = position + 1 - store->gc_position;
    }
    return run;
}

// Removes rows of entities that the log lists since the last call, until 'least' rows are left or
// 'entries' entries were read.
static void collect_logged(ct_store *store, uint32_t least, uint64_t entries) {
    const ct_entity_manager *entities = store->entities;
    enum { LONGEST = 256 }; // longest run of dead rows that is searched
    for (; store->gc_position < entities->tail && entries > 0; ++store->gc_position, --entries) {
        if (store->columns.count <= least) return;
        look_ahead(store, store->gc_position);
        uint32_t row = ct_store_find_index(store, logged(entities, store->gc_position));
        if (row == CT_NO_ROW || !row_is_dead(store, row)) continue;
        ct_entity owner = ct_store_owners(store)[row];
        uint32_t count = store->columns.count;
        if (least > 0) { // in the order of deaths
            uint64_t read = entries;
            uint32_t run = logged_run(store, row, least_of(count - least, LONGEST), &read);
            if (run > 1)
                ct_store_remove_rows(store, (ct_row){row}, run);
            else
                ct_store_remove_all(store, owner);
            store->gc_position += read - 1;
            entries -= read - 1;
            continue;
        }
        uint32_t before = run_before(store, row - least_of(row, LONGEST), row, true);
        uint32_t run = run_of(store, row, row + least_of(count - row, LONGEST), true);
        remove_dead(store, row - before, row + run, before + run);
        if (store->multiple) ct_store_remove_all(store, owner);
    }
}

// Removes rows at random as in Bitsquid part 2, until 'least' rows are left.
static void collect_at_random(ct_store *store, uint32_t least) {
    for (uint32_t living = 0; store->columns.count > least && living < 4;) {
        uint32_t row = ct_random_below(&store->random, store->columns.count);
        if (row_is_dead(store, row)) {
            ct_store_remove(store, (ct_row){row});
            living = 0;
        } else {
            living++;
        }
    }
}

static uint32_t collect(ct_store *store) {
    uint32_t before = store->columns.count;
    uint64_t logged = store->entities->tail - store->gc_position;
    // Checking a row in order costs about a quarter of finding it through the map.
    bool known = ct_entity_manager_logs_from(store->entities, store->gc_position);
    if (!known || logged > before / 4 || store->sweep > 0) {
        sweep(store);
    } else {
        collect_logged(store, 0, UINT64_MAX);
    }
    collect_at_random(store, 0);
    return before - store->columns.count;
}

// Sweeps from the last row to the first: a row that fills a gap was already checked.
static void sweep_some(ct_store *store, uint32_t least, uint32_t rows) {
    const uint32_t *count = &store->columns.count;
    store->sweep = least_of(store->sweep, *count);
    while (store->sweep > 0 && rows > 0 && *count > least) {
        uint32_t end = store->sweep, most = least_of(rows, end);
        uint32_t alive = run_before(store, end - most, end, false);
        end -= alive;
        most = least_of(most - alive, *count - least);
        uint32_t dead = run_before(store, end - most, end, true);
        store->sweep = end - dead;
        remove_rows(store, end - dead, dead);
        rows -= alive + dead;
    }
}

static uint32_t collect_some(ct_store *store, uint32_t limit) {
    enum { LOOKS = 16 }; // a removal costs as much as this many checks
    uint32_t before = store->columns.count, least = before > limit ? before - limit : 0;
    uint32_t looks = limit < UINT32_MAX / LOOKS ? limit * LOOKS : UINT32_MAX;
    if (!ct_entity_manager_logs_from(store->entities, store->gc_position)) {
        store->sweep = before;
        store->gc_position = store->entities->tail;
    }
    // The log does not lead to orphaned rows, and random probes find few of many.
    if (store->orphan_count > 0 && store->sweep == 0) store->sweep = before;
    sweep_some(store, least, looks);
    collect_logged(store, least, looks);
    collect_at_random(store, least);
    return before - store->columns.count;
}

// ---------------------------------------------------------------- timed

// Ends a collection. If that moved a row, running loops over rows stop with an error, even if only
// the row that they returned was removed.
static uint32_t end(ct_store *store, uint32_t removed, uint64_t begun) {
    if (removed > 0 && store->last_removed.i != store->last_vanished)
        store->last_removed.i = CT_NO_ROW;
    ct_work_end(&manager_of(store)->timings, CT_WORK_GC, begun);
    return removed;
}

uint32_t ct_store_gc(ct_store *store) {
    uint64_t begun = ct_work_begin(&manager_of(store)->timings);
    return end(store, collect(store), begun);
}

uint32_t ct_store_gc_some(ct_store *store, uint32_t limit) {
    uint64_t begun = ct_work_begin(&manager_of(store)->timings);
    return end(store, collect_some(store, limit), begun);
}

uint32_t ct_store_sweep(ct_store *store) {
    uint64_t begun = ct_work_begin(&manager_of(store)->timings);
    return end(store, sweep(store), begun);
}
