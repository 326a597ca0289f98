// Measures snapshots, restores and hashes of a world beside memcpy of as many bytes.
// Knows nothing of scripts; each restore must bring the hash of its snapshot back.
//
// usage: snapshot_bench [--quick] [--rounds N]     --quick: small sizes, answers only

#include "component/point_mass.h"
#include "component/transform.h"
#include "level/snapshot.h"
#include "world/create.h"

#include "harness.h"

// More than a processor's caches, and than what malloc keeps when it is given back.
#define NEW_BYTES ((size_t)64 << 20)

// Entities with transform, mesh and point mass, and two blocks of the bytes of their snapshot.
typedef struct scene {
    ct_entity_manager entities;
    ct_world world;
    uint32_t epochs, count;
    ct_snapshot_world item;
    ct_snapshot_worlds worlds;
    ct_snapshot snapshot;
    uint64_t hash; // when the snapshot was taken
    unsigned char *from, *to;

    unsigned char *fresh; // NEW_BYTES
    ct_allocator allocator;
    ct_snapshot anew; // lies there
} scene;

// Blocks as large as a snapshot lie in 'fresh'.
static void *lend_fresh(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    const scene *s = user;
    if (new_bytes >= s->snapshot.bytes) return s->fresh;
    if (block == s->fresh) return NULL;
    return ct_allocator_malloc.reallocate(NULL, block, old_bytes, new_bytes);
}

static void take(scene *s, ct_snapshot *snapshot) {
    ct_message message;
    require(ct_snapshot_take(snapshot, &s->worlds, &message) == CT_OK, "take");
}

static void restore(scene *s) {
    ct_message message;
    require(ct_snapshot_restore(&s->snapshot, &s->worlds, &message) == CT_OK, "restore");
}

static void add_entities(scene *s, uint32_t count) {
    static const char *const components[] = {"transform", "mesh", "point_mass"};
    enum { COMPONENTS = sizeof components / sizeof *components };
    ct_component_batch batches[COMPONENTS];
    static const ct_values defaults[16];
    uint32_t failed;
    ct_entity *out = malloc(count * sizeof *out);
    require(out != NULL, "memory");
    for (uint32_t i = 0; i < COMPONENTS; ++i)
        batches[i] = (ct_component_batch){ct_world_find(&s->world, components[i]), defaults, NULL};
    require(ct_world_create(&s->world, count, batches, COMPONENTS, out, NULL, &failed) == CT_OK,
            "create");
    free(out);
}

static void open_scene(scene *s, uint32_t count) {
    *s = (scene){.count = count};
    ct_entity_manager_init(&s->entities, &ct_allocator_malloc, 1024);
    require(ct_world_init(&s->world, &ct_allocator_malloc, &s->entities, &s->epochs, 1) == CT_OK,
            "world");
    add_entities(s, count);
    s->item = (ct_snapshot_world){"default", &s->world, NULL, NULL};
    s->worlds = (ct_snapshot_worlds){&s->entities, &s->item, 1};
    ct_snapshot_init(&s->snapshot, &ct_allocator_malloc);
    take(s, &s->snapshot);
    s->hash = ct_snapshot_hash(&s->worlds);
    s->from = calloc(1, s->snapshot.bytes);
    s->to = calloc(1, s->snapshot.bytes);
    s->fresh = malloc(NEW_BYTES);
    require(s->from != NULL && s->to != NULL && s->fresh != NULL, "memory");
    s->allocator = (ct_allocator){lend_fresh, s};
    ct_snapshot_init(&s->anew, &s->allocator);
}

static void close_scene(scene *s) {
    free(s->from);
    free(s->to);
    free(s->fresh);
    ct_snapshot_free(&s->snapshot);
    ct_world_free(&s->world);
    ct_entity_manager_free(&s->entities);
}

// ---------------------------------------------------------------- cases

// Makes work for a case, which is not measured: one entity in ten is elsewhere.
static void move_some(scene *s, uint32_t step) {
    for (uint32_t i = step % 10; i < s->count; i += 10) {
        const float position[3] = {(float)step, 1, 2};
        ct_transform_set_local_position(ct_world_find(&s->world, "transform"), (ct_row){i},
                                        position);
    }
}

