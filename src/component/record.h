// Components declared by a script: columns for any list of fields.
// Knows nothing of scripts, nor of the other components.
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

CT_END_C

#endif
