// Saves: snapshots as bytes that outlive the program.
#ifndef CT_SAVE_H
#define CT_SAVE_H

#include "level/save_levels.h"
#include "storage/manager_save.h"

// A save contains the living entities and their components, by the names of worlds, components,
// fields, types and labels, and strings by their bytes, and the levels of the worlds with the names
// of their entities (save_levels.h). It contains no rows, bodies or world matrices; reading
// recreates them. So the format does not depend on the memory layout.
// Reading creates everything out of sight with the usual calls, then puts it in place. Equal
// states give equal bytes on every host.

/// Appends a snapshot of these worlds, or of worlds with the same definitions, to a writer from
/// ct_save_writer. 'values' has the host's data of value fields for each world; NULL: there are
/// none, and no field may have a value. Returns CT_OK; CT_ERR_MEMORY; CT_ERR_FULL beyond 2^32 - 1
/// bytes; CT_ERR_DATA with the reason in 'message' if the worlds do not match the snapshot, or a
/// component cannot be saved. The worlds do not change. O(bytes); allocates as much memory again
/// as the worlds use.
ct_status ct_save_write(const ct_snapshot *snapshot, const ct_snapshot_worlds *worlds,
                        const ct_save_values *values, ct_writer *out, ct_message *message);

/// Initializes an empty writer for ct_save_write. Allocates nothing.
void ct_save_writer(ct_writer *writer, const ct_allocator *allocator);

/// Checks version, size and checksum of a save. Returns false with the reason in 'message'.
/// O(bytes).
bool ct_save_check(const void *bytes, size_t count, ct_message *message);

/// Creates a snapshot from a save, for ct_snapshot_restore into these worlds, which do not change.
/// Adds the levels of the save to the empty list 'levels', whose texts point into 'bytes'; NULL:
/// the levels are only checked. The caller creates them (save_levels.h), and after the restore
/// ct_saved_levels_enter puts them in place. Appends a note for each part that did not fit to
/// 'notes': texts that end with a zero byte. Returns CT_OK; CT_ERR_MEMORY; CT_ERR_FULL; CT_ERR_DATA
/// with the reason in 'message': the bytes are invalid (any bytes are allowed), a world is only on
/// one side, a field has another type, a resource is not defined. Unless CT_OK is returned, the
/// snapshot does not change. O(bytes); allocates as much memory again as the worlds will use.
ct_status ct_save_read(const void *bytes, size_t count, const ct_snapshot_worlds *worlds,
                       ct_snapshot *snapshot, ct_saved_levels *levels, ct_writer *notes,
                       ct_message *message);

#endif
