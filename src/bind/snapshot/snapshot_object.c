// Snapshot objects: a snapshot in memory, or a save.
#include "bind/snapshot/snapshot_object.h"

#include "bind/value/check.h"

const ct_bind_kind ct_bind_snapshot_class = {"Snapshot"};

ct_bind_snapshot *ct_bind_new_snapshot(lua_State *L) {
    ct_bind_snapshot *snapshot = ct_bind_object_new(L, &ct_bind_snapshot_class, sizeof *snapshot);
    const ct_allocator *allocator = &ct_bind_state_of(L)->allocator;
    snapshot->text = NULL;
    ct_snapshot_init(&snapshot->core, allocator);
    ct_save_writer(&snapshot->writer, allocator);
    ct_saved_levels_init(&snapshot->levels, allocator);
    return snapshot;
}

void ct_bind_free_snapshot(ct_bind_snapshot *snapshot) {
    ct_snapshot_free(&snapshot->core);
    ct_writer_free(&snapshot->writer);
    ct_saved_levels_free(&snapshot->levels);
}

int ct_bind_raise_snapshot(lua_State *L, ct_status status, const ct_message *message) {
    if (status != CT_ERR_DATA) return ct_bind_raise_status(L, status, "EntityManager", 0, "");
    return luaL_error(L, "%s", message->text);
}
