// The memory that a spawn will need, taken before it, for a caller who cannot go back in the
// middle. Knows nothing of how entities come to life, nor what any component keeps beside its rows.
#include "base/message.h"
#include "resource/late.h"
#include "resource/path.h"
#include "resource/repeat.h"
#include "resource/spawner_internal.h"
#include "resource/upcoming.h"
#include "storage/manager_check.h"

#include <string.h>

// ---------------------------------------------------------------- what is kept until then

void ct_spawn_room_begin(ct_spawn_room *room, ct_world *world) {
    room->world = world;
    ct_scratch_init(&room->scratch, world->allocator);
    ct_additions_begin(&room->additions, world, CT_REASON_SPAWN);
    room->pins = NULL;
    room->pin_count = room->pin_capacity = 0;
    room->reserved = false;
}

void ct_spawn_room_end(ct_spawn_room *room) {
    ct_world *world = room->world;
    for (uint32_t m = 0; room->reserved && m < world->manager_count; ++m) {
        ct_manager *manager = world->managers[m];
        if (manager->type->release != NULL) manager->type->release(manager);
    }
    for (uint32_t i = 0; i < room->pin_count; ++i)
        ct_string_pool_unpin(&world->strings, room->pins[i]);
    ct_free(world->allocator, room->pins, room->pin_capacity * sizeof *room->pins);
    ct_scratch_free(&room->scratch);
    ct_additions_end(&room->additions);
}

// ---------------------------------------------------------------- who will come

typedef struct reserving {
    ct_world *world;
    const ct_resource *resource;
    const ct_spawn_options *options;
    ct_spawn_room *room;
    ct_message *message;
    ct_entity *ids;    // that entities will have, generations apart
    ct_entity *owners; // of rows of one manager
    uint32_t owner_count;
    uint32_t owner_capacity;
    uint32_t values;    // slots of value fields
    uint32_t additions; // components of which hooks are told
    size_t scratch;
} reserving;

// Entities of the resource will own one more row each, in each copy.
static ct_status add_owners(reserving *r, const uint32_t *entities, uint32_t count) {
    uint32_t copies = ct_spawner_copies(r->options), step = r->resource->num_entities;
    ct_status status =
        ct_array_reserve(r->world->allocator, (void **)&r->owners, &r->owner_capacity,
                         r->owner_count + count * copies, sizeof *r->owners);
    if (status != CT_OK) return status;
    for (uint32_t copy = 0; copy < copies; ++copy) {
        const ct_entity *ids = r->ids + (size_t)copy * step;
        for (uint32_t i = 0; i < count; ++i)
            r->owners[r->owner_count++] = ids[entities[i]];
    }
    return CT_OK;
}

static ct_status add_section_owners(reserving *r, const ct_section *section) {
    return section != NULL ? add_owners(r, section->entity_index, section->num_instances) : CT_OK;
}

static bool gives_late(const ct_override *override, const ct_manager *manager) {
    uint32_t i = manager->input_count, end = ct_manager_all_inputs(manager);
    while (i < end && ct_override_value_of(override, &manager->inputs[i]) == NULL)
        i++;
    return i < end;
}

// All that overrides for a manager lead to, or those of late inputs only: more than will own new
// rows.
static ct_status add_override_owners(reserving *r, const ct_manager *manager, bool late) {
    ct_status status = CT_OK;
    for (uint32_t o = 0; o < r->options->override_count && status == CT_OK; ++o) {
        const ct_override *override = &r->options->overrides[o];
        uint32_t i = CT_PATH_NONE;
        if (!ct_override_is_for(override, manager->name)) continue;
        if (late && !gives_late(override, manager)) continue;
        while (status == CT_OK &&
               (i = ct_path_find(r->resource, override->path, i)) != CT_PATH_NONE)
            status = add_owners(r, &i, 1);
    }
    return status;
}

// ---------------------------------------------------------------- texts

static ct_status pin(reserving *r, ct_text text) {
    ct_spawn_room *room = r->room;
    ct_status status =
        ct_array_reserve(r->world->allocator, (void **)&room->pins, &room->pin_capacity,
                         room->pin_count + 1, sizeof *room->pins);
    if (status != CT_OK) return status;
    status = ct_string_pool_pin_text(&r->world->strings, text, &room->pins[room->pin_count]);
    if (status == CT_OK) room->pin_count++;
    return status;
}

