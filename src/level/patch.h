// Patches: updates of spawned levels to a newer version of their resource.
#ifndef CT_PATCH_H
#define CT_PATCH_H

#include "base/writer.h"
#include "level/level.h"

/// An entity with changed opaque data, which a patch does not apply; only a new spawn does.
typedef struct ct_patch_left {
    uint32_t section; ///< of the new resource; with CT_PATCH_LEFT_OLD of the old one
    uint32_t entity;  ///< of the new resource
} ct_patch_left;
#define CT_PATCH_LEFT_OLD 0x80000000u

/// Effects of a patch on a level. The counters include the entities of all copies.
typedef struct ct_patch_result {
    uint32_t added;   ///< spawned entities
    uint32_t removed; ///< destroyed entities
    uint32_t changed; ///< entities with written fields, or added or removed components
    uint32_t moved;   ///< entities with another parent or parent node
    uint32_t left_count;
    uint32_t left_capacity;
    ct_patch_left *left; ///< freed by ct_patch_result_free
} ct_patch_result;

void ct_patch_result_free(const ct_world *world, ct_patch_result *result);

/// Appends "PATH: COMPONENT" and a zero byte for each of result->left, after a patch from 'old' to
/// 'next'. If memory runs out, the last ones are missing.
void ct_patch_write_left(const ct_patch_result *result, const ct_resource *old,
                         const ct_resource *next, ct_writer *out);

/// Updates a spawned level to a newer version of its resource. Entities are matched by source id,
/// otherwise by name (resource/match.h), in each copy separately; matched entities keep their ids.
/// Both versions are spawned out of sight with the options of the level and compared. A changed
/// value is written only if the level still has the old value, so later changes by the game stay.
/// Destroyed entities and removed components stay removed, and no entities are created below a
/// destroyed one; components that the game added stay. Other new entities are created, and
/// entities that the new version lacks are destroyed.
///
/// The function checks everything, creates the additions, runs hooks for them, and writes values
/// and links; a failure until then rolls everything back. Then it removes and destroys, which
/// cannot fail, and runs hooks for removals. The level then uses and holds 'resource'. Returns
/// CT_OK with *result; CT_ERR_OVER, CT_ERR_EXISTS, CT_ERR_DATA, CT_ERR_FULL or CT_ERR_MEMORY
/// with nothing changed and the reason in 'message' ("" if the host failed). Sets *ok to false
/// if a callback for a removal failed; the patch is applied in either case. O(bytes of both
/// resources), and about the cost of a spawn for the changed parts.
ct_status ct_level_patch(ct_level *level, ct_resource *resource, void *context,
                         ct_patch_result *result, bool *ok, ct_message *message);

#endif
