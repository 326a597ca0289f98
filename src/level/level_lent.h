// Levels in blocks of memory that the caller lends, for a host with a garbage collector: the
// binding to Lua is one. Other hosts use ct_level_new, which needs no rule about blocks.
#ifndef CT_LEVEL_LENT_H
#define CT_LEVEL_LENT_H

#include "level/patch.h"

CT_BEGIN_C

// The rule for all blocks of a lent level: a block and the resource of the level stay where they
// are while the level is in the list of its world (level->linked), and while a snapshot that was
// taken meanwhile may be restored. The core does not count these uses.

/// Bytes of the block that a level of this resource with these options needs.
/// ct_spawner_check_count has accepted the options.
size_t ct_level_bytes(const ct_resource *resource, const ct_spawn_options *options);

/// Makes an empty level in 'block', which is aligned to 16 and has ct_level_bytes. The options are
/// copied into it. Allocates nothing.
ct_level *ct_level_init(void *block, ct_levels *levels, ct_resource *resource,
                        const ct_spawn_options *options);

/// Bytes of the block that a lent level needs to follow this resource.
size_t ct_patch_bytes(const ct_level *level, const ct_resource *resource);

/// Patches a lent level like ct_level_patch. 'room' is aligned to 16 and has ct_patch_bytes; it is
/// a block of the level from then on, and unused unless the status is CT_OK.
ct_status ct_level_patch_lent(ct_level *level, ct_resource *resource, void *room, void *context,
                              ct_patch_result *result, bool *sound, ct_message *message);

CT_END_C

#endif
