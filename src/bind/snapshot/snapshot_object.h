// Snapshot objects: a snapshot in memory, or a save.
// Must not depend on how either is taken or restored.
#ifndef BIND_SNAPSHOT_OBJECT_H
#define BIND_SNAPSHOT_OBJECT_H

#include "bind/value/object.h"
#include "level/save.h"

extern const ct_bind_kind ct_bind_snapshot_class;

/// In the environment of a save: its string. Of a snapshot in memory: its EntityManager; what else
/// is there snapshot_kept.h tells.
enum { CT_BIND_SAVE_TEXT = 1, CT_BIND_SNAPSHOT_OF = 2 };

typedef struct ct_bind_snapshot {
    ct_bind_header header;
    ct_snapshot core;
    const char *text; ///< of a save, which the environment keeps; NULL: it is in memory
    size_t text_bytes;
    double spawns;    ///< of levels before it was taken, see ct_bind_state; 0 for a save
    ct_writer writer; ///< for the length of a call
} ct_bind_snapshot;

/// Pushes a new one, which is empty.
ct_bind_snapshot *ct_bind_new_snapshot(lua_State *L);

/// Gives its memory back. It is empty afterwards.
void ct_bind_free_snapshot(ct_bind_snapshot *snapshot);

/// Raises what a status of the core means.
int ct_bind_raise_snapshot(lua_State *L, ct_status status, const ct_message *message);

// ---------------------------------------------------------------- saves (save.c)

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
