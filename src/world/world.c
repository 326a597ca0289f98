// Worlds: sets of component managers over a borrowed entity manager.
#include "world/world.h"

#include "base/hash.h"
#include "base/message.h"
#include "base/nearest.h"
#include "component/actor.h"
#include "component/debug_name.h"
#include "component/grid.h"
#include "component/mesh.h"
#include "component/model.h"
#include "component/point_mass.h"
#include "component/record.h"
#include "component/transform.h"
#include "storage/death_trace.h"
#include "storage/query.h"
#include "world/hooks/hooks.h"
#include "world/node_links.h"
#include "world/space/space.h"

#include <string.h>

const ct_builtin ct_builtins[] = {
    {&ct_transform_type, 1, CT_MAP_ARRAY},  //
    {&ct_debug_name_type, 2, CT_MAP_ARRAY}, //
    {&ct_model_type, 3, CT_MAP_HASH},       //
    {&ct_mesh_type, 4, CT_MAP_ARRAY},       // several for an entity
    {&ct_point_mass_type, 5, CT_MAP_HASH},  //
    {&ct_actor_type, 6, CT_MAP_HASH},       //
    {&ct_grid_type, 7, CT_MAP_HASH},        //
    {NULL, 0, CT_MAP_HASH},
};

ct_manager_setup ct_world_setup(ct_world *world, ct_map_kind map, bool multiple) {
    return (ct_manager_setup){
        .allocator = world->allocator,
        .entities = world->entities,
        .epochs = world->epochs,
        .strings = &world->strings,
        .values = &world->values,
        .seed = world->seed,
        .map = map,
        .multiple = multiple,
        .lender = world->lender.lend != NULL ? &world->lender : NULL,
    };
}

ct_status ct_world_init(ct_world *world, const ct_allocator *allocator, ct_entity_manager *entities,
                        uint32_t *epochs, uint64_t seed) {
    return ct_world_init_lent(world, allocator, entities, epochs, seed, NULL);
}

ct_status ct_world_init_lent(ct_world *world, const ct_allocator *allocator,
                             ct_entity_manager *entities, uint32_t *epochs, uint64_t seed,
                             const ct_lender *lender) {
    memset(world, 0, sizeof *world);
    world->allocator = allocator;
    world->entities = entities;
    world->epochs = epochs;
    world->seed = seed;
    ct_random_seed(&world->random, seed);
    if (lender != NULL) world->lender = *lender;
    world->next_spawn_order = CT_SPAWN_ORDER_DEFINED;
    ct_string_pool_init(&world->strings, allocator);
    ct_value_pool_init(&world->values, &world->strings);
    for (const ct_builtin *builtin = ct_builtins; builtin->type != NULL; ++builtin) {
        const bool multiple = builtin->type->shape->layout.multiple;
        const ct_manager_setup setup = ct_world_setup(world, builtin->map, multiple);
        ct_manager *manager = ct_manager_new(&setup, builtin->type);
        if (manager == NULL || ct_world_add(world, manager, builtin->spawn_order) != CT_OK) {
            if (manager != NULL) ct_manager_destroy(manager);
            ct_world_free(world);
            return CT_ERR_MEMORY;
        }
    }
    ct_node_links_connect(ct_world_find(world, CT_TRANSFORM), ct_world_find(world, CT_MODEL));
    ct_status status = ct_death_trace_add_names(entities, ct_world_find(world, CT_DEBUG_NAME));
    if (status != CT_OK) ct_world_free(world);
    return status;
}

void ct_world_free(ct_world *world) {
    (void)ct_world_profile(world, false); // stopping cannot fail
    for (ct_space *space = world->spaces, *next; space != NULL; space = next) {
        next = space->next;
        ct_space_free(space);
    }
    ct_query_end(world->queries, NULL);
    ct_death_trace_remove_names(world->entities, ct_world_find(world, CT_DEBUG_NAME));
    // In reverse spawn order, because a component may refer to earlier ones.
    while (world->manager_count > 0) {
        ct_hooks_free(world, world->managers[--world->manager_count]);
        ct_manager_destroy(world->managers[world->manager_count]);
    }
    while (world->spaces != NULL) // of plugins: components may free them when they end
        ct_space_delete(world->spaces);
    while (world->queries != NULL)
        ct_query_free(world->queries);
    ct_free(world->allocator, world->managers, world->manager_capacity * sizeof *world->managers);
    ct_value_pool_free(&world->values);
    ct_string_pool_free(&world->strings);
    ct_timings_free(&world->timings, world->allocator);
    world->managers = NULL;
    world->manager_capacity = 0;
    world->allocator = world->strings.allocator = &ct_allocator_destroyed;
    world->destroyed = true;
}

