// Snapshots: the state of an entity manager and all its worlds, in one block of memory.
#ifndef CT_SNAPSHOT_H
#define CT_SNAPSHOT_H

#include "base/state.h"
#include "level/level.h"

CT_BEGIN_C

/// A world over the entity manager, as its caller knows it.
typedef struct ct_snapshot_world {
    const char *name; ///< tells it from the others
    ct_world *world;
    ct_levels *levels; ///< NULL: none
    void *context;     ///< for the host, of levels that are empty after a restore
} ct_snapshot_world;

/// All worlds of an entity manager.
typedef struct ct_snapshot_worlds {
    ct_entity_manager *entities;
    const ct_snapshot_world *items;
    uint32_t count;
} ct_snapshot_worlds;

/// What was saved. It holds the levels that it has (level.h), so a caller may release them at any
/// time; blocks that a host lends (level_lent.h) it does not hold.
typedef struct ct_snapshot {
    const ct_allocator *allocator;
    void *block;
    size_t capacity; ///< of the block
    size_t bytes;    ///< of what was saved
    ct_held *held;   ///< blocks that it shares: cells, levels
    uint32_t held_count;
} ct_snapshot;

/// An empty one. Allocates nothing.
void ct_snapshot_init(ct_snapshot *snapshot, const ct_allocator *allocator);

void ct_snapshot_free(ct_snapshot *snapshot);

/// Saves all that decides how things go on: ids, queue and log, rows with world matrices and dirty
/// marks, counters, random states, strings, poses of models, levels. In the block that it has, if
/// that is large enough. CT_OK; CT_ERR_MEMORY; CT_ERR_DATA with the reason in 'message': a world is
/// in use, an entity is being destroyed, a component cannot be saved. Unless it is CT_OK the
/// snapshot is as it was. O(bytes), about what copying them takes.
ct_status ct_snapshot_take(ct_snapshot *snapshot, const ct_snapshot_worlds *worlds,
                           ct_message *message);

/// Puts all that back, any number of times, in worlds of the same names with the same components,
/// of this entity manager or another. Rows move: instances are stale, loops stop. What hooks and
/// hosts keep they put in order themselves, nobody is told of rows. Levels that were not saved are
/// empty, and released. CT_OK; CT_ERR_MEMORY, CT_ERR_DATA with everything as it was.
ct_status ct_snapshot_restore(const ct_snapshot *snapshot, const ct_snapshot_worlds *worlds,
                              ct_message *message);

/// A hash of the entity manager and all its worlds, equal for equal states on every host: see
/// ct_entity_manager_hash and ct_manager_hash. Levels do not count, nor the order of worlds.
/// O(rows).
uint64_t ct_snapshot_hash(const ct_snapshot_worlds *worlds);

CT_END_C

#endif
