// Comparison of the rows of a level with those of its shadow, many at a time and column by column:
// most are equal.
#include "level/level_internal.h"
#include "level/level_state_write.h"

#include <string.h>

// ---------------------------------------------------------------- links

// Returns the parent that a spawn gives a component, in the level.
static ct_entity spawned_parent(const ct_state_writing *w, uint32_t entity) {
    uint32_t above = w->level->resource->parent_index[entity];
    if (above != CT_RESOURCE_NO_PARENT) above = w->linked[above];
    return above == CT_MATCH_NONE ? w->patch.options.parent : w->patch.before.meant[above];
}

// Returns true if no transform of both worlds is attached to a node: that is the only late input.
static bool lacks_nodes(const ct_state_writing *w) {
    return ct_transform_attached_count(w->manager) == 0 &&
           ct_transform_attached_count(w->patch.shadowed) == 0;
}

static bool differs_late(const ct_state_writing *w, const ct_state_rows *rows) {
    if (lacks_nodes(w)) return false;
    for (uint32_t n = w->manager->input_count; n < ct_manager_all_inputs(w->manager); ++n) {
        unsigned char here[CT_MAX_ITEM_BYTES], spawned[CT_MAX_ITEM_BYTES];
        bool has = ct_patch_read_item(w->manager, n, rows->here, here);
        bool had = rows->spawned.i != CT_NO_ROW &&
                   ct_patch_read_item(w->patch.shadowed, n, rows->spawned, spawned);
        if (has != had || (has && !ct_state_is_same(w, n, here, spawned))) return true;
    }
    return false;
}

ct_entity ct_state_parent_here(const ct_state_writing *w, ct_row row) {
    ct_entity parent = {CT_NOBODY};
    CT_ASSERT(w->manager->type == &ct_transform_type); // no other component has links
    row = ct_transform_parent(w->manager, row);
    return row.i != CT_NO_ROW ? ct_store_owners(&w->manager->store)[row.i] : parent;
}

bool ct_state_has_same_link(const ct_state_writing *w, const ct_state_rows *rows) {
    ct_entity spawned = {CT_NOBODY};
    if (rows->spawned.i != CT_NO_ROW) spawned = spawned_parent(w, rows->entity);
    return ct_state_parent_here(w, rows->here).id == spawned.id && !differs_late(w, rows);
}

// ---------------------------------------------------------------- rows

void ct_state_begin_rows(ct_state_writing *w) {
    const ct_store *shadow = &w->patch.shadowed->store;
    const ct_entity *owners = ct_store_owners(shadow);
    uint32_t descents = 0, count = ct_store_count(shadow);
    for (uint32_t row = 1; row < count; ++row) {
        int32_t before = (int32_t)ct_entity_index(owners[row - 1]);
        descents += (int32_t)ct_entity_index(owners[row]) <= before;
    }
    w->ordered = descents == 0;
    w->passed = 0;
}

// Finds the rows in the shadow.
static void find_spawned(ct_state_writing *w, uint32_t from, uint32_t count, uint32_t *rows) {
    const ct_store *shadow = &w->patch.shadowed->store;
    const ct_entity *owners = ct_store_owners(shadow);
    const ct_entity *entities = w->patch.before.entities + from;
    uint32_t next = w->passed, end = ct_store_count(shadow);
    if (!w->ordered) {
        ct_entity_map_find_each(&shadow->map, owners, entities, count, rows);
        return;
    }
    while (next < end && ct_entity_index(owners[next]) < ct_entity_index(entities[0]))
        next++; // the first row may be that of the parent of the level
    for (uint32_t i = 0; i < count; ++i)
        rows[i] = next < end && owners[next].id == entities[i].id ? next++ : CT_NO_ROW;
    w->passed = next;
}

// Finds what each entity and those below it are linked to.
static void find_links(ct_state_writing *w, uint32_t from, uint32_t count, const uint32_t *rows) {
    const uint32_t *above = w->level->resource->parent_index;
    uint32_t *linked = w->linked;
    for (uint32_t i = from; i < from + count; ++i) {
        if (rows[i - from] != CT_NO_ROW)
            linked[i] = i;
        else
            linked[i] = above[i] != CT_RESOURCE_NO_PARENT ? linked[above[i]] : CT_MATCH_NONE;
    }
}