ct_status ct_world_add(ct_world *world, ct_manager *manager, uint32_t spawn_order) {
    ct_status status =
        ct_array_reserve(world->allocator, (void **)&world->managers, &world->manager_capacity,
                         world->manager_count + 1, sizeof(ct_manager *));
    if (status == CT_OK && ct_timings_are_on(&world->timings))
        status = ct_manager_profile(manager, true);
    if (status != CT_OK) return status;
    manager->spawn_order = spawn_order;
    uint32_t place = world->manager_count++;
    for (; place > 0 && world->managers[place - 1]->spawn_order > spawn_order; --place)
        world->managers[place] = world->managers[place - 1];
    world->managers[place] = manager;
    if (spawn_order >= world->next_spawn_order) world->next_spawn_order = spawn_order + 1;
    return CT_OK;
}

void ct_world_remove(ct_world *world, ct_manager *manager) {
    uint32_t place = 0;
    while (world->managers[place] != manager)
        place++;
    world->manager_count--;
    memmove(&world->managers[place], &world->managers[place + 1],
            (world->manager_count - place) * sizeof(ct_manager *));
    ct_query_end(world->queries, manager);
    ct_manager *replacement = ct_world_find_identifier(world, manager->identifier);
    if (replacement != NULL && replacement->hooks == NULL) {
        replacement->hooks = manager->hooks;
        manager->hooks = NULL;
    }
    if (replacement != NULL) {
        const ct_timings timings = replacement->timings;
        replacement->timings = manager->timings;
        manager->timings = timings;
    }
    ct_hooks_free(world, manager);
    ct_manager_destroy(manager);
}

// Returns the time of destroy listeners, which the entity manager measures for all its worlds.
// While timings are on, the world stores the value from the beginning.
static ct_work_time time_on_destroy(const ct_world *world) {
    const ct_work_time now = world->entities->listened;
    const ct_work_time own = ct_timings_of(&world->timings, CT_WORK_ON_DESTROY);
    if (!ct_timings_are_on(&world->timings)) return own;
    return (ct_work_time){now.calls - own.calls, now.nanoseconds - own.nanoseconds};
}

static ct_status set_timings(ct_world *world, bool on) {
    ct_status status = ct_timings_set(&world->timings, world->allocator, on);
    for (uint32_t i = 0; i < world->manager_count && status == CT_OK; ++i)
        status = ct_manager_profile(world->managers[i], on);
    return status;
}

ct_status ct_world_profile(ct_world *world, bool on) {
    ct_entity_manager *entities = world->entities;
    const ct_work_time before = time_on_destroy(world);
    const bool was_on = ct_timings_are_on(&world->timings);
    ct_status status = set_timings(world, on);
    if (status != CT_OK) {
        if (!was_on) (void)set_timings(world, false); // cannot fail
        return status;
    }
    if (was_on && entities->timed > 0) entities->timed--;
    if (on) entities->timed++;
    if (world->timings.counters != NULL)
        world->timings.counters->work[CT_WORK_ON_DESTROY] = on ? entities->listened : before;
    return CT_OK;
}

const char *ct_world_timing(const ct_world *world, const ct_manager *manager, uint32_t kind,
                            ct_work_time *out) {
    if (kind >= CT_WORK_KINDS) return NULL;
    *out = ct_timings_of(manager != NULL ? &manager->timings : &world->timings, (ct_work)kind);
    if (manager == NULL && kind == CT_WORK_ON_DESTROY) *out = time_on_destroy(world);
    return ct_work_name((ct_work)kind);
}

ct_manager *ct_world_find_identifier(const ct_world *world, uint32_t identifier) {
    for (uint32_t i = 0; i < world->manager_count; ++i) {
        if (world->managers[i]->identifier == identifier) return world->managers[i];
    }
    return NULL;
}

ct_manager *ct_world_find(const ct_world *world, const char *name) {
    uint32_t identifier = ct_hash_fnv1a(CT_FNV1A_START, name, strlen(name));
    ct_manager *manager = ct_world_find_identifier(world, identifier);
    return manager != NULL && strcmp(manager->name, name) == 0 ? manager : NULL;
}

ct_manager *ct_world_find_named(const ct_world *world, const char *name, ct_message *message) {
    ct_manager *manager = ct_world_find(world, name);
    if (manager != NULL) return manager;
    ct_message reason;
    ct_nearest nearest = ct_nearest_begin(name);
    for (uint32_t i = 0; i < world->manager_count; ++i)
        ct_nearest_offer(&nearest, world->managers[i]->name);
    ct_nearest_message(&nearest, &reason);
    ct_message_set(message, "unknown component %s", reason.text);
    return NULL;
}

