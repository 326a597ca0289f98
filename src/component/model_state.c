// Nodes of models in snapshots, saves and hashes, which do not contain the definitions of
// resources.
#include "component/model_internal.h"

#include "base/hash.h"
#include "base/message.h"

#include <string.h>

// Nodes of the instances of living entities. Rows of dead entities have a count of 0 and are
// restored at rest.
typedef struct saved_nodes {
    uint32_t rows;
    uint32_t *counts; // by row: number of nodes
    uint32_t *shapes; // by row
    ct_columns nodes; // those of the pool, without gaps
} saved_nodes;

static bool is_alive(const ct_models *m, uint32_t row) {
    const ct_store *store = &m->base.store;
    return ct_entity_manager_alive_or_dying(store->entities, ct_store_owners(store)[row]);
}

static void save(const ct_models *m, const saved_nodes *s) {
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

static ct_status reserve(ct_models *m, const saved_nodes *s, const ct_state *state) {
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
static void commit(ct_models *m, const saved_nodes *s) {
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
    saved_nodes s = {.rows = state->rows};
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

// ---------------------------------------------------------------- saves

// Format; matrices are recomputed:
//
//     for each row: u32 node count, u32 shape; for each node: position, rotation, scale

enum { POSE_FLOATS = 10 };

ct_status ct_model_save(ct_manager *models, const ct_saved_rows *saved, ct_writer *out,
                        ct_message *message) {
    (void)message;
    for (uint32_t i = 0; i < saved->count; ++i) {
        ct_row row = {saved->rows[i]};
        const ct_model_definition *definition = ct_model_definition_of(ct_models_of(models), row);
        uint32_t count = definition->nodes.count;
        ct_writer_u32(out, count);
        ct_writer_u32(out, definition->shape);
        for (uint32_t node = 0; node < count; ++node) {
            ct_pose pose;
            ct_model_node_pose(models, row, node, &pose);
            ct_writer_numbers(out, pose.position, 4, 3);
            ct_writer_numbers(out, pose.rotation, 4, 4);
            ct_writer_numbers(out, pose.scale, 4, 3);
        }
    }
    return out->status;
}

static bool read_node(ct_models *m, uint32_t place, ct_reader *in) {
    float pose[POSE_FLOATS];
    if (!ct_reader_numbers(in, 4, POSE_FLOATS, pose)) return false;
    if (!ct_field_nan_clean(CT_FIELD_FLOAT, pose, POSE_FLOATS) || !ct_quat_is_unit(pose + 3))
        return false;
    float *rotation = ct_node_numbers(&m->pool, CT_NODE_ROTATION, place);
    float *scale = ct_node_numbers(&m->pool, CT_NODE_SCALE, place);
    memcpy(rotation, pose + 3, 4 * sizeof *rotation);
    memcpy(scale, pose + 7, 3 * sizeof *scale);
    ct_mat4_compose(pose, rotation, scale, ct_node_numbers(&m->pool, CT_NODE_LOCAL, place));
    return true;
}

static bool read_row(ct_models *m, ct_row row, ct_reader *in, ct_message *message) {
    const ct_model_definition *definition = ct_model_definition_of(m, row);
    uint32_t first = ct_store_u32(&m->base.store, CT_MODEL_FIRST)[row.i];
    uint32_t count = ct_reader_u32(in), shape = ct_reader_u32(in);
    ct_message_set(message, CT_MODEL ": the save is damaged");
    if (in->damaged) return false;
    if (count != definition->nodes.count || shape != definition->shape)
        return ct_model_refuse_nodes(m, ct_store_u32(&m->base.store, CT_MODEL_RESOURCE)[row.i],
                                     message);
    for (uint32_t node = 0; node < count; ++node) {
        if (!read_node(m, first + node, in)) return false;
    }
    m->base.store.columns.at[CT_MODEL_CHANGED][row.i] = 1;
    return true;
}

ct_status ct_model_load(ct_manager *models, ct_reader *in, ct_message *message) {
    ct_models *m = ct_models_of(models);
    for (ct_row row = {0}; row.i < ct_store_count(&models->store); ++row.i) {
        if (!read_row(m, row, in, message)) return CT_ERR_DATA;
    }
    ct_model_evaluate(models);
    return CT_OK;
}

static ct_status define_like(ct_manager *models, const ct_models *from, ct_text name,
                             const ct_columns *nodes) {
    const ct_allocator *allocator = models->store.allocator;
    size_t bytes = nodes->count * sizeof(ct_model_node);
    ct_model_node *described = ct_alloc(allocator, bytes);
    ct_message unread;
    if (described == NULL) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < nodes->count; ++i) {
        ct_model_node *node = &described[i];
        node->name = ct_string_pool_text(from->base.strings, ct_node_names(nodes)[i]);
        node->parent = ct_node_parents(nodes)[i];
        ct_model_read_pose(nodes, i, &node->pose);
    }
    ct_status status = ct_model_define(models, name, described, nodes->count, 1, &unread);
    ct_free(allocator, described, bytes);
    return status;
}

ct_status ct_model_copy_resources(ct_manager *models, const ct_manager *from) {
    const ct_models *other = ct_models_of(from);
    for (uint32_t ref = 1; ref < from->strings->entry_count; ++ref) {
        uint32_t number = ct_resource_names_number(from, (ct_string){ref});
        if (number == 0) continue;
        ct_text name = ct_string_pool_text(from->strings, (ct_string){ref});
        ct_status status = define_like(models, other, name, &other->definitions[number - 1].nodes);
        if (status != CT_OK) return status;
    }
    return CT_OK;
}
