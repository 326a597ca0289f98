// Measures snapshots, restores and hashes of a world beside memcpy of as many bytes.
// Knows nothing of scripts; each restore must bring the hash of its snapshot back.
//
// usage: snapshot_bench [--quick] [--rounds N]     --quick: small sizes, answers only

#include "scene.h"

// More than a processor's caches, and than what malloc keeps when it is given back.
#define NEW_BYTES ((size_t)64 << 20)

// Entities with transform, mesh and point mass, and two blocks of the bytes of their snapshot.
typedef struct scene {
    stage stage;
    unsigned char *fresh; // NEW_BYTES
    ct_allocator allocator;
    ct_snapshot anew; // lies there
} scene;

// Blocks as large as a snapshot lie in 'fresh'.
static void *lend_fresh(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    const scene *s = user;
    if (new_bytes >= s->stage.snapshot.bytes) return s->fresh;
    if (block == s->fresh) return NULL;
    return ct_allocator_malloc.reallocate(NULL, block, old_bytes, new_bytes);
}

static void take(scene *s, ct_snapshot *snapshot) {
    ct_message message;
    require(ct_snapshot_take(snapshot, &s->stage.worlds, &message) == CT_OK, "take");
}

static void restore(scene *s) { restore_stage(&s->stage, &s->stage.snapshot); }

static void add(scene *s, uint32_t count) {
    static const char *const components[] = {"transform", "mesh", "point_mass"};
    add_entities(&s->stage, count, components, 3);
}

static void open_scene(scene *s, uint32_t count) {
    open_stage(&s->stage, count);
    add(s, count);
    take_stage(&s->stage);
    lay_out_blocks(&s->stage, s->stage.snapshot.bytes);
    s->fresh = malloc(NEW_BYTES);
    require(s->fresh != NULL, "memory");
    s->allocator = (ct_allocator){lend_fresh, s};
    ct_snapshot_init(&s->anew, &s->allocator);
}

static void close_scene(scene *s) {
    free(s->fresh);
    close_stage(&s->stage);
}

// ---------------------------------------------------------------- cases

// Makes work for a case, which is not measured: one entity in ten is elsewhere.
static void move_some(scene *s, uint32_t step) {
    for (uint32_t i = step % 10; i < s->stage.count; i += 10)
        move_entity(&s->stage, i, (float)step);
}

// One in a hundred is dead, and another has its place.
static void replace_some(scene *s, uint32_t step) {
    uint32_t count = s->stage.count / 100;
    const ct_manager *masses = ct_world_find(&s->stage.world, "point_mass");
    restore(s);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = (step + i * 100) % s->stage.count;
        const ct_entity *victim = &ct_store_owners(&masses->store)[row];
        require(ct_entity_manager_destroy(&s->stage.entities, 1, victim, NULL) == 1, "destroy");
    }
    add(s, count);
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

static void copy(scene *s) { memcpy(s->stage.to, s->stage.from, s->stage.snapshot.bytes); }
static void copy_anew(scene *s) { memcpy(s->fresh, s->stage.from, s->stage.snapshot.bytes); }
static void take_again(scene *s) { take(s, &s->stage.snapshot); }
static void take_anew(scene *s) { take(s, &s->anew); }

static void hash(scene *s) { check_stage(&s->stage); }

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
    return sum / steps / s->stage.count * 1e9;
}

static void measure(scene *s, const bench *b) {
    double times[MAX_ROUNDS], limits[MAX_ROUNDS];
    bool slow = b->before == forget_caches || b->before == renew;
    uint32_t steps = the_bench.quick ? 1 : (slow ? 10000 : 200000) / s->stage.count + 1;
    result r = {.name = b->name,
                .cold = b->cold,
                .items = s->stage.count,
                .times = times,
                .rounds = rounds_for(1),
                .limit = "memcpy of its bytes",
                .limit_times = limits,
                .bytes = (double)s->stage.snapshot.bytes / s->stage.count};
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