bool ct_world_name_check(const ct_world *world, const char *name, ct_message *message) {
    uint32_t identifier = ct_hash_fnv1a(CT_FNV1A_START, name, strlen(name));
    const ct_manager *other = ct_world_find_identifier(world, identifier);
    return other == NULL || ct_component_names_differ(name, other->name, message);
}

bool ct_world_release_values(ct_world *world, ct_entity e) {
    bool any = false;
    for (uint32_t i = 0; i < world->manager_count; ++i) {
        ct_manager *manager = world->managers[i];
        if (manager->has_values) any = ct_manager_release_values(manager, e) || any;
    }
    return any;
}

uint32_t ct_world_gc(ct_world *world) {
    uint32_t removed = 0;
    for (uint32_t i = 0; i < world->manager_count; ++i)
        removed += ct_store_gc(&world->managers[i]->store);
    return removed;
}

uint32_t ct_world_sweep(ct_world *world) {
    uint32_t removed = 0;
    for (uint32_t i = 0; i < world->manager_count; ++i)
        removed += ct_store_sweep(&world->managers[i]->store);
    return removed;
}

uint32_t ct_world_gc_some(ct_world *world, uint32_t limit) {
    uint32_t removed = 0, count = world->manager_count, first = world->gc_next++;
    for (uint32_t i = 0; i < count && removed < limit; ++i) {
        ct_store *store = &world->managers[(first + i) % count]->store;
        removed += ct_store_gc_some(store, limit - removed);
    }
    return removed;
}

ct_status ct_world_reserve(ct_world *world, uint32_t count) {
    if (count > CT_MAX_ROWS) return CT_ERR_FULL;
    ct_status status = CT_OK;
    uint32_t indices = count;
    for (uint32_t i = 0; i < world->manager_count && status == CT_OK; ++i) {
        const ct_store *store = &world->managers[i]->store;
        if (ct_store_count(store) == 0) continue;
        uint32_t needed = ct_store_indices_for(store, count);
        if (needed > indices) indices = needed;
        status = ct_manager_reserve(world->managers[i], count);
    }
    return status == CT_OK ? ct_entity_manager_reserve_indices(world->entities, indices) : status;
}

size_t ct_world_trim(ct_world *world) {
    if (world->busy > 0) return 0;
    size_t before = ct_world_bytes(world) + ct_entity_manager_bytes(world->entities);
    ct_value_pool_trim(&world->values);
    ct_string_pool_trim(&world->strings); // first, because managers have an item for each string
    for (uint32_t i = 0; i < world->manager_count; ++i)
        ct_manager_trim(world->managers[i]);
    for (ct_query *query = world->queries; query != NULL; query = query->next)
        ct_query_trim(query);
    for (ct_space *space = world->spaces; space != NULL; space = space->next)
        ct_space_trim(space);
    ct_entity_manager_trim(world->entities);
    size_t after = ct_world_bytes(world) + ct_entity_manager_bytes(world->entities);
    return before > after ? before - after : 0;
}

size_t ct_world_bytes(const ct_world *world) {
    size_t bytes = ct_string_pool_bytes(&world->strings) + ct_value_pool_memory(&world->values) +
                   ct_timings_bytes(&world->timings) + world->formula_bytes +
                   world->manager_capacity * sizeof(ct_manager *);
    for (uint32_t i = 0; i < world->manager_count; ++i)
        bytes += ct_manager_bytes(world->managers[i]);
    for (const ct_query *query = world->queries; query != NULL; query = query->next)
        bytes += sizeof *query + ct_query_bytes(query);
    for (const ct_space *space = world->spaces; space != NULL; space = space->next)
        bytes += ct_space_bytes(space);
    return bytes;
}

static bool validate_strings(const ct_world *world, ct_message *message) {
    ct_string_audit audit;
    if (ct_string_audit_begin(&audit, &world->strings) != CT_OK)
        return ct_message_set(message, "strings: not enough memory to count their references");
    for (uint32_t i = 0; i < world->manager_count; ++i)
        ct_manager_count_strings(world->managers[i], &audit);
    ct_value_pool_count_strings(&world->values, &audit);
    bool valid = ct_string_audit_check(&audit, message);
    ct_string_audit_end(&audit);
    return valid;
}

static bool validate_values(const ct_world *world, ct_message *message) {
    uint64_t counted = ct_value_pool_references(&world->values), held = 0;
    for (uint32_t i = 0; i < world->manager_count; ++i)
        held += ct_manager_count_values(world->managers[i]);
    return counted == held || ct_message_set(message, "values: %u references are counted, %u held",
                                             (uint32_t)counted, (uint32_t)held);
}

bool ct_world_validate(const ct_world *world, ct_message *message) {
    for (uint32_t i = 0; i < world->manager_count; ++i) {
        if (!ct_manager_validate(world->managers[i], message)) return false;
    }
    return validate_strings(world, message) && validate_values(world, message);
}
