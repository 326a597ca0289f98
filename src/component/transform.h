// Transforms: local and world poses, and links between parents and children.
// Longer than most headers: poses, hierarchy and resources are described together.
#ifndef CT_TRANSFORM_H
#define CT_TRANSFORM_H

#include "storage/layout.h"
#include "storage/loop.h"

#define CT_TRANSFORM "transform"
#define CT_TRANSFORM_NODES "transform.parent_node" ///< the section of parent_node in a resource

// A transform has a local pose, a world pose, and links to parent, children and siblings (Bitsquid
// part 3). world = parent's world x local; see base/math.h for the matrix convention. Lengths are
// in the unit of the game, angles in radians. Rotations are stored with length 1
// (ct_quat_normalize).
//
// The local pose is a matrix; rotation and scale are stored beside it. Therefore each of them keeps
// its value when the others change, also if a scale is zero or mirrored. A sheared local matrix
// stays as given until position, rotation or scale is set: then the nearest pose replaces it.
//
// When a transform is removed or its entity is destroyed, its children become roots and keep their
// world poses. The entity manager does not report deaths, so each function below first makes roots
// of the rows that lost their parents since the last call. Dead children stay in the list of their
// parent until gc; readers skip them.
//
// Rows that are passed to these functions must belong to living (or just dying) entities. Only
// removal and sort move rows. Only create, spawn, sort, links to nodes, watches, and the beginning
// of a batch or of deferred mode allocate.

/// Inputs: position vec3; rotation quat or angle float; scale vec3 or one number; or matrix mat4;
/// parent entity. Late input: parent_node, a text for ct_node_source.find. The layout in a compiled
/// resource: local mat4, world mat4 relative to the root of its tree (for a root the local matrix),
/// rotation quat, scale vec3.
extern const ct_manager_type ct_transform_type;

/// Numbers of the inputs.
enum {
    CT_TRANSFORM_IN_POSITION,
    CT_TRANSFORM_IN_ROTATION,
    CT_TRANSFORM_IN_ANGLE,
    CT_TRANSFORM_IN_SCALE,
    CT_TRANSFORM_IN_MATRIX,
    CT_TRANSFORM_IN_PARENT,
    CT_TRANSFORM_LATE,
    CT_TRANSFORM_IN_PARENT_NODE = CT_TRANSFORM_LATE ///< after the inputs of ct_manager_create
};

// ---------------------------------------------------------------- local poses (transform_pose.c)

// Setting a pose computes the world poses of all descendants, in one walk without recursion
// (Bitsquid part 3, transform()). O(descendants), about 3 ns for each if rows are in the order of
// their links.

void ct_transform_local_pose(ct_manager *manager, ct_row row, ct_pose *out);

/// Returns 16 numbers. Valid until rows are created, moved or removed, or until the next call of
/// this function or of ct_transform_world_matrix.
const float *ct_transform_local_matrix(ct_manager *manager, ct_row row);

/// Sets differs[i] if row + i and other + i of another manager have different local poses, or if
/// that cannot be decided without computing a pose. Changes nothing.
void ct_transform_compare_poses(const ct_manager *a, ct_row row, const ct_manager *b, ct_row other,
                                uint32_t count, bool *differs);

/// Sets differs[i] if rows[i] is not linked to parents[i], or has a parent though that is
/// CT_NOBODY. Flushes deaths.
void ct_transform_compare_parents(ct_manager *manager, const uint32_t *rows,
                                  const ct_entity *parents, uint32_t count, bool *differs);

/// Columns that change with the local pose, the parent or the owner of a row; ends with 0. The
/// parent of a row may change without a change of these columns if owners of rows change. The last
/// column depends on the others in rows for which ct_transform_are_composed
/// returns true.
extern const uint16_t ct_transform_local_columns[];

/// Returns whether the local matrices of rows have the bits that position, rotation and scale
/// compose. O(count), about 0.1 ns each.
bool ct_transform_are_composed(const ct_manager *manager, uint32_t first, uint32_t count);

/// Returns whether a row has a parent; *attached becomes whether it is attached to a node of it.
bool ct_transform_is_linked(const ct_manager *manager, ct_row row, bool *attached);

/// Returns the number of rows that are attached to nodes.
uint32_t ct_transform_attached_count(const ct_manager *manager);

/// Reads the world pose of a row as the local pose of a root. If no position, rotation and scale
/// compose the world matrix, returns false and writes 'matrix' instead.
bool ct_transform_root_pose(ct_manager *manager, ct_row row, ct_pose *pose, float *matrix);

void ct_transform_set_local_position(ct_manager *manager, ct_row row, const float *position);
void ct_transform_set_local_rotation(ct_manager *manager, ct_row row, const float *rotation);
void ct_transform_set_local_angle(ct_manager *manager, ct_row row, float angle);
void ct_transform_set_local_scale(ct_manager *manager, ct_row row, const float *scale);

