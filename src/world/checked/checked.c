// Manager functions for plugins, with checked arguments.
#include "world/checked/checked.h"
#include "world/checked/explained.h"

#include "component/debug_name.h"
#include "component/grid.h"
#include "component/mesh.h"
#include "component/model.h"
#include "component/point_mass.h"
#include "component/record.h"
#include "component/transform.h"
#include "storage/manager_access.h"
#include "storage/query.h"

#include <string.h>

ct_status ct_checked_create(ct_entity_manager *entities, uint32_t count, ct_entity *out) {
    return ct_explained_create(entities, count, out, NULL);
}

ct_entity_manager *ct_checked_world_entities(ct_world *world) { return world->entities; }

ct_entity_manager *ct_checked_entities(const ct_manager *manager) {
    return manager->store.entities;
}

void *ct_checked_own(const ct_manager *manager, const ct_component *component) {
    if (component == NULL || ct_plugin_description(manager) != component) return NULL;
    return ct_plugin_own(manager);
}

void *ct_checked_reallocate(const ct_manager *manager, void *block, size_t old_bytes,
                            size_t new_bytes) {
    const ct_allocator *allocator = manager->store.allocator;
    if (block == NULL && new_bytes == 0) return NULL;
    return allocator->reallocate(allocator->user, block, old_bytes, new_bytes);
}

uint32_t ct_checked_count(const ct_manager *manager) { return ct_store_count(&manager->store); }

ct_row ct_checked_find(const ct_manager *manager, ct_entity e) {
    return ct_store_find(&manager->store, e);
}

void ct_checked_find_many(const ct_manager *manager, uint32_t count, const ct_entity *entities,
                          ct_row *out) {
    for (uint32_t i = 0; i < count; ++i)
        out[i] = ct_store_find(&manager->store, entities[i]);
}

ct_row ct_checked_next(const ct_manager *manager, ct_row row) {
    if (!ct_checked_has_row(manager, row)) return (ct_row){CT_NO_ROW};
    return ct_store_next(&manager->store, row);
}

const ct_entity *ct_checked_owners(const ct_manager *manager) {
    return ct_store_owners(&manager->store);
}

uint32_t ct_checked_find_field(const ct_manager *manager, const char *name) {
    uint32_t field = ct_manager_find_field(manager, name);
    return field < manager->field_count ? field : CT_NO_FIELD;
}

uint32_t ct_checked_field_count(const ct_manager *manager) { return manager->field_count; }

uint32_t ct_checked_field_type(const ct_manager *manager, uint32_t field) {
    return field < manager->field_count ? (uint32_t)manager->fields[field].type : CT_NO_FIELD;
}

void *ct_checked_column(ct_manager *manager, uint32_t field, uint32_t *stride) {
    ct_manager_flush_deaths(manager);
    if (stride != NULL) *stride = 0;
    if (field >= manager->field_count || ct_store_count(&manager->store) == 0) return NULL;
    const ct_field *f = &manager->fields[field];
    if (f->computed || f->type == CT_FIELD_VALUE) return NULL;
    if (stride != NULL) *stride = manager->store.columns.width[f->column];
    return ct_manager_item(manager, f, (ct_row){0});
}

ct_text ct_checked_text(const ct_manager *manager, uint32_t field, ct_row row) {
    static const ct_text none = {NULL, 0};
    if (field >= manager->field_count || !ct_checked_has_row(manager, row)) return none;
    const ct_field *f = &manager->fields[field];
    const void *item = ct_manager_item(manager, f, row);
    if (f->type == CT_FIELD_STRING)
        return ct_string_pool_text(manager->strings, *(const ct_string *)item);
    if (f->type == CT_FIELD_VALUE)
        return ct_value_pool_bytes_of(manager->values, *(const ct_value *)item);
    if (f->type != CT_FIELD_ENUM || *(const unsigned char *)item >= f->label_count) return none;
    return f->labels[*(const unsigned char *)item];
}

