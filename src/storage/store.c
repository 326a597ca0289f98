// Rows, owners, lists of rows per entity, and removal by swapping.
#include "storage/manager.h"
#include "storage/store_internal.h"

#include <string.h>

// Draws a new epoch if a script may hold an instance with the present one.
static void draw_epoch(ct_store *store) {
    if (!store->epoch_used) return;
    store->epoch_used = false;
    *store->epochs = (*store->epochs + 1) & 0x7FFFFFFFu;
    if (*store->epochs == 0) *store->epochs = 1;
    store->epoch = *store->epochs;
}

void ct_store_rows_moved(ct_store *store) {
    ct_store_count_change(store, &store->changes);
    store->last_removed.i = CT_NO_ROW;
    if (store->sweep > 0) store->sweep = store->columns.count; // rows may have moved before it
    draw_epoch(store);
}

static ct_manager *manager_of(ct_store *store) { return (ct_manager *)(void *)store; }

void ct_store_orphan(ct_store *store, uint32_t row) {
    const ct_manager_type *type = manager_of(store)->type;
    ct_entity *owners = ct_store_owners(store);
    ct_store_count_change(store, &store->additions);
    while (row != CT_NO_ROW) {
        uint32_t next = ct_store_next(store, (ct_row){row}).i;
        if (store->multiple) ct_store_unindex_ids(store, row);
        if (type->orphaned != NULL) type->orphaned(manager_of(store), (ct_row){row});
        owners[row].id = CT_NOBODY;
        store->orphan_count++;
        if (store->multiple) {
            ct_store_next_of(store)[row] = CT_NO_ROW;
            ct_store_prev_of(store)[row] = row;
        }
        row = next;
    }
}

// Orphans the rows of an index when its ids start to repeat, so that no new id finds them.
static void orphan_index(ct_store *store, uint32_t index) {
    uint32_t row = ct_store_find_index(store, index);
    if (row == CT_NO_ROW) return;
    ct_entity_map_erase(&store->map, ct_store_owners(store), index, row);
    ct_store_orphan(store, row);
}

static void on_generation_wrap(ct_generation_wrap_listener *listener, uint32_t index) {
    orphan_index((void *)((char *)listener - offsetof(ct_store, watch)), index);
}

void ct_store_orphan_rows(ct_store *store, ct_entity e) {
    uint32_t row = ct_store_find_index(store, ct_entity_index(e));
    if (row != CT_NO_ROW && ct_store_owners(store)[row].id == e.id)
        orphan_index(store, ct_entity_index(e));
}

void ct_store_init(ct_store *store, const ct_allocator *allocator, ct_entity_manager *entities,
                   uint32_t *epochs, ct_map_kind kind, bool multiple, const uint16_t *widths,
                   uint32_t own_column_count, void *places) {
    memset(store, 0, sizeof *store);
    store->multiple = multiple;
    uint32_t first = ct_store_own_columns(store);
    uint32_t count = first + own_column_count;
    CT_ASSERT(count <= CT_MAX_COLUMNS);
    unsigned char **at = (unsigned char **)places;
    uint16_t *all = (uint16_t *)(void *)(at + count);
    for (uint32_t c = 0; c < count; ++c)
        all[c] = c < first ? 4 : widths[c - first];
    ct_columns_init(&store->columns, at, all, count);
    ct_entity_map_init(&store->map, kind);
    store->allocator = allocator;
    store->entities = entities;
    store->watch = (ct_generation_wrap_listener){on_generation_wrap, NULL, NULL};
    ct_entity_manager_watch(entities, &store->watch);
    store->gc_position = entities->tail;
    store->last_removed.i = CT_NO_ROW;
    store->epochs = epochs;
    store->epoch_used = true; // so the first epoch is drawn
    draw_epoch(store);
}

void ct_store_free(ct_store *store) {
    ct_entity_manager_unwatch(&store->watch);
    ct_columns_free(&store->columns, store->allocator);
    ct_entity_map_free(&store->map, store->allocator);
    ct_table_free(&store->ids, store->allocator);
    store->orphan_count = 0;
    store->allocator = &ct_allocator_destroyed;
    ct_store_rows_moved(store);
}

