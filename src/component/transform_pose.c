// Local poses of transforms, and propagation to world matrices.
#include "base/wide.h"
#include "component/transform_changes.h"

#include <string.h>

// A kernel computes world matrices of children of 'parent' without those of 'child' before it.
// 'chain' begins with 'child' and goes down along first children, and returns the row without
// children at the end, or CT_NO_ROW if no row of the chain has a later sibling. 'siblings' computes
// 'child' and later siblings without children, and returns the first one that has children, or
// CT_NO_ROW.
typedef uint32_t (*kernel)(const ct_transform_arrays *t, uint32_t parent, uint32_t child);

// A chain is multiplied in registers: through memory each node would wait for its parent.
static inline uint32_t chain(const ct_transform_arrays *t, uint32_t parent, uint32_t child) {
    float(*restrict axes)[12] = t->axes;
    float(*restrict position)[3] = t->position;
    float(*restrict world)[16] = t->world;
    const uint32_t *restrict first = t->first;
    const uint32_t *restrict next = t->next;
    ct_mat4_columns above = ct_mat4_load(world[parent]);
    uint32_t later = CT_NO_ROW; // all bits of CT_NO_ROW are set
    for (;; child = first[child]) {
        above = ct_mat4_product_parts(&above, axes[child], position[child], world[child]);
        later &= next[child];
        if (first[child] == CT_NO_ROW) return later == CT_NO_ROW ? CT_NO_ROW : child;
    }
}

static inline uint32_t siblings(const ct_transform_arrays *t, uint32_t parent, uint32_t child) {
    float(*restrict axes)[12] = t->axes;
    float(*restrict position)[3] = t->position;
    float(*restrict world)[16] = t->world;
    ct_mat4_columns left = ct_mat4_load(world[parent]);
    do {
        ct_mat4_product_parts(&left, axes[child], position[child], world[child]);
        child = t->next[child];
    } while (child != CT_NO_ROW && t->first[child] == CT_NO_ROW);
    return child;
}

// The kernels if rows may be attached to nodes. Only children of rows that have attached children
// are checked.
static uint32_t attached_chain(const ct_transform_arrays *t, uint32_t parent, uint32_t child) {
    (void)parent;
    for (;; child = t->first[child]) {
        ct_transform_compute_world(t, child);
        if (t->first[child] == CT_NO_ROW) return child;
    }
}

static uint32_t attached_siblings(const ct_transform_arrays *t, uint32_t parent, uint32_t child) {
    if ((t->state[parent] & CT_STATE_HAS_ATTACHED) == 0) return siblings(t, parent, child);
    do {
        ct_transform_compute_world(t, child);
        child = t->next[child];
    } while (child != CT_NO_ROW && t->first[child] == CT_NO_ROW);
    return child;
}

// Computes the world matrices below 'top'. Links lead back up, so no stack is needed, and a chain
// of a million rows costs as much as a million children (Bitsquid part 3, transform(), which is
// recursive).
static CT_ALWAYS_INLINE void propagate_with(const ct_transform_arrays *t, uint32_t top,
                                            kernel chain_of, kernel siblings_of) {
    const uint32_t *first = t->first, *next = t->next;
    uint32_t parent = top, child = first[top];
    for (;;) {
        if (first[child] != CT_NO_ROW || next[child] == CT_NO_ROW) {
            child = chain_of(t, parent, child);
            if (child != CT_NO_ROW) {
                parent = ct_transform_above(t, child);
                child = next[child];
            }
        } else {
            child = siblings_of(t, parent, child);
        }
        // At the end of a list the walk continues with the siblings of the parent or of an
        // ancestor.
        while (child == CT_NO_ROW) {
            if (parent == top) return;
            child = next[parent];
            parent = ct_transform_above(t, parent);
        }
    }
}

static CT_NOINLINE void propagate_attached(const ct_transform_arrays *t, uint32_t top) {
    propagate_with(t, top, attached_chain, attached_siblings);
}

static void propagate(const ct_transform_arrays *t, uint32_t top) {
    propagate_with(t, top, chain, siblings);
}

