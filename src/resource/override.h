// What one spawn makes different from its resource: values for the components of entities with a
// path. Knows nothing of how values are written, nor when entities come to life.
#ifndef CT_OVERRIDE_H
#define CT_OVERRIDE_H

#include "resource/resource.h"
#include "world/world.h"

CT_BEGIN_C

/// One component of every entity with that path. In a 'multiple' manager the component with that
/// id is replaced, fields not given being defaults; without such a one it is appended. Else the
/// fields given are set, others keep what the resource has; who has no component gets one.
typedef struct ct_override {
    const ct_manager *manager; ///< its block is kept (ct_manager) even if it is gone from the world
    ct_text path;
    const ct_values *values;   ///< per input; items NULL: not given
    const ct_component_id *id; ///< in a 'multiple' manager, else NULL
} ct_override;

/// Whether the override can be applied at all: its path leads somewhere, its values may stand
/// together and leave the hierarchy alone, and whoever has to get a new component gets what that
/// requires. CT_OK; CT_ERR_DATA with the reason in 'message'; CT_ERR_MEMORY.
ct_status ct_override_check(const ct_world *world, ct_resource *resource,
                            const ct_override *override, ct_message *message);

/// Whether any of 'count' overrides is for that manager.
bool ct_override_any(const ct_override *overrides, uint32_t count, const ct_manager *manager);

/// Applies those of 'count' overrides that are for 'manager', in order, to the entities of a spawn
/// whose components of that type are there; they were checked. Transforms have been spawned without
/// a pose: now it is composed, and new ones take their place in the hierarchy. CT_OK; CT_ERR_DATA,
/// CT_ERR_FULL or CT_ERR_MEMORY with the reason in 'message', and then some may have been applied.
ct_status ct_override_apply(ct_manager *manager, const ct_resource *resource,
                            const ct_override *overrides, uint32_t count, const ct_spawn *spawn,
                            ct_message *message);

CT_END_C

#endif
