// Bench of snapshots, restores and hashes of a world, compared with a memcpy of as many bytes. Each
// restore must give the hash of its snapshot.
//
// usage: snapshot_bench [--quick] [--rounds N]     --quick: small sizes, checks results only

#include "scene.h"

// More than a processor's caches, and more than malloc keeps after a free.
#define NEW_BYTES ((size_t)64 << 20)

// Entities with transform, mesh and point mass, and two blocks of the bytes of their snapshot.
typedef struct scene {
    stage stage;
    unsigned char *unused; // NEW_BYTES
    ct_allocator allocator;
    ct_snapshot new_snapshot; // allocated in it
} scene;

// Allocates blocks as large as a snapshot in 'unused'.
static void *allocate_unused(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    const scene *s = user;
    if (new_bytes >= s->stage.snapshot.bytes) return s->unused;
    if (block == s->unused) return NULL;
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
    allocate_blocks(&s->stage, s->stage.snapshot.bytes);
    s->unused = malloc(NEW_BYTES);
    require(s->unused != NULL, "memory");
    s->allocator = (ct_allocator){allocate_unused, s};
    ct_snapshot_init(&s->new_snapshot, &s->allocator);
}

static void close_scene(scene *s) {
    free(s->unused);
    close_stage(&s->stage);
}

// ---------------------------------------------------------------- cases

// Prepares a case without measuring: moves one entity in ten.
static void move_some(scene *s, uint32_t step) {
    for (uint32_t i = step % 10; i < s->stage.count; i += 10)
        move_entity(&s->stage, i, (float)step);
}

// Destroys one entity in a hundred, and creates another.
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

// Fills the caches with other data.
static void flush_caches(scene *s, uint32_t step) {
    for (size_t i = 0; i < NEW_BYTES; i += 64)
        s->unused[i] = (unsigned char)step;
}

// Memory that was never used.
static void renew(scene *s, uint32_t step) {
    (void)step;
    free(s->unused);
    s->unused = malloc(NEW_BYTES);
    require(s->unused != NULL, "memory");
    ct_snapshot_init(&s->new_snapshot, &s->allocator);
}

static void copy(scene *s) { memcpy(s->stage.to, s->stage.from, s->stage.snapshot.bytes); }
static void copy_new(scene *s) { memcpy(s->unused, s->stage.from, s->stage.snapshot.bytes); }
static void take_again(scene *s) { take(s, &s->stage.snapshot); }
static void take_new(scene *s) { take(s, &s->new_snapshot); }

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
    {"snapshot into old memory, cold caches", flush_caches, take_again, copy, false},
    {"snapshot into new memory", renew, take_new, copy_new, true},
    {"restore", NULL, restore, copy, false},
    {"restore, one in ten has moved", move_some, restore, copy, false},
    {"restore, one in a hundred has died, and one was created", replace_some, restore, copy, false},
    {"restore, cold caches", flush_caches, restore, copy, false},
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
    bool slow = b->before == flush_caches || b->before == renew;
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
