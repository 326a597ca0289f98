// Rows, owners, lists of several per entity, and swap-erase.
// Knows nothing of what a component's own columns mean.
#include "storage/store.h"

#include <string.h>

static uint32_t *next_of(const ct_store *store) { return ct_store_u32(store, CT_COLUMN_NEXT); }
static uint32_t *prev_of(const ct_store *store) { return ct_store_u32(store, CT_COLUMN_PREV); }

void ct_store_draw_epoch(ct_store *store) {
    if (!store->handed_out) return;
    store->handed_out = false;
    *store->epochs = (*store->epochs + 1) & 0x7FFFFFFFu;
    if (*store->epochs == 0) *store->epochs = 1;
    store->epoch = *store->epochs;
}

void ct_store_rows_moved(ct_store *store) {
    store->changes++;
    store->last_removed.i = CT_NO_ROW;
    ct_store_draw_epoch(store);
}

static void disown(ct_store *store, uint32_t row);

// Ids of an index come back: what a dead one left in the last round must not answer to them.
static void generations_went_round(void *user, uint32_t index) {
    ct_store *store = user;
    uint32_t row = ct_store_find_index(store, index);
    if (row == CT_NO_ROW) return;
    ct_entity_map_erase(&store->map, ct_store_owners(store), index, row);
    disown(store, row);
}

void ct_store_init(ct_store *store, const ct_allocator *allocator, ct_entity_manager *entities,
                   uint32_t *epochs, ct_map_kind kind, bool multiple, const uint16_t *widths,
                   uint32_t own_column_count) {
    uint16_t all[CT_MAX_COLUMNS] = {4, 4, 4, 4};
    memset(store, 0, sizeof *store);
    store->multiple = multiple;
    uint32_t first = ct_store_own_columns(store);
    CT_ASSERT(first + own_column_count <= CT_MAX_COLUMNS);
    for (uint32_t c = 0; c < own_column_count; ++c)
        all[first + c] = widths[c];
    ct_columns_init(&store->columns, all, first + own_column_count);
    ct_entity_map_init(&store->map, kind);
    store->allocator = allocator;
    store->entities = entities;
    store->watch = (ct_round_watch){generations_went_round, store, NULL};
    ct_entity_manager_watch(entities, &store->watch);
    store->gc_position = entities->tail;
    store->last_removed.i = CT_NO_ROW;
    store->epochs = epochs;
    store->handed_out = true; // so that the first epoch is drawn
    ct_store_draw_epoch(store);
}

void ct_store_free(ct_store *store) {
    ct_entity_manager_unwatch(store->entities, &store->watch);
    ct_columns_free(&store->columns, store->allocator);
    ct_entity_map_free(&store->map, store->allocator);
    store->nobody_count = 0;
    ct_store_rows_moved(store);
}

void ct_store_clear(ct_store *store) {
    for (uint32_t row = store->columns.count; row-- > 0 && store->hooks.removing != NULL;)
        store->hooks.removing(store->hooks.user, (ct_row){row});
    if (store->columns.count > 0) ct_store_rows_moved(store);
    ct_entity_map_clear(&store->map);
    store->columns.count = 0;
    store->nobody_count = 0;
}

// Rows beyond those there are; at the limit the dead make room.
static ct_status reserve_rows(ct_store *store, uint32_t count) {
    if (count > CT_MAX_ROWS) return CT_ERR_FULL;
    if (count > CT_MAX_ROWS - store->columns.count) ct_store_sweep(store);
    if (store->columns.count == 0) store->ids_ascend = true;
    if (count > CT_MAX_ROWS - store->columns.count) return CT_ERR_FULL;
    if (CT_LIKELY(count <= store->columns.capacity - store->columns.count)) return CT_OK;
    return ct_columns_reserve(&store->columns, store->allocator, store->columns.count + count,
                              CT_MAX_ROWS);
}

ct_status ct_store_reserve(ct_store *store, const ct_entity *owners, uint32_t count) {
    ct_status status = reserve_rows(store, count);
    if (status != CT_OK) return status;
    return ct_entity_map_reserve(&store->map, store->allocator, ct_store_owners(store), owners,
                                 count);
}

// The rows of a dead predecessor under an index become nobody's; only gc sees
// them from now on.
static void disown(ct_store *store, uint32_t row) {
    ct_entity *owners = ct_store_owners(store);
    while (row != CT_NO_ROW) {
        uint32_t next = ct_store_next(store, (ct_row){row}).i;
        owners[row].id = CT_NOBODY;
        store->nobody_count++;
        if (store->hooks.disowned != NULL) store->hooks.disowned(store->hooks.user, (ct_row){row});
        if (store->multiple) {
            next_of(store)[row] = CT_NO_ROW;
            prev_of(store)[row] = row;
        }
        row = next;
    }
}

static void append_to_list(ct_store *store, uint32_t first, uint32_t row) {
    uint32_t *next = next_of(store), *prev = prev_of(store);
    next[row] = CT_NO_ROW;
    prev[row] = prev[first];
    next[prev[first]] = row;
    prev[first] = row;
}

