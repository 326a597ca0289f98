// Loops over rows that allow changes: joins of several managers, and all components of one entity.
#ifndef CT_LOOP_H
#define CT_LOOP_H

#include "storage/manager.h"

// Between two steps of these loops, the caller may create components, destroy entities, and remove
// the current row of any manager of the loop. Any other change that moves rows ends the loop with
// CT_QUERY_MOVED. Entities that died in the meantime are skipped. Rows that did not exist when the
// loop began are skipped too, so a loop that creates rows ends. Loops allocate nothing: all state
// is in memory of the caller, and a loop may be abandoned at any step.

/// Watch of the rows of one store, which all loops over rows use.
typedef struct ct_row_watch {
    uint32_t changes; ///< store->changes at the last check
    ct_row returned;  ///< row that the loop returned after that check, or CT_NO_ROW
    uint32_t end; ///< rows from here on did not exist when the loop began; there may be fewer. For
                  ///< an excluded manager: its number of rows when the run was found
} ct_row_watch;

typedef enum ct_rows { CT_ROWS_UNMOVED, CT_ROWS_RETURNED_REMOVED, CT_ROWS_MOVED } ct_rows;

/// Starts to watch a store. The loop has returned no row yet.
void ct_row_watch_begin(ct_row_watch *watch, const ct_store *store);

/// Checks the rows for changes since the last check. Returns CT_ROWS_UNMOVED if no row moved,
/// CT_ROWS_RETURNED_REMOVED if only the row that the loop returned was removed (the former row
/// store->last_vanished, if different, is in its place), and CT_ROWS_MOVED if other rows moved.
ct_rows ct_row_watch_check(ct_row_watch *watch, const ct_store *store);

typedef struct ct_loop_part {
    ct_manager *manager;
    ct_row_watch rows;
    uint32_t offset; ///< in a run: difference between the row in this manager and the row in the
                     ///< first one
    ct_query_role role;
} ct_loop_part;

/// Loop over the rows of the first manager, in order, that have a living owner which meets the
/// roles of the other managers. For an entity with several components in another manager, the loop
/// returns the first one.
///
///     ct_manager *both[] = {positions, velocities};
///     ct_loop loop;
///     uint32_t fault;
///     ct_loop_begin(&loop, 2, both, NULL);
///     while (ct_loop_next(&loop, &fault) == CT_QUERY_ROW)
///         advance(ct_loop_row(&loop, 0), ct_loop_row(&loop, 1));
///
/// Or many rows at a time, if the body destroys and removes nothing:
///
///     for (uint32_t last = CT_NO_ROW; ct_loop_next_run(&loop, last, &fault) == CT_QUERY_ROW;
///          last = loop.stop - 1)
///         for (uint32_t row = loop.first; row < loop.stop; ++row)
///             x[row] += dx[row + loop.parts[1].offset];
///
/// (Offsets wrap around.) Read column addresses again after any call that may create rows. Managers
/// must exist as long as the loop is used; a lent manager that was destroyed gives CT_QUERY_MOVED.
typedef struct ct_loop {
    uint32_t first; ///< current run: rows of the first manager from 'first' ...
    uint32_t stop;  ///< ... to before 'stop'
    uint32_t run_limit;
    ct_loop_part parts[CT_MAX_JOINED];
    uint32_t part_count;
    uint32_t next;    // row of the first manager to check next
    bool by_row;      // there are optional managers or chosen rows: runs of one row
    uint32_t *chosen; // bits of the rows of the first manager that the loop returns; NULL: all
} ct_loop;

/// Begins a loop over 1 to CT_MAX_JOINED managers of one entity manager. roles[0] is
/// CT_QUERY_REQUIRED; if 'roles' is NULL, all are. A manager may be listed twice.
void ct_loop_begin(ct_loop *loop, uint32_t count, ct_manager *const *managers,
                   const ct_query_role *roles);

/// Begins a loop again, with the same managers and roles.
void ct_loop_begin_again(ct_loop *loop);

/// Returns the bytes of the bits of 'rows' rows.
static inline size_t ct_loop_chosen_bytes(uint32_t rows) { return ((size_t)rows / 32 + 1) * 4; }

/// Restricts a loop that has just begun to rows of the first manager that ct_loop_choose_row adds.
/// 'bits' has ct_loop_chosen_bytes of its rows and must exist as long as the loop. A row that moves
/// during the loop stays chosen.
void ct_loop_choose(ct_loop *loop, uint32_t *bits);

static inline void ct_loop_choose_row(ct_loop *loop, ct_row row) {
    loop->chosen[row.i / 32] |= 1u << row.i % 32;
}

/// Finds the next rows. Returns CT_QUERY_ROW; CT_QUERY_END, also on all later calls; or
/// CT_QUERY_MOVED, with the number of the manager that moved rows in *fault. O(1) for each row
/// returned or skipped.
///
/// Limit: in a manager other than the first, a new row that a removal moved to an older place
/// counts as an old one.
ct_query_step ct_loop_next(ct_loop *loop, uint32_t *fault);

/// Finds the next run: each row of the first manager in 'first' ... 'stop' - 1 matches, with rows
/// at constant offsets in the other managers. The run is valid until an entity dies, a row moves or
/// an excluded manager gets a row; then the caller must request the next run. 'last' is the last
/// row of the first manager that the caller used, CT_NO_ROW at the beginning. A run extends as long
/// as owners have the same order in all managers; its length is 1 if a manager is optional, and
/// ct_loop_row then returns the rows of the others. A loop uses either rows or runs.
ct_query_step ct_loop_next_run(ct_loop *loop, uint32_t last, uint32_t *fault);

/// Returns the current row in a manager, by number. CT_NO_ROW for an excluded manager, or for an
/// optional one without a row.
static inline ct_row ct_loop_row(const ct_loop *loop, uint32_t part) {
    return loop->parts[part].rows.returned;
}

/// Loop over the components of one entity, in creation order.
typedef struct ct_instances {
    ct_manager *manager;
    ct_row_watch rows;
    ct_entity entity;
    uint32_t next; // row after the current one, or CT_NO_ROW at the end
    uint32_t last; // row of the last component when the loop began
} ct_instances;

void ct_instances_begin(ct_instances *loop, ct_manager *manager, ct_entity e);

/// Finds the next row, in loop->rows.returned. Returns the same values as ct_loop_next. O(1).
ct_query_step ct_instances_next(ct_instances *loop);

#endif
