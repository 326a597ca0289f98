// Lookup of entities of a resource by name or by a path of names.
#ifndef CT_PATH_H
#define CT_PATH_H

#include "base/writer.h"
#include "resource/resource.h"

#define CT_PATH_NONE 0xFFFFFFFFu

/// Returns the name of an entity, or a text with bytes NULL.
ct_text ct_resource_entity_name(const ct_resource *resource, uint32_t entity);

/// Builds the index for searches with this path, once for all paths of the same number of names:
/// O(entities x names), 8 to 12 bytes per entity. Paths of more than CT_PATH_INDEXES names share
/// the last index. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_path_index(ct_resource *resource, ct_text path);

/// Returns the next entity after 'after' (CT_PATH_NONE: from the first), in the order of the
/// resource, that matches the path: "bulb" matches any entity of that name, "lamp_7/bulb" one of
/// that name with a parent named lamp_7, and so on. Returns CT_PATH_NONE if there is none. The
/// index must exist. Cost: the names of the path; for paths longer than CT_PATH_INDEXES names,
/// that cost for every entity with the same last CT_PATH_INDEXES names. Allocates nothing.
uint32_t ct_path_find(const ct_resource *resource, ct_text path, uint32_t after);

/// Builds the index and checks that an entity matches the path, which ends with a zero byte.
/// Returns CT_OK; CT_ERR_MEMORY; CT_ERR_DATA with "PATH: no entity of the resource is called
/// 'NAME' (did you mean 'OTHER'?)" in 'message', for the first name, from the end, that no entity
/// has.
ct_status ct_path_check(ct_resource *resource, ct_text path, ct_message *message);

/// Writes an entity that was spawned as entity 'number', counted through all copies, with its name
/// if it has one: entity(1:0) "lamp".
void ct_path_entity_message(const ct_resource *resource, uint32_t number, ct_entity e,
                            ct_message *out);

/// Returns the mark of a shortened path in messages, "..." or ""; the second function returns the
/// last 80 bytes of the path, which ends with a zero byte.
const char *ct_path_cut(ct_text path);
const char *ct_path_end(ct_text path);

/// Appends the path of an entity, "lamp_7/bulb", or "entity N", counted from 1, if it or an
/// ancestor has no name or the path has more than 101 names.
void ct_path_write(const ct_resource *resource, uint32_t entity, ct_writer *out);

/// Frees the indexes.
void ct_path_free(ct_resource *resource);

#endif
