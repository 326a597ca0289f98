// Validation of models: rows, resources and the pool of nodes agree.
#include "component/model_internal.h"

#include "base/message.h"

// Counts of the validation: rows by slot of their definition, and a bit for each used node.
typedef struct tally {
    uint32_t *rows;
    unsigned char *taken; // one bit for each node of the pool
    size_t bytes;
} tally;

static bool check_resource(const ct_models *m, ct_row row, tally *t, ct_message *message) {
    const ct_store *store = &m->base.store;
    uint32_t slot = ct_store_u32(store, CT_MODEL_DEFINITION)[row.i];
    ct_string name = {ct_store_u32(store, CT_MODEL_RESOURCE)[row.i]};
    uint32_t number = ct_resource_names_number(&m->base, name);
    if (number == 0)
        return ct_message_set(message, CT_MODEL ": row %u has an unknown resource", row.i);
    if (slot >= m->definition_count || m->definitions[slot].nodes.count == 0)
        return ct_message_set(message, CT_MODEL ": row %u has no resource", row.i);
    bool alive = ct_entity_manager_alive_or_dying(store->entities, ct_store_owners(store)[row.i]);
    if (m->definitions[slot].current ? number != slot + 1 : alive)
        return ct_message_set(message, CT_MODEL ": row %u has a resource with another name", row.i);
    t->rows[slot]++;
    return true;
}

static bool check_place(const ct_models *m, ct_row row, tally *t, ct_message *message) {
    uint32_t first = ct_store_u32(&m->base.store, CT_MODEL_FIRST)[row.i];
    uint32_t count = ct_model_definition_of(m, row)->nodes.count;
    if (first > m->pool.count || count > m->pool.count - first)
        return ct_message_set(message, CT_MODEL ": nodes of row %u are outside of the pool", row.i);
    for (uint32_t i = first; i < first + count; ++i) {
        unsigned char bit = (unsigned char)(1u << (i & 7u));
        if ((t->taken[i >> 3] & bit) != 0)
            return ct_message_set(message, CT_MODEL ": row %u shares nodes with another", row.i);
        t->taken[i >> 3] |= bit;
    }
    return true;
}

// Checks that matrices have the bits that their poses compose.
static bool check_matrices(const ct_columns *nodes, uint32_t first, const ct_columns *definition,
                           bool evaluated) {
    const uint32_t *parent = ct_node_parents(definition);
    const float *local = ct_node_numbers(nodes, CT_NODE_LOCAL, first);
    const float *model = ct_node_numbers(nodes, CT_NODE_MODEL, first);
    const float *rotation = ct_node_numbers(nodes, CT_NODE_ROTATION, first);
    const float *scale = ct_node_numbers(nodes, CT_NODE_SCALE, first);
    uint32_t count = definition->count;
    float matrix[16];
    if (!ct_field_nan_clean(CT_FIELD_MAT4, local, count) ||
        !ct_field_nan_clean(CT_FIELD_MAT4, model, count) ||
        !ct_field_nan_clean(CT_FIELD_QUAT, rotation, count) ||
        !ct_field_nan_clean(CT_FIELD_VEC3, scale, count))
        return false;
    for (size_t i = 0; i < count; ++i) {
        const float *own = local + 16 * i;
        ct_mat4_compose(own + 12, rotation + 4 * i, scale + 3 * i, matrix);
        if (!ct_mat4_same_bits(matrix, own)) return false;
        if (parent[i] != CT_MODEL_NO_NODE)
            ct_mat4_product(model + (size_t)16 * parent[i], own, matrix);
        if (evaluated && !ct_mat4_same_bits(matrix, model + 16 * i)) return false;
    }
    return true;
}

static bool check_rows(const ct_models *m, tally *t, ct_message *message) {
    const ct_store *store = &m->base.store;
    uint32_t nodes = 0;
    for (ct_row row = {0}; row.i < ct_store_count(store); ++row.i) {
        unsigned char changed = store->columns.at[CT_MODEL_CHANGED][row.i];
        if (!check_resource(m, row, t, message) || !check_place(m, row, t, message)) return false;
        const ct_columns *definition = &ct_model_definition_of(m, row)->nodes;
        nodes += definition->count;
        if (changed > 1 || !check_matrices(&m->pool, ct_store_u32(store, CT_MODEL_FIRST)[row.i],
                                           definition, changed == 0))
            return ct_message_set(message, CT_MODEL ": matrices of row %u do not match its poses",
                                  row.i);
    }
    return nodes == m->live_nodes ||
           ct_message_set(message, CT_MODEL ": node count is %u, expected %u", m->live_nodes,
                          nodes);
}

static bool check_definitions(const ct_models *m, const tally *t, ct_message *message) {
    for (uint32_t slot = 0; slot < m->definition_count; ++slot) {
        const ct_model_definition *definition = &m->definitions[slot];
        if (definition->rows != t->rows[slot] ||
            (definition->nodes.count > 0) != (definition->current || definition->rows > 0))
            return ct_message_set(message, CT_MODEL ": resource %u has a wrong row count", slot);
        if (definition->nodes.count == 0) continue;
        const uint32_t *parent = ct_node_parents(&definition->nodes);
        for (uint32_t i = 0; i < definition->nodes.count; ++i) {
            if (parent[i] >= i && parent[i] != CT_MODEL_NO_NODE)
                return ct_message_set(
                    message, CT_MODEL ": node %u of resource %u precedes its parent", i, slot);
        }
        if (!check_matrices(&definition->nodes, 0, &definition->nodes, true))
            return ct_message_set(
                message, CT_MODEL ": matrices of resource %u do not match its poses", slot);
    }
    return true;
}

bool ct_model_validate(const ct_manager *models, ct_message *message) {
    const ct_models *m = ct_models_of(models);
    const ct_allocator *allocator = models->store.allocator;
    tally t;
    if (!ct_size_mul_add(m->definition_count, sizeof *t.rows, m->pool.count / 8 + 1, &t.bytes) ||
        (t.rows = ct_alloc_zero(allocator, t.bytes)) == NULL)
        return ct_message_set(message, CT_MODEL ": not enough memory to check all nodes");
    t.taken = (unsigned char *)(t.rows + m->definition_count);
    bool valid = check_rows(m, &t, message) && check_definitions(m, &t, message);
    ct_free(allocator, t.rows, t.bytes);
    return valid;
}
