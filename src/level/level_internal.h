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
    size_t bytes;          ///< size of the allocation, this struct included
    uint32_t references;
} ct_level_memory;

/// Allocates memory with one reference for a block of 'bytes' bytes. Returns NULL if memory runs
/// out.
ct_level_memory *ct_level_memory_new(const ct_allocator *allocator, ct_resource *resource,
                                     size_t bytes);

/// Adds a reference and returns the memory. NULL is allowed.
ct_level_memory *ct_level_memory_hold(ct_level_memory *memory);

/// Removes a reference; the last one frees the memory. 'memory' is a ct_level_memory or NULL.
void ct_level_memory_release(void *memory);

/// Checks that the level can be changed now. Returns CT_OK; CT_ERR_OVER or CT_ERR_EXISTS with
/// the reason in 'message'.
ct_status ct_level_check_state(const ct_level *level, ct_message *message);

/// Discards the tables of places, because the entities of the level are about to change.
void ct_level_forget_places(ct_level *level);

/// Adds a level to the list as the youngest. May release other levels that have no living
/// entities.
void ct_levels_add(ct_level *level, void *context);

/// Removes a level from the list, if it is in the list, with the reference of the list. The caller
/// owns another reference. Cannot fail.
void ct_levels_remove(ct_level *level);

/// Removes a level from the list in the same way, then calls ct_host.released. The caller needs no
/// reference.
void ct_levels_release(ct_level *level, void *context);

/// Saves or restores the levels of a world and their entities; snapshots hold the levels. RESERVE
/// fails if a lent block (level_lent.h) was reused for a level of another resource. COMMIT empties
/// the levels that the snapshot does not contain and calls ct_host.released for them with
/// 'context'.
void ct_levels_state(ct_levels *levels, ct_state *state, void *context);

#endif
