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

ct_status ct_mesh_add_name(ct_manager *manager, ct_text name) {
    return ct_resource_names_add(manager, name, 1);
}

static bool validate(const ct_manager *manager, ct_message *message) {
    for (uint32_t row = 0; row < ct_store_count(&manager->store); ++row) {
        const ct_string *name = ct_manager_item(manager, &fields[FIELD_RESOURCE], (ct_row){row});
        if (ct_resource_names_number(manager, *name) == 0)
            return ct_message_set(message, CT_MESH ": row %u has an unknown resource", row);
    }
    return true;
}

static const ct_manager_shape shape = {
    .name = CT_MESH,
    .bytes = sizeof(meshes),
    .names = offsetof(meshes, known),
    .fields = fields,
    .field_count = FIELD_COUNT,
    .layout = {.fields = fields, .field_count = FIELD_COUNT, .multiple = true},
};

const ct_manager_type ct_mesh_type = {
    .shape = &shape,
    .check = ct_resource_names_check,
    .check_spawn = ct_resource_names_check_spawn,
    .fill = ct_manager_fill_columns,
    .memory = ct_resource_names_memory,
    .state = ct_resource_names_state,
    .copy_resources = ct_resource_names_copy,
    .strings = ct_resource_names_count,
    .validate = validate,
};
