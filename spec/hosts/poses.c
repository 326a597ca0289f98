// A program without Lua that keeps an index of changed poses, and compares it with all poses after
// each of many random steps, some of which run out of memory.
#include "base/hash.h"
#include "component/transform.h"
#include "level/snapshot.h"
#include "world/checked/checked.h"

#include "host.h"

enum { STEPS = 600, MOST = 300, INDICES = 4096 };

typedef struct scene {
    ct_entity_manager entities;
    ct_world world;
    ct_manager *transforms;
    ct_random random;
    ct_entity list[MOST]; // some are dead
    uint32_t count, watch, epochs;
    budget memory;
} scene;

// By entity index: the owner of a pose, or CT_NOBODY, and its last reported world matrix.
typedef struct pose_entry {
    ct_entity owner;
    float world[16];
} pose_entry;

static pose_entry index_of[INDICES];
static uint32_t listed, everything;

// ---------------------------------------------------------------- the index

static void update(scene *s, ct_entity e) {
    pose_entry *k = &index_of[ct_entity_index(e)];
    ct_row row = ct_checked_find(s->transforms, e);
    if (row.i == CT_NO_ROW) {
        if (k->owner.id == e.id) k->owner.id = CT_NOBODY;
        return;
    }
    k->owner = e;
    memcpy(k->world, ct_checked_world_matrix(s->transforms, row), sizeof k->world);
}

static bool follow(scene *s) {
    ct_changed_poses changed;
    if (ct_checked_changed_poses(s->transforms, s->watch, &changed) != CT_OK) return false;
    for (uint32_t i = 0; i < changed.count; ++i)
        update(s, changed.entities[i]);
    listed += changed.count;
    everything += changed.all;
    if (!changed.all) return true;
    memset(index_of, 0xFF, sizeof index_of);
    for (uint32_t row = 0; row < ct_checked_count(s->transforms); ++row) {
        ct_entity e = ct_checked_owners(s->transforms)[row];
        if (ct_entity_manager_alive(&s->entities, e)) update(s, e);
    }
    return changed.count == 0;
}

static bool matches(scene *s) {
    uint32_t living = 0;
    for (uint32_t row = 0; row < ct_checked_count(s->transforms); ++row) {
        ct_entity e = ct_checked_owners(s->transforms)[row];
        const pose_entry *k = &index_of[ct_entity_index(e) % INDICES];
        if (!ct_entity_manager_alive(&s->entities, e)) continue;
        living++;
        const void *now = ct_checked_world_matrix(s->transforms, (ct_row){row}), *then = k->world;
        if (k->owner.id != e.id || memcmp(then, now, sizeof k->world) != 0) return false;
    }
    for (uint32_t i = 0; i < INDICES; ++i)
        living -= index_of[i].owner.id != CT_NOBODY;
    return living == 0;
}

// ---------------------------------------------------------------- steps

static uint32_t pick(scene *s, uint32_t limit) { return ct_random_below(&s->random, limit); }

static ct_row any_row(scene *s) {
    const ct_row none = {CT_NO_ROW};
    return s->count > 0 ? ct_checked_find(s->transforms, s->list[pick(s, s->count)]) : none;
}

static void create(scene *s) {
    ct_row row;
    if (s->count == MOST) s->count = 0; // these entities stay, and are not moved again
    if (ct_checked_create(&s->entities, 1, &s->list[s->count]) != CT_OK) return;
    if (ct_checked_add(s->transforms, 1, &s->list[s->count], NULL, &row) == CT_OK) s->count++;
}

static void move(scene *s, ct_row row) {
    const float to[3] = {(float)pick(s, 100), (float)pick(s, 100), 0};
    ct_checked_set_world_position(s->transforms, row, to);
}

static void step(scene *s) {
    ct_row row = any_row(s);
    switch (pick(s, 12)) {
    case 0:
    case 1:
    case 2: create(s); break;
    case 3: ct_checked_link(s->transforms, row, any_row(s), pick(s, 2) != 0); break;
    case 4:
        if (s->count > 0)
            ct_entity_manager_destroy(&s->entities, 1, &s->list[pick(s, s->count)], NULL);
        break;
    case 5: ct_checked_remove(s->transforms, row); break;
    case 6: ct_checked_gc(s->transforms, pick(s, 2) != 0); break;
    case 7:
        if (ct_transform_begin_batch(s->transforms) != CT_OK) break;
        for (int i = 0; i < 5; ++i)
            move(s, any_row(s));
        ct_transform_end_batch(s->transforms);
        break;
    case 8:
        if (pick(s, 20) == 0) ct_transform_sort(s->transforms);
        break;
    default: move(s, row); break;
    }
}

// Memory runs out in some of the steps.
static bool play(scene *s) {
    ct_message message;
    for (int i = 0; i < STEPS; ++i) {
        s->memory.left = pick(s, 4) == 0 ? pick(s, 3) : SIZE_MAX;
        step(s);
        if (pick(s, 3) == 0 && (!follow(s) || !matches(s))) return false;
    }
    s->memory.left = SIZE_MAX;
    return follow(s) && matches(s) && ct_world_validate(&s->world, &message);
}

static bool restore(scene *s) {
    ct_snapshot_world item = {"field", &s->world, NULL, NULL};
    const ct_snapshot_worlds worlds = {&s->entities, &item, 1};
    ct_snapshot snapshot;
    ct_message message;
    ct_snapshot_init(&snapshot, &ct_allocator_malloc);
    bool ok = ct_snapshot_take(&snapshot, &worlds, &message) == CT_OK && play(s) &&
              ct_snapshot_restore(&snapshot, &worlds, &message) == CT_OK;
    ct_snapshot_free(&snapshot);
    everything = 0;
    s->count = 0;
    return ok && follow(s) && matches(s) && everything == 1;
}

int main(int count, char **arguments) {
    static scene s;
    uint32_t dropped;
    const ct_allocator allocator = {reallocate_within, &s.memory};
    s.memory.left = SIZE_MAX;
    ct_random_seed(&s.random, count > 1 ? strtoul(arguments[1], NULL, 10) : 1);
    ct_entity_manager_init(&s.entities, &ct_allocator_malloc, 4);
    if (ct_world_init(&s.world, &allocator, &s.entities, &s.epochs, 1) != CT_OK) return 1;
    s.transforms = ct_world_find(&s.world, CT_TRANSFORM);
    bool ok = ct_checked_watch_poses(s.transforms, &dropped) == CT_OK &&
              ct_checked_watch_poses(s.transforms, &s.watch) == CT_OK && play(&s);
    bool lists = listed > STEPS / 10 && everything < STEPS / 3;
    ok = ok && restore(&s);
    printf("%s, %s\n", ok ? "the index matches" : "the index is wrong",
           lists ? "mostly by lists" : "hardly by lists");
    ok = ct_checked_unwatch_poses(s.transforms, s.watch) && ok;
    ct_world_free(&s.world);
    ct_entity_manager_free(&s.entities);
    printf("%u blocks left\n", (unsigned)s.memory.blocks);
    return ok ? 0 : 1;
}
