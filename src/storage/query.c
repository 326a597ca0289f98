// Loops over rows that allow changes: the common watch, joins by row and by run, components of one
// entity.
#include "storage/query.h"

#include "storage/store_internal.h"

// Number of rows checked together, and maximum length of a run.
enum { BLOCK = 32, LONGEST_RUN = 1024 };

// ---------------------------------------------------------------- the watch

void ct_row_watch_begin(ct_row_watch *watch, const ct_store *store) {
    *watch = (ct_row_watch){store->changes, {CT_NO_ROW}, ct_store_count(store)};
}

// The rows that existed when the loop began are those before 'end', as long as no row is inserted
// before it. A removal moves the last row: if that is an old row, no new rows exist and 'end'
// shrinks with the store; if it is a new row, it moves to the place of a row that the loop has
// passed.
ct_rows ct_row_watch_check(ct_row_watch *watch, const ct_store *store) {
    if (store->changes == watch->changes) return CT_ROWS_UNMOVED;
    if (store->changes != watch->changes + 1 || watch->returned.i == CT_NO_ROW ||
        store->last_removed.i != watch->returned.i)
        return CT_ROWS_MOVED;
    watch->changes = store->changes;
    if (store->last_vanished < watch->end) watch->end = store->last_vanished;
    return CT_ROWS_RETURNED_REMOVED;
}

// ---------------------------------------------------------------- joins

void ct_query_begin(ct_query *query, uint32_t count, ct_manager *const *managers,
                    const ct_query_role *roles) {
    CT_ASSERT(count > 0 && count <= CT_MAX_JOINED);
    CT_ASSERT(roles == NULL || roles[0] == CT_QUERY_REQUIRED);
    *query = (ct_query){.deaths = &managers[0]->store.entities->deaths, .part_count = count};
    for (uint32_t i = 0; i < count; ++i) {
        ct_query_part *part = &query->parts[i];
        part->manager = managers[i];
        part->role = roles != NULL ? roles[i] : CT_QUERY_REQUIRED;
        query->by_row = query->by_row || part->role == CT_QUERY_OPTIONAL;
        ct_row_watch_begin(&part->rows, &managers[i]->store);
    }
}

static const ct_store *store_of(const ct_query_part *part) { return &part->manager->store; }

// Returns the end of the rows that existed when the loop began. The count is checked too, because a
// failed create removes its rows without changing the watch.
static uint32_t end_of(const ct_query_part *part) {
    uint32_t count = ct_store_count(store_of(part));
    return part->rows.end < count ? part->rows.end : count;
}

// Returns whether the loop can continue after the rows of a manager changed.
static bool allows_changes(ct_query *query, uint32_t i) {
    ct_query_part *part = &query->parts[i];
    const ct_store *store = store_of(part);
    uint32_t end = part->rows.end;
    if (part->role == CT_QUERY_EXCLUDED) {
        if (store->allocator == &ct_allocator_destroyed) return false;
        part->rows.changes = store->changes;
        return true;
    }
    if (ct_row_watch_check(&part->rows, store) == CT_ROWS_MOVED) return false;
    // An old row that the loop has not visited moved to the place of the removed one.
    if (i == 0 && part->rows.end != end) query->next = part->rows.returned.i;
    return true;
}

// Returns whether a row is the first row of an entity.
static bool is_first_of(const ct_store *store, uint32_t row, ct_entity e) {
    return row < ct_store_count(store) && ct_store_owners(store)[row].id == e.id &&
           (!store->multiple || ct_store_find_index(store, ct_entity_index(e)) == row);
}

// Finds the rows of an entity in the other managers. Returns false if a role is not met.
static bool find_others(const ct_query *query, ct_entity e, ct_row *rows) {
    for (uint32_t i = 1; i < query->part_count; ++i) {
        const ct_query_part *part = &query->parts[i];
        const ct_store *store = store_of(part);
        // Managers that are filled together have the same order, so the next row is likely.
        ct_row row = {part->rows.returned.i + 1};
        if (!is_first_of(store, row.i, e)) row = ct_store_find(store, e);
        if (part->role == CT_QUERY_REQUIRED ? row.i >= part->rows.end
                                            : part->role == CT_QUERY_EXCLUDED && row.i != CT_NO_ROW)
            return false;
        rows[i] = row;
    }
    return true;
}

