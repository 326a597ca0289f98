// Shared by the files of the transform manager: its columns and inner steps.
// Longer than most headers: columns and state of a row are drawn here.
#ifndef CT_TRANSFORM_INTERNAL_H
#define CT_TRANSFORM_INTERNAL_H

#include "base/math.h"
#include "component/transform.h"

enum {
    CT_TRANSFORM_POSITION = CT_COLUMN_OWNER + 1, // local, beside the axes: moving touches it alone
    CT_TRANSFORM_AXES,                           // the first three columns of the local matrix
    CT_TRANSFORM_WORLD,
    CT_TRANSFORM_ROTATION,
    CT_TRANSFORM_SCALE,
    CT_TRANSFORM_PARENT, // rows, or CT_NO_ROW; a parent may be told by its entity
    CT_TRANSFORM_FIRST_CHILD,
    CT_TRANSFORM_LAST_CHILD,
    CT_TRANSFORM_NEXT_SIBLING,
    CT_TRANSFORM_PREV_SIBLING,
    CT_TRANSFORM_STATE,
    CT_TRANSFORM_MARKS,
    CT_TRANSFORM_COLUMN_END
};

// A row's state:
//
//     31        30      29        28            27 .. 0
//     composed  marked  attached  has attached  place among the dirty rows, from 1; 0: not dirty
//
// composed      the local matrix is to the bit what position, rotation and scale compose
// marked        belongs to one walk: see where it is set
// attached      to a node of its parent's model: see transform_nodes.c
// has attached  some child may be attached
#define CT_STATE_COMPOSED 0x80000000u
#define CT_STATE_MARKED 0x40000000u
#define CT_STATE_ATTACHED 0x20000000u
#define CT_STATE_HAS_ATTACHED 0x10000000u
#define CT_STATE_PLACE 0x0FFFFFFFu

/// The columns of a row that were written in place and not resolved yet: see transform_marks.c.
typedef struct ct_transform_marks {
    unsigned char position, turn; // or scale
} ct_transform_marks;

static inline bool ct_transform_is_marked(ct_transform_marks marks) {
    return (marks.position | marks.turn) != 0;
}

typedef struct ct_transform_arrays ct_transform_arrays;

/// World matrices of siblings without children, from 'child' on, below a parent with the world
/// matrix 'above'. Returns the first sibling that has children, or CT_NO_ROW.
typedef uint32_t (*ct_siblings_fn)(const ct_transform_arrays *t, const float *above,
                                   uint32_t child);

typedef struct ct_pose_watch ct_pose_watch;

/// The node that a row is attached to.
typedef struct ct_node_attachment {
    uint32_t node;
    float matrix[16];
} ct_node_attachment;

/// Rows that are attached to nodes, by their owners: few, beside the rows, in no order.
typedef struct ct_node_attachments {
    ct_entity_map map; // to places in both arrays
    ct_entity *owners;
    ct_node_attachment *on;
    uint32_t count;
    uint32_t owner_capacity;
    uint32_t on_capacity;
    ct_node_source source;
} ct_node_attachments;

typedef struct ct_transforms {
    ct_manager base;
    ct_siblings_fn siblings; // as wide as the processor has it

    // Rows whose local pose or parent has changed while their world pose has not: in a batch and
    // in deferred mode. Room for every row while 'noting', so that noting cannot fail; behind it
    // as much again for the way up from a row.
    uint32_t *dirty;
    uint32_t dirty_count;
    uint32_t dirty_capacity;
    uint32_t batches; // one inside another
    bool deferred;
    uint32_t deferring; // a batch runs, or the mode is deferred: columns may be written in place

    unsigned char *blocks; // of CT_MARK_BLOCK rows: whether one of them may be marked
    uint32_t block_rows;   // room
    unsigned char written; // whether any may be

    ct_node_attachments attached;

    ct_pose_watch *watches; // NULL: changes are not recorded
    uint32_t last_watch;

    float current[16]; // what ct_transform_world_matrix or _local_matrix worked out
} ct_transforms;

/// The columns, looked up once per function. Valid until rows are created.
struct ct_transform_arrays {
    const ct_entity *owner;
    uint32_t *const *pages; // of the map
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
        .attached = &((const ct_transforms *)(const void *)manager)->attached,
    };
}

