// Validation of transforms, in resources and in managers.
#include "base/message.h"
#include "component/transform_changes.h"

#include <string.h>

static float size_of(float x) { return x < 0 ? -x : x; }

// Returns whether 'world' is parent_world x local within rounding: each number to 10^-5 of the sum
// of its absolute summands. parent_world is NULL for a root: its world matrix is its local one.
static bool agrees(const float *parent_world, const float *local, const float *world) {
    const float *a = parent_world != NULL ? parent_world : ct_mat4_identity;
    float product[16];
    CT_ASSERT(local != NULL && world != NULL);
    if (!ct_mat4_is_affine(world)) return false;
    if (parent_world == NULL)
        memcpy(product, local, sizeof product);
    else
        ct_mat4_product(a, local, product);
    for (int j = 0; j < 16; ++j) {
        const float *b = local + (j & 12);
        float summands = size_of(a[j & 3] * b[0]) + size_of(a[4 + (j & 3)] * b[1]) +
                         size_of(a[8 + (j & 3)] * b[2]) + size_of(j >= 12 ? a[j] : 0.0f);
        // A NaN from infinities is not greater: such numbers count as equal.
        if (size_of(product[j] - world[j]) > 1e-5f * summands) return false;
        bool number = product[j] == product[j];
        if (number != (world[j] == world[j])) return false;
    }
    return true;
}

bool ct_transform_check(uint32_t count, const uint32_t *ancestor, const float *local,
                        const float *world, const float *rotation, ct_message *message) {
    for (uint32_t i = 0; i < count; ++i) {
        const float *l = local + (size_t)i * 16, *w = world + (size_t)i * 16;
        const float *above = ancestor[i] != CT_NO_ROW ? world + (size_t)ancestor[i] * 16 : NULL;
        if (!ct_mat4_is_affine(l))
            return ct_message_set(message,
                                  CT_TRANSFORM ": the local matrix of instance %u does "
                                               "not end in 0 0 0 1",
                                  i);
        if (!ct_quat_is_unit(rotation + (size_t)i * 4))
            return ct_message_set(
                message, CT_TRANSFORM ": the rotation of instance %u does not have length 1", i);
        if (!agrees(above, l, w))
            return ct_message_set(
                message,
                CT_TRANSFORM ": the world matrix of instance %u does not match its local matrix",
                i);
    }
    return true;
}

// Checks the list of children of a row and adds their number to *listed.
static bool validate_list(const ct_manager *manager, const ct_transform_arrays *t, uint32_t row,
                          uint32_t *listed, ct_message *message) {
    uint32_t count = ct_store_count(&manager->store), last = CT_NO_ROW;
    for (uint32_t child = t->first[row]; child != CT_NO_ROW; child = t->next[child]) {
        if (child >= count || ++*listed > count || ct_transform_above(t, child) != row ||
            t->prev[child] != last)
            return ct_message_set(message,
                                  CT_TRANSFORM ": the list of children of row %u is broken", row);
        if (t->parent[child] != t->parent[t->first[row]])
            return ct_message_set(
                message, CT_TRANSFORM ": children of row %u refer to it by row and by index", row);
        last = child;
    }
    if (t->last[row] != last)
        return ct_message_set(message, CT_TRANSFORM ": row %u has a wrong last child", row);
    return true;
}

// Returns the number of rows that can be reached from roots. The lists must be valid.
static uint32_t count_reached(const ct_transform_arrays *t, uint32_t count) {
    uint32_t reached = 0;
    for (uint32_t root = 0; root < count; ++root) {
        if (t->parent[root] != CT_NO_ROW) continue;
        for (uint32_t row = root; row != CT_NO_ROW; row = ct_transform_step(t, row, root))
            reached++;
    }
    return reached;
}

// Checks that the list of dirty rows and the states of the rows agree.
static bool validate_dirty(const ct_transforms *transforms, const ct_transform_arrays *t,
                           uint32_t count, ct_message *message) {
    uint32_t dirty = 0;
    for (uint32_t row = 0; row < count; ++row) {
        uint32_t place = t->state[row] & CT_STATE_PLACE;
        dirty += place != 0;
        if (place > transforms->dirty_count || (place != 0 && transforms->dirty[place - 1] != row))
            return ct_message_set(message,
                                  CT_TRANSFORM ": row %u has a wrong index in the dirty list", row);
        if ((t->state[row] & CT_STATE_MARKED) != 0)
            return ct_message_set(message,
                                  CT_TRANSFORM ": row %u has the mark of an ended traversal", row);
    }
    if (dirty != transforms->dirty_count || (dirty > 0 && !transforms->deferring))
        return ct_message_set(message, CT_TRANSFORM ": %u rows are dirty, %u in the list", dirty,
                              transforms->dirty_count);
    return true;
}

