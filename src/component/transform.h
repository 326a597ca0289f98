// The transform hierarchy: local and world poses, and links between parents and children.
// Longer than most headers: poses, hierarchy and resources are one manual.
#ifndef CT_TRANSFORM_H
#define CT_TRANSFORM_H

#include "storage/layout.h"
#include "storage/query.h"

CT_BEGIN_C

#define CT_TRANSFORM "transform"
#define CT_TRANSFORM_NODES "transform.parent_node" ///< the section of parent_node in a resource

extern const ct_manager_type ct_transform_type;

// A transform is a local pose, a world pose and its place among parent and siblings
// (Bitsquid part 3). world = parent's world x local; see base/math.h for what a matrix is.
// Lengths are in the game's own unit, angles in radians. Rotations are stored with
// length 1: see ct_quat_normalize.
//
// Local is a matrix; rotation and scale are kept beside it, so that each survives what
// happens to the others, zero and mirrored scales included. A sheared local matrix
// stays as given until the next set of position, rotation or scale, which replaces it
// by the nearest pose.
//
// When a transform is removed or its entity destroyed, its children become roots and keep their
// world poses. Deaths are not reported by the entity manager, so each function below first makes
// roots of the rows that lost their parents since the last call. Dead children stay in their
// parent's list until gc; readers skip them.
//
// Rows given to these functions belong to living (or just dying) entities. Only removal and sort
// move rows. Only create, spawn, sort, watches and the beginnings of batches and deferred mode
// allocate.

/// The manager (Bitsquid part 3). NULL when memory runs out.
/// Inputs: position vec3, rotation quat or angle float, scale vec3 (one number will do),
/// or matrix mat4; parent entity. Late: parent_node, as ct_node_source.find takes it.
ct_manager *ct_transform_create(const ct_manager_setup *setup);

/// Numbers of the inputs.
enum {
    CT_TRANSFORM_IN_POSITION,
    CT_TRANSFORM_IN_ROTATION,
    CT_TRANSFORM_IN_ANGLE,
    CT_TRANSFORM_IN_SCALE,
    CT_TRANSFORM_IN_MATRIX,
    CT_TRANSFORM_IN_PARENT,
    CT_TRANSFORM_LATE,
    CT_TRANSFORM_IN_PARENT_NODE = CT_TRANSFORM_LATE ///< behind what ct_manager_create takes
};

// ---------------------------------------------------------------- local poses (transform_pose.c)

// Setting a pose sets the world poses of all descendants, in one walk without recursion:
// O(descendants), some 3 ns each where rows lie in the order of their links (Bitsquid part 3,
// transform()).

void ct_transform_local_pose(ct_manager *manager, ct_row row, ct_pose *out);

/// 16 numbers. Valid until rows are created, moved or removed.
const float *ct_transform_local_matrix(ct_manager *manager, ct_row row);

/// Whether the local matrix is not what position, rotation and scale compose.
bool ct_transform_is_sheared(ct_manager *manager, ct_row row);

void ct_transform_set_local_position(ct_manager *manager, ct_row row, const float *position);
void ct_transform_set_local_rotation(ct_manager *manager, ct_row row, const float *rotation);
void ct_transform_set_local_angle(ct_manager *manager, ct_row row, float angle);
void ct_transform_set_local_scale(ct_manager *manager, ct_row row, const float *scale);

/// CT_OK: this cannot fail, and has the signature of ct_transform_set_world_pose.
ct_status ct_transform_set_local_pose(ct_manager *manager, ct_row row, const ct_pose *pose);

/// CT_OK, or CT_ERR_DATA when the last row of the matrix is not 0 0 0 1.
ct_status ct_transform_set_local_matrix(ct_manager *manager, ct_row row, const float *matrix);

// ---------------------------------------------------------------- world poses (transform_world.c)

/// 16 numbers. Valid until the next call of any function here. O(1); in a batch O(depth).
const float *ct_transform_world_matrix(ct_manager *manager, ct_row row);

