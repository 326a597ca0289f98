// Snapshot objects: a snapshot in memory, or a save.
#ifndef BIND_SNAPSHOT_OBJECT_H
#define BIND_SNAPSHOT_OBJECT_H

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

// ---------------------------------------------------------------- saves (save.c)

/// snapshot:tostring()
int ct_bind_save_to_string(lua_State *L);

/// cuttle.snapshot(string)
int ct_bind_save_from_string(lua_State *L);

#endif
