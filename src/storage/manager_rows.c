// References of a manager's rows to strings and values, and calls of the type's 'created' and
// 'removing'.
#include "storage/manager.h"

void ct_manager_release_items(ct_manager *manager, const ct_field *field, ct_row first,
                              uint32_t count) {
    const void *items = ct_manager_item(manager, field, first);
    if (field->type == CT_FIELD_STRING) ct_string_pool_release_all(manager->strings, items, count);
    const ct_value *values = items;
    for (uint32_t i = 0; field->type == CT_FIELD_VALUE && i < count; ++i)
        ct_value_pool_release(manager->values, values[i]);
}

bool ct_manager_release_values(ct_manager *manager, ct_entity e) {
    bool any = false;
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        if (manager->fields[f].type != CT_FIELD_VALUE) continue;
        ct_row row = ct_store_find(&manager->store, e);
        for (; row.i != CT_NO_ROW; row = ct_store_next(&manager->store, row)) {
            ct_value *value = ct_manager_item(manager, &manager->fields[f], row);
            any = any || value->slot != 0;
            ct_value_pool_release(manager->values, *value);
            *value = (ct_value){0};
        }
    }
    return any;
}

void ct_manager_release_ids(ct_manager *manager, ct_row first, uint32_t count) {
    const uint32_t *ids = ct_store_u32(&manager->store, CT_COLUMN_ID) + first.i;
    for (uint32_t i = 0; i < count; ++i) {
        if ((ids[i] & CT_ID_IS_STRING) != 0)
            ct_string_pool_release(manager->strings, (ct_string){ids[i] & ~CT_ID_IS_STRING});
    }
}

static void release_fields(ct_manager *manager, ct_row first, uint32_t count) {
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        if (ct_field_is_text(manager->fields[f].type))
            ct_manager_release_items(manager, &manager->fields[f], first, count);
    }
}

void ct_manager_release_rows(ct_manager *manager, ct_row first, uint32_t count) {
    release_fields(manager, first, count);
    if (manager->store.multiple) ct_manager_release_ids(manager, first, count);
}

ct_status ct_manager_rows_created(ct_manager *manager, ct_row first, uint32_t count) {
    if (manager->type->created == NULL) return CT_OK;
    ct_status status = manager->type->created(manager, first, count);
    if (status != CT_OK) release_fields(manager, first, count);
    return status;
}

void ct_manager_rows_removing(ct_manager *manager, ct_row first, uint32_t count) {
    if (manager->type->removing != NULL) manager->type->removing(manager, first, count);
    ct_manager_release_rows(manager, first, count);
}