// Checks rotation and world matrix of a row. World matrices of dirty rows are computed later.
static bool validate_pose(const ct_manager *manager, const ct_transform_arrays *t, uint32_t row,
                          ct_message *message) {
    uint32_t parent = ct_transform_above(t, row);
    // The effects of deaths are applied at the next access.
    if (!ct_transform_alive_or_dying(manager, row)) return true;
    if (parent != CT_NO_ROW && !ct_transform_alive_or_dying(manager, parent)) return true;
    if (ct_transform_is_marked(t->marks[row])) return true;
    if (!ct_quat_is_unit(t->rotation[row]))
        return ct_message_set(message,
                              CT_TRANSFORM ": the rotation of row %u does not have length 1", row);
    if ((t->state[row] & CT_STATE_PLACE) != 0) return true;
    float local[16], room[16];
    ct_transform_get_local(t, row, local);
    const float *above = NULL;
    if (parent != CT_NO_ROW) above = ct_transform_base_of(t, t->world[parent], row, room);
    if (!agrees(above, local, t->world[row]))
        return ct_message_set(
            message, CT_TRANSFORM ": the world matrix of row %u does not match its local matrix",
            row);
    return true;
}

static bool validate_composed(const ct_transform_arrays *t, uint32_t row, ct_message *message) {
    float composed[16], local[16];
    if ((t->state[row] & CT_STATE_COMPOSED) == 0 || t->marks[row].turn != 0) return true;
    ct_mat4_compose(t->position[row], t->rotation[row], t->scale[row], composed);
    ct_transform_get_local(t, row, local);
    bool same = true;
    for (int j = 0; j < 16; ++j) {
        bool numbers = composed[j] == composed[j] && local[j] == local[j];
        same = same && (composed[j] == local[j] || !numbers);
    }
    return same || ct_message_set(message,
                                  CT_TRANSFORM ": the local matrix of row %u is not composed", row);
}

bool ct_transform_validate(const ct_manager *manager, ct_message *message) {
    ct_transform_arrays t = ct_transform_open(manager);
    uint32_t count = ct_store_count(&manager->store), listed = 0, children = 0;
    CT_ASSERT(count == 0 || t.world != NULL);
    for (uint32_t row = 0; row < count; ++row) {
        uint32_t parent = t.parent[row];
        if (parent != CT_NO_ROW && parent >= CT_PARENT_IS_INDEX)
            parent = ct_store_find_index(&manager->store, parent & ~CT_PARENT_IS_INDEX);
        if (t.parent[row] != CT_NO_ROW && parent >= count)
            return ct_message_set(message, CT_TRANSFORM ": the parent of row %u is not a row", row);
        if (parent == CT_NO_ROW && (t.next[row] != CT_NO_ROW || t.prev[row] != CT_NO_ROW))
            return ct_message_set(message, CT_TRANSFORM ": row %u has siblings but no parent", row);
        children += parent != CT_NO_ROW;
        if (!validate_list(manager, &t, row, &listed, message)) return false;
    }
    if (listed != children)
        return ct_message_set(message, CT_TRANSFORM ": %u rows have parents, %u are in their lists",
                              children, listed);
    if (!ct_field_nan_clean(CT_FIELD_FLOAT, t.axes, count * 12))
        return ct_message_set(message, CT_TRANSFORM ": a local matrix contains a reserved NaN");
    if (count_reached(&t, count) != count)
        return ct_message_set(message, CT_TRANSFORM ": some rows are their own ancestors");
    const ct_transforms *transforms = ct_transforms_of(manager);
    if (!validate_dirty(transforms, &t, count, message) ||
        !ct_transform_validate_marks(transforms, &t, count, message) ||
        !ct_transform_validate_attached(transforms, &t, message))
        return false;
    for (uint32_t row = 0; row < count; ++row) {
        if (!validate_pose(manager, &t, row, message) || !validate_composed(&t, row, message))
            return false;
    }
    return true;
}
