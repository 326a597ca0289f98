// Saves: a snapshot as bytes that outlive the program.
// Must not depend on files.
#ifndef CT_SAVE_H
#define CT_SAVE_H

#include "level/snapshot.h"
#include "storage/manager_save.h"

CT_BEGIN_C

// A save tells what is alive and which components it has, by the names of worlds, components,
// fields, types and labels, the strings by their bytes. It has no rows, no levels, no bodies, no
// world matrices: those are worked out when it is read. So it does not depend on how anything lies
// in memory, and what is made of it is made by the same calls as everything else, out of sight, and
// only then put in place. The same state gives the same bytes on every host.

/// Appends a snapshot of these worlds, or of others that are defined like them, to a writer that
/// ct_save_writer has begun. 'values' has for each of the worlds what the host keeps for value
/// fields; NULL: nothing, so that none may hold any. CT_OK; CT_ERR_MEMORY; CT_ERR_FULL beyond 2^32
/// - 1 bytes; CT_ERR_DATA with the reason in 'message': the worlds are not those of the snapshot
/// any more, or something cannot be saved. The worlds are not changed. O(bytes); as much memory
/// again as the worlds hold.
ct_status ct_save_write(const ct_snapshot *snapshot, const ct_snapshot_worlds *worlds,
                        const ct_save_values *values, ct_writer *out, ct_message *message);

/// An empty writer for it. Allocates nothing.
void ct_save_writer(ct_writer *writer, const ct_allocator *allocator);

/// Whether some bytes are a save that was not damaged on its way: version, size, checksum. False
/// with the reason in 'message'. O(bytes).
bool ct_save_check(const void *bytes, size_t count, ct_message *message);

/// Makes a snapshot of a save, fit for ct_snapshot_restore to these worlds, which are not changed.
/// What did not fit is appended to 'notes': texts with a zero byte behind each. CT_OK;
/// CT_ERR_MEMORY; CT_ERR_FULL; CT_ERR_DATA with the reason in 'message': the bytes are not sound
/// (any bytes may be given), a world is not in both, a field is of another type, a resource is not
/// defined. Unless it is CT_OK the snapshot is as it was. O(bytes); as much memory again as the
/// worlds will hold.
ct_status ct_save_read(const void *bytes, size_t count, const ct_snapshot_worlds *worlds,
                       ct_snapshot *snapshot, ct_writer *notes, ct_message *message);

CT_END_C

#endif
