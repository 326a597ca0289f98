// Queries and spaces for hosts.
#include "host/host_internal.h"

#include "component/transform.h"
#include "world/checked/explained.h"

// ---------------------------------------------------------------- queries

// Makes a query from the managers and roles of the terms.
static ct_status make_query(ct_host_entities *host, ct_slot_world *world, uint32_t count,
                            const ct_host_term *terms, ct_query **query) {
    ct_manager *managers[CT_MAX_JOINED];
    ct_query_role roles[CT_MAX_JOINED];
    for (uint32_t i = 0; i < count && i < CT_MAX_JOINED; ++i) {
        managers[i] = ct_slot_manager_of(host, terms[i].component);
        roles[i] = terms[i].role;
        if (managers[i] == NULL) return CT_ERR_DATA;
    }
    return ct_explained_query(&world->core, count, managers, roles, query, &host->message);
}

ct_status ct_host_query_new(ct_host_entities *host, ct_host_world world, uint32_t count,
                            const ct_host_term *terms, ct_host_query *out) {
    ct_query *query;
    out->id = 0;
    ct_slot_world *object = ct_slot_change(host, world.id, CT_SLOT_WORLD);
    if (object == NULL) return CT_ERR_DATA;
    ct_status status = ct_slot_reserve(host);
    if (status == CT_OK) status = make_query(host, object, count, terms, &query);
    if (status != CT_OK) return status;
    return ct_slot_new(host, CT_SLOT_QUERY, object->slot, query, &out->id);
}

// Refreshes the matches of a query of a host or of a space.
static ct_status refresh(ct_host_entities *host, ct_query *query) {
    ct_status status = ct_query_refresh(query);
    if (status == CT_ERR_OVER) {
        ct_message_set(&host->message, "a component of the query was defined again");
        return status;
    }
    return ct_slot_status(host, status);
}

ct_status ct_host_refresh(ct_host_entities *host, ct_host_query query, uint32_t *count) {
    ct_query *object = ct_slot_read(host, query.id, CT_SLOT_QUERY);
    if (object == NULL) return CT_ERR_DATA;
    ct_status status = refresh(host, object);
    if (status == CT_OK && count != NULL) *count = object->count;
    return status;
}

ct_status ct_host_run(ct_host_entities *host, ct_host_query query, ct_query_run *run) {
    const ct_query *object = ct_slot_read(host, query.id, CT_SLOT_QUERY);
    if (object == NULL) return CT_ERR_DATA;
    ct_query_step step = ct_query_next_run(object, run);
    if (step == CT_QUERY_END) run->count = 0;
    if (step != CT_QUERY_MOVED) return CT_OK;
    return ct_slot_fail(host, "ct_host_refresh was not called since rows moved or an entity died");
}

// ---------------------------------------------------------------- spaces

void ct_host_space_options_init(ct_host_space_options *options, uint32_t size) {
    static const ct_host_space_options defaults = {.size = sizeof defaults, .dimensions = 2};
    ct_options_init(options, size, &defaults, sizeof defaults);
}

// Finds a field of a component of the query. A NULL name: none.
static bool find_field(ct_host_entities *host, const ct_query *query, ct_host_component component,
                       const char *name, bool mask, ct_space_field *out) {
    ct_message why;
    *out = (ct_space_field){CT_NO_ROW, CT_NO_ROW};
    if (name == NULL) return true;
    const ct_manager *manager = ct_slot_manager_of(host, component);
    if (manager == NULL) return false;
    uint32_t part = 0;
    while (part < query->part_count && query->managers[part] != manager)
        part++;
    if (part == query->part_count || query->roles[part] == CT_QUERY_EXCLUDED)
        return ct_message_set(&host->message, "%s is not in the query", manager->name);
    uint32_t field = ct_field_find(manager->fields, manager->field_count, name, &why);
    if (field == manager->field_count)
        return ct_message_set(&host->message, "%s: %s", manager->name, why.text);
    const ct_field *f = &manager->fields[field];
    if (!(mask ? ct_space_can_be_mask(f) : ct_space_can_be_radius(f)))
        return ct_message_set(&host->message, "%s: %s.%s is not a field of one %s",
                              mask ? "mask" : "radius", manager->name, name,
                              mask ? "integer" : "number");
    *out = (ct_space_field){part, field};
    return true;
}

// Checks the options and sets those of the core.
static bool read_options(ct_host_entities *host, const ct_query *query,
                         const ct_host_space_options *o, ct_space_plan *out) {
    uint32_t transform = 0;
    while (transform < query->part_count &&
           (query->managers[transform]->type != &ct_transform_type ||
            query->roles[transform] == CT_QUERY_EXCLUDED))
        transform++;
    if (transform == query->part_count)
        return ct_message_set(&host->message, "space: the query has no transform");
    if (o->dimensions != 2 && o->dimensions != 3)
        return ct_message_set(&host->message, "dimensions: 2 or 3 expected, got %u", o->dimensions);
    if (!ct_space_is_cell(o->cell))
        return ct_message_set(&host->message, "cell: a number above 0 expected");
    if (!(o->radius >= 0))
        return ct_message_set(&host->message, "radius: a number from 0 on expected");
    out->dimensions = o->dimensions;
    out->cell = o->cell;
    out->radius = o->radius;
    return find_field(host, query, o->radius_component, o->radius_field, false,
                      &out->radius_field) &&
           find_field(host, query, o->mask_component, o->mask_field, true, &out->mask_field);
}

