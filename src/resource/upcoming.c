// What the rows of a spawn will be made of: values of sections, and what overrides make of these.
// Knows nothing of who asks, nor what any component keeps beside its rows.
#include "resource/upcoming.h"

#include "resource/path.h"
#include "resource/spawner_internal.h"

#include <string.h>

// ---------------------------------------------------------------- one manager's part

void ct_part_find(ct_part *p, const ct_world *world, const ct_resource *resource,
                  ct_manager *manager) {
    ct_message unread;
    p->manager = manager;
    p->section = ct_spawner_section(world, resource, manager);
    p->laid_out = p->section != NULL &&
                  ct_section_layout(p->section, manager, p->fields, &p->layout, &unread) &&
                  ct_layout_place(&p->layout, p->section->num_instances, &p->places);
}

ct_text ct_part_text(const ct_part *p, uint32_t offset) {
    return ct_string_block_text(p->section->data + p->places.strings,
                                p->section->size - p->places.strings, offset);
}

const ct_override_value *ct_part_value(const ct_override *override, const ct_field *input) {
    for (uint32_t i = 0; i < override->value_count; ++i) {
        const ct_override_value *value = &override->values[i];
        if (value->type == input->type && strcmp(value->input, input->name) == 0) return value;
    }
    return NULL;
}

// ---------------------------------------------------------------- values of one row

static void read_instance(ct_upcoming *u, uint32_t i) {
    const ct_part *p = u->part;
    for (uint32_t f = 0; f < p->layout.field_count; ++f) {
        ct_field_type type = p->layout.fields[f].type;
        const unsigned char *item =
            p->section->data + p->places.field[f] + (size_t)i * ct_field_compiled_bytes(type);
        u->values[f].items = item;
        if (!ct_field_is_text(type)) continue;
        uint32_t offset;
        memcpy(&offset, item, sizeof offset);
        u->texts[f] = ct_part_text(p, offset);
        u->values[f].items = &u->texts[f];
    }
}

static void read_override(ct_upcoming *u, const ct_override *override) {
    const ct_manager *manager = u->part->manager;
    for (uint32_t f = 0; f < manager->input_count; ++f) {
        const ct_override_value *value = ct_part_value(override, &manager->inputs[f]);
        if (value != NULL) u->values[f].items = value->item;
    }
}

// What all overrides that have led to an entity make of it.
static void read_overridden(ct_upcoming *u, uint32_t entity) {
    const ct_part *p = u->part;
    memset(u->values, 0, sizeof u->values);
    uint32_t i = p->laid_out ? ct_section_find(p->section, entity) : 0;
    if (p->laid_out && i < p->section->num_instances) read_instance(u, i);
    const ct_led *led = &u->led[u->last[entity] - 1];
    do {
        led = &u->led[led->next - 1];
        read_override(u, &u->options->overrides[led->override]);
    } while (led != &u->led[u->last[entity] - 1]);
}

// ---------------------------------------------------------------- one after another

// The current override leads to the current entity, as the last one up to now.
static void note_led(ct_upcoming *u) {
    uint32_t *last = &u->last[u->entity], place = ++u->led_count;
    ct_led *led = &u->led[place - 1];
    CT_ASSERT(place <= u->led_capacity);
    *led = (ct_led){u->override, place};
    if (*last != 0) {
        led->next = u->led[*last - 1].next;
        u->led[*last - 1].next = place;
    }
    *last = place;
}

// Goes on to the next entity that an override leads to.
static bool find_led(ct_upcoming *u) {
    const ct_spawn_options *options = u->options;
    for (; u->override < options->override_count; ++u->override, u->entity = CT_PATH_NONE) {
        const ct_override *override = &options->overrides[u->override];
        if (!ct_override_is_for(override, u->part->manager->name)) continue;
        u->entity = ct_path_find(u->resource, override->path, u->entity);
        if (u->entity != CT_PATH_NONE) return true;
    }
    return false;
}

static bool next(ct_need *need) {
    ct_upcoming *u = (ct_upcoming *)(void *)need;
    const ct_part *p = u->part;
    if (p->laid_out && u->instance < p->section->num_instances) {
        read_instance(u, u->instance++);
        return true;
    }
    need->overriding = true;
    if (!find_led(u)) return false;
    note_led(u);
    read_overridden(u, u->entity);
    return true;
}

// Room to note all that overrides lead to.
static ct_status reserve_led(ct_upcoming *u) {
    u->override = 0;
    u->entity = CT_PATH_NONE;
    while (find_led(u))
        u->led_capacity++;
    u->override = 0;
    if (u->led_capacity == 0) return CT_OK;
    u->led = ct_alloc(u->allocator, u->led_capacity * sizeof *u->led);
    u->last = ct_alloc_zero(u->allocator, u->resource->num_entities * sizeof *u->last);
    return u->led != NULL && u->last != NULL ? CT_OK : CT_ERR_MEMORY;
}

ct_status ct_upcoming_begin(ct_upcoming *u, const ct_world *world, const ct_resource *resource,
                            const ct_spawn_options *options, const ct_part *part) {
    memset(u, 0, sizeof *u);
    u->allocator = world->allocator;
    u->resource = resource;
    u->options = options;
    u->part = part;
    u->need.overridden =
        ct_override_any(options->overrides, options->override_count, part->manager);
    u->need.next = next;
    u->need.values = u->values;
    u->need.count = ct_spawner_copies(options);
    return reserve_led(u);
}

void ct_upcoming_end(ct_upcoming *u) {
    ct_free(u->allocator, u->led, u->led_capacity * sizeof *u->led);
    ct_free(u->allocator, u->last, u->resource->num_entities * sizeof *u->last);
}
