// Cached matches of a query: rows of several managers that belong to the same entities.
#ifndef CT_MATCHES_H
#define CT_MATCHES_H

#include "storage/query.h"

CT_BEGIN_C

/// One manager of the matches.
typedef struct ct_matches_part {
    ct_manager *manager;
    ct_query_role role;
    uint32_t structure; ///< ct_store_structure when the rows were found
    uint32_t offset;    ///< while 'rows' is not used: the row of match i is i + offset, wrapping
    uint32_t *rows;     ///< row of each match; CT_NO_ROW for an absent optional component
    uint32_t capacity;  ///< length of 'rows'
    bool listed;        ///< whether 'rows' is used
} ct_matches_part;

/// Matches of a query, in row order of the first manager. A match is a row of the first manager
/// with a living owner that meets the roles of the other managers, and the first row of that owner
/// in each manager that is not excluded. Managers with the same order of rows as the first one need
/// no memory for rows. The matches are valid until a row is added, removed or moved in one of the
/// managers, or an entity dies; ct_matches_refresh then finds them again.
///
///     if (ct_matches_refresh(&matches) == CT_OK)
///         for (uint32_t i = 0; i < matches.count; ++i)
///             advance(ct_matches_row(&matches, 0, i), ct_matches_row(&matches, 1, i));
typedef struct ct_matches {
    const ct_allocator *allocator;
    uint32_t count;  ///< number of matches
    uint32_t deaths; ///< counter of the entity manager when the matches were found
    uint32_t part_count;
    bool found; ///< false: the next refresh finds the matches in any case
    ct_matches_part parts[CT_MAX_JOINED];
    struct ct_matches *next, **link; ///< in a list; see ct_matches_link
} ct_matches;

/// Initialises empty matches over 1 to CT_MAX_JOINED managers of one entity manager; roles[0] is
/// CT_QUERY_REQUIRED. Allocates nothing. The managers must exist while the matches are refreshed.
void ct_matches_init(ct_matches *matches, const ct_allocator *allocator, uint32_t count,
                     ct_manager *const *managers, const ct_query_role *roles);

/// Frees the memory; the next refresh allocates it again.
void ct_matches_trim(ct_matches *matches);

/// Adds the matches to a list (of all queries of a world), or removes them. O(1).
void ct_matches_link(ct_matches *matches, ct_matches **list);
void ct_matches_unlink(ct_matches *matches);

/// Returns whether the matches are still valid. O(managers).
bool ct_matches_are_valid(const ct_matches *matches);

/// Finds the matches unless they are valid. Returns CT_OK, or CT_ERR_MEMORY; there are no matches
/// then. O(rows of the first manager); O(managers) if the matches are valid.
ct_status ct_matches_refresh(ct_matches *matches);

/// Returns the row of match i in a manager that is not excluded. O(1).
static inline ct_row ct_matches_row(const ct_matches *matches, uint32_t part, uint32_t i) {
    const ct_matches_part *p = &matches->parts[part];
    ct_row row = {p->listed ? p->rows[i] : i + p->offset};
    return row;
}

/// Returns the entity of match i. O(1).
static inline ct_entity ct_matches_entity(const ct_matches *matches, uint32_t i) {
    return ct_store_owners(&matches->parts[0].manager->store)[ct_matches_row(matches, 0, i).i];
}

/// Writes the entities of all matches, each once, in order of their first match. 'out' needs room
/// for matches->count. Returns the number of entities. O(matches).
uint32_t ct_matches_entities(const ct_matches *matches, ct_entity *out);

/// Copies the texts of a string or enum field of all matches: an array of one ct_text for each
/// (NULL for an absent optional component), followed by the bytes, to 'out', which is aligned to 8
/// and has 'room' bytes. Returns the number of bytes needed; if it is above 'room', copies nothing.
/// O(matches).
size_t ct_matches_copy_texts(const ct_matches *matches, uint32_t part, uint32_t field, void *out,
                             size_t room);

/// Returns the allocated bytes.
size_t ct_matches_bytes(const ct_matches *matches);

CT_END_C

#endif