// One in a hundred is dead, and another has its place.
static void replace_some(scene *s, uint32_t step) {
    uint32_t count = s->count / 100;
    const ct_manager *masses = ct_world_find(&s->world, "point_mass");
    restore(s);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = (step + i * 100) % s->count;
        const ct_entity *victim = &ct_store_owners(&masses->store)[row];
        require(ct_entity_manager_destroy(&s->entities, 1, victim, NULL) == 1, "destroy");
    }
    add_entities(s, count);
}

// What the caches hold is something else.
static void forget_caches(scene *s, uint32_t step) {
    for (size_t i = 0; i < NEW_BYTES; i += 64)
        s->fresh[i] = (unsigned char)step;
}

// Memory that nobody has touched.
static void renew(scene *s, uint32_t step) {
    (void)step;
    free(s->fresh);
    s->fresh = malloc(NEW_BYTES);
    require(s->fresh != NULL, "memory");
    ct_snapshot_init(&s->anew, &s->allocator);
}

static void copy(scene *s) { memcpy(s->to, s->from, s->snapshot.bytes); }
static void copy_anew(scene *s) { memcpy(s->fresh, s->from, s->snapshot.bytes); }
static void take_again(scene *s) { take(s, &s->snapshot); }
static void take_anew(scene *s) { take(s, &s->anew); }

static void hash(scene *s) {
    require(ct_snapshot_hash(&s->worlds) == s->hash, "the hash is another one");
}

typedef struct bench {
    const char *name;
    void (*before)(scene *s, uint32_t step); // not measured
    void (*run)(scene *s);
    void (*limit)(scene *s);
    bool cold;
} bench;

static const bench benches[] = {
    {"snapshot into old memory", NULL, take_again, copy, false},
    {"snapshot into old memory, caches hold something else", forget_caches, take_again, copy,
     false},
    {"snapshot into new memory", renew, take_anew, copy_anew, true},
    {"restore", NULL, restore, copy, false},
    {"restore, one in ten has moved", move_some, restore, copy, false},
    {"restore, one in a hundred has died, and one come", replace_some, restore, copy, false},
    {"restore, caches hold something else", forget_caches, restore, copy, false},
    {"hash", NULL, hash, copy, false},
};

static double time_of(scene *s, const bench *b, void (*run)(scene *s), uint32_t steps) {
    double sum = 0;
    for (uint32_t step = 0; step < steps; ++step) {
        if (b->before != NULL) b->before(s, step);
        double start = now();
        run(s);
        sum += now() - start;
    }
    return sum / steps / s->count * 1e9;
}

static void measure(scene *s, const bench *b) {
    double times[MAX_ROUNDS], limits[MAX_ROUNDS];
    bool slow = b->before == forget_caches || b->before == renew;
    uint32_t steps = the_bench.quick ? 1 : (slow ? 10000 : 200000) / s->count + 1;
    result r = {.name = b->name,
                .cold = b->cold,
                .items = s->count,
                .times = times,
                .rounds = rounds_for(1),
                .limit = "memcpy of its bytes",
                .limit_times = limits,
                .bytes = (double)s->snapshot.bytes / s->count};
    for (int i = 0; i < r.rounds; ++i) {
        limits[i] = time_of(s, b, b->limit, steps);
        restore(s);
        times[i] = time_of(s, b, b->run, steps);
    }
    hash(s);
    report(&r);
}

int main(int argc, char **argv) {
    static const uint32_t sizes[] = {100, 10000, 100000};
    open_bench("snapshot", argc, argv);
    for (size_t i = 0; i < (the_bench.quick ? 1 : sizeof sizes / sizeof *sizes); ++i) {
        scene s;
        open_scene(&s, sizes[i]);
        for (size_t b = 0; b < sizeof benches / sizeof *benches; ++b)
            measure(&s, &benches[b]);
        close_scene(&s);
    }
    return 0;
}
