// Attachments of transforms to nodes of their parents' models.
//
// A bit in the row's state marks an attached row. The number and matrix of the node are stored by
// owner, outside of the rows, so that rows may move. Without attached rows the cost is one
// comparison with 0 for each subtree.
#include "base/message.h"
#include "component/transform_changes.h"
#include "component/transform_internal.h"

#include <string.h>

static uint32_t find(const ct_node_attachments *attached, ct_entity owner) {
    return ct_entity_map_find(&attached->map, attached->owners, ct_entity_index(owner));
}

void ct_transform_set_node_source(ct_manager *manager, const ct_node_source *source) {
    ct_transforms_of(manager)->attached.source = *source;
}

uint32_t ct_transform_find_node(const ct_manager *manager, ct_row row, ct_text node,
                                ct_message *message) {
    const ct_node_source *source = &ct_transforms_of(manager)->attached.source;
    if (source->find != NULL)
        return source->find(source->user, ct_store_owners(&manager->store)[row.i], node, message);
    ct_message_set(message, "the world has no models");
    return CT_NO_NODE;
}

uint32_t ct_transform_parent_node(ct_manager *manager, ct_row row) {
    ct_transform_arrays t = ct_transform_open_current(manager);
    return ct_transform_attached_node(&t, row.i);
}

ct_status ct_transform_reattach(ct_manager *manager, ct_row row, uint32_t node) {
    ct_transforms *transforms = ct_transforms_of(manager);
    ct_transform_arrays t = ct_transform_open(manager);
    const float *matrix;
    ct_status status = ct_transform_reserve_node(
        manager, t.owner[row.i], t.owner[ct_transform_above(&t, row.i)], node, &matrix);
    if (status != CT_OK) return status;
    // Nothing below this line can fail.
    if ((t.state[row.i] & CT_STATE_ATTACHED) != 0) ct_transform_detach(transforms, row.i);
    ct_transform_attach(transforms, row.i, node, matrix);
    ct_transform_changed(manager, row);
    return CT_OK;
}

// Returns the row of the parent in the values for item i, else the parent of 'row', or CT_NO_ROW.
static ct_row wanted_parent(const ct_manager *manager, ct_row row, const ct_values *values,
                            uint32_t i) {
    const void *item = ct_values_item(&values[CT_TRANSFORM_IN_PARENT], i);
    ct_entity parent;
    if (item != NULL) {
        memcpy(&parent, item, sizeof parent);
        return ct_store_find(&manager->store, parent);
    }
    ct_transform_arrays t = ct_transform_open(manager);
    if (row.i != CT_NO_ROW) row.i = ct_transform_above(&t, row.i);
    return row;
}

bool ct_transform_check_node(const ct_manager *manager, ct_row row, const ct_values *values,
                             uint32_t count, ct_message *message) {
    const ct_values *nodes = &values[CT_TRANSFORM_IN_PARENT_NODE];
    bool alike = nodes->stride == 0 && values[CT_TRANSFORM_IN_PARENT].stride == 0;
    ct_message reason;
    if (nodes->items == NULL) return true;
    for (uint32_t i = 0; i < (alike && count > 0 ? 1 : count); ++i) {
        ct_row parent = wanted_parent(manager, row, values, i);
        if (parent.i == CT_NO_ROW || !ct_transform_alive_or_dying(manager, parent.i))
            return ct_message_set(message, "parent_node: there is no parent");
        ct_text text;
        memcpy(&text, ct_values_item(nodes, i), sizeof text);
        if (ct_transform_find_node(manager, parent, text, &reason) == CT_NO_NODE)
            return ct_message_set(message, "parent_node: %s", reason.text);
    }
    return true;
}

// Copies the matrix of the node that a row is attached to, if it changed.
static void follow(ct_transforms *transforms, uint32_t row, uint32_t place) {
    const ct_node_source *source = &transforms->attached.source;
    ct_transform_arrays t = ct_transform_open(&transforms->base);
    ct_node_attachment *own = &transforms->attached.on[place];
    const float *now =
        source->matrix(source->user, t.owner[ct_transform_above(&t, row)], own->node);
    CT_ASSERT(now != NULL);
    if (ct_mat4_same_bits(own->matrix, now)) return;
    memcpy(own->matrix, now, sizeof own->matrix);
    ct_transform_changed(&transforms->base, (ct_row){row});
}

void ct_transform_follow_nodes(ct_manager *manager) {
    ct_transforms *transforms = ct_transforms_of(manager);
    if (transforms->attached.count == 0) return;
    ct_transform_flush_deaths(manager);
    for (uint32_t i = 0; i < transforms->attached.count; ++i) {
        ct_transform_arrays t = ct_transform_open(manager);
        ct_row row = ct_store_find(&manager->store, transforms->attached.owners[i]);
        // Rows without a living parent are skipped: a parent loses its model when it dies.
        if (row.i != CT_NO_ROW &&
            ct_transform_alive_or_dying(manager, ct_transform_above(&t, row.i)))
            follow(transforms, row.i, i);
    }
}

