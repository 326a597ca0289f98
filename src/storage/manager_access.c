// Checked field access for scripts, plugins and compiled loops.
#include "storage/manager_access.h"

#include "base/math.h"
#include "base/message.h"

#include <string.h>

bool ct_manager_check_required(const ct_manager *manager, const ct_values *values,
                               ct_message *message) {
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        if (manager->inputs[i].required && values[i].items == NULL)
            return ct_message_set(message, "%s: required", manager->inputs[i].name);
    }
    return true;
}

bool ct_manager_check_values(const ct_manager *manager, const ct_values *values, uint32_t count,
                             bool whole, ct_message *message) {
    const ct_manager_type *type = manager->type;
    if (whole && !ct_manager_check_required(manager, values, message)) return false;
    if (type->check != NULL && !type->check(manager, values, count, message)) return false;
    return !whole || !ct_manager_gives_late(manager, values) ||
           type->check_assign(manager, (ct_row){CT_NO_ROW}, values, count, message);
}

static ct_status assign_late(ct_manager *manager, ct_row first, uint32_t count,
                             const ct_values *values) {
    ct_values late[CT_MAX_COLUMNS];
    ct_status status = CT_OK;
    memset(late, 0, sizeof late);
    for (uint32_t i = 0; i < count && status == CT_OK; ++i) {
        for (uint32_t n = manager->input_count; n < ct_manager_all_inputs(manager); ++n)
            late[n].items = ct_values_item(&values[n], i);
        status = ct_manager_assign_late(manager, (ct_row){first.i + i}, late);
    }
    return status;
}

ct_status ct_manager_create_whole(ct_manager *manager, const ct_entity *owners, uint32_t count,
                                  const ct_values *values, const ct_component_id *ids,
                                  ct_row *first) {
    ct_status status = ct_manager_create(manager, owners, count, values, ids, first);
    if (status != CT_OK || values == NULL || !ct_manager_gives_late(manager, values)) return status;
    status = assign_late(manager, *first, count, values);
    if (status != CT_OK) ct_manager_rollback(manager, count);
    return status;
}

void ct_manager_input_default(const ct_manager *manager, uint32_t input, void *item) {
    const ct_field *field = &manager->inputs[input];
    ct_string preset = {0};
    if (field->type == CT_FIELD_VALUE) {
        memset(item, 0, sizeof(ct_text));
        return;
    }
    if (field->type != CT_FIELD_STRING) {
        ct_field_default(field, item);
        return;
    }
    if (field->preset != NULL) memcpy(&preset, field->preset, sizeof preset);
    const ct_text text = ct_string_pool_text(manager->strings, preset);
    memcpy(item, &text, sizeof text);
}

bool ct_manager_check_item(const ct_manager *manager, uint32_t field, const void *item,
                           ct_message *message) {
    ct_values values[CT_MAX_COLUMNS];
    const ct_manager_type *type = manager->type;
    if (manager->fields[field].of_cells)
        return ct_message_set(message, "%s is changed by 'set', with all values that go with it",
                              manager->fields[field].name);
    if (manager->fields[field].affine && !ct_mat4_is_affine(item))
        return ct_message_set(message, CT_AFFINE_MESSAGE);
    if (type->check == NULL || manager->inputs != manager->fields) return true;
    memset(values, 0, manager->input_count * sizeof *values);
    values[field].items = item;
    return type->check(manager, values, 1, message);
}

bool ct_manager_refused_message(const ct_manager *manager, ct_row row, const char *what,
                                ct_status status, ct_message *message) {
    ct_entity owner = ct_store_owners(&manager->store)[row.i];
    return ct_message_set(message, "%s: %s entity(%u:%u)", what,
                          status == CT_ERR_CYCLE ? "cycle: would be below itself:"
                                                 : "not a value for",
                          ct_entity_index(owner), ct_entity_generation(owner));
}

bool ct_manager_exists_message(const ct_manager *manager, ct_entity owner,
                               const ct_component_id *id, ct_message *message) {
    ct_message what = {""};
    char text[81];
    if (id != NULL && id->text.bytes == NULL)
        ct_message_set(&what, " with id %u", id->number);
    else if (id != NULL)
        ct_message_set(&what, " with id '%s'", ct_message_text(id->text, text, sizeof text));
    return ct_message_set(message, "entity(%u:%u) already has a %s%s", ct_entity_index(owner),
                          ct_entity_generation(owner), manager->name, what.text);
}

bool ct_manager_full_message(const ct_manager *manager, ct_message *message) {
    const char *what;
    uint32_t limit = ct_manager_limit(manager, &what);
    return ct_message_set(message, "%s is full (%u %s)", manager->name, limit, what);
}

