// What transforms hang on that hang on nodes of their parents' models.
//
// A bit in the row's state says that it hangs on a node. On which one, and the node's matrix, stand
// beside the rows, found by the row's owner, so that rows may move; and worlds where nothing hangs
// on nodes pay for one comparison with 0 where a subtree is computed.
#include "base/message.h"
#include "component/transform_internal.h"

#include <string.h>

static uint32_t find(const ct_transform_hung *hung, ct_entity owner) {
    return ct_entity_map_find(&hung->map, hung->owners, ct_entity_index(owner));
}

// ---------------------------------------------------------------- memory

// Rows were removed before the manager is destroyed, so 'count' is 0 then.
size_t ct_transform_hung_memory(ct_transforms *me, ct_memory_task task) {
    ct_transform_hung *hung = &me->hung;
    const ct_allocator *allocator = me->base.store.allocator;
    if (task != CT_MEMORY_COUNT && hung->count == 0) {
        ct_array_trim(allocator, (void **)&hung->owners, &hung->owner_capacity, 0,
                      sizeof *hung->owners);
        ct_array_trim(allocator, (void **)&hung->on, &hung->on_capacity, 0, sizeof *hung->on);
        ct_entity_map_free(&hung->map, allocator);
    }
    return hung->owner_capacity * sizeof *hung->owners + hung->on_capacity * sizeof *hung->on +
           ct_entity_map_bytes(&hung->map);
}

void ct_transform_clear_hung(ct_transforms *me) {
    ct_transform_hung *hung = &me->hung;
    if (hung->count > 0) ct_entity_map_clear(&hung->map, hung->owners, hung->count);
    hung->count = 0;
}

static ct_status reserve_arrays(ct_transforms *me, uint32_t needed) {
    ct_transform_hung *hung = &me->hung;
    const ct_allocator *allocator = me->base.store.allocator;
    ct_status status = ct_array_reserve(allocator, (void **)&hung->owners, &hung->owner_capacity,
                                        needed, sizeof *hung->owners);
    if (status != CT_OK) return status;
    return ct_array_reserve(allocator, (void **)&hung->on, &hung->on_capacity, needed,
                            sizeof *hung->on);
}

ct_status ct_transform_reserve_hung(ct_manager *transforms, const ct_entity *owners,
                                    uint32_t count) {
    ct_transforms *me = ct_transforms_of(transforms);
    ct_transform_hung *hung = &me->hung;
    ct_status status = reserve_arrays(me, hung->count + count);
    if (status != CT_OK) return status;
    return ct_entity_map_reserve(&hung->map, transforms->store.allocator, hung->owners, owners,
                                 count);
}

static ct_status reserve_saved(ct_transforms *me, const ct_entity *owners, uint32_t count) {
    ct_transform_hung *hung = &me->hung;
    ct_status status = reserve_arrays(me, count);
    if (status != CT_OK) return status;
    return ct_entity_map_reserve_all(&hung->map, me->base.store.allocator, hung->owners, owners,
                                     count);
}

void ct_transform_hung_state(ct_transforms *me, ct_state *state) {
    ct_transform_hung *hung = &me->hung;
    uint32_t count = ct_state_number(state, hung->count);
    if (state->pass == CT_STATE_COMMIT) ct_transform_clear_hung(me);
    const ct_entity *owners = ct_state_block(state, hung->owners, count * sizeof *hung->owners);
    ct_state_block(state, hung->on, count * sizeof *hung->on);
    if (state->pass == CT_STATE_RESERVE && count > 0)
        ct_state_require(state, reserve_saved(me, owners, count));
    if (state->pass != CT_STATE_COMMIT) return;
    hung->count = count;
    ct_entity_map_enter_all(&hung->map, hung->owners, count, NULL, NULL);
}

// ---------------------------------------------------------------- one row

void ct_transform_hang(ct_transforms *me, uint32_t row, uint32_t node, const float *matrix) {
    ct_transform_hung *hung = &me->hung;
    ct_transform_arrays t = ct_transform_open(&me->base);
    uint32_t place = hung->count++;
    CT_ASSERT(place < hung->on_capacity && (t.state[row] & CT_STATE_HUNG) == 0);
    hung->owners[place] = t.owner[row];
    hung->on[place].node = node;
    memcpy(hung->on[place].matrix, matrix, sizeof hung->on[place].matrix);
    ct_entity_map_enter(&hung->map, hung->owners, ct_entity_index(t.owner[row]), place);
    t.state[row] |= CT_STATE_HUNG;
    t.state[ct_transform_above(&t, row)] |= CT_STATE_BEARS;
}

