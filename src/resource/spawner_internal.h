// Steps of a spawn and of the checks before it.
#ifndef CT_SPAWNER_INTERNAL_H
#define CT_SPAWNER_INTERNAL_H

#include "resource/resource.h"
#include "resource/spawner.h"
#include "storage/manager.h"

/// Sets the message of a full manager and returns CT_ERR_FULL.
ct_status ct_spawner_fail_full(const ct_manager *manager, ct_message *message);

/// Returns true if the host spawns a section.
bool ct_spawner_host_spawns(const ct_world *world, const ct_section *section, void *context);

/// Checks that a section can be spawned, and reserves room for its rows. Statuses as
/// ct_spawner_check.
ct_status ct_spawner_check_section(ct_world *world, ct_resource *resource, ct_section *section,
                                   const ct_spawn_options *options, void *context,
                                   ct_message *message);

/// Returns the manager of the late inputs in a section, or NULL.
ct_manager *ct_late_manager(const ct_world *world, const ct_section *section);

/// Checks that the node of the options exists. Returns false with "parent_node: reason" in
/// 'message'.
bool ct_late_check_options(const ct_world *world, const ct_spawn_options *options,
                           ct_message *message);

/// Writes the late inputs of the resource, the options and the overrides, when all components of
/// the spawn exist; *wrong_option as in ct_spawn_call. Returns CT_OK; CT_ERR_DATA or CT_ERR_MEMORY
/// with the reason in 'message', when some inputs may have been written. O(instances with late
/// inputs x copies); with a node in the options O(entities).
ct_status ct_late_spawn(const ct_world *world, const ct_resource *resource,
                        const ct_spawn_options *options, const ct_spawn *spawn, bool *wrong_option,
                        ct_message *message);

/// Spawns the instances of a section for each copy of 'spawn', which has no instances set; rows
/// are ordered copy by copy. The contents must be validated for the manager. Copies are spawned in
/// pieces: each piece is laid out as one resource of several copies. With
/// ct_manager_shape.together, all copies are one piece. Returns CT_OK, or the status of the
/// manager: CT_ERR_MEMORY, CT_ERR_FULL or CT_ERR_DATA, when some copies may exist. O(bytes of the
/// section x copies); many copies need about 100 KB of scratch.
ct_status ct_repeat_spawn(ct_manager *manager, const ct_section *section, const ct_spawn *spawn);

#endif
