// Models: hierarchies of nodes inside entities, with individual poses and a single evaluation pass.
#ifndef CT_MODEL_H
#define CT_MODEL_H

#include "storage/layout.h"
#include "storage/resource_names.h"

#define CT_MODEL "model"

// A model is a scene graph separate from the hierarchy of entities (Bitsquid part 3): a wheel or a
// finger is a node, not an entity. A resource defines the nodes and their rest poses; it is static
// and shared. An instance has a local pose for each node, and after evaluate a matrix relative to
// its entity: model matrix = parent's model matrix x local. See base/math.h for the matrix
// convention.
//
// The nodes of all instances are stored in one pool of arrays, 156 bytes a node. The nodes of an
// instance are contiguous. When the pool grows, it is put in row order. A removal moves nodes only
// into a gap of exactly their size. Therefore evaluate reads memory almost sequentially.
//
// Rows that are passed to these functions must belong to living (or just dying) entities, and nodes
// must be below ct_model_node_count. Only create, spawn, reserve, define and writing the resource
// allocate.

/// Limit of nodes of a resource.
#define CT_MODEL_MAX_NODES 65535u

/// No node: the parent of a root node, or the result of a failed search.
#define CT_MODEL_NO_NODE 0xFFFFFFFFu

/// The only field is the string 'resource', which must be a defined name. Writing it resets all
/// nodes to their rest poses.
extern const ct_manager_type ct_model_type;

// Resources (model_define.c)

/// Description of a node.
typedef struct ct_model_node {
    ct_text name;    ///< unique in the resource; length 0 for none
    uint32_t parent; ///< an earlier node, or CT_MODEL_NO_NODE
    ct_pose pose;    ///< relative to the parent; the rotation may have any length
} ct_model_node;

/// Defines the resource of a name, which must not be "". If the name has a resource with equally
/// many nodes and the same parents, its names and rest poses are replaced, and its instances keep
/// their poses. A different structure replaces the resource for new instances, and only if no
/// living instance uses the old one; rows of dead entities keep the old one.
/// Returns CT_OK, or with nothing changed: CT_ERR_DATA if the number of nodes is not in 1 to
/// CT_MODEL_MAX_NODES, a node precedes its parent, or a name is not unique; CT_ERR_EXISTS if living
/// instances use another structure (both with the reason in 'message', where the number of the
/// first node is 'first', 1 for scripts); CT_ERR_MEMORY; CT_ERR_FULL if there are too many strings;
/// CT_ERR_OVER. O(nodes x log nodes), plus O(rows) if the name is defined already.
ct_status ct_model_define(ct_manager *models, ct_text name, const ct_model_node *nodes,
                          uint32_t count, uint32_t first, ct_message *message);

struct ct_columns;

/// Callbacks for objects that depend on nodes. They run while all data can still be read. They may
/// read models and must not change them.
typedef struct ct_model_watch {
    void *user;
    /// Called at the end of each evaluate.
    void (*evaluated)(void *user);
    /// Called after the model of an entity got other nodes. 'before' has the previous nodes;
    /// ct_model_same_node maps them to the new ones. 'before' is NULL if the model is about to be
    /// removed.
    void (*changed)(void *user, const ct_manager *models, ct_row row,
                    const struct ct_columns *before);
} ct_model_watch;

/// Sets the watch of a manager. Copies it.
void ct_model_set_watch(ct_manager *models, const ct_model_watch *watch);

/// Returns the node of a row that corresponds to 'node' of the nodes 'before': the node with the
/// same name, or with the same number if 'node' had no name; or CT_MODEL_NO_NODE. O(nodes).
uint32_t ct_model_same_node(const ct_manager *models, ct_row row, const struct ct_columns *before,
                            uint32_t node);

// Nodes (model_pose.c)

/// Returns the number of nodes, at least 1.
uint32_t ct_model_node_count(const ct_manager *models, ct_row row);

/// Returns the node with this name, or CT_MODEL_NO_NODE. O(nodes).
uint32_t ct_model_find_node(const ct_manager *models, ct_row row, ct_text name);

/// Writes "RESOURCE has no node 'NAME'" and the most similar name. Returns false.
bool ct_model_refuse_node(const ct_manager *models, ct_row row, ct_text name, ct_message *message);

/// Writes "RESOURCE has 3 nodes, got NUMBER".
void ct_model_refuse_number(const ct_manager *models, ct_row row, ct_text number,
                            ct_message *message);

/// Sets the local pose. The rotation is normalized (ct_quat_normalize). Matrices change at the next
/// evaluate.
void ct_model_set_node_pose(ct_manager *models, ct_row row, uint32_t node, const ct_pose *pose);

/// Reads the pose relative to the parent, as it was set last.
void ct_model_node_pose(const ct_manager *models, ct_row row, uint32_t node, ct_pose *out);

/// Computes the matrices of all instances that have a node that was posed since the last call, in
/// row order, in one pass over their nodes. O(nodes of these instances), plus the check of one byte
/// for each row.
void ct_model_evaluate(ct_manager *models);

/// Makes room for one later assignment of these inputs, in addition to the *needed nodes of earlier
/// calls, and adds its nodes to *needed. The assignment then cannot fail. Returns CT_OK or
/// CT_ERR_MEMORY.
ct_status ct_model_reserve(ct_manager *manager, const ct_values *values, uint64_t *needed);

/// Returns the matrix relative to the entity, as of the last evaluate, or of the rest pose for a
/// new instance. The matrices of the following nodes are behind it in memory. Valid until instances
/// are created, changed or removed.
const float *ct_model_node_matrix(const ct_manager *models, ct_row row, uint32_t node);

#endif
