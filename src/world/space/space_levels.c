// Levels of a space's grid: sizes of cells, and their buckets.
#include "world/space/space_levels.h"

#include <math.h>
#include <string.h>

double ct_space_level_size(const ct_space_index *index, int exponent) {
    return ldexp(index->cell, exponent);
}

double ct_space_smallest_cell(const float *at, double radius) {
    double x = fabs((double)at[0]), y = fabs((double)at[1]), z = fabs((double)at[2]);
    double far = x > y ? x : y;
    if (z > far) far = z;
    far *= 1.0 / (1 << 22);
    return 2 * radius > far ? 2 * radius : far;
}

void ct_space_level_forget(const ct_space_index *index, ct_space_level *level) {
    level->used = false;
    level->largest = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        level->least[i] = i < index->dimensions ? INT32_MAX : 0;
        level->most[i] = i < index->dimensions ? INT32_MIN : 0;
    }
}

// Makes the cells of a level share buckets with all cells.
static void share_buckets(ct_space_level *level, uint32_t number) {
    level->base = number * 0xC2B2AE35u;
    level->step[1] = 0x9E3779B1u;
    level->step[2] = 0x85EBCA6Bu;
    for (uint32_t i = 0; i < 3; ++i) {
        level->low[i] = INT32_MIN;
        level->high[i] = INT32_MAX;
    }
}

static uint32_t add_level(ct_space_index *index, int exponent) {
    uint32_t number = index->level_count;
    if (number == CT_SPACE_TOP) return CT_SPACE_TOP;
    if (index->regular) { // the level has no buckets
        index->strays++;
        return CT_SPACE_TOP;
    }
    double size = ct_space_level_size(index, exponent);
    ct_space_level *level = &index->levels[number];
    *level = (ct_space_level){.size = size, .inverse = 1 / size};
    ct_space_level_forget(index, level);
    share_buckets(level, number);
    index->slots[exponent + (int)CT_SPACE_EXPONENT_ZERO] = (uint8_t)number;
    index->level_count++;
    return number;
}

uint32_t ct_space_level_at(ct_space_index *index, int exponent) {
    if (exponent + (int)CT_SPACE_EXPONENT_ZERO >= (int)CT_SPACE_EXPONENTS) return CT_SPACE_TOP;
    uint8_t slot = index->slots[exponent + (int)CT_SPACE_EXPONENT_ZERO];
    return slot != CT_SPACE_NO_LEVEL ? slot : add_level(index, exponent);
}

uint32_t ct_space_level_of(ct_space_index *index, const float *at, double radius) {
    double smallest = ct_space_smallest_cell(at, radius);
    if (CT_LIKELY(smallest <= index->cell)) return 0; // the first level
    double ratio = smallest / index->cell;
    int exponent;
    if (!(ratio <= DBL_MAX)) return CT_SPACE_TOP;
    (void)frexp(ratio, &exponent);
    return ct_space_level_at(index, exponent);
}

void ct_space_levels_clear(ct_space_index *index) {
    memset(index->slots, CT_SPACE_NO_LEVEL, sizeof index->slots);
    memset(index->levels, 0, sizeof index->levels);
    index->level_count = 0;
    index->regular = false;
    index->buckets = 1u << CT_SPACE_BLOCK_BITS;
    while (index->buckets <= index->room / 2)
        index->buckets *= 2;
    index->mask = index->buckets - 1;
    add_level(index, 0);
    ct_space_level_forget(index, &index->levels[CT_SPACE_TOP]);
    share_buckets(&index->levels[CT_SPACE_TOP], CT_SPACE_TOP);
}

// Returns the number of cells between the bounds of all entries.
static double count_cells(const ct_space_index *index) {
    double cells = 0;
    for (uint32_t i = 0; i < CT_SPACE_LEVELS; ++i) {
        const ct_space_level *level = &index->levels[i];
        double product = 1;
        for (int axis = 0; axis < 3 && level->used; ++axis)
            product *= (double)level->most[axis] - level->least[axis] + 1;
        if (i < index->level_count || i == CT_SPACE_TOP) cells += product;
    }
    return cells;
}

bool ct_space_levels_lay_out(ct_space_index *index) {
    uint32_t next = 0;
    if (count_cells(index) > index->room) return false;
    for (uint32_t i = 0; i < CT_SPACE_LEVELS; ++i) {
        ct_space_level *level = &index->levels[i];
        uint32_t size[3] = {1, 1, 1};
        if (i >= index->level_count && i != CT_SPACE_TOP) continue;
        for (int axis = 0; axis < 3; ++axis) {
            level->low[axis] = level->used ? level->least[axis] : 0;
            level->high[axis] = level->used ? level->most[axis] : 0;
            size[axis] = (uint32_t)(level->high[axis] - level->low[axis]) + 1;
        }
        level->step[1] = size[0];
        level->step[2] = size[0] * size[1];
        level->base = next - (uint32_t)level->low[0] - (uint32_t)level->low[1] * level->step[1] -
                      (uint32_t)level->low[2] * level->step[2];
        next += size[0] * size[1] * size[2];
    }
    index->regular = true;
    index->buckets = next;
    index->mask = UINT32_MAX;
    return true;
}

bool ct_space_levels_fit(const ct_space_index *index) {
    enum { SLACK = 8, WASTE = 4 };
    double cells = count_cells(index);
    if (!index->regular) return index->crowded || cells > index->room;
    if (index->strays > 0 || cells * WASTE < index->buckets) return false;
    for (uint32_t i = 0; i < index->level_count; ++i) {
        const ct_space_level *level = &index->levels[i];
        for (int axis = 0; axis < 3 && level->used; ++axis) {
            int32_t slack = (level->high[axis] - level->low[axis]) / SLACK + 1;
            if (level->least[axis] < level->low[axis] - slack) return false;
            if (level->most[axis] > level->high[axis] + slack) return false;
        }
    }
    return true;
}

uint32_t ct_space_level_extend(ct_space_index *index, uint32_t number, const float *at,
                               double radius) {
    ct_space_level *level = &index->levels[number];
    int32_t cells[3];
    for (int i = 0; i < 3; ++i) {
        int32_t cell = ct_space_cell((double)at[i], level->inverse);
        level->least[i] = cell < level->least[i] ? cell : level->least[i];
        level->most[i] = cell > level->most[i] ? cell : level->most[i];
        cells[i] = ct_space_cell_in(level, i, (double)at[i]);
    }
    level->largest = radius > level->largest ? radius : level->largest;
    level->used = true;
    return ct_space_bucket(index, level, cells[0], cells[1], cells[2]);
}
