// Matching of the entities of two versions of a resource.
#include "resource/match.h"

#include "base/hash.h"
#include "base/table.h"
#include "base/text.h"
#include "resource/path.h"

#include <string.h>

// Entities with the same key, in order.
typedef struct group {
    uint32_t first; // CT_MATCH_NONE: all are matched
    uint32_t last;
    uint32_t key; // the entity that was entered first
} group;

typedef struct grouping {
    const ct_match_key *keys;
    uint32_t count;
    uint32_t *next; // per entity: the next entity of its group
    ct_table table; // groups by key
    group *groups;
    uint64_t seed;
    const ct_allocator *allocator;
} grouping;

static void read_id(const ct_resource *resource, uint32_t number, ct_match_key *out) {
    const ct_section *ids = resource->ids;
    const ct_layout layout = ct_resource_ids_layout();
    ct_layout_places places;
    bool placed = ct_layout_place(&layout, ids->num_instances, &places);
    CT_ASSERT(placed); // true since the section was checked
    (void)placed;
    out->under = ct_u32_at(ids->data + places.field[1], number);
    out->text =
        ct_text_stored(ids->data + places.strings, ct_u32_at(ids->data + places.field[0], number));
    out->id = true;
}

void ct_match_keys(const ct_resource *resource, ct_match_key *out) {
    for (uint32_t i = 0; i < resource->num_entities; ++i)
        out[i] =
            (ct_match_key){ct_resource_entity_name(resource, i), resource->parent_index[i], false};
    for (uint32_t i = 0; resource->ids != NULL && i < resource->ids->num_instances; ++i)
        read_id(resource, i, &out[resource->ids->entity_index[i]]);
}

static bool are_same(const ct_match_key *a, const ct_match_key *b) {
    return a->id == b->id && a->under == b->under && ct_text_equal(a->text, b->text) &&
           (a->text.bytes == NULL) == (b->text.bytes == NULL);
}

static uint32_t hash_key(const grouping *g, const ct_match_key *k) {
    uint64_t hash = ct_hash_mix(g->seed, (uint64_t)k->under << 1 | k->id);
    return (uint32_t)ct_hash_text(hash, k->text.bytes, k->text.length);
}

// Returns the group of a key, or CT_TABLE_NONE.
static uint32_t group_of(const grouping *g, const ct_match_key *k, uint32_t hash) {
    uint32_t at = ct_table_home(&g->table, hash), number;
    do
        number = ct_table_next(&g->table, hash, &at);
    while (number != CT_TABLE_NONE && !are_same(&g->keys[g->groups[number].key], k));
    return number;
}

static void enter(grouping *g, uint32_t entity) {
    const ct_match_key *k = &g->keys[entity];
    uint32_t hash = hash_key(g, k), number = group_of(g, k, hash);
    g->next[entity] = CT_MATCH_NONE;
    if (number == CT_TABLE_NONE) {
        g->groups[g->table.used] = (group){entity, entity, entity};
        ct_table_add(&g->table, hash, g->table.used);
        return;
    }
    g->next[g->groups[number].last] = entity;
    g->groups[number].last = entity;
}

// Removes and returns the first unmatched entity of the key's group.
static uint32_t take(const grouping *g, const ct_match_key *k) {
    uint32_t number = group_of(g, k, hash_key(g, k));
    if (number == CT_TABLE_NONE) return CT_MATCH_NONE;
    uint32_t entity = g->groups[number].first;
    if (entity != CT_MATCH_NONE) g->groups[number].first = g->next[entity];
    return entity;
}

static size_t grouping_bytes(uint32_t count) {
    return ((size_t)count + 1) * (sizeof(group) + sizeof(uint32_t));
}

static void grouping_free(grouping *g) {
    ct_table_free(&g->table, g->allocator);
    ct_free(g->allocator, g->groups, grouping_bytes(g->count));
}

