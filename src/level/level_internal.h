// Memory of levels, and the list of the levels of a world.
#ifndef CT_LEVEL_INTERNAL_H
#define CT_LEVEL_INTERNAL_H

#include "level/level.h"

/// Marks an id in ct_level.entities that may name another entity by now.
#define CT_LEVEL_LOST 0x80000000u

/// Memory of a level that the core owns: the block of the level, or a block that a patch
/// allocated. The block begins at ct_block_at(memory + 1).
typedef struct ct_level_memory {
    const ct_allocator *allocator;
    ct_resource *resource; ///< holds a reference
    ct_resource *other;    ///< of ct_level.other, held too; or NULL
    size_t bytes;          ///< size of the allocation, this struct included
    uint32_t references;
} ct_level_memory;

/// Allocates memory with one reference for a block of 'bytes' bytes. Returns NULL if memory runs
/// out.
ct_level_memory *ct_level_memory_new(const ct_allocator *allocator, ct_resource *resource,
                                     size_t bytes);

/// Creates an empty level without checks. Returns NULL if memory runs out.
ct_level *ct_level_allocate(ct_levels *levels, ct_resource *resource,
                            const ct_spawn_options *options);

/// Adds a reference and returns the memory. NULL is allowed.
ct_level_memory *ct_level_memory_hold(ct_level_memory *memory);

/// Removes a reference; the last one frees the memory. 'memory' is a ct_level_memory or NULL.
void ct_level_memory_release(void *memory);

/// Checks that the level can be changed now. Returns CT_OK; CT_ERR_OVER or CT_ERR_EXISTS with
/// the reason in 'message'.
ct_status ct_level_check_state(const ct_level *level, ct_message *message);

/// Checks that the level is spawned, from a complete resource. Returns CT_OK; CT_ERR_OVER or
/// CT_ERR_DATA with the reason in 'message'.
ct_status ct_level_check_spawned(const ct_level *level, ct_message *message);

/// An operation on a level while its world is busy and its resource is held.
typedef ct_status (*ct_level_act_fn)(ct_level *level, void *context, ct_message *message);

/// Checks the state of a level, calls the operation, and releases a level that is not in the list
/// afterwards.
ct_status ct_level_act(ct_level *level, ct_level_act_fn act, void *context, ct_message *message);

/// Spawns an empty level while its world is busy.
ct_status ct_level_spawn_for(ct_level *level, ct_reason reason, void *context, ct_message *message);

/// Destroys entities. Returns true if all of them are dead; they stay alive if the host cannot
/// begin. *ok is false if a callback failed.
bool ct_level_destroy(ct_world *world, ct_reason reason, void *context, uint32_t count,
                      const ct_entity *entities, uint32_t *died, bool *ok);

/// Discards the tables of places, because the entities of the level are about to change.
void ct_level_forget_places(ct_level *level);

/// Returns the place of an entity of the level that is not lost, or CT_TABLE_NONE. O(1) after the
/// first call, which builds a table for large levels.
uint32_t ct_level_place_of(ct_level *level, ct_entity e);

/// Adds a level to the list as the youngest. May release other levels that have no living
/// entities.
void ct_levels_add(ct_level *level, void *context);

/// Adds a level with entities that is not in the list, as the youngest. Cannot fail.
void ct_levels_enter(ct_level *level);

/// Removes a level from the list, if it is in the list, with the reference of the list. The caller
/// owns another reference. Cannot fail.
void ct_levels_remove(ct_level *level);

/// Removes a level from the list in the same way, then calls ct_host.released. The caller needs no
/// reference.
void ct_levels_release(ct_level *level, void *context);

/// A level in a snapshot that was restored to other worlds. The arrays are in the snapshot.
typedef struct ct_level_record {
    const ct_level *level; ///< for its options
    const ct_resource *resource;
    const ct_entity *entities;
    uint32_t count;
    const bool *skipped;
    uint32_t types; ///< number of 'skipped'
} ct_level_record;

/// Saves or restores the levels of a world and their entities; snapshots hold the levels. RESERVE
/// fails if a lent block (level_lent.h) was reused for a level of another resource. COMMIT empties
/// the levels that the snapshot does not contain and calls ct_host.released for them with
/// 'context'. If 'records_levels' is set, COMMIT adds a record for each level of another world.
void ct_levels_state(ct_levels *levels, ct_state *state, void *context);

#endif
