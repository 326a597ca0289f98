// Walks: loops of scripts over the rows of a query, in runs.
#ifndef CT_WALK_H
#define CT_WALK_H

#include "storage/query.h"

/// Row that no component has: of a walk before its first step, and of an absent optional component.
/// It is above every number of rows, so that one comparison refuses it.
#define CT_WALK_NO_ROW 0x7FFFFFF0u

/// Loop with the rules of ct_loop. Rows come in runs: within a run, a step only adds 1 to 'row'.
/// While a query is valid, the runs are those of the query, or if they are short, its list of
/// tuples is followed. After the first change, the walk finds its runs with ct_loop_next_run.
typedef struct ct_walk {
    // Compiled loops read the first members up to 'tuples', and write 'row', 'entity', 'place',
    // 'fence' and 'offsets'.
    uint32_t row;       ///< current row of the first manager
    uint32_t stop;      ///< end of the current run
    uint32_t structure; ///< of the entity manager; run and tuples are valid while it is equal
    ct_entity entity;   ///< owner of the current row
    uint32_t place;     ///< of the current tuple in 'tuples'
    uint32_t places;    ///< length of 'tuples'; 0: there are runs
    uint32_t moves;     ///< columns.moves of the first store when 'owners' was loaded
    uint32_t fence;     ///< compiled loops write it before each call; no other use
    /// Row of each manager minus 'row', wrapping. Undefined for an excluded manager.
    uint32_t offsets[CT_MAX_JOINED];
    const ct_entity *owners; ///< of the first store
    const uint32_t *tuples;  ///< of the query (ct_query_tuples)

    ct_entity_manager *entities;
    const ct_store *first; // of the first manager
    bool single;           // runs of one row
    ct_query *whole;       // query of the walk, or NULL
    const ct_query *query; // the same while its matches are valid, or NULL
    ct_query_run run;
    ct_loop loop; // its watches begin with the walk; finds the runs after the first change
} ct_walk;

/// Initializes a walk, which ct_walk_begin must begin. 'query', if not NULL, has the same managers
/// and roles, and must exist as long as the walk is used. If 'single' is set, every run has one
/// row.
void ct_walk_init(ct_walk *walk, ct_query *query, bool single, uint32_t count,
                  ct_manager *const *managers, const ct_query_role *roles);

/// Begins a walk. O(managers); refreshes the query if the first manager has few rows, or for the
/// second of two walks between which no row changed, so that the first one may end early.
void ct_walk_begin(ct_walk *walk);

/// Makes a walk that has just begun follow the tuples of its query, so that ct_walk_step goes to
/// the first row, too. Returns false if the walk does not use a query with tuples.
bool ct_walk_use_tuples(ct_walk *walk);

/// Finds the next run and goes to its first row. Returns the same values as ct_loop_next_run.
ct_query_step ct_walk_next_run(ct_walk *walk, uint32_t *fault);

/// Loads the address of the owners, which changes when the columns move.
static inline void ct_walk_load_owners(ct_walk *walk) {
    walk->owners = ct_store_owners(walk->first);
    walk->moves = walk->first->columns.moves;
}

/// Goes to the next row of the run or tuples. Returns false if there is none or they are not valid
/// any more.
static inline bool ct_walk_step(ct_walk *walk) {
    uint32_t row = walk->row + 1, parts = walk->loop.part_count, place = walk->place + parts;
    if (walk->structure != walk->entities->structure) return false;
    if (place < walk->places) {
        walk->place = place;
        row = walk->tuples[place];
        for (uint32_t i = 1; i < parts; ++i)
            walk->offsets[i] = walk->tuples[place + i];
    } else if (row >= walk->stop) {
        return false;
    }
    walk->row = row;
    walk->entity = ct_store_owners(walk->first)[row];
    return true;
}

#endif
