// Overrides: values for components of entities with a path that one spawn changes.
#include "resource/override.h"

#include "base/hash.h"
#include "base/message.h"
#include "base/packed.h"
#include "base/table.h"
#include "base/text.h"
#include "resource/path.h"
#include "resource/spawner.h"
#include "storage/field.h"
#include "storage/labels.h"
#include "storage/manager_access.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- binding to a manager

// Values of all inputs, in the form of the manager; items are NULL for inputs without a value.
typedef struct bound {
    const ct_override *override;
    const ct_manager *manager;
    ct_values values[CT_MAX_COLUMNS];
    unsigned char labels[CT_MAX_COLUMNS]; // by input: the number of an enum's label in this world
} bound;

static bool has_known_type(const ct_override_value *value) {
    return (unsigned)value->type < CT_FIELD_TYPE_COUNT;
}

static bool bind_label(bound *b, uint32_t input, const ct_text *label, ct_message *message) {
    const ct_field *field = &b->manager->inputs[input];
    ct_message reason;
    uint32_t number = ct_labels_find(field, *label, &reason);
    if (number == field->label_count)
        return ct_message_set(message, "%s: %s", field->name, reason.text);
    b->labels[input] = (unsigned char)number;
    b->values[input] = (ct_values){&b->labels[input], 0};
    return true;
}

// Finds the inputs by name at each call, because the component may have been redefined.
static bool bind(bound *b, const ct_override *override, const ct_manager *manager,
                 ct_message *message) {
    b->override = override;
    b->manager = manager;
    memset(b->values, 0, ct_manager_all_inputs(manager) * sizeof *b->values);
    for (uint32_t i = 0; i < override->value_count; ++i) {
        const ct_override_value *value = &override->values[i];
        uint32_t input = ct_manager_find_input(manager, value->input);
        if (input == ct_manager_all_inputs(manager))
            return ct_message_set(message, "unknown field '%s'", value->input);
        const ct_field *field = &manager->inputs[input];
        const char *type = ct_field_info_of(field->type)->name;
        if (field->type != value->type)
            return ct_message_set(
                message, "%s: the field has type %s now, the value has type %s", value->input, type,
                has_known_type(value) ? ct_field_info_of(value->type)->name : "?");
        const ct_values given = {value->item, 0};
        if (value->item == NULL ||
            (value->type != CT_FIELD_ENUM && !ct_field_items_valid(field, &given, 1)))
            return ct_message_set(message, "%s: not a value of type %s", value->input, type);
        b->values[input] = (ct_values){value->item, 0};
        if (value->type == CT_FIELD_ENUM && !bind_label(b, input, value->item, message))
            return false;
    }
    return true;
}

static bool leaves_hierarchy(const bound *b, ct_message *message) {
    for (uint32_t i = 0; i < b->manager->input_count; ++i) {
        const ct_field *input = &b->manager->inputs[i];
        if (input->hierarchy && b->values[i].items != NULL)
            return ct_message_set(message,
                                  "%s: an override cannot change the hierarchy of the resource",
                                  input->name);
    }
    return true;
}

// ---------------------------------------------------------------- checks

// Checks that the required inputs have values for every new component. The index of the path
// exists.
static bool has_required(const ct_world *world, const ct_resource *resource, const bound *b,
                         ct_message *message) {
    ct_message missing;
    if (ct_manager_check_required(b->manager, b->values, &missing)) return true;
    const ct_section *section = ct_spawner_section(world, resource, b->manager);
    uint32_t i = CT_PATH_NONE;
    while ((i = ct_path_find(resource, b->override->path, i)) != CT_PATH_NONE) {
        bool replaced = b->manager->store.multiple;
        if (replaced || section == NULL || ct_section_find(section, i) == section->num_instances)
            return ct_message_set(message, "%s", missing.text);
    }
    return true;
}

static bool have_one_id(const ct_override *one, const ct_override *other) {
    return one->id.number == other->id.number && ct_text_equal(one->id.text, other->id.text) &&
           strcmp(one->component, other->component) == 0 && ct_text_equal(one->path, other->path);
}

static uint32_t hash_of_id(const void *overrides, uint32_t place) {
    const ct_override *override = (const ct_override *)overrides + place;
    uint64_t hash = ct_hash_text(override->id.number, override->path.bytes, override->path.length);
    hash = ct_hash_text(hash, override->component, strlen(override->component));
    if (override->id.text.bytes != NULL)
        hash = ct_hash_text(hash, override->id.text.bytes, override->id.text.length);
    return (uint32_t)(hash >> 32);
}

