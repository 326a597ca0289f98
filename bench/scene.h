// Shared code of the benches of snapshots and saves: a world with entities, a snapshot of it, and
// two blocks of memory for the limit.
#ifndef BENCH_SCENE_H
#define BENCH_SCENE_H

#include "component/transform.h"
#include "level/snapshot.h"
#include "world/create.h"

#include "harness.h"

// The first member of the scene of each bench.
typedef struct stage {
    ct_entity_manager entities;
    ct_world world;
    uint32_t epochs, count;
    ct_snapshot_world item;
    ct_snapshot_worlds worlds;
    ct_snapshot snapshot;
    uint64_t hash; // at the time of the snapshot
    unsigned char *from, *to;
} stage;

// Creates this many entities with the defaults of each named component.
static inline void add_entities(stage *s, uint32_t count, const char *const *components,
                                uint32_t component_count) {
    static const ct_values defaults[16];
    ct_component_batch batches[8];
    uint32_t failed;
    ct_entity *out = malloc(count * sizeof *out);
    require(out != NULL && component_count <= 8, "memory");
    for (uint32_t i = 0; i < component_count; ++i)
        batches[i] = (ct_component_batch){ct_world_find(&s->world, components[i]), defaults, NULL};
    require(ct_world_create(&s->world, count, batches, component_count, out, NULL, &failed) ==
                CT_OK,
            "create");
    free(out);
}

static inline void move_entity(stage *s, uint32_t row, float x) {
    const float position[3] = {x, 1, 2};
    ct_transform_set_local_position(ct_world_find(&s->world, CT_TRANSFORM), (ct_row){row},
                                    position);
}

// An empty world.
static inline void open_stage(stage *s, uint32_t count) {
    *s = (stage){.count = count};
    ct_entity_manager_init(&s->entities, &ct_allocator_malloc, 1024);
    require(ct_world_init(&s->world, &ct_allocator_malloc, &s->entities, &s->epochs, 1) == CT_OK,
            "world");
    s->item = (ct_snapshot_world){"default", &s->world, NULL, NULL};
    s->worlds = (ct_snapshot_worlds){&s->entities, &s->item, 1};
    ct_snapshot_init(&s->snapshot, &ct_allocator_malloc);
}

// Takes the first snapshot.
static inline void take_stage(stage *s) {
    ct_message message;
    require(ct_snapshot_take(&s->snapshot, &s->worlds, &message) == CT_OK, "take");
    s->hash = ct_snapshot_hash(&s->worlds);
}

// Allocates two blocks of as many bytes.
static inline void allocate_blocks(stage *s, size_t bytes) {
    s->from = calloc(1, bytes);
    s->to = calloc(1, bytes);
    require(s->from != NULL && s->to != NULL, "memory");
}

static inline void restore_stage(stage *s, const ct_snapshot *snapshot) {
    ct_message message;
    require(ct_snapshot_restore(snapshot, &s->worlds, &message) == CT_OK, "restore");
}

static inline void check_stage(stage *s) {
    require(ct_snapshot_hash(&s->worlds) == s->hash, "the hash differs");
}

static inline void close_stage(stage *s) {
    free(s->from);
    free(s->to);
    ct_snapshot_free(&s->snapshot);
    ct_world_free(&s->world);
    ct_entity_manager_free(&s->entities);
}

#endif
