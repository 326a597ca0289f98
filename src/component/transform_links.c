// Links of transforms: linking, walking, and the effects of deaths.
#include "base/message.h"
#include "component/transform_changes.h"

#include <string.h>

// ---------------------------------------------------------------- lists

void ct_transform_clear_links(const ct_transform_arrays *t, uint32_t row) {
    t->parent[row] = t->first[row] = t->last[row] = CT_NO_ROW;
    t->next[row] = t->prev[row] = CT_NO_ROW;
    t->state[row] = 0;
    t->marks[row] = (ct_transform_marks){0, 0};
}

void ct_transform_append(const ct_transform_arrays *t, uint32_t row, uint32_t parent) {
    uint32_t last = t->last[parent];
    t->prev[row] = last;
    t->next[row] = CT_NO_ROW;
    if (last != CT_NO_ROW) {
        t->next[last] = row;
        t->parent[row] = t->parent[last]; // all children store it in the same form
    } else {
        t->first[parent] = row;
        t->parent[row] = parent;
    }
    t->last[parent] = row;
}

static inline void unlink(const ct_transform_arrays *t, uint32_t row) {
    uint32_t parent = ct_transform_above(t, row), next = t->next[row], prev = t->prev[row];
    if (parent == CT_NO_ROW) return;
    if (prev != CT_NO_ROW)
        t->next[prev] = next;
    else
        t->first[parent] = next;
    if (next != CT_NO_ROW)
        t->prev[next] = prev;
    else
        t->last[parent] = prev;
    t->parent[row] = t->next[row] = t->prev[row] = CT_NO_ROW;
}

// Makes the children of a removed transform roots and keeps their world poses. Of dead children
// only the rotations are read later, by children with a scale of zero.
static void release_children(ct_manager *manager, const ct_transform_arrays *t, uint32_t row) {
    ct_transforms *transforms = ct_transforms_of(manager);
    if (t->first[row] == CT_NO_ROW) return;
    ct_transform_resolve_all(transforms);
    ct_detach_context context;
    context.row = row;
    context.world = NULL;
    context.top = CT_NO_ROW;
    for (uint32_t child = t->first[row]; child != CT_NO_ROW;) {
        uint32_t next = t->next[child];
        // In a batch world matrices are also computed through dead rows.
        if (transforms->batches > 0 || ct_transform_alive_or_dying(manager, child) ||
            ct_transform_is_flat(t->world[child]))
            ct_transform_detach_keep_world(manager, child, &context);
        if (transforms->batches > 0) ct_transform_mark_dirty(transforms, child);
        if (ct_transform_is_attached(t, child)) ct_transform_detach(transforms, child);
        t->parent[child] = t->next[child] = t->prev[child] = CT_NO_ROW;
        child = next;
    }
    t->first[row] = t->last[row] = CT_NO_ROW;
    t->state[row] &= ~CT_STATE_HAS_ATTACHED;
}

static bool is_dead_parent(const ct_manager *manager, uint32_t row) {
    return ct_store_u32(&manager->store, CT_TRANSFORM_FIRST_CHILD)[row] != CT_NO_ROW &&
           !ct_transform_alive_or_dying(manager, row);
}

// Returns the first dead parent from 'row' on, or the number of rows.
static uint32_t find_dead_parent(const ct_manager *manager, uint32_t row) {
    uint32_t count = ct_store_count(&manager->store);
    while (row < count && !is_dead_parent(manager, row))
        row++;
    return row;
}

// Returns whether dead parents are found by a sweep over all rows: if the log of deaths is too
// short, or if there are fewer rows than deaths and at most one dead parent. With several dead
// parents, one below another, the order of deaths determines the last digits of poses.
static bool sweeps_rows(const ct_manager *manager) {
    const ct_entity_manager *entities = manager->store.entities;
    uint32_t count = ct_store_count(&manager->store);
    if (!ct_entity_manager_logs_from(entities, manager->deaths_seen)) return true;
    if (entities->tail - manager->deaths_seen <= count) return false;
    uint32_t first = find_dead_parent(manager, 0);
    return first == count || find_dead_parent(manager, first + 1) == count;
}

