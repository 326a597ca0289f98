// Brings the entities of a resource to life in a world, type by type, all or nothing.
// Knows nothing of files or Lua.
#include "resource/spawner.h"

#include "base/message.h"
#include "resource/late.h"
#include "resource/path.h"
#include "resource/repeat.h"
#include "storage/death_trace.h"
#include "storage/manager_check.h"
#include "world/create.h"

#include <string.h>

void ct_spawner_builtin_layouts(ct_known_layout *out) {
    uint32_t count = 0;
    for (const ct_builtin *builtin = ct_builtins; builtin->name != NULL; ++builtin) {
        CT_ASSERT(count + 1 < CT_MAX_BUILTINS);
        ct_layout layout = builtin->layout();
        layout.multiple = builtin->multiple;
        out[count++] = (ct_known_layout){builtin->name, layout};
        if (layout.late != NULL) out[count++] = (ct_known_layout){layout.late_name, *layout.late};
    }
    out[count].name = NULL;
}

static ct_status full(const ct_manager *manager, ct_message *message) {
    ct_manager_tell_full(manager, message);
    return CT_ERR_FULL;
}

static ct_status out_of_memory(ct_message *message) {
    ct_message_set(message, "not enough memory");
    return CT_ERR_MEMORY;
}

// Rows may be taken only up to the limit; there the dead make room when it comes to it.
static ct_status reserve_rows(ct_manager *manager, uint64_t count, ct_message *message) {
    ct_columns *columns = &manager->store.columns;
    if (count > CT_MAX_ROWS) return full(manager, message);
    uint32_t room = CT_MAX_ROWS - columns->count;
    uint32_t wanted = count < room ? columns->count + (uint32_t)count : CT_MAX_ROWS;
    ct_status status = ct_columns_reserve(columns, manager->store.allocator, wanted, CT_MAX_ROWS);
    return status == CT_OK ? CT_OK : out_of_memory(message);
}

static uint32_t copies_of(const ct_spawn_options *options) {
    return options->copies != NULL ? options->copies->count : 1;
}

static bool host_knows(const ct_world *world, const ct_section *section,
                       const ct_spawn_options *options) {
    const ct_host *host = world->host;
    return section->schema == 0 && host != NULL && host->knows != NULL &&
           host->knows(host->user, options->context, section);
}

bool ct_spawner_skips(const ct_world *world, const ct_section *section,
                      const ct_spawn_options *options) {
    return ct_spawner_manager(world, section) == NULL && !host_knows(world, section, options) &&
           ct_late_manager(world, section) == NULL;
}

// Of many copies, a host gets no more than a manager would.
static ct_status check_instances(const ct_section *section, const ct_spawn_options *options,
                                 ct_message *message) {
    uint32_t copies = copies_of(options);
    if (copies <= 1 || (uint64_t)section->num_instances * copies <= CT_MAX_ROWS) return CT_OK;
    ct_message_set(message, "%s: %u instances in each of %u copies are more than %u", section->name,
                   section->num_instances, copies, CT_MAX_ROWS);
    return CT_ERR_FULL;
}

// A section that has no manager.
static ct_status check_other(const ct_world *world, const ct_section *section,
                             const ct_spawn_options *options, ct_message *message) {
    if (host_knows(world, section, options)) return check_instances(section, options, message);
    if (ct_late_manager(world, section) != NULL) return CT_OK;
    if (section->schema == 0 && ct_world_find(world, section->name) != NULL) {
        ct_message_set(message,
                       "%s: the resource holds what a registered compiler made, the world has "
                       "fields for it: register a spawner or compile it again",
                       section->name);
        return CT_ERR_DATA;
    }
    if (!options->refuse_unknown) return CT_OK;
    ct_message_set(message, "%s: %u instance%s of a component type that the world %s",
                   section->name, section->num_instances, section->num_instances == 1 ? "" : "s",
                   section->schema != 0 ? "does not know" : "has no spawner for");
    return CT_ERR_DATA;
}

// Whether the section's data is what its manager takes.
static ct_status verify_section(const ct_resource *resource, ct_section *section,
                                const ct_manager *manager, ct_message *message) {
    ct_field fields[CT_MAX_COLUMNS];
    ct_layout layout;
    if (!ct_section_layout(section, manager, fields, &layout, message)) return CT_ERR_DATA;
    ct_status status =
        ct_section_verify(section, &layout, resource->num_entities, resource->allocator, message);
    if (status == CT_ERR_MEMORY) return out_of_memory(message);
    if (status == CT_OK && !ct_section_check_labels(section, &layout, message)) return CT_ERR_DATA;
    return status;
}

