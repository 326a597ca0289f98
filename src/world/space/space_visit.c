// Visits of the entries in a row of cells, or in a region, of a space.
#include "world/space/space_visit.h"

#include <math.h>

// Size from which an index does not fit the nearest caches.
#if defined(CT_TEST) && CT_TEST
#define LARGE_INDEX 0u
#else
#define LARGE_INDEX ((size_t)1 << 20)
#endif

// ---------------------------------------------------------------- rows

static inline void begin_row(ct_space_visit *visit, int32_t x1, int32_t x2) {
    const ct_space_index *index = visit->index;
    visit->bucket = ct_space_bucket(index, &index->levels[visit->level], x1, visit->y, visit->z);
    visit->rest = (uint32_t)(x2 - x1) + 1;
    visit->exact = index->regular;
    if (visit->rest > index->buckets) visit->rest = index->buckets;
    if (CT_LIKELY(index->moved == 0)) return;
    uint32_t all = ((index->buckets - 1) >> CT_SPACE_BLOCK_BITS) + 1;
    visit->block = visit->bucket >> CT_SPACE_BLOCK_BITS;
    visit->blocks = ((visit->bucket + visit->rest - 1) >> CT_SPACE_BLOCK_BITS) - visit->block + 1;
    if (visit->blocks > all) visit->blocks = all;
}

void ct_space_visit_row(ct_space_visit *visit, const ct_space_index *index, uint32_t level,
                        int32_t x1, int32_t x2, int32_t y, int32_t z) {
    visit->index = index;
    visit->whole = false;
    visit->level = level;
    visit->y = y;
    visit->z = z;
    visit->blocks = 0;
    visit->moved = CT_NO_ROW;
    begin_row(visit, x1, x2);
}

// Finds the next moved entry in the blocks of the row.
static bool next_moved(ct_space_visit *visit) {
    const ct_space_index *index = visit->index;
    while (visit->moved == CT_NO_ROW) {
        if (visit->blocks == 0) return false;
        if (visit->block << CT_SPACE_BLOCK_BITS >= index->buckets) visit->block = 0;
        visit->moved = index->heads[visit->block++];
        visit->blocks--;
    }
    visit->exact = false;
    visit->first = index->entries + index->count + visit->moved;
    visit->last = visit->first + 1;
    visit->moved = index->chain[visit->moved];
    return true;
}

static inline bool next_run(ct_space_visit *visit) {
    const ct_space_index *index = visit->index;
    while (visit->rest > 0) {
        uint32_t end = visit->bucket + visit->rest;
        if (CT_UNLIKELY(end > index->buckets)) end = index->buckets; // continues at bucket 0
        visit->first = index->entries + index->start[visit->bucket];
        visit->last = index->entries + index->start[end];
        visit->rest -= end - visit->bucket;
        visit->bucket = 0;
        if (visit->first < visit->last) return true;
    }
    return CT_UNLIKELY(index->moved != 0) && next_moved(visit);
}

bool ct_space_visit_run(ct_space_visit *visit) { return next_run(visit); }

// ---------------------------------------------------------------- regions

// Finds the cells of a level in the region. Returns their number.
static double find_cells(ct_space_visit *visit, const ct_space_level *level, const double *low,
                         const double *high, bool circles, ct_space_cells *out) {
    double number = 1, radius = circles ? level->largest : 0;
    out->low[2] = out->high[2] = 0;
    for (uint32_t i = 0; i < visit->index->dimensions; ++i) {
        double more = radius + (fabs(low[i]) + fabs(high[i]) + radius) * 1e-14; // for rounding
        double from = (low[i] - more) * level->inverse, to = (high[i] + more) * level->inverse;
        int32_t least = level->least[i], most = level->most[i];
        if (to < least || from >= most + 1.0) {
            *out = (ct_space_cells){{0, 0, 0}, {-1, -1, -1}};
            visit->covers = false;
            return 0;
        }
        // In the last level, both are NaN if the region is infinite.
        int32_t first = !(from > least) ? least : ct_space_cell(from, 1);
        int32_t last = !(to < most) ? most : ct_space_cell(to, 1);
        visit->covers = visit->covers && first <= least && last >= most;
        first = first < level->low[i] ? level->low[i] : first;
        last = last > level->high[i] ? level->high[i] : last;
        out->low[i] = first < level->high[i] ? first : level->high[i];
        out->high[i] = last > level->low[i] ? last : level->low[i];
        number *= (double)out->high[i] - out->low[i] + 1;
    }
    return number;
}

