// Finds entities of a resource by their names, or by paths of names.
// Knows nothing of what was spawned.
#ifndef CT_PATH_H
#define CT_PATH_H

#include "resource/resource.h"

#define CT_PATH_NONE 0xFFFFFFFFu

/// Makes the index that searches need, once: O(entities), 4 to 12 bytes each. CT_OK or
/// CT_ERR_MEMORY.
ct_status ct_path_index(ct_resource *resource);

/// The next entity behind 'after' (CT_PATH_NONE: from the first), in the resource's order, that is
/// called as the path says: "bulb" is any entity of that name, "lamp_7/bulb" one of that name whose
/// parent is called lamp_7, and so on. CT_PATH_NONE when there is none. The index was made.
/// Cost: the entities of that name, times the depth of the path.
uint32_t ct_path_find(const ct_resource *resource, ct_text path, uint32_t after);

#endif
