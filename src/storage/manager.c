// Common part of all component managers: initialization, creation, writes.
#include "base/text.h"
#include "storage/manager_one.h"

#include "base/hash.h"
#include "base/runs.h"
#include "storage/layout.h"

#include <string.h>

const ct_values ct_no_values[CT_MAX_COLUMNS] = {{NULL, 0}};

ct_manager *ct_manager_new(const ct_manager_setup *setup, const ct_manager_type *type) {
    ct_manager *manager = ct_manager_block(setup, type->shape);
    if (manager == NULL) return NULL;
    ct_manager_init(manager, setup, type, type->shape);
    if (type->init != NULL) type->init(manager);
    return manager;
}

// Returns whether the inputs of one component are the columns in order, and no function of the type
// is called for it.
static bool creates_columns(const ct_manager *manager) {
    const ct_manager_type *type = manager->type;
    bool columns = type->fill == ct_manager_fill_columns && type->created == NULL;
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        const ct_field *field = &manager->fields[f];
        columns = columns && field->column == ct_store_own_columns(&manager->store) + f;
    }
    return columns && !manager->store.multiple;
}

// See ct_manager.fast_copy.
static bool is_fast_copy(const ct_manager *manager) {
    bool fast = creates_columns(manager);
    for (uint32_t f = 0; f < manager->field_count; ++f)
        fast = fast && !ct_field_is_text(manager->fields[f].type);
    return fast;
}

// See ct_manager.unchecked.
static bool is_unchecked(const ct_manager *manager) {
    const ct_manager_type *type = manager->type;
    bool unchecked = creates_columns(manager) && type->check == NULL && type->check_assign == NULL;
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        const ct_field *field = &manager->fields[f];
        unchecked = unchecked && !field->required && field->type != CT_FIELD_VALUE;
    }
    return unchecked;
}

static void init_store(ct_manager *manager, const ct_manager_setup *setup,
                       const ct_manager_shape *shape) {
    uint16_t widths[CT_MAX_COLUMNS];
    for (uint32_t f = 0; f < shape->field_count; ++f)
        widths[f] = ct_field_info_of(shape->fields[f].type)->bytes;
    ct_store_init(&manager->store, setup->allocator, setup->entities, setup->epochs, setup->map,
                  setup->multiple, shape->widths != NULL ? shape->widths : widths,
                  ct_manager_own_columns(shape),
                  (unsigned char *)manager + ct_padded(shape->bytes));
    ct_random_seed(&manager->store.random, setup->seed ^ manager->identifier);
}

void ct_manager_init(ct_manager *manager, const ct_manager_setup *setup,
                     const ct_manager_type *type, const ct_manager_shape *shape) {
    const bool own_inputs = shape->inputs != NULL;
    CT_ASSERT(setup->multiple == shape->layout.multiple);
    memset(manager, 0, sizeof *manager);
    manager->type = type;
    manager->shape = shape;
    manager->name = shape->name;
    manager->identifier = ct_hash_fnv1a(CT_FNV1A_START, shape->name, strlen(shape->name));
    manager->schema = ct_layout_schema(&shape->layout);
    init_store(manager, setup, shape);
    manager->fields = shape->fields;
    manager->field_count = shape->field_count;
    manager->inputs = own_inputs ? shape->inputs : shape->fields;
    manager->input_count = own_inputs ? shape->input_count : shape->field_count;
    manager->strings = setup->strings;
    manager->values = setup->values;
    manager->lent = setup->lender != NULL;

    // A store without strings or references calls nothing when rows are removed.
    manager->store.refers = type->removing != NULL || setup->multiple;
    for (uint32_t f = 0; f < shape->field_count; ++f) {
        const ct_field_type field = shape->fields[f].type;
        manager->store.refers = manager->store.refers || ct_field_is_text(field);
        manager->has_values = manager->has_values || field == CT_FIELD_VALUE;
    }
    manager->fast_copy = manager->fast_copy_untimed = is_fast_copy(manager);
    manager->unchecked = is_unchecked(manager);
}

uint32_t ct_manager_find_field(const ct_manager *manager, const char *name) {
    return ct_field_find(manager->fields, manager->field_count, name, NULL);
}

