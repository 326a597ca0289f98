// Finds entities of a resource by names or paths of names.
#ifndef CT_PATH_H
#define CT_PATH_H

#include "resource/resource.h"

CT_BEGIN_C

#define CT_PATH_NONE 0xFFFFFFFFu

/// The name of an entity, or a text with bytes NULL.
ct_text ct_resource_entity_name(const ct_resource *resource, uint32_t entity);

/// Makes the index that searches for this path need, once for all paths of as many names:
/// O(entities times those names), 8 to 12 bytes an entity. Paths of more than CT_PATH_INDEXES names
/// share the last one. CT_OK or CT_ERR_MEMORY.
ct_status ct_path_index(ct_resource *resource, ct_text path);

/// The next entity behind 'after' (CT_PATH_NONE: from the first), in the resource's order, that is
/// called as the path says: "bulb" is any entity of that name, "lamp_7/bulb" one of that name whose
/// parent is called lamp_7, and so on. CT_PATH_NONE when there is none. The index was made.
/// Cost: the names of the path; longer ones than the indexes know cost that for every entity whose
/// last CT_PATH_INDEXES names are those of the path. Allocates nothing.
uint32_t ct_path_find(const ct_resource *resource, ct_text path, uint32_t after);

/// Makes the index, and finds out whether any entity has the path, which ends with a zero byte.
/// CT_OK; CT_ERR_MEMORY; CT_ERR_DATA with "PATH: no entity of the resource is called 'NAME' (did
/// you mean 'OTHER'?)" in 'message': the first name, from the end, that none has.
ct_status ct_path_check(ct_resource *resource, ct_text path, ct_message *message);

/// A path, which ends with a zero byte, as messages have it: "..." or "", then its last 80 bytes.
const char *ct_path_cut(ct_text path);
const char *ct_path_end(ct_text path);

/// Frees the indexes.
void ct_path_free(ct_resource *resource);

CT_END_C

#endif
