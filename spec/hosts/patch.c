// A program without Lua that patches a level, restores a snapshot from before the patch, and runs
// out of memory during a patch.
#include "level/patch.h"
#include "component/transform.h"
#include "level/level.h"
#include "level/snapshot.h"
#include "world/checked/checked.h"

#include "host.h"

static budget memory = {0, SIZE_MAX};
static const ct_allocator allocator = {reallocate_within, &memory};

typedef struct scene {
    ct_entity_manager entities;
    ct_world world;
    ct_levels levels;
    uint32_t epochs;
} scene;

static ct_entity find(const ct_level *level, const char *name) {
    ct_entity found = {CT_NOBODY};
    ct_level_find(level, (ct_text){name, (uint32_t)strlen(name)}, &found);
    return found;
}

static void show(scene *s, const ct_level *level) {
    ct_manager *transforms = ct_world_find(&s->world, CT_TRANSFORM);
    ct_row row = ct_store_find(&transforms->store, find(level, "lamp"));
    ct_message message;
    ct_pose pose = {{0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0}};
    if (row.i != CT_NO_ROW) ct_checked_local_pose(transforms, row, &pose);
    printf("%u alive, the lamp at %g, %s\n", (unsigned)ct_entity_manager_count(&s->entities),
           pose.position[0], ct_world_validate(&s->world, &message) ? "valid" : message.text);
}

static void print_result(const ct_patch_result *result) {
    printf("%u added, %u removed, %u changed, %u moved\n", result->added, result->removed,
           result->changed, result->moved);
}

static bool play(scene *s, ct_resource *old, ct_resource *next) {
    const ct_spawn_options options = {.parent = {CT_NOBODY}};
    const ct_snapshot_world item = {"sea", &s->world, &s->levels, NULL};
    const ct_snapshot_worlds worlds = {&s->entities, &item, 1};
    ct_snapshot snapshot;
    ct_patch_result result;
    ct_message message;
    bool ok = true;
    ct_level *level;
    if (ct_level_new(&s->levels, old, &options, &level, &message) != CT_OK) return false;
    if (ct_level_spawn(level, NULL, &message) != CT_OK) return false;
    ct_entity lamp = find(level, "lamp");
    show(s, level);
    ct_snapshot_init(&snapshot, &allocator);
    if (ct_snapshot_take(&snapshot, &worlds, &message) != CT_OK) return false;
    long failed = 0;
    for (memory.left = 0;; memory.left = ++failed) {
        ct_status status = ct_level_patch(level, next, NULL, &result, &ok, &message);
        memory.left = SIZE_MAX;
        if (status == CT_OK) break;
        if (status != CT_ERR_MEMORY || ct_level_count(level) != old->num_entities) return false;
    }
    printf("memory ran out %s\n", failed > 9 ? "often" : "not often enough");
    print_result(&result);
    ct_patch_result_free(&s->world, &result);
    printf("%s\n", find(level, "lamp").id == lamp.id ? "the same lamp" : "another lamp");
    show(s, level);
    if (ct_snapshot_restore(&snapshot, &worlds, &message) != CT_OK) return false;
    show(s, level);
    if (ct_level_patch(level, next, NULL, &result, &ok, &message) != CT_OK) return false;
    print_result(&result);
    ct_patch_result_free(&s->world, &result);
    if (ct_level_restart(level, NULL, &message) != CT_OK) return false;
    show(s, level);
    ct_level_unload(level, NULL, NULL);
    if (ct_level_patch(level, old, NULL, &result, &ok, &message) == CT_OK) return false;
    printf("%s\n", message.text);
    ct_snapshot_free(&snapshot);
    ct_level_release(level);
    return ok;
}

int main(int argc, char **argv) {
    static scene s;
    static const ct_owners no_owners = {NULL, 0};
    ct_resource old, next;
    ct_entity_manager_init(&s.entities, &allocator, 4);
    if (argc != 3 || ct_world_init(&s.world, &allocator, &s.entities, &s.epochs, 1) != CT_OK ||
        !load_resource(argv[1], &allocator, &old) || !load_resource(argv[2], &allocator, &next))
        return 1;
    ct_levels_init(&s.levels, &s.world);
    bool played = play(&s, &old, &next);
    ct_world_end(&s.levels, &no_owners, NULL);
    ct_resource_free(&old);
    ct_resource_free(&next);
    ct_entity_manager_free(&s.entities);
    return played ? 0 : 2;
}
