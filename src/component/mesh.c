// Mesh manager: names of static resources, checked against the registered names.
#include "component/mesh.h"

#include "base/message.h"

enum { COLUMN_RESOURCE = CT_COLUMN_ID + 1, COLUMN_COLOR, COLUMN_VISIBLE };
enum { FIELD_RESOURCE, FIELD_COLOR, FIELD_VISIBLE, FIELD_COUNT };

typedef struct meshes {
    ct_manager base;
    ct_resource_names known;
} meshes;

static const unsigned char shown = 1;

// 'resource' is read-only in views because views do not check that a name is registered.
static const ct_field fields[FIELD_COUNT] = {
    {.name = "resource",
     .type = CT_FIELD_STRING,
     .column = COLUMN_RESOURCE,
     .read_only = true,
     .required = true},
    {.name = "color", .type = CT_FIELD_COLOR, .column = COLUMN_COLOR},
    {.name = "visible", .type = CT_FIELD_BOOL, .column = COLUMN_VISIBLE, .preset = &shown},
};

const ct_resource_names *ct_mesh_names(const ct_manager *manager) {
    return &((const meshes *)(const void *)manager)->known;
}

ct_status ct_mesh_add_name(ct_manager *manager, ct_text name) {
    return ct_resource_names_add(&((meshes *)(void *)manager)->known, manager, name, 1);
}

static bool check(const ct_manager *manager, const ct_values *values, uint32_t count,
                  ct_message *message) {
    return ct_resource_names_check(ct_mesh_names(manager), manager, values, count, message);
}

static bool check_spawn(const ct_manager *manager, const ct_spawn *spawn, ct_message *message) {
    return ct_resource_names_check_spawn(ct_mesh_names(manager), manager, FIELD_RESOURCE, spawn,
                                         message);
}

static size_t memory(ct_manager *manager, ct_memory_task task) {
    return ct_resource_names_memory(&((meshes *)(void *)manager)->known, manager, task);
}

static void strings(const ct_manager *manager, ct_string_audit *audit) {
    ct_resource_names_count(ct_mesh_names(manager), audit);
}

static void state(ct_manager *manager, ct_state *state) {
    uint32_t rows = ct_state_number(state, ct_store_count(&manager->store));
    ct_resource_names_state(ct_mesh_names(manager), manager, FIELD_RESOURCE, rows, state);
}

static ct_status copy_resources(ct_manager *manager, const ct_manager *from) {
    return ct_resource_names_copy(&((meshes *)(void *)manager)->known, manager, ct_mesh_names(from),
                                  from);
}

static bool validate(const ct_manager *manager, ct_message *message) {
    for (uint32_t row = 0; row < ct_store_count(&manager->store); ++row) {
        const ct_string *name = ct_manager_item(manager, &fields[FIELD_RESOURCE], (ct_row){row});
        if (ct_resource_names_number(ct_mesh_names(manager), *name) == 0)
            return ct_message_set(message, CT_MESH ": row %u has an unknown resource", row);
    }
    return true;
}

static const ct_manager_shape shape = {
    .name = CT_MESH,
    .bytes = sizeof(meshes),
    .fields = fields,
    .field_count = FIELD_COUNT,
    .layout = {.fields = fields, .field_count = FIELD_COUNT, .multiple = true},
};

const ct_manager_type ct_mesh_type = {
    .shape = &shape,
    .check = check,
    .check_spawn = check_spawn,
    .fill = ct_manager_fill_columns,
    .memory = memory,
    .state = state,
    .copy_resources = copy_resources,
    .strings = strings,
    .validate = validate,
};
