// Model resources: definition, redefinition, and lifetime while rows refer to them.
#include "base/text.h"
#include "component/model_internal.h"

#include "base/hash.h"
#include "base/message.h"

#include <stdlib.h>

static void free_nodes(ct_models *m, ct_columns *nodes) {
    for (uint32_t i = 0; i < nodes->count; ++i)
        ct_string_pool_release(m->base.strings, ct_node_names(nodes)[i]);
    m->definition_bytes -= ct_columns_bytes(nodes);
    ct_columns_free(nodes, m->base.store.allocator);
}

// Makes nodes at rest from their descriptions.
static ct_status make_nodes(ct_models *m, const ct_model_node *from, uint32_t count,
                            ct_columns *nodes) {
    ct_columns_init(nodes, NULL, ct_node_widths, CT_NODE_COLUMNS);
    ct_status status = ct_columns_reserve(nodes, m->base.store.allocator, count, count);
    if (status != CT_OK) {
        ct_columns_free(nodes, m->base.store.allocator);
        return status;
    }
    m->definition_bytes += ct_columns_bytes(nodes);
    for (uint32_t i = 0; i < count; ++i) {
        status = ct_string_pool_intern(m->base.strings, from[i].name, &ct_node_names(nodes)[i]);
        if (status != CT_OK) {
            free_nodes(m, nodes);
            return status;
        }
        memcpy(ct_node_numbers(nodes, CT_NODE_PARENT, i), &from[i].parent, sizeof from[i].parent);
        ct_model_compose(nodes, i, &from[i].pose);
        nodes->count++;
    }
    ct_model_multiply(ct_node_parents(nodes), ct_node_numbers(nodes, CT_NODE_LOCAL, 0),
                      ct_node_numbers(nodes, CT_NODE_MODEL, 0), count);
    return CT_OK;
}

static uint32_t shape_of(const ct_models *m, const ct_columns *nodes) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < nodes->count; ++i) {
        const ct_text name = ct_string_pool_text(m->base.strings, ct_node_names(nodes)[i]);
        hash = ct_hash_mix(hash, ct_node_parents(nodes)[i]);
        hash = ct_hash_mix(hash, ct_hash_fnv1a(CT_FNV1A_START, name.bytes, name.length));
    }
    return (uint32_t)hash;
}

// Orders by name, then by position.
static int compare_names(const void *left, const void *right) {
    const ct_model_node *const *a = left, *const *b = right;
    int order = ct_text_compare((*a)->name, (*b)->name);
    return order != 0 ? order : (*a > *b) - (*a < *b);
}

static bool same_name(const ct_model_node *a, const ct_model_node *b) {
    return a->name.length > 0 && ct_text_equal(a->name, b->name);
}

static ct_status check_names(const ct_allocator *allocator, const ct_model_node *nodes,
                             uint32_t count, uint32_t first, ct_message *message) {
    const ct_model_node **sorted = ct_alloc_zero(allocator, count * sizeof *sorted);
    uint32_t twice = 0;
    if (sorted == NULL) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < count; ++i)
        sorted[i] = &nodes[i];
    qsort((void *)sorted, count, sizeof *sorted, compare_names);
    for (uint32_t i = 1; i < count && twice == 0; ++i) {
        if (same_name(sorted[i - 1], sorted[i])) twice = i;
    }
    if (twice > 0) {
        char shown[81];
        ct_message_set(message, "nodes[%u].name: nodes[%u] is called '%s' already",
                       (uint32_t)(sorted[twice] - nodes) + first,
                       (uint32_t)(sorted[twice - 1] - nodes) + first,
                       ct_message_text(sorted[twice]->name, shown, sizeof shown));
    }
    ct_free(allocator, (void *)sorted, count * sizeof *sorted);
    return twice > 0 ? CT_ERR_DATA : CT_OK;
}

static bool check_parents(const ct_model_node *nodes, uint32_t count, uint32_t first,
                          ct_message *message) {
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t parent = nodes[i].parent;
        if (parent < i || parent == CT_MODEL_NO_NODE) continue;
        if (i == 0)
            return ct_message_set(message, "nodes[%u].parent: the first node has no earlier node",
                                  first);
        return ct_message_set(message,
                              "nodes[%u].parent: expected the number of an earlier node, %u to %u",
                              i + first, first, i - 1 + first);
    }
    return true;
}

static ct_status check_nodes(const ct_allocator *allocator, const ct_model_node *nodes,
                             uint32_t count, uint32_t first, ct_message *message) {
    if (count == 0 || count > CT_MODEL_MAX_NODES) {
        ct_message_set(message, "nodes: expected 1 to %u nodes, got %u", CT_MODEL_MAX_NODES, count);
        return CT_ERR_DATA;
    }
    if (!check_parents(nodes, count, first, message)) return CT_ERR_DATA;
    return check_names(allocator, nodes, count, first, message);
}

// Finds a free slot. The slot stays in the free list until it is filled.
static ct_status find_slot(ct_models *m, uint32_t *slot) {
    *slot = m->free_definition;
    if (*slot != CT_NO_ROW) return CT_OK;
    ct_status status =
        ct_array_reserve(m->base.store.allocator, (void **)&m->definitions, &m->definition_capacity,
                         m->definition_count + 1, sizeof *m->definitions);
    if (status != CT_OK) return status;
    *slot = m->free_definition = m->definition_count++;
    memset(&m->definitions[*slot], 0, sizeof *m->definitions);
    m->definitions[*slot].next_free = CT_NO_ROW;
    return CT_OK;
}