void ct_transform_flush_new_deaths(ct_manager *manager) {
    const ct_store *store = &manager->store;
    const ct_entity_manager *entities = store->entities;
    const ct_entity *owners = ct_store_owners(store);
    ct_transform_arrays t = ct_transform_open(manager);
    uint32_t count = ct_store_count(store);
    if (sweeps_rows(manager)) {
        for (uint32_t row = find_dead_parent(manager, 0); row < count;
             row = find_dead_parent(manager, row + 1))
            release_children(manager, &t, row);
    } else {
        for (uint64_t p = manager->deaths_seen; p < entities->tail; ++p) {
            uint32_t index = entities->log[p & (entities->capacity - 1)];
            uint32_t row = ct_entity_map_find(&store->map, owners, index);
            if (row != CT_NO_ROW && is_dead_parent(manager, row))
                release_children(manager, &t, row);
        }
    }
    manager->deaths_seen = entities->tail;
}

void ct_transform_orphaned(ct_manager *manager, ct_row row) {
    ct_transform_arrays t = ct_transform_open(manager);
    const ct_transforms *transforms = ct_transforms_of(manager);
    // The map has another entity for this index, so the log of deaths does not find the row.
    if (CT_UNLIKELY(transforms->watches != NULL)) ct_transform_notify_rows(transforms, row.i, 1);
    release_children(manager, &t, row.i);
    // The attachment is found by the owner, so it is removed while the row has one.
    if (ct_transform_is_attached(&t, row.i)) ct_transform_detach(ct_transforms_of(manager), row.i);
}

// Clears the data beside the columns when all rows are removed.
static void clear(ct_transforms *transforms) {
    ct_transform_notify_all(transforms);
    transforms->dirty_count = 0;
    ct_transform_clear_blocks(transforms);
    ct_transform_clear_attached(transforms);
}

// Returns whether links of 'count' rows lead to rows outside of them.
static bool lead_out(const ct_transform_arrays *t, uint32_t first, uint32_t count) {
    const uint32_t *const links[] = {t->parent, t->first, t->last, t->next, t->prev};
    uint32_t out = 0;
    for (uint32_t i = 0; i < 5 && out == 0; ++i) {
        for (uint32_t row = first; row < first + count; ++row)
            out |= (links[i][row] != CT_NO_ROW) & (links[i][row] - first >= count);
    }
    return out != 0;
}

void ct_transform_removing(ct_manager *manager, ct_row first, uint32_t count) {
    ct_transform_arrays t = ct_transform_open(manager);
    ct_transforms *transforms = ct_transforms_of(manager);
    if (count > 1 && count == ct_store_count(&manager->store)) {
        clear(transforms);
        return;
    }
    ct_transform_resolve_all(transforms); // block marks do not move with rows
    if (transforms->watches == NULL && transforms->attached.count == 0 &&
        transforms->dirty_count == 0 && !lead_out(&t, first.i, count))
        return;
    // Deaths change living children in the order of deaths, before rows are removed.
    ct_transform_flush_deaths(manager);
    ct_transform_resolve_all(transforms);
    for (uint32_t row = first.i; row < first.i + count; ++row) {
        if (CT_UNLIKELY(transforms->watches != NULL)) ct_transform_notify_removed(transforms, row);
        if (t.first[row] != CT_NO_ROW) release_children(manager, &t, row);
        if (ct_transform_is_attached(&t, row)) ct_transform_detach(transforms, row);
        unlink(&t, row);
        if ((t.state[row] & CT_STATE_PLACE) != 0) ct_transform_clear_dirty(transforms, row);
    }
}

// ---------------------------------------------------------------- linking

