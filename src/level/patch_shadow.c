// A shadow world in which both versions of a level are spawned, so that their rows can be
// compared.
#include "level/patch_internal.h"

#include "base/message.h"
#include "world/create.h"
#include "world/define.h"
#include "world/host.h"

// Replacement of the world's host, which accepts all opaque sections and creates nothing.
static bool spawns_section(void *context, const ct_section *section) {
    (void)context, (void)section;
    return true;
}

static bool spawn_nothing(void *context, const ct_section *section, uint32_t copies, uint32_t count,
                          const ct_entity *entities) {
    (void)context, (void)section, (void)copies, (void)count, (void)entities;
    return true;
}

static const ct_host host = {.spawns_section = spawns_section, .spawn = spawn_nothing};

static uint32_t next_count(const ct_patch *patch) {
    return patch->next != NULL ? patch->next->num_entities : 0;
}

static ct_status take_sides(ct_patch *patch) {
    size_t old = patch->old->num_entities, next = next_count(patch);
    ct_entity *all = ct_arena_take(&patch->arena, 2 * (old + next) * sizeof *all);
    if (all == NULL) return CT_ERR_MEMORY;
    patch->before = (ct_patch_side){patch->old, all, all + old + next};
    patch->after = (ct_patch_side){patch->next, all + old, all + old + next + old};
    return CT_OK;
}

ct_status ct_patch_shadow_init(ct_patch *patch) {
    const ct_snapshot_world item = {"", patch->world, NULL, NULL};
    const ct_snapshot_worlds worlds = {patch->world->entities, &item, 1};
    ct_shadow_worlds_init(&patch->shadows, patch->allocator);
    ct_status status = ct_shadow_worlds_copy(&patch->shadows, &worlds);
    patch->shadow = patch->shadows.worlds;
    patch->parent.id = CT_NOBODY;
    if (status != CT_OK) return status;
    patch->shadow->host = &host;
    if (patch->options.parent.id != CT_NOBODY)
        status = ct_world_copy_parent(patch->shadow, patch->world, patch->options.parent,
                                      &patch->parent);
    return status == CT_OK ? take_sides(patch) : status;
}

void ct_patch_shadow_free(ct_patch *patch) { ct_shadow_worlds_free(&patch->shadows); }

// Spawns the old version, which fails if redefined components do not fit it.
static ct_status spawn_old(ct_patch *patch, const ct_spawn_options *options,
                           const ct_spawn_call *call) {
    ct_world *world = patch->shadow;
    ct_message reason;
    ct_status status = ct_spawner_check_options(world, patch->old, options, &reason);
    if (status == CT_OK)
        status =
            ct_spawner_spawn(world, patch->old, options, call, patch->before.entities, &reason);
    if (status == CT_ERR_DATA)
        ct_message_set(patch->message,
                       "the old resource of the level does not match the world any more: unload "
                       "the level and spawn it again (%s)",
                       reason.text);
    else if (status != CT_OK)
        ct_message_set(patch->message, "%s", reason.text);
    return status;
}

// Removes the components of types that the world did not have when the level was spawned.
static void remove_skipped(ct_patch *patch) {
    for (uint32_t s = 0; s < patch->old->num_component_types; ++s) {
        ct_manager *manager = ct_spawner_manager(patch->shadow, &patch->old->sections[s]);
        if (patch->level->skipped[s] && manager != NULL)
            ct_manager_remove_entities(manager, patch->old->num_entities, patch->before.entities);
    }
}

// Removes both versions from the shadow world.
static void clear(ct_patch *patch) {
    uint32_t old = patch->old->num_entities, next = next_count(patch);
    ct_world_remove_entities(patch->shadow, old + next, patch->before.entities);
    ct_entity_manager_rollback(&patch->shadows.entities, next, patch->after.entities);
    ct_entity_manager_rollback(&patch->shadows.entities, old, patch->before.entities);
}

ct_status ct_patch_shadow_spawn(ct_patch *patch, uint32_t copy) {
    const ct_copies *copies = patch->level->options.copies;
    if (copies != NULL && copies->poses != NULL) patch->options.pose = &copies->poses[copy];
    if (copy > 0) clear(patch);
    ct_spawn_options options = patch->options;
    options.parent = patch->parent;
    ct_spawn_call call = {.context = patch->context, .meant = patch->before.meant};
    // Issued numbers must be greater than all given numbers.
    for (uint32_t m = 0; m < patch->shadow->manager_count; ++m) {
        ct_store *store = &patch->shadow->managers[m]->store;
        if (store->multiple) store->last_number = CT_LAST_GIVEN_NUMBER;
    }
    ct_status status = spawn_old(patch, &options, &call);
    if (status != CT_OK) return status;
    remove_skipped(patch);
    if (patch->next == NULL) return CT_OK;
    call.meant = patch->after.meant;
    return ct_spawner_spawn(patch->shadow, patch->next, &options, &call, patch->after.entities,
                            patch->message);
}
