// Shared by the files of the model component: resources in slots, nodes in a pool.
#ifndef CT_MODEL_INTERNAL_H
#define CT_MODEL_INTERNAL_H

#include "base/math.h"
#include "component/model.h"

/// Columns of the rows.
enum {
    CT_MODEL_RESOURCE = CT_COLUMN_OWNER + 1, ///< ct_string: the name
    CT_MODEL_DEFINITION,                     ///< u32: slot of what it is described as
    CT_MODEL_FIRST,                          ///< u32: its first node in the pool
    CT_MODEL_CHANGED                         ///< u8: 1 when matrices wait for evaluate
};

/// Columns of nodes. Those of the pool are the first CT_NODE_PARENT.
enum {
    CT_NODE_LOCAL,    ///< 16 floats
    CT_NODE_MODEL,    ///< 16 floats, relative to the entity
    CT_NODE_ROTATION, ///< 4 floats
    CT_NODE_SCALE,    ///< 3 floats
    CT_NODE_PARENT,   ///< u32: an earlier node or CT_MODEL_NO_NODE
    CT_NODE_NAME,     ///< ct_string, "" for none
    CT_NODE_COLUMNS
};

/// A resource. Rows refer to its slot. One whose name has come to mean another structure stays
/// until the last row has gone.
typedef struct ct_model_definition {
    ct_columns nodes; ///< at rest; no nodes: the slot is free
    uint32_t shape;   ///< a hash of the nodes' parents and names, in order, the same on every host
    uint32_t rows;    ///< that refer to it, those of the dead too
    bool current;     ///< its name means this one
    uint32_t next_free;
} ct_model_definition;

typedef struct ct_models {
    ct_manager base;
    ct_model_watch watch;
    ct_resource_names known; ///< number: 1 + slot
    ct_model_definition *definitions;
    uint32_t definition_count;
    uint32_t definition_capacity;
    uint32_t free_definition; ///< the first of the free slots, or CT_NO_ROW
    size_t definition_bytes;  ///< of their nodes

    // Instances in a row, in part with gaps between them. 'count' is where the next one goes.
    ct_columns pool;
    uint32_t live_nodes; ///< those of rows; the other ones below pool.count are gaps

    // What the last removal freed, for the row that moves into its place.
    uint32_t gap_first;
    uint32_t gap_count;
} ct_models;

extern const uint16_t ct_node_widths[CT_NODE_COLUMNS];

/// The item of a node in a column of floats; those of the next nodes follow.
static inline float *ct_node_numbers(const ct_columns *nodes, uint32_t column, uint32_t node) {
    return (float *)(void *)(nodes->at[column] + (size_t)node * nodes->width[column]);
}

static inline const uint32_t *ct_node_parents(const ct_columns *nodes) {
    return (const uint32_t *)(const void *)nodes->at[CT_NODE_PARENT];
}

static inline const ct_model_definition *ct_model_definition_of(const ct_models *m, ct_row row) {
    return &m->definitions[ct_store_u32(&m->base.store, CT_MODEL_DEFINITION)[row.i]];
}

/// Matrices of 'count' nodes from their local ones, 16 numbers each.
void ct_model_multiply(const uint32_t *parent, const float *local, float *model, uint32_t count);

/// Writes a pose as local matrix, rotation and scale of a node.
void ct_model_compose(const ct_columns *nodes, uint32_t node, const ct_pose *pose);

// Resources (model_define.c)

/// A row refers to the slot no longer.
void ct_definition_leave(ct_models *m, uint32_t slot);

/// Frees all of them.
void ct_definitions_free(ct_models *m);

/// One reference to the name of each node.
void ct_definitions_count(const ct_models *m, ct_string_audit *audit);

// The pool (model_pool.c)

/// Room for 'count' more nodes. When it has to grow, or has many gaps, the nodes of the first
/// 'rows' rows go to a new block, side by side in row order. Amortised O(count). CT_OK, or
/// CT_ERR_MEMORY with everything as it was.
ct_status ct_model_pool_reserve(ct_models *m, uint32_t rows, uint64_t count);

/// Gives spare memory back: nodes stand side by side without gaps. Where memory does not suffice
/// for that they stay.
void ct_model_pool_trim(ct_models *m);

/// Gives a row the nodes of a definition at rest, behind all others. Room was reserved.
void ct_model_pool_enter(ct_models *m, ct_row row, uint32_t slot);

/// Room for what the next function needs; statuses as above.
ct_status ct_model_pool_reserve_change(ct_models *m, ct_row row, uint32_t slot);

/// Gives a row that has nodes those of another definition, or of the same, at rest.
void ct_model_pool_change(ct_models *m, ct_row row, uint32_t slot);

/// The nodes of a row go. Never allocates.
void ct_model_pool_leave(ct_models *m, ct_row row);

/// The last row moved to 'to', where the last removal was: its nodes follow if they fit exactly
/// and that brings them forwards. O(nodes).
void ct_model_pool_follow(ct_models *m, ct_row to);

// (model_state.c)

void ct_model_state(ct_manager *manager, ct_state *state);

uint64_t ct_model_hash(ct_manager *manager, ct_row row);

// (model_save.c)

ct_status ct_model_save(ct_manager *models, const ct_saved_rows *saved, ct_writer *out,
                        ct_message *message);
ct_status ct_model_load(ct_manager *models, ct_reader *in, ct_message *message);
ct_status ct_model_copy_resources(ct_manager *models, const ct_manager *from);

// (model_check.c)

bool ct_model_validate(const ct_manager *models, ct_message *message);

#endif
