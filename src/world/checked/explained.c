// The checked functions that change a world, with the reason of each failure.
#include "world/checked/explained.h"

#include "base/message.h"
#include "component/transform.h"
#include "storage/death_trace.h"
#include "storage/manager_access.h"
#include "storage/query.h"

ct_status ct_explained_status(ct_status status, ct_message *message) {
    if (status == CT_ERR_MEMORY) return ct_message_out_of_memory(message);
    if (status == CT_ERR_OVER) ct_message_set(message, "world is destroyed");
    return status;
}

bool ct_explained_may_change(const ct_entity_manager *entities, ct_message *message) {
    if (ct_checked_may_change(entities)) return true;
    return ct_message_set(message, "%s",
                          ct_entity_manager_is_frozen(entities)
                              ? CT_FROZEN
                              : "a callback of a component may change nothing");
}

bool ct_explained_has_row(const ct_manager *manager, ct_row row, ct_message *message) {
    if (ct_checked_has_row(manager, row)) return true;
    if (row.i == CT_NO_ROW) return ct_message_set(message, "%s: no row", manager->name);
    return ct_message_set(message, "%s: row %u does not exist (%u rows)", manager->name, row.i,
                          ct_store_count(&manager->store));
}

bool ct_explained_has_field(const ct_manager *manager, uint32_t field, ct_message *message) {
    if (field < manager->field_count) return true;
    return ct_message_set(message, "%s: field %u does not exist (%u fields)", manager->name, field,
                          manager->field_count);
}

ct_status ct_explained_create(ct_entity_manager *entities, uint32_t count, ct_entity *out,
                              ct_message *message) {
    if (!ct_explained_may_change(entities, message)) return CT_ERR_DATA;
    ct_status status = ct_entity_manager_create(entities, count, out);
    if (status == CT_ERR_FULL)
        ct_message_set(message, "entity manager is full (%u alive, %u more requested)",
                       ct_entity_manager_count(entities), count);
    return ct_explained_status(status, message);
}

// ---------------------------------------------------------------- components

// Returns whether scripts and the host may add and remove components of this manager.
static bool is_open(const ct_manager *manager, ct_message *message) {
    if (manager->shape->hosted == NULL)
        return ct_explained_may_change(manager->store.entities, message);
    return ct_message_set(message, "%s: only scripts add and remove it, with its %s", manager->name,
                          manager->shape->hosted);
}

bool ct_explained_check_values(const ct_manager *manager, uint32_t count, const ct_values *values,
                               ct_message *message) {
    ct_message why = {""};
    for (uint32_t i = 0; i < ct_manager_all_inputs(manager); ++i) {
        if (!ct_field_items_valid(&manager->inputs[i], &values[i], count))
            return ct_message_set(message, "%s: %s: not a value of type %s", manager->name,
                                  manager->inputs[i].name,
                                  ct_field_info_of(manager->inputs[i].type)->name);
    }
    if (ct_manager_check_values(manager, values, count, true, &why)) return true;
    return ct_message_set(message, "%s: %s", manager->name, why.text);
}

ct_status ct_explained_add(ct_manager *manager, uint32_t count, const ct_entity *owners,
                           const ct_values *values, ct_row *first, ct_message *message) {
    const ct_entity_manager *entities = manager->store.entities;
    ct_message why;
    if (!is_open(manager, message)) return CT_ERR_DATA;
    for (uint32_t i = 0; i < count; ++i) {
        if (ct_entity_manager_alive(entities, owners[i])) continue;
        ct_dead_message(NULL, entities, owners[i], &why);
        ct_message_set(message, "%s: %s", manager->name, why.text);
        return CT_ERR_DATA;
    }
    if (!ct_explained_check_values(manager, count, values, message)) return CT_ERR_DATA;
    ct_status status = ct_manager_create_whole(manager, owners, count, values, NULL, first);
    if (status == CT_ERR_EXISTS)
        ct_manager_exists_message(manager, owners[first->i], NULL, message);
    if (status == CT_ERR_FULL) ct_manager_full_message(manager, message);
    if (status == CT_ERR_DATA || status == CT_ERR_CYCLE)
        ct_message_set(message, "%s: the values do not fit together", manager->name);
    return ct_explained_status(status, message);
}

ct_status ct_explained_remove(ct_manager *manager, ct_row row, ct_message *message) {
    if (!ct_explained_has_row(manager, row, message) || !is_open(manager, message))
        return CT_ERR_DATA;
    ct_manager_remove(manager, row);
    return CT_OK;
}

