// What the rows of a spawn will be made of: values of sections, and what overrides make of these.
// Knows nothing of who asks, nor what any component keeps beside its rows.
#include "resource/upcoming.h"

#include "resource/path.h"
#include "resource/spawner_internal.h"

#include <string.h>

// ---------------------------------------------------------------- a section as its manager reads
// it

void ct_section_view_find(ct_section_view *view, const ct_world *world, const ct_resource *resource,
                          ct_manager *manager) {
    ct_message unread;
    view->manager = manager;
    view->section = ct_spawner_section(world, resource, manager);
    view->readable =
        view->section != NULL &&
        ct_section_layout(view->section, manager, view->fields, &view->layout, &unread) &&
        ct_layout_place(&view->layout, view->section->num_instances, &view->places);
}

ct_text ct_section_view_text(const ct_section_view *view, uint32_t offset) {
    return ct_string_block_text(view->section->data + view->places.strings,
                                view->section->size - view->places.strings, offset);
}

// ---------------------------------------------------------------- values of one row

static void read_instance(ct_upcoming *u, uint32_t i) {
    const ct_section_view *view = u->view;
    for (uint32_t f = 0; f < view->layout.field_count; ++f) {
        ct_field_type type = view->layout.fields[f].type;
        const unsigned char *item =
            view->section->data + view->places.field[f] + (size_t)i * ct_field_compiled_bytes(type);
        u->values[f].items = item;
        if (!ct_field_is_text(type)) continue;
        uint32_t offset;
        memcpy(&offset, item, sizeof offset);
        u->texts[f] = ct_section_view_text(view, offset);
        u->values[f].items = &u->texts[f];
    }
}

static void read_override(ct_upcoming *u, const ct_override *override) {
    const ct_manager *manager = u->view->manager;
    for (uint32_t f = 0; f < manager->input_count; ++f) {
        const ct_override_value *value = ct_override_value_of(override, &manager->inputs[f]);
        if (value != NULL) u->values[f].items = value->item;
    }
}

// What all overrides that have led to an entity make of it.
static void read_overridden(ct_upcoming *u, uint32_t entity) {
    const ct_section_view *view = u->view;
    memset(u->values, 0, sizeof u->values);
    uint32_t i = view->readable ? ct_section_find(view->section, entity) : 0;
    if (view->readable && i < view->section->num_instances) read_instance(u, i);
    const ct_override_hit *hit = &u->hits[u->last[entity] - 1];
    do {
        hit = &u->hits[hit->next - 1];
        read_override(u, &u->options->overrides[hit->override]);
    } while (hit != &u->hits[u->last[entity] - 1]);
}

// ---------------------------------------------------------------- one after another

// The current override leads to the current entity, as the last one up to now.
static void note_hit(ct_upcoming *u) {
    uint32_t *last = &u->last[u->entity], place = ++u->hit_count;
    ct_override_hit *hit = &u->hits[place - 1];
    CT_ASSERT(place <= u->hit_capacity);
    *hit = (ct_override_hit){u->override, place};
    if (*last != 0) {
        hit->next = u->hits[*last - 1].next;
        u->hits[*last - 1].next = place;
    }
    *last = place;
}

// Goes on to the next entity that an override leads to.
static bool find_hit(ct_upcoming *u) {
    const ct_spawn_options *options = u->options;
    for (; u->override < options->override_count; ++u->override, u->entity = CT_PATH_NONE) {
        const ct_override *override = &options->overrides[u->override];
        if (!ct_override_is_for(override, u->view->manager->name)) continue;
        u->entity = ct_path_find(u->resource, override->path, u->entity);
        if (u->entity != CT_PATH_NONE) return true;
    }
    return false;
}

static bool next(ct_need *need) {
    ct_upcoming *u = (ct_upcoming *)(void *)need;
    const ct_section_view *view = u->view;
    if (view->readable && u->instance < view->section->num_instances) {
        read_instance(u, u->instance++);
        return true;
    }
    need->overriding = true;
    if (!find_hit(u)) return false;
    note_hit(u);
    read_overridden(u, u->entity);
    return true;
}

// Room to note all that overrides lead to.
static ct_status reserve_hits(ct_upcoming *u) {
    u->override = 0;
    u->entity = CT_PATH_NONE;
    while (find_hit(u))
        u->hit_capacity++;
    u->override = 0;
    if (u->hit_capacity == 0) return CT_OK;
    u->hits = ct_alloc(u->allocator, u->hit_capacity * sizeof *u->hits);
    u->last = ct_alloc_zero(u->allocator, u->resource->num_entities * sizeof *u->last);
    return u->hits != NULL && u->last != NULL ? CT_OK : CT_ERR_MEMORY;
}

ct_status ct_upcoming_begin(ct_upcoming *u, const ct_world *world, const ct_resource *resource,
                            const ct_spawn_options *options, const ct_section_view *view) {
    memset(u, 0, sizeof *u);
    u->allocator = world->allocator;
    u->resource = resource;
    u->options = options;
    u->view = view;
    u->need.overridden =
        ct_override_any(options->overrides, options->override_count, view->manager);
    u->need.next = next;
    u->need.values = u->values;
    u->need.count = ct_spawner_copies(options);
    return reserve_hits(u);
}

void ct_upcoming_end(ct_upcoming *u) {
    ct_free(u->allocator, u->hits, u->hit_capacity * sizeof *u->hits);
    ct_free(u->allocator, u->last, u->resource->num_entities * sizeof *u->last);
}
