// Loops over rows that allow changes: joins of several managers, all components of one entity.
#ifndef CT_QUERY_H
#define CT_QUERY_H

#include "storage/manager.h"

CT_BEGIN_C

// What such a loop bears between two steps: components are created, entities destroyed, and the row
// just handed out is removed, of any of its managers. Anything else that moves rows ends it with
// CT_QUERY_MOVED. Entities that died meanwhile are skipped, as are rows that did not exist when
// the loop began, so that a loop that creates rows ends. Nothing here allocates: all lies in the
// caller's memory, and may be dropped at any step.

/// What a loop knows of the rows of one store: the mechanism of all loops, this file's and others'.
typedef struct ct_row_watch {
    uint32_t changes; ///< of the store when it was last looked at
    ct_row handed;    ///< what the loop handed out after that look, CT_NO_ROW for none
    uint32_t end;     ///< rows from here on did not stand when the loop began; there may be fewer.
                      ///< Of an excluded manager how many there were when the run was found
} ct_row_watch;

typedef enum ct_rows { CT_ROWS_STAND, CT_ROWS_HANDED_REMOVED, CT_ROWS_MOVED } ct_rows;

/// Watches from now on; nothing is handed out yet.
void ct_row_watch_begin(ct_row_watch *watch, const ct_store *store);

/// What has become of the rows since the last look, for a loop's step: they stand where they were;
/// that one alone was removed, and what was row store->last_vanished, if that is another, stands
/// there; others moved.
ct_rows ct_row_watch_look(ct_row_watch *watch, const ct_store *store);

typedef struct ct_query_part {
    ct_manager *manager;
    ct_row_watch rows;
    uint32_t offset; ///< in a run: from a row of the first manager to the one here
    ct_query_role role;
} ct_query_part;

/// A loop over the rows of the first manager, in their order, whose living owner has what the
/// others' roles ask for. Of entities with several components the others tell the first.
///
///     ct_manager *both[] = {positions, velocities};
///     ct_query q;
///     uint32_t fault;
///     ct_query_begin(&q, 2, both, NULL);
///     while (ct_query_next(&q, &fault) == CT_QUERY_ROW)
///         advance(ct_query_row(&q, 0), ct_query_row(&q, 1));
///
/// or many rows at a time, while the body destroys and removes nothing:
///
///     for (uint32_t last = CT_NO_ROW; ct_query_next_run(&q, last, &fault) == CT_QUERY_ROW;
///          last = q.stop - 1)
///         for (uint32_t row = q.first; row < q.stop; ++row)
///             x[row] += dx[row + q.parts[1].offset];
///
/// (offsets wrap round). Columns are looked up again after whatever may have created rows. Managers
/// must be there as long as the query is used; a lent one that has ended is CT_QUERY_MOVED.
typedef struct ct_query {
    const uint32_t *deaths; // of the entity manager, now. Compiled loops read this and what follows
    uint32_t deaths_seen;   // when the run was found
    uint32_t first;         ///< the present run: rows of the first manager from here ...
    uint32_t stop;          ///< ... to before here
    uint32_t run_limit;
    ct_query_part parts[CT_MAX_JOINED];
    uint32_t part_count;
    uint32_t next; // row of the first manager to look at
    bool by_row;   // some are optional: runs of one row
} ct_query;

/// Begins a loop over 1 to CT_MAX_JOINED managers of one entity manager; roles[0] is
/// CT_QUERY_REQUIRED, 'roles' NULL says that of all. A manager may stand there twice.
void ct_query_begin(ct_query *query, uint32_t count, ct_manager *const *managers,
                    const ct_query_role *roles);

/// The next rows; CT_QUERY_END, then and whenever it is asked again; or CT_QUERY_MOVED, with the
/// number of the manager whose rows moved in *fault. O(1) for a row handed out or passed over.
///
/// Limit: in a manager that is not the first, a new row that a removal there moved counts as one
/// that stood.
ct_query_step ct_query_next(ct_query *query, uint32_t *fault);

/// The same for a run of rows: every row of the first manager in 'first' ... 'stop' - 1, with rows
/// at the same offsets in the others, until an entity dies, a row moves or an excluded manager gets
/// one; from then on the caller asks for the next run. 'last' is the row of the first manager that
/// was used last, CT_NO_ROW at the beginning. Runs are as long as owners in all managers lie alike,
/// 1 where a manager is optional: ct_query_row has the others' rows then. A loop goes by rows or by
/// runs.
ct_query_step ct_query_next_run(ct_query *query, uint32_t last, uint32_t *fault);

/// The row handed out, of a manager by number; CT_NO_ROW of one that is excluded, or optional where
/// there is none.
static inline ct_row ct_query_row(const ct_query *query, uint32_t part) {
    return query->parts[part].rows.handed;
}

/// A loop over the components of one entity, in creation order.
typedef struct ct_instances {
    ct_manager *manager;
    ct_row_watch rows;
    ct_entity entity;
    uint32_t next; // row behind the one handed out, CT_NO_ROW at the end
    uint32_t last; // row of the youngest component when the loop began
} ct_instances;

void ct_instances_begin(ct_instances *loop, ct_manager *manager, ct_entity e);

/// The next row, in loop->rows.handed; the statuses of ct_query_next. O(1).
ct_query_step ct_instances_next(ct_instances *loop);

CT_END_C

#endif