/// The children of a parent name its row. Once one with many moves they name its entity index, with
/// this bit, and so do those that come later: it moves on without touching them.
#define CT_PARENT_IS_INDEX 0x80000000u

/// How many that are, from here on.
#define CT_MANY_CHILDREN (CT_FIRST_CAPACITY / 2)

/// The row of the parent, or CT_NO_ROW. A parent that is named by its index is in the map: its
/// children leave it when its row is removed or orphaned.
static inline uint32_t ct_transform_above(const ct_transform_arrays *t, uint32_t row) {
    uint32_t parent = t->parent[row];
    if (CT_LIKELY(parent < CT_PARENT_IS_INDEX)) return parent;
    if (parent == CT_NO_ROW) return CT_NO_ROW;
    uint32_t index = parent & ~CT_PARENT_IS_INDEX;
    return ~t->pages[index >> CT_MAP_PAGE_BITS][index & (CT_MAP_PAGE_ROWS - 1)];
}

static inline bool ct_transform_answers(const ct_manager *manager, uint32_t row) {
    return ct_entity_manager_answers(manager->store.entities,
                                     ct_store_owners(&manager->store)[row]);
}

/// Makes roots of the rows whose parents died since the last call. O(deaths).
void ct_transform_flush_new_deaths(ct_manager *manager);

static inline void ct_transform_flush_deaths(ct_manager *manager) {
    if (CT_UNLIKELY(manager->deaths_seen != manager->store.entities->tail))
        ct_transform_flush_new_deaths(manager);
}

static inline ct_transforms *ct_transforms_of(ct_manager *manager) {
    return (ct_transforms *)(void *)manager;
}

// ---------------------------------------------------------------- poses

/// The local matrix of a row, put together.
static inline void ct_transform_get_local(const ct_transform_arrays *t, uint32_t row, float *out) {
    const float *p = t->position[row];
    const float column[4] = {p[0], p[1], p[2], 1};
    CT_ASSERT(out != NULL);
    for (size_t j = 0; j < 12; j += 4)
        ct_copy_four(t->axes[row] + j, out + j);
    memcpy(out + 12, column, sizeof column);
}

/// The local matrix of a row becomes 'local'; its parts stay.
static inline void ct_transform_put_local(const ct_transform_arrays *t, uint32_t row,
                                          const float *local) {
    for (size_t j = 0; j < 12; j += 4)
        ct_copy_four(local + j, t->axes[row] + j);
    memcpy(t->position[row], local + 12, sizeof t->position[row]);
}

/// out = above x the local matrix of a row; a root's, 'above' NULL, is its local. 'out' may be
/// 'above'.
static inline void ct_transform_world_below(const ct_transform_arrays *t, const float *above,
                                            uint32_t row, float *out) {
    if (above == NULL) {
        ct_transform_get_local(t, row, out);
        return;
    }
    ct_mat4_columns left = ct_mat4_load(above);
    ct_mat4_product_parts(&left, t->axes[row], t->position[row], out);
}

/// Whether a row is attached to a node.
static inline bool ct_transform_is_attached(const ct_transform_arrays *t, uint32_t row) {
    return CT_UNLIKELY(t->attached->count != 0) && (t->state[row] & CT_STATE_ATTACHED) != 0;
}

/// The matrix of the node that a row is attached to.
const float *ct_transform_node_matrix(const ct_transform_arrays *t, uint32_t row);

/// What a row's local matrix is relative to, where its parent's world matrix is 'above': the
/// parent, or the node. Returns 'above' or 'room', which may be the same.
static inline const float *ct_transform_base_of(const ct_transform_arrays *t, const float *above,
                                                uint32_t row, float *room) {
    if (!ct_transform_is_attached(t, row)) return above;
    ct_mat4_product(above, ct_transform_node_matrix(t, row), room);
    return room;
}

/// out = the world matrix of a row whose parent's is 'above'; NULL for a root. 'out' may be
/// 'above'.
static inline void ct_transform_world_under(const ct_transform_arrays *t, const float *above,
                                            uint32_t row, float *out) {
    float room[16];
    if (above != NULL) above = ct_transform_base_of(t, above, row, room);
    ct_transform_world_below(t, above, row, out);
}

