// A world that has the components of another, and none of its rows.
#include "world/resemble.h"

#include "component/model.h"
#include "component/record_plugin.h"
#include "component/transform.h"

#include <string.h>

static ct_manager *define(ct_world *world, const ct_manager *from) {
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
        if (manager != NULL && other->type->resemble != NULL)
            status = other->type->resemble(manager, other);
    }
    return status;
}

ct_status ct_world_resemble(ct_world *world, const ct_world *from) {
    for (uint32_t i = 0; i < from->manager_count; ++i) {
        const ct_manager *other = from->managers[i];
        if (ct_world_find(world, other->name) == NULL && define(world, other) == NULL)
            return CT_ERR_MEMORY;
    }
    return ct_world_share_resources(world, from);
}

ct_status ct_world_resemble_parent(ct_world *world, const ct_world *from, ct_entity parent,
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