// Groups entities by their keys. Returns CT_OK or CT_ERR_MEMORY with nothing allocated.
static ct_status grouping_init(grouping *g, const ct_match_key *keys, uint32_t count,
                               const ct_allocator *allocator) {
    *g = (grouping){.keys = keys, .count = count, .seed = ct_hash_seed(g), .allocator = allocator};
    g->groups = ct_alloc(allocator, grouping_bytes(count));
    if (g->groups == NULL) return CT_ERR_MEMORY;
    if (!ct_table_reserve(&g->table, allocator, count, NULL, NULL)) {
        ct_free(allocator, g->groups, grouping_bytes(count));
        return CT_ERR_MEMORY;
    }
    g->next = (uint32_t *)(void *)(g->groups + count);
    for (uint32_t i = 0; i < count; ++i)
        enter(g, i);
    return CT_OK;
}

ct_status ct_match_entities(const ct_match_key *old, uint32_t old_count, const ct_match_key *next,
                            uint32_t next_count, uint32_t *old_of, uint32_t *next_of,
                            const ct_allocator *allocator) {
    grouping g;
    ct_status status = grouping_init(&g, old, old_count, allocator);
    if (status != CT_OK) return status;
    for (uint32_t i = 0; i < old_count; ++i)
        next_of[i] = CT_MATCH_NONE;
    for (uint32_t j = 0; j < next_count; ++j) {
        ct_match_key k = next[j];
        old_of[j] = CT_MATCH_NONE;
        if (k.under != CT_MATCH_NONE) {
            k.under = k.under < j ? old_of[k.under] : CT_MATCH_NONE;
            if (k.under == CT_MATCH_NONE) continue;
        }
        old_of[j] = take(&g, &k);
        if (old_of[j] != CT_MATCH_NONE) next_of[old_of[j]] = j;
    }
    grouping_free(&g);
    return CT_OK;
}

// Marks the entities before the last marked one of a group.
static void mark_before(const grouping *g, uint32_t first, bool *marks) {
    uint32_t last = CT_MATCH_NONE;
    for (uint32_t i = first; i != CT_MATCH_NONE; i = g->next[i])
        if (marks[i]) last = i;
    for (uint32_t i = first; last != CT_MATCH_NONE && i != last; i = g->next[i])
        marks[i] = true;
}

ct_status ct_match_complete(const ct_match_key *keys, uint32_t count, bool *marks,
                            const ct_allocator *allocator) {
    grouping g;
    for (uint32_t i = count; i-- > 0;)
        if (marks[i] && keys[i].under != CT_MATCH_NONE) marks[keys[i].under] = true;
    while (count > 0 && !marks[count - 1])
        count--;
    ct_status status = grouping_init(&g, keys, count, allocator);
    if (status != CT_OK) return status;
    for (uint32_t i = 0; i < g.table.used; ++i)
        mark_before(&g, g.groups[i].first, marks);
    grouping_free(&g);
    return CT_OK;
}

static size_t bytes_of(const ct_resource *resource) {
    return ((size_t)resource->num_entities + 1) * sizeof(uint32_t);
}

void ct_match_free(ct_match *match, const ct_allocator *allocator) {
    ct_free(allocator, match->old_of, bytes_of(match->next));
    ct_free(allocator, match->next_of, bytes_of(match->old));
    match->old_of = match->next_of = NULL;
}

static ct_status match_resources(ct_match *match, ct_match_key *keys,
                                 const ct_allocator *allocator) {
    uint32_t old = match->old->num_entities;
    if (keys == NULL || match->old_of == NULL || match->next_of == NULL) return CT_ERR_MEMORY;
    ct_match_keys(match->old, keys);
    ct_match_keys(match->next, keys + old);
    return ct_match_entities(keys, old, keys + old, match->next->num_entities, match->old_of,
                             match->next_of, allocator);
}

ct_status ct_match_init(ct_match *match, const ct_resource *old, const ct_resource *next,
                        const ct_allocator *allocator) {
    size_t bytes = ((size_t)old->num_entities + next->num_entities + 1) * sizeof(ct_match_key);
    *match = (ct_match){old, next, ct_alloc(allocator, bytes_of(next)),
                        ct_alloc(allocator, bytes_of(old))};
    ct_match_key *keys = ct_alloc(allocator, bytes);
    ct_status status = match_resources(match, keys, allocator);
    ct_free(allocator, keys, bytes);
    if (status != CT_OK) ct_match_free(match, allocator);
    return status;
}
