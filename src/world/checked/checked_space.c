// Spaces for plugins, with checked arguments.
#include "component/transform.h"
#include "world/checked/checked.h"
#include "world/checked/explained.h"
#include "world/space/space.h"

#include <string.h>

static bool is_any(const ct_field *field) {
    (void)field;
    return true;
}

// Finds the field of one of the managers of a query; no field if 'manager' is NULL.
static bool find_field(const ct_manager *manager, uint32_t number, uint32_t count,
                       ct_manager *const *managers, const ct_query_role *roles,
                       bool (*accepts)(const ct_field *), ct_space_field *out) {
    *out = (ct_space_field){CT_NO_ROW, CT_NO_ROW};
    if (manager == NULL) return true;
    for (uint32_t i = 0; i < count; ++i) {
        if (managers[i] != manager) continue;
        if (roles != NULL && roles[i] == CT_QUERY_EXCLUDED) return false;
        *out = (ct_space_field){i, number};
        return number < manager->field_count && accepts(&manager->fields[number]);
    }
    return false;
}

static bool read_options(const ct_world *world, uint32_t count, ct_manager *const *managers,
                         const ct_query_role *roles, const ct_space_options *options,
                         ct_space_plan *plan) {
    ct_space_options o = {.size = 0};
    ct_space_field transform;
    memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
    *plan = (ct_space_plan){.dimensions = o.dimensions, .cell = o.cell, .radius = o.radius};
    return ct_space_is_cell(o.cell) && o.radius >= 0 && (o.dimensions == 2 || o.dimensions == 3) &&
           find_field(ct_world_find(world, CT_TRANSFORM), 0, count, managers, roles, is_any,
                      &transform) &&
           find_field(o.radius_of, o.radius_field, count, managers, roles, ct_space_can_be_radius,
                      &plan->radius_field) &&
           find_field(o.mask_of, o.mask_field, count, managers, roles, ct_space_can_be_mask,
                      &plan->mask_field);
}

ct_status ct_checked_space(ct_world *world, uint32_t count, ct_manager *const *managers,
                           const ct_query_role *roles, const ct_space_options *options,
                           ct_space **space) {
    ct_query *query;
    ct_space_plan plan;
    *space = NULL;
    ct_status status = ct_checked_query(world, count, managers, roles, &query);
    if (status != CT_OK) return status;
    if (read_options(world, count, managers, roles, options, &plan))
        return ct_space_new(world, ct_world_find(world, CT_TRANSFORM), query, &plan, space);
    ct_query_free(query);
    return CT_ERR_DATA;
}

ct_status ct_checked_space_refresh(ct_space *space, uint32_t *count) {
    *count = 0;
    if (space->query == NULL) return CT_ERR_DATA;
    if (space->world == NULL) return CT_ERR_OVER;
    if (!ct_checked_may_change(space->world->entities)) return CT_ERR_DATA;
    ct_status status = ct_query_refresh(space->query);
    if (status == CT_OK) status = ct_space_refresh(space, space->query);
    if (status == CT_OK) *count = ct_space_count(space);
    return status;
}

void ct_checked_space_free(ct_space *space) {
    if (space != NULL && space->query != NULL) ct_space_delete(space);
}