// Checks that an id is unique: of two items with the same id, one would be lost silently. 'ids' has
// the earlier overrides with an id.
static ct_status check_id(const ct_world *world, const ct_override *overrides, uint32_t place,
                          ct_table *ids, ct_message *message) {
    const ct_override *own = &overrides[place];
    if (own->id.number == 0 && own->id.text.bytes == NULL) return CT_OK;
    if (own->id.number > CT_LAST_GIVEN_NUMBER) {
        ct_message_set(message, "id: %u is above %u", own->id.number, CT_LAST_GIVEN_NUMBER);
        return CT_ERR_DATA;
    }
    if (!ct_table_reserve(ids, world->allocator, 1, hash_of_id, overrides))
        return ct_message_out_of_memory(message);
    uint32_t hash = hash_of_id(overrides, place), at = ct_table_home(ids, hash), other;
    while ((other = ct_table_next(ids, hash, &at)) != CT_TABLE_NONE)
        if (have_one_id(&overrides[other], own)) break;
    if (other != CT_TABLE_NONE) {
        ct_message_set(message, "id: duplicate");
        return CT_ERR_DATA;
    }
    ct_table_add(ids, hash, place);
    return CT_OK;
}

static bool check_values(const ct_world *world, const ct_resource *resource,
                         const ct_override *override, ct_message *message) {
    bound b;
    const ct_manager *manager = ct_world_find(world, override->component);
    if (manager == NULL) return ct_message_set(message, "unknown component");
    if (!bind(&b, override, manager, message)) return false;
    return leaves_hierarchy(&b, message) &&
           ct_manager_check_values(b.manager, b.values, 1, false, message) &&
           has_required(world, resource, &b, message);
}

// Adds the path and the component before the reason in 'message'.
static ct_status fail_at(const ct_override *override, ct_message *message) {
    ct_message reason = *message, place = {.text = ""};
    if (override->place > 0) ct_message_set(&place, "[%u]", override->place);
    ct_message_set(message, "overrides: %s%s: %s%s: %s", ct_path_cut(override->path),
                   ct_path_end(override->path), override->component, place.text, reason.text);
    return CT_ERR_DATA;
}

static ct_status check(const ct_world *world, ct_resource *resource, const ct_override *overrides,
                       uint32_t place, ct_table *ids, ct_message *message) {
    const ct_override *override = &overrides[place];
    ct_status status = ct_path_check(resource, override->path, message);
    if (status == CT_ERR_DATA) {
        ct_message reason = *message;
        ct_message_set(message, "overrides: %s", reason.text);
    }
    if (status != CT_OK || override->component == NULL) return status;
    status = check_values(world, resource, override, message)
                 ? check_id(world, overrides, place, ids, message)
                 : CT_ERR_DATA;
    return status == CT_ERR_DATA ? fail_at(override, message) : status;
}

ct_status ct_override_check(const ct_world *world, ct_resource *resource,
                            const ct_override *overrides, uint32_t count, ct_message *message) {
    ct_status status = CT_OK;
    ct_table ids = {0};
    for (uint32_t i = 0; i < count && status == CT_OK; ++i)
        status = check(world, resource, overrides, i, &ids, message);
    ct_table_free(&ids, world->allocator);
    return status;
}

// ---------------------------------------------------------------- application

static ct_status explain(const ct_manager *manager, ct_status status, ct_message *message) {
    if (status == CT_ERR_MEMORY) ct_message_out_of_memory(message);
    if (status == CT_ERR_FULL) ct_manager_full_message(manager, message);
    if (status == CT_ERR_EXISTS)
        ct_message_set(message, "%s: duplicate component id", manager->name);
    if (status == CT_ERR_DATA || status == CT_ERR_CYCLE)
        ct_message_set(message, "%s: invalid values", manager->name);
    return status;
}

// Assigns all inputs of a component: those without a value get their default.
static ct_status replace(ct_manager *manager, ct_row row, const bound *b) {
    ct_values values[CT_MAX_COLUMNS];
    unsigned char room[CT_MAX_COLUMNS][CT_MAX_ITEM_BYTES];
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        values[i] = b->values[i];
        if (values[i].items != NULL) continue;
        ct_manager_input_default(manager, i, room[i]);
        values[i].items = room[i];
    }
    return ct_manager_assign(manager, row, values);
}