ct_query_step ct_query_next(ct_query *query, uint32_t *fault) {
    for (uint32_t i = 0; i < query->part_count; ++i) {
        const ct_query_part *part = &query->parts[i];
        if (CT_LIKELY(store_of(part)->changes == part->rows.changes)) continue;
        *fault = i;
        if (!allows_changes(query, i)) return CT_QUERY_MOVED;
    }
    const ct_store *store = store_of(&query->parts[0]);
    ct_row rows[CT_MAX_JOINED];
    for (uint32_t end = end_of(&query->parts[0]); query->next < end; ++query->next) {
        ct_entity e = ct_store_owners(store)[query->next];
        if (!ct_entity_manager_alive(store->entities, e) || !find_others(query, e, rows)) continue;
        rows[0].i = query->next++;
        for (uint32_t i = 0; i < query->part_count; ++i)
            query->parts[i].rows.returned = rows[i];
        return CT_QUERY_ROW;
    }
    query->parts[0].rows.end = 0; // further calls return CT_QUERY_END, even after removals
    return CT_QUERY_END;
}

// ---------------------------------------------------------------- runs

// Returns whether any of these entities has a row.
static bool has_any(const ct_store *store, const ct_entity *entities, uint32_t count) {
    uint32_t i = 0;
    if (ct_store_count(store) == 0) return false;
    while (i < count && ct_store_find(store, entities[i]).i == CT_NO_ROW)
        i++;
    return i < count;
}

// Returns the first row from 'row' to 'limit' that does not continue the run, in which owners are
// alive and have rows at the run's offsets in the other managers. 'alive': all owners in the first
// manager are known to be alive.
static uint32_t extend(const ct_query *query, bool alive, uint32_t row, uint32_t limit) {
    const ct_store *first = store_of(&query->parts[0]);
    for (; row < limit; ++row) {
        ct_entity e = ct_store_owners(first)[row];
        if (!alive && !ct_entity_manager_alive(first->entities, e)) return row;
        for (uint32_t i = 1; i < query->part_count; ++i) {
            const ct_query_part *part = &query->parts[i];
            if (part->role == CT_QUERY_EXCLUDED
                    ? has_any(store_of(part), &e, 1)
                    : !is_first_of(store_of(part), row + part->offset, e))
                return row;
        }
    }
    return row;
}

// Returns whether all owners of a block are alive. Consecutive ids have consecutive slots.
static bool is_block_alive(const ct_entity_manager *entities, const ct_entity *owners) {
    uint32_t id = owners[0].id, index = ct_entity_index(owners[0]), other = 0;
    for (uint32_t i = 0; i < BLOCK; ++i)
        other |= owners[i].id ^ (id + i);
    if (other == 0 && index + BLOCK <= entities->used) {
        const uint16_t *slots = entities->slots + index;
        for (uint32_t i = 0; i < BLOCK; ++i)
            other |= slots[i] ^ ct_entity_generation(owners[0]);
        return other == 0;
    }
    bool alive = true;
    for (uint32_t i = 0; i < BLOCK; ++i)
        alive = alive && ct_entity_manager_alive(entities, owners[i]);
    return alive;
}

// Does the same check as 'extend' for BLOCK rows at once.
static bool block_continues(const ct_query *query, bool alive, uint32_t row) {
    const ct_store *first = store_of(&query->parts[0]);
    const ct_entity *owners = ct_store_owners(first) + row;
    if (!alive && !is_block_alive(first->entities, owners)) return false;
    for (uint32_t i = 1; i < query->part_count; ++i) {
        const ct_store *store = store_of(&query->parts[i]);
        if (query->parts[i].role == CT_QUERY_EXCLUDED) {
            if (has_any(store, owners, BLOCK)) return false;
            continue;
        }
        const ct_entity *same = ct_store_owners(store) + (row + query->parts[i].offset);
        uint32_t other = 0;
        for (uint32_t k = 0; k < BLOCK; ++k)
            other |= owners[k].id ^ same[k].id;
        if (other != 0) return false;
    }
    return true;
}

