// Components that scripts or plugins describe: columns for any list of fields, and callbacks.
// Must not depend on Lua, nor on other components.
#ifndef CT_RECORD_H
#define CT_RECORD_H

#include "storage/manager.h"

CT_BEGIN_C

/// Fields a record can have: what a store has room for beside its own columns.
#define CT_MAX_RECORD_FIELDS 60u

/// A manager for components with these fields. Names and presets are copied. NULL when
/// memory runs out. At most CT_MAX_RECORD_FIELDS fields.
ct_manager *ct_record_create(const ct_manager_setup *setup, const char *name,
                             const ct_component_field *fields, uint32_t field_count);

/// Another with the fields, labels and presets of one that ct_record_create made. NULL when memory
/// runs out.
ct_manager *ct_record_create_like(const ct_manager_setup *setup, const ct_manager *other);

/// The same by name and fields of a description, with a type of its own, whose 'fill' and 'release'
/// begin with those of records and whose 'strings' is theirs, and with 'more' zeroed bytes in its
/// block, aligned to 16: for record_plugin.c.
ct_manager *ct_record_create_as(const ct_manager_setup *setup, const ct_manager_type *type,
                                size_t more, const ct_component *component);

/// Those bytes.
void *ct_record_more(const ct_manager *manager);

/// The slots 'memory' and 'strings' of records: their presets.
size_t ct_record_memory(ct_manager *manager, ct_memory_task task);
void ct_record_count_strings(const ct_manager *manager, ct_string_audit *audit);

/// Whether a manager was made by ct_record_create from a description with the same fields, presets
/// apart, and as many components to an entity.
bool ct_record_is_like(const ct_manager *manager, const ct_component *component);

/// Takes new presets of a manager that ct_record_create made (the fields are the same otherwise).
/// CT_OK, or CT_ERR_MEMORY with the old ones in force.
ct_status ct_record_set_presets(ct_manager *manager, const ct_component_field *fields);

/// Whether a description lists a field in 'hidden'.
bool ct_component_hides(const ct_component *component, const char *field);

/// Sets which fields are hidden: those that the description lists.
void ct_record_hide(ct_manager *manager, const ct_component *component);

// All return false with the reason in 'message'.

/// Whether a name consists of letters, digits and _, and does not begin with a digit. Resources may
/// have sections of any such name.
bool ct_component_name_valid(const char *name, size_t length, ct_message *message);

/// Whether a new component may have this name: valid, at most 63 letters, no built-in component's.
bool ct_component_name_check(const char *name, size_t length, ct_message *message);

/// Whether two components may be called that: their hashes differ, or it is one name.
bool ct_component_names_differ(const char *name, const char *other, ct_message *message);

/// Whether a new component may have the fields of a description. The reason tells the field.
/// O(fields squared).
bool ct_component_fields_check(const ct_component *component, ct_message *message);

/// Whether the managers of scripts have a method of this name, in this version or a planned one.
bool ct_component_is_method(const char *name);

/// Whether a plugin's description, made for this version of cuttle.h or another, is sound, all but
/// its methods. The reason tells the component.
bool ct_component_check(const ct_component *component, ct_message *message);

/// Whether a manager may end for another of its name, which a plugin or a script describes: it has
/// no rows of the living. Collects those of the dead.
bool ct_component_may_replace(ct_manager *old, bool by_plugin, ct_message *message);

/// A manager for components of a plugin, which is told of all that cuttle.h promises. Names and
/// presets are copied, the description itself stays known by its address. ct_component_check found
/// it sound. NULL when memory runs out or 'opened' says so.
ct_manager *ct_plugin_create(const ct_manager_setup *setup, const ct_component *description);

/// A description with all members of this version: those beyond its 'size' are 0.
ct_component ct_plugin_whole(const ct_component *description);

/// Keeps the libraries with the description and its callbacks in memory, but not those with its
/// methods. Data and code of a plugin need not be in one library, and the description in none.
void ct_plugin_pin(const ct_component *description);

/// Whether something is kept for rows beside their fields. All members are of this version.
bool ct_plugin_keeps_own(const ct_component *component);

/// The address of the description a manager was made from, or NULL when no plugin made it.
const ct_component *ct_plugin_description(const ct_manager *manager);

/// A copy of it that has all members of this version: what the plugin's lacks is 0.
const ct_component *ct_plugin_component(const ct_manager *manager);

/// The block of own_bytes. Both are for managers that a plugin made.
void *ct_plugin_own(const ct_manager *manager);

CT_END_C

#endif
