// A program without Lua that releases levels at every permitted time: after spawning, in a
// snapshot, after a patch, in a callback, after the end of their world.
#include "level/level.h"
#include "level/patch.h"
#include "level/snapshot.h"
#include "world/host.h"

#include "host.h"

static budget memory = {0, SIZE_MAX};
static const ct_allocator allocator = {reallocate_within, &memory};

typedef struct scene {
    ct_entity_manager entities;
    ct_world world;
    ct_levels levels;
    ct_snapshot_world item;
    ct_snapshot_worlds worlds;
    ct_snapshot snapshot;
    ct_resource old, next;
    uint32_t epochs;
    ct_level *released_by_host; // by the next destroy
} scene;

static bool open_scene(scene *s, char **paths) {
    ct_entity_manager_init(&s->entities, &allocator, 4);
    if (ct_world_init(&s->world, &allocator, &s->entities, &s->epochs, 1) != CT_OK) return false;
    ct_levels_init(&s->levels, &s->world);
    s->item = (ct_snapshot_world){"sea", &s->world, &s->levels, NULL};
    s->worlds = (ct_snapshot_worlds){&s->entities, &s->item, 1};
    ct_snapshot_init(&s->snapshot, &allocator);
    return load_resource(paths[1], &allocator, &s->old) &&
           load_resource(paths[2], &allocator, &s->next);
}

static ct_level *spawn(scene *s) {
    const ct_spawn_options options = {.parent = {CT_NOBODY}};
    ct_message message;
    ct_level *level;
    if (ct_level_new(&s->levels, &s->old, &options, &level, &message) != CT_OK ||
        ct_level_spawn(level, NULL, &message) != CT_OK)
        exit(3);
    return level;
}

static void take(scene *s) {
    ct_message message;
    if (ct_snapshot_take(&s->snapshot, &s->worlds, &message) != CT_OK) exit(4);
}

static void patch(scene *s, ct_level *level, ct_resource *to) {
    ct_patch_result result;
    ct_message message;
    bool ok;
    if (ct_level_patch(level, to, NULL, &result, &ok, &message) != CT_OK) exit(5);
    ct_patch_result_free(&s->world, &result);
}

static void show(scene *s, const char *name) {
    ct_message message;
    const ct_level *level = ct_levels_next(&s->levels, NULL);
    printf("%s: %u alive, %u in the first level, %u and %u hold the resources%s\n", name,
           (unsigned)ct_entity_manager_count(&s->entities),
           (unsigned)(level != NULL ? ct_level_count(level) : 0), (unsigned)s->old.holders,
           (unsigned)s->next.holders,
           ct_world_validate(&s->world, &message) ? "" : ", the world is not valid");
}

static void restore(scene *s, const char *name) {
    ct_message message;
    if (ct_snapshot_restore(&s->snapshot, &s->worlds, &message) != CT_OK) exit(6);
    show(s, name);
}

static void play_snapshots(scene *s) {
    ct_level *level = spawn(s);
    take(s);
    ct_level_unload(level, NULL, NULL);
    ct_level_release(level);
    show(s, "released");
    level = spawn(s); // does not reuse the memory of the released level
    ct_level_unload(level, NULL, NULL);
    ct_level_release(level);
    restore(s, "back");
    ct_levels_unload(&s->levels, CT_REASON_UNLOAD, NULL);
    restore(s, "back again");
    ct_snapshot_free(&s->snapshot);
    show(s, "without snapshot");
    ct_levels_unload(&s->levels, CT_REASON_UNLOAD, NULL);
    show(s, "unloaded");
}

static void play_patches(scene *s) {
    ct_level *level = spawn(s);
    take(s);
    patch(s, level, &s->next);
    ct_level_release(level);
    show(s, "patched");
    restore(s, "before the patch");
    level = s->levels.youngest;
    patch(s, level, &s->next);
    take(s);
    patch(s, level, &s->old);
    ct_levels_unload(&s->levels, CT_REASON_UNLOAD, NULL);
    restore(s, "patched once");
    ct_snapshot_free(&s->snapshot);
    ct_levels_unload(&s->levels, CT_REASON_UNLOAD, NULL);
    show(s, "unloaded");
}

static scene *hosted; // whose world has the host

static bool destroy(void *context, ct_reason reason, uint32_t count, const ct_entity *entities,
                    uint32_t *died) {
    scene *s = hosted;
    ct_level_release(s->released_by_host);
    s->released_by_host = NULL;
    *died = ct_entity_manager_destroy_for(&s->entities, reason, count, entities, context);
    return true;
}

static void play_callbacks(scene *s) {
    const ct_host host = {.destroy = destroy};
    ct_message message;
    s->world.host = &host;
    hosted = s;
    ct_level *level = s->released_by_host = spawn(s);
    ct_level_unload(level, NULL, NULL);
    show(s, "released while it is unloaded");
    level = s->released_by_host = spawn(s);
    ct_level_restart(level, NULL, &message);
    show(s, "released while it is restarted");
    level = s->released_by_host = s->levels.youngest;
    ct_level_hold(level);
    patch(s, level, &s->next);
    show(s, "released while it is patched");
    ct_levels_unload(&s->levels, CT_REASON_UNLOAD, NULL);
    s->world.host = NULL;
    show(s, "unloaded");
}

// Levels without living entities leave the list when new ones are spawned, and have no other
// references then.
static void play_many(scene *s) {
    for (int i = 0; i < 200; ++i) {
        ct_level *level = spawn(s);
        ct_entity all[64];
        for (uint32_t e = 0; e < ct_level_count(level); ++e)
            all[e] = ct_level_entity(level, e);
        ct_entity_manager_destroy(&s->entities, ct_level_count(level), all, NULL);
        ct_level_release(level);
    }
    printf("%s\n", s->levels.count < 40 ? "few of 200 are left" : "all are left");
}

int main(int argc, char **argv) {
    static scene s;
    static const ct_owners no_owners = {NULL, 0};
    if (argc != 3 || !open_scene(&s, argv)) return 1;
    play_snapshots(&s);
    play_patches(&s);
    play_callbacks(&s);
    play_many(&s);
    ct_level *level = spawn(&s), *other = spawn(&s);
    ct_level_release(other);
    take(&s);
    ct_world_end(&s.levels, &no_owners, NULL);
    ct_level_release(level);
    ct_entity_manager_free(&s.entities);
    ct_resource_free(&s.old);
    ct_resource_free(&s.next);
    ct_snapshot_free(&s.snapshot);
    printf("%u blocks are left\n", (unsigned)memory.blocks);
    return 0;
}