#ifdef CT_HAS_WIDE
CT_WIDE static inline uint32_t chain_wide(const ct_transform_arrays *t, uint32_t parent,
                                          uint32_t child) {
    float(*restrict axes)[12] = t->axes;
    float(*restrict position)[3] = t->position;
    float(*restrict world)[16] = t->world;
    const uint32_t *restrict first = t->first;
    const uint32_t *restrict next = t->next;
    ct_wide_columns above = ct_wide_load(world[parent]);
    uint32_t later = CT_NO_ROW;
    for (;; child = first[child]) {
        above = ct_wide_product(&above, axes[child], position[child], world[child]);
        later &= next[child];
        if (first[child] == CT_NO_ROW) return later == CT_NO_ROW ? CT_NO_ROW : child;
    }
}

CT_WIDE static CT_NOINLINE uint32_t siblings_wide(const ct_transform_arrays *t, uint32_t parent,
                                                  uint32_t child) {
    float(*restrict axes)[12] = t->axes;
    float(*restrict position)[3] = t->position;
    float(*restrict world)[16] = t->world;
    const uint32_t *restrict next = t->next, *restrict first = t->first;
    ct_wide_columns left = ct_wide_load(world[parent]);
    do {
        uint32_t row = child;
        for (bool more = true; more; ++row) {
            ct_wide_product(&left, axes[row], position[row], world[row]);
            more = next[row] == row + 1 && first[row + 1] == CT_NO_ROW;
        }
        child = next[row - 1];
    } while (child != CT_NO_ROW && first[child] == CT_NO_ROW);
    return child;
}

CT_WIDE static void propagate_wide(const ct_transform_arrays *t, uint32_t top) {
    propagate_with(t, top, chain_wide, siblings_wide);
}
#endif

ct_propagate_fn ct_transform_choose_propagate(void) {
#ifdef CT_HAS_WIDE
    if (ct_wide_is_supported()) return propagate_wide;
#endif
    return propagate;
}

static CT_NOINLINE void compute_below(const ct_transform_arrays *t, uint32_t row) {
    ct_transform_compute_world(t, row);
}

void ct_transform_propagate_from(const ct_transforms *transforms, const ct_transform_arrays *t,
                                 uint32_t row) {
    CT_ASSERT(t->world != NULL);
    if (t->parent[row] == CT_NO_ROW)
        ct_transform_get_local(t, row, t->world[row]);
    else
        compute_below(t, row);
    if (t->first[row] != CT_NO_ROW) {
        if (CT_UNLIKELY(t->attached->count != 0))
            propagate_attached(t, row);
        else
            transforms->propagate(t, row);
    }
    if (CT_UNLIKELY(transforms->watches != NULL)) ct_transform_notify_subtree(transforms, t, row);
}

void ct_transform_local_pose(ct_manager *manager, ct_row row, ct_pose *out) {
    ct_transform_arrays t = ct_transform_open_row(manager, row);
    memcpy(out->position, t.position[row.i], sizeof out->position);
    memcpy(out->rotation, t.rotation[row.i], sizeof out->rotation);
    memcpy(out->scale, t.scale[row.i], sizeof out->scale);
}

const float *ct_transform_local_matrix(ct_manager *manager, ct_row row) {
    float *out = ct_transforms_of(manager)->current;
    ct_transform_arrays t = ct_transform_open_row(manager, row);
    ct_transform_get_local(&t, row.i, out);
    return out;
}

// Returns whether the local matrix differs from the one that position, rotation and scale compose.
static bool is_sheared(ct_manager *manager, ct_row row) {
    ct_transform_arrays t = ct_transform_open_row(manager, row);
    float local[16];
    if ((t.state[row.i] & CT_STATE_COMPOSED) != 0) return false;
    ct_transform_get_local(&t, row.i, local);
    return ct_mat4_is_sheared(local, t.rotation[row.i], t.scale[row.i]);
}

static bool has_same_bits(const void *a, const void *b, size_t bytes) {
    return memcmp(a, b, bytes) == 0;
}

