// Checks before a spawn: types and their fields, contents, options, room.
#include "resource/spawner_internal.h"

#include "base/message.h"
#include "storage/death_trace.h"
#include "storage/manager_access.h"

#include <string.h>

void ct_spawner_builtin_layouts(ct_builtin_layout *out) {
    uint32_t count = 0;
    for (const ct_builtin *builtin = ct_builtins; builtin->type != NULL; ++builtin) {
        CT_ASSERT(count + 2 < CT_MAX_BUILTINS);
        const ct_manager_shape *shape = builtin->type->shape;
        const ct_layout *layout = &shape->layout;
        out[count++] = (ct_builtin_layout){shape->name, *layout};
        if (layout->late != NULL)
            out[count++] = (ct_builtin_layout){layout->late_name, *layout->late};
    }
    out[count++] = (ct_builtin_layout){CT_RESOURCE_IDS, ct_resource_ids_layout()};
    out[count].name = NULL;
}

ct_status ct_spawner_fail_full(const ct_manager *manager, ct_message *message) {
    ct_manager_full_message(manager, message);
    return CT_ERR_FULL;
}

// At the row limit the spawn collects dead rows when it needs their room.
static ct_status reserve_rows(ct_manager *manager, uint64_t count, ct_message *message) {
    ct_columns *columns = &manager->store.columns;
    if (count > CT_MAX_ROWS) return ct_spawner_fail_full(manager, message);
    uint32_t room = CT_MAX_ROWS - columns->count;
    uint32_t wanted = count < room ? columns->count + (uint32_t)count : CT_MAX_ROWS;
    ct_status status = ct_columns_reserve(columns, manager->store.allocator, wanted, CT_MAX_ROWS);
    return status == CT_OK ? CT_OK : ct_message_out_of_memory(message);
}

bool ct_spawner_host_spawns(const ct_world *world, const ct_section *section, void *context) {
    const ct_host *host = world->host;
    return section->schema == 0 && host != NULL && host->spawns_section != NULL &&
           host->spawns_section(context, section);
}

bool ct_spawner_skips(const ct_world *world, const ct_section *section, void *context) {
    return ct_spawner_manager(world, section) == NULL &&
           !ct_spawner_host_spawns(world, section, context) &&
           ct_late_manager(world, section) == NULL && !ct_section_is_ids(section);
}

// Checks the number of instances in all copies; the limit for a host is that of a manager.
static ct_status check_instances(const ct_section *section, const ct_spawn_options *options,
                                 ct_message *message) {
    uint32_t copies = ct_spawner_copies(options);
    if (copies <= 1 || (uint64_t)section->num_instances * copies <= CT_MAX_ROWS) return CT_OK;
    ct_message_set(message, "%s: %u instances in each of %u copies are more than %u", section->name,
                   section->num_instances, copies, CT_MAX_ROWS);
    return CT_ERR_FULL;
}

// Checks a section that has no manager.
static ct_status check_other(const ct_world *world, const ct_section *section,
                             const ct_spawn_options *options, void *context, ct_message *message) {
    if (ct_spawner_host_spawns(world, section, context))
        return check_instances(section, options, message);
    if (ct_late_manager(world, section) != NULL || ct_section_is_ids(section)) return CT_OK;
    if (section->schema == 0 && ct_world_find(world, section->name) != NULL) {
        ct_message_set(message,
                       "%s: the resource has the output of a registered compiler, the world has "
                       "fields for it: register a spawner or compile it again",
                       section->name);
        return CT_ERR_DATA;
    }
    if (!options->refuse_unknown) return CT_OK;
    ct_message_set(message, "%s: %u instance%s of a component type that the world %s",
                   section->name, section->num_instances, section->num_instances == 1 ? "" : "s",
                   section->schema != 0 ? "does not know" : "has no spawner for");
    return CT_ERR_DATA;
}

// Checks that the manager accepts the section's data.
static ct_status verify_section(const ct_resource *resource, ct_section *section,
                                const ct_manager *manager, ct_message *message) {
    ct_field fields[CT_MAX_COLUMNS];
    ct_layout layout;
    if (!ct_section_layout(section, manager, fields, &layout, message)) return CT_ERR_DATA;
    ct_status status =
        ct_section_verify(section, &layout, resource->num_entities, resource->allocator, message);
    if (status == CT_ERR_MEMORY) return ct_message_out_of_memory(message);
    if (status == CT_OK && !ct_section_check_labels(section, &layout, message)) return CT_ERR_DATA;
    return status;
}

