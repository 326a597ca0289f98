// Levels in memory blocks that the caller lends, for a host with a garbage collector such as the
// Lua binding. Other hosts use ct_level_new, which needs no rule about blocks.
#ifndef CT_LEVEL_LENT_H
#define CT_LEVEL_LENT_H

#include "level/patch.h"

// Rule for all blocks of a lent level: a block and the resource of the level must stay in place
// while the level is in the list of its world (level->linked), and while a snapshot that was taken
// meanwhile may be restored. The core does not count these uses.

/// Returns the size of the block for a level of this resource with these options.
/// ct_spawner_check_count must have accepted the options.
size_t ct_level_bytes(const ct_resource *resource, const ct_spawn_options *options);

/// Creates an empty level in 'block', which is aligned to 16 and has ct_level_bytes bytes. Copies
/// the options into the block. Allocates nothing.
ct_level *ct_level_init(void *block, ct_levels *levels, ct_resource *resource,
                        const ct_spawn_options *options);

/// Returns the size of the block that ct_level_patch_lent and ct_level_restart_lent need for this
/// resource; ct_spawner_check_count must have accepted the options of the level.
size_t ct_patch_bytes(const ct_level *level, const ct_resource *resource);

/// Patches a lent level like ct_level_patch. 'room' is aligned to 16 and has ct_patch_bytes bytes.
/// After CT_OK the level uses it as a block; after any other status it is unused.
ct_status ct_level_patch_lent(ct_level *level, ct_resource *resource, void *room, void *context,
                              ct_patch_result *result, bool *ok, ct_message *message);

/// Restarts a lent level like ct_level_restart. 'room' is aligned to 16 and has ct_patch_bytes
/// bytes for ct_level.other; NULL if the level has no other resource. After CT_OK the level uses it
/// as a block.
ct_status ct_level_restart_lent(ct_level *level, void *room, void *context, ct_message *message);

#endif