// Links to a node with the matrix 'matrix', unless it is NULL. Room for the attachment is reserved.
static inline ct_status link_row(ct_manager *manager, ct_row child, ct_row parent, uint32_t node,
                                 const float *matrix, bool keep_world) {
    ct_transform_arrays t = ct_transform_open(manager);
    if (child.i == parent.i) return CT_ERR_CYCLE;
    if (t.first[child.i] != CT_NO_ROW && ct_transform_above(&t, child.i) != parent.i) {
        for (uint32_t row = ct_transform_above(&t, parent.i); row != CT_NO_ROW;
             row = ct_transform_above(&t, row)) {
            if (row == child.i) return CT_ERR_CYCLE;
        }
    }
    if (keep_world) {
        ct_transform_resolve_row(ct_transforms_of(manager), child.i);
        ct_status status = ct_transform_keep_world_under(manager, child, parent, matrix);
        if (status != CT_OK) return status;
    }
    // Nothing below this line can fail.
    if (ct_transform_is_attached(&t, child.i))
        ct_transform_detach(ct_transforms_of(manager), child.i);
    unlink(&t, child.i);
    ct_transform_append(&t, child.i, parent.i);
    if (matrix != NULL) ct_transform_attach(ct_transforms_of(manager), child.i, node, matrix);
    ct_transform_changed(manager, child);
    return CT_OK;
}

ct_status ct_transform_link(ct_manager *manager, ct_row child, ct_row parent, bool keep_world) {
    ct_transform_flush_deaths(manager);
    return link_row(manager, child, parent, CT_NO_NODE, NULL, keep_world);
}

ct_status ct_transform_link_node(ct_manager *manager, ct_row child, ct_row parent, uint32_t node,
                                 bool keep_world) {
    const ct_entity *owners = ct_store_owners(&manager->store);
    const float *matrix;
    ct_transform_flush_deaths(manager);
    ct_status status =
        ct_transform_reserve_node(manager, owners[child.i], owners[parent.i], node, &matrix);
    if (status != CT_OK) return status;
    return link_row(manager, child, parent, node, matrix, keep_world);
}

void ct_transform_link_message(const ct_manager *manager, ct_row child, ct_row parent,
                               ct_status status, ct_message *message) {
    ct_entity e = ct_store_owners(&manager->store)[child.i];
    ct_entity above = ct_store_owners(&manager->store)[parent.i];
    uint32_t index = ct_entity_index(above), generation = ct_entity_generation(above);
    if (status != CT_ERR_CYCLE)
        ct_message_set(message,
                       "entity(%u:%u) has a scale of 0 (or a NaN or infinity) in its world matrix, "
                       "or one too near to 0: no local pose below it gives this world pose",
                       index, generation);
    else if (child.i == parent.i)
        ct_message_set(message, "cycle: entity(%u:%u) cannot be its own parent", index, generation);
    else
        ct_message_set(message, "cycle: entity(%u:%u) is below entity(%u:%u)", index, generation,
                       ct_entity_index(e), ct_entity_generation(e));
}

void ct_transform_unlink(ct_manager *manager, ct_row child, bool keep_world) {
    ct_transform_arrays t = ct_transform_open_current(manager);
    if (t.parent[child.i] == CT_NO_ROW) return;
    if (keep_world) {
        ct_transform_resolve_row(ct_transforms_of(manager), child.i);
        ct_transform_keep_world_as_root(manager, child);
    }
    if (ct_transform_is_attached(&t, child.i))
        ct_transform_detach(ct_transforms_of(manager), child.i);
    unlink(&t, child.i);
    if (!keep_world || ct_transforms_of(manager)->deferring) ct_transform_changed(manager, child);
}

// ---------------------------------------------------------------- walking

// Returns the first row that is not dead, from 'row' on in the direction of 'step'.
static ct_row alive_row(const ct_manager *manager, uint32_t row, const uint32_t *step) {
    while (row != CT_NO_ROW && !ct_transform_alive_or_dying(manager, row))
        row = step[row];
    return (ct_row){row};
}

ct_row ct_transform_parent(ct_manager *manager, ct_row row) {
    ct_transform_arrays t = ct_transform_open_current(manager);
    return (ct_row){ct_transform_above(&t, row.i)};
}

ct_row ct_transform_first_child(ct_manager *manager, ct_row row) {
    ct_transform_arrays t = ct_transform_open_current(manager);
    return alive_row(manager, t.first[row.i], t.next);
}

