// Shared by the files of the transform manager: pending changes, watches, snapshots.
#ifndef CT_TRANSFORM_CHANGES_H
#define CT_TRANSFORM_CHANGES_H

#include "component/transform_internal.h"

// Dirty rows (transform_dirty.c)

/// Room to note every row when there are 'rows' of them. CT_OK or CT_ERR_MEMORY.
ct_status ct_transform_reserve_dirty(ct_transforms *t, uint32_t rows);

static inline size_t ct_transform_dirty_bytes(const ct_transforms *t) {
    return (size_t)t->dirty_capacity * 2 * sizeof *t->dirty;
}

void ct_transform_mark_dirty(ct_transforms *t, uint32_t row);
void ct_transform_clear_dirty(ct_transforms *t, uint32_t row);

/// All items of another row were copied to this one: its note, if it has one, is now here.
void ct_transform_fix_dirty_index(ct_transforms *t, uint32_t row);

// Columns written in place (transform_marks.c)

/// A row that is marked becomes a dirty one, its local pose what its columns say.
void ct_transform_resolve_row(ct_transforms *transforms, uint32_t row);

/// The same of all rows, before anything that asks which rows are dirty, or moves some. O(1) when
/// nothing was written, else O(rows / 256 + those written).
void ct_transform_resolve_all(ct_transforms *transforms);

/// The same before dirty rows are computed: of roots without children that is done at once.
void ct_transform_finish_writes(ct_transforms *transforms);

/// Before the pose of a row is read or changed.
static inline void ct_transform_prepare(ct_manager *manager, ct_row row) {
    ct_transform_flush_deaths(manager);
    if (CT_UNLIKELY(ct_transforms_of(manager)->written != 0))
        ct_transform_resolve_row(ct_transforms_of(manager), row.i);
}

/// Room for marks of 'rows' rows. CT_OK or CT_ERR_MEMORY.
ct_status ct_transform_reserve_blocks(ct_transforms *transforms, uint32_t rows);

void ct_transform_free_blocks(ct_transforms *transforms);

static inline size_t ct_transform_block_bytes(uint32_t rows) {
    return ((size_t)rows / CT_MARK_BLOCK + 8) & ~(size_t)7; // they are read eight at a time
}

/// The slot 'marks' of the manager type.
bool ct_transform_locate_marks(ct_manager *manager, uint32_t field, ct_column_marks *out);

bool ct_transform_validate_marks(const ct_transforms *transforms, const ct_transform_arrays *t,
                                 uint32_t count, ct_message *message);

// Computing later (transform_batch.c)

/// What new rows need beside their columns: room to be marked. CT_OK, or CT_ERR_MEMORY with
/// everything as it was.
ct_status ct_transform_make_room(ct_manager *manager);

/// Room to note every row there is room for. Statuses as above.
ct_status ct_transform_reserve_changes(ct_transforms *transforms);

/// The slot 'hash' of the manager type (transform_hash.c).
uint64_t ct_transform_hash(ct_manager *manager, ct_row row);

/// The slot 'state' of the manager type. No batch runs.
void ct_transform_state(ct_manager *manager, ct_state *state);

/// The slots 'save' and 'load' (transform_save.c).
ct_status ct_transform_save(ct_manager *manager, const ct_saved_rows *saved, ct_writer *out,
                            ct_message *message);
ct_status ct_transform_load(ct_manager *manager, ct_reader *in, ct_message *message);

/// The world matrix as getters tell it: in a batch, of an unchanged row below changed ones, too.
/// Returns the column's or 'room'.
const float *ct_transform_current_world(const ct_manager *manager, uint32_t row, float *room);

/// World matrix of the row, from that of its parent, and of all that is below.
void ct_transform_propagate_from(const ct_transforms *transforms, const ct_transform_arrays *t,
                                 uint32_t row);

/// The local matrix of a row has changed, or its parent: its world matrix and all below follow,
/// at once or when dirty changes are computed.
static inline void ct_transform_follow(ct_transforms *transforms, const ct_transform_arrays *t,
                                       uint32_t row) {
    if (transforms->deferring)
        ct_transform_mark_dirty(transforms, row);
    else
        ct_transform_propagate_from(transforms, t, row);
}

/// The same, for callers that have not opened the columns.
static inline void ct_transform_changed(ct_manager *manager, ct_row row) {
    ct_transform_arrays t = ct_transform_open(manager);
    ct_transform_follow(ct_transforms_of(manager), &t, row.i);
}

/// Picks the widest SIMD kernel that this CPU supports. For new managers.
ct_siblings_fn ct_transform_choose_siblings(void);

// Watches of changes (transform_watch.c)

// Each is called where me->watches is not NULL, when world poses have been written.

void ct_transform_tell_rows(const ct_transforms *transforms, uint32_t first, uint32_t count);
void ct_transform_tell_subtree(const ct_transforms *transforms, const ct_transform_arrays *t,
                               uint32_t top);

/// Of a row that is about to go.
void ct_transform_tell_leaving(const ct_transforms *transforms, uint32_t row);

/// Of so much that a list would be of no use.
void ct_transform_tell_all(const ct_transforms *transforms);

/// For the slot 'memory' of the manager type. Nothing can be trimmed.
size_t ct_transform_watch_memory(ct_transforms *transforms, ct_memory_task task);

// Order (transform_order.c)

/// The next row of a walk over the subtree of 'top', parents first; CT_NO_ROW at its end.
static inline uint32_t ct_transform_step(const ct_transform_arrays *t, uint32_t row, uint32_t top) {
    if (t->first[row] != CT_NO_ROW) return t->first[row];
    while (row != top && t->next[row] == CT_NO_ROW)
        row = ct_transform_above(t, row);
    return row == top ? CT_NO_ROW : t->next[row];
}

#endif
