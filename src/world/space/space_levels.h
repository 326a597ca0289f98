// Levels of a space's grid: sizes of cells, and their buckets.
#ifndef CT_SPACE_LEVELS_H
#define CT_SPACE_LEVELS_H

#include "world/space/space_index.h"

// Moved entries are listed by blocks of buckets.
#if defined(CT_TEST) && CT_TEST
#define CT_SPACE_BLOCK_BITS 1u
#else
#define CT_SPACE_BLOCK_BITS 6u
#endif

/// Removes all levels but the first one, whose cells share buckets.
void ct_space_levels_clear(ct_space_index *index);

/// Gives each cell between the bounds of the levels a bucket of its own. Returns false if there are
/// not enough.
bool ct_space_levels_lay_out(ct_space_index *index);

/// Returns whether the buckets of the last build fit the bounds of the levels.
bool ct_space_levels_fit(const ct_space_index *index);

/// Removes the entries from the bounds of a level.
void ct_space_level_forget(const ct_space_index *index, ct_space_level *level);

/// Returns the size of cells of a level.
double ct_space_level_size(const ct_space_index *index, int exponent);

/// Returns the level with cells of cell * 2^exponent, which is added if there is room.
uint32_t ct_space_level_at(ct_space_index *index, int exponent);

/// Returns the level of an entry that is not in a crowded cell.
uint32_t ct_space_level_of(ct_space_index *index, const float *at, double radius);

/// Adds an entry to the bounds of its level. Returns its bucket.
uint32_t ct_space_level_extend(ct_space_index *index, uint32_t number, const float *at,
                               double radius);

/// Returns the smallest size of a cell that an entry may be in.
double ct_space_smallest_cell(const float *at, double radius);

static inline bool ct_space_is_nowhere(const float *at) { return at[0] != at[0]; } // NOLINT

/// Returns the bucket of a cell between the bounds of its level.
static inline uint32_t ct_space_bucket(const ct_space_index *index, const ct_space_level *level,
                                       int32_t x, int32_t y, int32_t z) {
    return (level->base + (uint32_t)x + (uint32_t)y * level->step[1] +
            (uint32_t)z * level->step[2]) &
           index->mask;
}

/// Returns the cell of a coordinate.
static inline int32_t ct_space_cell(double x, double inverse) {
    double cell = x * inverse;
    int32_t below = (int32_t)cell;
    return below - (cell < below);
}

/// Returns the cell with buckets that has the entries of a cell.
static inline int32_t ct_space_clamp(const ct_space_level *level, int axis, int32_t cell) {
    cell = cell < level->low[axis] ? level->low[axis] : cell;
    return cell > level->high[axis] ? level->high[axis] : cell;
}

/// Returns the cell, of those with buckets, of a coordinate.
static inline int32_t ct_space_cell_in(const ct_space_level *level, int axis, double x) {
    return ct_space_clamp(level, axis, ct_space_cell(x, level->inverse));
}

#endif
