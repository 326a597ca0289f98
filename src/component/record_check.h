// Whether a component may be described like that: its name, its fields, their types and defaults.
// Knows nothing of who has described it.
#ifndef CT_RECORD_CHECK_H
#define CT_RECORD_CHECK_H

#include "component/record.h"

CT_BEGIN_C

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

CT_END_C

#endif
