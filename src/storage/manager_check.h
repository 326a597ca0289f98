// Checked field access for scripts, plugins and compiled loops.
#ifndef CT_MANAGER_CHECK_H
#define CT_MANAGER_CHECK_H

#include "storage/manager.h"

CT_BEGIN_C

/// Whether all required inputs are given. False with "NAME: required" in 'message'.
bool ct_manager_check_required(const ct_manager *manager, const ct_values *values,
                               ct_message *message);

/// Whether values of all inputs are valid together. If 'whole', they are for
/// ct_manager_create_whole: required and late inputs are checked too; else for ct_manager_assign.
/// False with the reason in 'message'.
bool ct_manager_check_values(const ct_manager *manager, const ct_values *values, uint32_t count,
                             bool whole, ct_message *message);

/// As ct_manager_create, with late inputs, which were checked: 'values' are of all inputs, or NULL.
ct_status ct_manager_create_whole(ct_manager *manager, const ct_entity *owners, uint32_t count,
                                  const ct_values *values, const ct_component_id *ids,
                                  ct_row *first);

/// Whether valid values may be assigned to this row: see ct_manager_type.check_assign. False with
/// the reason in 'message'.
static inline bool ct_manager_check_assign(const ct_manager *manager, ct_row row,
                                           const ct_values *values, ct_message *message) {
    return manager->type->check_assign == NULL ||
           manager->type->check_assign(manager, row, values, 1, message);
}

/// Writes the default of an input as in ct_values: of a string or value the ct_text. Valid until
/// strings of the world are written or released.
void ct_manager_input_default(const ct_manager *manager, uint32_t input, void *item);

/// Whether an item may be written to a field of any row. False with the reason in 'message'.
bool ct_manager_check_item(const ct_manager *manager, uint32_t field, const void *item,
                           ct_message *message);

/// Writes the message for CT_ERR_CYCLE or CT_ERR_DATA of a write of 'what' to this row. Returns
/// false.
bool ct_manager_tell_refused(const ct_manager *manager, ct_row row, const char *what,
                             ct_status status, ct_message *message);

/// Writes the message for CT_ERR_EXISTS of ct_manager_create: the owner has a component already,
/// or, if 'id' is not NULL, one with that id. Returns false.
bool ct_manager_tell_exists(const ct_manager *manager, ct_entity owner, const ct_component_id *id,
                            ct_message *message);

/// Writes the message for CT_ERR_FULL: "NAME is full (4194304 rows)". Returns false.
bool ct_manager_tell_full(const ct_manager *manager, ct_message *message);

/// Whether the column of a field may be written in place now (transform: in deferred mode and in
/// batches, when world poses are computed later).
bool ct_manager_is_open(ct_manager *manager, uint32_t field);

/// Writes an item as a view of the column does: if the column is written in place, the row is only
/// marked. The column is open, and not read-only. Statuses as ct_manager_write.
ct_status ct_manager_write_item(ct_manager *manager, uint32_t field, ct_row row, const void *item);

/// The same for one number of a vector; statuses as ct_manager_write.
ct_status ct_manager_write_lane(ct_manager *manager, uint32_t field, ct_row row, uint32_t lane,
                                double value);

/// Reads a field of numbers or bools, into as many as it has lanes. No NaN but the quiet one.
void ct_manager_read_numbers(ct_manager *manager, uint32_t field, ct_row row, double *numbers);

/// Writes such a field. CT_ERR_DATA where it cannot hold the numbers, or ct_manager_check_item
/// refuses them; else as ct_manager_write.
ct_status ct_manager_write_numbers(ct_manager *manager, uint32_t field, ct_row row,
                                   const double *numbers);

/// Where the items of a field lie, for readers that C does not compile (lua/cuttle/columns.lua).
/// All pointers are good as long as the manager.
typedef struct ct_column_window {
    unsigned char *const *data; ///< where the address of the column stands; NULL: computed
    const uint32_t *moves;      ///< changes whenever an address behind these pointers does
    const uint32_t *count;      ///< rows
    const uint32_t *epoch;      ///< of instances
    const uint32_t *deaths_seen,
        *deaths;           ///< not NULL: the column is to be read only where they are equal
    ct_column_marks marks; ///< zeros: written freely
    uint32_t stride;       ///< from one item to the next
} ct_column_window;

ct_column_window ct_manager_window(ct_manager *manager, uint32_t field);

CT_END_C

#endif
