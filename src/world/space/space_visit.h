// Visits of the entries in a row of cells, or in a region, of a space.
#ifndef CT_SPACE_VISIT_H
#define CT_SPACE_VISIT_H

#include "world/space/space_levels.h"

typedef struct ct_space_cells {
    int32_t low[3], high[3];
} ct_space_cells;

/// Visit of entries, in runs of the packed entries.
typedef struct ct_space_visit {
    const ct_space_entry *first, *last; ///< current run
    const ct_space_index *index;
    double visited;         ///< number of cells of the region
    bool whole;             ///< the region has more cells than there are entries: visits these
    bool covers;            ///< the region contains all cells
    bool exact;             ///< all entries of the run belong to the row
    uint32_t level;         // current level
    int32_t y, z;           // current row
    uint32_t bucket, rest;  // next buckets of the row
    uint32_t block, blocks; // next blocks with moved entries of the row
    uint32_t moved;         // next moved entry, or CT_NO_ROW
    ct_space_cells cells[CT_SPACE_LEVELS];
} ct_space_visit;

/// Begins a visit of the region between two corners, widened by the largest radius of each level
/// if 'circles'.
void ct_space_visit_begin(ct_space_visit *visit, const ct_space_index *index, const double *low,
                          const double *high, bool circles);

/// Begins a visit of all entries.
void ct_space_visit_all(ct_space_visit *visit, const ct_space_index *index);

/// Finds the next run. The entries of a run may be far from the region. Returns false at the end.
bool ct_space_visit_next(ct_space_visit *visit);

/// Begins a visit of the cells x1 to x2 of a row, which are between the bounds of the level.
void ct_space_visit_row(ct_space_visit *visit, const ct_space_index *index, uint32_t level,
                        int32_t x1, int32_t x2, int32_t y, int32_t z);

/// Finds the next run of the row. Returns false at its end.
bool ct_space_visit_run(ct_space_visit *visit);

/// Returns whether an entry of the run belongs to the row that is being visited. Each entry of the
/// region belongs to one row.
static inline bool ct_space_visit_owns(const ct_space_visit *visit, const ct_space_entry *entry) {
    const ct_space_index *index = visit->index;
    if (visit->exact) return true;
    const ct_space_level *level = &index->levels[visit->level];
    return index->level[entry->order] == visit->level &&
           ct_space_cell_in(level, 1, (double)entry->y) == visit->y &&
           (index->z == NULL || ct_space_cell_in(level, 2, ct_space_z(index, entry)) == visit->z);
}

#endif