uint32_t ct_manager_find_input(const ct_manager *manager, const char *name) {
    return ct_field_find(manager->inputs, ct_manager_all_inputs(manager), name, NULL);
}

uint32_t ct_manager_hierarchy(const ct_manager *manager) {
    uint32_t input = 0;
    while (input < manager->input_count && !manager->inputs[input].hierarchy)
        input++;
    return input;
}

uint32_t ct_manager_find_id(const ct_manager *manager, const ct_component_id *id) {
    if (id->text.bytes == NULL) return id->number;
    // "" is not in the pool and always has ref 0.
    ct_string string = ct_string_pool_find(manager->strings, id->text);
    return string.ref != 0 || id->text.length == 0 ? CT_ID_IS_STRING | string.ref : 0;
}

// Returns whether an earlier row of the entity has an id. The first row has none before it.
static bool has_id(ct_store *store, ct_row row, uint32_t id) {
    ct_entity owner = ct_store_owners(store)[row.i];
    return ct_store_find(store, owner).i != row.i &&
           ct_store_find_id(store, owner, id).i != CT_NO_ROW;
}

static ct_status set_string_id(ct_manager *manager, ct_row row, ct_text text) {
    ct_store *store = &manager->store;
    ct_string string;
    ct_status status = ct_string_pool_intern(manager->strings, text, &string);
    if (status != CT_OK) return status;
    uint32_t id = CT_ID_IS_STRING | string.ref;
    if (has_id(store, row, id)) {
        ct_string_pool_release(manager->strings, string);
        return CT_ERR_EXISTS;
    }
    ct_store_set_id(store, row, id);
    return CT_OK;
}

// Sets the id of a new row. Returns CT_ERR_EXISTS if another row of the entity has it.
static ct_status set_id(ct_manager *manager, ct_row row, const ct_component_id *wanted) {
    ct_store *store = &manager->store;
    uint32_t number = wanted->number;
    if (wanted->text.bytes != NULL) return set_string_id(manager, row, wanted->text);
    if (number == 0) {
        ct_status status = ct_store_next_number(store, &number);
        if (status != CT_OK) return status;
    } else if (number <= store->last_number && has_id(store, row, number)) {
        return CT_ERR_EXISTS; // larger numbers are unused
    }
    ct_store_note_numbers(store, number);
    ct_store_set_id(store, row, number);
    return CT_OK;
}

void ct_manager_note_ids(ct_manager *manager, const ct_component_id *ids, uint32_t count) {
    uint32_t largest = 0;
    for (uint32_t i = 0; i < count; ++i)
        if (ids[i].text.bytes == NULL && ids[i].number > largest) largest = ids[i].number;
    ct_store_note_numbers(&manager->store, largest);
}

// Returns whether some ids are given and others are not. Then no given number may be issued to an
// earlier row.
static bool any_given(const ct_component_id *ids, uint32_t count) {
    bool issued = false, given = false;
    for (uint32_t i = 0; i < count; ++i) {
        bool automatic = ids[i].text.bytes == NULL && ids[i].number == 0;
        issued = issued || automatic;
        given = given || !automatic;
    }
    return issued && given;
}

// Sets the ids of 'count' new rows. On failure, *place is the row that was refused, all ids are
// released, and no number was issued.
static ct_status set_ids(ct_manager *manager, uint32_t first, uint32_t count,
                         const ct_component_id *ids, uint32_t *place) {
    static const ct_component_id next = {0, {NULL, 0}};
    ct_store *store = &manager->store;
    uint32_t last_number = store->last_number;
    // The column is not initialized; rows without an id must have 0.
    memset(ct_store_u32(store, CT_COLUMN_ID) + first, 0, count * sizeof(uint32_t));
    if (ids != NULL && count > 1 && any_given(ids, count)) ct_manager_note_ids(manager, ids, count);
    for (uint32_t i = 0; i < count; ++i) {
        ct_status status = set_id(manager, (ct_row){first + i}, ids != NULL ? &ids[i] : &next);
        if (status == CT_OK) continue;
        ct_manager_release_ids(manager, (ct_row){first}, i);
        store->last_number = last_number;
        *place = i;
        return status;
    }
    return CT_OK;
}

