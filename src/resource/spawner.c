// Spawning of the entities of a resource in a world, type by type, all or nothing.
#include "resource/spawner_internal.h"

#include "base/math.h"
#include "base/message.h"
#include "resource/path.h"
#include "storage/death_trace.h"
#include "world/create.h"

#include <string.h>

// State of a spawn.
typedef struct spawning {
    ct_world *world;
    ct_resource *resource;
    const ct_spawn_options *options;
    const ct_spawn_call *call;
    ct_spawn spawn;
    ct_message *message;
    bool user_code_ran; // the host's code, which may change anything
    // Sections without a manager at the start stay skipped, even if the host defines the type.
    uint32_t unknown[CT_MAX_COMPONENT_TYPES / 32];
} spawning;

static void note_unknown(spawning *s) {
    memset(s->unknown, 0, sizeof s->unknown);
    for (uint32_t i = 0; i < s->resource->num_component_types; ++i) {
        if (ct_spawner_manager(s->world, &s->resource->sections[i]) == NULL)
            s->unknown[i / 32] |= 1u << i % 32;
    }
}

// Removes all components and entities of the spawn. No user code has run.
static void rollback(const spawning *s) {
    ct_world_remove_entities(s->world, s->spawn.entity_count, s->spawn.entity_lookup);
    for (uint32_t m = 0; m < s->world->manager_count; ++m)
        ct_store_restore_number(&s->world->managers[m]->store);
    ct_entity_manager_rollback(s->world->entities, s->spawn.entity_count, s->spawn.entity_lookup);
}

static ct_status gone(const spawning *s, const char *name, uint32_t entity, const char *what) {
    ct_entity e = {s->spawn.entity_lookup[entity].id & 0x3FFFFFFFu};
    ct_text place = {NULL, 0}, called;
    ct_message shown;
    bool traced = ct_death_trace_find(s->world->entities, e, &place, &called) && place.length > 0;
    ct_path_entity_message(s->resource, entity, e, &shown);
    ct_message_set(s->message, "%s: %s %s while the level was spawned%s%s", name, shown.text, what,
                   traced ? ", destroyed at " : "", traced ? place.bytes : "");
    return CT_ERR_DATA;
}

// Checks that the entities of a copy, from entity 'from' on, can still get the section's
// instances.
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

// Repeats the checks that were made before user code ran.
static ct_status recheck_section(spawning *s, ct_section *section, const ct_manager *manager) {
    ct_status status = ct_spawner_check_section(s->world, s->resource, section, s->options,
                                                s->call->context, s->message);
    for (uint32_t copy = 0; copy < s->spawn.copies && status == CT_OK; ++copy)
        status = recheck_owners(s, section, manager, copy * s->resource->num_entities);
    return status;
}

// Adds the last 'count' rows of a manager, which the spawn created, to the additions.
static ct_status note(const spawning *s, ct_manager *manager, uint32_t count) {
    if (s->call->additions == NULL) return CT_OK;
    ct_status status = ct_additions_note(s->call->additions, manager, count);
    return status == CT_OK ? CT_OK : ct_message_out_of_memory(s->message);
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
    // Overrides change the local pose of the resource; the pose of the spawn is composed
    // afterwards.
    if (ct_override_any(s->options->overrides, s->options->override_count, manager))
        spawn.pose = NULL;
    ct_status status = ct_repeat_spawn(manager, section, &spawn);
    if (status == CT_ERR_FULL) return ct_spawner_fail_full(manager, s->message);
    if (status == CT_ERR_MEMORY) return ct_message_out_of_memory(s->message);
    if (status != CT_OK)
        ct_message_set(s->message, "%s: the data of its instances is damaged", section->name);
    return status == CT_OK ? note(s, manager, section->num_instances * spawn.copies) : status;
}

static ct_status spawn_by_host(spawning *s, const ct_section *section) {
    const ct_host *host = s->world->host;
    if (section->num_instances > 0) {
        s->user_code_ran = true;
        s->message->text[0] = '\0';
        if (host == NULL || host->spawn == NULL ||
            !host->spawn(s->call->context, section, s->spawn.copies, s->spawn.entity_count,
                         s->spawn.entity_lookup))
            return CT_ERR_DATA;
    }
    // The host may have created components of a type of that name.
    ct_manager *manager = ct_world_find(s->world, section->name);
    return manager != NULL ? apply_overrides(s, manager) : CT_OK;
}

