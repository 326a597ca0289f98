// Matching of the entities of two versions of a resource.
#include "resource/match.h"

#include "base/hash.h"
#include "base/table.h"
#include "base/text.h"
#include "resource/path.h"

#include <string.h>

// Search key of an entity: its id and the scope of the id, or its name and its parent.
// CT_MATCH_NONE is the scope of the file itself, or no parent.
typedef struct key {
    ct_text text;
    uint32_t under;
    bool id;
} key;

// The entities of the old resource with the same key, in order.
typedef struct group {
    uint32_t first; // CT_MATCH_NONE: all are matched
    uint32_t last;
} group;

typedef struct matching {
    ct_match *match;
    uint32_t *old_id;  // per entity: the number of its id, or CT_MATCH_NONE
    uint32_t *next_id; // per entity of the new resource: the same
    uint32_t *next;    // per old entity: the next entity of its group
    ct_table table;    // groups by key
    group *groups;
    key *keys; // of the groups
    uint64_t seed;
} matching;

// Writes the number of the id of each entity.
static void number_ids(const ct_resource *resource, uint32_t *out) {
    for (uint32_t i = 0; i < resource->num_entities; ++i)
        out[i] = CT_MATCH_NONE;
    for (uint32_t i = 0; resource->ids != NULL && i < resource->ids->num_instances; ++i)
        out[resource->ids->entity_index[i]] = i;
}

static void read_id(const ct_resource *resource, uint32_t number, key *out) {
    const ct_section *ids = resource->ids;
    const ct_layout layout = ct_resource_ids_layout();
    ct_layout_places places;
    bool placed = ct_layout_place(&layout, ids->num_instances, &places);
    CT_ASSERT(placed); // true since the section was checked
    (void)placed;
    out->under = ct_u32_at(ids->data + places.field[1], number);
    out->text = ct_string_block_text(ids->data + places.strings, ids->size - places.strings,
                                     ct_u32_at(ids->data + places.field[0], number));
    out->id = true;
}

static key key_of(const ct_resource *resource, const uint32_t *ids, uint32_t entity) {
    key k = {ct_resource_entity_name(resource, entity), resource->parent_index[entity], false};
    if (ids[entity] != CT_MATCH_NONE) read_id(resource, ids[entity], &k);
    return k;
}

static bool are_same(const key *a, const key *b) {
    return a->id == b->id && a->under == b->under && ct_text_equal(a->text, b->text) &&
           (a->text.bytes == NULL) == (b->text.bytes == NULL);
}

static uint32_t hash_key(const matching *m, const key *k) {
    uint64_t hash = ct_hash_mix(m->seed, (uint64_t)k->under << 1 | k->id);
    return (uint32_t)ct_hash_text(hash, k->text.bytes, k->text.length);
}

// Returns the group of a key, or CT_TABLE_NONE.
static uint32_t group_of(const matching *m, const key *k, uint32_t hash) {
    uint32_t at = ct_table_home(&m->table, hash), g;
    do
        g = ct_table_next(&m->table, hash, &at);
    while (g != CT_TABLE_NONE && !are_same(&m->keys[g], k));
    return g;
}

static void enter(matching *m, uint32_t entity) {
    const key k = key_of(m->match->old, m->old_id, entity);
    uint32_t hash = hash_key(m, &k), number = group_of(m, &k, hash);
    m->next[entity] = CT_MATCH_NONE;
    if (number == CT_TABLE_NONE) {
        ct_table_add(&m->table, hash, m->table.used);
        m->keys[m->table.used - 1] = k;
        m->groups[m->table.used - 1] = (group){entity, entity};
        return;
    }
    group *g = &m->groups[number];
    m->next[g->last] = entity;
    g->last = entity;
}

// Removes and returns the first unmatched entity of the key's group.
static uint32_t take(matching *m, const key *k) {
    uint32_t number = group_of(m, k, hash_key(m, k));
    if (number == CT_TABLE_NONE) return CT_MATCH_NONE;
    group *g = &m->groups[number];
    uint32_t entity = g->first;
    if (entity != CT_MATCH_NONE) g->first = m->next[entity];
    return entity;
}

// Relies on parents and roots of prefabs preceding the entities below them.
static void match_all(matching *m) {
    ct_match *match = m->match;
    for (uint32_t i = 0; i < match->old->num_entities; ++i) {
        match->next_of[i] = CT_MATCH_NONE;
        enter(m, i);
    }
    for (uint32_t j = 0; j < match->next->num_entities; ++j) {
        key k = key_of(match->next, m->next_id, j);
        match->old_of[j] = CT_MATCH_NONE;
        if (k.under != CT_MATCH_NONE) {
            k.under = k.under < j ? match->old_of[k.under] : CT_MATCH_NONE;
            if (k.under == CT_MATCH_NONE) continue;
        }
        uint32_t i = take(m, &k);
        match->old_of[j] = i;
        if (i != CT_MATCH_NONE) match->next_of[i] = j;
    }
}

static size_t bytes_of(const ct_resource *resource) {
    return ((size_t)resource->num_entities + 1) * sizeof(uint32_t);
}

void ct_match_free(ct_match *match, const ct_allocator *allocator) {
    ct_free(allocator, match->old_of, bytes_of(match->next));
    ct_free(allocator, match->next_of, bytes_of(match->old));
    match->old_of = match->next_of = NULL;
}

// Lays out the temporary arrays in one block.
static void lay_out(matching *m, unsigned char *block) {
    size_t old = m->match->old->num_entities;
    m->keys = (key *)(void *)block;
    m->groups = (group *)(void *)(m->keys + old);
    m->next = (uint32_t *)(void *)(m->groups + old);
    m->old_id = m->next + old;
    m->next_id = m->old_id + old;
}

ct_status ct_match_init(ct_match *match, const ct_resource *old, const ct_resource *next,
                        const ct_allocator *allocator) {
    matching m = {.match = match, .seed = ct_hash_seed(&m)};
    size_t bytes =
        old->num_entities * (sizeof(key) + sizeof(group) + 2 * sizeof(uint32_t)) + bytes_of(next);
    *match = (ct_match){old, next, ct_alloc(allocator, bytes_of(next)),
                        ct_alloc(allocator, bytes_of(old))};
    unsigned char *block = ct_alloc(allocator, bytes);
    if (match->old_of == NULL || match->next_of == NULL || block == NULL ||
        !ct_table_reserve(&m.table, allocator, old->num_entities, NULL, NULL)) {
        ct_free(allocator, block, bytes);
        ct_match_free(match, allocator);
        return CT_ERR_MEMORY;
    }
    lay_out(&m, block);
    number_ids(old, m.old_id);
    number_ids(next, m.next_id);
    match_all(&m);
    ct_table_free(&m.table, allocator);
    ct_free(allocator, block, bytes);
    return CT_OK;
}
