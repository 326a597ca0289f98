// Bench of point_mass, compared with a plain C loop over bare arrays, at four sizes. Both run in
// turns, and must compute the same positions.
//
// usage: simulate_bench [--quick] [--rounds N]     --quick: the smallest size, checks results only

#include "component/point_mass.h"

#include "harness.h"

#define DT (1.0f / 64.0f)

// The limit: nine numbers per row in bare arrays.
static void bare(float *restrict position, float *restrict velocity,
                 const float *restrict acceleration, size_t numbers) {
    for (size_t i = 0; i < numbers; ++i) {
        velocity[i] += acceleration[i] * DT;
        position[i] += velocity[i] * DT;
    }
}

typedef struct field {
    ct_manager *masses;
    float *position, *velocity, *acceleration; // of the limit
    uint32_t count;
    uint32_t steps; // of one timing
} field;

static float *column(const field *f, uint32_t number) {
    return ct_manager_item(f->masses, &f->masses->fields[number], (ct_row){0});
}

// Nanoseconds per row.
static double time_of(const field *f, bool ours) {
    double start = now();
    for (uint32_t step = 0; step < f->steps; ++step) {
        if (ours)
            ct_point_mass_simulate(f->masses, DT);
        else
            bare(f->position, f->velocity, f->acceleration, (size_t)f->count * 3);
    }
    return (now() - start) / f->steps / f->count * 1e9;
}

static void measure(const field *f) {
    double times[MAX_ROUNDS], limits[MAX_ROUNDS];
    result r = {.name = "simulate: v += a dt, p += v dt",
                .items = f->count,
                .times = times,
                .limit = "the loop in C",
                .limit_times = limits,
                .bytes = (double)ct_manager_bytes(f->masses) / f->count};
    r.rounds = rounds_for(1);
    for (int i = 0; i < r.rounds; ++i) {
        limits[i] = time_of(f, false);
        times[i] = time_of(f, true);
    }
    require(memcmp(f->position, column(f, 1), (size_t)f->count * 3 * sizeof(float)) == 0,
            "the two loops differ");
    report(&r);
}

static void open_field(field *f, ct_entity_manager *entities, const ct_manager_setup *setup,
                       uint32_t count) {
    size_t bytes = (size_t)count * 3 * sizeof(float);
    ct_entity *owners = malloc(count * sizeof *owners);
    ct_row first;
    f->count = count;
    f->steps = 4000000 / count + 1;
    f->masses = ct_manager_new(setup, &ct_point_mass_type);
    f->position = malloc(bytes);
    f->velocity = malloc(bytes);
    f->acceleration = malloc(bytes);
    require(owners != NULL && f->masses != NULL && f->position != NULL && f->velocity != NULL &&
                f->acceleration != NULL,
            "memory");
    require(ct_entity_manager_create(entities, count, owners) == CT_OK, "entities");
    require(ct_manager_create(f->masses, owners, count, NULL, NULL, &first) == CT_OK, "rows");
    for (size_t i = 0; i < (size_t)count * 3; ++i) {
        f->position[i] = (float)(i % 1000);
        f->velocity[i] = 0;
        f->acceleration[i] = (float)(i % 7) - 3.0f;
    }
    memcpy(column(f, 1), f->position, bytes);
    memcpy(column(f, 2), f->velocity, bytes);
    memcpy(column(f, 3), f->acceleration, bytes);
    free(owners);
}

static void close_field(field *f) {
    ct_manager_destroy(f->masses);
    free(f->position);
    free(f->velocity);
    free(f->acceleration);
}

int main(int argc, char **argv) {
    static const uint32_t sizes[] = {1000, 10000, 100000, 1000000};
    open_bench("simulate", argc, argv);
    uint32_t epochs = 0;
    ct_entity_manager entities;
    ct_string_pool strings;
    ct_entity_manager_init(&entities, &ct_allocator_malloc, 1024);
    ct_string_pool_init(&strings, &ct_allocator_malloc);
    const ct_manager_setup setup = {.allocator = &ct_allocator_malloc,
                                    .entities = &entities,
                                    .epochs = &epochs,
                                    .strings = &strings,
                                    .map = CT_MAP_HASH};
    for (size_t i = 0; i < (the_bench.quick ? 1 : sizeof sizes / sizeof *sizes); ++i) {
        field f;
        open_field(&f, &entities, &setup, sizes[i]);
        if (the_bench.quick) f.steps = 1;
        measure(&f);
        close_field(&f);
    }
    ct_string_pool_free(&strings);
    ct_entity_manager_free(&entities);
    return 0;
}
