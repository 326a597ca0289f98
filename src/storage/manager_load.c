// Reading of the components of one manager from a save, which may contain any bytes.
#include "base/message.h"
#include "storage/labels.h"
#include "storage/manager_access.h"
#include "storage/manager_save.h"
#include "storage/value_bytes.h"

ct_status ct_save_refuse(ct_message *message) {
    ct_message_set(message, "the save is damaged");
    return CT_ERR_DATA;
}

// Records data that did not fit.
static void add_note(const ct_save_in *in, const char *name, const char *field, const char *what) {
    ct_message note;
    ct_message_set(&note, "%s.%s%s%s: %s", in->world, name, field != NULL ? "." : "",
                   field != NULL ? field : "", what);
    ct_writer_bytes(in->notes, note.text, (uint32_t)strlen(note.text) + 1);
}

// Data of a manager that precedes its fields.
typedef struct head {
    const char *name;
    uint32_t rows, last_number;
    uint64_t random;
    bool multiple;
    const unsigned char *owners, *ids;
    ct_manager *manager; // NULL: not defined any more
} head;

static bool read_head(ct_save_in *in, head *h, ct_reader *rest) {
    ct_reader *reader = &in->reader;
    h->name = ct_reader_text(reader).bytes;
    h->multiple = ct_reader_u32(reader) != 0;
    h->rows = ct_reader_u32(reader);
    h->last_number = ct_reader_u32(reader);
    ct_reader_numbers(reader, 8, 1, &h->random);
    *rest = ct_reader_part(reader, ct_reader_u32(reader));
    h->owners = ct_reader_bytes(reader, (uint64_t)h->rows * 4);
    h->ids = ct_reader_bytes(reader, h->multiple ? (uint64_t)h->rows * 4 : 0);
    return !reader->damaged && h->rows <= CT_MAX_ROWS && h->last_number <= CT_LAST_NUMBER;
}

// ---------------------------------------------------------------- owners and ids

static const ct_entity *read_owners(const head *h, const ct_save_in *in) {
    ct_entity *owners = ct_arena_take(in->arena, (h->rows + (size_t)1) * sizeof *owners);
    if (owners != NULL) ct_reader_copy(h->owners, 4, h->rows, owners);
    return owners;
}

static bool are_alive(const ct_manager *manager, const ct_entity *owners, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (!ct_entity_manager_alive(manager->store.entities, owners[i])) return false;
    }
    return true;
}

static ct_status read_ids(const head *h, const ct_save_in *in, ct_component_id **out) {
    *out = ct_arena_take(in->arena, (h->rows + (size_t)1) * sizeof **out);
    if (*out == NULL) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < h->rows; ++i) {
        uint32_t id, string;
        ct_reader_copy(h->ids + (size_t)i * 4, 4, 1, &id);
        string = id & ~CT_ID_IS_STRING;
        if (string == 0 || (string != id && string >= in->string_count)) return CT_ERR_DATA;
        (*out)[i] = string == id ? (ct_component_id){id, {NULL, 0}}
                                 : (ct_component_id){0, in->strings[string]};
    }
    return CT_OK;
}

// ---------------------------------------------------------------- fields

// Field in a save.
typedef struct saved_field {
    const char *name, *type;
    ct_text labels[CT_MAX_LABELS];
    uint32_t label_count;
    ct_reader items;
} saved_field;

static bool read_field(ct_reader *reader, saved_field *field) {
    field->name = ct_reader_text(reader).bytes;
    field->type = ct_reader_text(reader).bytes;
    field->label_count = ct_reader_u32(reader);
    if (field->label_count > CT_MAX_LABELS) return false;
    for (uint32_t i = 0; i < field->label_count; ++i)
        field->labels[i] = ct_reader_text(reader);
    field->items = ct_reader_part(reader, ct_reader_u32(reader));
    return !reader->damaged;
}

static ct_status read_strings(const saved_field *field, uint32_t rows, const ct_save_in *in,
                              ct_values *out) {
    ct_text *texts = ct_arena_take(in->arena, (rows + (size_t)1) * sizeof *texts);
    if (texts == NULL) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < rows; ++i) {
        uint32_t number;
        ct_reader_copy(field->items.at + (size_t)i * 4, 4, 1, &number);
        if (number >= in->string_count) return ct_save_refuse(in->message);
        texts[i] = in->strings[number];
    }
    *out = (ct_values){texts, sizeof *texts};
    return CT_OK;
}