/// The world matrix of a row, from that of its parent.
static inline void ct_transform_compute_world(const ct_transform_arrays *t, uint32_t row) {
    uint32_t parent = ct_transform_above(t, row);
    ct_transform_world_under(t, parent != CT_NO_ROW ? t->world[parent] : NULL, row, t->world[row]);
}

/// Whether some axis has no length, so that the matrix alone does not tell the rotation.
static inline bool ct_transform_is_flat(const float *m) {
    for (int j = 0; j < 12; j += 4) {
        if (m[j] == 0.0f && m[j + 1] == 0.0f && m[j + 2] == 0.0f) return true;
    }
    return false;
}

/// Rotation and scale nearest to the world matrix of a row. O(1), or O(depth)
/// below a scale of zero.
void ct_transform_world_parts(const ct_manager *manager, ct_row row, float *rotation, float *scale);

/// The local pose becomes the world pose. The world matrix is not looked at again.
void ct_transform_keep_world_as_root(ct_manager *manager, ct_row row);

/// What the children of a transform that leaves them have in common, worked out for the first that
/// asks: begin with {.row = its row, .world = NULL, .top = CT_NO_ROW}.
typedef struct ct_transform_leaving {
    uint32_t row;
    const float *world; ///< of the parent; 'room', or a column
    float room[16];
    float rotation[4]; ///< of 'world'
    float scale[3];
    bool even;    ///< 'world' is that rotation after a scale that is the same in all directions
    uint32_t top; ///< the first row, from the parent up, that tells its rotation
    float above[4];
} ct_transform_leaving;

/// The same for a child, still linked, of a transform that leaves all its children.
void ct_transform_detach_keep_world(ct_manager *manager, uint32_t row,
                                    ct_transform_leaving *parent);

/// Sets the local pose of 'row' to what gives its world matrix under 'parent', or under a node of
/// it with the matrix 'node', unless that is NULL. CT_OK or CT_ERR_DATA as ct_transform_link. Marks
/// nothing as changed.
ct_status ct_transform_keep_world_under(ct_manager *manager, ct_row row, ct_row parent,
                                        const float *node);

/// Reads row i of the inputs as a local pose.
void ct_transform_resolve(const ct_values *values, uint32_t i, float *local, float *rotation,
                          float *scale);

/// Whether 'world' is parent_world x local but for rounding (each number to 10^-5 of what
/// was added up for it); parent_world NULL for a root, whose world is its local.
bool ct_transform_agrees(const float *parent_world, const float *local, const float *world);

// ---------------------------------------------------------------- links

/// A new row without relatives.
void ct_transform_clear_links(const ct_transform_arrays *t, uint32_t row);

/// 'row', which has no parent, becomes the last child of 'parent'.
void ct_transform_append(const ct_transform_arrays *t, uint32_t row, uint32_t parent);

// ---------------------------------------------------------------- nodes (transform_hung.c,
// _nodes.c)

/// The place of the attachment of a row.
uint32_t ct_transform_attachment(const ct_transforms *transforms, uint32_t row);

/// Attaches a row to a node of its parent. The parent is linked, and room is reserved.
void ct_transform_attach(ct_transforms *transforms, uint32_t row, uint32_t node,
                         const float *matrix);

/// Detaches a row from its node. Never allocates.
void ct_transform_detach(ct_transforms *transforms, uint32_t row);

/// Multiplies a rotation from the left by that of the node that a row is attached to.
void ct_transform_turn_by_node(const ct_transform_arrays *t, uint32_t row, float *rotation);

/// Attaches a row that has a parent to another node of it. The row keeps its place among its
/// siblings. Statuses as ct_transform_link_node.
ct_status ct_transform_reattach(ct_manager *manager, ct_row row, uint32_t node);

/// The slot 'check_assign' of the manager type.
bool ct_transform_check_node(const ct_manager *manager, ct_row row, const ct_values *values,
                             uint32_t count, ct_message *message);

/// All rows are removed at once.
void ct_transform_clear_attached(ct_transforms *transforms);

/// For the slots 'memory' and 'state' of the manager type.
size_t ct_transform_attached_memory(ct_transforms *transforms, ct_memory_task task);
void ct_transform_attached_state(ct_transforms *transforms, ct_state *state);
bool ct_transform_validate_attached(const ct_transforms *transforms, const ct_transform_arrays *t,
                                    ct_message *message);

/// The slots of ct_manager_type.
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