// Checks a section without reserving room.
static ct_status check_contents(const ct_world *world, ct_resource *resource, ct_section *section,
                                const ct_spawn_options *options, void *context,
                                ct_message *message) {
    const ct_manager *manager = ct_spawner_manager(world, section);
    if (manager == NULL) return check_other(world, section, options, context, message);
    ct_status status = verify_section(resource, section, manager, message);
    ct_spawn spawn = {.num_instances = section->num_instances,
                      .entity_index = section->entity_index,
                      .data = section->data,
                      .size = section->size,
                      .parent = options->parent,
                      .copies = 1};
    if (status == CT_OK && manager->type->check_spawn != NULL &&
        !manager->type->check_spawn(manager, &spawn, message))
        return CT_ERR_DATA;
    return status;
}

ct_status ct_spawner_check_types(ct_world *world, ct_resource *resource,
                                 const ct_spawn_options *options, void *context,
                                 ct_message *message) {
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < resource->num_component_types && status == CT_OK; ++i)
        status = check_contents(world, resource, &resource->sections[i], options, context, message);
    return status;
}

ct_status ct_spawner_check_section(ct_world *world, ct_resource *resource, ct_section *section,
                                   const ct_spawn_options *options, void *context,
                                   ct_message *message) {
    ct_manager *manager = ct_spawner_manager(world, section);
    ct_status status = check_contents(world, resource, section, options, context, message);
    if (status != CT_OK || manager == NULL) return status;
    return reserve_rows(manager, (uint64_t)section->num_instances * ct_spawner_copies(options),
                        message);
}

uint64_t ct_spawner_count(const ct_resource *resource, const ct_spawn_options *options) {
    return (uint64_t)resource->num_entities * ct_spawner_copies(options);
}

ct_status ct_spawner_check_count(ct_world *world, const ct_resource *resource,
                                 const ct_spawn_options *options, ct_message *message) {
    uint64_t count = ct_spawner_count(resource, options);
    ct_status status = CT_ERR_FULL;
    if (count <= CT_MAX_ENTITIES)
        status = ct_entity_manager_reserve(world->entities, (uint32_t)count);
    if (status == CT_ERR_MEMORY) return ct_message_out_of_memory(message);
    if (status == CT_OK) return CT_OK;
    uint32_t alive = ct_entity_manager_count(world->entities);
    if (options->copies != NULL)
        ct_message_set(message, "entity manager is full (%u alive): %u fit, %u copies of %u do not",
                       alive, CT_MAX_ENTITIES - alive, ct_spawner_copies(options),
                       resource->num_entities);
    else
        ct_message_set(message, "entity manager is full (%u alive): %u of %u fit", alive,
                       CT_MAX_ENTITIES - alive, resource->num_entities);
    return status;
}

ct_status ct_spawner_verify(const ct_world *world, ct_resource *resource, ct_message *message) {
    for (uint32_t i = 0; i < resource->num_component_types; ++i) {
        ct_section *section = &resource->sections[i];
        const ct_manager *manager = ct_spawner_manager(world, section);
        if (manager == NULL) continue;
        ct_status status = verify_section(resource, section, manager, message);
        if (status != CT_OK) return status;
    }
    return CT_OK;
}

// Checks that the parent option is alive and has a transform.
static bool check_parent(const ct_world *world, ct_entity parent, ct_message *message) {
    const ct_spawn nothing = {.parent = parent, .copies = 1};
    if (parent.id == CT_NOBODY) return true;
    for (uint32_t i = 0; i < world->manager_count; ++i) {
        const ct_manager *manager = world->managers[i];
        if (manager->type->check_spawn == NULL ||
            manager->type->check_spawn(manager, &nothing, message))
            continue;
        if (ct_entity_manager_alive(world->entities, parent))
            return ct_message_set(message, "parent: entity(%u:%u) has no transform",
                                  ct_entity_index(parent), ct_entity_generation(parent));
        ct_message why;
        ct_dead_message(NULL, world->entities, parent, &why);
        return ct_message_set(message, "parent: %s", why.text);
    }
    return true;
}

ct_status ct_spawner_check_options(const ct_world *world, ct_resource *resource,
                                   const ct_spawn_options *options, ct_message *message) {
    if (!check_parent(world, options->parent, message) ||
        !ct_late_check_options(world, options, message))
        return CT_ERR_DATA;
    return ct_override_check(world, resource, options->overrides, options->override_count, message);
}

ct_status ct_spawner_check(ct_world *world, ct_resource *resource, const ct_spawn_options *options,
                           void *context, ct_message *message) {
    for (uint32_t i = 0; i < resource->num_component_types; ++i) {
        ct_status status = ct_spawner_check_section(world, resource, &resource->sections[i],
                                                    options, context, message);
        if (status != CT_OK) return status;
    }
    return ct_spawner_check_count(world, resource, options, message);
}
