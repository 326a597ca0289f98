// Internals of the transform manager: its columns and inner steps.
// Longer than most headers: columns and state of a row are described here.
#ifndef CT_TRANSFORM_INTERNAL_H
#define CT_TRANSFORM_INTERNAL_H

#include "base/math.h"
#include "component/transform.h"

enum {
    CT_TRANSFORM_POSITION = CT_COLUMN_OWNER + 1, // local; a move writes only this column
    CT_TRANSFORM_AXES,                           // the first three columns of the local matrix
    CT_TRANSFORM_WORLD,
    CT_TRANSFORM_ROTATION,
    CT_TRANSFORM_SCALE,
    CT_TRANSFORM_PARENT, // row, CT_NO_ROW, or entity index of the parent (CT_PARENT_IS_INDEX)
    CT_TRANSFORM_FIRST_CHILD,
    CT_TRANSFORM_LAST_CHILD,
    CT_TRANSFORM_NEXT_SIBLING,
    CT_TRANSFORM_PREV_SIBLING,
    CT_TRANSFORM_STATE,
    CT_TRANSFORM_MARKS,
    CT_TRANSFORM_COLUMN_END
};

// State of a row:
//
//     31        30      29        28            27 .. 0
//     composed  marked  attached  has attached  index in the list of dirty rows + 1, or 0
//
// composed      the local matrix has exactly the bits that position, rotation and scale compose
// marked        temporary mark of one walk (transform_batch.c)
// attached      to a node of its parent's model (transform_nodes.c)
// has attached  a child may be attached
#define CT_STATE_COMPOSED 0x80000000u
#define CT_STATE_MARKED 0x40000000u
#define CT_STATE_ATTACHED 0x20000000u
#define CT_STATE_HAS_ATTACHED 0x10000000u
#define CT_STATE_PLACE 0x0FFFFFFFu

/// Columns of a row that were written in place and are not resolved yet (transform_marks.c).
typedef struct ct_transform_marks {
    unsigned char position, turn; // 'turn' is rotation or scale
} ct_transform_marks;

static inline bool ct_transform_is_marked(ct_transform_marks marks) {
    return (marks.position | marks.turn) != 0;
}

typedef struct ct_transform_arrays ct_transform_arrays;

/// Computes the world matrices of all descendants of a row that has children.
typedef void (*ct_propagate_fn)(const ct_transform_arrays *t, uint32_t top);

typedef struct ct_pose_watch ct_pose_watch;

/// The node that a row is attached to, and its matrix.
typedef struct ct_node_attachment {
    uint32_t node;
    float matrix[16];
} ct_node_attachment;

/// Attachments of rows to nodes, by owner, unordered. Stored outside of the columns, because few
/// rows are attached.
typedef struct ct_node_attachments {
    ct_entity_map map; // from owners to indices of both arrays
    ct_entity *owners;
    ct_node_attachment *on;
    uint32_t count;
    uint32_t owner_capacity;
    uint32_t on_capacity;
    ct_node_source source;
} ct_node_attachments;

typedef struct ct_transforms {
    ct_manager base;
    ct_propagate_fn propagate; // the widest that this CPU supports; not for attached rows

    // Rows with a changed local pose or parent and an old world pose, in a batch and in deferred
    // mode. Has room for every row while 'deferring', so that marking cannot fail. The same room
    // again follows for the ancestors of a row.
    uint32_t *dirty;
    uint32_t dirty_count;
    uint32_t dirty_capacity;
    uint32_t batches; // nesting depth
    bool deferred;
    uint32_t deferring; // nonzero in a batch and in deferred mode: columns may be written in place

    unsigned char *blocks; // by block of CT_MARK_BLOCK rows: nonzero if a row of it may be marked
    uint32_t block_rows;   // capacity in rows
    unsigned char written; // nonzero if any row may be marked
    ct_column_marks marks; // points to the members above

    ct_node_attachments attached;

    ct_pose_watch *watches; // NULL: changes are not recorded
    uint32_t last_watch;

    float current[16]; // result of ct_transform_world_matrix or _local_matrix
} ct_transforms;