void ct_transform_copy_nodes(const ct_manager *manager, ct_attached_node *out) {
    const ct_node_attachments *attached = &ct_transforms_of(manager)->attached;
    for (uint32_t i = 0; i < attached->count; ++i) {
        out[i].owner = attached->owners[i];
        memcpy(out[i].matrix, attached->on[i].matrix, sizeof out[i].matrix);
    }
}

void ct_transform_renumber_nodes(ct_manager *manager, ct_entity owner,
                                 uint32_t (*renumber)(const void *user, uint32_t node),
                                 const void *user) {
    ct_transforms *transforms = ct_transforms_of(manager);
    if (transforms->attached.count == 0) return;
    ct_transform_arrays t = ct_transform_open_current(manager);
    ct_row parent = ct_store_find(&manager->store, owner);
    if (parent.i == CT_NO_ROW || (t.state[parent.i] & CT_STATE_HAS_ATTACHED) == 0) return;
    for (uint32_t row = t.first[parent.i]; row != CT_NO_ROW; row = t.next[row]) {
        if ((t.state[row] & CT_STATE_ATTACHED) == 0) continue;
        uint32_t place = find(t.attached, t.owner[row]),
                 *node = &transforms->attached.on[place].node;
        *node = renumber != NULL ? renumber(user, *node) : CT_NO_NODE;
        if (*node != CT_NO_NODE) {
            follow(transforms, row, place);
            continue;
        }
        ct_transform_detach(transforms, row);
        ct_transform_changed(manager, (ct_row){row});
    }
    if (renumber == NULL) t.state[parent.i] &= ~CT_STATE_HAS_ATTACHED;
}

// ---------------------------------------------------------------- memory

// Rows are removed before the manager is destroyed, so 'count' is 0 then.
size_t ct_transform_attached_memory(ct_transforms *transforms, ct_memory_task task) {
    ct_node_attachments *attached = &transforms->attached;
    const ct_allocator *allocator = transforms->base.store.allocator;
    if (task != CT_MEMORY_COUNT && attached->count == 0) {
        ct_array_trim(allocator, (void **)&attached->owners, &attached->owner_capacity, 0,
                      sizeof *attached->owners);
        ct_array_trim(allocator, (void **)&attached->on, &attached->on_capacity, 0,
                      sizeof *attached->on);
        ct_entity_map_free(&attached->map, allocator);
    }
    return attached->owner_capacity * sizeof *attached->owners +
           attached->on_capacity * sizeof *attached->on + ct_entity_map_bytes(&attached->map);
}

void ct_transform_clear_attached(ct_transforms *transforms) {
    ct_node_attachments *attached = &transforms->attached;
    if (attached->count > 0) ct_entity_map_clear(&attached->map, attached->owners, attached->count);
    attached->count = 0;
}

static ct_status reserve_arrays(ct_transforms *transforms, uint32_t needed) {
    ct_node_attachments *attached = &transforms->attached;
    const ct_allocator *allocator = transforms->base.store.allocator;
    ct_status status =
        ct_array_reserve(allocator, (void **)&attached->owners, &attached->owner_capacity, needed,
                         sizeof *attached->owners);
    if (status != CT_OK) return status;
    return ct_array_reserve(allocator, (void **)&attached->on, &attached->on_capacity, needed,
                            sizeof *attached->on);
}

ct_status ct_transform_reserve_attached(ct_manager *manager, const ct_entity *owners,
                                        uint32_t count) {
    ct_transforms *transforms = ct_transforms_of(manager);
    ct_node_attachments *attached = &transforms->attached;
    ct_status status = reserve_arrays(transforms, attached->count + count);
    if (status != CT_OK) return status;
    return ct_entity_map_reserve(&attached->map, manager->store.allocator, attached->owners, owners,
                                 count);
}

ct_status ct_transform_reserve_node(ct_manager *manager, ct_entity child, ct_entity parent,
                                    uint32_t node, const float **matrix) {
    const ct_node_source *source = &ct_transforms_of(manager)->attached.source;
    *matrix = source->matrix != NULL ? source->matrix(source->user, parent, node) : NULL;
    return *matrix != NULL ? ct_transform_reserve_attached(manager, &child, 1) : CT_ERR_DATA;
}

static ct_status reserve_saved(ct_transforms *transforms, const ct_entity *owners, uint32_t count) {
    ct_node_attachments *attached = &transforms->attached;
    ct_status status = reserve_arrays(transforms, count);
    if (status != CT_OK) return status;
    return ct_entity_map_reserve_all(&attached->map, transforms->base.store.allocator,
                                     attached->owners, owners, count);
}