static ct_status create(ct_manager *manager, const ct_entity *owners, uint32_t count,
                        const ct_values *values, const ct_component_id *ids, ct_row *first) {
    ct_store *store = &manager->store;
    ct_status status = ct_store_add(store, owners, count, first);
    if (status != CT_OK || count == 0) return status;
    uint32_t place = 0, number = store->last_number;
    if (store->multiple) status = set_ids(manager, first->i, count, ids, &place);
    if (status == CT_OK) {
        status = manager->type->fill(manager, *first, count, values);
        if (status == CT_OK) status = ct_manager_rows_created(manager, *first, count);
        if (status != CT_OK && store->multiple) ct_manager_release_ids(manager, *first, count);
    }
    if (status == CT_OK) return CT_OK;
    ct_store_rollback(store, count);
    store->last_number = number; // no component has the issued numbers
    first->i = place;
    return status;
}

ct_status ct_manager_create(ct_manager *manager, const ct_entity *owners, uint32_t count,
                            const ct_values *values, const ct_component_id *ids, ct_row *first) {
    if (values == NULL) values = ct_no_values;
    if (count == 1 && ct_manager_create_one(manager, *owners, values, first)) return CT_OK;
    uint64_t begun = ct_work_begin(&manager->timings);
    ct_status status = create(manager, owners, count, values, ids, first);
    ct_work_end(&manager->timings, CT_WORK_CREATE, begun);
    return status;
}

void ct_manager_rollback(ct_manager *manager, uint32_t count) {
    ct_store *store = &manager->store;
    for (; count > 0; --count) {
        ct_row last = {ct_store_count(store) - 1};
        if (store->refers) ct_manager_rows_removing(manager, last, 1);
        ct_store_rollback(store, 1);
    }
}

void ct_manager_remove_entities(ct_manager *manager, uint32_t count, const ct_entity *entities) {
    ct_store *store = &manager->store;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t rows;
        while ((rows = ct_store_count(store)) > 0 &&
               ct_store_owners(store)[rows - 1].id == entities[i].id)
            ct_manager_rollback(manager, 1);
        ct_store_remove_all(store, entities[i]);
    }
}

static void fill_each(unsigned char *column, uint32_t width, uint32_t count,
                      const ct_values *values) {
    const unsigned char *item = values->items;
    if (values->stride == width) {
        memcpy(column, item, (size_t)count * width);
        return;
    }
    for (uint32_t i = 0; i < count; ++i, item += values->stride)
        memcpy(column + (size_t)i * width, item, width);
}

void ct_manager_fill_default(ct_manager *manager, const ct_field *field, ct_row first,
                             uint32_t count) {
    unsigned char item[CT_MAX_ITEM_BYTES];
    unsigned char *column = ct_manager_item(manager, field, first);
    ct_field_default(field, item);
    ct_bytes_repeat(column, item, ct_field_info_of(field->type)->bytes, count);
    if (field->type == CT_FIELD_STRING)
        ct_string_pool_retain(manager->strings, *(ct_string *)(void *)column, count);
}

static ct_status fill_column(ct_manager *manager, const ct_field *field, ct_row first,
                             uint32_t count, const ct_values *values) {
    unsigned char *column = ct_manager_item(manager, field, (ct_row){first.i});
    uint32_t width = ct_field_info_of(field->type)->bytes;
    if (values->items == NULL) {
        ct_manager_fill_default(manager, field, first, count);
        return CT_OK;
    }
    if (field->type == CT_FIELD_STRING)
        return ct_string_pool_fill(manager->strings, (ct_string *)(void *)column, count, values);
    if (field->type == CT_FIELD_VALUE)
        return ct_value_pool_fill(manager->values, (ct_value *)(void *)column, count, values);
    if (values->stride == 0)
        ct_bytes_repeat(column, values->items, width, count);
    else
        fill_each(column, width, count, values);
    return CT_OK;
}