static inline ct_transforms *ct_transforms_of(const ct_manager *manager) {
    return (ct_transforms *)(uintptr_t)manager;
}

/// Pointers to the columns, read once for each function. Valid until rows are created.
struct ct_transform_arrays {
    const ct_entity *owner;
    uint32_t *const *pages; // of the entity map
    float (*position)[3];
    float (*axes)[12];
    float (*world)[16];
    float (*rotation)[4];
    float (*scale)[3];
    uint32_t *parent;
    uint32_t *first;
    uint32_t *last;
    uint32_t *next;
    uint32_t *prev;
    uint32_t *state;
    ct_transform_marks *marks;
    const ct_node_attachments *attached;
};

static inline ct_transform_arrays ct_transform_open(const ct_manager *manager) {
    unsigned char *const *at = manager->store.columns.at;
    return (ct_transform_arrays){
        .owner = ct_store_owners(&manager->store),
        .pages = manager->store.map.pages,
        .position = (float(*)[3])(void *)at[CT_TRANSFORM_POSITION],
        .axes = (float(*)[12])(void *)at[CT_TRANSFORM_AXES],
        .world = (float(*)[16])(void *)at[CT_TRANSFORM_WORLD],
        .rotation = (float(*)[4])(void *)at[CT_TRANSFORM_ROTATION],
        .scale = (float(*)[3])(void *)at[CT_TRANSFORM_SCALE],
        .parent = (uint32_t *)(void *)at[CT_TRANSFORM_PARENT],
        .first = (uint32_t *)(void *)at[CT_TRANSFORM_FIRST_CHILD],
        .last = (uint32_t *)(void *)at[CT_TRANSFORM_LAST_CHILD],
        .next = (uint32_t *)(void *)at[CT_TRANSFORM_NEXT_SIBLING],
        .prev = (uint32_t *)(void *)at[CT_TRANSFORM_PREV_SIBLING],
        .state = (uint32_t *)(void *)at[CT_TRANSFORM_STATE],
        .marks = (ct_transform_marks *)(void *)at[CT_TRANSFORM_MARKS],
        .attached = &ct_transforms_of(manager)->attached,
    };
}

/// Flag of a parent that is stored as entity index. Children store the row of their parent. When a
/// parent with many children is moved for the first time, its children, and later ones, store its
/// entity index instead, so that further moves do not write to them.
#define CT_PARENT_IS_INDEX 0x80000000u

/// Number of children from which a parent has many children.
#define CT_MANY_CHILDREN (CT_FIRST_CAPACITY / 2)

/// Returns the row of the parent, or CT_NO_ROW. A parent that is stored as index is in the map: its
/// children are unlinked when its row is removed or orphaned.
static inline uint32_t ct_transform_above(const ct_transform_arrays *t, uint32_t row) {
    uint32_t parent = t->parent[row];
    if (CT_LIKELY(parent < CT_PARENT_IS_INDEX)) return parent;
    if (parent == CT_NO_ROW) return CT_NO_ROW;
    uint32_t index = parent & ~CT_PARENT_IS_INDEX;
    return ~t->pages[index >> CT_MAP_PAGE_BITS][index & (CT_MAP_PAGE_ROWS - 1)];
}

static inline bool ct_transform_alive_or_dying(const ct_manager *manager, uint32_t row) {
    return ct_entity_manager_alive_or_dying(manager->store.entities,
                                            ct_store_owners(&manager->store)[row]);
}

/// Makes roots of the rows with parents that died since the last call. O(deaths).
void ct_transform_flush_new_deaths(ct_manager *manager);

static inline void ct_transform_flush_deaths(ct_manager *manager) {
    if (CT_UNLIKELY(manager->deaths_seen != manager->store.entities->tail))
        ct_transform_flush_new_deaths(manager);
}

/// Does the same as ct_transform_open after applying deaths.
static inline ct_transform_arrays ct_transform_open_current(ct_manager *manager) {
    ct_transform_flush_deaths(manager);
    return ct_transform_open(manager);
}

