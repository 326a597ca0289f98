// Walks: loops of scripts over the rows of a query, in runs.
#include "storage/walk.h"

// Returns whether a walk that begins may use the query.
static bool prepare(ct_query *query, uint32_t structure) {
    if (ct_query_is_valid(query)) return true;
    bool again = query->walked && query->begun == structure;
    query->walked = true;
    query->begun = structure;
    return again && ct_query_refresh(query) == CT_OK;
}

void ct_walk_begin(ct_walk *walk, ct_query *query, bool single, uint32_t count,
                   ct_manager *const *managers, const ct_query_role *roles) {
    walk->row = CT_WALK_NO_ROW;
    walk->stop = 0;
    walk->entities = managers[0]->store.entities;
    walk->structure = walk->entities->structure;
    walk->first = &managers[0]->store;
    walk->single = single;
    walk->query = query != NULL && prepare(query, walk->structure) ? query : NULL;
    walk->run.match = walk->run.count = 0;
    ct_loop_begin(&walk->loop, count, managers, roles);
}

// Goes to the first row of a run of 'length' rows, which are in 'rows' for the first one.
static void enter_run(ct_walk *walk, uint32_t length, const ct_row *rows, uint32_t count) {
    walk->row = rows[0].i;
    walk->stop = walk->row + length;
    walk->entity = ct_store_owners(walk->first)[walk->row];
    for (uint32_t i = 0; i < count; ++i)
        walk->offsets[i] = (rows[i].i != CT_NO_ROW ? rows[i].i : CT_WALK_NO_ROW) - walk->row;
}

static ct_query_step next_of_query(ct_walk *walk) {
    const ct_query *query = walk->query;
    ct_query_step step = ct_query_next_run(query, &walk->run);
    if (step != CT_QUERY_ROW) return step;
    if (walk->single) walk->run.count = 1;
    for (uint32_t i = 0; i < query->part_count; ++i) {
        // The row of an absent component has no successor.
        bool absent = query->roles[i] == CT_QUERY_OPTIONAL && walk->run.rows[i].i == CT_NO_ROW;
        if (absent) walk->run.count = 1;
    }
    enter_run(walk, walk->run.count, walk->run.rows, query->part_count);
    return CT_QUERY_ROW;
}

// Continues after the current row without the query, which may be freed.
static void leave_query(ct_walk *walk) {
    ct_loop *loop = &walk->loop;
    walk->query = NULL;
    if (walk->row == CT_WALK_NO_ROW) return;
    for (uint32_t i = 0; i < loop->part_count; ++i) {
        uint32_t row = walk->row + walk->offsets[i];
        if (loop->parts[i].role != CT_QUERY_EXCLUDED && row != CT_WALK_NO_ROW)
            loop->parts[i].rows.returned.i = row;
    }
    loop->next = walk->row + 1;
}

ct_query_step ct_walk_next_run(ct_walk *walk, uint32_t *fault) {
    ct_loop *loop = &walk->loop;
    ct_row rows[CT_MAX_JOINED] = {{CT_NO_ROW}};
    if (walk->query != NULL) {
        bool same = walk->structure == walk->entities->structure && walk->query->found;
        ct_query_step found = same ? next_of_query(walk) : CT_QUERY_MOVED;
        if (found != CT_QUERY_MOVED) return found;
        leave_query(walk);
    }
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
