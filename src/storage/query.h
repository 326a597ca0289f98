// Queries: rows of several managers that belong to the same entities, kept between uses.
// Longer than 150 lines: the function that finds runs is inline.
#ifndef CT_QUERY_H
#define CT_QUERY_H

#include "storage/loop.h"

/// One manager of a query.
typedef struct ct_query_part {
    uint32_t structure; ///< ct_store_structure when the rows were found
    uint32_t offset;    ///< while 'rows' is not used: the row of match i is i + offset, wrapping
    uint32_t *rows;     ///< row of each match; CT_NO_ROW for an absent optional component
    uint32_t capacity;  ///< length of 'rows'
    bool listed;        ///< whether 'rows' is used
} ct_query_part;

/// Matches of several managers, kept between uses, in row order of the first manager. A match is a
/// row of the first manager with a living owner that meets the roles of the other managers, and the
/// first row of that owner in each manager that is not excluded. Managers with the same order of
/// rows as the first one need no memory for rows. The matches are valid until a row is added,
/// removed or moved in one of the managers, or an entity dies; ct_query_refresh then finds them
/// again.
///
///     ct_query_run run = {0};
///     if (ct_query_refresh(&query) == CT_OK)
///         while (ct_query_next_run(&query, &run) == CT_QUERY_ROW)
///             for (uint32_t i = 0; i < run.count; ++i)
///                 x[run.rows[0].i + i] += dx[run.rows[1].i + i];
struct ct_query {
    const ct_allocator *allocator;
    uint32_t count;     ///< number of matches
    uint32_t deaths;    ///< counter of the entity manager when the matches were found
    uint32_t structure; ///< of the entity manager when the matches were last valid
    uint32_t finds;     ///< counts how often the matches were found
    uint32_t runs;      ///< number of runs of the loop that found them
    uint32_t part_count;
    bool found;              ///< false: the next refresh finds the matches in any case
    bool ended;              ///< a manager was destroyed
    bool owned;              ///< the block is from the allocator
    bool has_short_runs;     ///< ct_query_tuples is faster to follow than the runs
    uint32_t *tuples;        ///< of ct_query_tuples
    uint32_t tuple_capacity; ///< length of 'tuples'
    uint32_t tuple_finds;    ///< 'finds' when 'tuples' was filled
    bool walked;             ///< a walk has begun (walk.h)
    uint32_t begun;          ///< ct_entity_manager.structure when the last walk began
    ct_query_part parts[CT_MAX_JOINED];
    ct_manager *managers[CT_MAX_JOINED];
    ct_query_role roles[CT_MAX_JOINED];
    ct_query *next, **link; ///< in the list
};

/// Initializes a query without matches over 1 to CT_MAX_JOINED managers of one entity manager, and
/// adds it to a list (of all queries of a world). roles[0] is CT_QUERY_REQUIRED; if 'roles' is
/// NULL, all are. Allocates nothing.
void ct_query_init(ct_query *query, const ct_allocator *allocator, ct_query **list, uint32_t count,
                   ct_manager *const *managers, const ct_query_role *roles);

/// Does the same with a block from the allocator. Returns NULL if memory runs out.
ct_query *ct_query_new(const ct_allocator *allocator, ct_query **list, uint32_t count,
                       ct_manager *const *managers, const ct_query_role *roles);

/// Makes all walks (walk.h) that use a query continue without it, before its memory is freed.
static inline void ct_query_leave(const ct_query *query) {
    query->managers[0]->store.entities->structure++;
}

/// Removes a query from its list and frees its memory; no walk uses it. Does nothing for NULL, and
/// for a query in a block of the caller that was freed before.
void ct_query_free(ct_query *query);

/// Frees the memory of the matches; the next refresh allocates it again. Walks that use the query
/// continue without it.
void ct_query_trim(ct_query *query);

/// Ends the queries of a list that use a manager (NULL: all queries) before it is destroyed. They
/// have no matches afterwards.
void ct_query_end(ct_query *list, const ct_manager *manager);

/// Returns whether the matches are still valid. O(managers).
bool ct_query_is_valid(const ct_query *query);

/// For ct_query_refresh, if anything changed in the entity manager.
ct_status ct_query_find_again(ct_query *query);