ct_status ct_explained_write(ct_manager *manager, uint32_t field, ct_row row, const void *item,
                             ct_message *message) {
    const ct_values value = {item, 0};
    ct_message why = {""};
    if (!ct_explained_has_field(manager, field, message) ||
        !ct_explained_has_row(manager, row, message) ||
        !ct_explained_may_change(manager->store.entities, message))
        return CT_ERR_DATA;
    const ct_field *f = &manager->fields[field];
    bool valid = item != NULL && ct_field_items_valid(f, &value, 1);
    if (!valid) ct_message_set(&why, "not a value of type %s", ct_field_info_of(f->type)->name);
    if (!valid || !ct_manager_check_item(manager, field, item, &why)) {
        ct_message_set(message, "%s.%s: %s", manager->name, f->name, why.text);
        return CT_ERR_DATA;
    }
    ct_status status = ct_manager_write(manager, field, row, item);
    if (status == CT_ERR_FULL) ct_manager_full_message(manager, message);
    if (status == CT_ERR_DATA || status == CT_ERR_CYCLE)
        ct_manager_refused_message(manager, row, f->name, status, message);
    return ct_explained_status(status, message);
}

// ---------------------------------------------------------------- links, queries

bool ct_explained_can_be_parent(const ct_manager *transforms, ct_row row, ct_message *message) {
    const ct_entity_manager *entities = transforms->store.entities;
    if (!ct_explained_has_row(transforms, row, message)) return false;
    const ct_entity owner = ct_store_owners(&transforms->store)[row.i];
    if (ct_entity_manager_alive_or_dying(entities, owner)) return true;
    ct_message why;
    ct_dead_message(NULL, entities, owner, &why);
    return ct_message_set(message, "parent: %s", why.text);
}

ct_status ct_explained_link(ct_manager *transforms, ct_row child, ct_row parent, bool keep_world,
                            ct_message *message) {
    if (transforms->type != &ct_transform_type) {
        ct_message_set(message, "%s is not " CT_TRANSFORM, transforms->name);
        return CT_ERR_DATA;
    }
    if (!ct_explained_has_row(transforms, child, message) ||
        !ct_explained_may_change(transforms->store.entities, message))
        return CT_ERR_DATA;
    if (parent.i == CT_NO_ROW) {
        ct_transform_unlink(transforms, child, keep_world);
        return CT_OK;
    }
    if (!ct_explained_can_be_parent(transforms, parent, message)) return CT_ERR_DATA;
    ct_status status = ct_transform_link(transforms, child, parent, keep_world);
    if (status == CT_ERR_CYCLE || status == CT_ERR_DATA)
        ct_transform_link_message(transforms, child, parent, status, message);
    return ct_explained_status(status, message);
}

// Returns whether managers and roles can be joined.
static bool can_query(const ct_world *world, uint32_t count, ct_manager *const *managers,
                      const ct_query_role *roles, ct_message *message) {
    if (count == 0 || count > CT_MAX_JOINED)
        return ct_message_set(message, "a query has 1 to %u components, got %u", CT_MAX_JOINED,
                              count);
    if (roles != NULL && roles[0] != CT_QUERY_REQUIRED)
        return ct_message_set(message, "the first component of a query must be required");
    for (uint32_t i = 0; i < count; ++i) {
        if (managers[i] == NULL) return ct_message_set(message, "component %u is NULL", i);
        if (ct_world_find_identifier(world, managers[i]->identifier) != managers[i])
            return ct_message_set(message, "%s belongs to another world, or was defined again",
                                  managers[i]->name);
        if (roles != NULL && (uint32_t)roles[i] > CT_QUERY_OPTIONAL)
            return ct_message_set(message, "%s has an unknown role %u", managers[i]->name,
                                  (uint32_t)roles[i]);
    }
    return true;
}

ct_status ct_explained_query(ct_world *world, uint32_t count, ct_manager *const *managers,
                             const ct_query_role *roles, ct_query **query, ct_message *message) {
    *query = NULL;
    if (world->destroyed) return ct_explained_status(CT_ERR_OVER, message);
    if (!can_query(world, count, managers, roles, message)) return CT_ERR_DATA;
    *query = ct_query_new(world->allocator, &world->queries, count, managers, roles);
    return *query != NULL ? CT_OK
                          : ct_explained_status(ct_out_of_memory(world->allocator), message);
}
