// Definition of components, and replacement of their managers.
#include "world/define.h"

#include "base/message.h"
#include "component/model.h"
#include "component/record.h"
#include "component/transform.h"
#include "storage/migration.h"
#include "world/hooks/hooks.h"

#include <string.h>

static ct_status fail(ct_status status, const char *reason, ct_message *message) {
    ct_message_set(message, "%s", reason);
    return status;
}

static ct_status out_of_memory(const ct_world *world, ct_message *message) {
    if (world->destroyed) return fail(CT_ERR_OVER, "world is destroyed", message);
    return ct_message_out_of_memory(message);
}

// Checks that a new manager may replace 'old', which may be NULL.
static ct_status check_replace(const ct_world *world, ct_manager *old, bool by_plugin,
                               bool migrates, ct_message *message) {
    if (old == NULL) return CT_OK;
    // A script's manager does not have the methods of a plugin's.
    bool takes_over = migrates && (by_plugin || ct_plugin_description(old) == NULL);
    if (!takes_over && !ct_component_may_replace(old, by_plugin, message)) return CT_ERR_EXISTS;
    // A compilation may be reading the manager, a spawn writing to it, or hooks running for its
    // rows.
    bool notified = migrates && (world->additions != NULL || world->removal != NULL);
    return world->busy == 0 && !notified ? CT_OK : fail(CT_ERR_EXISTS, "world is in use", message);
}

static bool is_defined(ct_manager *old, const ct_component *component, bool by_plugin) {
    if (old == NULL) return false;
    return by_plugin ? ct_plugin_description(old) == component : ct_record_is_like(old, component);
}

static ct_manager *make(ct_world *world, const ct_component *component, bool by_plugin) {
    const ct_manager_setup setup = ct_world_setup(
        world, (component->flags & CT_COMPONENT_ARRAY) != 0 ? CT_MAP_ARRAY : CT_MAP_HASH,
        (component->flags & CT_COMPONENT_MULTIPLE) != 0);
    return by_plugin ? ct_plugin_create(&setup, component)
                     : ct_record_create(&setup, component->name, component->fields,
                                        component->field_count);
}

// Adds the new manager to the world, besides the one that it replaces.
static ct_status enter(ct_world *world, const ct_definition *made, bool by_plugin,
                       ct_message *message) {
    ct_manager *old = made->replaced;
    // The lender of the block may have run any code, which may have defined or used the component.
    if (ct_world_find(world, made->manager->name) != old)
        return fail(CT_ERR_EXISTS, "world is in use", message);
    ct_status status = check_replace(world, old, by_plugin, made->migrates, message);
    if (status != CT_OK) return status;
    uint32_t order = old != NULL ? old->spawn_order : world->next_spawn_order;
    return ct_world_add(world, made->manager, order) == CT_OK ? CT_OK
                                                              : out_of_memory(world, message);
}

// Makes room for the rows of the previous manager.
static ct_status prepare(const ct_world *world, const ct_definition *made, ct_message *message) {
    ct_store_sweep(&made->replaced->store);
    if (!ct_migration_check(made->replaced, made->manager, message)) return CT_ERR_EXISTS;
    return ct_migration_reserve(made->manager, made->replaced) == CT_OK
               ? CT_OK
               : out_of_memory(world, message);
}

// Own data of a plugin for its rows can be moved and created only by the plugin.
static bool check_own(ct_manager *old, const ct_component *component, ct_message *message) {
    const ct_component *was = ct_plugin_description(old) != NULL ? ct_plugin_component(old) : NULL;
    ct_store_sweep(&old->store);
    if (ct_store_count(&old->store) == 0) return true;
    bool keeps = was != NULL && ct_plugin_keeps_own(was);
    if (!keeps && (component == NULL || !ct_plugin_keeps_own(component))) return true;
    return ct_message_set(message,
                          "%s: its plugin has data of its own for %u row%s, which cannot be "
                          "migrated: destroy the components first",
                          old->name, ct_store_count(&old->store),
                          ct_store_count(&old->store) == 1 ? "" : "s");
}

