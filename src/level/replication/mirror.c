// Values of published components by entity.
#include "level/replication/mirror.h"

typedef struct ct_mirror_key {
    ct_entity owner;
    uint32_t id;
    uint32_t component;
} ct_mirror_key;

void ct_mirror_init(ct_mirror *mirror, const ct_allocator *allocator, const ct_published *published,
                    bool stamped) {
    memset(mirror, 0, sizeof *mirror);
    mirror->allocator = allocator;
    mirror->published = published;
    mirror->stamped = stamped;
    mirror->free_component = CT_MIRROR_NONE;
    for (uint32_t t = 0; t < CT_MAX_PUBLISHED; ++t)
        mirror->rows[t].free = CT_MIRROR_NONE;
    ct_string_pool_init(&mirror->strings, allocator);
    ct_entity_map_init(&mirror->map, CT_MAP_HASH);
}

static void release_components(ct_mirror *mirror) {
    for (uint32_t c = 0; c < mirror->component_used; ++c) {
        const ct_mirror_component *component = &mirror->components[c];
        if (component->place == CT_MIRROR_NONE) continue;
        ct_mirror_release(mirror, &mirror->published->types[component->type],
                          ct_mirror_items(mirror, component), component->present);
    }
}

void ct_mirror_free(ct_mirror *mirror) {
    const ct_allocator *allocator = mirror->allocator;
    release_components(mirror); // cells have blocks of their own
    for (uint32_t t = 0; t < mirror->published->type_count; ++t) {
        ct_mirror_rows *rows = &mirror->rows[t];
        const ct_published_type *type = &mirror->published->types[t];
        ct_free(allocator, rows->items, (size_t)rows->capacity * type->item_bytes);
        ct_free(allocator, rows->stamps,
                (size_t)rows->stamp_capacity * type->field_count * sizeof(uint32_t));
        ct_free(allocator, rows->keys, rows->key_capacity * sizeof *rows->keys);
        ct_table_free(&rows->index, allocator);
    }
    ct_free(allocator, mirror->components, mirror->component_capacity * sizeof *mirror->components);
    ct_free(allocator, mirror->ids, mirror->id_capacity * sizeof *mirror->ids);
    ct_free(allocator, mirror->entities, mirror->entity_capacity * sizeof *mirror->entities);
    ct_entity_map_free(&mirror->map, allocator);
    ct_string_pool_free(&mirror->strings);
    ct_mirror_init(mirror, allocator, mirror->published, mirror->stamped);
}

// ---------------------------------------------------------------- room

static uint32_t hash_key(const void *keys, uint32_t row) {
    const ct_mirror_key *key = (const ct_mirror_key *)keys + row;
    return ct_id_hash(key->owner, key->id);
}

static ct_status reserve_keys(ct_mirror *mirror, ct_mirror_rows *rows, uint32_t needed,
                              uint32_t added) {
    ct_status status = ct_array_reserve(mirror->allocator, (void **)&rows->keys,
                                        &rows->key_capacity, needed, sizeof *rows->keys);
    if (status != CT_OK) return status;
    return ct_table_reserve(&rows->index, mirror->allocator, added, hash_key, rows->keys)
               ? CT_OK
               : CT_ERR_MEMORY;
}

static ct_status reserve_rows(ct_mirror *mirror, uint32_t t, uint32_t added) {
    ct_mirror_rows *rows = &mirror->rows[t];
    const ct_published_type *type = &mirror->published->types[t];
    uint32_t needed = rows->used + (added > rows->free_count ? added - rows->free_count : 0);
    ct_status status = CT_OK;
    if (added > 0 && type->multiple) status = reserve_keys(mirror, rows, needed, added);
    if (status != CT_OK || needed == rows->used) return status;
    status = ct_array_reserve(mirror->allocator, (void **)&rows->items, &rows->capacity, needed,
                              type->item_bytes);
    if (status != CT_OK || !mirror->stamped || type->field_count == 0) return status;
    return ct_array_reserve(mirror->allocator, (void **)&rows->stamps, &rows->stamp_capacity,
                            needed, type->field_count * sizeof(uint32_t));
}

ct_status ct_mirror_reserve(ct_mirror *mirror, const ct_entity *entities, uint32_t count,
                            const uint32_t *added) {
    const ct_allocator *allocator = mirror->allocator;
    uint32_t needed = mirror->count + count, components = 0;
    ct_status status = CT_OK;
    for (uint32_t t = 0; t < mirror->published->type_count && status == CT_OK; ++t) {
        status = reserve_rows(mirror, t, added[t]);
        components += added[t];
    }
    if (status == CT_OK && components > mirror->free_components)
        status =
            ct_array_reserve(allocator, (void **)&mirror->components, &mirror->component_capacity,
                             mirror->component_used + components - mirror->free_components,
                             sizeof *mirror->components);
    if (status != CT_OK || count == 0) return status;
    status = ct_array_reserve(allocator, (void **)&mirror->ids, &mirror->id_capacity, needed,
                              sizeof *mirror->ids);
    if (status == CT_OK)
        status = ct_array_reserve(allocator, (void **)&mirror->entities, &mirror->entity_capacity,
                                  needed, sizeof *mirror->entities);
    if (status != CT_OK) return status;
    return ct_entity_map_reserve(&mirror->map, allocator, mirror->ids, entities, count);
}

