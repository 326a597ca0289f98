// Visits of the entries in a region of a space.
// Must not depend on what a question checks.
#ifndef CT_SPACE_VISIT_H
#define CT_SPACE_VISIT_H

#include "world/space/space_index.h"

CT_BEGIN_C

typedef struct ct_space_cells {
    int32_t low[3], high[3];
} ct_space_cells;

/// Visit of the entries in a region, in runs of the packed entries.
typedef struct ct_space_visit {
    const ct_space_entry *first, *last; ///< current run
    const ct_space_index *index;
    double visited;        ///< number of cells of the region
    bool whole;            ///< the region has more cells than there are entries: visits these
    bool covers;           ///< the region contains all cells
    bool single;           // all entries are in the first level
    uint32_t level;        // current level
    int32_t y, z;          // current row
    uint32_t bucket, rest; // next buckets of the row
    uint32_t block, blocks;
    uint32_t moved; // next moved entry, or CT_NO_ROW
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

/// Returns whether an entry of the run belongs to the row that is being visited. Each entry of the
/// region belongs to one row.
static inline bool ct_space_visit_owns(const ct_space_visit *visit, const ct_space_entry *entry) {
    const ct_space_index *index = visit->index;
    if (visit->whole) return true;
    double inverse = index->levels[visit->level].inverse;
    return (visit->single || index->level[entry->order] == visit->level) &&
           ct_space_cell((double)entry->at[1], inverse) == visit->y &&
           ct_space_cell((double)entry->at[2], inverse) == visit->z;
}

CT_END_C

#endif
