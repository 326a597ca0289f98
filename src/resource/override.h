// Overrides: values for components of entities with a path that one spawn changes (ct_override, in
// cuttle.h).
#ifndef CT_OVERRIDE_H
#define CT_OVERRIDE_H

#include "resource/resource.h"
#include "world/world.h"

CT_BEGIN_C

/// Whether 'count' overrides can be applied at all: each path leads somewhere, the components and
/// their fields are there, the values may stand together, no two items under one path have one
/// id, and whoever has to get a new component gets what that requires. CT_OK; CT_ERR_DATA with
/// "overrides: PATH: COMPONENT[PLACE]: reason" in 'message'; CT_ERR_MEMORY. O(count), and what it
/// costs to find the paths; ids of 'multiple' managers are compared with each other.
ct_status ct_override_check(const ct_world *world, ct_resource *resource,
                            const ct_override *overrides, uint32_t count, ct_message *message);

/// Whether an override is for the components of that name.
bool ct_override_is_for(const ct_override *override, const char *component);

/// Whether any of 'count' overrides is for that manager.
bool ct_override_any(const ct_override *overrides, uint32_t count, const ct_manager *manager);

/// Sets the values of an override from values of all inputs of a manager, late ones included; of a
/// label its text. 'out' has room for each input. Returns how many values there are.
uint32_t ct_override_take(const ct_manager *manager, const ct_values *values,
                          ct_override_value *out);

/// Sorts overrides by path, then by component; the items of one component stay in order.
void ct_override_sort(ct_override *overrides, uint32_t count);

/// Applies those of 'count' overrides that are for 'manager', in order, to the entities of a spawn
/// whose components of that type are there; they were checked. Transforms have been spawned without
/// a pose: now it is composed, and new ones take their place in the hierarchy. CT_OK; CT_ERR_DATA,
/// CT_ERR_FULL or CT_ERR_MEMORY with the reason in 'message', and then some may have been applied.
ct_status ct_override_apply(ct_manager *manager, const ct_resource *resource,
                            const ct_override *overrides, uint32_t count, const ct_spawn *spawn,
                            ct_message *message);

/// Writes late inputs, and no others, of an entity that a spawn created. CT_OK; CT_ERR_DATA or
/// CT_ERR_MEMORY with the reason in 'message'.
ct_status ct_override_write_late(ct_manager *manager, ct_entity e, const ct_values *values,
                                 ct_message *message);

/// Writes the late inputs that an override gives, when all components of the spawn are there.
/// Statuses as above.
ct_status ct_override_apply_late(const ct_world *world, const ct_resource *resource,
                                 const ct_override *override, const ct_spawn *spawn,
                                 ct_message *message);

/// Bytes that a copy of these overrides needs, with all they point to; a multiple of 16.
size_t ct_override_bytes(const ct_override *overrides, uint32_t count);

/// Copies them into 'memory', which has as many bytes and is aligned to 16. Returns the copy, which
/// points to nothing outside of it; NULL when there are none.
const ct_override *ct_override_copy(const ct_override *overrides, uint32_t count, void *memory);

CT_END_C

#endif