static ct_row row_to_change(ct_manager *manager, const bound *b, ct_entity e) {
    if (!manager->store.multiple) return ct_store_find(&manager->store, e);
    uint32_t id = ct_manager_find_id(manager, &b->override->id);
    return id != 0 ? ct_store_find_id(&manager->store, e, id) : (ct_row){CT_NO_ROW};
}

static ct_status apply_to(ct_manager *manager, const bound *b, ct_entity e, ct_message *message) {
    if (!ct_entity_manager_alive(manager->store.entities, e)) {
        ct_message_set(message, "%s: an entity that is overridden died while the level was spawned",
                       manager->name);
        return CT_ERR_DATA;
    }
    ct_row row = row_to_change(manager, b, e);
    ct_message why;
    if (row.i != CT_NO_ROW && !ct_manager_check_assign(manager, row, b->values, &why)) {
        ct_message_set(message, "%s: %s", manager->name, why.text);
        return CT_ERR_DATA;
    }
    if (row.i != CT_NO_ROW && !manager->store.multiple)
        return explain(manager, ct_manager_assign(manager, row, b->values), message);
    if (!ct_manager_check_required(manager, b->values, &why)) {
        ct_message_set(message, "%s: %s", manager->name, why.text);
        return CT_ERR_DATA;
    }
    if (row.i != CT_NO_ROW) return explain(manager, replace(manager, row, b), message);
    const ct_component_id *id = manager->store.multiple ? &b->override->id : NULL;
    return explain(manager, ct_manager_create(manager, &e, 1, b->values, id, &row), message);
}

typedef ct_status (*apply_fn)(ct_manager *manager, const bound *b, ct_entity e,
                              ct_message *message);

// Applies the override to every entity that matches its path.
static ct_status apply_to_all(ct_manager *manager, const bound *b, const ct_resource *resource,
                              const ct_spawn *spawn, apply_fn apply_to_one, ct_message *message) {
    ct_text path = b->override->path;
    ct_status status = CT_OK;
    for (uint32_t copy = 0; copy < spawn->copies && status == CT_OK; ++copy) {
        const ct_spawn one = ct_spawn_copy(spawn, copy);
        uint32_t i = CT_PATH_NONE;
        while (status == CT_OK && (i = ct_path_find(resource, path, i)) != CT_PATH_NONE)
            status = apply_to_one(manager, b, one.entity_lookup[i], message);
    }
    return status;
}

static ct_status apply(ct_manager *manager, const ct_resource *resource,
                       const ct_override *override, const ct_spawn *spawn, ct_message *message) {
    bound b;
    if (!bind(&b, override, manager, message) ||
        !ct_manager_check_values(b.manager, b.values, 1, false, message))
        return fail_at(override, message);
    memset(b.values + manager->input_count, 0, manager->shape->late_count * sizeof *b.values);
    return apply_to_all(manager, &b, resource, spawn, apply_to, message);
}

ct_status ct_override_write_late(ct_manager *manager, ct_entity e, const ct_values *values,
                                 ct_message *message) {
    ct_row row = ct_store_find(&manager->store, e);
    if (row.i == CT_NO_ROW) ct_message_set(message, "there is no %s", manager->name);
    if (row.i == CT_NO_ROW || !ct_manager_check_assign(manager, row, values, message))
        return CT_ERR_DATA;
    return explain(manager, ct_manager_assign_late(manager, row, values), message);
}

// Writes the late inputs of an override to one entity.
static ct_status apply_late_to(ct_manager *manager, const bound *b, ct_entity e,
                               ct_message *message) {
    ct_status status = ct_override_write_late(manager, e, b->values, message);
    return status == CT_ERR_DATA ? fail_at(b->override, message) : status;
}

ct_status ct_override_apply_late(const ct_world *world, const ct_resource *resource,
                                 const ct_override *override, const ct_spawn *spawn,
                                 ct_message *message) {
    ct_manager *manager =
        override->component != NULL ? ct_world_find(world, override->component) : NULL;
    bound b;
    if (manager == NULL || manager->shape->late_count == 0) return CT_OK;
    if (!bind(&b, override, manager, message)) return fail_at(override, message);
    memset(b.values, 0, manager->input_count * sizeof *b.values);
    bool any = false;
    for (uint32_t i = 0; i < manager->shape->late_count; ++i)
        any = any || b.values[manager->input_count + i].items != NULL;
    return any ? apply_to_all(manager, &b, resource, spawn, apply_late_to, message) : CT_OK;
}

