// Lookup of entities of a resource by name or by a path of names.
#include "resource/path.h"

#include "base/hash.h"
#include "base/message.h"
#include "base/nearest.h"
#include "base/text.h"

#include <string.h>

ct_text ct_resource_entity_name(const ct_resource *resource, uint32_t entity) {
    static const ct_text none = {NULL, 0};
    if (resource->name_offset == NULL) return none;
    uint32_t offset = resource->name_offset[entity];
    if (offset == CT_RESOURCE_NO_NAME) return none;
    uint32_t start = (uint32_t)(resource->name_block - resource->blob);
    return ct_string_block_text(resource->name_block, resource->bytes - start, offset);
}

void ct_path_write(const ct_resource *resource, uint32_t entity, ct_writer *out) {
    enum { MOST_NAMES = 101 };
    ct_text names[MOST_NAMES];
    uint32_t count = 0;
    for (uint32_t e = entity; e != CT_RESOURCE_NO_PARENT; e = resource->parent_index[e]) {
        const ct_text name = ct_resource_entity_name(resource, e);
        if (name.bytes == NULL || count == MOST_NAMES) {
            ct_message number;
            ct_message_set(&number, "entity %u", entity + 1);
            ct_writer_bytes(out, number.text, (uint32_t)strlen(number.text));
            return;
        }
        names[count++] = name;
    }
    while (count-- > 0) {
        ct_writer_bytes(out, names[count].bytes, (uint32_t)strlen(names[count].bytes));
        if (count > 0) ct_writer_bytes(out, "/", 1);
    }
}

// There is one index for paths of one name, one for paths of two names, and so on, so that a
// common name costs nothing if the names of its ancestors are distinct. An index consists of
// 2^path_bits list heads, then per entity the next one in its list. Lists are in the order of the
// resource; a list may contain several paths.

static size_t index_bytes(const ct_resource *resource) {
    size_t heads = (size_t)1 << resource->path_bits;
    return (heads + resource->num_entities) * sizeof(uint32_t);
}

static uint32_t bucket_of(const ct_resource *resource, uint64_t hash) {
    return (uint32_t)(hash >> (64 - resource->path_bits));
}

// Extends a hash of names, last name first, by another name. Hashes only the end of a long name: a
// resource may contain a long name once and use it for all entities.
static uint64_t hash_on(uint64_t hash, ct_text name) {
    enum { LONGEST = 64 };
    uint32_t skipped = name.length > LONGEST ? name.length - LONGEST : 0;
    return ct_hash_text(hash, name.bytes + skipped, name.length - skipped);
}

// Removes the last name from a path and returns it.
static ct_text take_last(ct_text *path) {
    uint32_t start = path->length;
    while (start > 0 && path->bytes[start - 1] != '/')
        start--;
    ct_text last = {path->bytes + start, path->length - start};
    // The remaining path ends before the '/', or is empty if there is none.
    path->length = start > 0 ? start - 1 : 0;
    path->bytes = start > 0 ? path->bytes : NULL;
    return last;
}

// Returns the number of names of a path that its index covers, and computes their hash.
static uint32_t names_of(const ct_resource *resource, ct_text path, uint64_t *hash) {
    uint32_t names = 0;
    *hash = resource->path_seed;
    while (path.bytes != NULL && names < CT_PATH_INDEXES) {
        *hash = hash_on(*hash, take_last(&path));
        names++;
    }
    return names;
}

// Computes the hash of the last 'names' names of an entity; returns false if the entity or an
// ancestor has no name.
static bool hash_entity(const ct_resource *resource, uint32_t entity, uint32_t names,
                        uint64_t *hash) {
    *hash = resource->path_seed;
    for (; names > 0 && entity != CT_RESOURCE_NO_PARENT; --names) {
        ct_text name = ct_resource_entity_name(resource, entity);
        if (name.bytes == NULL) return false;
        *hash = hash_on(*hash, name);
        entity = resource->parent_index[entity];
    }
    return names == 0;
}

ct_status ct_path_index(ct_resource *resource, ct_text path) {
    uint64_t hash;
    uint32_t names = names_of(resource, path, &hash), bits = 1;
    if (resource->path_index[names - 1] != NULL) return CT_OK;
    while ((1u << bits) < resource->num_entities)
        bits++;
    resource->path_bits = bits;
    uint32_t *index = ct_alloc(resource->allocator, index_bytes(resource));
    if (index == NULL) return CT_ERR_MEMORY;
    memset(index, 0xFF, index_bytes(resource)); // CT_PATH_NONE everywhere
    resource->path_index[names - 1] = index;
    uint32_t *next = index + ((size_t)1 << bits);
    for (uint32_t i = resource->num_entities; i-- > 0;) {
        if (!hash_entity(resource, i, names, &hash)) continue;
        uint32_t *head = &index[bucket_of(resource, hash)];
        next[i] = *head;
        *head = i;
    }
    return CT_OK;
}

