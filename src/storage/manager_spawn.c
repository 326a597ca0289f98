// Default creation of rows from compiled columns.
#include "base/runs.h"
#include "storage/labels.h"
#include "storage/layout.h"
#include "storage/manager.h"

#include <string.h>

// Equal strings have equal offsets, and neighbours are often equal: a small cache avoids most
// hashing.
#define REMEMBERED 64u

typedef struct interner {
    ct_string_pool *pool;
    const unsigned char *block;
    uint32_t offset[REMEMBERED];
    ct_string string[REMEMBERED];
} interner;

static ct_status intern_at(interner *in, uint32_t offset, ct_string *out) {
    uint32_t place = offset / 4 % REMEMBERED;
    if (in->offset[place] == offset) {
        *out = in->string[place];
        ct_string_pool_retain(in->pool, *out, 1);
        return CT_OK;
    }
    ct_status status = ct_string_pool_intern(in->pool, ct_text_stored(in->block, offset), out);
    if (status != CT_OK) return status;
    in->offset[place] = offset;
    in->string[place] = *out;
    return CT_OK;
}

static ct_status spawn_strings(interner *in, const unsigned char *from, ct_string *to,
                               uint32_t count) {
    for (uint32_t i = 0, run; i < count; i += run) {
        uint32_t offset = ct_u32_at(from, i);
        ct_status status = intern_at(in, offset, &to[i]);
        if (status != CT_OK) {
            ct_string_pool_release_all(in->pool, to, i);
            return status;
        }
        // A run of equal strings needs only one update of the count.
        run = ct_u32_run(from + (size_t)i * 4, count - i, 0);
        const ct_string string = to[i];
        for (uint32_t k = i + 1; k < i + run; ++k)
            to[k] = string;
        ct_string_pool_retain(in->pool, to[i], run - 1);
    }
    return CT_OK;
}

static void spawn_entities(const ct_spawn *spawn, const unsigned char *from, ct_entity *to) {
    const ct_entity *meant = spawn->meant != NULL ? spawn->meant : spawn->entity_lookup;
    for (uint32_t i = 0; i < spawn->num_instances; ++i) {
        uint32_t index = ct_u32_at(from, i);
        uint32_t id = index == CT_NOBODY ? CT_NOBODY : meant[index].id;
        to[i].id = id | (0u - (id >> 31)); // CT_NOBODY if the top bit is set
    }
}

// Translates labels to their numbers in the field; all labels are known to exist.
static void spawn_labels(const interner *in, const ct_field *field, const unsigned char *from,
                         unsigned char *to, uint32_t count) {
    uint32_t last = 1; // not an offset, which is a multiple of 4
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t offset = ct_u32_at(from, i);
        to[i] = i > 0 ? to[i - 1] : 0;
        if (offset == last) continue;
        uint32_t number = ct_labels_find(field, ct_text_stored(in->block, offset), NULL);
        CT_ASSERT(number < field->label_count);
        to[i] = (unsigned char)number;
        last = offset;
    }
}

// Each row gets a separate slot, because each needs a separate decoded value.
static ct_status spawn_values(ct_value_pool *pool, interner *in, const unsigned char *from,
                              ct_value *to, uint32_t count) {
    ct_status status = ct_value_pool_reserve(pool, count);
    for (uint32_t i = 0; i < count && status == CT_OK; ++i) {
        ct_string bytes;
        status = intern_at(in, ct_u32_at(from, i), &bytes);
        if (status == CT_OK) {
            to[i] = ct_value_pool_put_string(pool, bytes);
            continue;
        }
        while (i-- > 0)
            ct_value_pool_release(pool, to[i]);
        return status;
    }
    return status;
}

static ct_status spawn_field(ct_manager *manager, const ct_spawn *spawn, interner *in,
                             const ct_field *field, const unsigned char *from, ct_row first) {
    void *to = ct_manager_item(manager, field, first);
    if (field->type == CT_FIELD_STRING) return spawn_strings(in, from, to, spawn->num_instances);
    if (field->type == CT_FIELD_VALUE)
        return spawn_values(manager->values, in, from, to, spawn->num_instances);
    if (field->type == CT_FIELD_ENTITY)
        spawn_entities(spawn, from, to);
    else if (field->type == CT_FIELD_ENUM)
        spawn_labels(in, field, from, to, spawn->num_instances);
    else
        memcpy(to, from, (size_t)spawn->num_instances * ct_field_info_of(field->type)->bytes);
    return CT_OK;
}

// Issues numbers to instances without an id, above all given numbers.
static ct_status spawn_numbers(ct_store *store, uint32_t *ids, uint32_t count) {
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < count; ++i)
        if ((ids[i] & CT_ID_IS_STRING) == 0) ct_store_note_numbers(store, ids[i]);
    for (uint32_t i = 0; i < count && status == CT_OK; ++i)
        if (ids[i] == 0) status = ct_store_next_number(store, &ids[i]);
    return status;
}

