// Copy of the rows of a manager to a manager with other fields.
#include "storage/migration.h"

#include "base/message.h"
#include "storage/labels.h"

#include <string.h>

// Returns the field with the same name and type, or NULL.
static const ct_field *find_like(const ct_manager *manager, const ct_field *field) {
    uint32_t f = ct_manager_find_field(manager, field->name);
    bool found = f < manager->field_count && manager->fields[f].type == field->type;
    return found ? &manager->fields[f] : NULL;
}

bool ct_migration_check(const ct_manager *from, const ct_manager *to, ct_message *message) {
    const ct_store *store = &from->store;
    if (!store->multiple || to->store.multiple) return true;
    const uint32_t *next = ct_store_u32(store, CT_COLUMN_NEXT);
    for (uint32_t row = 0; row < ct_store_count(store); ++row) {
        ct_entity owner = ct_store_owners(store)[row];
        if (next[row] == CT_NO_ROW) continue;
        return ct_message_set(message,
                              "entity(%u:%u) has several %s, one is allowed then: destroy the "
                              "others first",
                              ct_entity_index(owner), ct_entity_generation(owner), from->name);
    }
    return true;
}

ct_status ct_migration_reserve(ct_manager *to, const ct_manager *from) {
    ct_store *store = &to->store;
    uint32_t rows = ct_store_count(&from->store);
    CT_ASSERT(ct_store_count(store) == 0);
    ct_status status = ct_columns_reserve(&store->columns, store->allocator, rows, CT_MAX_ROWS);
    if (status != CT_OK) return status;
    return ct_entity_map_reserve_all(&store->map, store->allocator, ct_store_owners(store),
                                     ct_store_owners(&from->store), rows);
}

// Maps the numbers of the old labels to the new numbers; dropped labels to the default.
static void map_labels(const ct_field *from, const ct_field *to, unsigned char out[CT_MAX_LABELS]) {
    unsigned char preset[CT_MAX_ITEM_BYTES];
    ct_field_default(to, preset);
    for (uint32_t label = 0; label < from->label_count; ++label) {
        uint32_t now = ct_labels_find(to, from->labels[label], NULL);
        out[label] = now < to->label_count ? (unsigned char)now : preset[0];
    }
}

static void take_labels(const ct_manager *from, const ct_field *old, const ct_field *now,
                        unsigned char *to, uint32_t rows) {
    unsigned char numbers[CT_MAX_LABELS] = {0};
    const unsigned char *labels = ct_manager_item(from, old, (ct_row){0});
    map_labels(old, now, numbers);
    for (uint32_t row = 0; row < rows; ++row)
        to[row] = numbers[labels[row]];
}

static void take_column(ct_manager *to, const ct_manager *from, const ct_field *field,
                        uint32_t rows) {
    const ct_row first = {0};
    const ct_field *old = find_like(from, field);
    if (old == NULL) {
        ct_manager_fill_default(to, field, first, rows);
        return;
    }
    void *column = ct_manager_item(to, field, first);
    if (field->type == CT_FIELD_ENUM) {
        take_labels(from, old, field, column, rows);
        return;
    }
    memcpy(column, ct_manager_item(from, old, first),
           (size_t)rows * ct_field_info_of(field->type)->bytes);
    if (field->type == CT_FIELD_STRING) ct_string_pool_retain_all(to->strings, column, rows);
    const ct_value *values = column;
    for (uint32_t row = 0; field->type == CT_FIELD_VALUE && row < rows; ++row)
        ct_value_pool_retain(to->values, values[row], 1);
}

void ct_migration_commit(ct_manager *to, const ct_manager *from) {
    ct_store_take_rows(&to->store, &from->store);
    uint32_t rows = ct_store_count(&to->store);
    if (rows == 0) return;
    for (ct_row row = {0}; to->store.multiple && row.i < rows; ++row.i)
        ct_string_pool_retain(to->strings, ct_manager_id_string(to, row), 1);
    for (uint32_t f = 0; f < to->field_count; ++f)
        take_column(to, from, &to->fields[f], rows);
}

static bool is_used(const ct_manager *manager, const ct_field *field, uint32_t label) {
    const unsigned char *labels = ct_manager_item(manager, field, (ct_row){0});
    uint32_t rows = ct_store_count(&manager->store);
    return rows > 0 && memchr(labels, (int)label, rows) != NULL;
}

static bool label_dropped(const ct_manager *from, const ct_field *old, const ct_field *now,
                          uint32_t label, ct_message *message) {
    if (ct_labels_find(now, old->labels[label], NULL) < now->label_count ||
        !is_used(from, old, label))
        return false;
    ct_message_set(message, "%s.%s: label '%s' is gone", from->name, old->name,
                   old->labels[label].bytes);
    return true;
}

// Describes dropped data of a field. 'part' 0 is the field itself, n is label n - 1.
static bool dropped(const ct_manager *from, const ct_manager *to, const ct_field *old,
                    uint32_t part, ct_message *message) {
    uint32_t f = ct_manager_find_field(to, old->name);
    const char *was = ct_field_info_of(old->type)->name;
    if (f < to->field_count && to->fields[f].type == old->type)
        return part > 0 && label_dropped(from, old, &to->fields[f], part - 1, message);
    if (part > 0) return false;
    if (f == to->field_count)
        ct_message_set(message, "%s.%s is gone (%s)", from->name, old->name, was);
    else
        ct_message_set(message, "%s.%s was %s, is %s", from->name, old->name, was,
                       ct_field_info_of(to->fields[f].type)->name);
    return true;
}

bool ct_migration_dropped(const ct_manager *from, const ct_manager *to, uint32_t *place,
                          ct_message *message) {
    enum { PARTS = CT_MAX_LABELS + 1 };
    for (; *place < from->field_count * PARTS; ++*place) {
        const ct_field *old = &from->fields[*place / PARTS];
        uint32_t part = *place % PARTS;
        if (part <= old->label_count && dropped(from, to, old, part, message)) {
            ++*place;
            return true;
        }
    }
    if (*place > from->field_count * PARTS || !from->store.multiple || to->store.multiple)
        return false;
    ++*place;
    ct_message_set(message, "%s: ids are gone", from->name);
    return true;
}