/// Position, and the rotation and scale nearest to the world matrix (ct_mat4_decompose):
/// of a root, its own. A scale has the signs of the local one where that is possible, but for
/// rows that deferred mode has dirty: of those the local one is ahead of the world pose.
void ct_transform_world_pose(ct_manager *manager, ct_row row, ct_pose *out);

// Each of these sets the local pose that gives the wanted world pose: CT_OK, or
// CT_ERR_DATA when there is none because the parent's world matrix has no inverse (a
// scale of zero above), or because a matrix is not affine.

/// Keeps local rotation and scale.
ct_status ct_transform_set_world_position(ct_manager *manager, ct_row row, const float *position);

/// Keeps local position, and the local scale, unless the parent's scale is uneven: then the
/// local matrix is a sheared one that keeps the world scale.
ct_status ct_transform_set_world_rotation(ct_manager *manager, ct_row row, const float *rotation);

ct_status ct_transform_set_world_pose(ct_manager *manager, ct_row row, const ct_pose *pose);
ct_status ct_transform_set_world_matrix(ct_manager *manager, ct_row row, const float *matrix);

// ---------------------------------------------------------------- in the plane (transform_2d.c)

/// What a flat game has of a pose.
typedef struct ct_pose_2d {
    float x, y;
    float angle; ///< about z, in radians, from -pi to pi
    float scale_x, scale_y;
} ct_pose_2d;

/// The world pose as it is seen along z: what ct_transform_world_pose tells of x and y. Some 10 ns
/// where nothing is turned out of the plane, mirrored or sheared.
void ct_transform_pose_2d(ct_manager *manager, ct_row row, ct_pose_2d *out);

/// Sets the local pose; position and scale along z stay, and with 'keep_scale' all of the scale.
void ct_transform_set_local_pose_2d(ct_manager *manager, ct_row row, const ct_pose_2d *pose,
                                    bool keep_scale);

// ---------------------------------------------------------------- many changes
// (transform_batch.c, transform_order.c)

/// From now on, until the batch ends, setting and linking only mark the row: O(1) each. The
/// functions above still tell right world poses, which they work out from the changed rows above;
/// the world matrices in the column stay as they were. Batches nest. In deferred mode a batch
/// adds nothing. CT_OK or CT_ERR_MEMORY. Bitsquid part 3: "an API function that allows us to
/// set multiple local transforms at once while doing a single world transform update".
ct_status ct_transform_begin_batch(ct_manager *manager);

/// Ends the innermost batch. With the outermost, every changed subtree is computed once: O(rows
/// that changed, are above one that did, or below). Moves no rows.
void ct_transform_end_batch(ct_manager *manager);

bool ct_transform_in_batch(const ct_manager *manager);

/// Deferred mode: setting, linking and creating mark the row; world poses are those of the last
/// propagate, and of a new row that which its parent's gave it. Not in a batch. CT_OK or
/// CT_ERR_MEMORY.
ct_status ct_transform_set_deferred(ct_manager *manager);

/// Immediate mode, after a propagate. Not in a batch.
void ct_transform_set_immediate(ct_manager *manager);

/// Deferred mode: every changed subtree is computed once, parents before children, as at the end of
/// a batch, at the same cost. Moves no rows. In immediate mode there is nothing to do.
void ct_transform_propagate(ct_manager *manager);

/// How many rows have changed since the last propagate, or since the batch began.
uint32_t ct_transform_dirty_count(ct_manager *manager);

/// Puts rows in the order of the hierarchy: parents before children, families together, roots in
/// the order they had. Propagation then walks through memory in one direction (Bitsquid part 3).
/// What was dirty stays dirty. CT_OK, or CT_ERR_MEMORY with everything
/// as it was. O(rows).
ct_status ct_transform_sort(ct_manager *manager);

// ---------------------------------------------------------------- what has changed
// (transform_watch.c)

/// Starts a watch, which records the entities whose world poses change; *token identifies it. At
/// first everything has changed. CT_OK, CT_ERR_MEMORY or CT_ERR_OVER. Watches are no
/// part of snapshots and saves. They end with the manager.
///
/// While there are watches, what computes a world pose takes 1 to 2 ns more for each watch and row,
/// and some 12 bytes for each entity; where there are none, one comparison a call.
ct_status ct_transform_watch(ct_manager *manager, uint32_t *token);

