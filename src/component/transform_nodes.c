// Transforms that hang on nodes of their parents' models: on which, and how they follow them.
#include "base/message.h"
#include "component/transform_changes.h"
#include "component/transform_internal.h"

#include <string.h>

void ct_transform_set_node_source(ct_manager *transforms, const ct_node_source *source) {
    ct_transforms_of(transforms)->hung.source = *source;
}

uint32_t ct_transform_find_node(const ct_manager *transforms, ct_row row, ct_text node,
                                ct_message *message) {
    const ct_node_source *source = &((const ct_transforms *)(const void *)transforms)->hung.source;
    if (source->find != NULL)
        return source->find(source->user, ct_store_owners(&transforms->store)[row.i], node,
                            message);
    ct_message_set(message, "there are no models here");
    return CT_NO_NODE;
}

uint32_t ct_transform_parent_node(ct_manager *transforms, ct_row row) {
    ct_transform_flush_deaths(transforms);
    ct_transform_arrays t = ct_transform_open(transforms);
    if (!ct_transform_is_hung(&t, row.i)) return CT_NO_NODE;
    return t.hung->on[ct_transform_place_hung(ct_transforms_of(transforms), row.i)].node;
}

ct_status ct_transform_rehang(ct_manager *transforms, ct_row row, uint32_t node) {
    ct_transforms *me = ct_transforms_of(transforms);
    const ct_node_source *source = &me->hung.source;
    ct_transform_arrays t = ct_transform_open(transforms);
    const float *matrix =
        source->matrix(source->user, t.owner[ct_transform_above(&t, row.i)], node);
    if (matrix == NULL) return CT_ERR_DATA;
    ct_status status = ct_transform_reserve_hung(transforms, &t.owner[row.i], 1);
    if (status != CT_OK) return status;
    // Nothing below this line can fail.
    if ((t.state[row.i] & CT_STATE_HUNG) != 0) ct_transform_drop_node(me, row.i);
    ct_transform_hang(me, row.i, node, matrix);
    ct_transform_changed(transforms, row);
    return CT_OK;
}

// The row of the parent that the values name for item i, or that 'row' has, or CT_NO_ROW.
static ct_row wanted_parent(const ct_manager *transforms, ct_row row, const ct_values *values,
                            uint32_t i) {
    const void *item = ct_values_item(&values[CT_TRANSFORM_IN_PARENT], i);
    ct_entity parent;
    if (item != NULL) {
        memcpy(&parent, item, sizeof parent);
        return ct_store_find(&transforms->store, parent);
    }
    ct_transform_arrays t = ct_transform_open(transforms);
    if (row.i != CT_NO_ROW) row.i = ct_transform_above(&t, row.i);
    return row;
}

bool ct_transform_check_node(const ct_manager *transforms, ct_row row, const ct_values *values,
                             uint32_t count, ct_message *message) {
    const ct_values *nodes = &values[CT_TRANSFORM_IN_PARENT_NODE];
    bool alike = nodes->stride == 0 && values[CT_TRANSFORM_IN_PARENT].stride == 0;
    ct_message reason;
    if (nodes->items == NULL) return true;
    for (uint32_t i = 0; i < (alike && count > 0 ? 1 : count); ++i) {
        ct_row parent = wanted_parent(transforms, row, values, i);
        if (parent.i == CT_NO_ROW || !ct_transform_answers(transforms, parent.i))
            return ct_message_set(message, "parent_node: there is no parent");
        ct_text text;
        memcpy(&text, ct_values_item(nodes, i), sizeof text);
        if (ct_transform_find_node(transforms, parent, text, &reason) == CT_NO_NODE)
            return ct_message_set(message, "parent_node: %s", reason.text);
    }
    return true;
}

// The matrix of a node of the parent's model, as it is now, is what a row hangs on.
static void follow(ct_transforms *me, uint32_t row, uint32_t place) {
    const ct_node_source *source = &me->hung.source;
    ct_transform_arrays t = ct_transform_open(&me->base);
    ct_transform_on *own = &me->hung.on[place];
    const float *now =
        source->matrix(source->user, t.owner[ct_transform_above(&t, row)], own->node);
    CT_ASSERT(now != NULL);
    if (ct_mat4_same_bits(own->matrix, now)) return;
    memcpy(own->matrix, now, sizeof own->matrix);
    ct_transform_changed(&me->base, (ct_row){row});
}

void ct_transform_follow_nodes(ct_manager *transforms) {
    ct_transforms *me = ct_transforms_of(transforms);
    if (me->hung.count == 0) return;
    ct_transform_flush_deaths(transforms);
    for (uint32_t i = 0; i < me->hung.count; ++i) {
        ct_transform_arrays t = ct_transform_open(transforms);
        ct_row row = ct_store_find(&transforms->store, me->hung.owners[i]);
        // Of the dead nobody asks; a parent dies with its callbacks, and takes its model along.
        if (row.i != CT_NO_ROW && ct_transform_answers(transforms, ct_transform_above(&t, row.i)))
            follow(me, row.i, i);
    }
}

void ct_transform_renumber_nodes(ct_manager *transforms, ct_entity owner,
                                 uint32_t (*renumber)(const void *user, uint32_t node),
                                 const void *user) {
    ct_transforms *me = ct_transforms_of(transforms);
    if (me->hung.count == 0) return;
    ct_transform_flush_deaths(transforms);
    ct_transform_arrays t = ct_transform_open(transforms);
    ct_row parent = ct_store_find(&transforms->store, owner);
    if (parent.i == CT_NO_ROW || (t.state[parent.i] & CT_STATE_BEARS) == 0) return;
    for (uint32_t row = t.first[parent.i]; row != CT_NO_ROW; row = t.next[row]) {
        if ((t.state[row] & CT_STATE_HUNG) == 0) continue;
        uint32_t place = ct_transform_place_hung(me, row), *node = &me->hung.on[place].node;
        *node = renumber != NULL ? renumber(user, *node) : CT_NO_NODE;
        if (*node != CT_NO_NODE) {
            follow(me, row, place);
            continue;
        }
        ct_transform_drop_node(me, row);
        ct_transform_changed(transforms, (ct_row){row});
    }
    if (renumber == NULL) t.state[parent.i] &= ~CT_STATE_BEARS;
}

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
