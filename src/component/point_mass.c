// Point masses: four columns, and a step over three of them.
// Knows nothing of the other components.
#include "component/point_mass.h"

enum { COLUMN_MASS = CT_COLUMN_OWNER + 1, COLUMN_POSITION, COLUMN_VELOCITY, COLUMN_ACCELERATION };

static const ct_field fields[] = {
    {.name = "mass", .type = CT_FIELD_FLOAT, .column = COLUMN_MASS},
    {.name = "position", .type = CT_FIELD_VEC3, .column = COLUMN_POSITION},
    {.name = "velocity", .type = CT_FIELD_VEC3, .column = COLUMN_VELOCITY},
    {.name = "acceleration", .type = CT_FIELD_VEC3, .column = COLUMN_ACCELERATION},
};

static const ct_manager_type point_mass_type = {.fill = ct_manager_fill_columns};

ct_manager *ct_point_mass_create(const ct_manager_setup *setup) {
    static const uint16_t widths[] = {4, 12, 12, 12};
    ct_manager *masses = ct_alloc_zero(setup->allocator, sizeof *masses);
    if (masses == NULL) return NULL;
    ct_manager_init(masses, sizeof *masses, &point_mass_type, CT_POINT_MASS, setup, widths, 4,
                    fields, 4);
    return masses;
}

ct_layout ct_point_mass_layout(void) { return (ct_layout){fields, 4, false}; }

// Numbers that stay in the first cache while a block is looked at twice.
#define BLOCK_NUMBERS ((size_t)1024)

// x, y and z are alike to it. Whether a NaN came out: one in a velocity makes one in the
// position, so one comparison tells of both.
static bool step(float *restrict position, float *restrict velocity,
                 const float *restrict acceleration, float dt, size_t count) {
    uint32_t unordered = 0;
    for (size_t i = 0; i < count; ++i) {
        float v = velocity[i] + acceleration[i] * dt;
        float p = position[i] + v * dt;
        velocity[i] = v;
        position[i] = p;
        unordered |= p != p;
    }
    return unordered != 0;
}

// Arithmetic makes NaNs of its own (x86: with the sign set) where the rule knows only one.
static void quieten(float *numbers, size_t count) {
    union {
        uint32_t bits;
        float number;
    } quiet = {0x7FC00000u};
    for (size_t i = 0; i < count; ++i)
        numbers[i] = numbers[i] == numbers[i] ? numbers[i] : quiet.number;
}

static float *numbers_of(const ct_manager *masses, uint32_t column) {
    return (float *)(void *)masses->store.columns.at[column];
}

void ct_point_mass_simulate(ct_manager *masses, float dt) {
    float *position = numbers_of(masses, COLUMN_POSITION);
    float *velocity = numbers_of(masses, COLUMN_VELOCITY);
    const float *acceleration = numbers_of(masses, COLUMN_ACCELERATION);
    size_t numbers = (size_t)ct_store_count(&masses->store) * 3;
    for (size_t first = 0; first < numbers; first += BLOCK_NUMBERS) {
        size_t count = numbers - first < BLOCK_NUMBERS ? numbers - first : BLOCK_NUMBERS;
        if (CT_LIKELY(!step(position + first, velocity + first, acceleration + first, dt, count)))
            continue;
        quieten(position + first, count);
        quieten(velocity + first, count);
    }
}