// ---------------------------------------------------------------- poses

/// Assembles the local matrix of a row.
static inline void ct_transform_get_local(const ct_transform_arrays *t, uint32_t row, float *out) {
    const float *axes = t->axes[row], *position = t->position[row];
    CT_ASSERT(out != NULL);
    for (size_t j = 0; j < 12; j += 4)
        ct_copy_four(axes + j, out + j);
    ct_store_point(position, out + 12);
}

/// Sets the local matrix of a row. Rotation and scale are unchanged.
static inline void ct_transform_put_local(const ct_transform_arrays *t, uint32_t row,
                                          const float *local) {
    for (size_t j = 0; j < 12; j += 4)
        ct_copy_four(local + j, t->axes[row] + j);
    memcpy(t->position[row], local + 12, sizeof t->position[row]);
}

/// Does the same with a matrix that position, rotation and scale need not compose.
static inline void ct_transform_put_any_local(const ct_transform_arrays *t, uint32_t row,
                                              const float *local) {
    ct_transform_put_local(t, row, local);
    t->state[row] &= ~CT_STATE_COMPOSED;
}

/// Computes out = above x the local matrix of a row. If 'above' is NULL (a root), 'out' is the
/// local matrix. 'out' may be 'above'.
static inline void ct_transform_world_below(const ct_transform_arrays *t, const float *above,
                                            uint32_t row, float *out) {
    if (above == NULL) {
        ct_transform_get_local(t, row, out);
        return;
    }
    ct_mat4_columns left = ct_mat4_load(above);
    ct_mat4_product_parts(&left, t->axes[row], t->position[row], out);
}

/// Returns whether a row is attached to a node.
static inline bool ct_transform_is_attached(const ct_transform_arrays *t, uint32_t row) {
    return CT_UNLIKELY(t->attached->count != 0) && (t->state[row] & CT_STATE_ATTACHED) != 0;
}

/// Returns the matrix of the node that a row is attached to.
const float *ct_transform_node_matrix(const ct_transform_arrays *t, uint32_t row);

/// Returns the matrix that a row's local matrix is relative to: 'above', the world matrix of its
/// parent, or that of the node, in 'room'. 'above' and 'room' may be the same.
static inline const float *ct_transform_base_of(const ct_transform_arrays *t, const float *above,
                                                uint32_t row, float *room) {
    if (!ct_transform_is_attached(t, row)) return above;
    ct_mat4_product(above, ct_transform_node_matrix(t, row), room);
    return room;
}

/// Computes the world matrix of a row below a parent with the world matrix 'above', NULL for a
/// root. 'out' may be 'above'.
static inline void ct_transform_world_under(const ct_transform_arrays *t, const float *above,
                                            uint32_t row, float *out) {
    float room[16];
    if (above != NULL) above = ct_transform_base_of(t, above, row, room);
    ct_transform_world_below(t, above, row, out);
}

/// Computes the world matrix of a row from that of its parent.
static inline void ct_transform_compute_world(const ct_transform_arrays *t, uint32_t row) {
    uint32_t parent = ct_transform_above(t, row);
    ct_transform_world_under(t, parent != CT_NO_ROW ? t->world[parent] : NULL, row, t->world[row]);
}

/// Returns whether an axis has length 0, so that the matrix does not determine the rotation.
static inline bool ct_transform_is_flat(const float *m) {
    for (int j = 0; j < 12; j += 4) {
        if (m[j] == 0.0f && m[j + 1] == 0.0f && m[j + 2] == 0.0f) return true;
    }
    return false;
}

/// Sets the local pose to the world pose. Does not change the world matrix.
void ct_transform_keep_world_as_root(ct_manager *manager, ct_row row);

/// Cache for detaching all children of a transform. The first child that needs a member computes
/// it. Initialize with {.row = the transform's row, .world = NULL, .top = CT_NO_ROW}.
typedef struct ct_detach_context {
    uint32_t row;
    const float *world; ///< world matrix of the transform, in 'room' or the column
    float room[16];
    float rotation[4]; ///< nearest to 'world', as is 'scale'
    float scale[3];
    bool even;    ///< 'world' is 'rotation' times a uniform scale
    uint32_t top; ///< first row, from the transform up, without an axis of length 0
    float above[4];
} ct_detach_context;

