// Operations on one field of many rows in one call: copy, add, scale, write.
#ifndef CT_BULK_H
#define CT_BULK_H

#include "storage/manager.h"

// A write has the same effect as separate writes of each row, but effects on other data (transform:
// world poses) are computed once, at the end, or later in deferred mode. Numbers are added in
// double and rounded once, like a loop in Lua: the same bits on every host. No operation moves
// rows. Statuses: CT_OK, or CT_ERR_MEMORY with nothing written.

/// Returns whether items of the field 'from' can be copied to 'to', or be added to it ('scaled'):
/// both must be columns of numbers of one type, where float and double are interchangeable; for
/// adding, float or double; 'to' must not be read-only. False with the reason in 'message'.
bool ct_bulk_check(const ct_manager *to, uint32_t to_field, const ct_manager *from,
                   uint32_t from_field, bool scaled, ct_message *message);

/// Copies the field of every living entity that has both managers, from its first component in one
/// manager to its first component in the other. The managers may be the same, and the fields too.
/// *count is the number of entities. About 2 ns per entity if rows have the same order, else a
/// lookup for each. ct_bulk_check must have accepted the fields.
ct_status ct_bulk_copy(ct_manager *to, uint32_t to_field, ct_manager *from, uint32_t from_field,
                       uint32_t *count);

/// Does the same with to += factor x from.
ct_status ct_bulk_add_scaled(ct_manager *to, uint32_t to_field, ct_manager *from,
                             uint32_t from_field, double factor, uint32_t *count);

// The next two functions process whole columns: all rows, including rows of dead entities.

/// Computes column[row] += factor x other[row].
ct_status ct_bulk_column_add_scaled(ct_manager *manager, uint32_t field, uint32_t other,
                                    double factor);

/// Computes column[row] *= factor.
ct_status ct_bulk_column_scale(ct_manager *manager, uint32_t field, double factor);

/// Writes value i of 'count' values (as in ct_values) to rows[i], in order: a row may be listed
/// twice, and CT_NO_ROW is skipped. 'rows' NULL: to row i of the column. Returns CT_OK;
/// CT_ERR_MEMORY; or CT_ERR_DATA, with the position in *at and the reason in 'message', if the
/// field cannot have a value. All or nothing.
ct_status ct_bulk_write(ct_manager *manager, uint32_t field, uint32_t count, const ct_row *rows,
                        const ct_values *values, uint32_t *at, ct_message *message);

/// Returns whether ct_bulk_add can add to a field. False with the reason in 'message'.
bool ct_bulk_check_sum(const ct_manager *manager, uint32_t field, ct_message *message);

/// Returns the type of the values that ct_bulk_add takes for a field type: doubles for up to three
/// lanes, the type itself for others.
ct_field_type ct_bulk_sum_type(ct_field_type type);

/// Adds value i, of type ct_bulk_sum_type, to the field in rows[i], in order: a row that is listed
/// twice receives both. Sums are computed in doubles and rounded to the type of the field. Returns
/// CT_OK; CT_ERR_MEMORY; or CT_ERR_DATA, with the position in *at and the reason in 'message', if
/// the field cannot hold a sum. All or nothing. ct_bulk_check_sum must have accepted the field.
/// O(count).
ct_status ct_bulk_add(ct_manager *manager, uint32_t field, uint32_t count, const ct_row *rows,
                      const ct_values *values, uint32_t *at, ct_message *message);

#endif
