// Copy of the rows of a manager to a manager with other fields, by names and types of fields.
#ifndef CT_MIGRATION_H
#define CT_MIGRATION_H

#include "storage/manager.h"

// Owners, lists of several components per entity, ids and gc state are kept, and rows keep their
// places. A field with the same name and type is kept; for an enum, every label that still exists.
// Everything else gets its default.

/// Returns whether 'to' may take the rows of 'from'. False with the reason in 'message'. O(rows) if
/// only 'from' allows several components per entity, else O(1).
bool ct_migration_check(const ct_manager *from, const ct_manager *to, ct_message *message);

/// Reserves memory in 'to', which has no rows, for all present rows of 'from', or some of them.
/// Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_migration_reserve(ct_manager *to, const ct_manager *from);

/// Copies the rows, at most as many as were reserved. 'from' is unchanged: each copy has a
/// reference to its strings and values. Cannot fail. O(rows).
void ct_migration_commit(ct_manager *to, const ct_manager *from);

/// Writes the next kind of dropped data, from *place on, which starts at 0, as a sentence to
/// 'message': "health.hp was float, is double". Returns false if there is no more. O(fields), and
/// for an enum O(rows).
bool ct_migration_dropped(const ct_manager *from, const ct_manager *to, uint32_t *place,
                          ct_message *message);

#endif
