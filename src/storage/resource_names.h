// Names of static resources that instances of a manager may refer to, each with a number.
#ifndef CT_RESOURCE_NAMES_H
#define CT_RESOURCE_NAMES_H

#include "storage/manager.h"

// Static data and instance data are separate (Bitsquid part 4): a resource is described once, and
// an instance has its name. A name stays registered as long as the manager, so that no instance
// loses its resource.

/// Member of a manager, initially zeroed, at the offset ct_manager_shape.names.
typedef struct ct_resource_names {
    uint32_t *numbers; // by string, with a reference to each; 0: not registered
    uint32_t capacity;
} ct_resource_names;

static inline ct_resource_names *ct_resource_names_of(const ct_manager *manager) {
    return (ct_resource_names *)((uintptr_t)manager + manager->shape->names);
}

/// Returns the number of a name, 0 if it is not registered.
uint32_t ct_resource_names_find(const ct_manager *manager, ct_text name);

/// Returns the number of a string of the world's pool, 0 if it is not registered.
static inline uint32_t ct_resource_names_number(const ct_manager *manager, ct_string string) {
    const ct_resource_names *names = ct_resource_names_of(manager);
    return string.ref < names->capacity ? names->numbers[string.ref] : 0;
}

/// Registers a name, which is not "", with a number, which is not 0, or changes its number. Returns
/// CT_OK, always for a registered name; or CT_ERR_MEMORY or CT_ERR_FULL with nothing changed.
ct_status ct_resource_names_add(ct_manager *manager, ct_text name, uint32_t number);

/// Writes "unknown MANAGER resource 'NAME'" with the nearest registered name. Returns false.
bool ct_resource_names_unknown_message(const ct_manager *manager, ct_text name,
                                       ct_message *message);

// Slots of ct_manager_type. Where they read rows, the first field is the string 'resource', which
// is also the first input and the first column in a compiled resource.

/// Returns whether the values of 'resource' are registered, or none are given. False with the
/// reason in 'message'.
bool ct_resource_names_check(const ct_manager *manager, const ct_values *values, uint32_t count,
                             ct_message *message);

/// Does the same for instances of a compiled resource.
bool ct_resource_names_check_spawn(const ct_manager *manager, const ct_spawn *spawn,
                                   ct_message *message);

/// Makes RESERVE fail if a saved row has an unregistered name.
void ct_resource_names_state(ct_manager *manager, ct_state *state);

/// Adds the names of another manager, with their numbers. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_resource_names_copy(ct_manager *manager, const ct_manager *from);

/// There is nothing to trim.
size_t ct_resource_names_memory(ct_manager *manager, ct_memory_task task);

/// Adds one reference to each name.
void ct_resource_names_count(const ct_manager *manager, ct_string_audit *audit);

#endif
