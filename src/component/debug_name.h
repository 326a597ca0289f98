// Names of entities, and lookup of entities by name.
#ifndef CT_DEBUG_NAME_H
#define CT_DEBUG_NAME_H

#include "storage/layout.h"
#include "storage/manager.h"

CT_BEGIN_C

#define CT_DEBUG_NAME "debug_name"

/// The manager (Bitsquid part 1, DebugNameComponentManager). NULL when memory runs
/// out. Its one field is the string 'name'; names are interned and freed with
/// their last row.
ct_manager *ct_debug_name_create(const ct_manager_setup *setup);

/// How names lie in a resource.
ct_layout ct_debug_name_layout(void);

/// The name of an entity, or a text with bytes NULL.
ct_text ct_debug_name_of(const ct_manager *names, ct_entity e);

/// The first row, in order of naming, behind row 'after' (CT_NO_ROW: from the start) of a
/// living entity with this name, or CT_NO_ROW. O(1) per hit; names of the dead
/// are passed over until gc has taken them.
ct_row ct_debug_name_find(const ct_manager *manager, ct_text name, ct_row after);

CT_END_C

#endif
