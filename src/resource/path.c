// Finds entities of a resource by their names, or by paths of names.
// Knows nothing of what was spawned.
#include "resource/path.h"

#include "base/hash.h"

#include <string.h>

// The index: 2^name_bits heads of lists, then per entity the next one of its list. Lists are in
// the resource's order; a list may hold several names.

static uint32_t bucket_of(const ct_resource *resource, ct_text name) {
    uint32_t hash = ct_hash_fnv1a(CT_FNV1A_START, name.bytes, name.length);
    return (hash * 0x9E3779B1u) >> (32 - resource->name_bits);
}

ct_status ct_path_index(ct_resource *resource) {
    if (resource->name_index != NULL) return CT_OK;
    uint32_t bits = 1;
    while ((1u << bits) < resource->num_entities)
        bits++;
    size_t heads = (size_t)1 << bits;
    size_t bytes = (heads + resource->num_entities) * sizeof *resource->name_index;
    uint32_t *index = ct_alloc(resource->allocator, bytes);
    if (index == NULL) return CT_ERR_MEMORY;
    memset(index, 0xFF, bytes); // CT_PATH_NONE everywhere
    resource->name_index = index;
    resource->name_bits = bits;
    for (uint32_t i = resource->num_entities; i-- > 0;) {
        ct_text name = ct_resource_entity_name(resource, i);
        if (name.bytes == NULL) continue;
        uint32_t *head = &index[bucket_of(resource, name)];
        index[heads + i] = *head;
        *head = i;
    }
    return CT_OK;
}

// Takes the last name off a path.
static ct_text take_last(ct_text *path) {
    uint32_t start = path->length;
    while (start > 0 && path->bytes[start - 1] != '/')
        start--;
    ct_text last = {path->bytes + start, path->length - start};
    // What is left ends before the '/'; with none, nothing is left.
    path->length = start > 0 ? start - 1 : 0;
    path->bytes = start > 0 ? path->bytes : NULL;
    return last;
}

static bool is_called(const ct_resource *resource, uint32_t entity, ct_text name) {
    ct_text own = ct_resource_entity_name(resource, entity);
    return own.bytes != NULL && own.length == name.length &&
           memcmp(own.bytes, name.bytes, name.length) == 0;
}

static bool ancestors_are_called(const ct_resource *resource, uint32_t entity, ct_text path) {
    while (path.bytes != NULL) {
        ct_text name = take_last(&path);
        entity = resource->parent_index[entity];
        if (entity == CT_RESOURCE_NO_PARENT || !is_called(resource, entity, name)) return false;
    }
    return true;
}

uint32_t ct_path_find(const ct_resource *resource, ct_text path, uint32_t after) {
    const uint32_t *next = resource->name_index + ((size_t)1 << resource->name_bits);
    ct_text name = take_last(&path);
    uint32_t i =
        after == CT_PATH_NONE ? resource->name_index[bucket_of(resource, name)] : next[after];
    while (i != CT_PATH_NONE &&
           !(is_called(resource, i, name) && ancestors_are_called(resource, i, path)))
        i = next[i];
    return i;
}
