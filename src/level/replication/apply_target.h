// Local row of a published component, and the values of its steps.
#ifndef CT_APPLY_TARGET_H
#define CT_APPLY_TARGET_H

#include "level/replication/apply.h"

/// Local row of a published component.
typedef struct ct_apply_target {
    ct_apply *apply;
    const ct_wanted *wanted;
    const ct_published_type *type;
    const ct_bound_type *bound;
    ct_component_id given;
    uint32_t id; ///< local id, in a 'multiple' manager
    ct_row row;
} ct_apply_target;

/// Finds the row of a component; 'row' is CT_NO_ROW if there is none, and the manager is NULL if
/// the world does not define the component.
ct_apply_target ct_apply_find(ct_apply *apply, const ct_wanted *wanted);

/// Appends a step for the component. Returns NULL if memory runs out.
ct_patch_step *ct_apply_step(const ct_apply_target *t, ct_patch_kind kind);

/// Writes the local item of a field of numbers, labels or entities. Returns CT_OK, or CT_ERR_DATA
/// if a label is not defined here.
ct_status ct_apply_item(const ct_apply_target *t, uint32_t f, unsigned char *out);

/// Return the received text or cells of a field.
ct_text ct_apply_text(const ct_apply_target *t, uint32_t f);
ct_cells *ct_apply_cells(const ct_apply_target *t, uint32_t f);

/// Adds the value of a field to a step, which holds the string of a text. Returns CT_OK,
/// CT_ERR_MEMORY, CT_ERR_FULL or CT_ERR_DATA.
ct_status ct_apply_add_value(const ct_apply_target *t, ct_patch_step *step, uint32_t f);

#endif
