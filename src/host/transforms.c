// Transforms of a host, by entity.
#include "host/host_internal.h"

#include "component/transform.h"
#include "world/checked/checked.h"
#include "world/checked/explained.h"

// Finds the transforms of entities, in host->rows.
static ct_status find_rows(ct_host_entities *host, const ct_manager *transforms, uint32_t count,
                           const ct_entity *entities) {
    ct_status status = ct_array_reserve(&host->allocator, (void **)&host->rows, &host->row_capacity,
                                        count, sizeof *host->rows);
    if (status != CT_OK) return ct_slot_status(host, status);
    for (uint32_t i = 0; i < count; ++i) {
        if (!ct_slot_row(host, transforms, entities[i], &host->rows[i])) return CT_ERR_DATA;
    }
    return CT_OK;
}

// ---------------------------------------------------------------- poses

// Returns the transforms of a world, or NULL if it or the relation does not exist.
static ct_manager *related(ct_host_entities *host, ct_host_world world, ct_host_relation relation) {
    ct_manager *transforms = ct_slot_builtin(host, world, CT_TRANSFORM);
    if (relation == CT_HOST_LOCAL || relation == CT_HOST_WORLD) return transforms;
    if (transforms != NULL)
        ct_message_set(&host->message, "relation: CT_HOST_LOCAL or CT_HOST_WORLD expected, got %u",
                       (uint32_t)relation);
    return NULL;
}

ct_status ct_host_poses(ct_host_entities *host, ct_host_world world, ct_host_relation relation,
                        uint32_t count, const ct_entity *entities, ct_pose *out) {
    ct_row row;
    ct_manager *transforms = related(host, world, relation);
    if (transforms == NULL) return CT_ERR_DATA;
    for (uint32_t i = 0; i < count; ++i) {
        if (!ct_slot_row(host, transforms, entities[i], &row)) return CT_ERR_DATA;
    }
    for (uint32_t i = 0; i < count; ++i) {
        row = ct_store_find(&transforms->store, entities[i]);
        (void)(relation == CT_HOST_LOCAL ? ct_checked_local_pose(transforms, row, &out[i])
                                         : ct_checked_world_pose(transforms, row, &out[i]));
    }
    return CT_OK;
}

ct_status ct_host_set_poses(ct_host_entities *host, ct_host_world world, ct_host_relation relation,
                            uint32_t count, const ct_entity *entities, const ct_values *poses,
                            uint32_t *refused) {
    uint32_t kept = 0;
    if (!ct_slots_may_edit(host)) return CT_ERR_DATA;
    ct_manager *transforms = related(host, world, relation);
    if (transforms == NULL) return CT_ERR_DATA;
    if (poses == NULL || poses->items == NULL)
        return ct_slot_fail(host, "poses: the items are NULL");
    ct_status status = find_rows(host, transforms, count, entities);
    if (status != CT_OK) return status;
    status = relation == CT_HOST_LOCAL
                 ? ct_checked_set_local_poses(transforms, count, host->rows, poses)
                 : ct_checked_set_world_poses(transforms, count, host->rows, poses, &kept);
    if (status == CT_OK && refused != NULL) *refused = kept;
    return ct_slot_status(host, status);
}

// ---------------------------------------------------------------- links

// Finds the rows of a link. 'above' is CT_NO_ROW if the parent is CT_NOBODY.
static ct_manager *begin_link(ct_host_entities *host, ct_host_world world, ct_entity child,
                              ct_entity parent, ct_row *row, ct_row *above) {
    above->i = CT_NO_ROW;
    if (!ct_slots_may_edit(host)) return NULL;
    ct_manager *transforms = ct_slot_builtin_row(host, world, CT_TRANSFORM, child, row);
    if (transforms == NULL) return NULL;
    if (parent.id == CT_NOBODY || ct_slot_row(host, transforms, parent, above)) return transforms;
    const ct_message why = host->message;
    ct_message_set(&host->message, "parent: %s", why.text);
    return NULL;
}

ct_status ct_host_link(ct_host_entities *host, ct_host_world world, ct_entity child,
                       ct_entity parent, bool keep_world) {
    ct_row row, above;
    ct_manager *transforms = begin_link(host, world, child, parent, &row, &above);
    if (transforms == NULL) return CT_ERR_DATA;
    return ct_explained_link(transforms, row, above, keep_world, &host->message);
}