static void free_if_unused(ct_models *m, uint32_t slot) {
    ct_model_definition *definition = &m->definitions[slot];
    if (definition->current || definition->rows > 0) return;
    free_nodes(m, &definition->nodes);
    definition->next_free = m->free_definition;
    m->free_definition = slot;
}

void ct_definition_release(ct_models *m, uint32_t slot) {
    m->definitions[slot].rows--;
    free_if_unused(m, slot);
}

void ct_definitions_free(ct_models *m) {
    for (uint32_t slot = 0; slot < m->definition_count; ++slot)
        free_nodes(m, &m->definitions[slot].nodes);
    ct_free(m->base.store.allocator, m->definitions,
            m->definition_capacity * sizeof *m->definitions);
    m->definitions = NULL;
    m->definition_count = m->definition_capacity = 0;
    m->free_definition = CT_NO_ROW;
}

void ct_definitions_count(const ct_models *m, ct_string_audit *audit) {
    for (uint32_t slot = 0; slot < m->definition_count; ++slot) {
        const ct_columns *nodes = &m->definitions[slot].nodes;
        for (uint32_t i = 0; i < nodes->count; ++i)
            ct_string_audit_add(audit, ct_node_names(nodes)[i]);
    }
}

bool ct_model_refuse_nodes(const ct_models *m, uint32_t name, ct_message *message) {
    return ct_message_set(message,
                          CT_MODEL " resource '%s' was defined with other nodes after the snapshot",
                          ct_string_pool_text(m->base.strings, (ct_string){name}).bytes);
}

static uint32_t live_instances(const ct_models *m, uint32_t slot) {
    const ct_store *store = &m->base.store;
    const uint32_t *slots = ct_store_u32(store, CT_MODEL_DEFINITION);
    uint32_t alive = 0;
    for (uint32_t row = 0; row < ct_store_count(store); ++row) {
        if (slots[row] == slot &&
            ct_entity_manager_alive_or_dying(store->entities, ct_store_owners(store)[row]))
            alive++;
    }
    return alive;
}

static bool same_structure(const ct_columns *nodes, const ct_model_node *others, uint32_t count) {
    const uint32_t *parents = ct_node_parents(nodes);
    if (nodes->count != count) return false;
    for (uint32_t i = 0; i < count; ++i) {
        if (parents[i] != others[i].parent) return false;
    }
    return true;
}

// Defines a new name, or a new structure for a name. 'before' is 1 + the slot of the previous
// structure, or 0.
static ct_status define_anew(ct_models *m, ct_text name, ct_columns *nodes, uint32_t before) {
    uint32_t slot;
    ct_status status = find_slot(m, &slot);
    if (status == CT_OK) status = ct_resource_names_add(&m->base, name, slot + 1);
    if (status != CT_OK) {
        free_nodes(m, nodes);
        return status;
    }
    // Nothing below this line can fail.
    m->free_definition = m->definitions[slot].next_free;
    m->definitions[slot] =
        (ct_model_definition){.nodes = *nodes, .shape = shape_of(m, nodes), .current = true};
    if (before == 0) return CT_OK;
    m->definitions[before - 1].current = false;
    free_if_unused(m, before - 1);
    return CT_OK;
}

// Calls the watch for each row of the slot, because node names may have changed.
static void notify_changed(const ct_models *m, uint32_t slot, const ct_columns *before) {
    const uint32_t *slots = ct_store_u32(&m->base.store, CT_MODEL_DEFINITION);
    if (m->watch.changed == NULL) return;
    for (ct_row row = {0}; row.i < ct_store_count(&m->base.store); ++row.i) {
        if (slots[row.i] == slot) m->watch.changed(m->watch.user, &m->base, row, before);
    }
}

ct_status ct_model_define(ct_manager *models, ct_text name, const ct_model_node *nodes,
                          uint32_t count, uint32_t first, ct_message *message) {
    ct_models *m = ct_models_of(models);
    uint32_t before = ct_resource_names_find(models, name);
    ct_columns next;
    ct_status status = check_nodes(models->store.allocator, nodes, count, first, message);
    if (status != CT_OK) return status;
    bool same = before != 0 && same_structure(&m->definitions[before - 1].nodes, nodes, count);
    uint32_t alive = before != 0 && !same ? live_instances(m, before - 1) : 0;
    if (alive > 0) {
        char shown[81];
        ct_message_set(
            message, "model resource '%s' cannot get other nodes or parents (living instances: %u)",
            ct_message_text(name, shown, sizeof shown), alive);
        return CT_ERR_EXISTS;
    }
    status = make_nodes(m, nodes, count, &next);
    if (status != CT_OK) return status;
    if (!same) return define_anew(m, name, &next, before);
    ct_columns old = m->definitions[before - 1].nodes;
    m->definitions[before - 1].nodes = next;
    m->definitions[before - 1].shape = shape_of(m, &next);
    notify_changed(m, before - 1, &old);
    free_nodes(m, &old);
    return CT_OK;
}