void ct_transform_drop_node(ct_transforms *me, uint32_t row) {
    ct_transform_hung *hung = &me->hung;
    ct_transform_arrays t = ct_transform_open(&me->base);
    uint32_t place = find(hung, t.owner[row]), last = hung->count - 1;
    CT_ASSERT(place != CT_NO_ROW && (t.state[row] & CT_STATE_HUNG) != 0);
    t.state[row] &= ~CT_STATE_HUNG;
    ct_entity_map_erase(&hung->map, hung->owners, ct_entity_index(t.owner[row]), place);
    if (place != last) {
        ct_entity_map_move(&hung->map, ct_entity_index(hung->owners[last]), last, place);
        hung->owners[place] = hung->owners[last];
        hung->on[place] = hung->on[last];
    }
    hung->count = last;
}

const float *ct_transform_node_matrix(const ct_transform_arrays *t, uint32_t row) {
    uint32_t place = find(t->hung, t->owner[row]);
    CT_ASSERT(place != CT_NO_ROW);
    return t->hung->on[place].matrix;
}

void ct_transform_turn_by_node(const ct_transform_arrays *t, uint32_t row, float *rotation) {
    float turn[4], unused[3];
    ct_mat4_decompose(ct_transform_node_matrix(t, row), NULL, NULL, turn, unused);
    ct_quat_product(turn, rotation, rotation);
}

// ---------------------------------------------------------------- below others

// As a ct_siblings_fn, where some of the children may hang on nodes.
static uint32_t bearing_siblings(const ct_transform_arrays *t, uint32_t child) {
    do {
        ct_transform_compute_world(t, child);
        child = t->next[child];
    } while (child != CT_NO_ROW && t->first[child] == CT_NO_ROW);
    return child;
}

// As propagate_below in transform_pose.c. Parents are asked whether they bear what hangs on nodes;
// the children of those that do not are not asked.
void ct_transform_propagate_hung(const ct_transform_arrays *t, ct_siblings_fn siblings_of,
                                 uint32_t top) {
    const uint32_t *first = t->first, *next = t->next;
    uint32_t parent = top, child = first[top];
    CT_ASSERT(t->world != NULL);
    ct_mat4_columns above = ct_mat4_load(t->world[top]);
    for (;;) {
        while (first[child] != CT_NO_ROW) {
            if ((t->state[child] & CT_STATE_HUNG) != 0) {
                ct_transform_compute_world(t, child);
                above = ct_mat4_load(t->world[child]);
            } else {
                above = ct_mat4_product_parts(&above, t->axes[child], t->position[child],
                                              t->world[child]);
            }
            parent = child;
            child = first[child];
        }
        if ((t->state[parent] & CT_STATE_BEARS) != 0)
            child = bearing_siblings(t, child);
        else
            child = siblings_of(t, t->world[parent], child);
        if (child != CT_NO_ROW) continue;
        do {
            if (parent == top) return;
            child = next[parent];
            parent = ct_transform_above(t, parent);
        } while (child == CT_NO_ROW);
        above = ct_mat4_load(t->world[parent]);
    }
}

uint32_t ct_transform_place_hung(const ct_transforms *me, uint32_t row) {
    return find(&me->hung, ct_store_owners(&me->base.store)[row]);
}

// ---------------------------------------------------------------- invariants

// Of a living row below a living parent: the node is there, and its matrix known.
static bool validate_one(const ct_transforms *me, const ct_transform_arrays *t, uint32_t row,
                         uint32_t place, ct_message *message) {
    const ct_node_source *source = &me->hung.source;
    const ct_transform_on *own = &me->hung.on[place];
    uint32_t parent = ct_transform_above(t, row);
    if (parent == CT_NO_ROW || (t->state[parent] & CT_STATE_BEARS) == 0)
        return ct_message_set(message, CT_TRANSFORM ": row %u hangs on a node of nobody", row);
    if (!ct_transform_answers(&me->base, row) || !ct_transform_answers(&me->base, parent))
        return true;
    const float *now = source->matrix(source->user, t->owner[parent], own->node);
    if (now == NULL || !ct_mat4_same_bits(own->matrix, now))
        return ct_message_set(
            message, CT_TRANSFORM ": row %u hangs on a node that is not there, or elsewhere", row);
    return true;
}

bool ct_transform_validate_hung(const ct_transforms *me, const ct_transform_arrays *t,
                                ct_message *message) {
    uint32_t count = ct_store_count(&me->base.store), hanging = 0;
    for (uint32_t row = 0; row < count; ++row) {
        if ((t->state[row] & CT_STATE_HUNG) == 0) continue;
        uint32_t place = find(&me->hung, t->owner[row]);
        hanging++;
        if (place == CT_NO_ROW || me->hung.owners[place].id != t->owner[row].id)
            return ct_message_set(message, CT_TRANSFORM ": nobody knows the node of row %u", row);
        if (!validate_one(me, t, row, place, message)) return false;
    }
    return hanging == me->hung.count ||
           ct_message_set(message, CT_TRANSFORM ": %u rows hang on nodes, %u are known", hanging,
                          me->hung.count);
}