// Finds the rows of living entities of the level.
static void find_rows(ct_state_writing *w, uint32_t from, uint32_t end, ct_state_pairs *out) {
    const ct_entity_manager *manager = w->patch.world->entities;
    size_t first = (size_t)w->copy * w->level->resource->num_entities + from;
    const ct_entity *entities = w->level->entities + first;
    uint32_t here[CT_STATE_BLOCK], spawned[CT_STATE_BLOCK], count = end - from;
    find_spawned(w, from, count, spawned);
    if (w->hierarchy != w->manager->input_count) find_links(w, from, count, spawned);
    ct_entity_map_find_each(&w->manager->store.map, ct_store_owners(&w->manager->store), entities,
                            count, here);
    uint32_t next_here = CT_NO_ROW, next_spawned = CT_NO_ROW;
    out->count = out->run_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if ((here[i] & spawned[i]) == CT_NO_ROW) continue; // rows are smaller
        if (!w->whole && ((entities[i].id & CT_LEVEL_LOST) != 0 ||
                          !ct_entity_manager_alive(manager, entities[i])))
            continue;
        bool both = here[i] != CT_NO_ROW && spawned[i] != CT_NO_ROW;
        uint32_t k = out->count++;
        out->entity[k] = from + i;
        out->here[k] = here[i];
        out->spawned[k] = spawned[i];
        out->differs[k] = !both;
        if (!both || here[i] != next_here || spawned[i] != next_spawned)
            out->run[out->run_count++] = k;
        next_here = both ? here[i] + 1 : CT_NO_ROW;
        next_spawned = spawned[i] + 1;
    }
    out->run[out->run_count] = out->count;
}

// ---------------------------------------------------------------- columns

// Two columns, and the compared rows of each.
typedef struct columns {
    const unsigned char *here, *spawned;
    const ct_state_pairs *rows;
} columns;

// Marks rows with different items: compares runs of rows, then each row of a run that differs. The
// constant width of the calls makes each comparison a few instructions.
static CT_ALWAYS_INLINE void compare_items(const columns *c, bool *differs, size_t width) {
    const ct_state_pairs *rows = c->rows;
    for (uint32_t r = 0; r < rows->run_count; ++r) {
        uint32_t k = rows->run[r], end = rows->run[r + 1];
        const unsigned char *here = c->here + rows->here[k] * width;
        const unsigned char *spawned = c->spawned + rows->spawned[k] * width;
        if (differs[k] && end - k == 1) continue; // one of the rows may be missing
        if (memcmp(here, spawned, (end - k) * width) == 0) continue;
        for (; k < end; ++k, here += width, spawned += width)
            differs[k] |= memcmp(here, spawned, width) != 0;
    }
}

static void compare_column(const columns *c, bool *differs, size_t width) {
    switch (width) {
    case 1: compare_items(c, differs, 1); break;
    case 4: compare_items(c, differs, 4); break;
    case 8: compare_items(c, differs, 8); break;
    default: compare_items(c, differs, width);
    }
}

static bool has_same_text(ct_state_writing *w, uint32_t field, const void *here,
                          const void *spawned) {
    ct_string_pair *last = &w->pairs[field], now;
    memcpy(&now.here, here, sizeof now.here);
    memcpy(&now.spawned, spawned, sizeof now.spawned);
    if (now.here.ref == last->here.ref && now.spawned.ref == last->spawned.ref) return true;
    if (!ct_text_equal(ct_string_pool_text(w->manager->strings, now.here),
                       ct_string_pool_text(w->patch.shadowed->strings, now.spawned)))
        return false;
    *last = now;
    return true;
}

static void compare_texts(ct_state_writing *w, uint32_t field, const columns *c, bool *differs) {
    for (uint32_t k = 0; k < c->rows->count; ++k)
        differs[k] |=
            !differs[k] && !has_same_text(w, field, c->here + c->rows->here[k] * sizeof(ct_string),
                                          c->spawned + c->rows->spawned[k] * sizeof(ct_string));
}

// Marks rows that refer to entities.
static void compare_entities(const columns *c, bool *differs) {
    static const ct_entity no_entity = {CT_NOBODY};
    for (uint32_t k = 0; k < c->rows->count; ++k)
        differs[k] |= !differs[k] && memcmp(c->here + c->rows->here[k] * sizeof no_entity,
                                            &no_entity, sizeof no_entity) != 0;
    compare_items(c, differs, sizeof no_entity);
}

