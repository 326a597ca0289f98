// A world that has the components of another, and none of its rows.
// Knows nothing of what is built in it.
#include "world/resemble.h"

#include "component/record_plugin.h"

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
