// Worlds for hosts: their component types, and entities with components.
#include "host/host_internal.h"

#include "component/mesh.h"
#include "component/point_mass.h"
#include "component/record.h"
#include "storage/manager_access.h"
#include "world/create.h"
#include "world/define.h"

// Maximum number of parts of ct_host_create_with.
#define CT_MAX_PARTS 256u

// ---------------------------------------------------------------- worlds

void ct_host_world_options_init(ct_host_world_options *options, uint32_t size) {
    static const ct_host_world_options defaults = {sizeof defaults, NULL, 1};
    ct_options_init(options, size, &defaults, sizeof defaults);
}

static bool is_used(const ct_host_entities *host, const char *name) {
    uint32_t i = 0;
    while (i < host->world_count && strcmp(host->worlds[i].name, name) != 0)
        i++;
    return i < host->world_count;
}

// Copies the name of a new world, or makes one.
static bool name_world(ct_host_entities *host, const char *name, char *out) {
    ct_message made;
    if (name != NULL) {
        size_t length = strlen(name);
        if (length == 0 || length > 63)
            return ct_message_set(&host->message, "name of a world: 1 to 63 bytes expected");
        if (is_used(host, name))
            return ct_message_set(&host->message, "there is a world '%s' already", name);
        memcpy(out, name, length + 1);
        return true;
    }
    do
        ct_message_set(&made, "world%u", ++host->world_number);
    while (is_used(host, made.text));
    memcpy(out, made.text, strlen(made.text) + 1);
    return true;
}

// Makes a world whose handle has room.
static ct_status open_world(ct_host_entities *host, ct_slot_world *world, uint64_t seed,
                            ct_host_world *out) {
    ct_status status = ct_slot_reserve(host);
    if (status == CT_OK)
        status = ct_array_reserve(&host->allocator, (void **)&host->worlds, &host->world_capacity,
                                  host->world_count + 1, sizeof *host->worlds);
    if (status == CT_OK)
        status = ct_world_init(&world->core, &host->allocator, &host->core, &host->epochs, seed);
    if (status != CT_OK) return ct_slot_status(host, status);
    // Nothing below this line can fail.
    (void)ct_slot_new(host, CT_SLOT_WORLD, 0, world, &out->id);
    world->slot = (uint32_t)out->id - 1;
    ct_levels_init(&world->levels, &world->core);
    host->worlds[host->world_count++] =
        (ct_snapshot_world){world->name, &world->core, &world->levels, NULL};
    return CT_OK;
}

ct_status ct_host_world_new(ct_host_entities *host, const ct_host_world_options *options,
                            ct_host_world *out) {
    ct_host_world_options o;
    out->id = 0;
    ct_host_world_options_init(&o, sizeof o);
    if (!ct_slots_may_change(host) ||
        !ct_slot_options(options, &o, sizeof o, "ct_host_world_options_init", &host->message))
        return CT_ERR_DATA;
    ct_slot_world *world = ct_alloc_zero(&host->allocator, sizeof *world);
    if (world == NULL) return ct_slot_status(host, CT_ERR_MEMORY);
    ct_status status = CT_ERR_DATA;
    if (name_world(host, o.name, world->name)) status = open_world(host, world, o.seed, out);
    if (status != CT_OK) ct_free(&host->allocator, world, sizeof *world);
    return status;
}

ct_status ct_host_gc(ct_host_entities *host, ct_host_world world, bool all, uint32_t *removed) {
    ct_slot_world *object = ct_slot_change(host, world.id, CT_SLOT_WORLD);
    if (object == NULL) return CT_ERR_DATA;
    uint32_t count = all ? ct_world_sweep(&object->core) : ct_world_gc(&object->core);
    if (removed != NULL) *removed = count;
    return CT_OK;
}

ct_status ct_host_clear(ct_host_entities *host, ct_host_world world, bool with_entities) {
    ct_owners owners = {NULL, 0};
    ct_slot_world *object = ct_slot_change(host, world.id, CT_SLOT_WORLD);
    if (object == NULL) return CT_ERR_DATA;
    if (with_entities && !ct_slot_owners(host, object, &owners)) return CT_ERR_MEMORY;
    (void)ct_world_clear(&object->core, &owners, NULL); // there is no host that could fail
    ct_free(&host->allocator, owners.items, owners.capacity * sizeof *owners.items);
    return CT_OK;
}