static ct_status check_section(ct_world *world, ct_resource *resource, ct_section *section,
                               const ct_spawn_options *options, ct_message *message) {
    ct_manager *manager = ct_spawner_manager(world, section);
    if (manager == NULL) return check_other(world, section, options, message);
    ct_status status = verify_section(resource, section, manager, message);
    if (status != CT_OK) return status;
    ct_spawn spawn = {.num_instances = section->num_instances,
                      .entity_index = section->entity_index,
                      .data = section->data,
                      .size = section->size,
                      .parent = options->parent,
                      .copies = 1};
    if (manager->type->check_spawn != NULL && !manager->type->check_spawn(manager, &spawn, message))
        return CT_ERR_DATA;
    return reserve_rows(manager, (uint64_t)section->num_instances * copies_of(options), message);
}

uint64_t ct_spawner_count(const ct_resource *resource, const ct_spawn_options *options) {
    return (uint64_t)resource->num_entities * copies_of(options);
}

ct_status ct_spawner_check_count(ct_world *world, const ct_resource *resource,
                                 const ct_spawn_options *options, ct_message *message) {
    uint64_t count = ct_spawner_count(resource, options);
    ct_status status = CT_ERR_FULL;
    if (count <= CT_MAX_ENTITIES)
        status = ct_entity_manager_reserve(world->entities, (uint32_t)count);
    if (status == CT_ERR_MEMORY) return out_of_memory(message);
    uint32_t staying = ct_entity_manager_count(world->entities) - options->leaving;
    // With others about to leave, too little room now is not too little room then.
    if (status == CT_OK || (options->leaving > 0 && count <= CT_MAX_ENTITIES - staying))
        return CT_OK;
    if (options->copies != NULL)
        ct_message_set(message, "entity manager is full (%u alive, %u fit, %u copies of %u do not)",
                       staying, CT_MAX_ENTITIES - staying, copies_of(options),
                       resource->num_entities);
    else
        ct_message_set(message, "entity manager is full (%u alive, %u of %u fit)", staying,
                       CT_MAX_ENTITIES - staying, resource->num_entities);
    return status;
}

ct_status ct_spawner_verify(const ct_world *world, ct_resource *resource, ct_message *message) {
    for (uint32_t i = 0; i < resource->num_component_types; ++i) {
        ct_section *section = &resource->sections[i];
        const ct_manager *manager = ct_spawner_manager(world, section);
        if (manager == NULL) continue;
        ct_status status = verify_section(resource, section, manager, message);
        if (status != CT_OK) return status;
    }
    return CT_OK;
}

// Whoever spawns below a parent says whether this one will do.
static bool check_parent(const ct_world *world, ct_entity parent, ct_message *message) {
    const ct_spawn nothing = {.parent = parent, .copies = 1};
    if (parent.id == CT_NOBODY) return true;
    for (uint32_t i = 0; i < world->manager_count; ++i) {
        const ct_manager *manager = world->managers[i];
        if (manager->type->check_spawn == NULL ||
            manager->type->check_spawn(manager, &nothing, message))
            continue;
        if (ct_entity_manager_alive(world->entities, parent))
            return ct_message_set(message, "parent: entity(%u:%u) has no transform",
                                  ct_entity_index(parent), ct_entity_generation(parent));
        ct_message why;
        ct_dead_message(NULL, world->entities, parent, &why);
        return ct_message_set(message, "parent: %s", why.text);
    }
    return true;
}

ct_status ct_spawner_check_options(const ct_world *world, ct_resource *resource,
                                   const ct_spawn_options *options, ct_message *message) {
    if (!check_parent(world, options->parent, message) ||
        !ct_late_check_options(world, options, message))
        return CT_ERR_DATA;
    return ct_override_check(world, resource, options->overrides, options->override_count, message);
}

ct_status ct_spawner_check(ct_world *world, ct_resource *resource, const ct_spawn_options *options,
                           ct_message *message) {
    for (uint32_t i = 0; i < resource->num_component_types; ++i) {
        ct_status status = check_section(world, resource, &resource->sections[i], options, message);
        if (status != CT_OK) return status;
    }
    return ct_spawner_check_count(world, resource, options, message);
}

// ---------------------------------------------------------------- spawning