/// Returns CT_OK. Cannot fail; has the signature of ct_transform_set_world_pose.
ct_status ct_transform_set_local_pose(ct_manager *manager, ct_row row, const ct_pose *pose);

/// Returns CT_OK, or CT_ERR_DATA if the last row of the matrix is not 0 0 0 1.
ct_status ct_transform_set_local_matrix(ct_manager *manager, ct_row row, const float *matrix);

// ---------------------------------------------------------------- world poses (transform_world.c)

/// Returns 16 numbers. Valid until the next call of any function of this header. O(1), in a batch
/// O(depth).
const float *ct_transform_world_matrix(ct_manager *manager, ct_row row);

/// Reads the position, and the rotation and scale nearest to the world matrix (ct_mat4_decompose);
/// for a root, its own rotation and scale. If possible, a scale has the signs of the local scale,
/// except for rows that are dirty in deferred mode: their local scale is newer than the world pose.
void ct_transform_world_pose(ct_manager *manager, ct_row row, ct_pose *out);

// The following functions set the local pose that results in the given world pose. They return
// CT_OK, or CT_ERR_DATA if there is none because the parent's world matrix has no inverse (for
// example a scale of zero), or if a matrix is not affine.

/// Keeps local rotation and scale.
ct_status ct_transform_set_world_position(ct_manager *manager, ct_row row, const float *position);

/// Keeps the local position, and the local scale unless the parent's scale is not uniform: then the
/// local matrix is a sheared one that keeps the world scale.
ct_status ct_transform_set_world_rotation(ct_manager *manager, ct_row row, const float *rotation);

ct_status ct_transform_set_world_pose(ct_manager *manager, ct_row row, const ct_pose *pose);
ct_status ct_transform_set_world_matrix(ct_manager *manager, ct_row row, const float *matrix);

// ---------------------------------------------------------------- in the plane (transform_2d.c)

/// Pose in the xy plane.
typedef struct ct_pose_2d {
    float x, y;
    float angle; ///< about z, in radians, from -pi to pi
    float scale_x, scale_y;
} ct_pose_2d;

/// Sets the local pose. Position and scale in z are kept, and the whole scale if 'keep_scale'.
void ct_transform_set_local_pose_2d(ct_manager *manager, ct_row row, const ct_pose_2d *pose,
                                    bool keep_scale);

// ---------------------------------------------------------------- many changes
// (transform_batch.c, transform_order.c)

/// Begins a batch: until it ends, setting and linking only mark the row, O(1) each. The functions
/// above still return correct world poses, which they compute from the changed ancestors; the
/// matrices in the world column do not change. Batches nest. In deferred mode a batch has no
/// effect. Returns CT_OK or CT_ERR_MEMORY. Bitsquid part 3: "an API function that allows us to set
/// multiple local transforms at once while doing a single world transform update".
ct_status ct_transform_begin_batch(ct_manager *manager);

/// Ends the innermost batch. The end of the outermost batch computes every changed subtree once:
/// O(changed rows, their ancestors and their descendants). Moves no rows.
void ct_transform_end_batch(ct_manager *manager);

bool ct_transform_in_batch(const ct_manager *manager);

/// Starts deferred mode: setting, linking and creating mark the row. World poses are as of the last
/// propagate; that of a new row is computed from its parent's. Must not be called in a batch.
/// Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_transform_set_deferred(ct_manager *manager);

/// Propagates, then starts immediate mode. Must not be called in a batch.
void ct_transform_set_immediate(ct_manager *manager);

/// Computes every changed subtree once, parents before children, at the cost of
/// ct_transform_end_batch. Moves no rows. Does nothing in immediate mode.
void ct_transform_propagate(ct_manager *manager);

/// Returns the number of rows that changed since the last propagate, or since the batch began.
uint32_t ct_transform_dirty_count(ct_manager *manager);

/// Sorts rows by the hierarchy: parents before children, families together, roots in their previous
/// order. Propagation then reads memory in one direction (Bitsquid part 3). Dirty rows stay dirty.
/// Returns CT_OK, or CT_ERR_MEMORY with nothing changed. O(rows).
ct_status ct_transform_sort(ct_manager *manager);

// ---------------------------------------------------------------- watches of changes
// (transform_watch.c)

/// Starts a watch, which records the entities with changed world poses; *token identifies it. A new
/// watch reports that everything has changed. Returns CT_OK, CT_ERR_MEMORY or CT_ERR_OVER.
/// Watches are not part of snapshots and saves. They end with the manager.
///
/// Each watch adds 1 to 2 ns to the computation of a world pose, and about 12 bytes of memory for
/// each entity. Without watches the cost is one comparison for each call.
ct_status ct_transform_watch(ct_manager *manager, uint32_t *token);