ct_status ct_host_memory(ct_host_entities *host, ct_host_world world, size_t *bytes) {
    const ct_slot_world *object = ct_slot_world_of(host, world);
    if (object == NULL) return CT_ERR_DATA;
    *bytes = ct_world_bytes(&object->core);
    return CT_OK;
}

ct_status ct_host_random(ct_host_entities *host, ct_host_world world, double *out) {
    ct_slot_world *object = ct_slot_edit(host, world.id, CT_SLOT_WORLD);
    if (object == NULL) return CT_ERR_DATA;
    *out = ct_random_fraction(&object->core.random);
    return CT_OK;
}

ct_status ct_host_validate(ct_host_entities *host, ct_host_world world) {
    const ct_slot_world *object = ct_slot_world_of(host, world);
    if (object == NULL) return CT_ERR_DATA;
    return ct_entity_manager_validate(&host->core, &host->message) &&
                   ct_world_validate(&object->core, &host->message)
               ? CT_OK
               : CT_ERR_DATA;
}

ct_status ct_host_mesh(ct_host_entities *host, ct_host_world world, const char *name) {
    ct_manager *meshes = ct_slot_named(host, world, CT_MESH, name);
    if (meshes == NULL) return CT_ERR_DATA;
    ct_status status = ct_mesh_add_name(meshes, ct_slot_text(name));
    if (status == CT_ERR_FULL) ct_message_set(&host->message, "mesh: too many names");
    return ct_slot_status(host, status);
}

ct_status ct_host_simulate(ct_host_entities *host, ct_host_world world, float dt) {
    const ct_slot_world *object = ct_slot_change(host, world.id, CT_SLOT_WORLD);
    if (object == NULL) return CT_ERR_DATA;
    ct_point_mass_simulate(ct_world_find(&object->core, CT_POINT_MASS), dt);
    return CT_OK;
}

// ---------------------------------------------------------------- component types

void ct_host_component_options_init(ct_host_component_options *options, uint32_t size) {
    static const ct_host_component_options defaults = {.size = sizeof defaults};
    ct_options_init(options, size, &defaults, sizeof defaults);
}

// Removes the manager that a new one replaces, with its handle.
static void replace(ct_host_entities *host, ct_slot_world *world, const ct_definition *made) {
    uintptr_t place = (uintptr_t)made->replaced->object;
    for (uint32_t i = 0; i < host->slot_count; ++i) {
        ct_slot_hook *hook = host->slots[i].object;
        if (host->slots[i].kind == CT_SLOT_HOOK && hook->manager == made->replaced)
            hook->manager = made->manager;
    }
    ct_world_migrate(made);
    if (place != 0) ct_slot_drop(host, &host->slots[place - 1]);
    ct_world_remove(&world->core, made->replaced);
}

static ct_status define(ct_host_entities *host, ct_slot_world *world, const ct_component *component,
                        bool migrate, ct_host_component *out) {
    ct_definition made;
    ct_status status = ct_slot_reserve(host);
    if (status != CT_OK) return status;
    status = ct_world_define(&world->core, component, false, migrate, &made, &host->message);
    if (status != CT_OK) return status;
    // Nothing below this line can fail.
    (void)ct_slot_of_manager(host, world, made.manager, &out->id);
    if (made.is_new && made.replaced != NULL) replace(host, world, &made);
    return CT_OK;
}

ct_status ct_host_define(ct_host_entities *host, ct_host_world world,
                         const ct_host_component_options *options, ct_host_component *out) {
    ct_host_component_options o = {.size = sizeof o};
    out->id = 0;
    if (!ct_slots_may_change(host) ||
        !ct_slot_options(options, &o, sizeof o, "ct_host_component_options_init", &host->message))
        return CT_ERR_DATA;
    ct_slot_world *object = ct_slot_world_of(host, world);
    if (object == NULL) return CT_ERR_DATA;
    // Fields may have the names of methods, which only scripts call.
    const char *hidden[CT_MAX_RECORD_FIELDS + 1] = {NULL};
    for (uint32_t i = 0; o.fields != NULL && i < o.field_count && i < CT_MAX_RECORD_FIELDS; ++i)
        hidden[i] = o.fields[i].name;
    const ct_component component = {.size = sizeof component,
                                    .flags = o.flags,
                                    .name = o.name,
                                    .fields = o.fields,
                                    .field_count = o.field_count,
                                    .hidden = hidden};
    if (o.name == NULL) return ct_slot_fail(host, "name of a component: a text expected, got NULL");
    if (!ct_component_check(&component, &host->message) ||
        !ct_world_name_check(&object->core, o.name, &host->message))
        return CT_ERR_DATA;
    return define(host, object, &component, o.migrate, out);
}