// ---------------------------------------------------------------- entities

uint32_t ct_mirror_add(ct_mirror *mirror, ct_entity e, uint32_t since) {
    uint32_t place = mirror->count++;
    mirror->ids[place] = e;
    mirror->entities[place] = (ct_mirror_entity){since, since, 0, CT_MIRROR_NONE, {CT_NOBODY}};
    ct_entity_map_enter(&mirror->map, mirror->ids, ct_entity_index(e), place);
    return place;
}

void ct_mirror_remove(ct_mirror *mirror, uint32_t place) {
    uint32_t last = mirror->count - 1;
    while (mirror->entities[place].first != CT_MIRROR_NONE)
        ct_mirror_remove_component(mirror, mirror->entities[place].first);
    ct_entity_map_erase(&mirror->map, mirror->ids, ct_entity_index(mirror->ids[place]), place);
    if (place != last) {
        ct_entity_map_move(&mirror->map, ct_entity_index(mirror->ids[last]), last, place);
        mirror->ids[place] = mirror->ids[last];
        mirror->entities[place] = mirror->entities[last];
        for (uint32_t c = mirror->entities[place].first; c != CT_MIRROR_NONE;
             c = mirror->components[c].next)
            mirror->components[c].place = place;
    }
    mirror->count = last;
}

// ---------------------------------------------------------------- components

// Returns the last component of smaller types of the entity at a place, or CT_MIRROR_NONE.
static uint32_t last_below(const ct_mirror *mirror, uint32_t place, uint32_t type) {
    uint32_t last = CT_MIRROR_NONE, c = mirror->entities[place].first;
    while (c != CT_MIRROR_NONE && mirror->components[c].type < type) {
        last = mirror->components[c].last;
        c = mirror->components[last].next;
    }
    return last;
}

static bool has_type(const ct_mirror *mirror, uint32_t c, uint32_t type) {
    return c != CT_MIRROR_NONE && mirror->components[c].type == type;
}

uint32_t ct_mirror_first_of(const ct_mirror *mirror, uint32_t place, uint32_t type) {
    uint32_t last = last_below(mirror, place, type), c = mirror->entities[place].first;
    if (last != CT_MIRROR_NONE) c = mirror->components[last].next;
    return has_type(mirror, c, type) ? c : CT_MIRROR_NONE;
}

uint32_t ct_mirror_find_component(const ct_mirror *mirror, uint32_t place, uint32_t type,
                                  uint32_t id) {
    const ct_mirror_rows *rows = &mirror->rows[type];
    if (!mirror->published->types[type].multiple) return ct_mirror_first_of(mirror, place, type);
    ct_entity owner = mirror->ids[place];
    uint32_t hash = ct_id_hash(owner, id), at = ct_table_home(&rows->index, hash), row;
    do
        row = ct_table_next(&rows->index, hash, &at);
    while (row != CT_TABLE_NONE &&
           (rows->keys[row].owner.id != owner.id || rows->keys[row].id != id));
    return row != CT_TABLE_NONE ? rows->keys[row].component : CT_MIRROR_NONE;
}

uint32_t ct_mirror_find_of(const ct_mirror *mirror, ct_entity e, uint32_t type, uint32_t id) {
    uint32_t place = ct_mirror_find(mirror, e);
    if (place == CT_MIRROR_NONE) return CT_MIRROR_NONE;
    return ct_mirror_find_component(mirror, place, type, id);
}

static uint32_t take_row(ct_mirror_rows *rows, const ct_published_type *type) {
    uint32_t row = rows->free;
    if (row == CT_MIRROR_NONE) return rows->used++;
    memcpy(&rows->free, rows->items + (size_t)row * type->item_bytes, sizeof rows->free);
    rows->free_count--;
    return row;
}

// Returns the link to the first component of a type of the entity at a place.
static uint32_t *link_to(ct_mirror *mirror, uint32_t place, uint32_t type) {
    uint32_t last = last_below(mirror, place, type);
    return last != CT_MIRROR_NONE ? &mirror->components[last].next : &mirror->entities[place].first;
}

// Links a component behind the others of its type.
static void link_last(ct_mirror *mirror, uint32_t c) {
    ct_mirror_component *component = &mirror->components[c];
    uint32_t *link = link_to(mirror, component->place, component->type);
    component->previous = CT_MIRROR_NONE;
    component->last = c;
    if (has_type(mirror, *link, component->type)) {
        ct_mirror_component *first = &mirror->components[*link];
        component->previous = first->last;
        first->last = c;
        link = &mirror->components[component->previous].next;
    }
    component->next = *link;
    *link = c;
}