ct_row ct_transform_next_sibling(ct_manager *manager, ct_row row) {
    ct_transform_arrays t = ct_transform_open_current(manager);
    return alive_row(manager, t.next[row.i], t.next);
}

ct_row ct_transform_prev_sibling(ct_manager *manager, ct_row row) {
    ct_transform_arrays t = ct_transform_open_current(manager);
    return alive_row(manager, t.prev[row.i], t.prev);
}

ct_row ct_transform_root(ct_manager *manager, ct_row row) {
    ct_transform_arrays t = ct_transform_open_current(manager);
    while (t.parent[row.i] != CT_NO_ROW)
        row.i = ct_transform_above(&t, row.i);
    return row;
}

uint32_t ct_transform_depth(ct_manager *manager, ct_row row) {
    ct_transform_arrays t = ct_transform_open_current(manager);
    uint32_t depth = 0;
    while ((row.i = ct_transform_above(&t, row.i)) != CT_NO_ROW)
        depth++;
    return depth;
}

static uint32_t lowest(const ct_transform_arrays *t, uint32_t row) {
    while (t->first[row] != CT_NO_ROW)
        row = t->first[row];
    return row;
}

uint32_t ct_transform_subtree(ct_manager *manager, ct_row row, uint32_t capacity, ct_entity *out) {
    ct_transform_arrays t = ct_transform_open_current(manager);
    uint32_t count = 0, at = lowest(&t, row.i);
    for (;;) {
        if (ct_transform_alive_or_dying(manager, at)) {
            if (count < capacity) out[count] = t.owner[at];
            count++;
        }
        if (at == row.i) return count;
        at = t.next[at] != CT_NO_ROW ? lowest(&t, t.next[at]) : ct_transform_above(&t, at);
    }
}

// Writes at most 'capacity' living children and returns their total number.
static uint32_t list_children(ct_manager *manager, ct_row row, uint32_t capacity, ct_entity *out) {
    ct_transform_arrays t = ct_transform_open_current(manager);
    uint32_t count = 0;
    for (uint32_t child = t.first[row.i]; child != CT_NO_ROW; child = t.next[child]) {
        if (!ct_transform_alive_or_dying(manager, child)) continue;
        if (count < capacity) out[count] = t.owner[child];
        count++;
    }
    return count;
}

uint32_t ct_transform_child_count(ct_manager *manager, ct_row row) {
    return list_children(manager, row, 0, NULL);
}

bool ct_children_begin(ct_children *loop, ct_manager *manager, ct_row row, ct_entity *room,
                       uint32_t capacity) {
    uint32_t count = list_children(manager, row, capacity, room);
    if (count > capacity) return false;
    *loop = (ct_children){.manager = manager, .list = room, .count = count};
    loop->parent = ct_store_owners(&manager->store)[row.i];
    ct_row_watch_begin(&loop->rows, &manager->store);
    return true;
}

// Returns the row of 'child', or CT_NO_ROW if it is no longer a child of 'parent'.
static ct_row find_child(ct_manager *manager, ct_entity parent, ct_entity child) {
    ct_transform_flush_deaths(manager);
    ct_row row = ct_store_find(&manager->store, child);
    if (row.i == CT_NO_ROW) return row;
    ct_transform_arrays t = ct_transform_open(manager);
    uint32_t above = ct_transform_above(&t, row.i);
    if (above == CT_NO_ROW || t.owner[above].id != parent.id) row.i = CT_NO_ROW;
    return row;
}

ct_query_step ct_children_next(ct_children *loop, ct_entity *child) {
    if (ct_row_watch_check(&loop->rows, &loop->manager->store) == CT_ROWS_MOVED)
        return CT_QUERY_MOVED;
    while (loop->next < loop->count) {
        *child = loop->list[loop->next++];
        ct_row row = find_child(loop->manager, loop->parent, *child);
        if (row.i == CT_NO_ROW) continue;
        loop->rows.returned = row;
        return CT_QUERY_ROW;
    }
    return CT_QUERY_END;
}
