// Late inputs of a spawn, which refer to components of other types and are written when all
// components exist.
#include "resource/spawner_internal.h"

#include "base/message.h"
#include "base/text.h"
#include "resource/path.h"
#include "storage/manager_access.h"

#include <string.h>

ct_manager *ct_late_manager(const ct_world *world, const ct_section *section) {
    for (uint32_t i = 0; i < world->manager_count; ++i) {
        const char *name = world->managers[i]->shape->layout.late_name;
        if (name == NULL || strcmp(name, section->name) != 0) continue;
        const ct_layout *layout = world->managers[i]->shape->layout.late;
        return section->schema == ct_layout_schema(layout) ? world->managers[i] : NULL;
    }
    return NULL;
}

// Returns the manager that has a parent and a parent node, which is its first late input, or NULL.
static ct_manager *find_linked(const ct_world *world, uint32_t *parent, uint32_t *node) {
    for (uint32_t i = 0; i < world->manager_count; ++i) {
        ct_manager *manager = world->managers[i];
        *parent = ct_manager_hierarchy(manager);
        *node = manager->input_count;
        if (manager->shape->late_count > 0 && *parent < manager->input_count) return manager;
    }
    return NULL;
}

bool ct_late_check_options(const ct_world *world, const ct_spawn_options *options,
                           ct_message *message) {
    uint32_t parent, node;
    if (options->parent_node.bytes == NULL) return true;
    const ct_manager *manager = find_linked(world, &parent, &node);
    if (manager == NULL) return true;
    ct_values values[CT_MAX_COLUMNS] = {{NULL, 0}};
    values[parent].items = &options->parent;
    values[node].items = &options->parent_node;
    return ct_manager_check_assign(manager, (ct_row){CT_NO_ROW}, values, message);
}

// A spawn with all its components.
typedef struct spawning {
    const ct_world *world;
    const ct_resource *resource;
    const ct_spawn_options *options;
    const ct_spawn *spawn;
    ct_message *message;
} spawning;

// Writes late inputs, and no others, of an entity of the spawn. Dead entities are left out.
static ct_status write_late(const spawning *s, ct_manager *manager, uint32_t entity,
                            const ct_values *values) {
    ct_message why, shown;
    ct_entity e = s->spawn->entity_lookup[entity];
    if (!ct_entity_manager_alive(manager->store.entities, e)) return CT_OK;
    ct_status status = ct_override_write_late(manager, e, values, &why);
    if (status == CT_ERR_DATA) {
        ct_path_entity_message(s->resource, entity, e, &shown);
        ct_message_set(s->message, "%s: %s: %s", manager->name, shown.text, why.text);
    } else if (status != CT_OK) {
        ct_message_set(s->message, "%s", why.text);
    }
    return status;
}

// Reads the late inputs of instance i of a section.
static void read_late(const ct_manager *manager, const ct_section *section,
                      const ct_layout_places *places, uint32_t i, ct_text *texts,
                      ct_values *values) {
    memset(values, 0, manager->input_count * sizeof *values);
    for (uint32_t f = 0; f < manager->shape->late_count; ++f) {
        CT_ASSERT(manager->inputs[manager->input_count + f].type == CT_FIELD_STRING);
        texts[f] = ct_text_stored(section->data + places->strings,
                                  ct_u32_at(section->data + places->field[f], i));
        values[manager->input_count + f] = (ct_values){&texts[f], 0};
    }
}

static ct_status spawn_late_section(const spawning *s, const ct_section *section) {
    ct_manager *manager = ct_late_manager(s->world, section);
    if (manager == NULL) return CT_OK;
    ct_layout_places places;
    ct_text texts[CT_MAX_COLUMNS];
    ct_values values[CT_MAX_COLUMNS];
    ct_status status = CT_OK;
    if (!ct_layout_place(manager->shape->layout.late, section->num_instances, &places))
        return CT_ERR_DATA;
    for (uint32_t i = 0; i < section->num_instances; ++i) {
        read_late(manager, section, &places, i, texts, values);
        uint32_t entity = section->entity_index[i];
        for (; entity < s->spawn->entity_count && status == CT_OK;
             entity += s->resource->num_entities)
            status = write_late(s, manager, entity, values);
    }
    return status;
}

// Attaches roots without a node to the parent node of the options.
static ct_status attach_roots(const spawning *s) {
    ct_entity parent;
    uint32_t above, node;
    ct_status status = CT_OK;
    if (s->options->parent_node.bytes == NULL) return CT_OK;
    ct_manager *manager = find_linked(s->world, &above, &node);
    if (manager == NULL) return CT_OK;
    ct_values values[CT_MAX_COLUMNS] = {{NULL, 0}};
    values[node].items = &s->options->parent_node;
    for (uint32_t e = 0; e < s->spawn->entity_count && status == CT_OK; ++e) {
        unsigned char item[CT_MAX_ITEM_BYTES];
        ct_row row = ct_store_find(&manager->store, s->spawn->entity_lookup[e]);
        if (row.i == CT_NO_ROW || !manager->type->get(manager, above, row, &parent) ||
            parent.id != s->options->parent.id || manager->type->get(manager, node, row, item))
            continue;
        status = write_late(s, manager, e, values);
    }
    return status;
}

ct_status ct_late_spawn(const ct_world *world, const ct_resource *resource,
                        const ct_spawn_options *options, const ct_spawn *spawn, bool *wrong_option,
                        ct_message *message) {
    const spawning s = {world, resource, options, spawn, message};
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < resource->num_component_types && status == CT_OK; ++i)
        status = spawn_late_section(&s, &resource->sections[i]);
    if (status == CT_OK) status = attach_roots(&s);
    uint32_t i = 0;
    for (; i < options->override_count && status == CT_OK; ++i)
        status = ct_override_apply_late(world, resource, &options->overrides[i], spawn, message);
    if (i > 0 && status == CT_ERR_DATA && wrong_option != NULL) *wrong_option = true;
    return status;
}