void ct_store_clear(ct_store *store) {
    if (store->columns.count == 0) return;
    if (store->refers)
        ct_manager_rows_removing(manager_of(store), (ct_row){0}, store->columns.count);
    ct_store_rows_moved(store);
    ct_entity_map_clear(&store->map, ct_store_owners(store), store->columns.count);
    ct_table_free(&store->ids, store->allocator);
    store->columns.count = 0;
    store->orphan_count = 0;
}

// Returns whether a row is the first in its owner's list: prev of a first row is the last row,
// which has no next.
static bool is_first(const ct_store *store, uint32_t row) {
    return ct_store_next_of(store)[ct_store_prev_of(store)[row]] != row;
}

// Does the same as 'unlink' in a 'multiple' store.
static void unlink_listed(ct_store *store, uint32_t row) {
    uint32_t index = ct_entity_index(ct_store_owners(store)[row]);
    uint32_t *next = ct_store_next_of(store), *prev = ct_store_prev_of(store);
    ct_store_unindex_ids(store, row);
    if (!is_first(store, row)) {
        next[prev[row]] = next[row];
        // No row follows the last one; prev of the first row is the last row.
        uint32_t behind = next[row] != CT_NO_ROW ? next[row] : ct_store_find_index(store, index);
        prev[behind] = prev[row];
    } else if (next[row] != CT_NO_ROW) {
        prev[next[row]] = prev[row];
        ct_entity_map_move(&store->map, index, row, next[row]);
    } else {
        ct_entity_map_erase(&store->map, ct_store_owners(store), index, row);
    }
}

// Removes a row from map and list. Its columns are unchanged.
static inline void unlink(ct_store *store, uint32_t row) {
    const ct_entity *owners = ct_store_owners(store);
    if (owners[row].id == CT_NOBODY)
        store->orphan_count--;
    else if (store->multiple)
        unlink_listed(store, row);
    else
        ct_entity_map_erase(&store->map, owners, ct_entity_index(owners[row]), row);
}