/// Sets the local pose to the world pose for a child, still linked, of a transform that loses all
/// its children.
void ct_transform_detach_keep_world(ct_manager *manager, uint32_t row, ct_detach_context *parent);

/// Sets the local pose of 'row' to the one that keeps its world matrix below 'parent', or below a
/// node of it with the matrix 'node', unless that is NULL. Returns CT_OK or CT_ERR_DATA as
/// ct_transform_link. Marks nothing as changed.
ct_status ct_transform_keep_world_under(ct_manager *manager, ct_row row, ct_row parent,
                                        const float *node);

/// Reads item i of the inputs as a local pose.
void ct_transform_resolve(const ct_values *values, uint32_t i, float *local, float *rotation,
                          float *scale);

// ---------------------------------------------------------------- links

/// Initializes a row without relatives.
void ct_transform_clear_links(const ct_transform_arrays *t, uint32_t row);

/// Makes 'row', which has no parent, the last child of 'parent'.
void ct_transform_append(const ct_transform_arrays *t, uint32_t row, uint32_t parent);

// ---------------------------------------------------------------- nodes (transform_nodes.c)

/// Returns the node that a row is attached to, or CT_NO_NODE.
uint32_t ct_transform_attached_node(const ct_transform_arrays *t, uint32_t row);

/// Finds the matrix of a node of the model of 'parent', and makes room to attach a row of 'child'
/// to it. Returns CT_OK; CT_ERR_DATA if there is no such node; or CT_ERR_MEMORY.
ct_status ct_transform_reserve_node(ct_manager *manager, ct_entity child, ct_entity parent,
                                    uint32_t node, const float **matrix);

/// Attaches a row to a node of its parent. The row must be linked, and room must be reserved.
void ct_transform_attach(ct_transforms *transforms, uint32_t row, uint32_t node,
                         const float *matrix);

/// Detaches a row from its node. Never allocates.
void ct_transform_detach(ct_transforms *transforms, uint32_t row);

/// Multiplies a rotation from the left by that of the node that a row is attached to.
void ct_transform_turn_by_node(const ct_transform_arrays *t, uint32_t row, float *rotation);

/// Attaches a row that has a parent to another node of it. The row keeps its position among its
/// siblings. Statuses as ct_transform_link_node.
ct_status ct_transform_reattach(ct_manager *manager, ct_row row, uint32_t node);

/// The slot 'check_assign' of the manager type.
bool ct_transform_check_node(const ct_manager *manager, ct_row row, const ct_values *values,
                             uint32_t count, ct_message *message);

/// Removes all attachments, when all rows are removed.
void ct_transform_clear_attached(ct_transforms *transforms);

/// Parts of the slots 'memory', 'state' and 'validate' of the manager type.
size_t ct_transform_attached_memory(ct_transforms *transforms, ct_memory_task task);
void ct_transform_attached_state(ct_transforms *transforms, ct_state *state);
bool ct_transform_validate_attached(const ct_transforms *transforms, const ct_transform_arrays *t,
                                    ct_message *message);

/// Slots of ct_manager_type.
void ct_transform_removing(ct_manager *manager, ct_row first, uint32_t count);
void ct_transform_moved(ct_manager *manager, ct_row to, ct_row from, uint32_t count);
void ct_transform_orphaned(ct_manager *manager, ct_row row);
bool ct_transform_bake(const ct_values *values, uint32_t i, uint32_t ancestor, void *const *columns,
                       struct ct_arena *arena);
ct_status ct_transform_spawn(ct_manager *manager, const ct_spawn *spawn);
bool ct_transform_validate(const ct_manager *manager, ct_message *message);

/// The slot 'get' of the manager type (transform_pose.c).
bool ct_transform_get_input(ct_manager *manager, uint32_t input, ct_row row, void *item);

#endif
