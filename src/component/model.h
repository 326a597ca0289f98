// Models: hierarchies of nodes inside entities, posed one by one and computed all at once.
#ifndef CT_MODEL_H
#define CT_MODEL_H

#include "storage/layout.h"
#include "storage/resource_names.h"

CT_BEGIN_C

#define CT_MODEL "model"

extern const ct_manager_type ct_model_type;

// The scene graph of a model apart from that of entities (Bitsquid part 3): a wheel or a finger is
// a node and no entity. A resource says which nodes there are and how they rest; it is static and
// shared. An instance has a local pose for each node, and after evaluate a matrix relative to
// its entity: model matrix = parent's model matrix x local. See base/math.h for what a matrix is.
//
// The nodes of all instances lie in one pool, in arrays, those of an instance side by side: 156
// bytes a node. Creating grows the pool and puts it in row order, removing moves nodes only
// into a gap of their size; so evaluate walks through memory forwards, or nearly so.
//
// Rows given to these functions are rows of living (or just dying) entities, nodes are numbers
// below ct_model_node_count. None but create, spawn and writing the resource allocates.

/// Nodes a resource may have.
#define CT_MODEL_MAX_NODES 65535u

/// No node: the parent of a root, or one that was not found.
#define CT_MODEL_NO_NODE 0xFFFFFFFFu

/// The manager; one model per entity. NULL when memory runs out. Its one field is the string
/// 'resource', which must be a known name. Writing it puts all nodes to rest.
ct_manager *ct_model_create(const ct_manager_setup *setup);

/// How models lie in a resource: by the names of theirs.
ct_layout ct_model_layout(void);

// Resources (model_define.c)

/// A node as it is described.
typedef struct ct_model_node {
    ct_text name;    ///< no other node of the resource has it; length 0: none
    uint32_t parent; ///< an earlier node, or CT_MODEL_NO_NODE
    ct_pose pose;    ///< relative to the parent; the rotation may have any length
} ct_model_node;

/// Describes the resource of a name, which is not "". Where a resource of that name has as many
/// nodes with the same parents, names and rest poses are replaced, and its instances keep their
/// poses. Another structure replaces it for instances to come, if no living ones use it; rows of
/// the dead keep what they refer to.
/// CT_OK; CT_ERR_DATA when the nodes are not 1 to CT_MODEL_MAX_NODES, stand before their parents or
/// have one name twice; CT_ERR_EXISTS when living instances use another structure: both with the
/// reason in 'message', which counts nodes from 1; CT_ERR_MEMORY; CT_ERR_FULL when there are too
/// many strings; CT_ERR_OVER. Nothing has changed then. O(nodes x log nodes), and the rows of the
/// manager where there is another structure.
ct_status ct_model_define(ct_manager *models, ct_text name, const ct_model_node *nodes,
                          uint32_t count, ct_message *message);

/// The names that are known.
const ct_resource_names *ct_model_names(const ct_manager *models);

struct ct_columns;

/// Whoever keeps what hangs on nodes up to date. Told while everything can still be read; may read
/// models, and nothing else of them.
typedef struct ct_model_watch {
    void *user;
    /// An evaluate has ended.
    void (*evaluated)(void *user);
    /// The model of an entity has other nodes: ct_model_same_node tells what became of those it
    /// had, which are 'before'. NULL: it is about to go.
    void (*changed)(void *user, const ct_manager *models, ct_row row,
                    const struct ct_columns *before);
} ct_model_watch;

/// One for a manager; copied.
void ct_model_set_watch(ct_manager *models, const ct_model_watch *watch);

/// The node of a row that is what 'node' was among those 'before': it has the same name, or, where
/// that had none, the same number; or CT_MODEL_NO_NODE. O(nodes).
uint32_t ct_model_same_node(const ct_manager *models, ct_row row, const struct ct_columns *before,
                            uint32_t node);

// Nodes (model_pose.c)

/// At least 1.
uint32_t ct_model_node_count(const ct_manager *models, ct_row row);

/// The node of a name, or CT_MODEL_NO_NODE. O(nodes).
uint32_t ct_model_find_node(const ct_manager *models, ct_row row, ct_text name);

/// Writes "RESOURCE has no node 'NAME'" with the nearest one. Returns false.
bool ct_model_refuse_node(const ct_manager *models, ct_row row, ct_text name, ct_message *message);

/// Writes "RESOURCE has 3 nodes, got NUMBER".
void ct_model_refuse_number(const ct_manager *models, ct_row row, ct_text number,
                            ct_message *message);

/// The rotation is stored with length 1: see ct_quat_normalize. Matrices follow at the next
/// evaluate.
void ct_model_set_node_pose(ct_manager *models, ct_row row, uint32_t node, const ct_pose *pose);

/// The pose relative to the parent, as it was set last.
void ct_model_node_pose(const ct_manager *models, ct_row row, uint32_t node, ct_pose *out);

/// Computes the matrices of all instances of which a node was posed since the last call. In
/// row order, in one pass over the nodes. O(nodes of those), and a look at a byte of each other.
void ct_model_evaluate(ct_manager *models);

/// Makes room for the next assignment of these inputs, beside the room for *needed nodes of earlier
/// calls, and adds its nodes to *needed: the assignment cannot fail. CT_OK or CT_ERR_MEMORY.
ct_status ct_model_reserve(ct_manager *manager, const ct_values *values, uint64_t *needed);

/// The matrix relative to the entity, as the last evaluate left it; of a new instance, that of
/// the rest pose. Those of the nodes behind it follow in memory. Valid until instances are created,
/// changed or removed.
const float *ct_model_node_matrix(const ct_manager *models, ct_row row, uint32_t node);

CT_END_C

#endif
