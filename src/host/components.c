// Components of a host: rows, columns and values.
#include "host/host_internal.h"

#include "storage/manager_access.h"
#include "world/checked/checked.h"
#include "world/checked/explained.h"

// ---------------------------------------------------------------- fields

uint32_t ct_host_field_count(ct_host_entities *host, ct_host_component component) {
    const ct_manager *manager = ct_slot_manager_of(host, component);
    return manager != NULL ? manager->field_count : 0;
}

ct_status ct_host_field_at(ct_host_entities *host, ct_host_component component, uint32_t field,
                           ct_host_field *out) {
    const ct_manager *manager = ct_slot_manager_of(host, component);
    if (manager == NULL || !ct_explained_has_field(manager, field, &host->message))
        return CT_ERR_DATA;
    const ct_field *f = &manager->fields[field];
    const ct_host_field result = {.type = (uint32_t)f->type,
                                  .name = f->name,
                                  .bytes = ct_field_info_of(f->type)->bytes,
                                  .read_only = f->read_only};
    return ct_slot_result(host, out, &result, sizeof result);
}

ct_status ct_host_find_field(ct_host_entities *host, ct_host_component component, const char *name,
                             uint32_t *field) {
    ct_message why;
    const ct_manager *manager = ct_slot_manager_of(host, component);
    if (manager == NULL) return CT_ERR_DATA;
    uint32_t found =
        ct_field_find(manager->fields, manager->field_count, name != NULL ? name : "", &why);
    if (found == manager->field_count) return ct_slot_fail(host, "%s: %s", manager->name, why.text);
    *field = found;
    return CT_OK;
}

ct_status ct_host_label(ct_host_entities *host, ct_host_component component, uint32_t field,
                        uint32_t number, ct_text *out) {
    const ct_manager *manager = ct_slot_manager_of(host, component);
    if (manager == NULL || !ct_explained_has_field(manager, field, &host->message))
        return CT_ERR_DATA;
    const ct_field *f = &manager->fields[field];
    if (number >= f->label_count)
        return ct_slot_fail(host, "%s.%s has %u labels, got number %u", manager->name, f->name,
                            f->label_count, number);
    *out = f->labels[number];
    return CT_OK;
}

// ---------------------------------------------------------------- values

bool ct_slot_values(ct_host_entities *host, const ct_manager *manager, uint32_t count,
                    uint32_t value_count, const ct_host_value *values, ct_values *out) {
    const uint32_t inputs = ct_manager_all_inputs(manager);
    memset(out, 0, inputs * sizeof *out);
    for (uint32_t i = 0; i < value_count; ++i) {
        ct_message why;
        const char *name = values[i].field != NULL ? values[i].field : "";
        uint32_t input = ct_field_find(manager->inputs, inputs, name, &why);
        if (input == inputs)
            return ct_message_set(&host->message, "%s: %s", manager->name, why.text);
        if (out[input].items != NULL)
            return ct_message_set(&host->message, "%s: %s is given twice", manager->name, name);
        if (values[i].items == NULL)
            return ct_message_set(&host->message, "%s: %s: the items are NULL", manager->name,
                                  name);
        out[input] = (ct_values){values[i].items, values[i].stride};
    }
    return ct_explained_check_values(manager, count, out, &host->message);
}

ct_status ct_host_add(ct_host_entities *host, ct_host_component component, uint32_t count,
                      const ct_entity *owners, uint32_t value_count, const ct_host_value *values,
                      uint32_t *first) {
    ct_values all[CT_MAX_COLUMNS];
    ct_row row;
    ct_manager *manager = ct_slot_edit(host, component.id, CT_SLOT_COMPONENT);
    if (manager == NULL || !ct_slot_values(host, manager, count, value_count, values, all))
        return CT_ERR_DATA;
    ct_status status = manager->hooks != NULL
                           ? ct_slot_add(host, &ct_slot_owner(host, component.id)->core, manager,
                                         count, owners, all, &row)
                           : ct_explained_add(manager, count, owners, all, &row, &host->message);
    if (status == CT_OK && first != NULL) *first = row.i;
    return status;
}

ct_status ct_host_destroy_components(ct_host_entities *host, ct_host_component component,
                                     uint32_t count, const ct_entity *owners, uint32_t *destroyed) {
    ct_manager *manager = ct_slot_edit(host, component.id, CT_SLOT_COMPONENT);
    if (manager == NULL) return CT_ERR_DATA;
    uint32_t removed = 0;
    if (manager->hooks == NULL) removed = ct_manager_remove_many(manager, count, owners);
    for (uint32_t i = 0; manager->hooks != NULL && i < count; ++i)
        removed += ct_hooks_remove_all(&ct_slot_owner(host, component.id)->core, manager, owners[i],
                                       NULL, NULL);
    if (destroyed != NULL) *destroyed = removed;
    return CT_OK;
}

ct_status ct_host_destroy_row(ct_host_entities *host, ct_host_component component, uint32_t row) {
    ct_manager *manager = ct_slot_edit(host, component.id, CT_SLOT_COMPONENT);
    if (manager == NULL) return CT_ERR_DATA;
    bool hooked = manager->hooks != NULL && row < ct_store_count(&manager->store) &&
                  ct_entity_manager_alive(&host->core, ct_store_owners(&manager->store)[row]);
    if (!hooked || manager->shape->hosted != NULL)
        return ct_explained_remove(manager, (ct_row){row}, &host->message);
    (void)ct_hooks_remove(&ct_slot_owner(host, component.id)->core, manager, (ct_row){row},
                          CT_REASON_REMOVE, NULL, NULL);
    return CT_OK;
}

