// What a resource holds, counted: for tools that show it to people.
// Knows nothing of worlds, nor of how it is shown.
#include "resource/summary.h"

#include "resource/path.h"

#include <string.h>

uint32_t ct_resource_root_count(const ct_resource *resource) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < resource->num_entities; ++i)
        count += resource->parent_index[i] == CT_RESOURCE_NO_PARENT;
    return count;
}

uint32_t ct_resource_named_count(const ct_resource *resource) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < resource->num_entities; ++i)
        count += ct_resource_entity_name(resource, i).bytes != NULL;
    return count;
}

uint32_t ct_section_count_of(const ct_section *section, uint32_t entity) {
    const uint32_t *index = section->entity_index;
    uint32_t low = 0, high = section->num_instances, count = 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (index[middle] < entity)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + count < section->num_instances && index[low + count] == entity)
        count++;
    return count;
}

bool ct_section_sizes(const ct_section *section, uint32_t *least, uint32_t *most) {
    const unsigned char *at = section->data;
    *least = UINT32_MAX;
    *most = 0;
    for (uint32_t i = 0; i < section->num_instances; ++i) {
        uint32_t size;
        memcpy(&size, at, sizeof size);
        at += sizeof size + size;
        if (size < *least) *least = size;
        if (size > *most) *most = size;
    }
    return section->num_instances > 0;
}

uint32_t ct_resource_tree(const ct_resource *resource, uint32_t *scratch, uint32_t limit,
                          ct_tree_node *nodes) {
    const uint32_t none = CT_RESOURCE_NO_PARENT, *parent = resource->parent_index;
    uint32_t *first = scratch, *next = scratch + resource->num_entities;
    uint32_t root = none, depth = 0, count = 0;
    for (uint32_t i = 0; i < resource->num_entities; ++i)
        first[i] = none;
    for (uint32_t i = resource->num_entities; i-- > 0;) {
        uint32_t *head = parent[i] == none ? &root : &first[parent[i]];
        next[i] = *head;
        *head = i;
    }
    // The links lead back up, so no stack is needed however deep the tree is.
    for (uint32_t e = root; e != none && count < limit;) {
        nodes[count++] = (ct_tree_node){e, depth};
        if (first[e] != none) {
            e = first[e];
            depth++;
            continue;
        }
        while (next[e] == none && depth > 0) {
            e = parent[e];
            depth--;
        }
        e = next[e];
    }
    return count;
}