/// Ends a watch. Returns false if there is no watch with this token.
bool ct_transform_unwatch(ct_manager *manager, uint32_t token);

/// Reads the changes since the last call for this watch (see ct_changed_poses). Returns CT_OK, or
/// CT_ERR_DATA with an empty *out if there is no such watch. Computes nothing: in deferred mode and
/// in batches a change is reported after its world pose was computed. O(reported entities +
/// deaths).
ct_status ct_transform_changed_poses(ct_manager *manager, uint32_t token, ct_changed_poses *out);

/// Writes the living entities with a transform among the changes; all of them, in the order of
/// rows, if everything has changed. 'out' needs room for the rows. Returns the number of entities.
uint32_t ct_transform_moved_owners(const ct_manager *manager, const ct_changed_poses *changed,
                                   ct_entity *out);

// ---------------------------------------------------------------- the hierarchy
// (transform_links.c)

/// Makes 'child' the last child of 'parent', whether or not it has a parent. Keeps the local pose,
/// or the world pose if 'keep_world'. Returns CT_OK; CT_ERR_CYCLE if 'parent' is the child or below
/// it; CT_ERR_DATA if 'keep_world' and the parent's world matrix has no inverse. O(1) for the
/// lists, plus O(depth) for the cycle check if the child has children, plus the world poses of the
/// moved subtree.
ct_status ct_transform_link(ct_manager *manager, ct_row child, ct_row parent, bool keep_world);

/// Writes the reason for a 'status' of ct_transform_link, or of a failed setter of a world pose,
/// with the parent of 'child' as 'parent': "cycle: entity(2:0) is below entity(1:0)".
void ct_transform_link_message(const ct_manager *manager, ct_row child, ct_row parent,
                               ct_status status, ct_message *message);

/// Makes 'child' a root. Keeps the local pose, or the world pose if 'keep_world'.
void ct_transform_unlink(ct_manager *manager, ct_row child, bool keep_world);

// ---------------------------------------------------------------- nodes (transform_nodes.c)

// A child can be attached to a node of its parent's model: world = parent's world x node's matrix x
// local. The world sets a source of node matrices (world/node_links.h). The manager keeps copies of
// the matrices: 72 bytes for each attached row.

#define CT_NO_NODE 0xFFFFFFFFu

/// Source of the nodes of entities' models.
typedef struct ct_node_source {
    void *user;
    /// Returns the matrix of a node, relative to the entity, or NULL if the entity has no such
    /// node.
    const float *(*matrix)(void *user, ct_entity owner, uint32_t node);
    /// Returns the number of the node that a text names: its name, or "#2" for the second node; a
    /// name that begins with # has an additional # in front. Returns CT_NO_NODE with the reason in
    /// 'message' if there is none.
    uint32_t (*find)(void *user, ct_entity owner, ct_text node, ct_message *message);
} ct_node_source;

void ct_transform_set_node_source(ct_manager *manager, const ct_node_source *source);

/// Returns the node that a text names on a row's model, by ct_node_source.find.
uint32_t ct_transform_find_node(const ct_manager *manager, ct_row row, ct_text node,
                                ct_message *message);

/// Links as ct_transform_link to a node of the parent's model, counted from 0. Also returns
/// CT_ERR_DATA if the parent has no such node, and CT_ERR_MEMORY: this function may allocate.
ct_status ct_transform_link_node(ct_manager *manager, ct_row child, ct_row parent, uint32_t node,
                                 bool keep_world);

/// Returns the node that a row is attached to, or CT_NO_NODE.
uint32_t ct_transform_parent_node(ct_manager *manager, ct_row row);

/// A row that is attached to a node, and the matrix of the node, relative to the parent.
typedef struct ct_attached_node {
    ct_entity owner;
    float matrix[16];
} ct_attached_node;

/// Copies all ct_transform_attached_count nodes, in any order. O(attached rows).
void ct_transform_copy_nodes(const ct_manager *manager, ct_attached_node *out);

/// Updates the rows that are attached to nodes with changed matrices, like setters of local poses.
/// O(attached rows), plus the descendants of rows that move.
void ct_transform_follow_nodes(ct_manager *manager);

/// Renumbers the nodes of an entity's model: 'renumber' maps old numbers to new ones. If it returns
/// CT_NO_NODE, the link becomes an ordinary one. So do all links if 'renumber' is NULL, which means
/// that the model was removed. Local poses are kept. O(children) if a child is attached to a node.
void ct_transform_renumber_nodes(ct_manager *manager, ct_entity owner,
                                 uint32_t (*renumber)(const void *user, uint32_t node),
                                 const void *user);

// ---------------------------------------------------------------- relatives (transform_links.c)

