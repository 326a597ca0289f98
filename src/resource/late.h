// Late inputs of a spawn: those that refer to components of other types (ct_manager.late_count).
// Knows nothing of how components come to life, nor what any input means.
#ifndef CT_LATE_H
#define CT_LATE_H

#include "resource/spawner.h"

CT_BEGIN_C

/// The manager whose late inputs a section holds, or NULL.
ct_manager *ct_late_manager(const ct_world *world, const ct_section *section);

/// Whether the options' node is there. False with "parent_node: reason" in 'message'.
bool ct_late_check_options(const ct_world *world, const ct_spawn_options *options,
                           ct_message *message);

/// Writes the late inputs that the resource, the options and the overrides give, when all
/// components of the spawn are there; *wrong_option as in ct_spawn_call. CT_OK; CT_ERR_DATA or
/// CT_ERR_MEMORY with the reason in 'message', when some may have been written. O(instances that
/// have some x copies), with a node in the options O(entities).
ct_status ct_late_spawn(const ct_world *world, const ct_resource *resource,
                        const ct_spawn_options *options, const ct_spawn *spawn, bool *wrong_option,
                        ct_message *message);

CT_END_C

#endif