static ct_status read_values(const saved_field *field, uint32_t rows, const ct_save_in *in,
                             ct_values *out) {
    ct_text *texts = ct_arena_take(in->arena, (rows + (size_t)1) * sizeof *texts);
    ct_reader items = field->items;
    if (texts == NULL) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < rows; ++i) {
        texts[i] = ct_reader_text(&items);
        if (!ct_value_bytes_valid(texts[i])) items.damaged = true;
    }
    *out = (ct_values){texts, sizeof *texts};
    return items.damaged || items.at != items.end ? ct_save_refuse(in->message) : CT_OK;
}

// Translates saved labels to their present numbers.
static ct_status translate(const saved_field *field, const ct_field *now, const head *h,
                           const ct_save_in *in, unsigned char *items) {
    unsigned char numbers[CT_MAX_LABELS];
    bool known[CT_MAX_LABELS];
    for (uint32_t i = 0; i < field->label_count; ++i) {
        uint32_t number = ct_labels_find(now, field->labels[i], NULL);
        known[i] = number < now->label_count;
        numbers[i] = (unsigned char)number;
    }
    for (uint32_t i = 0; i < h->rows; ++i) {
        if (items[i] >= field->label_count) return ct_save_refuse(in->message);
        if (!known[items[i]]) {
            ct_message_set(in->message, "%s.%s.%s: unknown label '%s'", in->world, h->name,
                           now->name, field->labels[items[i]].bytes);
            return CT_ERR_DATA;
        }
        items[i] = numbers[items[i]];
    }
    return CT_OK;
}

static ct_status read_items(const saved_field *field, const ct_field *now, const head *h,
                            const ct_save_in *in, ct_values *out) {
    const ct_field_info *info = ct_field_info_of(now->type);
    if (now->type == CT_FIELD_VALUE) return read_values(field, h->rows, in, out);
    size_t bytes = (size_t)(field->items.end - field->items.at);
    if (bytes != (size_t)h->rows * info->bytes) return ct_save_refuse(in->message);
    if (now->type == CT_FIELD_STRING) return read_strings(field, h->rows, in, out);
    unsigned char *items = ct_arena_take(in->arena, bytes + 1);
    if (items == NULL) return CT_ERR_MEMORY;
    ct_reader_copy(field->items.at, info->lane_bytes, h->rows * info->lanes, items);
    *out = (ct_values){items, info->bytes};
    if (now->type == CT_FIELD_ENUM) {
        ct_status status = translate(field, now, h, in, items);
        if (status != CT_OK) return status;
    }
    return ct_field_items_valid(now, out, h->rows) ? CT_OK : ct_save_refuse(in->message);
}

// Returns the field with this name, or NULL if there is none that saves contain.
static const ct_field *find_field(const ct_manager *manager, const char *name) {
    uint32_t f = ct_manager_find_field(manager, name);
    if (f == manager->field_count || !ct_field_is_stored(&manager->fields[f])) return NULL;
    return &manager->fields[f];
}

// Reads one field. 'values' is indexed by the fields of the manager.
static ct_status read_one(ct_save_in *in, const head *h, ct_values *values) {
    saved_field field;
    if (!read_field(&in->reader, &field)) return ct_save_refuse(in->message);
    if (h->manager == NULL) return CT_OK;
    const ct_field *now = find_field(h->manager, field.name);
    if (now == NULL) {
        add_note(in, h->name, field.name, "is not defined any more, dropped");
        return CT_OK;
    }
    const char *type = ct_field_info_of(now->type)->name;
    if (strcmp(type, field.type) != 0) {
        ct_message_set(in->message, "%s.%s.%s: saved as %s, defined as %s now", in->world, h->name,
                       now->name, field.type, type);
        return CT_ERR_DATA;
    }
    ct_values *own = &values[now - h->manager->fields];
    return own->items == NULL ? read_items(&field, now, h, in, own) : ct_save_refuse(in->message);
}

