// Loops over rows that allow changes: the common watch, joins by row and by run, components of one
// entity.
#include "storage/loop.h"

#include "storage/store_internal.h"

#include <string.h>

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

void ct_loop_begin(ct_loop *loop, uint32_t count, ct_manager *const *managers,
                   const ct_query_role *roles) {
    CT_ASSERT(count > 0 && count <= CT_MAX_JOINED);
    CT_ASSERT(roles == NULL || roles[0] == CT_QUERY_REQUIRED);
    // Loops begin often: the parts that are not used are not written.
    loop->part_count = count;
    loop->by_row = false;
    for (uint32_t i = 0; i < count; ++i) {
        ct_loop_part *part = &loop->parts[i];
        part->manager = managers[i];
        part->offset = 0;
        part->role = roles != NULL ? roles[i] : CT_QUERY_REQUIRED;
        loop->by_row = loop->by_row || part->role == CT_QUERY_OPTIONAL;
    }
    ct_loop_begin_again(loop);
}

void ct_loop_begin_again(ct_loop *loop) {
    loop->first = loop->stop = loop->run_limit = loop->next = 0;
    loop->chosen = NULL;
    for (uint32_t i = 0; i < loop->part_count; ++i)
        ct_row_watch_begin(&loop->parts[i].rows, &loop->parts[i].manager->store);
}

static const ct_store *store_of(const ct_loop_part *part) { return &part->manager->store; }

// Returns the end of the rows that existed when the loop began. The count is checked too, because a
// failed create removes its rows without changing the watch.
static uint32_t end_of(const ct_loop_part *part) {
    uint32_t count = ct_store_count(store_of(part));
    return part->rows.end < count ? part->rows.end : count;
}

void ct_loop_choose(ct_loop *loop, uint32_t *bits) {
    loop->chosen = bits;
    loop->by_row = true;
    memset(bits, 0, ct_loop_chosen_bytes(end_of(&loop->parts[0])));
}

static bool is_chosen(const ct_loop *loop, uint32_t row) {
    return (loop->chosen[row / 32] >> row % 32 & 1) != 0;
}

static void move_choice(ct_loop *loop, uint32_t from, uint32_t to) {
    loop->chosen[to / 32] &= ~(1u << to % 32);
    if (is_chosen(loop, from)) ct_loop_choose_row(loop, (ct_row){to});
}

// Returns whether the loop can continue after the rows of a manager changed.
static bool allows_changes(ct_loop *loop, uint32_t i) {
    ct_loop_part *part = &loop->parts[i];
    const ct_store *store = store_of(part);
    uint32_t end = part->rows.end;
    if (part->role == CT_QUERY_EXCLUDED) {
        if (store->allocator == &ct_allocator_destroyed) return false;
        part->rows.changes = store->changes;
        return true;
    }
    if (ct_row_watch_check(&part->rows, store) == CT_ROWS_MOVED) return false;
    // An old row that the loop has not visited moved to the place of the removed one.
    if (i == 0 && part->rows.end != end) {
        loop->next = part->rows.returned.i;
        if (loop->chosen != NULL) move_choice(loop, store->last_vanished, loop->next);
    }
    return true;
}

// Returns whether a row is the first row of an entity.
static bool is_first_of(const ct_store *store, uint32_t row, ct_entity e) {
    return row < ct_store_count(store) && ct_store_owners(store)[row].id == e.id &&
           ct_store_is_first(store, row);
}

