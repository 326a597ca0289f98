// Internals of the model component: resources in slots, nodes in a pool.
#ifndef CT_MODEL_INTERNAL_H
#define CT_MODEL_INTERNAL_H

#include "base/math.h"
#include "component/model.h"

/// Columns of the rows.
enum {
    CT_MODEL_RESOURCE = CT_COLUMN_OWNER + 1, ///< ct_string: the name of the resource
    CT_MODEL_DEFINITION,                     ///< u32: slot of the definition
    CT_MODEL_FIRST,                          ///< u32: the first node in the pool
    CT_MODEL_CHANGED                         ///< u8: 1 if the matrices must be evaluated
};

/// Columns of nodes. The pool has only the first CT_NODE_PARENT columns.
enum {
    CT_NODE_LOCAL,    ///< 16 floats
    CT_NODE_MODEL,    ///< 16 floats, relative to the entity
    CT_NODE_ROTATION, ///< 4 floats
    CT_NODE_SCALE,    ///< 3 floats
    CT_NODE_PARENT,   ///< u32: an earlier node or CT_MODEL_NO_NODE
    CT_NODE_NAME,     ///< ct_string, "" for none
    CT_NODE_COLUMNS
};

/// A resource. Rows refer to its slot. If its name gets another structure, the old definition stays
/// until its last row is removed.
typedef struct ct_model_definition {
    ct_columns nodes; ///< at rest; a definition without nodes is a free slot
    uint32_t shape;   ///< hash of the nodes' parents and names, in order, equal on every host
    uint32_t rows;    ///< number of rows that refer to it, including rows of dead entities
    bool current;     ///< this is the current definition of its name
    uint32_t next_free;
} ct_model_definition;

typedef struct ct_models {
    ct_manager base;
    ct_model_watch watch;
    ct_resource_names known; ///< number: 1 + slot
    ct_model_definition *definitions;
    uint32_t definition_count;
    uint32_t definition_capacity;
    uint32_t free_definition; ///< first free slot, or CT_NO_ROW
    size_t definition_bytes;  ///< total bytes of the definitions' nodes

    // Nodes of the instances, possibly with gaps between them. New nodes are added at 'count'.
    ct_columns pool;
    uint32_t live_nodes; ///< number of nodes in use; the others below pool.count are gaps

    // The gap of the last removal, for the row that is moved into the place of the removed row.
    uint32_t gap_first;
    uint32_t gap_count;
} ct_models;

static inline ct_models *ct_models_of(const ct_manager *manager) {
    return (ct_models *)(uintptr_t)manager;
}

extern const uint16_t ct_node_widths[CT_NODE_COLUMNS];

/// Returns the item of a node in a column of floats. The items of the next nodes follow.
static inline float *ct_node_numbers(const ct_columns *nodes, uint32_t column, uint32_t node) {
    return (float *)(void *)(nodes->at[column] + (size_t)node * nodes->width[column]);
}

static inline const uint32_t *ct_node_parents(const ct_columns *nodes) {
    return (const uint32_t *)(const void *)nodes->at[CT_NODE_PARENT];
}

static inline ct_string *ct_node_names(const ct_columns *nodes) {
    return (ct_string *)(void *)nodes->at[CT_NODE_NAME];
}

static inline const ct_model_definition *ct_model_definition_of(const ct_models *m, ct_row row) {
    return &m->definitions[ct_store_u32(&m->base.store, CT_MODEL_DEFINITION)[row.i]];
}

/// Computes the model matrices of 'count' nodes from their local matrices, 16 numbers each.
void ct_model_multiply(const uint32_t *parent, const float *local, float *model, uint32_t count);

/// Writes a pose as local matrix, rotation and scale of a node.
void ct_model_compose(const ct_columns *nodes, uint32_t node, const ct_pose *pose);

/// Reads the pose that was composed last.
void ct_model_read_pose(const ct_columns *nodes, uint32_t node, ct_pose *out);

// Resources (model_define.c)

/// Removes the reference of one row to a slot. Frees the definition if it is unused.
void ct_definition_release(ct_models *m, uint32_t slot);

/// Frees all definitions.
void ct_definitions_free(ct_models *m);

/// Writes that the resource of a snapshot or save was defined with other nodes. Returns false.
bool ct_model_refuse_nodes(const ct_models *m, uint32_t name, ct_message *message);

/// Counts one reference to the name of each node.
void ct_definitions_count(const ct_models *m, ct_string_audit *audit);

// The pool (model_pool.c)

/// Makes room for 'count' more nodes. If the pool must grow or has many gaps, moves the nodes of
/// the first 'rows' rows to a new block, contiguous and in row order. Amortized O(count). Returns
/// CT_OK, or CT_ERR_MEMORY with nothing changed.
ct_status ct_model_pool_reserve(ct_models *m, uint32_t rows, uint64_t count);

/// Frees spare memory by moving the nodes to a block without gaps. If there is no memory for that
/// block, the nodes stay.
void ct_model_pool_trim(ct_models *m);

/// Adds the nodes of a definition, at rest, to a row, at the end of the pool. Room must be
/// reserved.
void ct_model_pool_enter(ct_models *m, ct_row row, uint32_t slot);

/// Makes room for ct_model_pool_change. Statuses as ct_model_pool_reserve.
ct_status ct_model_pool_reserve_change(ct_models *m, ct_row row, uint32_t slot);

/// Replaces the nodes of a row by those of another, or the same, definition, at rest.
void ct_model_pool_change(ct_models *m, ct_row row, uint32_t slot);

/// Removes the nodes of a row. Never allocates.
void ct_model_pool_remove(ct_models *m, ct_row row);

/// Moves the nodes of the row that was moved to 'to', the place of the last removal, into the gap,
/// if they have exactly its size and are behind it. O(nodes).
void ct_model_pool_follow(ct_models *m, ct_row to);

// (model_state.c)

void ct_model_state(ct_manager *manager, ct_state *state);

uint64_t ct_model_hash(ct_manager *manager, ct_row row);

ct_status ct_model_save(ct_manager *models, const ct_saved_rows *saved, ct_writer *out,
                        ct_message *message);
ct_status ct_model_load(ct_manager *models, ct_reader *in, ct_message *message);
ct_status ct_model_copy_resources(ct_manager *models, const ct_manager *from);

// (model_check.c)

bool ct_model_validate(const ct_manager *models, ct_message *message);

#endif