// Returns whether rows have the same local poses and no marks.
static bool are_same(const ct_transform_arrays *t, uint32_t i, const ct_transform_arrays *o,
                     uint32_t j, size_t count) {
    for (uint32_t k = 0; k < count; ++k)
        if (ct_transform_is_marked(t->marks[i + k]) || ct_transform_is_marked(o->marks[j + k]))
            return false;
    return has_same_bits(t->position[i], o->position[j], count * sizeof *t->position) &&
           has_same_bits(t->axes[i], o->axes[j], count * sizeof *t->axes) &&
           has_same_bits(t->rotation[i], o->rotation[j], count * sizeof *t->rotation) &&
           has_same_bits(t->scale[i], o->scale[j], count * sizeof *t->scale);
}

void ct_transform_compare_poses(const ct_manager *a, ct_row row, const ct_manager *b, ct_row other,
                                uint32_t count, bool *differs) {
    const ct_transform_arrays t = ct_transform_open(a), o = ct_transform_open(b);
    if (count > 1 && are_same(&t, row.i, &o, other.i, count)) return;
    for (uint32_t k = 0; k < count; ++k)
        differs[k] |= !are_same(&t, row.i + k, &o, other.i + k, 1);
}

void ct_transform_compare_parents(ct_manager *manager, const uint32_t *rows,
                                  const ct_entity *parents, uint32_t count, bool *differs) {
    const ct_transform_arrays t = ct_transform_open_current(manager);
    for (uint32_t k = 0; k < count; ++k) {
        if (differs[k]) continue;
        uint32_t above = ct_transform_above(&t, rows[k]);
        differs[k] = parents[k].id != (above != CT_NO_ROW ? t.owner[above].id : CT_NOBODY);
    }
}

bool ct_transform_get_input(ct_manager *manager, uint32_t input, ct_row row, void *item) {
    bool sheared = input <= CT_TRANSFORM_IN_MATRIX && is_sheared(manager, row);
    ct_entity above = {CT_NOBODY};
    ct_pose pose = ct_pose_identity;
    if (input < CT_TRANSFORM_IN_MATRIX) ct_transform_local_pose(manager, row, &pose);
    ct_transform_arrays t = ct_transform_open_current(manager);
    uint32_t parent = ct_transform_above(&t, row.i), number;
    switch (input) {
    case CT_TRANSFORM_IN_POSITION: memcpy(item, pose.position, sizeof pose.position); break;
    case CT_TRANSFORM_IN_ROTATION: memcpy(item, pose.rotation, sizeof pose.rotation); break;
    case CT_TRANSFORM_IN_SCALE: memcpy(item, pose.scale, sizeof pose.scale); break;
    case CT_TRANSFORM_IN_MATRIX:
        memcpy(item, ct_transform_local_matrix(manager, row), 16 * sizeof(float));
        return sheared;
    case CT_TRANSFORM_IN_PARENT:
        if (parent != CT_NO_ROW) above = ct_store_owners(&manager->store)[parent];
        memcpy(item, &above, sizeof above);
        return true;
    case CT_TRANSFORM_IN_PARENT_NODE:
        number = ct_transform_attached_node(&t, row.i) + 1;
        memcpy(item, &number, sizeof number);
        return number != 0;
    default: return false; // the rotation includes the angle
    }
    return !sheared;
}

// Composes the local matrix from its parts. NULL keeps a part, including the position.
static void set_parts(ct_manager *manager, ct_row row, const float *position, const float *rotation,
                      const float *scale) {
    ct_transform_arrays t = ct_transform_open_row(manager, row);
    float local[16];
    if (rotation != NULL) ct_quat_normalize(rotation, t.rotation[row.i]);
    if (scale != NULL) memcpy(t.scale[row.i], scale, sizeof t.scale[row.i]);
    ct_floats_clean(t.scale[row.i], 3);
    ct_mat4_compose(position != NULL ? position : t.position[row.i], t.rotation[row.i],
                    t.scale[row.i], local);
    ct_transform_put_local(&t, row.i, local);
    t.state[row.i] |= CT_STATE_COMPOSED;
    ct_transform_changed(manager, row);
}

