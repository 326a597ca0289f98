// The names of static resources that the instances of a manager may refer to, each with a number.
#ifndef CT_RESOURCE_NAMES_H
#define CT_RESOURCE_NAMES_H

#include "storage/manager.h"

CT_BEGIN_C

// Static data and instance data are apart (Bitsquid part 4): a resource is described once,
// whoever keeps it; an instance has its name. A name that is known stays so while the manager
// lives, so that no instance can lose what it refers to.

/// Lies in its manager, zeroed at first, and is given together with it.
typedef struct ct_resource_names {
    uint32_t *numbers; // by string, of which a reference is held; 0: not known
    uint32_t capacity;
} ct_resource_names;

/// The number of a name, 0 when it is not known.
uint32_t ct_resource_names_find(const ct_resource_names *names, const ct_manager *manager,
                                ct_text name);

/// The number of a string of the world's pool, 0 when it is not known.
static inline uint32_t ct_resource_names_number(const ct_resource_names *names, ct_string string) {
    return string.ref < names->capacity ? names->numbers[string.ref] : 0;
}

/// From now on the name is known and has this number, which is not 0. CT_OK, which is sure when
/// it was known before; CT_ERR_MEMORY or CT_ERR_FULL, and nothing has changed. Not "".
ct_status ct_resource_names_add(ct_resource_names *names, ct_manager *manager, ct_text name,
                                uint32_t number);

/// Writes "unknown MANAGER resource 'NAME'" with the nearest known one. Returns false.
bool ct_resource_names_unknown_message(const ct_resource_names *names, const ct_manager *manager,
                                       ct_text name, ct_message *message);

/// For a manager's 'check': whether the values of its string input 'resource' are known, or
/// none are given. False with the reason in 'message'.
bool ct_resource_names_check(const ct_resource_names *names, const ct_manager *manager,
                             const ct_values *values, uint32_t count, ct_message *message);

/// For a manager's 'check_spawn': the same for what the resource has in field number 'field'.
bool ct_resource_names_check_spawn(const ct_resource_names *names, const ct_manager *manager,
                                   uint32_t field, const ct_spawn *spawn, ct_message *message);

/// For a manager's 'state': RESERVE fails where a saved row of field number 'field' has a name that
/// is not known.
void ct_resource_names_state(const ct_resource_names *names, const ct_manager *manager,
                             uint32_t field, uint32_t rows, ct_state *state);

/// For a manager's 'copy_resources': adds the names of another manager, with their numbers. CT_OK
/// or CT_ERR_MEMORY.
ct_status ct_resource_names_copy(ct_resource_names *names, ct_manager *manager,
                                 const ct_resource_names *others, const ct_manager *from);

/// For a manager's 'memory'. Nothing can be trimmed.
size_t ct_resource_names_memory(ct_resource_names *names, ct_manager *manager, ct_memory_task task);

/// For a manager's 'strings': one reference to each name.
void ct_resource_names_count(const ct_resource_names *names, ct_string_audit *audit);

CT_END_C

#endif