// A new row, whose owner stands in the column already, enters the map and its owner's list.
// False when the owner has one and may not have another.
static bool enter_row(ct_store *store, uint32_t row) {
    const ct_entity *column = ct_store_owners(store);
    uint32_t index = ct_entity_index(column[row]);
    CT_ASSERT(ct_entity_manager_alive(store->entities, column[row]));
    if (store->multiple) {
        next_of(store)[row] = CT_NO_ROW;
        prev_of(store)[row] = row;
    }
    uint32_t found = ct_entity_map_enter(&store->map, column, index, row);
    if (CT_LIKELY(found == CT_NO_ROW)) return true;
    if (column[found].id != column[row].id) {
        disown(store, found);
        return true;
    }
    // It has one already, which stays its first.
    ct_entity_map_move(&store->map, index, row, found);
    if (store->multiple) append_to_list(store, found, row);
    return store->multiple;
}

// The row behind 'done' new ones may not be there: none of them is.
static ct_status refuse_row(ct_store *store, uint32_t begin, uint32_t done, ct_row *first) {
    store->columns.count = begin + done;
    ct_store_take_back(store, done);
    first->i = done;
    return CT_ERR_EXISTS;
}

// The same for 'count' rows from 'row' on; *first tells where they begin, or which one failed.
static ct_status enter_rows(ct_store *store, uint32_t row, uint32_t count, ct_row *first) {
    for (uint32_t i = 0; i < count; ++i) {
        if (!enter_row(store, row + i)) return refuse_row(store, row, i, first);
    }
    store->columns.count = row + count;
    first->i = row;
    return CT_OK;
}

ct_status ct_store_add(ct_store *store, const ct_entity *owners, uint32_t count, ct_row *first) {
    first->i = store->columns.count;
    if (count == 0) return CT_OK;
    ct_status status = ct_store_reserve(store, owners, count);
    if (status != CT_OK) return status;
    uint32_t row = store->columns.count;
    memcpy(ct_store_owners(store) + row, owners, count * sizeof *owners);
    return enter_rows(store, row, count, first);
}

// How many rows from 'row' on have owners of consecutive indices on one page of an array map.
static uint32_t run_of(const ct_entity *owners, uint32_t row, uint32_t count) {
    uint32_t index = ct_entity_index(owners[row]), length = 1;
    uint32_t room = CT_MAP_PAGE_ROWS - (index & (CT_MAP_PAGE_ROWS - 1));
    if (count > room) count = room;
    while (length < count && ct_entity_index(owners[row + length]) == index + length)
        length++;
    return length;
}

// Enters a run at once as far as its indices are free, one by one from there. Answers how many;
// fewer than 'run' when the next one may not have a row.
static uint32_t enter_run(ct_store *store, uint32_t row, uint32_t run) {
    uint32_t index = ct_entity_index(ct_store_owners(store)[row]);
    uint32_t entered = ct_entity_map_enter_run(&store->map, index, row, run);
    if (store->multiple && entered > 0) {
        uint32_t *next = next_of(store) + row, *prev = prev_of(store) + row;
        memset(next, 0xFF, entered * sizeof *next); // CT_NO_ROW
        for (uint32_t i = 0; i < entered; ++i)
            prev[i] = row + i;
    }
    while (entered < run && enter_row(store, row + entered))
        entered++;
    return entered;
}

ct_status ct_store_add_listed(ct_store *store, const ct_entity *lookup, const uint32_t *numbers,
                              uint32_t count, ct_row *first) {
    first->i = store->columns.count;
    if (count == 0) return CT_OK;
    ct_status status = reserve_rows(store, count);
    if (status != CT_OK) return status;
    uint32_t begin = store->columns.count;
    ct_entity *owners = ct_store_owners(store);
    for (uint32_t i = 0; i < count; ++i)
        owners[begin + i] = lookup[numbers[i]];
    status = ct_entity_map_reserve(&store->map, store->allocator, owners, owners + begin, count);
    if (status != CT_OK) return status;
    if (store->map.kind != CT_MAP_ARRAY) return enter_rows(store, begin, count, first);
    for (uint32_t done = 0; done < count;) {
        uint32_t run = run_of(owners, begin + done, count - done);
        uint32_t entered = enter_run(store, begin + done, run);
        done += entered;
        if (entered == run) continue;
        return refuse_row(store, begin, done, first);
    }
    store->columns.count = begin + count;
    first->i = begin;
    return CT_OK;
}

// Whether a row is the first of its owner's list: the one before a first row is
// the last one, which has no next.
static bool is_first(const ct_store *store, uint32_t row) {
    return next_of(store)[prev_of(store)[row]] != row;
}

