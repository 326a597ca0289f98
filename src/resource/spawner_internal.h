// The steps of a spawn, and of the checks before it.
#ifndef CT_SPAWNER_INTERNAL_H
#define CT_SPAWNER_INTERNAL_H

#include "resource/resource.h"
#include "resource/spawner.h"
#include "storage/manager.h"

CT_BEGIN_C

/// "not enough memory", and CT_ERR_MEMORY.
ct_status ct_spawner_fail_memory(ct_message *message);

/// What a manager is full of, and CT_ERR_FULL.
ct_status ct_spawner_fail_full(const ct_manager *manager, ct_message *message);

static inline uint32_t ct_spawner_copies(const ct_spawn_options *options) {
    return options->copies != NULL ? options->copies->count : 1;
}

/// Room for so many more rows, up to the limit. CT_OK, CT_ERR_FULL or CT_ERR_MEMORY with the
/// reason.
ct_status ct_spawner_reserve_rows(ct_manager *manager, uint64_t count, ct_message *message);

/// Whether the host spawns a section.
bool ct_spawner_host_knows(const ct_world *world, const ct_section *section, void *context);

/// Whether a section can be spawned; room for its rows is taken. Statuses as ct_spawner_check.
ct_status ct_spawner_check_section(ct_world *world, ct_resource *resource, ct_section *section,
                                   const ct_spawn_options *options, void *context,
                                   ct_message *message);

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

/// Spawns a section's instances for each copy of 'spawn', in which the fields of instances are not
/// set; rows lie copy by copy. The contents were verified for the manager. Several copies at a time
/// are laid out as if they were one resource, which every piece of as many is made of; a type that
/// wants to hear of its rows (ct_manager_type.created) gets all in one. CT_OK, or the manager's
/// status: CT_ERR_MEMORY, CT_ERR_FULL, or CT_ERR_DATA; then copies may be there already. O(bytes of
/// the section x copies); many copies take some 100 KB of scratch.
ct_status ct_repeat_spawn(ct_manager *manager, const ct_section *section, const ct_spawn *spawn);

CT_END_C

#endif
