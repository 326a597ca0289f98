// Access to rows by keys, for code that LuaJIT compiles.
#ifndef CT_MANAGER_KEYS_H
#define CT_MANAGER_KEYS_H

#include "storage/manager.h"

CT_BEGIN_C

// A key is an instance, or a negative number for an entity. On failure, compiled code calls the
// method that is not compiled, which has the reason.

/// Convert an entity to its key and back.
static inline int64_t ct_key_of_entity(ct_entity e) { return -1 - (int64_t)e.id; }
static inline ct_entity ct_entity_of_key(int64_t key) { return (ct_entity){(uint32_t)(-1 - key)}; }

/// Stores the row of a key. Returns false if there is none, or its owner is dead.
bool ct_manager_find_key(const ct_manager *manager, int64_t key, ct_row *row);

/// Returns a field of one number, a bool or a label; NaN on failure.
double ct_manager_key_number(ct_manager *manager, uint32_t field, int64_t key);

/// Writes such a field. Returns 1, or 0 on failure.
int32_t ct_manager_key_write_number(ct_manager *manager, uint32_t field, int64_t key,
                                    double number);

/// Read and write the numbers of a vector. Return 1, or 0 on failure.
int32_t ct_manager_key_numbers(ct_manager *manager, uint32_t field, int64_t key, double *numbers);
int32_t ct_manager_key_write(ct_manager *manager, uint32_t field, int64_t key,
                             const double *numbers);

/// Returns 1 if the entity has the component, 0 if it has not; -1 on failure, also for an instance.
int32_t ct_manager_key_has(const ct_manager *manager, int64_t key);

/// Returns the instance of an entity, -1 if there is none, or -2 on failure, also for an instance.
double ct_manager_key_instance(ct_manager *manager, int64_t key);

/// Adds a component with these values (NULL: all defaults) to an entity. Returns the instance, or
/// -1 on failure and for managers with hooks, values of the host or rules about values.
double ct_manager_key_add(ct_manager *manager, int64_t key, const ct_values *values);

/// Removes the components of an entity. Returns their number, or -1 on failure, for an instance,
/// and for managers with hooks or values of the host.
int32_t ct_manager_key_remove(ct_manager *manager, int64_t key);

/// Returns the row of the entity with an id, -1 if it has none, or -2 if the manager has ended.
int32_t ct_manager_row_of_id(ct_manager *const *manager, uint32_t id);

CT_END_C

#endif