ct_status ct_host_link_node(ct_host_entities *host, ct_host_world world, ct_entity child,
                            ct_entity parent, uint32_t node, bool keep_world) {
    ct_row row, above, model;
    ct_manager *transforms = begin_link(host, world, child, parent, &row, &above);
    if (transforms == NULL || ct_slot_node(host, world, parent, node, &model) == NULL)
        return CT_ERR_DATA;
    ct_status status = ct_checked_link_node(transforms, row, above, node, keep_world);
    if (status == CT_ERR_CYCLE || status == CT_ERR_DATA)
        ct_transform_link_message(transforms, row, above, status, &host->message);
    return ct_slot_status(host, status);
}

ct_status ct_host_subtree(ct_host_entities *host, ct_host_world world, ct_entity e,
                          uint32_t capacity, ct_entity *out, uint32_t *count) {
    ct_row row;
    ct_manager *transforms = ct_slot_builtin_row(host, world, CT_TRANSFORM, e, &row);
    if (transforms == NULL) return CT_ERR_DATA;
    *count = ct_transform_subtree(transforms, row, capacity, out);
    return CT_OK;
}

ct_status ct_host_parent(ct_host_entities *host, ct_host_world world, ct_entity e,
                         ct_entity *parent) {
    ct_row row;
    ct_manager *transforms = ct_slot_builtin_row(host, world, CT_TRANSFORM, e, &row);
    if (transforms == NULL) return CT_ERR_DATA;
    row = ct_transform_parent(transforms, row);
    parent->id = row.i != CT_NO_ROW ? ct_store_owners(&transforms->store)[row.i].id : CT_NOBODY;
    return CT_OK;
}

ct_status ct_host_children(ct_host_entities *host, ct_host_world world, ct_entity e,
                           uint32_t capacity, ct_entity *out, uint32_t *count) {
    ct_row row;
    ct_manager *transforms = ct_slot_builtin_row(host, world, CT_TRANSFORM, e, &row);
    if (transforms == NULL) return CT_ERR_DATA;
    uint32_t found = 0;
    for (row = ct_transform_first_child(transforms, row); row.i != CT_NO_ROW;
         row = ct_transform_next_sibling(transforms, row)) {
        if (found < capacity) out[found] = ct_store_owners(&transforms->store)[row.i];
        found++;
    }
    *count = found;
    return CT_OK;
}

// ---------------------------------------------------------------- changed poses

ct_status ct_host_watch_poses(ct_host_entities *host, ct_host_world world, ct_host_watch *out) {
    uint32_t number;
    out->id = 0;
    const ct_slot_world *object = ct_slot_change(host, world.id, CT_SLOT_WORLD);
    if (object == NULL) return CT_ERR_DATA;
    ct_status status = ct_slot_reserve(host);
    if (status == CT_OK)
        status = ct_slot_status(
            host, ct_checked_watch_poses(ct_world_find(&object->core, CT_TRANSFORM), &number));
    if (status != CT_OK) return status;
    (void)ct_slot_new(host, CT_SLOT_WATCH, object->slot, NULL, &out->id);
    host->slots[(uint32_t)out->id - 1].number = number;
    return CT_OK;
}

ct_status ct_host_changed(ct_host_entities *host, ct_host_watch watch, ct_host_changes *out) {
    ct_changed_poses changes;
    ct_host_changes result = {0, 0, NULL, false};
    if (!ct_slots_exist(host)) return CT_ERR_DATA;
    const ct_slot *slot = ct_slot_find(host, watch.id, CT_SLOT_WATCH);
    // The first call checks the size: a list that was read is lost.
    if (slot == NULL || ct_slot_result(host, out, &result, sizeof result) != CT_OK)
        return CT_ERR_DATA;
    const ct_slot_world *world = host->slots[slot->world].object;
    (void)ct_checked_changed_poses(ct_world_find(&world->core, CT_TRANSFORM), slot->number,
                                   &changes);
    result.count = changes.count;
    result.entities = changes.entities;
    result.all = changes.all;
    return ct_slot_result(host, out, &result, sizeof result);
}
