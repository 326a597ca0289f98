// Values of published components by entity.
#include "level/replication/mirror.h"

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
    }
    ct_free(allocator, mirror->components, mirror->component_capacity * sizeof *mirror->components);
    ct_free(allocator, mirror->ids, mirror->id_capacity * sizeof *mirror->ids);
    ct_free(allocator, mirror->entities, mirror->entity_capacity * sizeof *mirror->entities);
    ct_entity_map_free(&mirror->map, allocator);
    ct_string_pool_free(&mirror->strings);
    ct_mirror_init(mirror, allocator, mirror->published, mirror->stamped);
}

// ---------------------------------------------------------------- room

static ct_status reserve_rows(ct_mirror *mirror, uint32_t t, uint32_t added) {
    ct_mirror_rows *rows = &mirror->rows[t];
    const ct_published_type *type = &mirror->published->types[t];
    if (added <= rows->free_count) return CT_OK;
    uint32_t needed = rows->used + (added - rows->free_count);
    ct_status status = ct_array_reserve(mirror->allocator, (void **)&rows->items, &rows->capacity,
                                        needed, type->item_bytes);
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

uint32_t ct_mirror_find_component(const ct_mirror *mirror, uint32_t from, uint32_t type,
                                  uint32_t id) {
    while (from != CT_MIRROR_NONE &&
           (mirror->components[from].type != type || mirror->components[from].id != id))
        from = mirror->components[from].next;
    return from;
}

uint32_t ct_mirror_find_of(const ct_mirror *mirror, ct_entity e, uint32_t type, uint32_t id) {
    uint32_t place = ct_mirror_find(mirror, e);
    if (place == CT_MIRROR_NONE) return CT_MIRROR_NONE;
    return ct_mirror_find_component(mirror, mirror->entities[place].first, type, id);
}

static uint32_t take_row(ct_mirror_rows *rows, const ct_published_type *type) {
    uint32_t row = rows->free;
    if (row == CT_MIRROR_NONE) return rows->used++;
    memcpy(&rows->free, rows->items + (size_t)row * type->item_bytes, sizeof rows->free);
    rows->free_count--;
    return row;
}

// Links a component behind the others of its type.
static void link_last(ct_mirror *mirror, uint32_t c) {
    ct_mirror_component *component = &mirror->components[c];
    uint32_t *link = &mirror->entities[component->place].first;
    while (*link != CT_MIRROR_NONE && mirror->components[*link].type <= component->type)
        link = &mirror->components[*link].next;
    component->next = *link;
    *link = c;
}

static void unlink(ct_mirror *mirror, uint32_t c) {
    uint32_t *link = &mirror->entities[mirror->components[c].place].first;
    while (*link != c)
        link = &mirror->components[*link].next;
    *link = mirror->components[c].next;
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
    return c;
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
