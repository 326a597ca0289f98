// Every invariant that component managers have in common, and the strings that they hold.
#include "storage/manager.h"

#include "base/message.h"

// The dead hold none: whatever the host keeps was let go when they died.
static bool validate_value(const ct_manager *manager, const ct_field *field, uint32_t row,
                           ct_message *message) {
    const ct_store *store = &manager->store;
    ct_value value = *(const ct_value *)ct_manager_item(manager, field, (ct_row){row});
    if (value.slot == 0) return true;
    if (!ct_value_pool_has(manager->values, value))
        return ct_message_set(message, "%s: %s of row %u is a value that was let go", manager->name,
                              field->name, row);
    return ct_value_pool_bytes_of(manager->values, value).bytes != NULL ||
           ct_entity_manager_answers(store->entities, ct_store_owners(store)[row]) ||
           ct_message_set(message, "%s: row %u of a dead entity has a value for %s", manager->name,
                          row, field->name);
}

static bool validate_field(const ct_manager *manager, const ct_field *field, ct_message *message) {
    uint32_t count = manager->store.columns.count;
    if (count == 0 || field->computed) return true;
    const unsigned char *items = ct_manager_item(manager, field, (ct_row){0});
    const char *what;
    uint32_t width = manager->store.columns.width[field->column];
    uint32_t invalid = ct_field_first_invalid(field, items, width, count, &what);
    if (invalid < count)
        return ct_message_set(message, "%s: %s of row %u %s", manager->name, field->name, invalid,
                              what);
    for (uint32_t row = 0; row < count; ++row) {
        if (field->type == CT_FIELD_VALUE && !validate_value(manager, field, row, message))
            return false;
        if (field->type != CT_FIELD_STRING) continue;
        ct_string string = ((const ct_string *)(const void *)items)[row];
        if (string.ref != 0 && (string.ref >= manager->strings->entry_count ||
                                manager->strings->entries[string.ref].bytes == NULL))
            return ct_message_set(message, "%s: %s of row %u is a string that was freed",
                                  manager->name, field->name, row);
    }
    return true;
}

uint64_t ct_manager_count_values(const ct_manager *manager) {
    uint64_t count = 0;
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        if (manager->fields[f].type != CT_FIELD_VALUE || manager->store.columns.count == 0)
            continue;
        const ct_value *column = ct_manager_item(manager, &manager->fields[f], (ct_row){0});
        for (uint32_t row = 0; row < manager->store.columns.count; ++row)
            count += column[row].slot != 0;
    }
    return count;
}

void ct_manager_count_strings(const ct_manager *manager, ct_string_audit *audit) {
    const ct_store *store = &manager->store;
    uint32_t count = store->columns.count;
    for (uint32_t f = 0; f < manager->field_count && count > 0; ++f) {
        if (manager->fields[f].type != CT_FIELD_STRING) continue;
        const ct_string *column = ct_manager_item(manager, &manager->fields[f], (ct_row){0});
        for (uint32_t row = 0; row < count; ++row)
            ct_string_audit_add(audit, column[row]);
    }
    for (uint32_t row = 0; row < count && store->multiple; ++row) {
        uint32_t id = ct_store_id(store, (ct_row){row});
        if ((id & CT_ID_IS_STRING) != 0)
            ct_string_audit_add(audit, (ct_string){id & ~CT_ID_IS_STRING});
    }
    if (manager->type->strings != NULL) manager->type->strings(manager, audit);
}

bool ct_manager_validate(const ct_manager *manager, ct_message *message) {
    if (!ct_store_validate(&manager->store, manager->name, message)) return false;
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        if (!validate_field(manager, &manager->fields[f], message)) return false;
    }
    return manager->type->validate == NULL || manager->type->validate(manager, message);
}