// ---------------------------------------------------------------- rows

ct_status ct_host_find(ct_host_entities *host, ct_host_component component, uint32_t count,
                       const ct_entity *entities, uint32_t *rows) {
    const ct_manager *manager = ct_slot_manager_of(host, component);
    if (manager == NULL) return CT_ERR_DATA;
    for (uint32_t i = 0; i < count; ++i)
        rows[i] = ct_store_find(&manager->store, entities[i]).i;
    return CT_OK;
}

uint32_t ct_host_next(ct_host_entities *host, ct_host_component component, uint32_t row) {
    const ct_manager *manager = ct_slot_manager_of(host, component);
    return manager != NULL ? ct_checked_next(manager, (ct_row){row}).i : CT_NO_ROW;
}

ct_status ct_host_id_of(ct_host_entities *host, ct_host_component component, uint32_t row,
                        ct_component_id *out) {
    const ct_manager *manager = ct_slot_manager_of(host, component);
    if (manager == NULL || !ct_explained_has_row(manager, (ct_row){row}, &host->message))
        return CT_ERR_DATA;
    uint32_t id = ct_store_id(&manager->store, (ct_row){row});
    ct_component_id result = {id, {NULL, 0}};
    if ((id & CT_ID_IS_STRING) != 0)
        result = (ct_component_id){
            0, ct_string_pool_text(manager->strings, (ct_string){id & ~CT_ID_IS_STRING})};
    *out = result;
    return CT_OK;
}

ct_status ct_host_find_id(ct_host_entities *host, ct_host_component component, ct_entity e,
                          const ct_component_id *id, uint32_t *row) {
    ct_manager *manager = ct_slot_manager_of(host, component);
    if (manager == NULL) return CT_ERR_DATA;
    uint32_t number = ct_manager_find_id(manager, id);
    *row = number != 0 ? ct_store_find_id(&manager->store, e, number).i : CT_NO_ROW;
    return CT_OK;
}

ct_status ct_host_reserve(ct_host_entities *host, ct_host_component component, uint32_t count) {
    ct_manager *manager = ct_slot_edit(host, component.id, CT_SLOT_COMPONENT);
    if (manager == NULL) return CT_ERR_DATA;
    ct_status status = ct_manager_reserve(manager, count);
    if (status == CT_ERR_FULL) ct_manager_full_message(manager, &host->message);
    return ct_slot_status(host, status);
}

ct_status ct_host_column_of(ct_host_entities *host, ct_host_component component, uint32_t field,
                            ct_host_column *out) {
    ct_manager *manager = ct_slot_manager_of(host, component);
    if (manager == NULL || !ct_explained_has_field(manager, field, &host->message))
        return CT_ERR_DATA;
    const ct_field *f = &manager->fields[field];
    if (f->computed || f->type == CT_FIELD_VALUE)
        return ct_slot_fail(host, "%s.%s has no column: use %s", manager->name, f->name,
                            f->type == CT_FIELD_VALUE ? "ct_host_text" : "ct_host_read");
    ct_host_column result = {.count = ct_store_count(&manager->store)};
    result.items = ct_checked_column(manager, field, &result.stride);
    result.owners = ct_checked_owners(manager);
    return ct_slot_result(host, out, &result, sizeof result);
}

// Returns the manager of a component that has this field and row.
static ct_manager *manager_at(ct_host_entities *host, ct_host_component component, uint32_t field,
                              uint32_t row) {
    ct_manager *manager = ct_slot_manager_of(host, component);
    bool ok = manager != NULL && ct_explained_has_field(manager, field, &host->message) &&
              ct_explained_has_row(manager, (ct_row){row}, &host->message);
    return ok ? manager : NULL;
}

ct_status ct_host_read(ct_host_entities *host, ct_host_component component, uint32_t field,
                       uint32_t row, void *out, uint32_t bytes) {
    ct_manager *manager = manager_at(host, component, field, row);
    if (manager == NULL) return CT_ERR_DATA;
    const ct_field *f = &manager->fields[field];
    uint32_t expected = ct_field_info_of(f->type)->bytes;
    if (f->type == CT_FIELD_VALUE)
        return ct_slot_fail(host, "%s.%s has no item: use ct_host_text", manager->name, f->name);
    if (bytes != expected)
        return ct_slot_fail(host, "%s.%s: an item has %u bytes, got room for %u", manager->name,
                            f->name, expected, bytes);
    memcpy(out, ct_manager_read(manager, field, (ct_row){row}), bytes);
    return CT_OK;
}

ct_status ct_host_text(ct_host_entities *host, ct_host_component component, uint32_t field,
                       uint32_t row, ct_text *out) {
    const ct_manager *manager = manager_at(host, component, field, row);
    if (manager == NULL) return CT_ERR_DATA;
    ct_text text = ct_checked_text(manager, field, (ct_row){row});
    if (text.bytes == NULL && manager->fields[field].type == CT_FIELD_VALUE) text.bytes = "";
    if (text.bytes == NULL)
        return ct_slot_fail(host, "%s.%s is not a text", manager->name,
                            manager->fields[field].name);
    *out = text;
    return CT_OK;
}

ct_status ct_host_write(ct_host_entities *host, ct_host_component component, uint32_t field,
                        uint32_t row, const void *item) {
    ct_manager *manager = ct_slot_edit(host, component.id, CT_SLOT_COMPONENT);
    if (manager == NULL) return CT_ERR_DATA;
    return ct_explained_write(manager, field, (ct_row){row}, item, &host->message);
}
