// Parents, children and siblings: linking, walking, and what deaths do to them.
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
        t->parent[row] = t->parent[last]; // they all name it in one way
    } else {
        t->first[parent] = row;
        t->parent[row] = parent;
    }
    t->last[parent] = row;
}

static inline void leave(const ct_transform_arrays *t, uint32_t row) {
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

// Children of a transform that has gone are roots where they stand. Of the dead among
// them only rotations are ever asked for, by children whose own a scale of zero hides.
static void release_children(ct_manager *transforms, const ct_transform_arrays *t, uint32_t row) {
    ct_transforms *me = ct_transforms_of(transforms);
    if (t->first[row] == CT_NO_ROW) return;
    ct_transform_resolve_all(me);
    ct_transform_leaving leaving;
    leaving.row = row;
    leaving.world = NULL;
    leaving.top = CT_NO_ROW;
    for (uint32_t child = t->first[row]; child != CT_NO_ROW;) {
        uint32_t next = t->next[child];
        // In a batch the world matrices of those below are worked out by way of the dead, too.
        if (me->batches > 0 || ct_transform_answers(transforms, child) ||
            ct_transform_is_flat(t->world[child]))
            ct_transform_detach_keep_world(transforms, child, &leaving);
        if (me->batches > 0) ct_transform_mark_dirty(me, child);
        if (ct_transform_is_hung(t, child)) ct_transform_drop_node(me, child);
        t->parent[child] = t->next[child] = t->prev[child] = CT_NO_ROW;
        child = next;
    }
    t->first[row] = t->last[row] = CT_NO_ROW;
    t->state[row] &= ~CT_STATE_BEARS;
}

static bool is_dead_parent(const ct_manager *transforms, uint32_t row) {
    return ct_store_u32(&transforms->store, CT_TRANSFORM_FIRST_CHILD)[row] != CT_NO_ROW &&
           !ct_transform_answers(transforms, row);
}

// A dead parent at or behind 'row', or the number of rows.
static uint32_t find_dead_parent(const ct_manager *transforms, uint32_t row) {
    uint32_t count = ct_store_count(&transforms->store);
    while (row < count && !is_dead_parent(transforms, row))
        row++;
    return row;
}

// Whether who died is found by looking at all rows: where the log is lost, and where rows are
// fewer. The order is that of deaths, unless it is lost: what is left of the last digits of a pose
// depends on it where one dead parent stands below another.
static bool goes_by_rows(const ct_manager *transforms) {
    const ct_entity_manager *entities = transforms->store.entities;
    uint32_t count = ct_store_count(&transforms->store);
    if (!ct_entity_manager_knows(entities, transforms->deaths_seen)) return true;
    if (entities->tail - transforms->deaths_seen <= count) return false;
    uint32_t first = find_dead_parent(transforms, 0);
    return first == count || find_dead_parent(transforms, first + 1) == count;
}

void ct_transform_flush_new_deaths(ct_manager *transforms) {
    const ct_store *store = &transforms->store;
    const ct_entity_manager *entities = store->entities;
    const ct_entity *owners = ct_store_owners(store);
    ct_transform_arrays t = ct_transform_open(transforms);
    uint32_t count = ct_store_count(store);
    if (goes_by_rows(transforms)) {
        for (uint32_t row = find_dead_parent(transforms, 0); row < count;
             row = find_dead_parent(transforms, row + 1))
            release_children(transforms, &t, row);
    } else {
        for (uint64_t p = transforms->deaths_seen; p < entities->tail; ++p) {
            uint32_t index = entities->log[p & (entities->capacity - 1)];
            uint32_t row = ct_entity_map_find(&store->map, owners, index);
            if (row != CT_NO_ROW && is_dead_parent(transforms, row))
                release_children(transforms, &t, row);
        }
    }
    transforms->deaths_seen = entities->tail;
}

void ct_transform_orphaned(ct_manager *transforms, ct_row row) {
    ct_transform_arrays t = ct_transform_open(transforms);
    const ct_transforms *me = ct_transforms_of(transforms);
    // The map has somebody else under its index: the log of deaths does not lead here any more.
    if (CT_UNLIKELY(me->watches != NULL)) ct_transform_tell_rows(me, row.i, 1);
    release_children(transforms, &t, row.i);
    // While it has an owner to be found by.
    if (ct_transform_is_hung(&t, row.i))
        ct_transform_drop_node(ct_transforms_of(transforms), row.i);
}

// All rows are removed: no links are left.
static void clear(ct_transforms *me) {
    ct_transform_tell_all(me);
    me->dirty_count = 0;
    me->written = 0;
    ct_transform_clear_hung(me);
    if (me->blocks != NULL) memset(me->blocks, 0, ct_transform_block_bytes(me->block_rows));
}

// Whether links of 'count' rows lead to other rows.
static bool lead_out(const ct_transform_arrays *t, uint32_t first, uint32_t count) {
    const uint32_t *const links[] = {t->parent, t->first, t->last, t->next, t->prev};
    uint32_t out = 0;
    for (uint32_t i = 0; i < 5 && out == 0; ++i) {
        for (uint32_t row = first; row < first + count; ++row)
            out |= (links[i][row] != CT_NO_ROW) & (links[i][row] - first >= count);
    }
    return out != 0;
}

void ct_transform_removing(ct_manager *transforms, ct_row first, uint32_t count) {
    ct_transform_arrays t = ct_transform_open(transforms);
    ct_transforms *me = ct_transforms_of(transforms);
    if (count > 1 && count == ct_store_count(&transforms->store)) {
        clear(me);
        return;
    }
    ct_transform_resolve_all(me); // no mark moves with its row
    if (me->watches == NULL && me->hung.count == 0 && me->dirty_count == 0 &&
        !lead_out(&t, first.i, count))
        return;
    // What deaths do to the living is done in the order of deaths, before rows are removed.
    ct_transform_flush_deaths(transforms);
    ct_transform_resolve_all(me);
    for (uint32_t row = first.i; row < first.i + count; ++row) {
        if (CT_UNLIKELY(me->watches != NULL)) ct_transform_tell_leaving(me, row);
        if (t.first[row] != CT_NO_ROW) release_children(transforms, &t, row);
        if (ct_transform_is_hung(&t, row)) ct_transform_drop_node(me, row);
        leave(&t, row);
        if ((t.state[row] & CT_STATE_PLACE) != 0) ct_transform_clear_dirty(me, row);
    }
}

// ---------------------------------------------------------------- linking

// On a node with the matrix 'matrix', where there is room for that, unless it is NULL.
static inline ct_status link_row(ct_manager *transforms, ct_row child, ct_row parent, uint32_t node,
                                 const float *matrix, bool keep_world) {
    ct_transform_arrays t = ct_transform_open(transforms);
    if (child.i == parent.i) return CT_ERR_CYCLE;
    if (t.first[child.i] != CT_NO_ROW) {
        for (uint32_t row = ct_transform_above(&t, parent.i); row != CT_NO_ROW;
             row = ct_transform_above(&t, row)) {
            if (row == child.i) return CT_ERR_CYCLE;
        }
    }
    if (keep_world) {
        ct_transform_resolve_row(ct_transforms_of(transforms), child.i);
        ct_status status = ct_transform_keep_world_under(transforms, child, parent, matrix);
        if (status != CT_OK) return status;
    }
    // Nothing below this line can fail.
    if (ct_transform_is_hung(&t, child.i))
        ct_transform_drop_node(ct_transforms_of(transforms), child.i);
    leave(&t, child.i);
    ct_transform_append(&t, child.i, parent.i);
    if (matrix != NULL) ct_transform_hang(ct_transforms_of(transforms), child.i, node, matrix);
    ct_transform_changed(transforms, child);
    return CT_OK;
}

ct_status ct_transform_link(ct_manager *transforms, ct_row child, ct_row parent, bool keep_world) {
    ct_transform_flush_deaths(transforms);
    return link_row(transforms, child, parent, CT_NO_NODE, NULL, keep_world);
}

ct_status ct_transform_link_node(ct_manager *transforms, ct_row child, ct_row parent, uint32_t node,
                                 bool keep_world) {
    ct_transforms *me = ct_transforms_of(transforms);
    const ct_node_source *source = &me->hung.source;
    const ct_entity *owners = ct_store_owners(&transforms->store);
    ct_transform_flush_deaths(transforms);
    const float *matrix = NULL;
    if (source->matrix != NULL) matrix = source->matrix(source->user, owners[parent.i], node);
    if (matrix == NULL) return CT_ERR_DATA;
    ct_status status = ct_transform_reserve_hung(transforms, &owners[child.i], 1);
    if (status != CT_OK) return status;
    return link_row(transforms, child, parent, node, matrix, keep_world);
}

void ct_transform_link_message(const ct_manager *transforms, ct_row child, ct_row parent,
                               ct_status status, ct_message *message) {
    ct_entity e = ct_store_owners(&transforms->store)[child.i];
    ct_entity above = ct_store_owners(&transforms->store)[parent.i];
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

void ct_transform_unlink(ct_manager *transforms, ct_row child, bool keep_world) {
    ct_transform_flush_deaths(transforms);
    ct_transform_arrays t = ct_transform_open(transforms);
    if (t.parent[child.i] == CT_NO_ROW) return;
    if (keep_world) {
        ct_transform_resolve_row(ct_transforms_of(transforms), child.i);
        ct_transform_keep_world_as_root(transforms, child);
    }
    if (ct_transform_is_hung(&t, child.i))
        ct_transform_drop_node(ct_transforms_of(transforms), child.i);
    leave(&t, child.i);
    if (!keep_world || ct_transforms_of(transforms)->noting)
        ct_transform_changed(transforms, child);
}

// ---------------------------------------------------------------- walking

// The first row, from 'row' on in the direction of 'step', that is not of the dead.
static ct_row living(const ct_manager *transforms, uint32_t row, const uint32_t *step) {
    while (row != CT_NO_ROW && !ct_transform_answers(transforms, row))
        row = step[row];
    return (ct_row){row};
}

ct_row ct_transform_parent(ct_manager *transforms, ct_row row) {
    ct_transform_flush_deaths(transforms);
    ct_transform_arrays t = ct_transform_open(transforms);
    return (ct_row){ct_transform_above(&t, row.i)};
}

ct_row ct_transform_first_child(ct_manager *transforms, ct_row row) {
    ct_transform_flush_deaths(transforms);
    ct_transform_arrays t = ct_transform_open(transforms);
    return living(transforms, t.first[row.i], t.next);
}

ct_row ct_transform_next_sibling(ct_manager *transforms, ct_row row) {
    ct_transform_flush_deaths(transforms);
    ct_transform_arrays t = ct_transform_open(transforms);
    return living(transforms, t.next[row.i], t.next);
}

ct_row ct_transform_prev_sibling(ct_manager *transforms, ct_row row) {
    ct_transform_flush_deaths(transforms);
    ct_transform_arrays t = ct_transform_open(transforms);
    return living(transforms, t.prev[row.i], t.prev);
}

ct_row ct_transform_root(ct_manager *transforms, ct_row row) {
    ct_transform_flush_deaths(transforms);
    ct_transform_arrays t = ct_transform_open(transforms);
    while (t.parent[row.i] != CT_NO_ROW)
        row.i = ct_transform_above(&t, row.i);
    return row;
}

uint32_t ct_transform_depth(ct_manager *transforms, ct_row row) {
    ct_transform_flush_deaths(transforms);
    ct_transform_arrays t = ct_transform_open(transforms);
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

uint32_t ct_transform_subtree(ct_manager *transforms, ct_row row, uint32_t capacity,
                              ct_entity *out) {
    ct_transform_flush_deaths(transforms);
    ct_transform_arrays t = ct_transform_open(transforms);
    uint32_t count = 0, at = lowest(&t, row.i);
    for (;;) {
        if (ct_transform_answers(transforms, at)) {
            if (count < capacity) out[count] = t.owner[at];
            count++;
        }
        if (at == row.i) return count;
        at = t.next[at] != CT_NO_ROW ? lowest(&t, t.next[at]) : ct_transform_above(&t, at);
    }
}

// Writes at most 'capacity' of the living children, returns how many there are.
static uint32_t list_children(ct_manager *transforms, ct_row row, uint32_t capacity,
                              ct_entity *out) {
    ct_transform_flush_deaths(transforms);
    ct_transform_arrays t = ct_transform_open(transforms);
    uint32_t count = 0;
    for (uint32_t child = t.first[row.i]; child != CT_NO_ROW; child = t.next[child]) {
        if (!ct_transform_answers(transforms, child)) continue;
        if (count < capacity) out[count] = t.owner[child];
        count++;
    }
    return count;
}

uint32_t ct_transform_child_count(ct_manager *transforms, ct_row row) {
    return list_children(transforms, row, 0, NULL);
}

bool ct_children_begin(ct_children *loop, ct_manager *transforms, ct_row row, ct_entity *room,
                       uint32_t capacity) {
    uint32_t count = list_children(transforms, row, capacity, room);
    if (count > capacity) return false;
    *loop = (ct_children){.transforms = transforms, .list = room, .count = count};
    loop->parent = ct_store_owners(&transforms->store)[row.i];
    ct_row_watch_begin(&loop->rows, &transforms->store);
    return true;
}

// The row of 'child', or CT_NO_ROW when it is no child of 'parent' any more.
static ct_row find_child(ct_manager *transforms, ct_entity parent, ct_entity child) {
    ct_transform_flush_deaths(transforms);
    ct_row row = ct_store_find(&transforms->store, child);
    if (row.i == CT_NO_ROW) return row;
    ct_transform_arrays t = ct_transform_open(transforms);
    uint32_t above = ct_transform_above(&t, row.i);
    if (above == CT_NO_ROW || t.owner[above].id != parent.id) row.i = CT_NO_ROW;
    return row;
}

ct_query_step ct_children_next(ct_children *loop, ct_entity *child) {
    if (ct_row_watch_look(&loop->rows, &loop->transforms->store) == CT_ROWS_MOVED)
        return CT_QUERY_MOVED;
    while (loop->next < loop->count) {
        *child = loop->list[loop->next++];
        ct_row row = find_child(loop->transforms, loop->parent, *child);
        if (row.i == CT_NO_ROW) continue;
        loop->rows.handed = row;
        return CT_QUERY_ROW;
    }
    return CT_QUERY_END;
}