// Finds the run that begins with the current rows.
static void find_run(ct_query *query) {
    uint32_t first = query->parts[0].rows.returned.i, limit = query->run_limit + 1;
    bool in_blocks = true;
    for (uint32_t i = 0; i < query->part_count; ++i) {
        ct_query_part *part = &query->parts[i];
        if (part->role == CT_QUERY_EXCLUDED) {
            part->rows.end = ct_store_count(store_of(part));
            continue;
        }
        part->offset = part->rows.returned.i - first;
        uint32_t more = query->by_row ? 0 : end_of(part) - part->rows.returned.i - 1;
        if (more < limit) limit = more;
        // If an entity has several rows, only the map finds the first one.
        if (i > 0 && store_of(part)->multiple) in_blocks = false;
    }
    limit += first + 1;
    // If the orders of owners differ, one row shows it, at a fraction of the cost of a block.
    uint32_t probe = in_blocks && limit > first + 1 ? first + 2 : limit;
    bool alive = ct_store_has_no_dead(store_of(&query->parts[0]));
    uint32_t row = extend(query, alive, first + 1, probe);
    if (row == probe && row < limit) {
        while (limit - row >= BLOCK && block_continues(query, alive, row))
            row += BLOCK;
        row = extend(query, alive, row, limit);
    }
    query->first = first;
    query->stop = row;
    query->deaths_seen = *query->deaths;
}

ct_query_step ct_query_next_run(ct_query *query, uint32_t last, uint32_t *fault) {
    // A loop that invalidates its runs gets short ones, so that finding them stays cheap.
    bool consumed = last != CT_NO_ROW && last + 1 == query->stop;
    if (!consumed)
        query->run_limit = 4;
    else if (query->run_limit < LONGEST_RUN)
        query->run_limit *= 2;
    // The first row of the run is already the current one.
    if (last > query->first && last < query->stop) {
        for (uint32_t i = 0; i < query->part_count; ++i)
            if (query->parts[i].role != CT_QUERY_EXCLUDED)
                query->parts[i].rows.returned.i = last + query->parts[i].offset;
        query->next = last + 1;
    }
    ct_query_step step = ct_query_next(query, fault);
    if (step == CT_QUERY_ROW)
        find_run(query);
    else
        query->first = query->stop = 0;
    return step;
}

// ---------------------------------------------------------------- one entity

void ct_instances_begin(ct_instances *loop, ct_manager *manager, ct_entity e) {
    const ct_store *store = &manager->store;
    uint32_t first = ct_store_find(store, e).i;
    *loop = (ct_instances){.manager = manager, .entity = e, .next = first, .last = first};
    if (store->multiple && first != CT_NO_ROW) loop->last = ct_store_prev_of(store)[first];
    ct_row_watch_begin(&loop->rows, store);
}

ct_query_step ct_instances_next(ct_instances *loop) {
    const ct_store *store = &loop->manager->store;
    ct_rows rows = ct_row_watch_check(&loop->rows, store);
    if (rows == CT_ROWS_MOVED) return CT_QUERY_MOVED;
    if (rows == CT_ROWS_RETURNED_REMOVED) {
        if (loop->next == store->last_vanished) loop->next = loop->rows.returned.i;
        if (loop->last == store->last_vanished) loop->last = loop->rows.returned.i;
    }
    ct_row row = {loop->next};
    // New components are after the former last one. A row of a failed create does not exist any
    // more.
    if (row.i >= ct_store_count(store) || ct_store_owners(store)[row.i].id != loop->entity.id ||
        !ct_entity_manager_alive_or_dying(store->entities, loop->entity))
        return CT_QUERY_END;
    loop->rows.returned = row;
    loop->next = row.i == loop->last ? CT_NO_ROW : ct_store_next(store, row).i;
    return CT_QUERY_ROW;
}