/// False when there is none of that number.
bool ct_transform_unwatch(ct_manager *manager, uint32_t token);

/// What has changed since the last call for this watch: see ct_changed_poses. CT_OK, or CT_ERR_DATA
/// with nothing in *out when there is no such watch. Computes nothing: in deferred mode and in
/// batches changes are told once their world poses are there. O(those told + deaths).
ct_status ct_transform_changed_poses(ct_manager *manager, uint32_t token, ct_changed_poses *out);

// ---------------------------------------------------------------- the hierarchy
// (transform_links.c)

/// Makes 'child' the last child of 'parent', whether it had one before or not. Keeps the
/// local pose, or the world pose when 'keep_world'. CT_OK; CT_ERR_CYCLE when 'parent' is the
/// child or below it; CT_ERR_DATA when 'keep_world' and the parent's world matrix has no
/// inverse. O(1) for the lists, O(depth) for the cycle check of a child that
/// has children, and the world poses of the moved subtree.
ct_status ct_transform_link(ct_manager *manager, ct_row child, ct_row parent, bool keep_world);

/// Why ct_transform_link has returned 'status', or why a world pose could not be set, whose
/// 'parent' is the one of 'child' then: "cycle: entity(2:0) is below entity(1:0)".
void ct_transform_link_message(const ct_manager *manager, ct_row child, ct_row parent,
                               ct_status status, ct_message *message);

/// Makes 'child' a root. Keeps the local pose, or the world pose when 'keep_world'.
void ct_transform_unlink(ct_manager *manager, ct_row child, bool keep_world);

// ---------------------------------------------------------------- nodes (transform_nodes.c)

// A child may be attached to a node of its parent's model: world = parent's world x the node's
// matrix x local. The world passes a source of node matrices (world/node_links.h). Copies of the
// matrices are kept beside the rows: 72 bytes for each row that is attached to a node.

#define CT_NO_NODE 0xFFFFFFFFu

/// Where the nodes of an entity's model are.
typedef struct ct_node_source {
    void *user;
    /// The matrix of a node, relative to the entity, or NULL where it has no such node.
    const float *(*matrix)(void *user, ct_entity owner, uint32_t node);
    /// The number of the node that a text means: its name, or "#2" for the second; a name that
    /// begins with # is written with one more. CT_NO_NODE with the reason in 'message'.
    uint32_t (*find)(void *user, ct_entity owner, ct_text node, ct_message *message);
} ct_node_source;

void ct_transform_set_node_source(ct_manager *manager, const ct_node_source *source);

/// The node that a text means on a row's model, as ct_node_source.find tells it.
uint32_t ct_transform_find_node(const ct_manager *manager, ct_row row, ct_text node,
                                ct_message *message);

/// As ct_transform_link, on a node of the parent's model, counted from 0. Besides CT_ERR_DATA when
/// the parent has no such node, and CT_ERR_MEMORY: this may allocate.
ct_status ct_transform_link_node(ct_manager *manager, ct_row child, ct_row parent, uint32_t node,
                                 bool keep_world);

/// The node that a row hangs on, or CT_NO_NODE.
uint32_t ct_transform_parent_node(ct_manager *manager, ct_row row);

/// Matrices of nodes may have changed: what hangs on those that have is set, as setting its local
/// pose would. O(rows that hang on nodes), and what is below those that move.
void ct_transform_follow_nodes(ct_manager *manager);

/// The nodes of an entity's model are others from now on: node n is the one that 'renumber' returns
/// for it. For CT_NO_NODE the link becomes a plain one, and so do all where 'renumber' is NULL: the
/// model has gone. Local poses stay. O(children), if one hangs on a node.
void ct_transform_renumber_nodes(ct_manager *manager, ct_entity owner,
                                 uint32_t (*renumber)(const void *user, uint32_t node),
                                 const void *user);

// ---------------------------------------------------------------- relatives (transform_links.c)