// Neighbours are often alike.
static ct_status pin_column(reserving *r, const ct_section_view *view, size_t column) {
    uint32_t last = 1; // no offset: they are multiples of 4
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < view->section->num_instances && status == CT_OK; ++i) {
        uint32_t offset;
        memcpy(&offset, view->section->data + column + (size_t)i * sizeof offset, sizeof offset);
        if (offset == last) continue;
        status = pin(r, ct_section_view_text(view, offset));
        last = offset;
    }
    return status;
}

static ct_status pin_ids(reserving *r, const ct_section_view *view) {
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < view->section->num_instances && status == CT_OK; ++i) {
        uint32_t id;
        memcpy(&id, view->section->data + view->places.ids + (size_t)i * sizeof id, sizeof id);
        if ((id & CT_ID_IS_STRING) != 0)
            status = pin(r, ct_section_view_text(view, id & ~CT_ID_IS_STRING));
    }
    return status;
}

static ct_status pin_section(reserving *r, const ct_section_view *view) {
    const ct_layout *layout = &view->layout;
    if (!view->readable) return CT_OK;
    ct_status status = layout->multiple ? pin_ids(r, view) : CT_OK;
    for (uint32_t f = 0; f < view->manager->field_count && status == CT_OK; ++f) {
        const ct_field *field = &view->manager->fields[f];
        uint32_t at = ct_field_find(layout->fields, layout->field_count, field->name, NULL);
        if (!ct_field_is_text(field->type) || at == layout->field_count) continue;
        if (field->type == CT_FIELD_VALUE)
            r->values += view->section->num_instances * ct_spawner_copies(r->options);
        status = pin_column(r, view, view->places.field[at]);
    }
    return status;
}

// Defaults as well: they take the place of what is not given.
static ct_status pin_override(reserving *r, const ct_manager *manager,
                              const ct_override *override) {
    ct_status status = pin(r, override->id.text);
    for (uint32_t i = 0; i < manager->input_count && status == CT_OK; ++i) {
        const ct_field *input = &manager->inputs[i];
        unsigned char room[CT_MAX_ITEM_BYTES];
        ct_text text;
        if (!ct_field_is_text(input->type) || input->cells) continue;
        const ct_override_value *value = ct_override_value_of(override, input);
        ct_manager_input_default(manager, i, room);
        memcpy(&text, value != NULL ? value->item : room, sizeof text);
        if (text.bytes != NULL) status = pin(r, text);
    }
    return status;
}

static ct_status pin_overrides(reserving *r, const ct_manager *manager) {
    ct_status status = CT_OK;
    r->owner_count = 0;
    for (uint32_t o = 0; o < r->options->override_count && status == CT_OK; ++o) {
        if (ct_override_is_for(&r->options->overrides[o], manager->name))
            status = pin_override(r, manager, &r->options->overrides[o]);
    }
    if (status == CT_OK && manager->has_values) status = add_override_owners(r, manager, false);
    r->values += r->owner_count * manager->input_count;
    return status;
}

// ---------------------------------------------------------------- rows

static ct_status reserve_beside(const reserving *r, const ct_section_view *view) {
    ct_upcoming upcoming;
    if (view->manager->type->reserve == NULL) return CT_OK;
    ct_status status = ct_upcoming_begin(&upcoming, r->world, r->resource, r->options, view);
    upcoming.need.rows = r->owner_count;
    if (status == CT_OK) status = view->manager->type->reserve(view->manager, &upcoming.need);
    ct_upcoming_end(&upcoming);
    return status;
}

static void add_scratch(reserving *r, const ct_section_view *view) {
    uint32_t entities = r->resource->num_entities;
    if (view->readable)
        r->scratch += ct_repeat_scratch(view->manager, view->section, &view->layout, entities,
                                        ct_spawner_copies(r->options));
    r->scratch += ct_padded(entities * sizeof(uint32_t)); // for the end of overrides
}

