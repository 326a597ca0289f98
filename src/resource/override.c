// What one spawn makes different from its resource: values for the components of entities with a
// path. Knows nothing of how values are written, nor when entities come to life.
#include "resource/override.h"

#include "base/message.h"
#include "resource/path.h"
#include "resource/spawner.h"

#include <string.h>

// ---------------------------------------------------------------- checking

static bool section_has(const ct_section *section, uint32_t entity) {
    uint32_t low = 0, high = section->num_instances;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (section->entity_index[middle] < entity)
            low = middle + 1;
        else
            high = middle;
    }
    return low < section->num_instances && section->entity_index[low] == entity;
}

static const ct_section *section_of(const ct_world *world, const ct_resource *resource,
                                    const ct_manager *manager) {
    for (uint32_t i = 0; i < resource->num_component_types; ++i) {
        if (ct_spawner_manager(world, &resource->sections[i]) == manager)
            return &resource->sections[i];
    }
    return NULL;
}

// The first input that must be given and is not, or NULL.
static const ct_field *missing_input(const ct_override *override) {
    const ct_manager *manager = override->manager;
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        if (manager->inputs[i].required && override->values[i].items == NULL)
            return &manager->inputs[i];
    }
    return NULL;
}

static bool check_hierarchy(const ct_override *override, ct_message *message) {
    const ct_manager *manager = override->manager;
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        if (manager->inputs[i].hierarchy && override->values[i].items != NULL)
            return ct_message_set(message, "%s: the hierarchy is the resource's",
                                  manager->inputs[i].name);
    }
    return true;
}

static bool check_values(const ct_override *override, ct_message *message) {
    const ct_manager_type *type = override->manager->type;
    return type->check == NULL || type->check(override->manager, override->values, 1, message);
}

ct_status ct_override_check(const ct_world *world, ct_resource *resource,
                            const ct_override *override, ct_message *message) {
    if (!check_hierarchy(override, message)) return CT_ERR_DATA;
    if (ct_path_index(resource, override->path) != CT_OK) {
        ct_message_set(message, "not enough memory");
        return CT_ERR_MEMORY;
    }
    if (!check_values(override, message)) return CT_ERR_DATA;
    const ct_field *missing = missing_input(override);
    if (missing == NULL) return CT_OK;
    const ct_section *section = section_of(world, resource, override->manager);
    uint32_t i = CT_PATH_NONE;
    while ((i = ct_path_find(resource, override->path, i)) != CT_PATH_NONE) {
        bool replaced = override->id != NULL;
        if (!replaced && section != NULL && section_has(section, i)) continue;
        ct_message_set(message, "%s: required", missing->name);
        return CT_ERR_DATA;
    }
    return CT_OK;
}

// ---------------------------------------------------------------- applying

static ct_status explain(const ct_manager *manager, ct_status status, ct_message *message) {
    if (status == CT_ERR_MEMORY) ct_message_set(message, "not enough memory");
    if (status == CT_ERR_FULL)
        ct_message_set(message, "%s is full (%u rows)", manager->name, CT_MAX_ROWS);
    if (status == CT_ERR_EXISTS) ct_message_set(message, "%s: two have one id", manager->name);
    if (status == CT_ERR_DATA || status == CT_ERR_CYCLE)
        ct_message_set(message, "%s: these values are not possible here", manager->name);
    return status;
}

// All inputs of a component, defaults where none are given. 'room' has place for all items.
static void complete(const ct_override *override, ct_values *out,
                     unsigned char (*room)[CT_MAX_ITEM_BYTES]) {
    const ct_manager *manager = override->manager;
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        const ct_field *field = &manager->inputs[i];
        out[i] = override->values[i];
        if (out[i].items != NULL) continue;
        ct_field_default(field, room[i]);
        if (field->type == CT_FIELD_STRING) {
            ct_string preset;
            memcpy(&preset, room[i], sizeof preset);
            ct_text text = ct_string_pool_text(manager->strings, preset);
            memcpy(room[i], &text, sizeof text);
        }
        out[i].items = room[i];
    }
}

static ct_status replace(ct_manager *manager, ct_row row, const ct_override *override) {
    ct_values values[CT_MAX_COLUMNS];
    unsigned char room[CT_MAX_COLUMNS][CT_MAX_ITEM_BYTES];
    complete(override, values, room);
    return ct_manager_assign(manager, row, values);
}

static ct_row row_to_change(const ct_manager *manager, const ct_override *override, ct_entity e) {
    if (override->id == NULL) return ct_store_find(&manager->store, e);
    uint32_t id = ct_manager_find_id(manager, override->id);
    return id != 0 ? ct_store_find_id(&manager->store, e, id) : (ct_row){CT_NO_ROW};
}

static ct_status apply_to(ct_manager *manager, const ct_override *override, ct_entity e,
                          ct_message *message) {
    if (!ct_entity_manager_alive(manager->store.entities, e)) {
        ct_message_set(message, "%s: an entity that is overridden died while the level was spawned",
                       manager->name);
        return CT_ERR_DATA;
    }
    ct_row row = row_to_change(manager, override, e);
    if (row.i != CT_NO_ROW && override->id == NULL)
        return explain(manager, ct_manager_assign(manager, row, override->values), message);
    const ct_field *missing = missing_input(override);
    if (missing != NULL) {
        ct_message_set(message, "%s: %s: required", manager->name, missing->name);
        return CT_ERR_DATA;
    }
    if (row.i != CT_NO_ROW) return explain(manager, replace(manager, row, override), message);
    return explain(manager, ct_manager_create(manager, &e, 1, override->values, override->id, &row),
                   message);
}

static ct_status apply(ct_manager *manager, const ct_resource *resource,
                       const ct_override *override, const ct_spawn *spawn, ct_message *message) {
    if (override->manager != manager) {
        ct_message_set(message, "%s was defined again while the level was spawned", manager->name);
        return CT_ERR_DATA;
    }
    if (!check_values(override, message)) return CT_ERR_DATA;
    ct_status status = CT_OK;
    uint32_t i = CT_PATH_NONE;
    while (status == CT_OK && (i = ct_path_find(resource, override->path, i)) != CT_PATH_NONE)
        status = apply_to(manager, override, spawn->entity_lookup[i], message);
    return status;
}

static bool is_for(const ct_override *override, const ct_manager *manager) {
    return strcmp(override->manager->name, manager->name) == 0;
}

bool ct_override_any(const ct_override *overrides, uint32_t count, const ct_manager *manager) {
    for (uint32_t i = 0; i < count; ++i) {
        if (is_for(&overrides[i], manager)) return true;
    }
    return false;
}

ct_status ct_override_apply(ct_manager *manager, const ct_resource *resource,
                            const ct_override *overrides, uint32_t count, const ct_spawn *spawn,
                            ct_message *message) {
    if (!ct_override_any(overrides, count, manager)) return CT_OK;
    const ct_manager_type *type = manager->type;
    ct_status status = type->begin_overrides != NULL ? type->begin_overrides(manager) : CT_OK;
    if (status != CT_OK) return explain(manager, status, message);
    for (uint32_t i = 0; i < count && status == CT_OK; ++i) {
        if (is_for(&overrides[i], manager))
            status = apply(manager, resource, &overrides[i], spawn, message);
    }
    if (type->end_overrides == NULL) return status;
    ct_status ended = type->end_overrides(manager, status == CT_OK ? spawn : NULL);
    return status == CT_OK ? explain(manager, ended, message) : status;
}