static ct_status spawn_section(spawning *s, uint32_t number) {
    ct_section *section = &s->resource->sections[number];
    if (ct_spawner_host_spawns(s->world, section, s->call->context))
        return spawn_by_host(s, section);
    if (s->user_code_ran && (s->unknown[number / 32] >> number % 32 & 1) != 0) return CT_OK;
    ct_manager *manager = ct_spawner_manager(s->world, section);
    if (manager == NULL) return CT_OK;
    ct_status status = s->user_code_ran ? recheck_section(s, section, manager) : CT_OK;
    if (status == CT_OK && section->num_instances > 0)
        status = spawn_instances(s, manager, section);
    return status == CT_OK ? apply_overrides(s, manager) : status;
}

// Applies overrides of types that the resource does not have.
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
        host->undo(context, count, entities);
    else
        ct_entity_manager_destroy_for(world->entities, CT_REASON_UNDO, count, entities, context);
    ct_world_remove_entities(world, count, entities);
}

// Describes all entities of a spawn, in all copies.
static ct_spawn spawn_of(const ct_resource *resource, const ct_spawn_options *options,
                         const ct_entity *entities, ct_scratch *scratch) {
    const ct_copies *copies = options->copies;
    bool each = copies != NULL && copies->poses != NULL;
    return (ct_spawn){.entity_lookup = entities,
                      .entity_count = (uint32_t)ct_spawner_count(resource, options),
                      .parent_index = resource->parent_index,
                      .pose = each ? copies->poses : options->pose,
                      .parent = options->parent,
                      .copies = ct_spawner_copies(options),
                      .pose_each = each,
                      .scratch = scratch};
}

static ct_status finish(spawning *s) {
    const ct_spawn_call *call = s->call;
    ct_spawn_finish arguments = {call->user, call->context, &s->spawn, s->user_code_ran,
                                 call->additions};
    if (call->finish == NULL) return CT_OK;
    ct_status status = call->finish(&arguments, s->message);
    s->user_code_ran = arguments.user_code_ran;
    return status;
}

// Creates the components of existing entities. Rolls back after a failure.
static ct_status spawn_all(spawning *s) {
    ct_world *world = s->world;
    const ct_spawn_options *options = s->options;
    ct_status status = CT_OK;
    for (uint32_t m = 0; m < world->manager_count; ++m)
        ct_store_keep_number(&world->managers[m]->store);
    if (world->host != NULL) note_unknown(s);
    if (options->override_count > 0) status = add_others(s);
    for (uint32_t i = 0; i < s->resource->num_component_types && status == CT_OK; ++i)
        status = spawn_section(s, i);
    if (status == CT_OK)
        status = ct_late_spawn(world, s->resource, options, &s->spawn, s->call->wrong_option,
                               s->message);
    if (status == CT_OK) status = finish(s);
    if (status == CT_OK) return CT_OK;
    if (s->user_code_ran && s->call->wrong_option != NULL) *s->call->wrong_option = false;
    if (s->user_code_ran)
        ct_spawner_undo(world, s->call->context, s->spawn.entity_count, s->spawn.entity_lookup);
    else
        rollback(s);
    return status;
}

ct_status ct_spawner_spawn(ct_world *world, ct_resource *resource, const ct_spawn_options *options,
                           const ct_spawn_call *call, ct_entity *out, ct_message *message) {
    ct_status status = ct_spawner_check(world, resource, options, call->context, message);
    if (status != CT_OK || ct_spawner_copies(options) == 0) return status;
    uint32_t count = (uint32_t)ct_spawner_count(resource, options);
    status = ct_entity_manager_create(world->entities, count, out);
    if (status != CT_OK) return ct_message_out_of_memory(message);
    if (call->created != NULL) *call->created = count;
    ct_scratch scratch;
    ct_scratch_init(&scratch, world->allocator);
    spawning s;
    s.world = world;
    s.resource = resource;
    s.options = options;
    s.call = call;
    s.spawn = spawn_of(resource, options, out, &scratch);
    s.spawn.meant = call->meant;
    s.message = message;
    s.user_code_ran = false;
    status = spawn_all(&s);
    ct_scratch_free(&scratch);
    return status;
}

void ct_copies_set_poses(ct_pose *poses, uint32_t count, const ct_pose_arrays *arrays) {
    for (uint32_t i = 0; i < count; ++i) {
        const void *position = ct_values_item(&arrays->positions, i);
        const void *rotation = ct_values_item(&arrays->rotations, i);
        const float *angle = ct_values_item(&arrays->angles, i);
        const float *scale = ct_values_item(&arrays->scales, i);
        ct_pose *pose = &poses[i];
        *pose = ct_pose_identity;
        if (position != NULL) memcpy(pose->position, position, sizeof pose->position);
        if (rotation != NULL) memcpy(pose->rotation, rotation, sizeof pose->rotation);
        if (angle != NULL) ct_quat_from_angle(*angle, pose->rotation);
        for (int lane = 0; lane < 3 && scale != NULL; ++lane)
            pose->scale[lane] = *scale;
    }
}