// All of these answer CT_NO_ROW for none. The dead are passed over.
ct_row ct_transform_parent(ct_manager *manager, ct_row row);
ct_row ct_transform_first_child(ct_manager *manager, ct_row row);
ct_row ct_transform_next_sibling(ct_manager *manager, ct_row row);
ct_row ct_transform_prev_sibling(ct_manager *manager, ct_row row);

/// The row itself when it has no parent. O(depth).
ct_row ct_transform_root(ct_manager *manager, ct_row row);

/// 0 for a root. O(depth).
uint32_t ct_transform_depth(ct_manager *manager, ct_row row);

/// The living entities of a subtree, each after all that are below it, that of 'row' last.
/// Writes at most 'capacity' of them, returns how many there are. O(subtree).
uint32_t ct_transform_subtree(ct_manager *manager, ct_row row, uint32_t capacity, ct_entity *out);

/// How many living children a row has. O(children).
uint32_t ct_transform_child_count(ct_manager *manager, ct_row row);

/// A loop over the living children that a row has when it begins, in order. It allows
/// the same changes as ct_query (storage/query.h); entities that are no longer children are
/// skipped.
typedef struct ct_children {
    ct_manager *manager;
    ct_row_watch rows; ///< rows.handed: of the child handed out
    ct_entity parent;
    const ct_entity *list;
    uint32_t count;
    uint32_t next;
} ct_children;

/// Begins with 'room' for 'capacity' entities in the caller's memory, which the loop needs until it
/// ends. False when there are more, and the loop has not begun. O(children).
bool ct_children_begin(ct_children *loop, ct_manager *manager, ct_row row, ct_entity *room,
                       uint32_t capacity);

/// The next child, in *child; the statuses of ct_query_next. O(1) for each child handed out or
/// passed over.
ct_query_step ct_children_next(ct_children *loop, ct_entity *child);

// ---------------------------------------------------------------- resources (transform_spawn.c,
// _check.c)

// The layout in a compiled resource: local mat4, world mat4 relative to the root of its tree
// (a root's is its local), rotation quat, scale vec3.

ct_layout ct_transform_layout(void);

/// In a batch, after local poses of the entities of a spawn were changed, or transforms added to
/// them, when they had been spawned without a pose: links each to its nearest ancestor, or below
/// spawn->parent, and composes spawn->pose with the local pose of each root. CT_OK; CT_ERR_MEMORY
/// with nothing changed; CT_ERR_CYCLE when they were linked in another way meanwhile.
ct_status ct_transform_place_spawned(ct_manager *manager, const ct_spawn *spawn);

/// Whether columns of a layout are such as bake makes: last rows, lengths of rotations,
/// world matrices that are their ancestor's times their own. NaNs were looked at
/// before. False with the reason and the instance, counted from 0, in 'message'.
bool ct_transform_check(uint32_t count, const uint32_t *ancestor, const float *local,
                        const float *world, const float *rotation, ct_message *message);

/// Makes room for links of 'count' more transforms, of these owners, to nodes of models. CT_OK or
/// CT_ERR_MEMORY.
ct_status ct_transform_reserve_attached(ct_manager *manager, const ct_entity *owners,
                                        uint32_t count);

/// A part of a pose. Compiled code has these numbers, too.
typedef enum ct_transform_part {
    CT_TRANSFORM_WORLD_POSITION, ///< x, y, z
    CT_TRANSFORM_WORLD_ROTATION, ///< x, y, z, w
    CT_TRANSFORM_WORLD_SCALE,    ///< x, y, z
    CT_TRANSFORM_WORLD_ANGLE,    ///< about z, in radians
    CT_TRANSFORM_LOCAL_ANGLE,
    CT_TRANSFORM_POSE_2D ///< as ct_pose_2d
} ct_transform_part;

enum { CT_TRANSFORM_PART_NUMBERS = 5 }; ///< the most that a part has

/// Writes the numbers of a part of the pose of a row and returns how many there are. A NaN becomes
/// the quiet one. Allocates nothing and moves no rows.
uint32_t ct_transform_read_part(ct_manager *manager, ct_row row, ct_transform_part part,
                                double *numbers);

CT_END_C

#endif