// Finds the rows of an entity in the other managers. Returns false if a role is not met.
static bool find_others(const ct_loop *loop, ct_entity e, ct_row *rows) {
    for (uint32_t i = 1; i < loop->part_count; ++i) {
        const ct_loop_part *part = &loop->parts[i];
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

ct_query_step ct_loop_next(ct_loop *loop, uint32_t *fault) {
    for (uint32_t i = 0; i < loop->part_count; ++i) {
        const ct_loop_part *part = &loop->parts[i];
        if (CT_LIKELY(store_of(part)->changes == part->rows.changes)) continue;
        *fault = i;
        if (!allows_changes(loop, i)) return CT_QUERY_MOVED;
    }
    const ct_store *store = store_of(&loop->parts[0]);
    ct_row rows[CT_MAX_JOINED];
    for (uint32_t end = end_of(&loop->parts[0]); loop->next < end; ++loop->next) {
        if (loop->chosen != NULL && !is_chosen(loop, loop->next)) continue;
        ct_entity e = ct_store_owners(store)[loop->next];
        if (!ct_entity_manager_alive(store->entities, e) || !find_others(loop, e, rows)) continue;
        rows[0].i = loop->next++;
        for (uint32_t i = 0; i < loop->part_count; ++i)
            loop->parts[i].rows.returned = rows[i];
        return CT_QUERY_ROW;
    }
    loop->parts[0].rows.end = 0; // further calls return CT_QUERY_END, even after removals
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
static uint32_t extend(const ct_loop *loop, bool alive, uint32_t row, uint32_t limit) {
    const ct_store *first = store_of(&loop->parts[0]);
    for (; row < limit; ++row) {
        ct_entity e = ct_store_owners(first)[row];
        if (!alive && !ct_entity_manager_alive(first->entities, e)) return row;
        for (uint32_t i = 1; i < loop->part_count; ++i) {
            const ct_loop_part *part = &loop->parts[i];
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
static bool block_continues(const ct_loop *loop, bool alive, uint32_t row) {
    const ct_store *first = store_of(&loop->parts[0]);
    const ct_entity *owners = ct_store_owners(first) + row;
    if (!alive && !is_block_alive(first->entities, owners)) return false;
    for (uint32_t i = 1; i < loop->part_count; ++i) {
        const ct_store *store = store_of(&loop->parts[i]);
        if (loop->parts[i].role == CT_QUERY_EXCLUDED) {
            if (has_any(store, owners, BLOCK)) return false;
            continue;
        }
        const ct_entity *same = ct_store_owners(store) + (row + loop->parts[i].offset);
        uint32_t other = 0;
        for (uint32_t k = 0; k < BLOCK; ++k)
            other |= owners[k].id ^ same[k].id;
        if (other != 0) return false;
    }
    return true;
}

// Finds the run that begins with the current rows.
static void find_run(ct_loop *loop) {
    uint32_t first = loop->parts[0].rows.returned.i, limit = loop->run_limit + 1;
    bool in_blocks = true;
    for (uint32_t i = 0; i < loop->part_count; ++i) {
        ct_loop_part *part = &loop->parts[i];
        if (part->role == CT_QUERY_EXCLUDED) {
            part->rows.end = ct_store_count(store_of(part));
            continue;
        }
        part->offset = part->rows.returned.i - first;
        uint32_t more = loop->by_row ? 0 : end_of(part) - part->rows.returned.i - 1;
        if (more < limit) limit = more;
        // If an entity has several rows, only the map finds the first one.
        if (i > 0 && store_of(part)->multiple) in_blocks = false;
    }
    limit += first + 1;
    // If the orders of owners differ, one row shows it, at a fraction of the cost of a block.
    uint32_t probe = in_blocks && limit > first + 1 ? first + 2 : limit;
    bool alive = ct_store_has_no_dead(store_of(&loop->parts[0]));
    uint32_t row = extend(loop, alive, first + 1, probe);
    if (row == probe && row < limit) {
        while (limit - row >= BLOCK && block_continues(loop, alive, row))
            row += BLOCK;
        row = extend(loop, alive, row, limit);
    }
    loop->first = first;
    loop->stop = row;
}

ct_query_step ct_loop_next_run(ct_loop *loop, uint32_t last, uint32_t *fault) {
    // A loop that invalidates its runs gets short ones, so that finding them stays cheap.
    bool consumed = last != CT_NO_ROW && last + 1 == loop->stop;
    if (!consumed)
        loop->run_limit = 4;
    else if (loop->run_limit < LONGEST_RUN)
        loop->run_limit *= 2;
    // The first row of the run is already the current one.
    if (last > loop->first && last < loop->stop) {
        for (uint32_t i = 0; i < loop->part_count; ++i)
            if (loop->parts[i].role != CT_QUERY_EXCLUDED)
                loop->parts[i].rows.returned.i = last + loop->parts[i].offset;
        loop->next = last + 1;
    }
    ct_query_step step = ct_loop_next(loop, fault);
    if (step == CT_QUERY_ROW)
        find_run(loop);
    else
        loop->first = loop->stop = 0;
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
