// Transforms that hang on nodes of their parents' models: on which, and how they follow them.
#include "base/message.h"
#include "component/transform_changes.h"

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
