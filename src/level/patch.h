// Patches: spawned levels that follow a newer version of their resource.
#ifndef CT_PATCH_H
#define CT_PATCH_H

#include "level/level.h"

CT_BEGIN_C

/// An entity whose opaque data differs, which only a spawn could change.
typedef struct ct_patch_left {
    uint32_t section; ///< of the new resource, or with CT_PATCH_LEFT_OLD of the old one
    uint32_t entity;  ///< of the new resource
} ct_patch_left;
#define CT_PATCH_LEFT_OLD 0x80000000u

/// What became of a level; entities, those of all copies.
typedef struct ct_patch_result {
    uint32_t added;   ///< spawned
    uint32_t removed; ///< destroyed
    uint32_t changed; ///< in place: fields written, components added or removed
    uint32_t moved;   ///< linked elsewhere
    uint32_t left_count;
    uint32_t left_capacity;
    ct_patch_left *left; ///< give it back by ct_patch_result_free
} ct_patch_result;

void ct_patch_result_free(const ct_world *world, ct_patch_result *result);

/// Brings a level that is spawned to a newer version of its resource. Entities are matched by
/// source id, else by name (resource/match.h), in each copy by itself; ids stay. What differs
/// between what spawns with the level's options would write from the one and the other is written
/// where the level still has what the older one says: what was changed since stays. What was
/// destroyed or removed since stays gone, with what is new below it; what was added stays. What is
/// new is spawned, what is no longer there is destroyed.
///
/// First all is checked, then what is new is made and hooks hear of it; if that fails all is taken
/// back. Then the rest is written, which cannot fail, and hooks hear of what goes. From then on the
/// level has 'resource', and holds it. CT_OK with *result; CT_ERR_OVER, CT_ERR_EXISTS, CT_ERR_DATA,
/// CT_ERR_FULL or CT_ERR_MEMORY with nothing changed and the reason in 'message', "" where the host
/// failed. *sound becomes false when a callback failed that heard of what goes: everything is done
/// all the same. O(bytes of both resources), and about what a spawn takes for what differs.
ct_status ct_level_patch(ct_level *level, ct_resource *resource, void *context,
                         ct_patch_result *result, bool *sound, ct_message *message);

CT_END_C

#endif