ct_status ct_host_find_component(ct_host_entities *host, ct_host_world world, const char *name,
                                 ct_host_component *out) {
    out->id = 0;
    const ct_slot_world *object = ct_slot_world_of(host, world);
    if (object == NULL) return CT_ERR_DATA;
    ct_manager *manager =
        ct_world_find_named(&object->core, name != NULL ? name : "", &host->message);
    return manager != NULL ? ct_slot_of_manager(host, object, manager, &out->id) : CT_ERR_DATA;
}

// ---------------------------------------------------------------- entities with components

// Writes the batches of the parts in spawn order. 'values' has room for the inputs of each part.
static bool read_parts(ct_host_entities *host, const ct_slot_world *world, uint32_t count,
                       uint32_t part_count, const ct_host_part *parts, ct_values *values,
                       ct_component_batch *batches) {
    uint32_t written = 0;
    for (uint32_t i = 0; i < part_count; ++i, values += CT_MAX_COLUMNS) {
        ct_manager *manager = ct_slot_manager_of(host, parts[i].component);
        if (manager == NULL) return false;
        if (ct_world_find(&world->core, manager->name) != manager)
            return ct_message_set(&host->message, "%s belongs to another world", manager->name);
        if (manager->shape->hosted != NULL)
            return ct_message_set(&host->message, "%s: only scripts add it, with its %s",
                                  manager->name, manager->shape->hosted);
        if (!ct_slot_values(host, manager, count, parts[i].value_count, parts[i].values, values))
            return false;
        ct_component_batch_insert(batches, &written, (ct_component_batch){manager, values, NULL});
    }
    return true;
}

static ct_status create_parts(ct_host_entities *host, ct_slot_world *world, uint32_t count,
                              const ct_component_batch *batches, uint32_t batch_count,
                              ct_entity *out) {
    uint32_t failed;
    ct_additions additions;
    ct_status status =
        ct_world_create(&world->core, count, batches, batch_count, out, &additions, &failed);
    if (status == CT_OK) return ct_slot_created(host, &additions, count, out);
    const ct_manager *manager = failed < batch_count ? batches[failed].manager : NULL;
    if (status == CT_ERR_FULL && manager == NULL)
        ct_message_set(&host->message, "entity manager is full (%u alive, %u more requested)",
                       ct_host_count(host), count);
    else if (status == CT_ERR_FULL)
        ct_manager_full_message(manager, &host->message);
    else if (status == CT_ERR_EXISTS && manager != NULL)
        ct_message_set(&host->message, "%s: given twice, and an entity may have one",
                       manager->name);
    else if (status == CT_ERR_DATA || status == CT_ERR_CYCLE)
        ct_message_set(&host->message, "%s: the values do not fit together",
                       manager != NULL ? manager->name : "components");
    return ct_slot_status(host, status);
}

ct_status ct_host_create_with(ct_host_entities *host, ct_host_world world, uint32_t count,
                              uint32_t part_count, const ct_host_part *parts, ct_entity *out) {
    ct_slot_world *object = ct_slot_edit(host, world.id, CT_SLOT_WORLD);
    if (object == NULL) return CT_ERR_DATA;
    const size_t width = sizeof(ct_component_batch) + CT_MAX_COLUMNS * sizeof(ct_values);
    if (part_count > CT_MAX_PARTS)
        return ct_slot_fail(host, "%u parts at most, got %u", CT_MAX_PARTS, part_count);
    ct_component_batch *batches = ct_alloc_zero(&host->allocator, (part_count + 1) * width);
    if (batches == NULL) return ct_slot_status(host, CT_ERR_MEMORY);
    ct_values *values = (ct_values *)(void *)(batches + part_count + 1);
    ct_status status = CT_ERR_DATA;
    if (read_parts(host, object, count, part_count, parts, values, batches))
        status = create_parts(host, object, count, batches, part_count, out);
    ct_free(&host->allocator, batches, (part_count + 1) * width);
    return status;
}
