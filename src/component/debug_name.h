// Names of entities, and lookup of entities by name.
#ifndef CT_DEBUG_NAME_H
#define CT_DEBUG_NAME_H

#include "storage/layout.h"
#include "storage/manager.h"

#define CT_DEBUG_NAME "debug_name"

/// The only field is the string 'name' (Bitsquid part 1, DebugNameComponentManager). Names are
/// interned, and freed with their last row.
extern const ct_manager_type ct_debug_name_type;

/// Returns the next row after 'after' (CT_NO_ROW: the first row), in the order of naming, that has
/// this name and a living owner, or CT_NO_ROW. O(1) for each row returned. Rows of dead entities
/// that gc has not removed yet are passed once, or in each call if no owner of the name is alive:
/// the first search moves them to the end of the list of the name, which is not part of the state
/// that a caller can see.
ct_row ct_debug_name_find(const ct_manager *manager, ct_text name, ct_row after);

#endif