void ct_transform_set_local_position(ct_manager *manager, ct_row row, const float *position) {
    ct_transform_arrays t = ct_transform_open_row(manager, row);
    if ((t.state[row.i] & CT_STATE_COMPOSED) == 0) {
        set_parts(manager, row, position, NULL, NULL);
        return;
    }
    // The axes are composed already.
    ct_point_clean(position, t.position[row.i]);
    ct_transform_follow(ct_transforms_of(manager), &t, row.i);
}

void ct_transform_set_local_rotation(ct_manager *manager, ct_row row, const float *rotation) {
    set_parts(manager, row, NULL, rotation, NULL);
}

void ct_transform_set_local_angle(ct_manager *manager, ct_row row, float angle) {
    float rotation[4];
    ct_quat_from_angle(angle, rotation);
    set_parts(manager, row, NULL, rotation, NULL);
}

void ct_transform_set_local_scale(ct_manager *manager, ct_row row, const float *scale) {
    set_parts(manager, row, NULL, NULL, scale);
}

ct_status ct_transform_set_local_pose(ct_manager *manager, ct_row row, const ct_pose *pose) {
    set_parts(manager, row, pose->position, pose->rotation, pose->scale);
    return CT_OK;
}

ct_status ct_transform_set_local_matrix(ct_manager *manager, ct_row row, const float *matrix) {
    if (!ct_mat4_is_affine(matrix)) return CT_ERR_DATA;
    ct_transform_arrays t = ct_transform_open_row(manager, row);
    float clean[16];
    memcpy(clean, matrix, sizeof clean);
    ct_floats_clean(clean, 16);
    ct_mat4_decompose(clean, t.rotation[row.i], t.scale[row.i], t.rotation[row.i], t.scale[row.i]);
    ct_transform_put_any_local(&t, row.i, clean);
    ct_transform_changed(manager, row);
    return CT_OK;
}

void ct_transform_resolve(const ct_values *values, uint32_t i, float *local, float *rotation,
                          float *scale) {
    const ct_pose *none = &ct_pose_identity;
    const float *matrix = ct_values_item(&values[CT_TRANSFORM_IN_MATRIX], i);
    if (matrix != NULL) {
        memcpy(local, matrix, 16 * sizeof *local);
        ct_mat4_decompose(local, NULL, NULL, rotation, scale);
        return;
    }
    const float *position = ct_values_item(&values[CT_TRANSFORM_IN_POSITION], i);
    const float *turn = ct_values_item(&values[CT_TRANSFORM_IN_ROTATION], i);
    const float *angle = ct_values_item(&values[CT_TRANSFORM_IN_ANGLE], i);
    const float *size = ct_values_item(&values[CT_TRANSFORM_IN_SCALE], i);
    if (angle != NULL)
        ct_quat_from_angle(*angle, rotation);
    else
        ct_quat_normalize(turn != NULL ? turn : none->rotation, rotation);
    memcpy(scale, size != NULL ? size : none->scale, sizeof none->scale);
    ct_mat4_compose(position != NULL ? position : none->position, rotation, scale, local);
}

const uint16_t ct_transform_local_columns[] = {CT_TRANSFORM_POSITION,
                                               CT_TRANSFORM_ROTATION,
                                               CT_TRANSFORM_SCALE,
                                               CT_TRANSFORM_PARENT,
                                               CT_TRANSFORM_STATE,
                                               CT_TRANSFORM_AXES,
                                               0};

bool ct_transform_are_composed(const ct_manager *manager, uint32_t first, uint32_t count) {
    const uint32_t *state = ct_transform_open(manager).state;
    uint32_t all = CT_STATE_COMPOSED;
    for (uint32_t row = first; row < first + count; ++row)
        all &= state[row];
    return all != 0;
}

bool ct_transform_is_linked(const ct_manager *manager, ct_row row, bool *attached) {
    ct_transform_arrays t = ct_transform_open(manager);
    *attached = ct_transform_is_attached(&t, row.i);
    return t.parent[row.i] != CT_NO_ROW;
}

uint32_t ct_transform_attached_count(const ct_manager *manager) {
    return ct_transforms_of(manager)->attached.count;
}
