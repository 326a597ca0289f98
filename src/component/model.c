// Model manager: its columns, and the nodes of rows that are created, written and removed.
#include "component/model.h"

#include "base/text.h"
#include "component/model_internal.h"

static const ct_field fields[] = {{.name = "resource",
                                   .type = CT_FIELD_STRING,
                                   .column = CT_MODEL_RESOURCE,
                                   .read_only = true,
                                   .required = true}};

// Adds the nodes of new rows.
static ct_status created(ct_manager *manager, ct_row first, uint32_t count) {
    ct_models *m = ct_models_of(manager);
    const ct_string *names = ct_manager_item(manager, fields, first);
    ct_status status = CT_OK;
    uint64_t nodes = 0;
    for (uint32_t i = 0; i < count && status == CT_OK; ++i) {
        uint32_t number = ct_resource_names_number(manager, names[i]);
        if (number == 0)
            status = CT_ERR_DATA;
        else
            nodes += m->definitions[number - 1].nodes.count;
    }
    if (status == CT_OK) status = ct_model_pool_reserve(m, first.i, nodes);
    for (uint32_t i = 0; i < count && status == CT_OK; ++i)
        ct_model_pool_enter(m, (ct_row){first.i + i},
                            ct_resource_names_number(manager, names[i]) - 1);
    return status;
}

ct_status ct_model_reserve(ct_manager *manager, const ct_values *values, uint64_t *needed) {
    ct_models *m = ct_models_of(manager);
    ct_text text = {NULL, 0};
    if (values[0].items != NULL) memcpy(&text, values[0].items, sizeof text);
    uint32_t number = ct_resource_names_find(manager, text);
    if (number != 0) *needed += m->definitions[number - 1].nodes.count;
    return ct_model_pool_reserve(m, ct_store_count(&manager->store), *needed);
}

// Replaces the nodes by those of the new resource, at rest.
static ct_status write(ct_manager *manager, uint32_t field, ct_row row, const void *item) {
    ct_models *m = ct_models_of(manager);
    ct_string *name = ct_manager_item(manager, fields, row);
    ct_text text = ct_text_load(item);
    (void)field;
    uint32_t number = ct_resource_names_find(manager, text);
    if (number == 0) return CT_ERR_DATA;
    ct_status status = ct_model_pool_reserve_change(m, row, number - 1);
    if (status != CT_OK) return status;
    // Nothing below this line can fail: a defined name is in the pool.
    uint32_t before = ct_store_u32(&manager->store, CT_MODEL_DEFINITION)[row.i];
    m->definitions[before].rows++; // keeps the definition until the watch was called
    ct_string next = ct_string_pool_find(manager->strings, text);
    ct_string_pool_retain(manager->strings, next, 1);
    ct_string_pool_release(manager->strings, *name);
    *name = next;
    ct_model_pool_change(m, row, number - 1);
    if (m->watch.changed != NULL)
        m->watch.changed(m->watch.user, manager, row, &m->definitions[before].nodes);
    ct_definition_release(m, before);
    return CT_OK;
}

// Removes the last rows first: nodes at the end of the pool leave no gap.
static void removing(ct_manager *manager, ct_row first, uint32_t count) {
    ct_models *m = ct_models_of(manager);
    for (ct_row row = {first.i + count - 1}; count > 0; --row.i, --count) {
        if (m->watch.changed != NULL) m->watch.changed(m->watch.user, manager, row, NULL);
        ct_model_pool_remove(m, row);
    }
}

static void moved(ct_manager *manager, ct_row to, ct_row from, uint32_t count) {
    (void)from;
    if (count == 1) ct_model_pool_follow(ct_models_of(manager), to);
}

static size_t memory(ct_manager *manager, ct_memory_task task) {
    ct_models *m = ct_models_of(manager);
    size_t names = ct_resource_names_memory(manager, task);
    if (task == CT_MEMORY_FREE) ct_definitions_free(m);
    if (task != CT_MEMORY_COUNT) ct_model_pool_trim(m); // without rows this frees the pool
    return names + m->definition_bytes + ct_columns_bytes(&m->pool) +
           m->definition_capacity * sizeof *m->definitions;
}

static void strings(const ct_manager *manager, ct_string_audit *audit) {
    ct_resource_names_count(manager, audit);
    ct_definitions_count(ct_models_of(manager), audit);
}

static void init(ct_manager *manager) {
    ct_models *m = ct_models_of(manager);
    ct_columns_init(&m->pool, NULL, ct_node_widths, CT_NODE_PARENT);
    m->free_definition = CT_NO_ROW;
}

static const ct_manager_shape shape = {
    .name = CT_MODEL,
    .bytes = sizeof(ct_models),
    .names = offsetof(ct_models, known),
    .widths = (const uint16_t[]){4, 4, 4, 1},
    .column_count = 4,
    .fields = fields,
    .field_count = 1,
    .layout = {.fields = fields, .field_count = 1},
};

const ct_manager_type ct_model_type = {
    .shape = &shape,
    .init = init,
    .check = ct_resource_names_check,
    .check_spawn = ct_resource_names_check_spawn,
    .fill = ct_manager_fill_columns,
    .created = created,
    .write = write,
    .removing = removing,
    .moved = moved,
    .memory = memory,
    .state = ct_model_state,
    .save = ct_model_save,
    .load = ct_model_load,
    .copy_resources = ct_model_copy_resources,
    .hash = ct_model_hash,
    .strings = strings,
    .validate = ct_model_validate,
};