/// Finds the matches unless they are valid. Returns CT_OK, CT_ERR_MEMORY, or CT_ERR_OVER if a
/// manager was destroyed; there are no matches then. O(rows of the first manager); O(managers) if
/// the matches are valid.
static inline ct_status ct_query_refresh(ct_query *query) {
    // A manager that ended is not read.
    bool unchanged =
        query->found && query->structure == query->managers[0]->store.entities->structure;
    return CT_LIKELY(unchanged) ? CT_OK : ct_query_find_again(query);
}

/// If the runs are so short that a list of rows is faster to follow, returns this list, which is
/// valid as long as the matches: for each match its row in the first manager, and the rows in the
/// others minus that row, wrapping. The matches must be valid. Returns NULL for long runs, optional
/// managers, and if memory runs out. O(1), and once after each refresh O(matches).
const uint32_t *ct_query_tuples(ct_query *query);

/// Returns the row of match i in a manager that is not excluded. O(1).
static inline ct_row ct_query_row(const ct_query *query, uint32_t part, uint32_t i) {
    const ct_query_part *p = &query->parts[part];
    ct_row row = {p->listed ? p->rows[i] : i + p->offset};
    return row;
}

/// Returns the entity of match i. O(1).
static inline ct_entity ct_query_entity(const ct_query *query, uint32_t i) {
    return ct_store_owners(&query->managers[0]->store)[ct_query_row(query, 0, i).i];
}

/// Finds the matches after those of *run (zeros: from the first one on) whose rows are consecutive
/// in each manager. Returns CT_QUERY_ROW; CT_QUERY_END; or CT_QUERY_MOVED if the matches are not
/// valid. O(managers + matches of the run).
ct_query_step ct_query_next_run(const ct_query *query, ct_query_run *run);

/// Does the same for matches that the caller knows to be valid.
static inline ct_query_step ct_query_next_valid_run(const ct_query *query, ct_query_run *run) {
    uint32_t match = run->match + run->count, count = query->count - match;
    if (match >= query->count) return CT_QUERY_END;
    for (uint32_t i = 0; i < query->part_count; ++i) {
        const ct_query_part *part = &query->parts[i];
        uint32_t row = CT_NO_ROW;
        if (CT_LIKELY(query->roles[i] != CT_QUERY_EXCLUDED)) row = ct_query_row(query, i, match).i;
        run->rows[i].i = row;
        if (!part->listed) continue;
        const uint32_t *rows = part->rows + match;
        uint32_t length = 1, step = row != CT_NO_ROW;
        while (length < count && rows[length] == row + length * step)
            length++;
        count = length;
    }
    run->match = match;
    run->count = count;
    return CT_QUERY_ROW;
}

/// Returns the entity of the first match, or CT_NOBODY. Does not find the other matches.
ct_entity ct_query_first(const ct_query *query);

/// Returns the match with a row of the first manager, or CT_NO_ROW. O(log matches).
uint32_t ct_query_find(const ct_query *query, ct_row row);

/// Returns whether match i is that of the oldest matching component of its entity in the first
/// manager. O(1); with several components of an entity, O(log matches) for each of them, in all.
bool ct_query_is_first_match(const ct_query *query, uint32_t i);

/// Writes the entities of all matches, each once, at the place of their first match as above. 'out'
/// needs room for query->count. Returns the number of entities. O(matches).
uint32_t ct_query_entities(const ct_query *query, ct_entity *out);

/// Returns the lanes of a field of numbers that each match has; 0 for other fields, and if the
/// manager is optional.
uint32_t ct_query_lanes(const ct_query *query, uint32_t part, uint32_t number);

/// Reads a field with ct_query_lanes of all matches, the lanes of each in sequence, as
/// ct_manager_read_numbers does. 'out' has room for all. O(matches).
void ct_query_read_numbers(const ct_query *query, uint32_t part, uint32_t number, double *out);

/// Writes such a field of all matches in order. Returns false, with nothing written, if an integer
/// cannot hold a number, or the field cannot be written by ct_manager_stores. O(matches).
bool ct_query_write_numbers(const ct_query *query, uint32_t part, uint32_t number,
                            const double *numbers);

/// Copies the texts of a string or enum field of all matches: an array of one ct_text for each
/// (NULL for an absent optional component), followed by the bytes, to 'out', which is aligned to 8
/// and has 'room' bytes. Returns the number of bytes needed; if it is above 'room', copies nothing.
/// O(matches).
size_t ct_query_copy_texts(const ct_query *query, uint32_t part, uint32_t field, void *out,
                           size_t room);

/// Returns the allocated bytes of the matches.
size_t ct_query_bytes(const ct_query *query);

#endif