void ct_path_free(ct_resource *resource) {
    for (uint32_t i = 0; i < CT_PATH_INDEXES; ++i) {
        if (resource->path_index[i] == NULL) continue;
        ct_free(resource->allocator, resource->path_index[i], index_bytes(resource));
        resource->path_index[i] = NULL;
    }
}

static bool is_called(const ct_resource *resource, uint32_t entity, ct_text path) {
    while (path.bytes != NULL) {
        ct_text name = take_last(&path);
        if (entity == CT_RESOURCE_NO_PARENT) return false;
        ct_text own = ct_resource_entity_name(resource, entity);
        if (own.bytes == NULL || !ct_text_equal(own, name)) return false;
        entity = resource->parent_index[entity];
    }
    return true;
}

uint32_t ct_path_find(const ct_resource *resource, ct_text path, uint32_t after) {
    uint64_t hash;
    uint32_t names = names_of(resource, path, &hash);
    const uint32_t *heads = resource->path_index[names - 1];
    CT_ASSERT(heads != NULL);
    const uint32_t *next = heads + ((size_t)1 << resource->path_bits);
    uint32_t i = after == CT_PATH_NONE ? heads[bucket_of(resource, hash)] : next[after];
    while (i != CT_PATH_NONE && !is_called(resource, i, path))
        i = next[i];
    return i;
}

void ct_path_entity_message(const ct_resource *resource, uint32_t number, ct_entity e,
                            ct_message *out) {
    ct_text name = ct_resource_entity_name(resource, number % resource->num_entities);
    bool named = name.bytes != NULL;
    ct_message_set(out, "entity(%u:%u)%s%s%s", ct_entity_index(e), ct_entity_generation(e),
                   named ? " \"" : "", named ? name.bytes : "", named ? "\"" : "");
}

// Messages contain only the end of a long path.
enum { LONGEST_END = 80 };

const char *ct_path_cut(ct_text path) { return path.length > LONGEST_END ? "..." : ""; }

const char *ct_path_end(ct_text path) {
    return path.length > LONGEST_END ? path.bytes + path.length - LONGEST_END : path.bytes;
}

// Writes an unknown name with the nearest entity name to 'message', quoted. Returns false if an
// entity has the name.
static bool is_unknown(const ct_resource *resource, const char *name, ct_message *message) {
    enum { SEARCHED = 10000 };
    ct_nearest nearest = ct_nearest_begin(name);
    for (uint32_t i = 0; i < resource->num_entities && i < SEARCHED; ++i) {
        ct_text own = ct_resource_entity_name(resource, i);
        if (own.bytes != NULL) ct_nearest_offer(&nearest, own.bytes);
    }
    ct_nearest_message(&nearest, message);
    return nearest.name == NULL || strcmp(nearest.name, name) != 0;
}

ct_status ct_path_check(ct_resource *resource, ct_text path, ct_message *message) {
    ct_text rest = path, name = {NULL, 0};
    ct_message wanted, found;
    CT_ASSERT(path.bytes != NULL);
    if (ct_path_index(resource, path) != CT_OK) return ct_message_out_of_memory(message);
    if (ct_path_find(resource, path, CT_PATH_NONE) != CT_PATH_NONE) return CT_OK;
    do {
        name = take_last(&rest);
        if (ct_path_index(resource, name) != CT_OK) return ct_message_out_of_memory(message);
    } while (rest.bytes != NULL && ct_path_find(resource, name, CT_PATH_NONE) != CT_PATH_NONE);
    uint32_t room = sizeof wanted.text - 1, length = name.length < room ? name.length : room;
    memcpy(wanted.text, name.bytes, length);
    wanted.text[length] = '\0';
    if (length > 0 && is_unknown(resource, wanted.text, &found))
        ct_message_set(message, "%s%s: no entity of the resource is called %s", ct_path_cut(path),
                       ct_path_end(path), found.text);
    else
        ct_message_set(message, "%s%s: no entity of the resource has this path", ct_path_cut(path),
                       ct_path_end(path));
    return CT_ERR_DATA;
}
