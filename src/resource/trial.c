// Some entities of a resource brought to life for a look at what a spawn would write, and taken
// back at once. Knows nothing of what is looked for.
#include "resource/trial.h"

#include "base/arena.h"
#include "base/message.h"
#include "resource/late.h"
#include "storage/manager_check.h"
#include "world/create.h"

#include <string.h>

// ---------------------------------------------------------------- what members have

static uint32_t number_at(const unsigned char *items, uint32_t i) {
    uint32_t number;
    memcpy(&number, items + (size_t)i * sizeof number, sizeof number);
    return number;
}

// Entities that fields refer to stand behind those that own components.
static void turn_references(unsigned char *items, uint32_t count, uint32_t entities) {
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t entity = number_at(items, i);
        if (entity == CT_NOBODY) continue;
        entity += entities;
        memcpy(items + (size_t)i * sizeof entity, &entity, sizeof entity);
    }
}

// One column of members' instances.
static void copy_column(const ct_trial *trial, const ct_section *from, const unsigned char *items,
                        size_t width, unsigned char *to) {
    for (uint32_t i = 0; i < from->num_instances; ++i) {
        if (!trial->members[from->entity_index[i]]) continue;
        memcpy(to, items + i * width, width);
        to += width;
    }
}

static uint32_t count_instances(const ct_trial *trial, const ct_section *section) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < section->num_instances; ++i)
        count += trial->members[section->entity_index[i]];
    return count;
}

static void copy_columns(const ct_trial *trial, const ct_section *from, const ct_layout *layout,
                         const ct_layout_places *places, ct_section *to, unsigned char *data) {
    ct_layout_places all;
    bool placed = ct_layout_place(layout, from->num_instances, &all);
    CT_ASSERT(placed);
    (void)placed;
    if (layout->multiple) copy_column(trial, from, from->data, sizeof(uint32_t), data);
    for (uint32_t f = 0; f < layout->field_count; ++f) {
        ct_field_type type = layout->fields[f].type;
        unsigned char *items = data + places->field[f];
        copy_column(trial, from, from->data + all.field[f], ct_field_compiled_bytes(type), items);
        if (type == CT_FIELD_ENTITY)
            turn_references(items, to->num_instances, trial->resource->num_entities);
    }
    if (from->size > all.strings)
        memcpy(data + places->strings, from->data + all.strings, from->size - all.strings);
}

// Members' instances of a section, laid out as if they were all.
static ct_status lay_out(ct_trial *trial, uint32_t s, const ct_manager *manager) {
    const ct_section *from = &trial->resource->sections[s];
    ct_field fields[CT_MAX_COLUMNS];
    ct_layout layout;
    ct_message unread;
    ct_section *to = &trial->sections[s];
    ct_layout_places places, all;
    *to = *from;
    to->num_instances = count_instances(trial, from);
    if (to->num_instances == 0) return CT_OK;
    bool fits = ct_section_layout(from, manager, fields, &layout, &unread) &&
                ct_layout_place(&layout, to->num_instances, &places) &&
                ct_layout_place(&layout, from->num_instances, &all);
    CT_ASSERT(fits); // it was verified
    if (!fits) return CT_ERR_MEMORY;
    uint32_t strings = from->size > all.strings ? from->size - all.strings : 0;
    size_t data_bytes = ct_padded((size_t)places.strings + strings);
    trial->section_bytes[s] = data_bytes + to->num_instances * sizeof(uint32_t);
    unsigned char *data = ct_alloc(trial->world->allocator, trial->section_bytes[s]);
    to->data = data;
    to->size = places.strings + strings;
    if (data == NULL) return CT_ERR_MEMORY;
    to->entity_index = (const uint32_t *)(const void *)(data + data_bytes);
    copy_column(trial, from, (const unsigned char *)from->entity_index, sizeof(uint32_t),
                data + data_bytes);
    copy_columns(trial, from, &layout, &places, to, data);
    return CT_OK;
}

static bool takes_part(const ct_trial *trial, uint32_t s) {
    return (trial->skipped == NULL || !trial->skipped[s]) &&
           ct_spawner_manager(trial->world, &trial->resource->sections[s]) != NULL;
}