// Fills one field of a single new row. Returns false if that could fail, for texts.
static bool fill_one(ct_manager *manager, const ct_field *field, ct_row row,
                     const ct_values *values) {
    if (ct_field_is_text(field->type)) return false;
    unsigned char *place = ct_manager_item(manager, field, row);
    const void *item = values->items != NULL ? values->items : field->preset;
    if (item != NULL)
        ct_item_copy(place, item, manager->store.columns.width[field->column]);
    else
        ct_field_zero(field->type, place);
    return true;
}

ct_status ct_manager_fill_columns(ct_manager *manager, ct_row first, uint32_t count,
                                  const ct_values *values) {
    uint32_t new_count = manager->store.columns.count;
    CT_ASSERT(first.i + count == new_count);
    (void)new_count;
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        if (count == 1 && fill_one(manager, &manager->fields[f], first, &values[f])) continue;
        ct_status status = fill_column(manager, &manager->fields[f], first, count, &values[f]);
        if (status == CT_OK) continue;
        while (f-- > 0)
            ct_manager_release_items(manager, &manager->fields[f], first, count);
        return status;
    }
    return CT_OK;
}

ct_status ct_manager_write(ct_manager *manager, uint32_t field, ct_row row, const void *item) {
    if (manager->type->write != NULL) return manager->type->write(manager, field, row, item);
    return ct_manager_write_column(manager, field, row, item);
}

ct_status ct_manager_write_column(ct_manager *manager, uint32_t field, ct_row row,
                                  const void *item) {
    const ct_field *f = &manager->fields[field];
    void *place = ct_manager_item(manager, f, row);
    if (!ct_field_is_text(f->type)) {
        memcpy(place, item, ct_field_info_of(f->type)->bytes);
        return CT_OK;
    }
    ct_text text = ct_text_load(item);
    if (f->type == CT_FIELD_VALUE) return ct_value_pool_replace(manager->values, text, place);
    ct_string string;
    ct_status status = ct_string_pool_intern(manager->strings, text, &string);
    if (status != CT_OK) return status;
    ct_string_pool_release(manager->strings, *(ct_string *)place);
    *(ct_string *)place = string;
    return CT_OK;
}

// Interns the strings among the values, and the bytes of values, so that the following writes find
// them in the pool and cannot run out of memory.
static ct_status hold_strings(ct_manager *manager, const ct_values *values, ct_string *held) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < manager->input_count; ++i) {
        ct_status status = CT_OK;
        if (values[i].items == NULL || !ct_field_is_text(manager->inputs[i].type)) continue;
        ct_text text = ct_text_load(values[i].items);
        if (manager->inputs[i].type == CT_FIELD_VALUE)
            status = ct_value_pool_reserve(manager->values, ++count);
        if (status == CT_OK && text.bytes != NULL)
            status = ct_string_pool_intern(manager->strings, text, &held[i]);
        if (status == CT_OK) continue;
        while (i-- > 0)
            ct_string_pool_release(manager->strings, held[i]);
        return status;
    }
    return CT_OK;
}

ct_status ct_manager_assign(ct_manager *manager, ct_row row, const ct_values *values) {
    if (manager->type->assign != NULL) return manager->type->assign(manager, row, values, false);
    ct_string held[CT_MAX_COLUMNS];
    memset(held, 0, manager->input_count * sizeof *held);
    ct_status status = hold_strings(manager, values, held);
    if (status != CT_OK) return status;
    for (uint32_t i = 0; i < manager->input_count && status == CT_OK; ++i) {
        if (values[i].items != NULL) status = ct_manager_write(manager, i, row, values[i].items);
    }
    for (uint32_t i = 0; i < manager->input_count; ++i)
        ct_string_pool_release(manager->strings, held[i]);
    return status;
}

uint32_t ct_manager_limit(const ct_manager *manager, const char **what) {
    // Ids are the limit only if fewer than CT_MAX_ROWS numbers are left.
    bool ids = manager->store.last_number > CT_LAST_NUMBER - CT_MAX_ROWS;
    *what = ids ? "ids" : "rows";
    return ids ? CT_LAST_NUMBER : CT_MAX_ROWS;
}
