// Checked field access for scripts, plugins and compiled loops.
#ifndef CT_MANAGER_ACCESS_H
#define CT_MANAGER_ACCESS_H

#include "storage/manager.h"

/// Returns whether all required inputs are given. False with "NAME: required" in 'message'.
bool ct_manager_check_required(const ct_manager *manager, const ct_values *values,
                               ct_message *message);

/// Returns whether values of all inputs are valid together. If 'whole', they are for
/// ct_manager_create_whole: required and late inputs are checked too; else for ct_manager_assign.
/// False with the reason in 'message'.
bool ct_manager_check_values(const ct_manager *manager, const ct_values *values, uint32_t count,
                             bool whole, ct_message *message);

/// Does the same as ct_manager_create, with late inputs: 'values', already checked, are of all
/// inputs, or NULL.
ct_status ct_manager_create_whole(ct_manager *manager, const ct_entity *owners, uint32_t count,
                                  const ct_values *values, const ct_component_id *ids,
                                  ct_row *first);

/// Returns whether valid values may be assigned to this row: see ct_manager_type.check_assign.
/// False with the reason in 'message'.
static inline bool ct_manager_check_assign(const ct_manager *manager, ct_row row,
                                           const ct_values *values, ct_message *message) {
    return manager->type->check_assign == NULL ||
           manager->type->check_assign(manager, row, values, 1, message);
}

/// Writes the default of an input in the format of ct_values: a ct_text for a string or value.
/// Valid until strings of the world are written or released.
void ct_manager_input_default(const ct_manager *manager, uint32_t input, void *item);

/// Returns whether an item may be written to a field of any row. False with the reason in
/// 'message'.
bool ct_manager_check_item(const ct_manager *manager, uint32_t field, const void *item,
                           ct_message *message);

/// Writes the message for CT_ERR_CYCLE or CT_ERR_DATA after 'what' was written to this row. Returns
/// false.
bool ct_manager_refused_message(const ct_manager *manager, ct_row row, const char *what,
                                ct_status status, ct_message *message);

/// Writes the message for CT_ERR_EXISTS of ct_manager_create: the owner has a component already,
/// or, if 'id' is not NULL, one with that id. Returns false.
bool ct_manager_exists_message(const ct_manager *manager, ct_entity owner,
                               const ct_component_id *id, ct_message *message);

/// Writes the message for CT_ERR_FULL: "NAME is full (4194304 rows)". Returns false.
bool ct_manager_full_message(const ct_manager *manager, ct_message *message);

/// Returns whether a field is read by loading its column, without a function of the type.
static inline bool ct_manager_loads(const ct_manager *manager, const ct_field *field) {
    const ct_manager_type *type = manager->type;
    return type->read == NULL && type->flush_deaths == NULL && !field->computed;
}

/// Returns whether a field is written by storing to its column: any item of its field type is
/// valid, and no function of the manager's type is called.
static inline bool ct_manager_stores(const ct_manager *manager, const ct_field *field) {
    const ct_manager_type *type = manager->type;
    return type->write == NULL && type->check == NULL && !field->in_place && !field->read_only &&
           !field->computed && !field->of_cells && !field->affine && !field->alone &&
           !ct_field_is_text(field->type);
}

/// Returns whether the column of a field may be written directly now (transform: in deferred mode
/// and in batches, when world poses are computed later).
bool ct_manager_is_open(ct_manager *manager, uint32_t field);

/// Writes an item like a view of the column: if the column is written directly, the row is only
/// marked. The column must be open and not read-only. Statuses of ct_manager_write.
ct_status ct_manager_write_item(ct_manager *manager, uint32_t field, ct_row row, const void *item);

/// Does the same for one lane of a vector.
ct_status ct_manager_write_lane(ct_manager *manager, uint32_t field, ct_row row, uint32_t lane,
                                double value);

/// Reads a field of numbers or bools into an array with an element per lane. The only NaN is the
/// quiet one.
void ct_manager_read_numbers(ct_manager *manager, uint32_t field, ct_row row, double *numbers);

/// Writes a field of numbers or bools. Returns CT_ERR_DATA if it cannot hold the numbers or
/// ct_manager_check_item refuses them; else the status of ct_manager_write.
ct_status ct_manager_write_numbers(ct_manager *manager, uint32_t field, ct_row row,
                                   const double *numbers);

/// Addresses for reading the items of a field from code other than C (lua/cuttle/columns.lua). All
/// pointers are valid as long as the manager.
typedef struct ct_column_window {
    unsigned char *const *data; ///< address of the column's address; NULL: computed
    const uint32_t *moves;      ///< changes when an address behind these pointers changes
    const uint32_t *count;      ///< number of rows
    const uint32_t *epoch;      ///< epoch of instances
    const uint32_t *deaths_seen,
        *deaths;           ///< if not NULL, the column may be read only while both are equal
    ct_column_marks marks; ///< zeros: written without marks
    uint32_t stride;       ///< bytes between items
} ct_column_window;

ct_column_window ct_manager_window(ct_manager *manager, uint32_t field);

#endif