static void compare_fields(ct_state_writing *w, ct_state_pairs *pairs) {
    const ct_manager *here = w->manager, *spawned = w->patch.shadowed;
    static const ct_row first = {0};
    if (ct_store_count(&here->store) == 0 || ct_store_count(&spawned->store) == 0) return;
    if (here->type == &ct_transform_type) {
        for (uint32_t r = 0; r < pairs->run_count; ++r) {
            uint32_t k = pairs->run[r];
            ct_row row = {pairs->here[k]}, other = {pairs->spawned[k]};
            if (!pairs->differs[k])
                ct_transform_compare_poses(here, row, spawned, other, pairs->run[r + 1] - k,
                                           pairs->differs + k);
        }
        return;
    }
    if (here->type == &ct_grid_type || here->has_values) {
        memset(pairs->differs, true, pairs->count);
        return;
    }
    CT_ASSERT(here->type->read == NULL);
    for (uint32_t f = 0; f < here->field_count; ++f) {
        const ct_field *field = &here->fields[f];
        const columns c = {ct_manager_item(here, field, first),
                           ct_manager_item(spawned, field, first), pairs};
        if (field->type == CT_FIELD_STRING)
            compare_texts(w, f, &c, pairs->differs);
        else if (field->type == CT_FIELD_ENTITY)
            compare_entities(&c, pairs->differs);
        else
            compare_column(&c, pairs->differs, here->store.columns.width[field->column]);
    }
}

// Marks entities of a 'multiple' manager that have several components or given ids.
static void compare_ids(const ct_state_writing *w, ct_state_pairs *pairs) {
    const ct_store *store = &w->manager->store, *shadow = &w->patch.shadowed->store;
    if (ct_store_count(store) == 0 || ct_store_count(shadow) == 0) return;
    const uint32_t *next = ct_store_u32(store, CT_COLUMN_NEXT);
    const uint32_t *id = ct_store_u32(store, CT_COLUMN_ID);
    const uint32_t *spawned_next = ct_store_u32(shadow, CT_COLUMN_NEXT);
    const uint32_t *spawned_id = ct_store_u32(shadow, CT_COLUMN_ID);
    for (uint32_t k = 0; k < pairs->count; ++k) {
        if (pairs->differs[k]) continue;
        uint32_t here = pairs->here[k], spawned = pairs->spawned[k];
        pairs->differs[k] = (next[here] & spawned_next[spawned]) != CT_NO_ROW ||
                            (id[here] & CT_ID_IS_STRING) != 0 ||
                            !ct_patch_is_issued(spawned_id[spawned]);
    }
}

// Marks transforms that have other links than in the spawn.
static void compare_links(const ct_state_writing *w, ct_state_pairs *pairs) {
    ct_entity parents[CT_STATE_BLOCK];
    bool nodes = !lacks_nodes(w);
    for (uint32_t k = 0; k < pairs->count; ++k)
        parents[k] = spawned_parent(w, pairs->entity[k]);
    ct_transform_compare_parents(w->manager, pairs->here, parents, pairs->count, pairs->differs);
    for (uint32_t k = 0; k < pairs->count && nodes; ++k) {
        ct_state_rows rows = {pairs->entity[k], {CT_NOBODY}, {pairs->spawned[k]}, {pairs->here[k]}};
        if (!pairs->differs[k]) pairs->differs[k] = differs_late(w, &rows);
    }
}

void ct_state_compare(ct_state_writing *w, uint32_t from, uint32_t end, ct_state_pairs *out) {
    find_rows(w, from, end, out);
    if (w->manager->store.multiple) compare_ids(w, out);
    compare_fields(w, out);
    if (w->hierarchy != w->manager->input_count) compare_links(w, out);
}

bool ct_state_has_same_fields(ct_state_writing *w, const ct_state_rows *rows) {
    ct_state_pairs one;
    one.count = one.run_count = 1;
    one.run[0] = 0;
    one.run[1] = 1;
    one.here[0] = rows->here.i;
    one.spawned[0] = rows->spawned.i;
    one.differs[0] = false;
    compare_fields(w, &one);
    return !one.differs[0];
}
