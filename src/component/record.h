// Components declared by a script: columns for any list of fields.
// Knows nothing of scripts, nor of the other components.
#ifndef CT_RECORD_H
#define CT_RECORD_H

#include "storage/manager.h"

/// Fields a record can have: what a store has room for beside its own columns.
#define CT_MAX_RECORD_FIELDS 60u

/// One field as declared. 'preset' is an item of the type (of a string: a
/// ct_text), or NULL for the type's default.
typedef struct ct_record_field {
    const char *name;
    ct_field_type type;
    const void *preset;
} ct_record_field;

/// A manager for such components. Names and presets are copied. NULL when
/// memory runs out. At most CT_MAX_RECORD_FIELDS fields.
ct_manager *ct_record_create(const ct_manager_setup *setup, const char *name,
                             const ct_record_field *fields, uint32_t field_count);

/// Takes new presets (the fields are the same otherwise). CT_OK, or
/// CT_ERR_MEMORY with the old ones in force.
ct_status ct_record_set_presets(ct_manager *manager, const ct_record_field *fields);

#endif
