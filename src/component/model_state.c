// Nodes of models in a snapshot. Definitions of resources are not part of snapshots.
#include "component/model_internal.h"

#include "base/hash.h"
#include "base/message.h"

#include <string.h>

// Nodes of the instances of living entities. Rows of dead entities have a count of 0 and are
// restored at rest.
typedef struct saved {
    uint32_t rows;
    uint32_t *counts; // by row: number of nodes
    uint32_t *shapes; // by row
    ct_columns nodes; // those of the pool, without gaps
} saved;

static bool is_alive(const ct_models *m, uint32_t row) {
    const ct_store *store = &m->base.store;
    return ct_entity_manager_alive_or_dying(store->entities, ct_store_owners(store)[row]);
}

static void save(const ct_models *m, const saved *s) {
    const uint32_t *first = ct_store_u32(&m->base.store, CT_MODEL_FIRST);
    uint32_t done = 0;
    for (uint32_t row = 0; row < s->rows; ++row) {
        const ct_model_definition *definition = ct_model_definition_of(m, (ct_row){row});
        bool alive = is_alive(m, row);
        s->counts[row] = alive ? definition->nodes.count : 0;
        s->shapes[row] = definition->shape;
        ct_columns_copy_rows(&s->nodes, done, &m->pool, first[row], s->counts[row]);
        done += s->counts[row];
    }
}

// Returns the slot of the current definition of a name.
static uint32_t slot_of(const ct_models *m, uint32_t name) {
    return ct_resource_names_number(&m->base, (ct_string){name}) - 1;
}

static ct_status reserve(ct_models *m, const saved *s, const ct_state *state) {
    const uint32_t *names = state->columns[CT_MODEL_RESOURCE];
    size_t nodes = 0;
    for (uint32_t row = 0; row < s->rows; ++row) {
        uint32_t name = state->strings[names[row]];
        const ct_model_definition *definition = &m->definitions[slot_of(m, name)];
        nodes += definition->nodes.count;
        bool dead = s->counts[row] == 0;
        if (!dead &&
            (s->counts[row] != definition->nodes.count || s->shapes[row] != definition->shape)) {
            ct_model_refuse_nodes(m, name, state->message);
            return CT_ERR_DATA;
        }
    }
    if (nodes >= UINT32_MAX) return CT_ERR_MEMORY;
    return ct_columns_reserve(&m->pool, m->base.store.allocator, (uint32_t)nodes, UINT32_MAX - 1);
}

// Restores the nodes. The names of the rows are restored already.
static void commit(ct_models *m, const saved *s) {
    const uint32_t *names = ct_store_u32(&m->base.store, CT_MODEL_RESOURCE);
    const uint32_t *first = ct_store_u32(&m->base.store, CT_MODEL_FIRST);
    unsigned char *changed = m->base.store.columns.at[CT_MODEL_CHANGED];
    uint32_t done = 0;
    for (uint32_t slot = 0; slot < m->definition_count; ++slot)
        m->definitions[slot].rows = 0;
    m->pool.count = m->live_nodes = 0;
    for (uint32_t row = 0; row < s->rows; ++row) {
        unsigned char waits = changed[row];
        ct_model_pool_enter(m, (ct_row){row}, slot_of(m, names[row]));
        if (s->counts[row] == 0) continue;
        changed[row] = waits;
        ct_columns_copy_rows(&m->pool, first[row], &s->nodes, done, s->counts[row]);
        done += s->counts[row];
    }
    for (uint32_t slot = 0; slot < m->definition_count; ++slot) {
        ct_model_definition *definition = &m->definitions[slot];
        if (definition->current || definition->nodes.count == 0) continue;
        definition->rows = 1; // no restored row uses it: leaving frees it
        ct_definition_release(m, slot);
    }
}

void ct_model_state(ct_manager *manager, ct_state *state) {
    ct_models *m = ct_models_of(manager);
    saved s = {.rows = state->rows};
    unsigned char *columns[CT_NODE_PARENT];
    uint32_t nodes = 0;
    for (uint32_t row = 0; !ct_state_restores(state) && row < s.rows; ++row)
        nodes += is_alive(m, row) ? ct_model_definition_of(m, (ct_row){row})->nodes.count : 0;
    nodes = ct_state_number(state, nodes);
    s.counts = ct_state_piece(state, s.rows * sizeof *s.counts);
    s.shapes = ct_state_piece(state, s.rows * sizeof *s.shapes);
    ct_columns_init(&s.nodes, columns, ct_node_widths, CT_NODE_PARENT);
    for (uint32_t c = 0; c < CT_NODE_PARENT; ++c)
        columns[c] = ct_state_piece(state, (size_t)nodes * ct_node_widths[c]);
    ct_resource_names_state(manager, state);
    if (state->pass == CT_STATE_SAVE) save(m, &s);
    if (state->pass == CT_STATE_RESERVE && state->status == CT_OK)
        ct_state_require(state, reserve(m, &s, state));
    if (state->pass == CT_STATE_COMMIT) commit(m, &s);
}

// Hashes the poses of the nodes.
uint64_t ct_model_hash(ct_manager *manager, ct_row row) {
    const ct_models *m = ct_models_of(manager);
    uint32_t first = ct_store_u32(&manager->store, CT_MODEL_FIRST)[row.i];
    uint32_t count = ct_model_definition_of(m, row)->nodes.count;
    ct_hash_sum hash = {0, 0};
    ct_hash_add(&hash, count);
    ct_hash_add_words(&hash, ct_node_numbers(&m->pool, CT_NODE_LOCAL, first), 16 * count);
    ct_hash_add_words(&hash, ct_node_numbers(&m->pool, CT_NODE_ROTATION, first), 4 * count);
    ct_hash_add_words(&hash, ct_node_numbers(&m->pool, CT_NODE_SCALE, first), 3 * count);
    return hash.sum;
}
