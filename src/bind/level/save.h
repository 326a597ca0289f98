// Saves: snapshots as strings, and back.
// Knows nothing of what a restore is besides reading.
#ifndef BIND_SAVE_H
#define BIND_SAVE_H

#include "bind/level/snapshot_object.h"

/// snapshot:tostring()
int ct_bind_save_to_string(lua_State *L);

/// cuttle.snapshot(string)
int ct_bind_save_from_string(lua_State *L);

/// Reads a save for these worlds into another object: its snapshot, and what did not fit.
ct_status ct_bind_read_save(const ct_bind_snapshot *save, const ct_snapshot_worlds *worlds,
                            ct_bind_snapshot *read, ct_message *message);

/// Pushes a table of what did not fit. May run finalizers.
void ct_bind_push_notes(lua_State *L, const ct_bind_snapshot *read);

#endif
