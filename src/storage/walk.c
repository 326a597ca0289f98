// Walks: loops of scripts over the rows of a query, in runs.
#include "storage/walk.h"

// Number of rows up to which a query is refreshed for one walk, which may end early.
#define FEW_ROWS 64u

// Returns whether a walk that begins may use the query.
static bool prepare(ct_query *query, uint32_t structure) {
    if (ct_query_is_valid(query)) return true;
    bool again = (query->walked && query->begun == structure) ||
                 ct_store_count(&query->managers[0]->store) <= FEW_ROWS;
    query->walked = true;
    query->begun = structure;
    return again && ct_query_refresh(query) == CT_OK;
}

void ct_walk_init(ct_walk *walk, ct_query *query, bool single, uint32_t count,
                  ct_manager *const *managers, const ct_query_role *roles) {
    walk->row = CT_WALK_NO_ROW;
    walk->stop = 0;
    walk->entities = managers[0]->store.entities;
    walk->first = &managers[0]->store;
    walk->single = single;
    walk->whole = query;
    ct_loop_begin(&walk->loop, count, managers, roles);
}

void ct_walk_begin(ct_walk *walk) {
    ct_query *query = walk->whole;
    walk->row = CT_WALK_NO_ROW;
    walk->stop = 0;
    walk->structure = walk->entities->structure;
    walk->query = query != NULL && prepare(query, walk->structure) ? query : NULL;
    walk->run.match = walk->run.count = walk->places = 0;
    ct_walk_load_owners(walk);
    ct_loop_begin_again(&walk->loop);
}

bool ct_walk_use_tuples(ct_walk *walk) {
    if (walk->query == NULL || walk->single) return false;
    walk->tuples = ct_query_tuples(walk->whole);
    if (walk->tuples == NULL) return false;
    walk->place = 0u - walk->query->part_count;
    walk->places = walk->query->count * walk->query->part_count;
    walk->offsets[0] = 0;
    return true;
}

// Goes to the first row of a run of 'length' rows, which are in 'rows' for the first one.
static void enter_run(ct_walk *walk, uint32_t length, const ct_row *rows, uint32_t count) {
    walk->row = rows[0].i;
    walk->stop = walk->row + length;
    walk->entity = ct_store_owners(walk->first)[walk->row];
    for (uint32_t i = 0; i < count; ++i)
        walk->offsets[i] = (rows[i].i != CT_NO_ROW ? rows[i].i : CT_WALK_NO_ROW) - walk->row;
}

// Returns whether the run has one row only. The row of an absent component has no successor.
static bool is_single(const ct_walk *walk) {
    const ct_query *query = walk->query;
    bool single = walk->single;
    for (uint32_t i = 0; walk->loop.by_row && i < query->part_count; ++i)
        single =
            single || (query->roles[i] == CT_QUERY_OPTIONAL && walk->run.rows[i].i == CT_NO_ROW);
    return single;
}

// While 'structure' is that of the entity manager, no row has changed since the walk began.
static ct_query_step next_of_query(ct_walk *walk) {
    bool begins = walk->places == 0 && walk->run.count == 0;
    if ((begins && ct_walk_use_tuples(walk)) || walk->places > 0)
        return ct_walk_step(walk) ? CT_QUERY_ROW : CT_QUERY_END;
    ct_query_step step = ct_query_next_valid_run(walk->query, &walk->run);
    if (step != CT_QUERY_ROW) return step;
    if (is_single(walk)) walk->run.count = 1;
    enter_run(walk, walk->run.count, walk->run.rows, walk->query->part_count);
    return CT_QUERY_ROW;
}

// Continues after the current row without the query, which may be freed.
static void leave_query(ct_walk *walk) {
    ct_loop *loop = &walk->loop;
    walk->query = NULL;
    walk->places = 0;
    if (walk->row == CT_WALK_NO_ROW) return;
    for (uint32_t i = 0; i < loop->part_count; ++i) {
        uint32_t row = walk->row + walk->offsets[i];
        if (loop->parts[i].role != CT_QUERY_EXCLUDED && row != CT_WALK_NO_ROW)
            loop->parts[i].rows.returned.i = row;
    }
    loop->next = walk->row + 1;
}

// Finds the next run without the query.
static ct_query_step next_of_loop(ct_walk *walk, uint32_t *fault) {
    ct_loop *loop = &walk->loop;
    ct_row rows[CT_MAX_JOINED] = {{CT_NO_ROW}};
    uint32_t last = walk->row == CT_WALK_NO_ROW ? CT_NO_ROW : walk->row;
    ct_query_step step = ct_loop_next_run(loop, last, fault);
    walk->structure = walk->entities->structure;
    walk->stop = 0;
    if (step != CT_QUERY_ROW) return step;
    for (uint32_t i = 0; i < loop->part_count; ++i)
        rows[i] = ct_loop_row(loop, i);
    enter_run(walk, walk->single ? 1 : loop->stop - loop->first, rows, loop->part_count);
    return CT_QUERY_ROW;
}

ct_query_step ct_walk_next_run(ct_walk *walk, uint32_t *fault) {
    if (walk->query != NULL) {
        if (CT_LIKELY(walk->structure == walk->entities->structure)) return next_of_query(walk);
        leave_query(walk);
    }
    return next_of_loop(walk, fault);
}
