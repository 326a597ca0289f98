// What the files of the transform manager tell one another of changes that wait, and of the order
// of rows. Knows nothing of the other components.
#ifndef CT_TRANSFORM_CHANGES_H
#define CT_TRANSFORM_CHANGES_H

#include "component/transform_internal.h"

// ---------------------------------------------------------------- changes (transform_dirty.c)

/// Room to note every row when there are 'rows' of them. CT_OK or CT_ERR_MEMORY.
ct_status ct_transform_reserve_dirty(ct_transforms *t, uint32_t rows);

static inline size_t ct_transform_dirty_bytes(const ct_transforms *t) {
    return (size_t)t->dirty_capacity * 2 * sizeof *t->dirty;
}

/// What rows added from 'first' on need beside their columns: room for notes, a place in the
/// section. CT_OK, or CT_ERR_MEMORY with everything as it was.
ct_status ct_transform_make_room(ct_manager *transforms, ct_row first);

void ct_transform_mark_dirty(ct_transforms *t, uint32_t row);
void ct_transform_clear_dirty(ct_transforms *t, uint32_t row);

/// All items of another row were copied to this one: its note, if it has one, is now here.
void ct_transform_fix_dirty_index(ct_transforms *t, uint32_t row);

/// The world matrix as getters tell it: in a batch, of an unchanged row below changed ones, too.
/// Returns the column's or 'room'.
const float *ct_transform_current_world(const ct_manager *transforms, uint32_t row, float *room);

/// World matrix of the row, from that of its parent, and of all that is below.
void ct_transform_propagate_from(ct_manager *transforms, ct_row row);

/// The local matrix of a row has changed, or its parent: its world matrix and all below follow,
/// at once or when dirty changes are computed.
static inline void ct_transform_changed(ct_manager *transforms, ct_row row) {
    if (ct_transforms_of(transforms)->noting)
        ct_transform_mark_dirty(ct_transforms_of(transforms), row.i);
    else
        ct_transform_propagate_from(transforms, row);
}

/// Whoever computes siblings fastest on this processor. For new managers.
ct_siblings_fn ct_transform_choose_siblings(void);

// ---------------------------------------------------------------- order (transform_order.c)

/// Two rows change places, and everything that refers to them follows. Tells loops and
/// instances nothing.
void ct_transform_swap(ct_transforms *me, uint32_t a, uint32_t b);

/// Puts each row 'first' + i at place targets[i]; the targets are a permutation of these rows.
/// Returns whether any row moved. 'targets' is used up.
bool ct_transform_permute(ct_transforms *me, uint32_t first, uint32_t count, uint32_t *targets);

/// The next row of a walk over the subtree of 'top', parents first; CT_NO_ROW at its end.
static inline uint32_t ct_transform_step(const ct_transform_arrays *t, uint32_t row, uint32_t top) {
    if (t->first[row] != CT_NO_ROW) return t->first[row];
    while (row != top && t->next[row] == CT_NO_ROW)
        row = t->parent[row];
    return row == top ? CT_NO_ROW : t->next[row];
}

// ---------------------------------------------------------------- deferred mode
// (transform_deferred.c)

/// A row in the section has been moved, by the removal of another.
void ct_transform_fix_section(ct_transforms *me, uint32_t to, uint32_t from);

#endif