void ct_transform_attached_state(ct_transforms *transforms, ct_state *state) {
    ct_node_attachments *attached = &transforms->attached;
    uint32_t count = ct_state_number(state, attached->count);
    if (state->pass == CT_STATE_COMMIT) ct_transform_clear_attached(transforms);
    const ct_entity *owners =
        ct_state_block(state, attached->owners, count * sizeof *attached->owners);
    ct_state_block(state, attached->on, count * sizeof *attached->on);
    if (state->pass == CT_STATE_RESERVE && count > 0)
        ct_state_require(state, reserve_saved(transforms, owners, count));
    if (state->pass != CT_STATE_COMMIT) return;
    attached->count = count;
    ct_entity_map_enter_all(&attached->map, attached->owners, count, NULL, NULL);
}

// ---------------------------------------------------------------- one row

void ct_transform_attach(ct_transforms *transforms, uint32_t row, uint32_t node,
                         const float *matrix) {
    ct_node_attachments *attached = &transforms->attached;
    ct_transform_arrays t = ct_transform_open(&transforms->base);
    uint32_t place = attached->count++;
    CT_ASSERT(place < attached->on_capacity && (t.state[row] & CT_STATE_ATTACHED) == 0);
    attached->owners[place] = t.owner[row];
    attached->on[place].node = node;
    memcpy(attached->on[place].matrix, matrix, sizeof attached->on[place].matrix);
    ct_entity_map_enter(&attached->map, attached->owners, ct_entity_index(t.owner[row]), place);
    t.state[row] |= CT_STATE_ATTACHED;
    t.state[ct_transform_above(&t, row)] |= CT_STATE_HAS_ATTACHED;
}

void ct_transform_detach(ct_transforms *transforms, uint32_t row) {
    ct_node_attachments *attached = &transforms->attached;
    ct_transform_arrays t = ct_transform_open(&transforms->base);
    uint32_t place = find(attached, t.owner[row]), last = attached->count - 1;
    CT_ASSERT(place != CT_NO_ROW && (t.state[row] & CT_STATE_ATTACHED) != 0);
    t.state[row] &= ~CT_STATE_ATTACHED;
    ct_entity_map_erase(&attached->map, attached->owners, ct_entity_index(t.owner[row]), place);
    if (place != last) {
        ct_entity_map_move(&attached->map, ct_entity_index(attached->owners[last]), last, place);
        attached->owners[place] = attached->owners[last];
        attached->on[place] = attached->on[last];
    }
    attached->count = last;
}

const float *ct_transform_node_matrix(const ct_transform_arrays *t, uint32_t row) {
    uint32_t place = find(t->attached, t->owner[row]);
    CT_ASSERT(place != CT_NO_ROW);
    return t->attached->on[place].matrix;
}

void ct_transform_turn_by_node(const ct_transform_arrays *t, uint32_t row, float *rotation) {
    float turn[4], unused[3];
    ct_mat4_decompose(ct_transform_node_matrix(t, row), NULL, NULL, turn, unused);
    ct_quat_product(turn, rotation, rotation);
}

uint32_t ct_transform_attached_node(const ct_transform_arrays *t, uint32_t row) {
    if (!ct_transform_is_attached(t, row)) return CT_NO_NODE;
    return t->attached->on[find(t->attached, t->owner[row])].node;
}

// ---------------------------------------------------------------- invariants

// Checks that the node of a living row with a living parent exists and has the copied matrix.
static bool validate_one(const ct_transforms *transforms, const ct_transform_arrays *t,
                         uint32_t row, uint32_t place, ct_message *message) {
    const ct_node_source *source = &transforms->attached.source;
    const ct_node_attachment *own = &transforms->attached.on[place];
    uint32_t parent = ct_transform_above(t, row);
    if (parent == CT_NO_ROW || (t->state[parent] & CT_STATE_HAS_ATTACHED) == 0)
        return ct_message_set(message,
                              CT_TRANSFORM ": row %u is attached to a node without a parent", row);
    if (!ct_transform_alive_or_dying(&transforms->base, row) ||
        !ct_transform_alive_or_dying(&transforms->base, parent))
        return true;
    const float *now = source->matrix(source->user, t->owner[parent], own->node);
    if (now == NULL || !ct_mat4_same_bits(own->matrix, now))
        return ct_message_set(message,
                              CT_TRANSFORM ": row %u is attached to a missing or moved node", row);
    return true;
}

bool ct_transform_validate_attached(const ct_transforms *transforms, const ct_transform_arrays *t,
                                    ct_message *message) {
    uint32_t count = ct_store_count(&transforms->base.store), hanging = 0;
    for (uint32_t row = 0; row < count; ++row) {
        if ((t->state[row] & CT_STATE_ATTACHED) == 0) continue;
        uint32_t place = find(&transforms->attached, t->owner[row]);
        hanging++;
        if (place == CT_NO_ROW || transforms->attached.owners[place].id != t->owner[row].id)
            return ct_message_set(message,
                                  CT_TRANSFORM ": row %u is attached but its node is missing", row);
        if (!validate_one(transforms, t, row, place, message)) return false;
    }
    return hanging == transforms->attached.count ||
           ct_message_set(message, CT_TRANSFORM ": %u rows are attached, %u are listed", hanging,
                          transforms->attached.count);
}
