// One field of many rows in one call: copied from another manager, added, scaled, written.
#ifndef CT_BULK_H
#define CT_BULK_H

#include "storage/manager.h"

CT_BEGIN_C

// What is written counts as if each row had been written alone; where that has consequences
// (transform: world poses) they are worked out once, at the end, or wait if that is the mode.
// Numbers are added in double and rounded once, as a loop in Lua does: the same bits on every host.
// Nothing here moves rows. Statuses: CT_OK, or CT_ERR_MEMORY with nothing written.

/// Whether items of the field 'from' can be copied to 'to', or be added to it ('scaled'): both are
/// columns of numbers, of one type, float and double for each other; for adding, float or double;
/// 'to' is not read-only. False with the reason in 'message'.
bool ct_bulk_check(const ct_manager *to, uint32_t to_field, const ct_manager *from,
                   uint32_t from_field, bool scaled, ct_message *message);

/// Copies the field of every living entity that has both managers, from its first component in one
/// to its first in the other; the managers may be the same, the fields too. *count: how many
/// entities. About 2 ns an entity where rows lie in one order, a look-up each elsewhere. Fields as
/// ct_bulk_check has found them.
ct_status ct_bulk_copy(ct_manager *to, uint32_t to_field, ct_manager *from, uint32_t from_field,
                       uint32_t *count);

/// The same with to += factor x from.
ct_status ct_bulk_add_scaled(ct_manager *to, uint32_t to_field, ct_manager *from,
                             uint32_t from_field, double factor, uint32_t *count);

// The next two are of columns as views write them: all rows, those of the dead too. Fields as
// ct_bulk_check has found them.

/// column[row] += factor x other[row].
ct_status ct_bulk_column_add_scaled(ct_manager *manager, uint32_t field, uint32_t other,
                                    double factor);

/// column[row] *= factor.
ct_status ct_bulk_column_scale(ct_manager *manager, uint32_t field, double factor);

/// Whether every one of 'count' values (as in ct_values) may be written to a field. False with the
/// reason in 'message', and the place of the value in *at.
bool ct_bulk_check_values(const ct_manager *manager, uint32_t field, uint32_t count,
                          const ct_values *values, uint32_t *at, ct_message *message);

/// Writes value i to rows[i], in order: a row may stand there twice, and CT_NO_ROW is skipped.
/// 'rows' NULL: to row i of the column. Values were checked. All or nothing.
ct_status ct_bulk_write(ct_manager *manager, uint32_t field, uint32_t count, const ct_row *rows,
                        const ct_values *values);

/// Whether ct_bulk_add can add to a field. False with the reason in 'message'.
bool ct_bulk_check_sum(const ct_manager *manager, uint32_t field, ct_message *message);

/// The type of the values that are added to a field of a type: doubles for up to three lanes.
ct_field_type ct_bulk_sum_type(ct_field_type type);

/// Adds value i, of type ct_bulk_sum_type, to the field in rows[i], in order: a row that occurs
/// twice receives both. Sums are computed in doubles and rounded to the type of the field. CT_OK;
/// CT_ERR_MEMORY; or CT_ERR_DATA, with the place in *at and the reason in 'message', if the field
/// cannot hold a sum. All or nothing. The field as ct_bulk_check_sum has found it. O(count).
ct_status ct_bulk_add(ct_manager *manager, uint32_t field, uint32_t count, const ct_row *rows,
                      const ct_values *values, uint32_t *at, ct_message *message);

CT_END_C

#endif