// Rows, their places in the map, and what stands beside them.
static ct_status reserve_manager(reserving *r, const ct_section_view *view) {
    ct_manager *manager = view->manager;
    ct_store *store = &manager->store;
    r->owner_count = 0;
    ct_status status = add_section_owners(r, view->section);
    if (status == CT_OK) status = add_override_owners(r, manager, false);
    if (status != CT_OK || r->owner_count == 0) return status;
    uint32_t rows = r->owner_count < CT_MAX_ROWS ? r->owner_count : CT_MAX_ROWS;
    status = ct_spawner_reserve_rows(manager, rows, r->message);
    if (status == CT_OK)
        status = ct_entity_map_reserve(&store->map, store->allocator, ct_store_owners(store),
                                       r->owners, r->owner_count);
    if (status == CT_OK) status = reserve_beside(r, view);
    if (ct_hooks_any(manager)) r->additions += r->owner_count;
    add_scratch(r, view);
    return status;
}

// ---------------------------------------------------------------- late inputs

// Those of sections, of overrides, of roots that hang on a node of the parent.
static ct_status reserve_late(reserving *r, ct_manager *manager) {
    const ct_resource *resource = r->resource;
    ct_status status = CT_OK;
    if (manager->type->reserve_late == NULL) return CT_OK;
    r->owner_count = 0;
    for (uint32_t s = 0; s < resource->num_component_types && status == CT_OK; ++s) {
        if (ct_late_manager(r->world, &resource->sections[s]) == manager)
            status = add_section_owners(r, &resource->sections[s]);
    }
    if (status == CT_OK) status = add_override_owners(r, manager, true);
    bool hang = r->options->parent_node.bytes != NULL;
    for (uint32_t e = 0; hang && e < resource->num_entities && status == CT_OK; ++e) {
        if (resource->parent_index[e] == CT_NO_ROW) status = add_owners(r, &e, 1);
    }
    if (status != CT_OK || r->owner_count == 0) return status;
    return manager->type->reserve_late(manager, r->owners, r->owner_count);
}

// ---------------------------------------------------------------- all

// Texts first: what stands beside rows may go by the numbers of strings.
static ct_status reserve_all(reserving *r) {
    ct_world *world = r->world;
    ct_status status = CT_OK;
    ct_section_view view;
    for (uint32_t m = 0; m < world->manager_count && status == CT_OK; ++m) {
        ct_section_view_find(&view, world, r->resource, world->managers[m]);
        status = pin_section(r, &view);
        if (status == CT_OK) status = pin_overrides(r, view.manager);
    }
    if (status == CT_OK && r->values > 0) status = ct_value_pool_reserve(&world->values, r->values);
    for (uint32_t m = 0; m < world->manager_count && status == CT_OK; ++m) {
        ct_section_view_find(&view, world, r->resource, world->managers[m]);
        status = reserve_manager(r, &view);
    }
    for (uint32_t m = 0; m < world->manager_count && status == CT_OK; ++m)
        status = reserve_late(r, world->managers[m]);
    if (status == CT_OK) status = ct_additions_reserve(&r->room->additions, r->additions);
    if (status == CT_OK && r->scratch > 0 && !ct_scratch_add_chunk(&r->room->scratch, r->scratch))
        status = CT_ERR_MEMORY;
    return status;
}

ct_status ct_spawner_reserve(ct_world *world, const ct_resource *resource,
                             const ct_spawn_options *options, const ct_entity *leaving,
                             uint32_t leaving_count, ct_message *message) {
    reserving r = {.world = world,
                   .resource = resource,
                   .options = options,
                   .room = options->room,
                   .message = message};
    uint32_t count = (uint32_t)ct_spawner_count(resource, options);
    if (count == 0) return CT_OK;
    r.room->reserved = true;
    r.ids = ct_alloc(world->allocator, count * sizeof *r.ids);
    ct_status status = r.ids != NULL ? ct_entity_manager_foresee(world->entities, leaving,
                                                                 leaving_count, count, r.ids)
                                     : CT_ERR_MEMORY;
    if (status == CT_OK) status = reserve_all(&r);
    ct_free(world->allocator, r.ids, count * sizeof *r.ids);
    ct_free(world->allocator, r.owners, r.owner_capacity * sizeof *r.owners);
    return status == CT_OK ? CT_OK : ct_spawner_fail_memory(message);
}