static ct_status take_block(ct_trial *trial) {
    const ct_resource *resource = trial->resource;
    uint32_t types = resource->num_component_types, managers = trial->world->manager_count;
    for (uint32_t e = 0; e < resource->num_entities; ++e)
        trial->count += trial->members[e];
    trial->manager_count = managers;
    size_t sizes[] = {ct_padded(types * sizeof(ct_section)),
                      ct_padded(types * sizeof(size_t)),
                      ct_padded(managers * sizeof(uint32_t)),
                      ct_padded(managers * sizeof(uint32_t)),
                      ct_padded(resource->num_entities * 2 * sizeof(ct_entity)),
                      ct_padded(trial->count * sizeof(ct_entity)) + 16};
    trial->block_bytes = 0;
    for (int i = 0; i < 6; ++i)
        trial->block_bytes += sizes[i];
    unsigned char *at = trial->block = ct_alloc_zero(trial->world->allocator, trial->block_bytes);
    if (at == NULL) return CT_ERR_MEMORY;
    trial->sections = (ct_section *)(void *)at;
    trial->section_bytes = (size_t *)(void *)(at += sizes[0]);
    trial->numbers = (uint32_t *)(void *)(at += sizes[1]);
    trial->above = (uint32_t *)(void *)(at += sizes[2]);
    trial->lookup = (ct_entity *)(void *)(at += sizes[3]);
    trial->created = (ct_entity *)(void *)(at + sizes[4]);
    memset(trial->lookup, 0xFF, sizes[4]); // CT_NOBODY
    return CT_OK;
}

ct_status ct_trial_init(ct_trial *trial) {
    trial->count = 0;
    ct_status status = take_block(trial);
    for (uint32_t s = 0; s < trial->resource->num_component_types && status == CT_OK; ++s) {
        const ct_manager *manager = ct_spawner_manager(trial->world, &trial->resource->sections[s]);
        if (takes_part(trial, s)) status = lay_out(trial, s, manager);
    }
    return status;
}

void ct_trial_free(ct_trial *trial) {
    const ct_allocator *allocator = trial->world->allocator;
    for (uint32_t s = 0; trial->block != NULL && s < trial->resource->num_component_types; ++s) {
        if (trial->section_bytes[s] > 0)
            ct_free(allocator, (void *)(uintptr_t)trial->sections[s].data, trial->section_bytes[s]);
    }
    ct_free(allocator, trial->block, trial->block_bytes);
    trial->block = NULL;
}

// ---------------------------------------------------------------- numbers of components

// The largest number that the resource or an override gives a component of a manager.
static uint32_t largest_given(const ct_trial *trial, const ct_manager *manager) {
    const ct_spawn_options *options = trial->options;
    uint32_t largest = 0;
    for (uint32_t s = 0; s < trial->resource->num_component_types; ++s) {
        const ct_section *section = &trial->resource->sections[s];
        if (ct_spawner_manager(trial->world, section) != manager) continue;
        for (uint32_t i = 0; i < section->num_instances; ++i) {
            uint32_t id = number_at(section->data, i);
            if ((id & CT_ID_IS_STRING) == 0 && id > largest) largest = id;
        }
    }
    for (uint32_t o = 0; o < options->override_count; ++o) {
        const ct_override *override = &options->overrides[o];
        if (ct_override_is_for(override, manager->name) && override->id.number > largest)
            largest = override->id.number;
    }
    return largest;
}

static void begin_numbers(ct_trial *trial) {
    for (uint32_t m = 0; m < trial->manager_count; ++m) {
        ct_store *store = &trial->world->managers[m]->store;
        trial->numbers[m] = store->last_number;
        if (!store->multiple) continue;
        ct_store_number_seen(store, largest_given(trial, trial->world->managers[m]));
        trial->above[m] = store->last_number;
    }
}

// ---------------------------------------------------------------- coming and going

static ct_status explain(const ct_manager *manager, ct_status status, ct_message *message) {
    if (status == CT_ERR_MEMORY) ct_message_set(message, "not enough memory");
    if (status == CT_ERR_FULL) ct_manager_tell_full(manager, message);
    if (status == CT_ERR_DATA)
        ct_message_set(message, "%s: the data of its instances is damaged", manager->name);
    return status;
}