// A spawn at work.
typedef struct spawning {
    ct_world *world;
    ct_resource *resource;
    const ct_spawn_options *options;
    ct_spawn spawn;
    ct_message *message;
    bool user_code_ran; // the host's: anything may have changed
    // Sections that the world did not know at first stay skipped, whatever is defined meanwhile.
    uint32_t unknown[CT_MAX_COMPONENT_TYPES / 32];
} spawning;

static void note_unknown(spawning *s) {
    memset(s->unknown, 0, sizeof s->unknown);
    for (uint32_t i = 0; i < s->resource->num_component_types; ++i) {
        if (ct_spawner_manager(s->world, &s->resource->sections[i]) == NULL)
            s->unknown[i / 32] |= 1u << i % 32;
    }
}

// Takes everything off again, when nobody has seen it.
static void rollback(const spawning *s) {
    const ct_entity *entities = s->spawn.entity_lookup;
    uint32_t count = s->spawn.entity_count;
    for (uint32_t m = 0; m < s->world->manager_count; ++m) {
        ct_store *store = &s->world->managers[m]->store;
        // They are the last rows, so from the end nothing moves.
        for (uint32_t i = count; i-- > 0;)
            ct_store_remove_all(store, entities[i]);
    }
    ct_entity_manager_rollback(s->world->entities, count, entities);
}

static ct_status gone(const spawning *s, const char *name, uint32_t entity, const char *what) {
    ct_entity e = {s->spawn.entity_lookup[entity].id & 0x3FFFFFFFu};
    ct_text text = ct_resource_entity_name(s->resource, entity % s->resource->num_entities);
    ct_text place = {NULL, 0}, called;
    bool traced = ct_death_trace_find(s->world->entities, e, &place, &called) && place.length > 0;
    ct_message_set(s->message, "%s: entity(%u:%u)%s%s%s %s while the level was spawned%s%s", name,
                   ct_entity_index(e), ct_entity_generation(e), text.bytes != NULL ? " \"" : "",
                   text.bytes != NULL ? text.bytes : "", text.bytes != NULL ? "\"" : "", what,
                   traced ? ", destroyed at " : "", traced ? place.bytes : "");
    return CT_ERR_DATA;
}

// Whether the entities of a copy, from entity 'from' on, can have the section's instances.
static ct_status recheck_owners(spawning *s, const ct_section *section, const ct_manager *manager,
                                uint32_t from) {
    const ct_store *store = &manager->store;
    for (uint32_t i = 0; i < section->num_instances; ++i) {
        uint32_t entity = from + section->entity_index[i];
        ct_entity e = s->spawn.entity_lookup[entity];
        bool first = i == 0 || section->entity_index[i - 1] != section->entity_index[i];
        if (!ct_entity_manager_alive(store->entities, e))
            return gone(s, section->name, entity, "died");
        if (first && ct_store_find(store, e).i != CT_NO_ROW)
            return gone(s, section->name, entity, "was given one");
    }
    return CT_OK;
}

// What was checked before user code ran is checked again.
static ct_status recheck_section(spawning *s, ct_section *section, const ct_manager *manager) {
    ct_status status = check_section(s->world, s->resource, section, s->options, s->message);
    for (uint32_t copy = 0; copy < s->spawn.copies && status == CT_OK; ++copy)
        status = recheck_owners(s, section, manager, copy * s->resource->num_entities);
    return status;
}

// The last rows of a manager are the spawn's.
static ct_status note(const spawning *s, ct_manager *manager, uint32_t count) {
    if (s->options->additions == NULL) return CT_OK;
    ct_status status = ct_additions_note(s->options->additions, manager, count);
    return status == CT_OK ? CT_OK : out_of_memory(s->message);
}

static ct_status apply_overrides(spawning *s, ct_manager *manager) {
    uint32_t before = ct_store_count(&manager->store);
    ct_status status = ct_override_apply(manager, s->resource, s->options->overrides,
                                         s->options->override_count, &s->spawn, s->message);
    if (status != CT_OK) return status;
    return note(s, manager, ct_store_count(&manager->store) - before);
}

static ct_status spawn_instances(spawning *s, ct_manager *manager, const ct_section *section) {
    ct_spawn spawn = s->spawn;
    ct_field fields[CT_MAX_COLUMNS];
    ct_layout layout;
    if (!ct_section_layout(section, manager, fields, &layout, s->message)) return CT_ERR_DATA;
    if (layout.fields == fields) spawn.layout = &layout;
    // Overridden poses are those of the resource: the spawn's is composed with them when they are
    // set.
    if (ct_override_any(s->options->overrides, s->options->override_count, manager))
        spawn.pose = NULL;
    ct_status status = ct_repeat_spawn(manager, section, &spawn);
    if (status == CT_ERR_FULL) return full(manager, s->message);
    if (status == CT_ERR_MEMORY) return out_of_memory(s->message);
    if (status != CT_OK)
        ct_message_set(s->message, "%s: the data of its instances is damaged", section->name);
    return status == CT_OK ? note(s, manager, section->num_instances * spawn.copies) : status;
}

