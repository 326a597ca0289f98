// Addition of rows to a store: capacity, map and lists.
#include "storage/manager_one.h"
#include "storage/store_internal.h"

#include <string.h>

// Reserves 'count' more rows. At the limit, first removes rows of dead entities.
static ct_status reserve_rows(ct_store *store, uint32_t count) {
    if (count > CT_MAX_ROWS) return CT_ERR_FULL;
    if (count > CT_MAX_ROWS - store->columns.count) ct_store_sweep(store);
    if (count > CT_MAX_ROWS - store->columns.count) return CT_ERR_FULL;
    if (CT_LIKELY(count <= store->columns.capacity - store->columns.count)) return CT_OK;
    return ct_columns_reserve(&store->columns, store->allocator, store->columns.count + count,
                              CT_MAX_ROWS);
}

// Reserves memory for 'count' more rows and for these owners in the map, so that adding them cannot
// fail. At the limit of rows, first collects rows of dead entities, which moves rows.
static ct_status reserve(ct_store *store, const ct_entity *owners, uint32_t count) {
    ct_status status = reserve_rows(store, count);
    if (status != CT_OK) return status;
    return ct_entity_map_reserve(&store->map, store->allocator, ct_store_owners(store), owners,
                                 count);
}

uint32_t ct_store_indices_for(const ct_store *store, uint32_t count) {
    uint32_t rows = store->columns.count, used = store->entities->used;
    uint32_t added = count > rows ? count - rows : 0, unused = CT_MAX_ENTITIES - used;
    return used + (added < unused ? added : unused);
}

ct_status ct_store_reserve_rows(ct_store *store, uint32_t count) {
    const ct_allocator *allocator = store->allocator;
    uint32_t indices = ct_store_indices_for(store, count);
    if (count > CT_MAX_ROWS) return CT_ERR_FULL;
    if (ct_entity_map_reserve_count(&store->map, allocator, ct_store_owners(store), count,
                                    indices) != CT_OK)
        return ct_out_of_memory(allocator);
    return ct_columns_reserve(&store->columns, allocator, count, CT_MAX_ROWS);
}

static void append_to_list(ct_store *store, uint32_t first, uint32_t row) {
    uint32_t *next = ct_store_next_of(store), *prev = ct_store_prev_of(store);
    next[row] = CT_NO_ROW;
    prev[row] = prev[first];
    next[prev[first]] = row;
    prev[first] = row;
}

// Enters a new row, with its owner already in the column, into the map and its owner's list.
// Returns false if the owner already has a row and the store is not 'multiple'.
static inline bool enter_row(ct_store *store, uint32_t row) {
    const ct_entity *column = ct_store_owners(store);
    uint32_t index = ct_entity_index(column[row]);
    CT_ASSERT(ct_entity_manager_alive(store->entities, column[row]));
    if (store->multiple) {
        ct_store_next_of(store)[row] = CT_NO_ROW;
        ct_store_prev_of(store)[row] = row;
    }
    uint32_t found = ct_entity_map_enter(&store->map, column, index, row);
    if (CT_LIKELY(found == CT_NO_ROW)) return true;
    if (column[found].id != column[row].id) {
        ct_store_orphan(store, found);
        return true;
    }
    // The owner already has a row, which stays the first.
    ct_entity_map_move(&store->map, index, row, found);
    if (store->multiple) append_to_list(store, found, row);
    return store->multiple;
}

// Undoes the first 'done' rows of an addition after the next one was refused.
static ct_status refuse_row(ct_store *store, uint32_t begin, uint32_t done, ct_row *first) {
    store->columns.count = begin + done;
    ct_store_rollback(store, done);
    first->i = done;
    return CT_ERR_EXISTS;
}

// Enters a run: all at once up to the first index that is in use, and one by one from there.
// Returns the number of entered rows, which is less than 'run' if the next one is refused.
static uint32_t enter_run(ct_store *store, uint32_t row, uint32_t run) {
    uint32_t index = ct_entity_index(ct_store_owners(store)[row]);
    uint32_t entered = ct_entity_map_enter_run(&store->map, index, row, run);
    if (store->multiple && entered > 0) {
        uint32_t *next = ct_store_next_of(store) + row, *prev = ct_store_prev_of(store) + row;
        memset(next, 0xFF, entered * sizeof *next); // CT_NO_ROW
        for (uint32_t i = 0; i < entered; ++i)
            prev[i] = row + i;
    }
    while (entered < run && enter_row(store, row + entered))
        entered++;
    return entered;
}

// Enters 'count' rows from 'row' on; runs of consecutive indices together if there may be some.
// *first is the first row, or on failure the position of the refused owner.
static ct_status enter_rows(ct_store *store, uint32_t row, uint32_t count, bool runs,
                            ct_row *first) {
    const ct_entity *owners = ct_store_owners(store) + row;
    uint32_t done = 0;
    for (uint32_t run, entered; runs && done < count; done += run) {
        run = ct_entity_map_run(owners + done, count - done);
        entered = enter_run(store, row + done, run);
        if (entered < run) return refuse_row(store, row, done + entered, first);
    }
    for (; done < count; ++done) {
        if (!enter_row(store, row + done)) return refuse_row(store, row, done, first);
    }
    store->columns.count = row + count;
    ct_store_count_change(store, &store->additions);
    first->i = row;
    return CT_OK;
}

ct_status ct_store_add(ct_store *store, const ct_entity *owners, uint32_t count, ct_row *first) {
    if (count == 1 && !store->multiple && ct_store_add_one(store, *owners, first)) return CT_OK;
    first->i = store->columns.count;
    if (count == 0) return CT_OK;
    ct_status status = reserve(store, owners, count);
    if (status != CT_OK) return status;
    uint32_t row = store->columns.count;
    memcpy(ct_store_owners(store) + row, owners, count * sizeof *owners);
    bool runs = count > 1 && owners[1].id == owners[0].id + 1;
    return enter_rows(store, row, count, runs && store->map.kind == CT_MAP_ARRAY, first);
}

ct_status ct_store_add_listed(ct_store *store, const ct_entity *lookup, const uint32_t *numbers,
                              uint32_t count, ct_row *first) {
    first->i = store->columns.count;
    if (count == 0) return CT_OK;
    ct_status status = reserve_rows(store, count);
    if (status != CT_OK) return status;
    uint32_t begin = store->columns.count;
    ct_entity *owners = ct_store_owners(store);
    if (ct_u32_run(numbers, count, 1) == count) {
        memcpy(owners + begin, lookup + numbers[0], count * sizeof *owners);
    } else {
        for (uint32_t i = 0; i < count; ++i)
            owners[begin + i] = lookup[numbers[i]];
    }
    status = ct_entity_map_reserve(&store->map, store->allocator, owners, owners + begin, count);
    if (status != CT_OK) return status;
    return enter_rows(store, begin, count, store->map.kind == CT_MAP_ARRAY, first);
}
