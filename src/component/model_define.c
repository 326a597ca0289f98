// Resources of models: described, described again, and kept while a row refers to them.
// Knows nothing of the pool of nodes, nor of the other components.
#include "component/model_internal.h"

static ct_string *names_of(const ct_columns *nodes) {
    return (ct_string *)(void *)nodes->at[CT_NODE_NAME];
}

static void free_nodes(ct_models *m, ct_columns *nodes) {
    for (uint32_t i = 0; i < nodes->count; ++i)
        ct_string_pool_release(m->base.strings, names_of(nodes)[i]);
    m->definition_bytes -= nodes->bytes;
    ct_columns_free(nodes, m->base.store.allocator);
}

// Nodes at rest.
static ct_status make_nodes(ct_models *m, const ct_model_node *from, uint32_t count,
                            ct_columns *nodes) {
    ct_columns_init(nodes, ct_node_widths, CT_NODE_COLUMNS);
    ct_status status = ct_columns_reserve(nodes, m->base.store.allocator, count, count);
    if (status != CT_OK) return status;
    m->definition_bytes += nodes->bytes;
    for (uint32_t i = 0; i < count; ++i) {
        CT_ASSERT(from[i].parent < i || from[i].parent == CT_MODEL_NO_NODE);
        status = ct_string_pool_intern(m->base.strings, from[i].name, &names_of(nodes)[i]);
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

// ---------------------------------------------------------------- slots

// A slot that stays free until it is filled.
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
    ct_definition *definition = &m->definitions[slot];
    if (definition->current || definition->rows > 0) return;
    free_nodes(m, &definition->nodes);
    definition->next_free = m->free_definition;
    m->free_definition = slot;
}

void ct_definition_leave(ct_models *m, uint32_t slot) {
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

void ct_definitions_count(const ct_models *m, ct_string_tally *tally) {
    for (uint32_t slot = 0; slot < m->definition_count; ++slot) {
        const ct_columns *nodes = &m->definitions[slot].nodes;
        for (uint32_t i = 0; i < nodes->count; ++i)
            ct_string_tally_add(tally, names_of(nodes)[i]);
    }
}

// ---------------------------------------------------------------- describing

uint32_t ct_model_living(const ct_manager *models, ct_text name) {
    const ct_models *m = (const ct_models *)(const void *)models;
    uint32_t slot = ct_known_names_find(&m->known, models, name) - 1, living = 0;
    const uint32_t *slots = ct_store_u32(&models->store, CT_MODEL_DEFINITION);
    for (uint32_t row = 0; row < ct_store_count(&models->store); ++row) {
        if (slots[row] == slot &&
            ct_entity_manager_answers(models->store.entities, ct_store_owners(&models->store)[row]))
            living++;
    }
    return living;
}

static bool same_structure(const ct_columns *nodes, const ct_model_node *others, uint32_t count) {
    const uint32_t *parents = ct_node_parents(nodes);
    if (nodes->count != count) return false;
    for (uint32_t i = 0; i < count; ++i) {
        if (parents[i] != others[i].parent) return false;
    }
    return true;
}

// Under a name that is new, or that means another structure from now on: 'before' is 1 + the
// slot of that, or 0.
static ct_status define_anew(ct_models *m, ct_text name, ct_columns *nodes, uint32_t before) {
    uint32_t slot;
    ct_status status = find_slot(m, &slot);
    if (status == CT_OK) status = ct_known_names_add(&m->known, &m->base, name, slot + 1);
    if (status != CT_OK) {
        free_nodes(m, nodes);
        return status;
    }
    // Nothing below this line can fail.
    m->free_definition = m->definitions[slot].next_free;
    m->definitions[slot] = (ct_definition){.nodes = *nodes, .current = true};
    if (before == 0) return CT_OK;
    m->definitions[before - 1].current = false;
    free_if_unused(m, before - 1);
    return CT_OK;
}

ct_status ct_model_define(ct_manager *models, ct_text name, const ct_model_node *nodes,
                          uint32_t count) {
    ct_models *m = (ct_models *)(void *)models;
    uint32_t before = ct_known_names_find(&m->known, models, name);
    ct_columns fresh;
    CT_ASSERT(count > 0 && count <= CT_MODEL_MAX_NODES);
    bool same = before != 0 && same_structure(&m->definitions[before - 1].nodes, nodes, count);
    if (before != 0 && !same && ct_model_living(models, name) > 0) return CT_ERR_EXISTS;
    ct_status status = make_nodes(m, nodes, count, &fresh);
    if (status != CT_OK) return status;
    if (!same) return define_anew(m, name, &fresh, before);
    free_nodes(m, &m->definitions[before - 1].nodes);
    m->definitions[before - 1].nodes = fresh;
    return CT_OK;
}
