// What a resource holds, counted: for tools that show it to people.
// Knows nothing of worlds, nor of how it is shown.
#ifndef CT_SUMMARY_H
#define CT_SUMMARY_H

#include "resource/resource.h"

CT_BEGIN_C

/// Entities without a parent. O(entities).
uint32_t ct_resource_root_count(const ct_resource *resource);

/// Entities that have a name. O(entities).
uint32_t ct_resource_named_count(const ct_resource *resource);

/// How many instances of a section belong to an entity. O(log instances + the result).
uint32_t ct_section_count_of(const ct_section *section, uint32_t entity);

/// The bytes of the smallest and of the largest instance of a section of opaque data. False when
/// there is no instance. O(instances).
bool ct_section_sizes(const ct_section *section, uint32_t *least, uint32_t *most);

/// An entity in its tree.
typedef struct ct_tree_node {
    uint32_t entity;
    uint32_t depth; ///< 0 for a root
} ct_tree_node;

/// The first entities of the tree, at most 'limit': children below their parents, siblings in the
/// resource's order. 'scratch' has room for two numbers for each entity, 'nodes' for as many as
/// come: returns how many. O(entities), without recursion.
uint32_t ct_resource_tree(const ct_resource *resource, uint32_t *scratch, uint32_t limit,
                          ct_tree_node *nodes);

CT_END_C

#endif
