// Copies the rows of a manager to one with other fields, by the names and types of fields.
#ifndef CT_MIGRATION_H
#define CT_MIGRATION_H

#include "storage/manager.h"

CT_BEGIN_C

// Owners, lists of several of an entity, ids, and the state of gc are those from before; rows keep
// their places. A field of the same name and type is kept, of an enum every label that is there
// yet. What else there is gets its default.

/// Whether 'to' may have the rows of 'from', which is looked at only where an entity can no longer
/// have several. False with the reason in 'message'. O(rows) then.
bool ct_migration_check(const ct_manager *from, const ct_manager *to, ct_message *message);

/// Room in 'to', which has no rows, for those that 'from' has now, or for some of them. CT_OK or
/// CT_ERR_MEMORY.
ct_status ct_migration_reserve(ct_manager *to, const ct_manager *from);

/// Copies the rows, at most those for which there was room. 'from' is as it was: strings and values
/// have a reference for each. Cannot fail. O(rows).
void ct_migration_commit(ct_manager *to, const ct_manager *from);

/// The next thing that is dropped, from *place on, which begins as 0, as a sentence in 'message':
/// "health.hp was float, is double". False when there is none. O(fields), and of an enum O(rows).
bool ct_migration_dropped(const ct_manager *from, const ct_manager *to, uint32_t *place,
                          ct_message *message);

CT_END_C

#endif
