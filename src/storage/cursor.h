// Cursors: places of components in a walk, which stay valid while their rows do.
#ifndef CT_CURSOR_H
#define CT_CURSOR_H

#include "storage/walk.h"

/// Place of the component of one manager in a walk.
typedef struct ct_cursor {
    const ct_walk *loop; ///< compiled items read the members up to 'checked'
    ct_store *store;
    const ct_entity_manager *entities;
    const uint32_t *offset; ///< the row is loop->row + *offset, wrapping
    uint32_t checked;       ///< entities->structure when the row was last checked
    uint32_t id;            ///< of the component, if an entity may have several
    ct_manager *manager;
} ct_cursor;

static inline ct_row ct_cursor_row(const ct_cursor *cursor) {
    ct_row row = {cursor->loop->row + *cursor->offset};
    return row;
}

/// Initializes the cursor of manager 'part' of a walk.
static inline void ct_cursor_init(ct_cursor *cursor, const ct_walk *loop, uint32_t part,
                                  ct_manager *manager) {
    cursor->loop = loop;
    cursor->store = &manager->store;
    cursor->entities = manager->store.entities;
    cursor->manager = manager;
    cursor->offset = &loop->offsets[part];
}

/// Places a cursor at the component of its walk, which has begun to follow tuples or has just found
/// a run.
static inline void ct_cursor_place(ct_cursor *cursor) {
    cursor->checked = cursor->loop->structure;
    const ct_row row = ct_cursor_row(cursor);
    cursor->id = row.i != CT_WALK_NO_ROW ? ct_store_id(cursor->store, row) : 0;
}

/// Returns whether the row is still that of the component, after changes since the last check.
bool ct_cursor_check(ct_cursor *cursor);

/// Returns whether the row is still that of the component. A manager that has ended has no rows.
static inline bool ct_cursor_is_open(ct_cursor *cursor) {
    bool unchanged = cursor->checked == cursor->entities->structure &&
                     ct_cursor_row(cursor).i < ct_store_count(cursor->store);
    return CT_LIKELY(unchanged) || ct_cursor_check(cursor);
}

/// Returns whether the row may also be written now: not for a dying owner, and not while the entity
/// manager is frozen.
static inline bool ct_cursor_is_writable(ct_cursor *cursor) {
    return ct_cursor_is_open(cursor) &&
           (CT_LIKELY(cursor->entities->guarded == 0) ||
            (!ct_entity_manager_is_frozen(cursor->entities) &&
             ct_entity_manager_alive(cursor->entities, cursor->loop->entity)));
}

// Access to numbers, for compiled code.

/// Returns a lane of a field of numbers, bools or labels, or NaN if the cursor is not open.
double ct_cursor_read_lane(ct_cursor *cursor, uint32_t field, uint32_t lane);

/// Write a lane, or up to four lanes, of such a field. Return 1, or 0 if the cursor is not writable
/// or the field cannot have the value.
int32_t ct_cursor_write_lane(ct_cursor *cursor, uint32_t field, uint32_t lane, double value);
int32_t ct_cursor_write_lanes(ct_cursor *cursor, uint32_t field, double x, double y, double z,
                              double w);

#endif
