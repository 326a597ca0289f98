// Rows of a store in snapshots, and their copy to another store.
#include "storage/store_internal.h"

typedef struct values {
    uint64_t random, gc_position;
    uint32_t rows, orphans, last_number, sweep;
} values;

static values values_of(const ct_store *store) {
    values v = {store->random.state, store->gc_position, store->columns.count,
                store->orphan_count, store->last_number, store->sweep};
    // Deaths older than the log are found by a full sweep, as in gc.
    if (!ct_entity_manager_logs_from(store->entities, store->gc_position)) {
        v.gc_position = store->entities->tail;
        v.sweep = v.rows;
    }
    return v;
}

// Returns whether the saved rows, which are next in the block, have the same owners and lists as
// the present ones; the map then stays valid. This is common if a game is rolled back by a few
// frames.
static bool keeps_map(const ct_store *store, const ct_state *state, uint32_t rows) {
    const ct_columns *columns = &store->columns;
    const unsigned char *piece = state->block + state->used;
    uint32_t last = store->multiple ? CT_COLUMN_PREV : CT_COLUMN_OWNER;
    bool same = rows == columns->count;
    for (uint32_t c = 0; same && rows > 0 && c <= last; ++c) {
        size_t bytes = (size_t)rows * columns->width[c];
        same = memcmp(piece, columns->at[c], bytes) == 0;
        piece += ct_padded(bytes);
    }
    return same;
}

static void reserve(ct_store *store, ct_state *state, uint32_t rows, bool keeps) {
    const ct_entity *owners = state->columns[CT_COLUMN_OWNER];
    ct_status status = ct_columns_reserve(&store->columns, store->allocator, rows, CT_MAX_ROWS);
    if (status == CT_OK && !keeps)
        status = ct_entity_map_reserve_all(&store->map, store->allocator, ct_store_owners(store),
                                           owners, rows);
    ct_state_require(state, status);
}

static void forget_rows(ct_store *store, bool keeps) {
    ct_store_rows_moved(store);
    if (!keeps) ct_entity_map_clear(&store->map, ct_store_owners(store), store->columns.count);
    ct_table_free(&store->ids, store->allocator);
}

static void take_rows(ct_store *store, const values *v, bool keeps) {
    store->columns.count = v->rows;
    store->orphan_count = v->orphans;
    store->last_number = v->last_number;
    store->random.state = v->random;
    store->gc_position = v->gc_position;
    store->sweep = v->sweep;
    const bool lists = store->multiple;
    if (keeps) return;
    ct_entity_map_enter_all(&store->map, ct_store_owners(store), v->rows,
                            lists ? ct_store_next_of(store) : NULL,
                            lists ? ct_store_prev_of(store) : NULL);
}

void ct_store_state(ct_store *store, ct_state *state) {
    ct_columns *columns = &store->columns;
    values v = values_of(store);
    ct_state_values(state, &v, sizeof v);
    state->rows = v.rows;
    const bool keeps = ct_state_restores(state) && keeps_map(store, state, v.rows);
    if (state->pass == CT_STATE_COMMIT) forget_rows(store, keeps);
    for (uint32_t c = 0; c < columns->column_count; ++c)
        state->columns[c] =
            ct_state_block(state, columns->at[c], (size_t)v.rows * columns->width[c]);
    if (state->pass == CT_STATE_RESERVE) reserve(store, state, v.rows, keeps);
    if (state->pass == CT_STATE_COMMIT) take_rows(store, &v, keeps);
}

// Makes each row the only one of its owner, with ids from 1.
static void begin_lists(ct_store *store, uint32_t rows) {
    uint32_t *ids = ct_store_u32(store, CT_COLUMN_ID);
    for (uint32_t row = 0; row < rows; ++row) {
        ct_store_next_of(store)[row] = CT_NO_ROW;
        ct_store_prev_of(store)[row] = row;
        ids[row] = row + 1;
    }
    ct_store_note_numbers(store, rows);
}

void ct_store_take_rows(ct_store *store, const ct_store *from) {
    uint32_t rows = from->columns.count;
    uint32_t last = store->multiple && from->multiple ? CT_COLUMN_ID : CT_COLUMN_OWNER;
    CT_ASSERT(store->columns.count == 0 && store->columns.capacity >= rows);
    for (uint32_t c = 0; rows > 0 && c <= last; ++c)
        memcpy(store->columns.at[c], from->columns.at[c], (size_t)rows * store->columns.width[c]);
    values v = {from->random.state, from->gc_position, rows,
                from->orphan_count, from->last_number, from->sweep};
    if (store->multiple && !from->multiple) begin_lists(store, rows);
    if (v.last_number < store->last_number) v.last_number = store->last_number;
    ct_store_rows_moved(store);
    take_rows(store, &v, false);
}