// Does the same as 'follow_row' in a 'multiple' store.
static void follow_listed(ct_store *store, uint32_t to, uint32_t from) {
    ct_entity owner = ct_store_owners(store)[from];
    uint32_t index = ct_entity_index(owner);
    if (store->ids.used > 0) ct_store_move_id(store, to, from);
    // prev of a single row, or an orphaned one, is the row itself.
    uint32_t *next = ct_store_next_of(store), *prev = ct_store_prev_of(store);
    next[to] = next[from];
    prev[to] = prev[from];
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

// Updates map, list and ids after the columns of row 'from' were copied to 'to', which no list
// contains. The list is read at 'from', because rows that moved earlier updated it there.
static inline void follow_row(ct_store *store, uint32_t to, uint32_t from) {
    ct_entity owner = ct_store_owners(store)[from];
    if (store->multiple)
        follow_listed(store, to, from);
    else if (owner.id != CT_NOBODY)
        ct_entity_map_move(&store->map, ct_entity_index(owner), from, to);
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
    const ct_manager_type *type = manager_of(store)->type;
    if (store->refers) ct_manager_rows_removing(manager_of(store), row, 1);
    unlink(store, row.i);
    if (row.i != last) {
        ct_columns_copy_row(&store->columns, row.i, last);
        follow_row(store, row.i, last);
        if (type->moved != NULL) type->moved(manager_of(store), row, (ct_row){last}, 1);
    }
    store->columns.count = last;
    ct_store_count_change(store, &store->changes);
    store->last_removed = row;
    store->last_vanished = last;
    draw_epoch(store);
}

// Returns how many consecutive rows, from 'row' to before 'end', form the complete list of an
// owner; 0 if they do not.
static uint32_t whole_list(const ct_store *store, uint32_t row, uint32_t end) {
    const uint32_t *next = ct_store_next_of(store), *prev = ct_store_prev_of(store);
    uint32_t last = row;
    while (last + 1 < end && next[last] == last + 1)
        last++;
    return next[last] == CT_NO_ROW && prev[row] == last ? last + 1 - row : 0;
}

// Does the same as 'unlink' for rows that are removed together.
static void unlink_rows(ct_store *store, uint32_t first, uint32_t count) {
    const ct_entity *owners = ct_store_owners(store);
    uint32_t end = first + count;
    if (!store->multiple) {
        store->orphan_count -= ct_entity_map_erase_run(&store->map, owners, first, count);
        return;
    }
    for (uint32_t row = first, length; row < end; row += length) {
        length = store->ids.used > 0 ? 0 : whole_list(store, row, end);
        if (length == 0 || owners[row].id == CT_NOBODY) {
            unlink(store, row);
            length = 1;
        } else {
            ct_entity_map_erase(&store->map, owners, ct_entity_index(owners[row]), row);
        }
    }
}

// Does the same as 'follow_row' for rows that moved together.
static void follow_run(ct_store *store, uint32_t to, uint32_t from, uint32_t count) {
    const ct_entity *owners = ct_store_owners(store);
    uint32_t end = from + count, shift = to - from;
    if (!store->multiple) {
        ct_entity_map_move_run(&store->map, owners, from, to, count);
        return;
    }
    uint32_t *next = ct_store_next_of(store), *prev = ct_store_prev_of(store);
    for (uint32_t row = from, length; row < end; row += length) {
        length = store->ids.used > 0 ? 0 : whole_list(store, row, end);
        if (length == 0 || owners[row].id == CT_NOBODY) {
            follow_row(store, row + shift, row);
            length = 1;
            continue;
        }
        ct_entity_map_move(&store->map, ct_entity_index(owners[row]), row, row + shift);
        for (uint32_t i = row; i < row + length; ++i) {
            prev[i + shift] = prev[i] + shift;
            if (next[i] != CT_NO_ROW) next[i + shift] = next[i] + shift;
        }
    }
}

void ct_store_remove_rows(ct_store *store, ct_row first, uint32_t count) {
    ct_columns *columns = &store->columns;
    ct_manager *manager = manager_of(store);
    uint32_t end = first.i + count, behind = columns->count - end;
    uint32_t moving = behind < count ? behind : count;
    uint32_t sweep = store->sweep;
    ct_row from = {columns->count - moving};
    CT_ASSERT(end <= columns->count);
    if (manager->shape->singly) {
        for (uint32_t row = end; row-- > first.i;)
            ct_store_remove(store, (ct_row){row});
        store->sweep = sweep < columns->count ? sweep : columns->count;
        return;
    }
    if (store->refers) ct_manager_rows_removing(manager, first, count);
    unlink_rows(store, first.i, count);
    ct_columns_copy_rows(columns, first.i, columns, from.i, moving);
    follow_run(store, first.i, from.i, moving);
    if (manager->type->moved != NULL && moving > 0)
        manager->type->moved(manager, first, from, moving);
    columns->count -= count;
    ct_store_rows_moved(store);
    store->sweep = sweep < columns->count ? sweep : columns->count; // rows moved only towards it
}

void ct_store_rollback(ct_store *store, uint32_t count) {
    CT_ASSERT(count <= store->columns.count);
    ct_store_count_change(store, &store->additions);
    for (; count > 0; --count) {
        unlink(store, store->columns.count - 1);
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

ct_row ct_store_find_nth(const ct_store *store, ct_entity e, uint32_t n) {
    ct_row row = ct_store_find(store, e);
    for (; n > 0 && row.i != CT_NO_ROW; --n)
        row = ct_store_next(store, row);
    return row;
}

void ct_store_trim(ct_store *store) {
    ct_entity_map_trim(&store->map, store->allocator, ct_store_owners(store));
    ct_columns_trim(&store->columns, store->allocator);
    if (store->ids.used == 0) ct_table_free(&store->ids, store->allocator);
}

size_t ct_store_bytes(const ct_store *store) {
    return ct_columns_bytes(&store->columns) + ct_entity_map_bytes(&store->map) +
           ct_table_bytes(&store->ids);
}
