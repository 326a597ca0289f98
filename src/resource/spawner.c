// Brings the entities of a resource to life in a world, type by type, all or nothing.
// Knows nothing of files or Lua.
#include "resource/spawner.h"

#include "base/message.h"
#include "component/transform.h"

#include <string.h>

static bool check_transforms(const unsigned char *data, const ct_layout_places *places,
                             uint32_t count, const uint32_t *ancestor, ct_message *message) {
    const float *column[3]; // local, world, rotation
    for (int c = 0; c < 3; ++c)
        column[c] = (const float *)(const void *)(data + places->field[c]);
    return ct_transform_check(count, ancestor, column[0], column[1], column[2], message);
}

void ct_spawner_builtin_layouts(ct_known_layout *out) {
    uint32_t count = 0;
    for (const ct_builtin *builtin = ct_builtins; builtin->name != NULL; ++builtin) {
        CT_ASSERT(count < CT_MAX_BUILTINS);
        ct_layout layout = builtin->layout();
        layout.multiple = builtin->multiple;
        bool transform = strcmp(builtin->name, CT_TRANSFORM) == 0;
        out[count++] =
            (ct_known_layout){builtin->name, layout, transform ? check_transforms : NULL};
    }
    out[count].name = NULL;
}

ct_manager *ct_spawner_manager(const ct_world *world, const ct_section *section) {
    if (section->schema == 0) return NULL;
    ct_manager *manager = ct_world_find_identifier(world, section->identifier);
    return manager != NULL && strcmp(manager->name, section->name) == 0 ? manager : NULL;
}

static ct_layout layout_of(const ct_manager *manager) {
    return (ct_layout){manager->layout, manager->layout_count, manager->store.multiple};
}

static ct_status full(const ct_manager *manager, ct_message *message) {
    ct_message_set(message, "%s is full (%u rows)", manager->name, CT_MAX_ROWS);
    return CT_ERR_FULL;
}

static ct_status out_of_memory(ct_message *message) {
    ct_message_set(message, "not enough memory");
    return CT_ERR_MEMORY;
}

// Rows may be taken only up to the limit; there the dead make room when it comes to it.
static ct_status reserve_rows(ct_manager *manager, uint32_t count, ct_message *message) {
    ct_columns *columns = &manager->store.columns;
    if (count > CT_MAX_ROWS) return full(manager, message);
    uint32_t wanted = count < CT_MAX_ROWS - columns->count ? columns->count + count : CT_MAX_ROWS;
    ct_status status = ct_columns_reserve(columns, manager->store.allocator, wanted, CT_MAX_ROWS);
    return status == CT_OK ? CT_OK : out_of_memory(message);
}

static ct_status check_section(ct_world *world, ct_resource *resource, ct_section *section,
                               const ct_spawn_options *options, ct_message *message) {
    ct_manager *manager = ct_spawner_manager(world, section);
    if (manager == NULL) {
        if (!options->refuse_unknown) return CT_OK;
        ct_message_set(message, "%s: %u instances of a component type that the world %s",
                       section->name, section->num_instances,
                       section->schema != 0 ? "does not know" : "has no spawner for");
        return CT_ERR_DATA;
    }
    ct_layout layout = layout_of(manager);
    if (section->schema != ct_layout_schema(&layout)) {
        ct_message_set(message,
                       "%s: the resource was compiled for other fields than the world's: "
                       "compile it again",
                       section->name);
        return CT_ERR_DATA;
    }
    ct_status status =
        ct_section_prove(section, &layout, resource->num_entities, resource->allocator, message);
    if (status == CT_ERR_MEMORY) return out_of_memory(message);
    ct_spawn spawn = {.num_instances = section->num_instances,
                      .entity_index = section->entity_index,
                      .data = section->data,
                      .size = section->size};
    if (status == CT_OK && manager->type->admits != NULL &&
        !manager->type->admits(manager, &spawn, message))
        return CT_ERR_DATA;
    return status != CT_OK ? status : reserve_rows(manager, section->num_instances, message);
}

static ct_status reserve_entities(ct_world *world, uint32_t count, uint32_t leaving,
                                  ct_message *message) {
    ct_status status = ct_entity_manager_reserve(world->entities, count);
    if (status == CT_ERR_MEMORY) return out_of_memory(message);
    uint32_t staying = ct_entity_manager_count(world->entities) - leaving;
    // With others about to leave, too little room now is not too little room then.
    if (status == CT_OK || (leaving > 0 && count <= CT_MAX_ENTITIES - staying)) return CT_OK;
    ct_message_set(message, "entity manager is full (%u alive, %u of %u fit)", staying,
                   CT_MAX_ENTITIES - staying, count);
    return status;
}

ct_status ct_spawner_check(ct_world *world, ct_resource *resource, const ct_spawn_options *options,
                           ct_message *message) {
    for (uint32_t i = 0; i < resource->num_component_types; ++i) {
        ct_status status = check_section(world, resource, &resource->sections[i], options, message);
        if (status != CT_OK) return status;
    }
    return reserve_entities(world, resource->num_entities, options->leaving, message);
}

// Takes the instances of sections 0 .. count - 1 off again. They are the last rows of their
// managers, so nothing moves.
static void take_back(ct_world *world, const ct_resource *resource, uint32_t count,
                      const ct_entity *entities) {
    while (count-- > 0) {
        const ct_section *section = &resource->sections[count];
        ct_manager *manager = ct_spawner_manager(world, section);
        if (manager == NULL) continue;
        for (uint32_t i = section->num_instances; i-- > 0;)
            ct_store_remove(&manager->store, (ct_row){manager->store.columns.count - 1});
    }
    ct_entity_manager_take_back(world->entities, resource->num_entities, entities);
}

static ct_status spawn_section(ct_manager *manager, const ct_section *section, ct_spawn *spawn,
                               ct_message *message) {
    spawn->num_instances = section->num_instances;
    spawn->entity_index = section->entity_index;
    spawn->data = section->data;
    spawn->size = section->size;
    ct_status status = ct_manager_spawn(manager, spawn);
    if (status == CT_ERR_FULL) return full(manager, message);
    if (status == CT_ERR_MEMORY) return out_of_memory(message);
    if (status != CT_OK)
        ct_message_set(message, "%s: the data of its instances is damaged", section->name);
    return status;
}

ct_status ct_spawner_spawn(ct_world *world, ct_resource *resource, const ct_spawn_options *options,
                           ct_entity *out, ct_message *message) {
    ct_status status = ct_spawner_check(world, resource, options, message);
    if (status != CT_OK) return status;
    status = ct_entity_manager_create(world->entities, resource->num_entities, out);
    if (status != CT_OK) return out_of_memory(message);
    ct_spawn spawn = {
        .entity_lookup = out,
        .entity_count = resource->num_entities,
        .parent_index = resource->parent_index,
        .pose = options->pose,
        .parent = options->parent,
    };
    for (uint32_t i = 0; i < resource->num_component_types; ++i) {
        const ct_section *section = &resource->sections[i];
        ct_manager *manager = ct_spawner_manager(world, section);
        if (manager == NULL || section->num_instances == 0) continue;
        status = spawn_section(manager, section, &spawn, message);
        if (status == CT_OK) continue;
        take_back(world, resource, i, out);
        return status;
    }
    return CT_OK;
}