static ct_status replace(ct_world *world, const ct_component *component, bool by_plugin,
                         bool migrates, ct_definition *out, ct_message *message) {
    ct_manager *old = ct_world_find(world, component->name);
    ct_status status = check_replace(world, old, by_plugin, migrates, message);
    if (status != CT_OK) return status;
    const ct_component whole = ct_plugin_whole(component);
    if (migrates && old != NULL && !check_own(old, by_plugin ? &whole : NULL, message))
        return CT_ERR_EXISTS;
    *out = (ct_definition){make(world, component, by_plugin), old, true, migrates && old != NULL};
    if (out->manager == NULL) return out_of_memory(world, message);
    if (out->migrates) status = prepare(world, out, message);
    if (status == CT_OK) status = enter(world, out, by_plugin, message);
    if (status != CT_OK) ct_manager_destroy(out->manager);
    return status;
}

ct_status ct_world_define(ct_world *world, const ct_component *component, bool by_plugin,
                          bool migrates, ct_definition *out, ct_message *message) {
    if (world->destroyed) return fail(CT_ERR_OVER, "world is destroyed", message);
    if (ct_world_refuses(world) != NULL) return fail(CT_ERR_OVER, ct_world_refuses(world), message);
    if (!ct_world_name_check(world, component->name, message)) return CT_ERR_DATA;
    ct_manager *old = ct_world_find(world, component->name);
    ct_status status = CT_OK;
    if (!is_defined(old, component, by_plugin))
        status = replace(world, component, by_plugin, migrates, out, message);
    else
        *out = (ct_definition){.manager = old};
    if (status == CT_OK && !out->is_new && !by_plugin &&
        ct_record_set_presets(old, component->fields) != CT_OK)
        status = out_of_memory(world, message);
    const ct_component whole = ct_plugin_whole(component);
    if (status == CT_OK) ct_record_hide(out->manager, by_plugin ? &whole : component);
    return status;
}

void ct_world_migrate(const ct_definition *made) {
    if (made->migrates) ct_migration_commit(made->manager, made->replaced);
}

static ct_manager *define_like(ct_world *world, const ct_manager *from) {
    const ct_store *store = &from->store;
    const ct_manager_setup setup = ct_world_setup(world, store->map.kind, store->multiple);
    const ct_component *description = ct_plugin_description(from);
    ct_manager *manager = description != NULL ? ct_plugin_create(&setup, description)
                                              : ct_record_create_like(&setup, from);
    if (manager == NULL) return NULL;
    if (ct_world_add(world, manager, from->spawn_order) == CT_OK) return manager;
    ct_manager_destroy(manager);
    return NULL;
}

const ct_component *ct_world_missing_plugin(const ct_world *world, const ct_world *from) {
    for (uint32_t i = 0; i < from->manager_count; ++i) {
        const ct_component *description = ct_plugin_description(from->managers[i]);
        if (description != NULL && ct_world_find(world, from->managers[i]->name) == NULL)
            return description;
    }
    return NULL;
}

ct_status ct_world_share_resources(ct_world *world, const ct_world *from) {
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < from->manager_count && status == CT_OK; ++i) {
        const ct_manager *other = from->managers[i];
        ct_manager *manager = ct_world_find(world, other->name);
        if (manager != NULL && other->type->copy_resources != NULL)
            status = other->type->copy_resources(manager, other);
    }
    return status;
}

ct_status ct_world_copy_schema(ct_world *world, const ct_world *from) {
    for (uint32_t i = 0; i < from->manager_count; ++i) {
        const ct_manager *other = from->managers[i];
        if (ct_world_find(world, other->name) == NULL && define_like(world, other) == NULL)
            return CT_ERR_MEMORY;
    }
    return ct_world_share_resources(world, from);
}

ct_status ct_world_copy_parent(ct_world *world, const ct_world *from, ct_entity parent,
                               ct_entity *out) {
    const ct_manager *others = ct_world_find(from, CT_MODEL);
    ct_manager *transforms = ct_world_find(world, CT_TRANSFORM);
    ct_row row = ct_store_find(&others->store, parent);
    ct_status status = ct_entity_manager_create(world->entities, 1, out);
    if (status == CT_OK) status = ct_manager_create(transforms, out, 1, NULL, NULL, &(ct_row){0});
    if (status != CT_OK || row.i == CT_NO_ROW) return status;
    ct_string resource;
    memcpy(&resource, ct_manager_item(others, &others->fields[0], row), sizeof resource);
    const ct_text name = ct_string_pool_text(&from->strings, resource);
    const ct_values values = {&name, 0};
    return ct_manager_create(ct_world_find(world, CT_MODEL), out, 1, &values, NULL, &row);
}