// Issues a number to each row if no row has an id, which is usual. Returns false without a change
// otherwise.
static bool spawn_numbers_only(ct_store *store, uint32_t *ids, uint32_t count) {
    uint32_t last = store->last_number;
    if (ids[0] != 0 || ct_u32_run(ids, count, 0) < count || count > CT_LAST_NUMBER - last)
        return false;
    for (uint32_t i = 0; i < count; ++i)
        ids[i] = last + 1 + i;
    store->last_number = last + count;
    return true;
}

// Copies ids without a search: they were checked to be different, and a new entity has no other
// components, so none is in the index.
static ct_status spawn_ids(ct_manager *manager, const ct_spawn *spawn, interner *in, ct_row first) {
    uint32_t *ids = ct_store_u32(&manager->store, CT_COLUMN_ID) + first.i;
    memcpy(ids, spawn->data, (size_t)spawn->num_instances * 4);
    if (spawn_numbers_only(&manager->store, ids, spawn->num_instances)) return CT_OK;
    ct_status status = spawn_numbers(&manager->store, ids, spawn->num_instances);
    if (status != CT_OK) return status;
    for (uint32_t i = 0; i < spawn->num_instances; ++i) {
        if ((ids[i] & CT_ID_IS_STRING) == 0) continue;
        ct_string string;
        status = intern_at(in, ids[i] & ~CT_ID_IS_STRING, &string);
        if (status == CT_OK) {
            ids[i] = CT_ID_IS_STRING | string.ref;
            continue;
        }
        ct_manager_release_ids(manager, first, i);
        return status;
    }
    return CT_OK;
}

ct_status ct_manager_spawn_rows(ct_manager *manager, const ct_spawn *spawn, ct_row *first) {
    return ct_store_add_listed(&manager->store, spawn->entity_lookup, spawn->entity_index,
                               spawn->num_instances, first);
}

// Fills field 'f' from its column in the data, or with its default if the data lacks it.
static ct_status spawn_column(ct_manager *manager, const ct_spawn *spawn, interner *in, uint32_t f,
                              const ct_layout_places *places, ct_row first) {
    const ct_field *field = &manager->fields[f];
    const ct_layout *layout = spawn->layout;
    if (layout != NULL) {
        f = ct_field_find(layout->fields, layout->field_count, field->name, NULL);
        if (f == layout->field_count) {
            ct_manager_fill_default(manager, field, first, spawn->num_instances);
            return CT_OK;
        }
    }
    return spawn_field(manager, spawn, in, field, spawn->data + places->field[f], first);
}

static ct_status spawn_fields(ct_manager *manager, const ct_spawn *spawn, interner *in,
                              const ct_layout_places *places, ct_row first) {
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        ct_status status = spawn_column(manager, spawn, in, f, places, first);
        if (status == CT_OK) continue;
        while (f-- > 0)
            ct_manager_release_items(manager, &manager->fields[f], first, spawn->num_instances);
        return status;
    }
    return ct_manager_rows_created(manager, first, spawn->num_instances);
}

ct_status ct_manager_spawn_columns(ct_manager *manager, const ct_spawn *spawn) {
    ct_layout layout = spawn->layout != NULL ? *spawn->layout : manager->shape->layout;
    ct_layout_places places;
    if (!ct_layout_place(&layout, spawn->num_instances, &places)) return CT_ERR_DATA;
    ct_row first;
    ct_status status = ct_manager_spawn_rows(manager, spawn, &first);
    if (status != CT_OK || spawn->num_instances == 0) return status;

    interner in;
    in.pool = manager->strings;
    in.block = spawn->data + places.strings;
    memset(in.offset, 0xFF, sizeof in.offset); // not an offset, which is a multiple of 4
    if (layout.multiple) status = spawn_ids(manager, spawn, &in, first);
    if (status == CT_OK) {
        status = spawn_fields(manager, spawn, &in, &places, first);
        if (status != CT_OK && layout.multiple)
            ct_manager_release_ids(manager, first, spawn->num_instances);
    }
    if (status != CT_OK) ct_store_rollback(&manager->store, spawn->num_instances);
    return status;
}

ct_status ct_manager_spawn(ct_manager *manager, const ct_spawn *spawn) {
    uint64_t begun = ct_work_begin(&manager->timings);
    ct_status status = manager->type->spawn != NULL ? manager->type->spawn(manager, spawn)
                                                    : ct_manager_spawn_columns(manager, spawn);
    ct_work_end(&manager->timings, CT_WORK_SPAWN, begun);
    return status;
}