static ct_status spawn_by_host(spawning *s, const ct_section *section) {
    const ct_host *host = s->world->host;
    if (section->num_instances > 0) {
        s->user_code_ran = true;
        s->message->text[0] = '\0';
        if (host->spawn == NULL ||
            !host->spawn(host->user, s->options->context, section, s->spawn.copies,
                         s->spawn.entity_count, s->spawn.entity_lookup))
            return CT_ERR_DATA;
    }
    // It may have made components of a type of that name.
    ct_manager *manager = ct_world_find(s->world, section->name);
    return manager != NULL ? apply_overrides(s, manager) : CT_OK;
}

static ct_status spawn_section(spawning *s, uint32_t number) {
    ct_section *section = &s->resource->sections[number];
    if (host_knows(s->world, section, s->options)) return spawn_by_host(s, section);
    if (s->user_code_ran && (s->unknown[number / 32] >> number % 32 & 1) != 0) return CT_OK;
    ct_manager *manager = ct_spawner_manager(s->world, section);
    if (manager == NULL) return CT_OK;
    ct_status status = s->user_code_ran ? recheck_section(s, section, manager) : CT_OK;
    if (status == CT_OK && section->num_instances > 0)
        status = spawn_instances(s, manager, section);
    return status == CT_OK ? apply_overrides(s, manager) : status;
}

// Overrides of types that the resource does not have.
static ct_status add_others(spawning *s) {
    const ct_resource *resource = s->resource;
    ct_status status = CT_OK;
    for (uint32_t m = 0; m < s->world->manager_count && status == CT_OK; ++m) {
        ct_manager *manager = s->world->managers[m];
        uint32_t i = 0;
        while (i < resource->num_component_types &&
               resource->sections[i].identifier != manager->identifier)
            i++;
        if (i == resource->num_component_types) status = apply_overrides(s, manager);
    }
    return status;
}

void ct_spawner_undo(ct_world *world, void *context, uint32_t count, const ct_entity *entities) {
    const ct_host *host = world->host;
    if (host != NULL && host->undo != NULL)
        host->undo(host->user, context, count, entities);
    else
        ct_entity_manager_destroy(world->entities, count, entities, context);
    ct_world_strip(world, count, entities);
}

// All entities of a spawn, of as many copies.
static ct_spawn spawn_of(const ct_resource *resource, const ct_spawn_options *options,
                         const ct_entity *entities) {
    const ct_copies *copies = options->copies;
    bool each = copies != NULL && copies->poses != NULL;
    return (ct_spawn){.entity_lookup = entities,
                      .entity_count = (uint32_t)ct_spawner_count(resource, options),
                      .parent_index = resource->parent_index,
                      .pose = each ? copies->poses : options->pose,
                      .parent = options->parent,
                      .copies = copies_of(options),
                      .pose_each = each};
}

ct_status ct_spawner_spawn(ct_world *world, ct_resource *resource, const ct_spawn_options *options,
                           ct_entity *out, ct_message *message) {
    ct_status status = ct_spawner_check(world, resource, options, message);
    if (status != CT_OK || copies_of(options) == 0) return status;
    spawning s;
    s.world = world;
    s.resource = resource;
    s.options = options;
    s.spawn = spawn_of(resource, options, out);
    status = ct_entity_manager_create(world->entities, s.spawn.entity_count, out);
    if (status != CT_OK) return out_of_memory(message);
    if (options->created != NULL) *options->created = s.spawn.entity_count;
    s.message = message;
    s.user_code_ran = false;
    if (world->host != NULL) note_unknown(&s);
    if (options->override_count > 0) status = add_others(&s);
    for (uint32_t i = 0; i < resource->num_component_types && status == CT_OK; ++i)
        status = spawn_section(&s, i);
    if (status == CT_OK) status = ct_late_spawn(world, resource, options, &s.spawn, message);
    if (status == CT_OK) return CT_OK;
    if (s.user_code_ran)
        ct_spawner_undo(world, options->context, s.spawn.entity_count, out);
    else
        rollback(&s);
    return status;
}
