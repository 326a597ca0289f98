// Point mass manager: four columns, and a simulation step over three of them.
#include "component/point_mass.h"

#include "base/wide.h"

#include <string.h>

enum { COLUMN_MASS = CT_COLUMN_OWNER + 1, COLUMN_POSITION, COLUMN_VELOCITY, COLUMN_ACCELERATION };

static const ct_field fields[] = {
    {.name = "mass", .type = CT_FIELD_FLOAT, .column = COLUMN_MASS},
    {.name = "position", .type = CT_FIELD_VEC3, .column = COLUMN_POSITION},
    {.name = "velocity", .type = CT_FIELD_VEC3, .column = COLUMN_VELOCITY},
    {.name = "acceleration", .type = CT_FIELD_VEC3, .column = COLUMN_ACCELERATION},
};

static const ct_manager_shape shape = {
    .name = CT_POINT_MASS,
    .bytes = sizeof(ct_manager),
    .fields = fields,
    .field_count = 4,
    .layout = {.fields = fields, .field_count = 4},
};

const ct_manager_type ct_point_mass_type = {.shape = &shape, .fill = ct_manager_fill_columns};

// Numbers in a block that stays in the L1 cache while it is read twice.
#define BLOCK_NUMBERS ((size_t)1024)

// The step functions treat x, y and z alike and return whether a NaN may have resulted. A NaN in a
// velocity causes a NaN in the position, so only positions are checked.

static bool step(float *p, float *v, const float *a, float dt, size_t count) {
    bool unordered = false;
    for (size_t i = 0; i < count; ++i) {
        v[i] = v[i] + a[i] * dt;
        p[i] = p[i] + v[i] * dt;
        unordered = unordered || p[i] != p[i];
    }
    return unordered;
}

typedef bool (*step_fn)(float *p, float *v, const float *a, float dt, size_t count);

#ifdef CT_HAS_LANES
// Explicit vectors, because compilers do not find this form: two vectors at a time and one
// comparison of their sum cost 10% more than no check; a comparison of each vector costs almost 50%
// more. Two infinities that cancel out are a false alarm. 'count' is a multiple of two vectors.
#define STEP_PAIRS(NAME, KIND, BYTES)                                                              \
    KIND static bool NAME(float *p, float *v, const float *a, float dt, size_t count) {            \
        typedef float lanes __attribute__((vector_size(BYTES), aligned(4), may_alias));            \
        typedef int32_t lane_bits __attribute__((vector_size(BYTES)));                             \
        lane_bits unordered = {0};                                                                 \
        for (size_t i = 0; i < count; i += (BYTES) / 2) {                                          \
            lanes *position = (lanes *)(p + i), *velocity = (lanes *)(v + i);                      \
            const lanes *acceleration = (const lanes *)(a + i);                                    \
            lanes v0 = velocity[0] + acceleration[0] * dt, p0 = position[0] + v0 * dt;             \
            lanes v1 = velocity[1] + acceleration[1] * dt, p1 = position[1] + v1 * dt;             \
            lanes sum = p0 + p1;                                                                   \
            velocity[0] = v0, velocity[1] = v1;                                                    \
            position[0] = p0, position[1] = p1;                                                    \
            unordered |= sum != sum; /* NOLINT(misc-redundant-expression): only a NaN is */        \
        }                                                                                          \
        int32_t any = 0;                                                                           \
        for (int k = 0; k < (BYTES) / 4; ++k)                                                      \
            any |= unordered[k];                                                                   \
        return any != 0;                                                                           \
    }

STEP_PAIRS(step_pairs, , 16)
#ifdef CT_HAS_WIDE
STEP_PAIRS(step_wide_pairs, CT_WIDE, 32)
#endif
#endif

static step_fn choose_step(void) {
#ifndef CT_HAS_LANES
    return step;
#else
#ifdef CT_HAS_WIDE
    if (ct_wide_is_supported()) return step_wide_pairs;
#endif
    return step_pairs;
#endif
}

// Replaces each NaN by the quiet NaN. Arithmetic makes others (x86: with the sign set).
static void clean_nans(float *numbers, size_t count) {
    static const union {
        uint32_t bits;
        float number;
    } quiet = {0x7FC00000u};
    for (size_t i = 0; i < count; ++i)
        numbers[i] = numbers[i] == numbers[i] ? numbers[i] : quiet.number;
}

static void step_block(step_fn step_most, float *p, float *v, const float *a, float dt,
                       size_t count) {
    size_t pairs = count & ~(size_t)15; // a multiple of the numbers in any pair
    bool unordered = step_most(p, v, a, dt, pairs);
    unordered = step(p + pairs, v + pairs, a + pairs, dt, count - pairs) || unordered;
    if (CT_LIKELY(!unordered)) return;
    clean_nans(p, count);
    clean_nans(v, count);
}

static float *numbers_of(const ct_manager *masses, uint32_t column) {
    return (float *)(void *)masses->store.columns.at[column];
}

void ct_point_mass_simulate(ct_manager *masses, float dt) {
    uint64_t begun = ct_work_begin(&masses->timings);
    size_t numbers = (size_t)ct_store_count(&masses->store) * 3;
    float *position = numbers_of(masses, COLUMN_POSITION);
    float *velocity = numbers_of(masses, COLUMN_VELOCITY);
    const float *acceleration = numbers_of(masses, COLUMN_ACCELERATION);
    step_fn step_most = choose_step();
    for (size_t first = 0; first < numbers; first += BLOCK_NUMBERS) {
        size_t count = numbers - first < BLOCK_NUMBERS ? numbers - first : BLOCK_NUMBERS;
        step_block(step_most, position + first, velocity + first, acceleration + first, dt, count);
    }
    ct_work_end(&masses->timings, CT_WORK_SIMULATE, begun);
}