bool ct_override_is_for(const ct_override *override, const char *component) {
    return override->component != NULL && strcmp(override->component, component) == 0;
}

bool ct_override_any(const ct_override *overrides, uint32_t count, const ct_manager *manager) {
    for (uint32_t i = 0; i < count; ++i) {
        if (ct_override_is_for(&overrides[i], manager->name)) return true;
    }
    return false;
}

ct_status ct_override_apply(ct_manager *manager, const ct_resource *resource,
                            const ct_override *overrides, uint32_t count, const ct_spawn *spawn,
                            ct_message *message) {
    if (!ct_override_any(overrides, count, manager)) return CT_OK;
    ct_status status = ct_manager_begin_batch(manager);
    if (status != CT_OK) return explain(manager, status, message);
    for (uint32_t i = 0; i < count && status == CT_OK; ++i) {
        if (ct_override_is_for(&overrides[i], manager->name))
            status = apply(manager, resource, &overrides[i], spawn, message);
    }
    ct_status ended = ct_manager_end_batch(manager, status == CT_OK ? spawn : NULL);
    return status == CT_OK ? explain(manager, ended, message) : status;
}

// Values may be wrong: they are checked when they are bound.
static void put_value(ct_packed *b, const ct_override_value *from, ct_override_value *to) {
    const char *name = from->input != NULL ? from->input : "";
    const char *input = ct_packed_put(b, name, strlen(name) + 1);
    void *item = NULL;
    if (from->item != NULL && has_known_type(from)) {
        bool text = ct_field_is_text(from->type) || from->type == CT_FIELD_ENUM;
        size_t bytes = text ? sizeof(ct_text) : ct_field_info_of(from->type)->bytes;
        item = ct_packed_put(b, from->item, bytes);
        if (text) ct_packed_put_text(b, *(const ct_text *)from->item, item);
    }
    if (to != NULL) *to = (ct_override_value){input, from->type, item};
}

static void put_override(ct_packed *b, const ct_override *from, ct_override *to) {
    const ct_text path = {from->path.bytes != NULL ? from->path.bytes : "", from->path.length};
    ct_packed_put_text(b, path, to != NULL ? &to->path : NULL);
    if (from->component == NULL) return;
    const char *component = ct_packed_put(b, from->component, strlen(from->component));
    ct_packed_put_text(b, from->id.text, to != NULL ? &to->id.text : NULL);
    ct_override_value *values = ct_packed_put(b, from->values, from->value_count * sizeof *values);
    for (uint32_t i = 0; i < from->value_count; ++i)
        put_value(b, &from->values[i], to != NULL ? &values[i] : NULL);
    if (to == NULL) return;
    to->component = component;
    to->values = values;
}

static ct_override *put_all(ct_packed *b, const ct_override *overrides, uint32_t count) {
    ct_override *copy = ct_packed_put(b, overrides, count * sizeof *copy);
    for (uint32_t i = 0; i < count; ++i)
        put_override(b, &overrides[i], copy != NULL ? &copy[i] : NULL);
    return copy;
}

size_t ct_override_bytes(const ct_override *overrides, uint32_t count) {
    ct_packed b = {NULL, 0};
    if (count > 0) put_all(&b, overrides, count);
    return b.used;
}

const ct_override *ct_override_copy(const ct_override *overrides, uint32_t count, void *memory) {
    ct_packed b = {memory, 0};
    return count > 0 ? put_all(&b, overrides, count) : NULL;
}

// ---------------------------------------------------------------- creation and order

uint32_t ct_override_take(const ct_manager *manager, const ct_values *values,
                          ct_override_value *out) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < ct_manager_all_inputs(manager); ++i) {
        const ct_field *input = &manager->inputs[i];
        const void *item = values[i].items;
        if (item == NULL) continue;
        if (input->type == CT_FIELD_ENUM) item = &input->labels[*(const unsigned char *)item];
        out[count++] = (ct_override_value){input->name, input->type, item};
    }
    return count;
}

static int compare(const void *a, const void *b) {
    const ct_override *one = a, *other = b;
    int order = strcmp(one->path.bytes, other->path.bytes);
    if (order == 0 && one->component != NULL) order = strcmp(one->component, other->component);
    if (order != 0) return order;
    return one->place < other->place ? -1 : one->place > other->place;
}

void ct_override_sort(ct_override *overrides, uint32_t count) {
    if (count > 0) qsort(overrides, count, sizeof *overrides, compare);
}
