// Loops over rows that bear changes: the watch they share, joins by row and by run, one entity's.
#include "storage/query.h"

#include "storage/store_internal.h"

// Rows checked together, and the longest run that is looked for at once.
enum { BLOCK = 32, LONGEST_RUN = 1024 };

// ---------------------------------------------------------------- the watch

void ct_row_watch_begin(ct_row_watch *watch, const ct_store *store) {
    *watch = (ct_row_watch){store->changes, {CT_NO_ROW}, ct_store_count(store)};
}

// Rows that stood when the loop began are those before 'end', as long as none is added before it.
// A removal takes the last row: if that is one of them, there are no others behind it, and the
// bound shrinks with the store; if it is younger it goes where a row was that is done with.
ct_rows ct_row_watch_look(ct_row_watch *watch, const ct_store *store) {
    if (store->changes == watch->changes) return CT_ROWS_STAND;
    if (store->changes != watch->changes + 1 || watch->handed.i == CT_NO_ROW ||
        store->last_removed.i != watch->handed.i)
        return CT_ROWS_MOVED;
    watch->changes = store->changes;
    if (store->last_vanished < watch->end) watch->end = store->last_vanished;
    return CT_ROWS_HANDED_REMOVED;
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

// Behind the last row that stood when the loop began. Rows of a create that failed are taken back
// without a word.
static uint32_t end_of(const ct_query_part *part) {
    uint32_t count = ct_store_count(store_of(part));
    return part->rows.end < count ? part->rows.end : count;
}

// Whether the loop can go on although a manager's rows changed.
static bool bears_changes(ct_query *query, uint32_t i) {
    ct_query_part *part = &query->parts[i];
    const ct_store *store = store_of(part);
    uint32_t end = part->rows.end;
    if (part->role == CT_QUERY_EXCLUDED) {
        if (store->allocator == &ct_allocator_over) return false;
        part->rows.changes = store->changes;
        return true;
    }
    if (ct_row_watch_look(&part->rows, store) == CT_ROWS_MOVED) return false;
    // One of those that stood is where the row handed out was: it has not been seen yet.
    if (i == 0 && part->rows.end != end) query->next = part->rows.handed.i;
    return true;
}

// Whether a row is the first of an entity.
static bool is_first_of(const ct_store *store, uint32_t row, ct_entity e) {
    return row < ct_store_count(store) && ct_store_owners(store)[row].id == e.id &&
           (!store->multiple || ct_store_find_index(store, ct_entity_index(e)) == row);
}

// The rows that the other managers have for an entity; false when one does not play its role.
static bool find_others(const ct_query *query, ct_entity e, ct_row *rows) {
    for (uint32_t i = 1; i < query->part_count; ++i) {
        const ct_query_part *part = &query->parts[i];
        const ct_store *store = store_of(part);
        // Managers filled together keep one order: the next row is the likely one.
        ct_row row = {part->rows.handed.i + 1};
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
        if (!bears_changes(query, i)) return CT_QUERY_MOVED;
    }
    const ct_store *store = store_of(&query->parts[0]);
    ct_row rows[CT_MAX_JOINED];
    for (uint32_t end = end_of(&query->parts[0]); query->next < end; ++query->next) {
        ct_entity e = ct_store_owners(store)[query->next];
        if (!ct_entity_manager_alive(store->entities, e) || !find_others(query, e, rows)) continue;
        rows[0].i = query->next++;
        for (uint32_t i = 0; i < query->part_count; ++i)
            query->parts[i].rows.handed = rows[i];
        return CT_QUERY_ROW;
    }
    query->parts[0].rows.end = 0; // whatever goes now, this was the end
    return CT_QUERY_END;
}

// ---------------------------------------------------------------- runs

// Whether some of these entities have a row.
static bool has_any(const ct_store *store, const ct_entity *entities, uint32_t count) {
    uint32_t i = 0;
    if (ct_store_count(store) == 0) return false;
    while (i < count && ct_store_find(store, entities[i]).i == CT_NO_ROW)
        i++;
    return i < count;
}

// The first row from 'row' on, or 'limit', that does not go on with the run: living owners whose
// rows in the other managers lie where the run says. 'alive': all of the first manager live.
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

// Whether the owners of a block are alive. Ids made in a row tell of slots that lie in a row.
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

// The same question of BLOCK rows at once.
static bool block_goes_on(const ct_query *query, bool alive, uint32_t row) {
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

// Finds the run that begins with the rows handed out.
static void find_run(ct_query *query) {
    uint32_t first = query->parts[0].rows.handed.i, limit = query->run_limit + 1;
    bool in_blocks = true;
    for (uint32_t i = 0; i < query->part_count; ++i) {
        ct_query_part *part = &query->parts[i];
        if (part->role == CT_QUERY_EXCLUDED) {
            part->rows.end = ct_store_count(store_of(part));
            continue;
        }
        part->offset = part->rows.handed.i - first;
        uint32_t more = query->by_row ? 0 : end_of(part) - part->rows.handed.i - 1;
        if (more < limit) limit = more;
        // Of several rows of an entity the map tells the first.
        if (i > 0 && store_of(part)->multiple) in_blocks = false;
    }
    limit += first + 1;
    // Where owners do not lie alike one row tells, at a fraction of what a block costs.
    uint32_t probe = in_blocks && limit > first + 1 ? first + 2 : limit;
    bool alive = ct_store_has_no_dead(store_of(&query->parts[0]));
    uint32_t row = extend(query, alive, first + 1, probe);
    if (row == probe && row < limit) {
        while (limit - row >= BLOCK && block_goes_on(query, alive, row))
            row += BLOCK;
        row = extend(query, alive, row, limit);
    }
    query->first = first;
    query->stop = row;
    query->deaths_seen = *query->deaths;
}

ct_query_step ct_query_next_run(ct_query *query, uint32_t last, uint32_t *fault) {
    // A loop that disturbs its own runs gets short ones, so that finding them stays cheap.
    bool consumed = last != CT_NO_ROW && last + 1 == query->stop;
    if (!consumed)
        query->run_limit = 4;
    else if (query->run_limit < LONGEST_RUN)
        query->run_limit *= 2;
    // The first of a run is known to be handed out.
    if (last > query->first && last < query->stop) {
        for (uint32_t i = 0; i < query->part_count; ++i)
            if (query->parts[i].role != CT_QUERY_EXCLUDED)
                query->parts[i].rows.handed.i = last + query->parts[i].offset;
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
    ct_rows rows = ct_row_watch_look(&loop->rows, store);
    if (rows == CT_ROWS_MOVED) return CT_QUERY_MOVED;
    if (rows == CT_ROWS_HANDED_REMOVED) {
        if (loop->next == store->last_vanished) loop->next = loop->rows.handed.i;
        if (loop->last == store->last_vanished) loop->last = loop->rows.handed.i;
    }
    ct_row row = {loop->next};
    // New components stand behind the last one that was; one of a create that failed is gone.
    if (row.i >= ct_store_count(store) || ct_store_owners(store)[row.i].id != loop->entity.id ||
        !ct_entity_manager_answers(store->entities, loop->entity))
        return CT_QUERY_END;
    loop->rows.handed = row;
    loop->next = row.i == loop->last ? CT_NO_ROW : ct_store_next(store, row).i;
    return CT_QUERY_ROW;
}
