// Operations on all rows of a manager: snapshots, hash, strings, validation.
#include "base/hash.h"
#include "base/message.h"
#include "storage/manager.h"

#include <string.h>

// Translates strings of restored rows to their present numbers.
static void renumber(const ct_state *state, ct_string *strings, uint32_t count) {
    for (uint32_t i = 0; !state->same_strings && i < count; ++i)
        strings[i].ref = state->strings[strings[i].ref];
}

static void retain_ids(ct_manager *manager, const ct_state *state) {
    uint32_t *ids = ct_store_u32(&manager->store, CT_COLUMN_ID);
    for (uint32_t row = 0; row < ct_store_count(&manager->store); ++row) {
        ct_string string = {ids[row] & ~CT_ID_IS_STRING};
        if ((ids[row] & CT_ID_IS_STRING) == 0) continue;
        renumber(state, &string, 1);
        ct_string_pool_retain(manager->strings, string, 1);
        ids[row] = CT_ID_IS_STRING | string.ref;
    }
}

static void retain_rows(ct_manager *manager, const ct_state *state) {
    uint32_t count = ct_store_count(&manager->store);
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        if (manager->fields[f].type != CT_FIELD_STRING) continue;
        ct_string *column = ct_manager_item(manager, &manager->fields[f], (ct_row){0});
        renumber(state, column, count);
        ct_string_pool_retain_all(manager->strings, column, count);
    }
    if (manager->store.multiple) retain_ids(manager, state);
}

void ct_manager_state(ct_manager *manager, ct_state *state) {
    const ct_manager_type *type = manager->type;
    if (!ct_state_restores(state)) ct_manager_flush_deaths(manager);
    if (state->pass == CT_STATE_COMMIT)
        ct_manager_release_rows(manager, (ct_row){0}, ct_store_count(&manager->store));
    ct_store_state(&manager->store, state);
    if (state->pass == CT_STATE_COMMIT) {
        retain_rows(manager, state);
        manager->deaths_seen = manager->store.entities->tail;
    }
    if (type->state != NULL) type->state(manager, state);
}

static void add_string(ct_hash_sum *hash, const ct_string_pool *pool, ct_string string) {
    ct_hash_add(hash, ct_string_pool_text(pool, string).length);
    if (string.ref != 0) ct_hash_add(hash, pool->entries[string.ref].hash);
}

// Adds the numbers of an item by value, independent of byte order.
static void add_item(ct_hash_sum *hash, const ct_field_info *info, const unsigned char *item) {
    uint16_t two;
    uint64_t eight;
    if (CT_LIKELY(info->lane_bytes == 4)) {
        ct_hash_add_words(hash, item, info->lanes);
        return;
    }
    for (uint32_t lane = 0; lane < info->lanes; ++lane, item += info->lane_bytes) {
        switch (info->lane_bytes) {
        case 1: ct_hash_add(hash, *item); break;
        case 2:
            memcpy(&two, item, sizeof two);
            ct_hash_add(hash, two);
            break;
        default: memcpy(&eight, item, sizeof eight); ct_hash_add(hash, eight);
        }
    }
}

static void add_row(ct_hash_sum *hash, ct_manager *manager, ct_row row) {
    uint32_t id = ct_store_id(&manager->store, row);
    if ((id & CT_ID_IS_STRING) != 0)
        add_string(hash, manager->strings, (ct_string){id & ~CT_ID_IS_STRING});
    else
        ct_hash_add(hash, id);
    if (manager->type->hash != NULL) ct_hash_add(hash, manager->type->hash(manager, row));
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        const ct_field *field = &manager->fields[f];
        const ct_field_info *info = ct_field_info_of(field->type);
        if (!ct_field_is_stored(field) || field->type == CT_FIELD_VALUE) continue;
        const void *item = ct_manager_item(manager, field, row);
        if (field->type == CT_FIELD_STRING)
            add_string(hash, manager->strings, *(const ct_string *)item);
        else
            add_item(hash, info, item);
    }
}

// The components of an entity are hashed in creation order. The hashes of entities are added, so
// their order does not matter.
uint64_t ct_manager_hash(ct_manager *manager) {
    const ct_store *store = &manager->store;
    uint64_t sum = store->multiple ? store->last_number : 0;
    ct_manager_flush_deaths(manager);
    for (uint32_t i = 0; i < ct_store_count(store); ++i) {
        ct_entity owner = ct_store_owners(store)[i];
        ct_row row = {i};
        ct_hash_sum hash = {0, 0};
        if (!ct_store_is_first(store, i) || !ct_entity_manager_alive(store->entities, owner))
            continue;
        for (; row.i != CT_NO_ROW; row = ct_store_next(store, row))
            add_row(&hash, manager, row);
        sum += ct_hash_mix(ct_hash_mix(manager->identifier, owner.id), hash.sum);
    }
    return ct_hash_mix(manager->identifier, sum);
}

// Checks a value. Rows of dead entities must not hold values that the host keeps, because those
// were released at the death.
static bool validate_value(const ct_manager *manager, const ct_field *field, uint32_t row,
                           ct_message *message) {
    const ct_store *store = &manager->store;
    ct_value value = *(const ct_value *)ct_manager_item(manager, field, (ct_row){row});
    if (value.slot == 0) return true;
    if (!ct_value_pool_has(manager->values, value))
        return ct_message_set(message, "%s: %s of row %u is a released value", manager->name,
                              field->name, row);
    return ct_value_pool_bytes_of(manager->values, value).bytes != NULL ||
           ct_entity_manager_alive_or_dying(store->entities, ct_store_owners(store)[row]) ||
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
            return ct_message_set(message, "%s: %s of row %u is a freed string", manager->name,
                                  field->name, row);
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
        ct_string_audit_add(audit, ct_manager_id_string(manager, (ct_row){row}));
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
