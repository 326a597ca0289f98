// Overrides: values for components of entities with a path that one spawn changes (ct_override, in
// cuttle.h).
#ifndef CT_OVERRIDE_H
#define CT_OVERRIDE_H

#include "resource/resource.h"
#include "world/world.h"

/// Checks that 'count' overrides can be applied: each path matches an entity, the components and
/// fields exist, the values are valid together, no two items under one path have the same id, and
/// each component that will be added gets its required values. Returns CT_OK; CT_ERR_DATA with
/// "overrides: PATH: COMPONENT[PLACE]: reason" in 'message'; CT_ERR_MEMORY. O(count), and the cost
/// of finding the paths; the ids of 'multiple' managers are compared pairwise.
ct_status ct_override_check(const ct_world *world, ct_resource *resource,
                            const ct_override *overrides, uint32_t count, ct_message *message);

/// Returns true if an override is for components of that name.
bool ct_override_is_for(const ct_override *override, const char *component);

/// Returns true if any of 'count' overrides is for that manager.
bool ct_override_any(const ct_override *overrides, uint32_t count, const ct_manager *manager);

/// Sets the values of an override from the values of all inputs of a manager, late inputs
/// included; the value of a label is its text. 'out' has room for each input. Returns the number
/// of values.
uint32_t ct_override_take(const ct_manager *manager, const ct_values *values,
                          ct_override_value *out);

/// Sorts overrides by path, then by component, then by place.
void ct_override_sort(ct_override *overrides, uint32_t count);

/// Applies the overrides for 'manager', in order, to the entities of a spawn; the components of
/// that type exist and the overrides are checked. Transforms must have been spawned without a
/// pose; the function composes the pose and links new transforms to their parents. Returns CT_OK;
/// CT_ERR_DATA, CT_ERR_FULL or CT_ERR_MEMORY with the reason in 'message', when some overrides may
/// have been applied.
ct_status ct_override_apply(ct_manager *manager, const ct_resource *resource,
                            const ct_override *overrides, uint32_t count, const ct_spawn *spawn,
                            ct_message *message);

/// Writes late inputs, and no others, of an entity that a spawn created. Returns CT_OK;
/// CT_ERR_DATA or CT_ERR_MEMORY with the reason in 'message'.
ct_status ct_override_write_late(ct_manager *manager, ct_entity e, const ct_values *values,
                                 ct_message *message);

/// Writes the late inputs of an override, when all components of the spawn exist. Statuses as
/// above.
ct_status ct_override_apply_late(const ct_world *world, const ct_resource *resource,
                                 const ct_override *override, const ct_spawn *spawn,
                                 ct_message *message);

/// Returns the size of a copy of these overrides and everything that they point to; a multiple of
/// 16.
size_t ct_override_bytes(const ct_override *overrides, uint32_t count);

/// Copies overrides into 'memory', which has ct_override_bytes bytes and is aligned to 16. Returns
/// the copy, which points to nothing outside 'memory'; NULL if there are none.
const ct_override *ct_override_copy(const ct_override *overrides, uint32_t count, void *memory);

#endif
