// Compilation of the components of one type into a section of a resource.
#include "resource/resource_writer.h"

#include "base/arena.h"
#include "base/message.h"
#include "storage/manager_access.h"

#include <string.h>

// Checks that owners ascend, with equal neighbours only in a 'multiple' manager, and that parents
// precede their children.
static bool check_owners(const ct_instances_source *source, ct_message *message) {
    const uint32_t *entity = source->entity_index, *parent = source->parent_index;
    const ct_manager *manager = source->manager;
    for (uint32_t i = 0; i < source->num_instances; ++i) {
        bool ascends = i == 0 || entity[i] > entity[i - 1] ||
                       (manager->store.multiple && entity[i] == entity[i - 1]);
        if (!ascends || entity[i] >= source->num_entities)
            return ct_message_set(message, "ascending entities expected");
    }
    for (uint32_t e = 0; manager->shape->layout.bake != NULL && e < source->num_entities; ++e) {
        if (parent[e] >= e && parent[e] != CT_RESOURCE_NO_PARENT)
            return ct_message_set(message, "parents before their children expected");
    }
    return true;
}

// Returns the values of an instance. An instance with a lone value uses 'lone', which is zeroed.
static const ct_values *values_of(const ct_instances_source *source, uint32_t i, ct_values *lone) {
    if (source->values[i] != NULL) return source->values[i];
    const void *item = source->lone + (size_t)i * source->lone_bytes;
    lone[source->lone_input] = (ct_values){item, 0};
    return lone;
}

// Copies a column of items as in ct_values: the input of the instances, or its default.
static ct_status copy_input(const ct_instances_source *source, uint32_t input, ct_arena *arena,
                            ct_values *out) {
    unsigned char preset[CT_MAX_ITEM_BYTES];
    uint32_t bytes = ct_field_value_bytes(source->manager->inputs[input].type);
    unsigned char *to = ct_arena_take(arena, (size_t)source->num_instances * bytes);
    if (to == NULL) return CT_ERR_MEMORY;
    *out = (ct_values){to, bytes};
    ct_values lone[CT_MAX_COLUMNS] = {{NULL, 0}};
    ct_manager_input_default(source->manager, input, preset);
    for (uint32_t i = 0; i < source->num_instances; ++i, to += bytes) {
        const void *item = values_of(source, i, lone)[input].items;
        memcpy(to, item != NULL ? item : preset, bytes);
    }
    return CT_OK;
}

// Copies the columns of the layout, each from the input of the same name.
static ct_status copy_columns(const ct_instances_source *source, ct_arena *arena, ct_values *out) {
    const ct_manager *manager = source->manager;
    const ct_layout layout = ct_instances_layout(source);
    ct_status status = CT_OK;
    for (uint32_t f = 0; f < layout.field_count && status == CT_OK; ++f) {
        uint32_t input = ct_manager_find_input(manager, layout.fields[f].name);
        out[f] = (ct_values){NULL, 0};
        if (input < ct_manager_all_inputs(manager))
            status = copy_input(source, input, arena, &out[f]);
    }
    return status;
}

// Computes the columns of the layout in the arena. CT_ERR_DATA sets *instance.
static ct_status bake_columns(const ct_instances_source *source, ct_arena *arena, ct_values *out,
                              uint32_t *instance, ct_message *message) {
    const ct_manager *manager = source->manager;
    size_t count = source->num_instances;
    void *columns[CT_MAX_COLUMNS];
    ct_values lone[CT_MAX_COLUMNS] = {{NULL, 0}};
    for (uint32_t f = 0; f < manager->shape->layout.field_count; ++f) {
        uint32_t width = ct_field_value_bytes(manager->shape->layout.fields[f].type);
        columns[f] = ct_arena_take(arena, count * width);
        if (columns[f] == NULL) return CT_ERR_MEMORY;
        out[f] = (ct_values){columns[f], width};
    }
    uint32_t *ancestor = ct_arena_take(arena, count * sizeof *ancestor);
    uint32_t *scratch = ct_arena_take(arena, source->num_entities * sizeof *scratch);
    if (ancestor == NULL || scratch == NULL) return CT_ERR_MEMORY;
    ct_resource_ancestors(source->parent_index, source->num_entities, source->entity_index,
                          source->num_instances, scratch, ancestor);
    for (uint32_t i = 0; i < count; ++i) {
        const ct_values *values = values_of(source, i, lone);
        if (!ct_manager_check_values(manager, values, 1, false, message)) {
            *instance = i;
            return CT_ERR_DATA;
        }
        if (!manager->shape->layout.bake(values, i, ancestor[i], columns, arena))
            return CT_ERR_MEMORY;
    }
    return CT_OK;
}

ct_layout ct_instances_layout(const ct_instances_source *source) {
    return source->late ? *source->manager->shape->layout.late : source->manager->shape->layout;
}

static ct_status write_columns(ct_writer *writer, const ct_instances_source *source,
                               const ct_values *columns, uint32_t *schema, uint32_t *instance,
                               ct_message *message) {
    const ct_manager *manager = source->manager;
    const ct_columns_source written = {.name = manager->name,
                                       .num_instances = source->num_instances,
                                       .entity_index = source->entity_index,
                                       .layout = ct_instances_layout(source),
                                       .columns = columns,
                                       .ids = source->ids,
                                       .presets = manager->strings};
    *schema = ct_layout_schema(&written.layout);
    return ct_columns_write(writer, &written, instance, message);
}

ct_status ct_instances_compile(ct_writer *writer, const ct_instances_source *source,
                               uint32_t *schema, uint32_t *instance, ct_message *message) {
    ct_values columns[CT_MAX_COLUMNS];
    ct_arena arena;
    ct_status status = CT_OK;
    *instance = CT_NO_ROW;
    if (!check_owners(source, message)) return CT_ERR_DATA;
    ct_arena_init(&arena, writer->allocator);
    if (ct_instances_layout(source).bake != NULL)
        status = bake_columns(source, &arena, columns, instance, message);
    else
        status = copy_columns(source, &arena, columns);
    if (status == CT_OK) status = write_columns(writer, source, columns, schema, instance, message);
    ct_arena_reset(&arena);
    return status;
}
