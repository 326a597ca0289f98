// The memory of levels, and the list of the levels of a world.
#ifndef CT_LEVEL_INTERNAL_H
#define CT_LEVEL_INTERNAL_H

#include "level/level.h"

/// An entity that is one no more: see ct_level.entities.
#define CT_LEVEL_LOST 0x80000000u

/// Memory that the core owns for a level: its own block, or one that a patch gave it. The block
/// begins at ct_block_at(memory + 1).
typedef struct ct_level_memory {
    const ct_allocator *allocator;
    ct_resource *resource; ///< held
    size_t bytes;          ///< with this struct
    uint32_t references;
} ct_level_memory;

/// New memory with one reference, for a block of 'bytes' bytes; NULL when memory runs out.
ct_level_memory *ct_level_memory_new(const ct_allocator *allocator, ct_resource *resource,
                                     size_t bytes);

/// Adds a reference, and returns the memory. NULL is allowed.
ct_level_memory *ct_level_memory_hold(ct_level_memory *memory);

/// Removes a reference; the last one frees the memory. 'memory' is a ct_level_memory or NULL.
void ct_level_memory_release(void *memory);

/// Whether anything may be done with the level now: CT_OK, CT_ERR_OVER or CT_ERR_EXISTS with the
/// reason in 'message'.
ct_status ct_level_check_state(const ct_level *level, ct_message *message);

/// The level has other entities from now on.
void ct_level_forget_places(ct_level *level);

/// Enters a level as the youngest; lets go of others of which nothing is alive.
void ct_levels_add(ct_level *level, void *context);

/// Takes a level out of the list, if it is in it, and removes the list's reference: the caller
/// holds another one. Cannot fail.
void ct_levels_remove(ct_level *level);

/// The same, and calls ct_host.released. The caller need not hold the level.
void ct_levels_release(ct_level *level, void *context);

/// The levels of a world and their entities, for snapshots, which hold the levels. RESERVE fails
/// where a lent block (level_lent.h) was given to a level of another resource. COMMIT empties those
/// that were not there, and calls ct_host.released for them with 'context'.
void ct_levels_state(ct_levels *levels, ct_state *state, void *context);

#endif