static ct_status spawn_section(ct_trial *trial, uint32_t s, const ct_spawn *all,
                               ct_message *message) {
    const ct_spawn_options *options = trial->options;
    const ct_section *section = &trial->sections[s];
    ct_manager *manager = ct_spawner_manager(trial->world, section);
    ct_spawn spawn = *all;
    ct_status status = CT_OK;
    ct_field fields[CT_MAX_COLUMNS];
    ct_layout layout;
    CT_ASSERT(manager != NULL); // otherwise it takes no part
    if (!ct_section_layout(section, manager, fields, &layout, message)) return CT_ERR_DATA;
    if (layout.fields == fields) spawn.layout = &layout;
    if (ct_override_any(options->overrides, options->override_count, manager)) spawn.pose = NULL;
    spawn.num_instances = section->num_instances;
    spawn.entity_index = section->entity_index;
    spawn.data = section->data;
    spawn.size = section->size;
    if (section->num_instances > 0) {
        if (manager->type->check_spawn != NULL &&
            !manager->type->check_spawn(manager, &spawn, message))
            return CT_ERR_DATA;
        status = explain(manager, ct_manager_spawn(manager, &spawn), message);
    }
    if (status != CT_OK) return status;
    return ct_override_apply(manager, trial->resource, options->overrides, options->override_count,
                             all, message);
}

// Overrides of types of which nothing takes part.
static ct_status add_others(ct_trial *trial, const ct_spawn *all, ct_message *message) {
    const ct_resource *resource = trial->resource;
    ct_status status = CT_OK;
    for (uint32_t m = 0; m < trial->manager_count && status == CT_OK; ++m) {
        ct_manager *manager = trial->world->managers[m];
        uint32_t s = 0;
        while (s < resource->num_component_types &&
               !(takes_part(trial, s) &&
                 ct_spawner_manager(trial->world, &resource->sections[s]) == manager))
            s++;
        if (s == resource->num_component_types)
            status = ct_override_apply(manager, resource, trial->options->overrides,
                                       trial->options->override_count, all, message);
    }
    return status;
}

static ct_status spawn_all(ct_trial *trial, ct_scratch *scratch, ct_message *message) {
    const ct_spawn all = {.entity_lookup = trial->lookup,
                          .entity_count = trial->resource->num_entities,
                          .parent_index = trial->resource->parent_index,
                          .pose = trial->options->pose,
                          .parent = trial->options->parent,
                          .copies = 1,
                          .scratch = scratch};
    ct_status status = CT_OK;
    if (trial->options->override_count > 0) status = add_others(trial, &all, message);
    for (uint32_t s = 0; s < trial->resource->num_component_types && status == CT_OK; ++s) {
        if (takes_part(trial, s)) status = spawn_section(trial, s, &all, message);
    }
    if (status != CT_OK) return status;
    return ct_late_spawn(trial->world, trial->resource, trial->options, &all, NULL, message);
}

ct_status ct_trial_begin(ct_trial *trial, ct_message *message) {
    ct_status status =
        ct_entity_manager_create(trial->world->entities, trial->count, trial->created);
    if (status != CT_OK) {
        ct_message_set(message,
                       status == CT_ERR_FULL ? "entity manager is full (%u fit at most)"
                                             : "not enough memory",
                       CT_MAX_ENTITIES);
        return status;
    }
    uint32_t next = 0;
    for (uint32_t e = 0; e < trial->resource->num_entities; ++e) {
        trial->lookup[e] = (ct_entity){CT_NOBODY};
        if (trial->members[e]) trial->lookup[e] = trial->created[next++];
    }
    begin_numbers(trial);
    ct_scratch scratch;
    ct_scratch_init(&scratch, trial->world->allocator);
    status = spawn_all(trial, &scratch, message);
    ct_scratch_free(&scratch);
    if (status != CT_OK) ct_trial_end(trial);
    return status;
}

void ct_trial_end(ct_trial *trial) {
    ct_world *world = trial->world;
    ct_world_strip(world, trial->count, trial->created);
    ct_entity_manager_rollback(world->entities, trial->count, trial->created);
    for (uint32_t m = 0; m < trial->manager_count; ++m)
        world->managers[m]->store.last_number = trial->numbers[m];
}
