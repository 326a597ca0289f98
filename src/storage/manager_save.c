// Writing of the components of one manager to a save.
#include "storage/manager_save.h"

#include "base/message.h"

// Format of a manager's part:
//
//     text name, u32 1 if an entity may have several, u32 rows, u32 last number, u64 random state
//     u32 bytes, what its type keeps beside its fields
//     rows x u32 owner; rows x u32 id, where an entity may have several
//     u32 fields; each: text name, text type, u32 labels, a text each, u32 bytes, its items
//
// Strings are numbers in the world's list; values are texts with their bytes.

static uint32_t string_number(ct_save_out *out, uint32_t string) {
    if (string == 0) return 0;
    if (out->numbers[string] == 0) {
        out->numbers[string] = out->string_count;
        out->strings[out->string_count++] = string;
    }
    return out->numbers[string];
}

static uint32_t id_number(ct_save_out *out, uint32_t id) {
    if ((id & CT_ID_IS_STRING) == 0) return id;
    return CT_ID_IS_STRING | string_number(out, id & ~CT_ID_IS_STRING);
}

// Lists the living rows of a 'multiple' store. The rows of an entity are in the same places, but in
// creation order.
static void list_several(const ct_store *store, ct_saved_rows *saved, uint32_t *rows) {
    uint32_t *next = saved->place; // by first row of an entity: its row to be listed next
    for (uint32_t i = 0; i < ct_store_count(store); ++i) {
        uint32_t first = ct_store_find(store, ct_store_owners(store)[i]).i;
        if (first == CT_NO_ROW) continue;
        ct_row row = {next[first] != CT_NO_ROW ? next[first] : first};
        rows[saved->count++] = row.i;
        next[first] = ct_store_next(store, row).i;
    }
}

static ct_status list_rows(const ct_store *store, ct_arena *arena, ct_saved_rows *saved) {
    uint32_t count = ct_store_count(store);
    uint32_t *rows = ct_arena_take(arena, (count + (size_t)1) * sizeof *rows);
    *saved = (ct_saved_rows){rows, ct_arena_take(arena, (count + (size_t)1) * sizeof *rows), 0};
    if (rows == NULL || saved->place == NULL) return CT_ERR_MEMORY;
    memset(saved->place, 0xFF, count * sizeof *rows);
    if (store->multiple) {
        list_several(store, saved, rows);
        memset(saved->place, 0xFF, count * sizeof *rows);
    } else {
        for (uint32_t i = 0; i < count; ++i) {
            if (ct_entity_manager_alive(store->entities, ct_store_owners(store)[i]))
                rows[saved->count++] = i;
        }
    }
    for (uint32_t i = 0; i < saved->count; ++i)
        saved->place[rows[i]] = i;
    return CT_OK;
}

// Writes consecutive rows together; usually all rows are consecutive.
static void write_items(const unsigned char *items, uint32_t lane_bytes, uint32_t lanes,
                        const ct_saved_rows *saved, ct_writer *writer) {
    for (uint32_t i = 0, end; i < saved->count; i = end) {
        for (end = i + 1; end < saved->count && saved->rows[end] == saved->rows[end - 1] + 1;)
            end++;
        ct_writer_numbers(writer, items + (size_t)saved->rows[i] * lane_bytes * lanes, lane_bytes,
                          (end - i) * lanes);
    }
}

// Writes strings, or ids, which may be strings, as their numbers in the save.
static void write_numbers(const uint32_t *items, bool ids, const ct_saved_rows *saved,
                          ct_save_out *out) {
    unsigned char *at = ct_writer_bytes(out->writer, NULL, saved->count * 4);
    for (uint32_t i = 0; i < saved->count && at != NULL; ++i) {
        uint32_t item = items[saved->rows[i]];
        uint32_t number = ids ? id_number(out, item) : string_number(out, item);
        memcpy(at + (size_t)i * 4, &number, 4);
    }
    if (at != NULL && out->writer->swap) ct_swap_numbers(at, 4, saved->count);
}

bool ct_save_value_bytes(const ct_manager *manager, ct_value value, const ct_save_values *values,
                         ct_text *bytes) {
    *bytes = (ct_text){"", 0};
    if (value.slot == 0) return true;
    ct_text own = ct_value_pool_bytes_of(manager->values, value);
    if (own.bytes != NULL) {
        *bytes = own;
        return true;
    }
    if (values == NULL || value.slot == values->refused) return false;
    if (value.slot >= values->count) return values->refused != 0;
    if (values->bytes[value.slot].bytes != NULL) *bytes = values->bytes[value.slot];
    return true;
}