static ct_status read_fields(ct_save_in *in, const head *h, ct_values *values) {
    uint32_t count = ct_reader_u32(&in->reader);
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < count && status == CT_OK; ++i)
        status = read_one(in, h, values);
    for (uint32_t f = 0; h->manager != NULL && f < h->manager->field_count; ++f) {
        const ct_field *field = &h->manager->fields[f];
        if (values[f].items == NULL && ct_field_is_stored(field) && status == CT_OK)
            add_note(in, h->name, field->name, "is not in the save, has its default");
    }
    return status;
}

// ---------------------------------------------------------------- components

// Writes the saved columns directly, for managers that do not create components from their fields.
static ct_status write_columns(ct_manager *manager, const ct_values *values, uint32_t count) {
    ct_status status = CT_OK;
    for (uint32_t f = 0; f < manager->field_count && count > 0 && status == CT_OK; ++f) {
        const ct_field *field = &manager->fields[f];
        void *column = ct_manager_item(manager, field, (ct_row){0});
        if (values[f].items == NULL) continue;
        if (field->type == CT_FIELD_STRING)
            status = ct_string_pool_fill(manager->strings, column, count, &values[f]);
        else
            memcpy(column, values[f].items, (size_t)count * ct_field_info_of(field->type)->bytes);
    }
    return status;
}

static ct_status create(const head *h, const ct_save_in *in, const ct_values *values) {
    ct_manager *manager = h->manager;
    const ct_entity *owners = read_owners(h, in);
    const ct_values *inputs = manager->inputs == manager->fields ? values : ct_no_values;
    ct_component_id *ids = NULL;
    ct_message why;
    ct_row first;
    if (owners == NULL) return CT_ERR_MEMORY;
    if (!are_alive(manager, owners, h->rows)) return ct_save_refuse(in->message);
    if (h->multiple) {
        ct_status status = read_ids(h, in, &ids);
        if (status == CT_ERR_DATA) return ct_save_refuse(in->message);
        if (status != CT_OK) return status;
    }
    if (h->rows > 0 && !ct_manager_check_values(manager, inputs, h->rows, inputs == values, &why)) {
        ct_message_set(in->message, "%s.%s: %s", in->world, h->name, why.text);
        return CT_ERR_DATA;
    }
    ct_status status = ct_manager_create(manager, owners, h->rows, inputs, ids, &first);
    if (status == CT_ERR_EXISTS || status == CT_ERR_DATA) return ct_save_refuse(in->message);
    if (status != CT_OK) return status;
    if (inputs != values) status = write_columns(manager, values, h->rows);
    ct_store_note_numbers(&manager->store, h->last_number);
    manager->store.random.state = h->random;
    return status;
}

ct_status ct_manager_read_save(ct_manager *const *managers, uint32_t count, ct_save_in *in,
                               ct_save_rest *rest) {
    ct_values values[CT_MAX_COLUMNS] = {{NULL, 0}};
    head h;
    ct_arena_reset(in->arena);
    if (!read_head(in, &h, &rest->reader)) return ct_save_refuse(in->message);
    h.manager = NULL;
    for (uint32_t i = 0; i < count; ++i) {
        if (strcmp(managers[i]->name, h.name) == 0) h.manager = managers[i];
    }
    rest->manager = h.manager;
    if (h.manager == NULL) {
        add_note(in, h.name, NULL, "is not defined any more, dropped");
        return read_fields(in, &h, values);
    }
    if (h.manager->store.multiple != h.multiple) {
        ct_message_set(in->message, "%s.%s: saved as one that an entity may have %s", in->world,
                       h.name, h.multiple ? "several times" : "once");
        return CT_ERR_DATA;
    }
    ct_status status = read_fields(in, &h, values);
    return status == CT_OK ? create(&h, in, values) : status;
}

ct_status ct_manager_read_rest(ct_save_rest *rest, ct_save_in *in) {
    ct_manager *manager = rest->manager;
    if (manager == NULL) return CT_OK;
    // If inputs are not fields, columns were written unchecked, and 'load' must check them.
    if (rest->reader.at == rest->reader.end && manager->inputs == manager->fields) return CT_OK;
    if (manager->type->load == NULL) {
        add_note(in, manager->name, NULL, "keeps no data of its own any more, dropped");
        return CT_OK;
    }
    ct_status status = manager->type->load(manager, &rest->reader, in->message);
    if (status != CT_OK) return status;
    bool whole = !rest->reader.damaged && rest->reader.at == rest->reader.end;
    return whole ? CT_OK : ct_save_refuse(in->message);
}