// Sets the first row of a level.
static void begin_level(ct_space_visit *visit) {
    visit->y = visit->cells[visit->level].low[1] - 1;
    visit->z = visit->cells[visit->level].low[2];
}

void ct_space_visit_all(ct_space_visit *visit, const ct_space_index *index) {
    visit->index = index;
    visit->whole = visit->covers = true;
    visit->rest = 0;
    visit->first = NULL;
}

// Requests the memory of the first rows of a region in a large index: reading row by row would wait
// for the memory of each.
static void request_rows(const ct_space_visit *visit) {
    enum { ROWS = 16 };
    const ct_space_index *index = visit->index;
    const ct_space_cells *cells = &visit->cells[0];
    uint32_t from[ROWS], count = 0;
    if (index->bytes <= LARGE_INDEX || !index->regular || !index->levels[0].used) return;
    const uint32_t width = (uint32_t)(cells->high[0] - cells->low[0]) + 1;
    for (int32_t z = cells->low[2]; z <= cells->high[2]; ++z) {
        for (int32_t y = cells->low[1]; y <= cells->high[1] && count < ROWS; ++y) {
            from[count] = ct_space_bucket(index, &index->levels[0], cells->low[0], y, z);
            CT_PREFETCH(&index->start[from[count]]);
            CT_PREFETCH(&index->start[from[count++] + width]);
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        const ct_space_entry *first = index->entries + index->start[from[i]];
        const ct_space_entry *last = index->entries + index->start[from[i] + width];
        CT_PREFETCH(first);
        if (last > first) CT_PREFETCH(last - 1);
    }
}

void ct_space_visit_begin(ct_space_visit *visit, const ct_space_index *index, const double *low,
                          const double *high, bool circles) {
    visit->index = index;
    visit->visited = 0;
    visit->covers = true;
    visit->whole = false;
    for (uint32_t i = 0; i < CT_SPACE_LEVELS; ++i) {
        if (i >= index->level_count) i = CT_SPACE_TOP;
        const ct_space_level *level = &index->levels[i];
        if (!level->used) continue;
        visit->visited += find_cells(visit, level, low, high, circles, &visit->cells[i]);
    }
    if (visit->visited > index->count) {
        ct_space_visit_all(visit, index);
        return;
    }
    visit->level = 0;
    visit->rest = visit->blocks = 0;
    visit->moved = CT_NO_ROW;
    if (index->levels[0].used) begin_level(visit);
    request_rows(visit);
}

// Begins the next row of the region. Returns false after the last one.
static bool next_row(ct_space_visit *visit) {
    const ct_space_index *index = visit->index;
    for (;;) {
        const ct_space_cells *cells = &visit->cells[visit->level];
        if (index->levels[visit->level].used && visit->z <= cells->high[2]) {
            if (++visit->y <= cells->high[1]) {
                begin_row(visit, cells->low[0], cells->high[0]);
                return true;
            }
            visit->y = cells->low[1] - 1;
            visit->z++;
            continue;
        }
        if (visit->level == CT_SPACE_TOP) return false;
        if (++visit->level >= index->level_count) visit->level = CT_SPACE_TOP;
        if (index->levels[visit->level].used) begin_level(visit);
    }
}

// Finds the run of all entries, with the moved ones.
static bool next_of_all(ct_space_visit *visit) {
    const ct_space_index *index = visit->index;
    if (visit->first != NULL || index->count == 0) return false;
    visit->exact = true;
    visit->first = index->entries;
    visit->last = index->entries + index->count + index->moved;
    return true;
}

bool ct_space_visit_next(ct_space_visit *visit) {
    if (visit->whole) return next_of_all(visit);
    while (!next_run(visit)) {
        if (!next_row(visit)) return false;
    }
    return true;
}
