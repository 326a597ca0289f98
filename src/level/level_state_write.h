// State while the state of a level is written.
#ifndef CT_LEVEL_STATE_WRITE_H
#define CT_LEVEL_STATE_WRITE_H

#include "level/level_state_internal.h"
#include "level/patch_internal.h"

/// A string of the level and one of the shadow.
typedef struct ct_string_pair {
    ct_string here, spawned;
} ct_string_pair;

typedef struct ct_state_writing {
    ct_patch patch; ///< without a new version
    ct_level *level;
    ct_writer *out;
    bool *marks; ///< per entity of the resource: the state names it
    uint32_t step_count;
    ct_manager *manager; ///< compared now; its counterpart is patch.shadowed
    uint32_t hierarchy;  ///< input with the parent of the manager, or its input_count
    ct_string_pair pairs[CT_MAX_COLUMNS]; ///< per field of the manager: the last equal strings
    const ct_manager *table;              ///< manager of the last table
    uint32_t copy;
    bool whole;       ///< all entities of the copy are alive and part of the level
    bool ordered;     ///< the shadow has one row for each owner, in the order of entities
    uint32_t passed;  ///< rows of an ordered shadow before the next entity
    uint32_t *linked; ///< per entity of the resource, if the manager has links: the entity itself
                      ///< or its nearest ancestor with a row in the shadow, or CT_MATCH_NONE
    uint32_t order;   ///< of the next added component without a text as id: see CT_STATE_ADDED
    uint32_t issued;  ///< components of the spawn without a given id before the present one
} ct_state_writing;

/// Compared rows of a component; one of them may be CT_NO_ROW.
typedef struct ct_state_rows {
    uint32_t entity; ///< of the resource
    ct_entity owner; ///< in the level
    ct_row spawned;  ///< in the shadow
    ct_row here;     ///< in the level
} ct_state_rows;

/// Number of entities that are compared at a time, column by column. Test builds use few, so that
/// specs have several blocks.
#if defined(CT_TEST) && CT_TEST
#define CT_STATE_BLOCK 8u
#else
#define CT_STATE_BLOCK 256u
#endif

/// First rows of entities that have a component in the level or in the shadow.
typedef struct ct_state_pairs {
    uint32_t count;
    uint32_t entity[CT_STATE_BLOCK]; ///< of the resource, ascending
    uint32_t here[CT_STATE_BLOCK];   ///< or CT_NO_ROW
    uint32_t spawned[CT_STATE_BLOCK];
    bool differs[CT_STATE_BLOCK]; ///< false: the component is as the spawn makes it
    uint32_t run_count;
    uint32_t run[CT_STATE_BLOCK + 1]; ///< first pairs of runs, in which both rows are consecutive,
                                      ///< and the end. A pair without one of the rows is a run
} ct_state_pairs;

/// Appends a value to the step whose number of values is at offset 'step'.
static inline void ct_state_begin_value(ct_state_writing *w, uint32_t step, uint32_t input) {
    if (w->out->status == CT_OK) w->out->bytes[step]++;
    ct_writer_u8(w->out, input);
}

/// Begins to compare the rows of the manager. O(rows of the shadow).
void ct_state_begin_rows(ct_state_writing *w);

/// Compares the components of entities [from, end), at most CT_STATE_BLOCK, of the copy. The calls
/// for a manager have ascending entities.
void ct_state_compare(ct_state_writing *w, uint32_t from, uint32_t end, ct_state_pairs *out);

/// Returns true if two rows have the same items in all fields. This check is cheap and true for
/// most rows; otherwise the inputs are compared. Cells are not a field. Values and entities that
/// are equal may differ in a new spawn.
bool ct_state_has_same_fields(ct_state_writing *w, const ct_state_rows *rows);

/// Returns the parent of a component of the level.
ct_entity ct_state_parent_here(const ct_state_writing *w, ct_row row);

/// Returns true if the parent and the late inputs are as the spawn makes them (without a row in
/// the shadow: if there are none).
bool ct_state_has_same_link(const ct_state_writing *w, const ct_state_rows *rows);

/// Writes an item of the level as the value of an input.
void ct_state_write_item(ct_state_writing *w, uint32_t input, const void *item);

/// Returns true if two items are equal: one of the level, and one of the shadow.
bool ct_state_is_same(const ct_state_writing *w, uint32_t input, const void *here,
                      const void *spawned);

/// Appends the value of an input if it differs, or is given and there is no row of the shadow.
/// Returns CT_OK; CT_ERR_DATA if the host cannot write it, with its place in the message.
ct_status ct_state_write_value(ct_state_writing *w, uint32_t step, uint32_t input,
                               const ct_state_rows *rows);

#endif
