// Components that scripts or plugins define: columns for any list of fields, and callbacks.
// Must not depend on Lua or on other components.
#ifndef CT_RECORD_H
#define CT_RECORD_H

#include "storage/manager.h"

/// Limit of fields of a record: the columns of a store, without its own columns.
#define CT_MAX_RECORD_FIELDS 60u

/// Creates a manager for components with these fields. Copies names and presets. Returns NULL when
/// memory runs out. 'field_count' must be at most CT_MAX_RECORD_FIELDS.
ct_manager *ct_record_create(const ct_manager_setup *setup, const char *name,
                             const ct_component_field *fields, uint32_t field_count);

/// Creates a manager with the fields, labels and presets of 'other', which ct_record_create made.
/// Returns NULL when memory runs out.
ct_manager *ct_record_create_like(const ct_manager_setup *setup, const ct_manager *other);

/// Creates a manager with the name and fields of a description, and another type, for
/// record_plugin.c. The 'fill' of the type must begin with ct_manager_fill_columns, a 'spawn' with
/// ct_manager_spawn_columns, its 'memory' must call ct_record_memory, and its 'strings' must be
/// ct_record_count_strings. The block of the manager has 'more' additional zeroed bytes, aligned to
/// 16.
ct_manager *ct_record_create_as(const ct_manager_setup *setup, const ct_manager_type *type,
                                size_t more, const ct_component *component);

/// Returns the address of the additional bytes.
void *ct_record_more(const ct_manager *manager);

/// The slots 'memory' and 'strings' of records, for their presets.
size_t ct_record_memory(ct_manager *manager, ct_memory_task task);
void ct_record_count_strings(const ct_manager *manager, ct_string_audit *audit);

/// Returns whether ct_record_create made the manager from a description with the same fields,
/// except presets, and the same CT_COMPONENT_MULTIPLE.
bool ct_record_is_like(const ct_manager *manager, const ct_component *component);

/// Replaces the presets of a manager that ct_record_create made. The fields must otherwise be
/// equal. Returns CT_OK, or CT_ERR_MEMORY with the old presets unchanged.
ct_status ct_record_set_presets(ct_manager *manager, const ct_component_field *fields);

/// Returns whether a description lists a field in 'hidden'.
bool ct_component_hides(const ct_component *component, const char *field);

/// Hides the fields in the description's 'hidden', and no others.
void ct_record_hide(ct_manager *manager, const ct_component *component);

// The checks return false with the reason in 'message'.

/// Checks that a new component may have this name: valid, at most 63 bytes, not a built-in
/// component.
bool ct_component_name_check(const char *name, size_t length, ct_message *message);

/// Checks that two component names do not collide: they are equal, or their hashes differ.
bool ct_component_names_differ(const char *name, const char *other, ct_message *message);

/// Checks the fields of a description of a new component. The reason names the field. O(fields
/// squared).
bool ct_component_fields_check(const ct_component *component, ct_message *message);

/// Returns whether the managers of scripts have, or are planned to have, a method of this name.
bool ct_component_is_method(const char *name);

/// Checks a plugin's description, made for this or another version of cuttle.h, except its methods.
/// The reason names the component.
bool ct_component_check(const ct_component *component, ct_message *message);

/// Checks that a plugin or a script may replace a manager by another one of its name: it has no
/// rows of living entities. Removes the rows of dead entities.
bool ct_component_may_replace(ct_manager *old, bool by_plugin, ct_message *message);

/// Creates a manager for components of a plugin and calls the callbacks as cuttle.h describes.
/// Copies names and presets, and keeps the address of the description. ct_component_check must have
/// accepted the description. Returns NULL when memory runs out or 'opened' returns false.
ct_manager *ct_plugin_create(const ct_manager_setup *setup, const ct_component *description);

/// Returns the description with all members of this version. Members beyond its 'size' are 0.
ct_component ct_plugin_whole(const ct_component *description);

/// Keeps the libraries loaded that contain the description and its callbacks, but not the libraries
/// of its methods. Data and code of a plugin may be in different libraries, and the description in
/// none.
void ct_plugin_pin(const ct_component *description);

/// Returns whether a plugin keeps data for rows besides their fields. 'component' must have all
/// members of this version.
bool ct_plugin_keeps_own(const ct_component *component);

/// Returns the address of the manager's description, or NULL if the manager is not a plugin's.
const ct_component *ct_plugin_description(const ct_manager *manager);

/// Returns a copy of the description with all members of this version. Missing members are 0.
const ct_component *ct_plugin_component(const ct_manager *manager);

/// Returns the block of own_bytes. This function and the previous one require a plugin's manager.
void *ct_plugin_own(const ct_manager *manager);

#endif