// Takes a row out of map and list. Its columns stay.
static void leave(ct_store *store, uint32_t row) {
    ct_entity owner = ct_store_owners(store)[row];
    if (owner.id == CT_NOBODY) {
        store->nobody_count--;
        return;
    }
    uint32_t index = ct_entity_index(owner);
    if (!store->multiple) {
        ct_entity_map_erase(&store->map, ct_store_owners(store), index, row);
        return;
    }
    uint32_t *next = next_of(store), *prev = prev_of(store);
    if (!is_first(store, row)) {
        next[prev[row]] = next[row];
        // Behind the last one comes nothing; the first remembers who is last.
        uint32_t behind = next[row] != CT_NO_ROW ? next[row] : ct_store_find_index(store, index);
        prev[behind] = prev[row];
    } else if (next[row] != CT_NO_ROW) {
        prev[next[row]] = prev[row];
        ct_entity_map_move(&store->map, index, row, next[row]);
    } else {
        ct_entity_map_erase(&store->map, ct_store_owners(store), index, row);
    }
}

// Moves the last row 'from' to 'to', which nothing refers to any more.
static void move_row(ct_store *store, uint32_t to, uint32_t from) {
    ct_entity owner = ct_store_owners(store)[from];
    uint32_t index = ct_entity_index(owner);
    ct_columns_copy_row(&store->columns, to, from);
    if (!store->multiple) {
        if (owner.id != CT_NOBODY) ct_entity_map_move(&store->map, index, from, to);
        return;
    }
    // A row alone in its list, nobody's included, is its own last.
    uint32_t *next = next_of(store), *prev = prev_of(store);
    if (prev[from] == from) {
        prev[to] = to;
        if (owner.id != CT_NOBODY) ct_entity_map_move(&store->map, index, from, to);
        return;
    }
    bool first = is_first(store, from);
    if (first)
        ct_entity_map_move(&store->map, index, from, to);
    else
        next[prev[from]] = to;
    uint32_t behind = next[from];
    if (behind == CT_NO_ROW) behind = ct_store_find_index(store, index);
    prev[behind] = to;
}

void ct_store_swap(ct_store *store, ct_row a, ct_row b) {
    CT_ASSERT(store->map.kind == CT_MAP_ARRAY && !store->multiple);
    const ct_entity *owners = ct_store_owners(store);
    ct_columns_swap_rows(&store->columns, a.i, b.i);
    if (owners[a.i].id != CT_NOBODY)
        ct_entity_map_move(&store->map, ct_entity_index(owners[a.i]), b.i, a.i);
    if (owners[b.i].id != CT_NOBODY)
        ct_entity_map_move(&store->map, ct_entity_index(owners[b.i]), a.i, b.i);
}

void ct_store_remove(ct_store *store, ct_row row) {
    uint32_t last = store->columns.count - 1;
    CT_ASSERT(row.i <= last);
    if (store->hooks.removing != NULL) store->hooks.removing(store->hooks.user, row);
    leave(store, row.i);
    if (row.i != last) {
        move_row(store, row.i, last);
        if (store->hooks.moved != NULL) store->hooks.moved(store->hooks.user, row, (ct_row){last});
    }
    store->columns.count = last;
    store->changes++;
    store->last_removed = row;
    ct_store_draw_epoch(store);
}

void ct_store_take_back(ct_store *store, uint32_t count) {
    CT_ASSERT(count <= store->columns.count);
    for (; count > 0; --count) {
        leave(store, store->columns.count - 1);
        store->columns.count--;
    }
}

uint32_t ct_store_remove_all(ct_store *store, ct_entity e) {
    uint32_t removed = 0;
    for (;;) {
        uint32_t row = ct_store_find_index(store, ct_entity_index(e));
        if (row == CT_NO_ROW || ct_store_owners(store)[row].id != e.id) return removed;
        ct_store_remove(store, (ct_row){row});
        removed++;
        if (!store->multiple) return removed;
    }
}

ct_row ct_store_find_id(const ct_store *store, ct_entity e, uint32_t id) {
    ct_row row = ct_store_find(store, e);
    while (row.i != CT_NO_ROW && ct_store_id(store, row) != id)
        row = ct_store_next(store, row);
    return row;
}

uint32_t ct_store_largest_id(const ct_store *store, ct_row row) {
    const uint32_t *ids = ct_store_u32(store, CT_COLUMN_ID), *prev = prev_of(store);
    uint32_t largest = 0;
    for (uint32_t r = row.i; !is_first(store, r);) {
        r = prev[r];
        if (ids[r] > 0x7FFFFFFFu) continue;
        if (ids[r] > largest) largest = ids[r];
        if (store->ids_ascend) break;
    }
    return largest;
}

uint32_t ct_store_next_id(const ct_store *store, ct_row row, uint32_t largest) {
    if (largest < 0x7FFFFFFFu) return largest + 1;
    const uint32_t *ids = ct_store_u32(store, CT_COLUMN_ID);
    uint32_t head = ct_store_find_index(store, ct_entity_index(ct_store_owners(store)[row.i]));
    for (uint32_t candidate = 1;; ++candidate) {
        uint32_t r = head;
        while (r != row.i && ids[r] != candidate)
            r = next_of(store)[r];
        if (r == row.i) return candidate;
    }
}

size_t ct_store_bytes(const ct_store *store) {
    return store->columns.bytes + ct_entity_map_bytes(&store->map);
}
