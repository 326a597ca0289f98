// Internals of the transform manager for pending changes, watches and snapshots.
#ifndef CT_TRANSFORM_CHANGES_H
#define CT_TRANSFORM_CHANGES_H

#include "component/transform_internal.h"

// Dirty rows (transform_marks.c)

/// Makes room in the dirty list for 'rows' rows. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_transform_reserve_dirty(ct_transforms *t, uint32_t rows);

static inline size_t ct_transform_dirty_bytes(const ct_transforms *t) {
    return (size_t)t->dirty_capacity * 2 * sizeof *t->dirty;
}

void ct_transform_mark_dirty(ct_transforms *t, uint32_t row);
void ct_transform_clear_dirty(ct_transforms *t, uint32_t row);

/// Updates the dirty list after all items of another row were copied to this one.
void ct_transform_fix_dirty_index(ct_transforms *t, uint32_t row);

// Columns written in place (transform_marks.c)

/// Resolves a marked row: composes its local matrix from the written columns and marks it dirty.
void ct_transform_resolve_row(ct_transforms *transforms, uint32_t row);

/// Resolves all marked rows. Required before the list of dirty rows is read and before rows are
/// moved. O(1) if nothing was written, else O(rows / 256 + written rows).
void ct_transform_resolve_all(ct_transforms *transforms);

/// Resolves all marked rows before dirty rows are computed. Computes roots without children
/// directly.
void ct_transform_finish_writes(ct_transforms *transforms);

/// Prepares the pose of a row for reading and changing.
static inline void ct_transform_prepare(ct_manager *manager, ct_row row) {
    ct_transform_flush_deaths(manager);
    if (CT_UNLIKELY(ct_transforms_of(manager)->written != 0))
        ct_transform_resolve_row(ct_transforms_of(manager), row.i);
}

/// Does the same as ct_transform_open for reading and changing the pose of a row.
static inline ct_transform_arrays ct_transform_open_row(ct_manager *manager, ct_row row) {
    ct_transform_prepare(manager, row);
    return ct_transform_open(manager);
}

/// Makes room for the block marks of 'rows' rows. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_transform_reserve_blocks(ct_transforms *transforms, uint32_t rows);

void ct_transform_free_blocks(ct_transforms *transforms);

/// Removes all block marks.
void ct_transform_clear_blocks(ct_transforms *transforms);

static inline size_t ct_transform_block_bytes(uint32_t rows) {
    return ((size_t)rows / CT_MARK_BLOCK + 8) & ~(size_t)7; // they are read eight at a time
}

bool ct_transform_validate_marks(const ct_transforms *transforms, const ct_transform_arrays *t,
                                 uint32_t count, ct_message *message);

// Deferred computation (transform_batch.c)

/// Makes room to mark new rows. Returns CT_OK, or CT_ERR_MEMORY with nothing changed.
ct_status ct_transform_make_room(ct_manager *manager);

/// The slot 'hash' of the manager type (transform_save.c).
uint64_t ct_transform_hash(ct_manager *manager, ct_row row);

/// The slot 'state' of the manager type. A batch is an error.
void ct_transform_state(ct_manager *manager, ct_state *state);

/// The slots 'save' and 'load' (transform_save.c).
ct_status ct_transform_save(ct_manager *manager, const ct_saved_rows *saved, ct_writer *out,
                            ct_message *message);
ct_status ct_transform_load(ct_manager *manager, ct_reader *in, ct_message *message);

/// Returns the world matrix that getters return. In a batch this includes unchanged rows below
/// changed ones. Returns the item of the column or 'room'.
const float *ct_transform_current_world(const ct_manager *manager, uint32_t row, float *room);

/// Computes the world matrix of a row from that of its parent, and of all descendants.
void ct_transform_propagate_from(const ct_transforms *transforms, const ct_transform_arrays *t,
                                 uint32_t row);

/// Updates world matrices after the local matrix or the parent of a row has changed: at once, or by
/// marking the row dirty.
static inline void ct_transform_follow(ct_transforms *transforms, const ct_transform_arrays *t,
                                       uint32_t row) {
    if (transforms->deferring)
        ct_transform_mark_dirty(transforms, row);
    else
        ct_transform_propagate_from(transforms, t, row);
}

/// Same as ct_transform_follow, for callers that have not opened the columns.
static inline void ct_transform_changed(ct_manager *manager, ct_row row) {
    ct_transform_arrays t = ct_transform_open(manager);
    ct_transform_follow(ct_transforms_of(manager), &t, row.i);
}

/// Returns the function for the widest vectors that this CPU supports. For new managers.
ct_propagate_fn ct_transform_choose_propagate(void);

// Watches of changes (transform_watch.c)

// Callers check that 'watches' is not NULL. World poses are written already.

void ct_transform_notify_rows(const ct_transforms *transforms, uint32_t first, uint32_t count);
void ct_transform_notify_subtree(const ct_transforms *transforms, const ct_transform_arrays *t,
                                 uint32_t top);

/// Records a row that is about to be removed.
void ct_transform_notify_removed(const ct_transforms *transforms, uint32_t row);

/// Records that everything has changed, if a list would be useless.
void ct_transform_notify_all(const ct_transforms *transforms);

/// Part of the slot 'memory' of the manager type. Nothing can be trimmed.
size_t ct_transform_watch_memory(ct_transforms *transforms, ct_memory_task task);

// Order (transform_order.c)

/// Returns the next row of a walk over the subtree of 'top', parents first, or CT_NO_ROW at the
/// end.
static inline uint32_t ct_transform_step(const ct_transform_arrays *t, uint32_t row, uint32_t top) {
    if (t->first[row] != CT_NO_ROW) return t->first[row];
    while (row != top && t->next[row] == CT_NO_ROW)
        row = ct_transform_above(t, row);
    return row == top ? CT_NO_ROW : t->next[row];
}

#endif