ct_status ct_host_space_new(ct_host_entities *host, ct_host_query query,
                            const ct_host_space_options *options, ct_host_space *out) {
    ct_host_space_options o;
    ct_space_plan core;
    out->id = 0;
    ct_host_space_options_init(&o, sizeof o);
    if (!ct_slots_may_change(host) ||
        !ct_slot_options(options, &o, sizeof o, "ct_host_space_options_init", &host->message))
        return CT_ERR_DATA;
    ct_query *object = ct_slot_read(host, query.id, CT_SLOT_QUERY);
    if (object == NULL) return CT_ERR_DATA;
    if (object->ended) return refresh(host, object);
    if (!read_options(host, object, &o, &core)) return CT_ERR_DATA;
    ct_slot_world *world = ct_slot_owner(host, query.id);
    ct_slot_space *space = ct_slot_alloc(host, sizeof *space);
    if (space == NULL) return CT_ERR_MEMORY;
    space->matches = ct_query_new(&host->allocator, &world->core.queries, object->part_count,
                                  object->managers, object->roles);
    if (space->matches == NULL) {
        ct_free(&host->allocator, space, sizeof *space);
        return ct_slot_status(host, CT_ERR_MEMORY);
    }
    ct_space_init(&space->core, &world->core, ct_world_find(&world->core, CT_TRANSFORM), &core);
    return ct_slot_new(host, CT_SLOT_SPACE, world->slot, space, &out->id);
}

// Returns a space for questions: its filter needs masks if it has a mask.
static ct_space *space_of(ct_host_entities *host, ct_host_space space,
                          const ct_space_filter *filter) {
    ct_slot_space *object = ct_slot_read(host, space.id, CT_SLOT_SPACE);
    if (object == NULL) return NULL;
    ct_space *core = &object->core;
    if (filter == NULL || !filter->masked || core->plan.mask_field.part != CT_NO_ROW) return core;
    ct_message_set(&host->message, "filter: the space has no mask");
    return NULL;
}

ct_status ct_host_space_refresh(ct_host_entities *host, ct_host_space space, uint32_t *count) {
    ct_space *core = space_of(host, space, NULL);
    if (core == NULL) return CT_ERR_DATA;
    ct_query *matches = ((ct_slot_space *)(void *)core)->matches;
    ct_status status = refresh(host, matches);
    if (status == CT_OK) status = ct_slot_status(host, ct_space_refresh(core, matches));
    if (status == CT_OK && count != NULL) *count = ct_space_count(core);
    return status;
}

// Returns the status of a question, with its reason.
static ct_status answered(ct_host_entities *host, ct_status status) {
    if (status == CT_ERR_DATA)
        ct_message_set(&host->message, "a coordinate is not finite, or a length is negative");
    if (status == CT_ERR_FULL)
        ct_message_set(&host->message, "more than %u pairs", CT_SPACE_MAX_PAIRS);
    return ct_slot_status(host, status);
}

ct_status ct_host_within(ct_host_entities *host, ct_host_space space, const double *centre,
                         double reach, const ct_space_filter *filter, ct_space_answer *out) {
    ct_space *core = space_of(host, space, filter);
    if (core == NULL) return CT_ERR_DATA;
    return answered(host, ct_space_within(core, centre, reach, filter, out));
}

ct_status ct_host_box(ct_host_entities *host, ct_host_space space, const double *one,
                      const double *other, const ct_space_filter *filter, ct_space_answer *out) {
    ct_space *core = space_of(host, space, filter);
    if (core == NULL) return CT_ERR_DATA;
    return answered(host, ct_space_box(core, one, other, filter, out));
}

ct_status ct_host_nearest(ct_host_entities *host, ct_host_space space, const double *centre,
                          double max, const ct_space_filter *filter, ct_space_near *out) {
    const ct_space *core = space_of(host, space, filter);
    if (core == NULL) return CT_ERR_DATA;
    return answered(host, ct_space_nearest(core, centre, max, filter, out));
}

ct_status ct_host_ray(ct_host_entities *host, ct_host_space space, const double *from,
                      const double *to, double thickness, const ct_space_filter *filter,
                      ct_space_hit *hit) {
    const ct_space *core = space_of(host, space, filter);
    if (core == NULL) return CT_ERR_DATA;
    return answered(host, ct_space_ray(core, from, to, thickness, filter, hit));
}

ct_status ct_host_nearest_many(ct_host_entities *host, ct_host_space space, uint32_t count,
                               const double *centre, double max, const ct_space_filter *filter,
                               const ct_space_near **found, uint32_t *found_count) {
    ct_space *core = space_of(host, space, filter);
    if (core == NULL) return CT_ERR_DATA;
    return answered(host,
                    ct_space_nearest_many(core, count, centre, max, filter, found, found_count));
}

ct_status ct_host_pairs(ct_host_entities *host, ct_host_space space, double reach,
                        ct_host_space other, ct_space_answer *out) {
    ct_space *core = space_of(host, space, NULL), *second = NULL;
    if (core == NULL) return CT_ERR_DATA;
    if (other.id != 0) {
        second = space_of(host, other, NULL);
        if (second == NULL) return CT_ERR_DATA;
        if (second == core || second->world != core->world)
            return ct_slot_fail(host, "other: another space of the same world expected");
    }
    return answered(host, ct_space_pairs(core, reach, second, out));
}
