// Removing the rows of the dead: those that the log of deaths names, those met by chance, or all.
// Knows nothing of what a component's own columns mean.
#include "storage/store.h"

static bool row_is_dead(const ct_store *store, uint32_t row) {
    return !ct_entity_manager_answers(store->entities, ct_store_owners(store)[row]);
}

// Removes the dead among the rows from 'first' to before 'end'. A gap is filled from a last row
// that lives, so that none of the living moves twice: a moved row may cost as much as it has
// children.
static void remove_dead(ct_store *store, uint32_t first, uint32_t end) {
    const uint32_t *count = &store->columns.count;
    for (uint32_t row = first; row < end && row < *count; ++row) {
        if (!row_is_dead(store, row)) continue;
        while (*count - 1 > row && row_is_dead(store, *count - 1))
            ct_store_remove(store, (ct_row){*count - 1});
        ct_store_remove(store, (ct_row){row});
    }
}

uint32_t ct_store_sweep(ct_store *store) {
    uint32_t before = store->columns.count;
    remove_dead(store, 0, before);
    store->gc_position = store->entities->tail;
    return before - store->columns.count;
}

// The index at a position of the log of deaths.
static uint32_t logged(const ct_entity_manager *entities, uint64_t position) {
    return entities->log[position & (entities->capacity - 1)];
}

// Calls what a coming removal needs into the cache: first where the map has it, then its row.
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

// The first of a run of dead rows that ends with 'row', or the longest run that is looked at.
static uint32_t run_of_dead(const ct_store *store, uint32_t row) {
    enum { LONGEST = 256 };
    uint32_t first = row;
    while (first > 0 && row - first < LONGEST && row_is_dead(store, first - 1))
        first--;
    return first;
}

// Removes what the log says has died since the last call.
static void collect_logged(ct_store *store) {
    const ct_entity_manager *entities = store->entities;
    uint32_t filled = CT_NO_ROW; // by the removal before
    for (; store->gc_position < entities->tail; ++store->gc_position) {
        look_ahead(store, store->gc_position);
        uint32_t row = ct_store_find_index(store, logged(entities, store->gc_position));
        if (row == CT_NO_ROW || !row_is_dead(store, row)) continue;
        // Who died newest first would let one last row roll down over all of them.
        if (filled == store->columns.count - 1)
            remove_dead(store, run_of_dead(store, row), row + 1);
        else if (store->multiple)
            ct_store_remove_all(store, ct_store_owners(store)[row]);
        else
            ct_store_remove(store, (ct_row){row});
        filled = row;
    }
}

uint32_t ct_store_gc(ct_store *store) {
    uint32_t before = store->columns.count;
    uint64_t logged = store->entities->tail - store->gc_position;
    // The ring may have come round; and to look at each row in order costs about a quarter of
    // finding one through the map.
    if (logged > store->entities->capacity || logged > before / 4)
        ct_store_sweep(store);
    else
        collect_logged(store);
    for (uint32_t living = 0; store->columns.count > 0 && living < 4;) {
        uint32_t row = ct_random_below(&store->random, store->columns.count);
        if (row_is_dead(store, row)) {
            ct_store_remove(store, (ct_row){row});
            living = 0;
        } else {
            living++;
        }
    }
    return before - store->columns.count;
}