static void unlink(ct_mirror *mirror, uint32_t c) {
    const ct_mirror_component *component = &mirror->components[c];
    uint32_t *link = link_to(mirror, component->place, component->type);
    ct_mirror_component *first = &mirror->components[*link], *next = NULL;
    if (has_type(mirror, component->next, component->type))
        next = &mirror->components[component->next];
    if (next != NULL) next->previous = component->previous;
    if (component != first) {
        mirror->components[component->previous].next = component->next;
        if (next == NULL) first->last = component->previous;
    } else {
        *link = component->next;
        if (next != NULL) next->last = component->last;
    }
}

uint32_t ct_mirror_add_component(ct_mirror *mirror, uint32_t place, uint32_t type, uint32_t id,
                                 uint32_t created) {
    uint32_t c = mirror->free_component;
    if (c == CT_MIRROR_NONE) {
        c = mirror->component_used++;
    } else {
        mirror->free_component = mirror->components[c].next;
        mirror->free_components--;
    }
    mirror->components[c] = (ct_mirror_component){
        .place = place,
        .type = type,
        .id = id,
        .created = created,
        .row = take_row(&mirror->rows[type], &mirror->published->types[type])};
    link_last(mirror, c);
    if (mirror->published->types[type].multiple) {
        ct_mirror_rows *rows = &mirror->rows[type];
        uint32_t row = mirror->components[c].row;
        rows->keys[row] = (ct_mirror_key){mirror->ids[place], id, c};
        ct_table_add(&rows->index, hash_key(rows->keys, row), row);
    }
    return c;
}

ct_component_id ct_mirror_given(const ct_mirror *mirror, uint32_t id) {
    if ((id & CT_ID_IS_STRING) == 0) return (ct_component_id){id, {NULL, 0}};
    return (ct_component_id){
        0, ct_string_pool_text(&mirror->strings, (ct_string){id & ~CT_ID_IS_STRING})};
}

void ct_mirror_release_id(ct_mirror *mirror, uint32_t id) {
    if ((id & CT_ID_IS_STRING) != 0)
        ct_string_pool_release(&mirror->strings, (ct_string){id & ~CT_ID_IS_STRING});
}

void ct_mirror_release(ct_mirror *mirror, const ct_published_type *type, const unsigned char *items,
                       uint64_t fields) {
    fields &= type->held;
    for (uint32_t f = 0; fields >> f != 0; ++f) {
        const ct_published_field *field = &type->fields[f];
        if ((fields >> f & 1) == 0) continue;
        if (field->cells) {
            ct_mirror_cells cells;
            memcpy(&cells, items + field->place, sizeof cells);
            if (cells.stamps != NULL)
                ct_free(mirror->allocator, cells.stamps,
                        (size_t)ct_cells_count(cells.cells) * sizeof *cells.stamps);
            ct_cells_release(cells.cells);
        } else {
            ct_string string;
            memcpy(&string, items + field->place, sizeof string);
            ct_string_pool_release(&mirror->strings, string);
        }
    }
}

void ct_mirror_remove_component(ct_mirror *mirror, uint32_t c) {
    ct_mirror_component *component = &mirror->components[c];
    ct_mirror_rows *rows = &mirror->rows[component->type];
    unsigned char *items = ct_mirror_items(mirror, component);
    ct_mirror_release(mirror, &mirror->published->types[component->type], items,
                      component->present);
    ct_mirror_release_id(mirror, component->id);
    unlink(mirror, c);
    if (mirror->published->types[component->type].multiple)
        ct_table_remove(&rows->index, component->row, hash_key, rows->keys);
    memcpy(items, &rows->free, sizeof rows->free);
    rows->free = component->row;
    rows->free_count++;
    component->place = CT_MIRROR_NONE;
    component->next = mirror->free_component;
    mirror->free_component = c;
    mirror->free_components++;
}

void ct_mirror_put(ct_mirror *mirror, ct_mirror_component *component, uint32_t f,
                   const void *item) {
    const ct_published_type *type = &mirror->published->types[component->type];
    const ct_published_field *field = &type->fields[f];
    unsigned char *items = ct_mirror_items(mirror, component);
    ct_mirror_release(mirror, type, items, component->present & UINT64_C(1) << f);
    component->present &= ~(UINT64_C(1) << f);
    if (item == NULL) return;
    memcpy(items + field->place, item, field->bytes);
    component->present |= UINT64_C(1) << f;
}

bool ct_mirror_same(const ct_published_field *field, const void *one, const void *other) {
    if (!field->cells) return memcmp(one, other, field->bytes) == 0;
    ct_mirror_cells a, b;
    memcpy(&a, one, sizeof a);
    memcpy(&b, other, sizeof b);
    return ct_cells_equal(a.cells, b.cells);
}
