// Visits of the entries in a region of a space.
#include "world/space/space_visit.h"

#include <math.h>

// Finds the cells of a level in the region. Returns their number.
static double cells_of(const ct_space_index *index, const ct_space_level *level, const double *low,
                       const double *high, bool circles, ct_space_cells *out) {
    double number = 1, radius = circles ? level->largest : 0;
    out->low[2] = out->high[2] = 0;
    for (uint32_t i = 0; i < index->dimensions; ++i) {
        double more = radius + (fabs(low[i]) + fabs(high[i]) + radius) * 1e-14; // for rounding
        double from = (low[i] - more) * level->inverse, to = (high[i] + more) * level->inverse;
        if (to < level->low[i] || from >= level->high[i] + 1.0) {
            *out = (ct_space_cells){{0, 0, 0}, {-1, -1, -1}};
            return 0;
        }
        // In the last level, both are NaN if the region is infinite.
        out->low[i] = !(from > level->low[i]) ? level->low[i] : ct_space_cell(from, 1);
        out->high[i] = !(to < level->high[i]) ? level->high[i] : ct_space_cell(to, 1);
        number *= (double)out->high[i] - out->low[i] + 1;
    }
    return number;
}

static bool is_covered(const ct_space_level *level, const ct_space_cells *cells) {
    for (int i = 0; i < 3; ++i) {
        if (cells->low[i] > level->low[i] || cells->high[i] < level->high[i]) return false;
    }
    return true;
}

// Sets the first row of a level.
static void begin_level(ct_space_visit *visit) {
    visit->y = visit->cells[visit->level].low[1] - 1;
    visit->z = visit->cells[visit->level].low[2];
}

void ct_space_visit_all(ct_space_visit *visit, const ct_space_index *index) {
    visit->index = index;
    visit->whole = visit->covers = true;
    visit->rest = index->count != 0;
}

void ct_space_visit_begin(ct_space_visit *visit, const ct_space_index *index, const double *low,
                          const double *high, bool circles) {
    visit->index = index;
    visit->visited = 0;
    visit->covers = true;
    visit->whole = false;
    visit->single = index->level_count == 1 && !index->levels[CT_SPACE_TOP].used;
    for (uint32_t i = 0; i < CT_SPACE_LEVELS; ++i) {
        if (i == index->level_count) i = CT_SPACE_TOP;
        const ct_space_level *level = &index->levels[i];
        ct_space_cells *cells = &visit->cells[i];
        if (!level->used) continue;
        visit->visited += cells_of(index, level, low, high, circles, cells);
        visit->covers = visit->covers && is_covered(level, cells);
    }
    if (visit->visited > index->count) {
        ct_space_visit_all(visit, index);
        return;
    }
    visit->level = 0;
    visit->rest = visit->blocks = 0;
    visit->moved = CT_NO_ROW;
    if (index->levels[0].used) begin_level(visit);
}

// Finds the next row. Returns false after the last one.
static bool next_row(ct_space_visit *visit) {
    const ct_space_index *index = visit->index;
    for (;;) {
        const ct_space_cells *cells = &visit->cells[visit->level];
        if (index->levels[visit->level].used && visit->z <= cells->high[2]) {
            if (++visit->y <= cells->high[1]) break;
            visit->y = cells->low[1] - 1;
            visit->z++;
            continue;
        }
        if (visit->level == CT_SPACE_TOP) return false;
        if (++visit->level == index->level_count) visit->level = CT_SPACE_TOP;
        if (index->levels[visit->level].used) begin_level(visit);
    }
    const ct_space_cells *cells = &visit->cells[visit->level];
    visit->bucket = ct_space_bucket(index, cells->low[0], visit->y, visit->z, visit->level);
    visit->rest = (uint32_t)(cells->high[0] - cells->low[0]) + 1;
    if (visit->rest > index->buckets) visit->rest = index->buckets;
    if (index->moved != 0)
        visit->blocks = ct_space_blocks(index, visit->bucket, visit->rest, &visit->block);
    return true;
}

// Finds the run of all entries, with the moved ones.
static bool next_of_all(ct_space_visit *visit) {
    const ct_space_index *index = visit->index;
    if (visit->rest == 0) return false;
    visit->rest = 0;
    visit->first = index->entries;
    visit->last = index->entries + index->count + index->moved;
    return true;
}

bool ct_space_visit_next(ct_space_visit *visit) {
    const ct_space_index *index = visit->index;
    if (visit->whole) return next_of_all(visit);
    for (;;) {
        if (visit->rest > 0) {
            uint32_t end = visit->bucket + visit->rest;
            if (end > index->buckets) end = index->buckets; // the row continues at bucket 0
            visit->first = index->entries + index->start[visit->bucket];
            visit->last = index->entries + index->start[end];
            visit->rest -= end - visit->bucket;
            visit->bucket = 0;
            if (visit->first < visit->last) return true;
        } else if (visit->moved != CT_NO_ROW) {
            visit->first = index->entries + index->count + visit->moved;
            visit->last = visit->first + 1;
            visit->moved = index->chain[visit->moved];
            return true;
        } else if (visit->blocks > 0) {
            visit->moved = ct_space_next_block(index, &visit->block);
            visit->blocks--;
        } else if (!next_row(visit)) {
            return false;
        }
    }
}
