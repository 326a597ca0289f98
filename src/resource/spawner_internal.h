// What checks before a spawn share with the spawn itself.
// Knows nothing of who asks for either.
#ifndef CT_SPAWNER_INTERNAL_H
#define CT_SPAWNER_INTERNAL_H

#include "resource/spawner.h"

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

CT_END_C

#endif