static ct_status write_values(const ct_manager *manager, const ct_field *field,
                              const ct_saved_rows *saved, ct_save_out *out, ct_message *message) {
    const ct_value *items = ct_manager_item(manager, field, (ct_row){0});
    uint32_t at = out->writer->count;
    ct_text bytes;
    ct_writer_u32(out->writer, 0);
    for (uint32_t i = 0; i < saved->count; ++i) {
        uint32_t row = saved->rows[i];
        if (!ct_save_value_bytes(manager, items[row], out->values, &bytes)) {
            ct_entity e = ct_store_owners(&manager->store)[row];
            const char *reason = out->values != NULL ? out->values->reason : NULL;
            ct_message_set(message, "%s.%s.%s of entity(%u:%u): %s", out->world, manager->name,
                           field->name, ct_entity_index(e), ct_entity_generation(e),
                           reason != NULL ? reason : "the host keeps the value");
            return CT_ERR_DATA;
        }
        ct_writer_text(out->writer, bytes);
    }
    ct_writer_patch_u32(out->writer, at, out->writer->count - at - 4);
    return CT_OK;
}

static ct_status write_field(const ct_manager *manager, const ct_field *field,
                             const ct_saved_rows *saved, ct_save_out *out, ct_message *message) {
    const ct_field_info *info = ct_field_info_of(field->type);
    ct_writer *writer = out->writer;
    const void *items = ct_manager_item(manager, field, (ct_row){0});
    ct_writer_name(writer, field->name);
    ct_writer_name(writer, info->name);
    ct_writer_u32(writer, field->label_count);
    for (uint32_t i = 0; i < field->label_count; ++i)
        ct_writer_text(writer, field->labels[i]);
    if (field->type == CT_FIELD_VALUE) return write_values(manager, field, saved, out, message);
    ct_writer_u32(writer, saved->count * info->bytes);
    if (field->type == CT_FIELD_STRING)
        write_numbers(items, false, saved, out);
    else
        write_items(items, info->lane_bytes, info->lanes, saved, writer);
    return CT_OK;
}

static ct_status write_fields(const ct_manager *manager, const ct_saved_rows *saved,
                              ct_save_out *out, ct_message *message) {
    ct_status status = CT_OK;
    uint32_t kept = 0;
    for (uint32_t f = 0; f < manager->field_count; ++f)
        kept += ct_field_is_stored(&manager->fields[f]);
    ct_writer_u32(out->writer, kept);
    for (uint32_t f = 0; f < manager->field_count && status == CT_OK; ++f) {
        if (ct_field_is_stored(&manager->fields[f]))
            status = write_field(manager, &manager->fields[f], saved, out, message);
    }
    return status;
}

static ct_status write_rest(ct_manager *manager, const ct_saved_rows *saved, ct_writer *writer,
                            ct_message *message) {
    uint32_t at = writer->count;
    ct_status status = CT_OK;
    ct_writer_u32(writer, 0);
    if (manager->type->save != NULL) status = manager->type->save(manager, saved, writer, message);
    ct_writer_patch_u32(writer, at, writer->count - at - 4);
    return status;
}

ct_status ct_manager_write_save(ct_manager *manager, ct_save_out *out, ct_message *message) {
    ct_store *store = &manager->store;
    ct_writer *writer = out->writer;
    ct_saved_rows saved;
    ct_manager_flush_deaths(manager);
    ct_arena_reset(out->arena);
    ct_status status = list_rows(store, out->arena, &saved);
    if (status != CT_OK) return status;
    ct_writer_name(writer, manager->name);
    ct_writer_u32(writer, store->multiple);
    ct_writer_u32(writer, saved.count);
    ct_writer_u32(writer, store->last_number);
    ct_writer_numbers(writer, &store->random.state, 8, 1);
    status = write_rest(manager, &saved, writer, message);
    if (status != CT_OK) return status;
    write_items(store->columns.at[CT_COLUMN_OWNER], 4, 1, &saved, writer);
    if (store->multiple) write_numbers(ct_store_u32(store, CT_COLUMN_ID), true, &saved, out);
    status = write_fields(manager, &saved, out, message);
    return status == CT_OK ? writer->status : status;
}
