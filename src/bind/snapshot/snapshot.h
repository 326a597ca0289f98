// Snapshot objects: saved states of an EntityManager and its worlds, in memory or as a save; and
// Recorder objects.
#ifndef BIND_SNAPSHOT_H
#define BIND_SNAPSHOT_H

#include "bind/value/object.h"
#include "level/save.h"

extern const ct_bind_kind ct_bind_snapshot_class;

/// Keys of the environment: of a save its string; of a snapshot in memory its EntityManager and the
/// level spawns before it (ct_bind_state), besides the values of snapshot_values.h.
enum { CT_BIND_SAVE_TEXT = 1, CT_BIND_SNAPSHOT_OF = 2, CT_BIND_SNAPSHOT_SPAWNS = 3 };

typedef struct ct_bind_snapshot {
    ct_bind_header header;
    ct_snapshot core;
    bool collected;   ///< the finalizer has run
    const char *text; ///< of a save, kept by the environment; NULL: in memory
    size_t text_bytes;
    ct_writer writer;       ///< used during one call
    ct_saved_levels levels; ///< of a save, during one call
} ct_bind_snapshot;

/// Pushes a new, empty snapshot object.
ct_bind_snapshot *ct_bind_new_snapshot(lua_State *L);

/// Frees the memory of a snapshot object, which is empty afterwards.
void ct_bind_free_snapshot(ct_bind_snapshot *snapshot);

/// Raises the error of a status of the core.
int ct_bind_raise_snapshot(lua_State *L, ct_status status, const ct_message *message);

/// entities, old snapshot (nil: none) at stack indices 1 and 2 -> snapshot, which is at 2, too.
/// The value at 3 belongs to the caller and stays. Nothing allocates after the snapshot is taken.
int ct_bind_take_snapshot(lua_State *L);

/// Saves the state of worlds in the core.
typedef ct_status (*ct_bind_taker)(void *context, const ct_snapshot_worlds *worlds,
                                   ct_message *message);

/// Prepares a snapshot of the EntityManager at index 1, calls 'take', and pushes the table with the
/// Lua values of the snapshot (snapshot_values.h). Nothing allocates after 'take'. Raises if it
/// fails.
void ct_bind_take(lua_State *L, ct_bind_taker take, void *context);

/// entities, snapshot -> true; for a save true and a list, or nil, message. The value at stack
/// index 3 belongs to the caller and stays; if it is a table, it has Resources for the levels of a
/// save by name.
int ct_bind_restore_snapshot(lua_State *L);

/// A saved state outside of Snapshot objects.
typedef struct ct_bind_source {
    /// Pushes the table of its Lua values. Allocates nothing.
    void (*push_values)(lua_State *L, const struct ct_bind_source *source);
    /// Restores it in the core, or changes nothing.
    ct_status (*restore)(const struct ct_bind_source *source, const ct_snapshot_worlds *worlds,
                         ct_message *message);
} ct_bind_source;

/// Restores such a state for the EntityManager at index 1; the values at 2 and 3 belong to the
/// caller and stay. Raises the errors of the restore, or after it those of callbacks of scripts.
void ct_bind_restore(lua_State *L, const ct_bind_source *source);

/// Returns the number of entities:hash() for the EntityManager at 'index'.
uint64_t ct_bind_hash(lua_State *L, int index);

/// Registers the classes and functions of snapshots.
void ct_bind_open_snapshot(lua_State *L);

// Saves (save.c)

/// snapshot:tostring()
int ct_bind_save_to_string(lua_State *L);

/// cuttle.snapshot(string)
int ct_bind_save_from_string(lua_State *L);

// Recorders (recorder.c)

/// recorder, at stack index 1 -> nothing
int ct_bind_record_frame(lua_State *L);

/// More frames than any recorder has, for a rewind to the oldest: 2^62.
#define CT_BIND_MOST_FRAMES 4611686018427387904.0

/// recorder, frames -> number of frames of the rewind
int ct_bind_rewind_frames(lua_State *L);

/// Registers the classes and functions of snapshots, and adds 'recorder' to the module table on
/// top.
void ct_bind_open_recorder(lua_State *L);

#endif