ct_status ct_checked_add_values(ct_manager *manager, uint32_t count, const ct_entity *owners,
                                uint32_t value_count, const ct_values *values, ct_row *first) {
    ct_values all[CT_MAX_COLUMNS]; // includes late inputs, which a plugin does not set
    memset(all, 0, ct_manager_all_inputs(manager) * sizeof *all);
    if (value_count > manager->input_count || (values == NULL && value_count > 0))
        return CT_ERR_DATA;
    if (value_count > 0) memcpy(all, values, value_count * sizeof *all);
    return ct_explained_add(manager, count, owners, all, first, NULL);
}

// Returns the number of values that a caller of 'add' passes without a length: the number of fields
// of a plugin's description, or for built-in components that of version 1.4, in which 'add_values'
// was added. Returns 0 if it is unknown. These numbers must never change.
static uint32_t unsized_count(const ct_manager *manager) {
    static const struct {
        const char *name;
        uint32_t count;
    } built_in[] = {{CT_TRANSFORM, 6}, {CT_GRID, 5},  {CT_POINT_MASS, 4},
                    {CT_MESH, 3},      {CT_MODEL, 1}, {CT_DEBUG_NAME, 1}};
    if (ct_plugin_description(manager) != NULL) return manager->input_count;
    for (uint32_t i = 0; i < sizeof built_in / sizeof *built_in; ++i) {
        if (strcmp(manager->name, built_in[i].name) == 0) return built_in[i].count;
    }
    return 0;
}

ct_status ct_checked_add(ct_manager *manager, uint32_t count, const ct_entity *owners,
                         const ct_values *values, ct_row *first) {
    uint32_t value_count = values != NULL ? unsized_count(manager) : 0;
    if (values != NULL && value_count == 0) return CT_ERR_DATA;
    return ct_checked_add_values(manager, count, owners, value_count, values, first);
}

ct_status ct_checked_remove(ct_manager *manager, ct_row row) {
    return ct_explained_remove(manager, row, NULL);
}

ct_status ct_checked_write(ct_manager *manager, uint32_t field, ct_row row, const void *item) {
    return ct_explained_write(manager, field, row, item, NULL);
}

uint32_t ct_checked_gc(ct_manager *manager, bool all) {
    if (!ct_checked_may_change(manager->store.entities)) return 0;
    return all ? ct_store_sweep(&manager->store) : ct_store_gc(&manager->store);
}

static ct_loop *loop_of(ct_join *join) {
    typedef char fits[sizeof(ct_loop) <= sizeof(ct_join) ? 1 : -1];
    (void)sizeof(fits);
    return (ct_loop *)(void *)join;
}

static bool can_join(uint32_t count, ct_manager *const *managers, const ct_query_role *roles) {
    bool ok =
        count > 0 && count <= CT_MAX_JOINED && (roles == NULL || roles[0] == CT_QUERY_REQUIRED);
    for (uint32_t i = 0; i < count && ok; ++i)
        ok = managers[i] != NULL;
    return ok;
}

void ct_checked_join(ct_join *join, uint32_t count, ct_manager *const *managers,
                     const ct_query_role *roles) {
    ct_loop *loop = loop_of(join);
    loop->part_count = 0;
    if (can_join(count, managers, roles)) ct_loop_begin(loop, count, managers, roles);
}

ct_query_step ct_checked_join_next(ct_join *join, ct_row *rows) {
    ct_loop *loop = loop_of(join);
    uint32_t fault;
    if (loop->part_count == 0) return CT_QUERY_END;
    ct_query_step step = ct_loop_next(loop, &fault);
    for (uint32_t i = 0; i < loop->part_count && step == CT_QUERY_ROW; ++i)
        rows[i] = ct_loop_row(loop, i);
    return step;
}

ct_status ct_checked_query(ct_world *world, uint32_t count, ct_manager *const *managers,
                           const ct_query_role *roles, ct_query **query) {
    return ct_explained_query(world, count, managers, roles, query, NULL);
}

ct_status ct_checked_query_refresh(ct_query *query, uint32_t *count) {
    ct_status status = ct_query_refresh(query);
    *count = query->count;
    return status;
}