bool ct_manager_is_open(ct_manager *manager, uint32_t field) {
    return !manager->fields[field].in_place || *manager->marks->open != 0;
}

// Marks a row after a direct write to its item.
static void mark(ct_manager *manager, uint32_t field, ct_row row) {
    const ct_column_marks marks = ct_manager_marks(manager, field);
    CT_ASSERT(*marks.open != 0);
    ct_column_mark(&marks, row);
}

ct_status ct_manager_write_item(ct_manager *manager, uint32_t field, ct_row row, const void *item) {
    const ct_field *f = &manager->fields[field];
    if (!f->in_place) return ct_manager_write(manager, field, row, item);
    memcpy(ct_manager_item(manager, f, row), item, ct_field_info_of(f->type)->bytes);
    mark(manager, field, row);
    return CT_OK;
}

ct_status ct_manager_write_lane(ct_manager *manager, uint32_t field, ct_row row, uint32_t lane,
                                double value) {
    const ct_field *f = &manager->fields[field];
    const ct_field_info *info = ct_field_info_of(f->type);
    unsigned char *item = ct_manager_item(manager, f, row), copy[CT_MAX_ITEM_BYTES];
    // A type with 'write' gets a copy of the whole item.
    if (manager->type->write != NULL && !f->in_place) item = memcpy(copy, item, info->bytes);
    if (!ct_scalar_store(info->lane, value, item + lane * info->lane_bytes)) return CT_ERR_DATA;
    if (item == copy) return manager->type->write(manager, field, row, copy);
    if (f->in_place) mark(manager, field, row);
    return CT_OK;
}

void ct_manager_read_numbers(ct_manager *manager, uint32_t field, ct_row row, double *numbers) {
    ct_field_type type = manager->fields[field].type;
    const unsigned char *item = ct_manager_read(manager, field, row);
    const ct_field_info *info = ct_field_info_of(type);
    if (CT_LIKELY(info->lane == CT_SCALAR_FLOAT)) { // the most common types
        for (uint32_t i = 0; i < info->lanes; ++i)
            numbers[i] = ct_float_clean(((const float *)(const void *)item)[i]);
        return;
    }
    for (uint32_t i = 0; i < info->lanes; ++i) {
        double number = ct_scalar_load(info->lane, item + i * info->lane_bytes);
        ct_scalar_store(CT_SCALAR_DOUBLE, number, &numbers[i]); // cleans NaNs
    }
}

// Returns false, with the item unchanged, if the field cannot hold the number. This happens only to
// fields of one number, because vectors have floats or doubles.
static bool store_numbers(const ct_field *field, const double *numbers, unsigned char *item) {
    const ct_field_info *info = ct_field_info_of(field->type);
    for (uint32_t i = 0; i < info->lanes; ++i) {
        if (!ct_scalar_store(info->lane, numbers[i], item + i * info->lane_bytes)) return false;
    }
    return true;
}

ct_status ct_manager_write_numbers(ct_manager *manager, uint32_t field, ct_row row,
                                   const double *numbers) {
    const ct_field *f = &manager->fields[field];
    // Without rules about values, the numbers are stored in the column.
    if (manager->type->write == NULL && manager->type->check == NULL && !f->affine && !f->of_cells)
        return store_numbers(f, numbers, ct_manager_item(manager, f, row)) ? CT_OK : CT_ERR_DATA;
    unsigned char item[CT_MAX_ITEM_BYTES] = {0};
    if (!store_numbers(f, numbers, item)) return CT_ERR_DATA;
    ct_message message;
    if (!ct_manager_check_item(manager, field, item, &message)) return CT_ERR_DATA;
    return ct_manager_write(manager, field, row, item);
}

// Returns the address of the lower half of a counter.
static const uint32_t *low_word(const uint64_t *counter) {
    return (const uint32_t *)(const void *)counter + ct_host_is_big_endian();
}

ct_column_window ct_manager_window(ct_manager *manager, uint32_t field) {
    const ct_store *store = &manager->store;
    const ct_field *f = &manager->fields[field];
    bool waits = manager->type->flush_deaths != NULL;
    ct_column_window window = {
        .data = f->computed ? NULL : &store->columns.at[f->column],
        .moves = &store->columns.moves,
        .count = &store->columns.count,
        .epoch = &store->epoch,
        .deaths_seen = waits ? low_word(&manager->deaths_seen) : NULL,
        .deaths = waits ? low_word(&store->entities->tail) : NULL,
        .stride = store->columns.width[f->column],
    };
    if (f->in_place) window.marks = ct_manager_marks(manager, field);
    return window;
}