// These functions return CT_NO_ROW if there is no such row. They skip dead rows.
ct_row ct_transform_parent(ct_manager *manager, ct_row row);
ct_row ct_transform_first_child(ct_manager *manager, ct_row row);
ct_row ct_transform_next_sibling(ct_manager *manager, ct_row row);
ct_row ct_transform_prev_sibling(ct_manager *manager, ct_row row);

/// Returns the root of the tree; a root returns itself. O(depth).
ct_row ct_transform_root(ct_manager *manager, ct_row row);

/// Returns the number of ancestors, 0 for a root. O(depth).
uint32_t ct_transform_depth(ct_manager *manager, ct_row row);

/// Writes the living entities of a subtree, descendants before their ancestors, so that the owner
/// of 'row' is last. Writes at most 'capacity' entities and returns their total number. O(subtree).
uint32_t ct_transform_subtree(ct_manager *manager, ct_row row, uint32_t capacity, ct_entity *out);

/// Returns the number of living children. O(children).
uint32_t ct_transform_child_count(ct_manager *manager, ct_row row);

/// Iterator over the living children of a row, in the order of links, as of the beginning of the
/// loop. It allows the same changes as ct_loop (storage/loop.h) and skips entities that are no
/// longer children.
typedef struct ct_children {
    ct_manager *manager;
    ct_row_watch rows; ///< rows.returned: row of the returned child
    ct_entity parent;
    const ct_entity *list;
    uint32_t count;
    uint32_t next;
} ct_children;

/// Begins a loop with 'room' for 'capacity' entities. The caller owns that memory, and it must be
/// valid until the loop ends. Returns false, and does not begin, if there are more children.
/// O(children).
bool ct_children_begin(ct_children *loop, ct_manager *manager, ct_row row, ct_entity *room,
                       uint32_t capacity);

/// Returns the next child in *child. Statuses as ct_loop_next. O(1) for each child that is
/// returned or skipped.
ct_query_step ct_children_next(ct_children *loop, ct_entity *child);

// ---------------------------------------------------------------- resources (transform_spawn.c,
// _check.c)

/// Links and places the entities of a spawn that was made without its pose, in a batch, after local
/// poses were changed or transforms were added: links each entity to its nearest ancestor or to
/// spawn->parent, and composes spawn->pose with the local pose of each root. Returns CT_OK;
/// CT_ERR_MEMORY with nothing changed; CT_ERR_CYCLE if other links were made in the meantime.
ct_status ct_transform_place_spawned(ct_manager *manager, const ct_spawn *spawn);

/// Checks that columns of a layout are valid: last rows of matrices, lengths of rotations, and
/// world matrices, which must be the ancestor's times the local one. NaNs must have been checked
/// before. Returns false with the reason and the instance, counted from 0, in 'message'.
bool ct_transform_check(uint32_t count, const uint32_t *ancestor, const float *local,
                        const float *world, const float *rotation, ct_message *message);

/// Makes room to attach 'count' more transforms, with these owners, to nodes. Returns CT_OK or
/// CT_ERR_MEMORY.
ct_status ct_transform_reserve_attached(ct_manager *manager, const ct_entity *owners,
                                        uint32_t count);

/// Part of a pose. Compiled code contains these numbers.
typedef enum ct_transform_part {
    CT_TRANSFORM_WORLD_POSITION, ///< x, y, z
    CT_TRANSFORM_WORLD_ROTATION, ///< x, y, z, w
    CT_TRANSFORM_WORLD_SCALE,    ///< x, y, z
    CT_TRANSFORM_WORLD_ANGLE,    ///< about z, in radians
    CT_TRANSFORM_LOCAL_ANGLE,
    CT_TRANSFORM_POSE_2D ///< as ct_pose_2d
} ct_transform_part;

enum { CT_TRANSFORM_PART_NUMBERS = 5 }; ///< the most numbers of a part

/// Finds the part that is read like a field of this name ("world_position"), and writes the count
/// of its numbers to *count. Returns false if there is none.
bool ct_transform_find_part(const char *name, ct_transform_part *part, uint32_t *count);

/// Returns that name; not for CT_TRANSFORM_POSE_2D, which has none.
const char *ct_transform_part_name(ct_transform_part part);

/// Converts 'count' angles about z to rotations, and returns these as values: one, if one angle is
/// for all. 'rotations' has room for them.
ct_values ct_transform_rotations(const ct_values *angles, uint32_t count, float (*rotations)[4]);

/// Writes the numbers of a part of a row's pose and returns their count. Every NaN becomes the
/// quiet NaN. Allocates nothing and moves no rows.
uint32_t ct_transform_read_part(ct_manager *manager, ct_row row, ct_transform_part part,
                                double *numbers);

#endif
