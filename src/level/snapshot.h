// Snapshots: the state of an entity manager and all its worlds, in one block of memory.
#ifndef CT_SNAPSHOT_H
#define CT_SNAPSHOT_H

#include "base/state.h"
#include "level/level.h"

/// A world over the entity manager, as the caller describes it.
typedef struct ct_snapshot_world {
    const char *name; ///< unique among the worlds
    ct_world *world;
    ct_levels *levels; ///< NULL: none
    void *context;     ///< for the host, for levels that a restore empties
} ct_snapshot_world;

/// All worlds of an entity manager.
typedef struct ct_snapshot_worlds {
    ct_entity_manager *entities;
    const ct_snapshot_world *items;
    uint32_t count;
} ct_snapshot_worlds;

/// A saved state. It holds the levels that it contains (level.h), so a caller may release them at
/// any time; it does not hold blocks that a host lends (level_lent.h).
typedef struct ct_snapshot {
    const ct_allocator *allocator;
    void *block;          ///< sizes of the pieces (base/state.h), then the pieces
    size_t capacity;      ///< of the block
    size_t bytes;         ///< of the saved state
    uint32_t piece_count; ///< each has a size of 4 bytes, in units of 16 bytes
    ct_held *held;        ///< shared blocks: cells, levels
    uint32_t held_count;
} ct_snapshot;

/// Initializes an empty snapshot. Allocates nothing.
void ct_snapshot_init(ct_snapshot *snapshot, const ct_allocator *allocator);

void ct_snapshot_free(ct_snapshot *snapshot);

/// Returns the bytes of the table of sizes at the beginning of the block.
static inline size_t ct_snapshot_table_bytes(uint32_t piece_count) {
    return ct_padded(piece_count * sizeof(uint32_t));
}

/// Saves everything that affects later results: ids, queue and log, rows with world matrices and
/// dirty marks, counters, random states, strings, poses of models, levels. Reuses the block of the
/// snapshot if it is large enough. Returns CT_OK; CT_ERR_MEMORY; CT_ERR_DATA with the reason in
/// 'message': a world is in use, an entity is being destroyed, a component cannot be saved. Unless
/// CT_OK is returned, the snapshot does not change. O(bytes), about the cost of copying them.
ct_status ct_snapshot_take(ct_snapshot *snapshot, const ct_snapshot_worlds *worlds,
                           ct_message *message);

/// Restores the state, any number of times, to worlds with the same names and components, over
/// this entity manager or another. Rows move: instances become stale and loops end. Hooks and the
/// host are not called for rows and must update their own data. Levels that the snapshot does not
/// contain become empty and are released. Returns CT_OK; CT_ERR_MEMORY or CT_ERR_DATA with nothing
/// changed.
ct_status ct_snapshot_restore(const ct_snapshot *snapshot, const ct_snapshot_worlds *worlds,
                              ct_message *message);

/// Returns a hash of the entity manager and all its worlds, which is equal for equal states on
/// every host: see ct_entity_manager_hash and ct_manager_hash. Levels and the order of worlds do
/// not affect it. O(rows).
uint64_t ct_snapshot_hash(const ct_snapshot_worlds *worlds);

#endif
