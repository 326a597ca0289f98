// Grid of cells that a space keeps: entries packed by cell.
#include "world/space/space_levels.h"

#include <math.h>
#include <string.h>

// Number of entries before an entry when the memory of its bucket is requested.
enum { AHEAD = 16 };

#if defined(CT_TEST) && CT_TEST
enum { SPARE = 4, CROWD = 4 };
#else
enum { SPARE = 16, CROWD = 96 };
#endif

// ---------------------------------------------------------------- memory

// Sets the addresses of all arrays in a block. Returns the bytes that it needs.
static size_t divide(ct_space_index *index) {
    const size_t capacity = index->capacity, entries = capacity + index->spare;
    size_t radii = !index->has_radii ? 0 : capacity * (index->wide ? 8 : 4);
    size_t used = 0;
    unsigned char *block = index->block;
#define TAKE(member, size)                                                                         \
    index->member = block != NULL && (size) != 0 ? (void *)(block + used) : NULL;                  \
    used += ((size) + 7) & ~(size_t)7
    TAKE(entries, entries * sizeof *index->entries);
    TAKE(z, index->dimensions == 3 ? entries * sizeof *index->z : 0);
    TAKE(radii, radii);
    TAKE(ids, capacity * sizeof *index->ids);
    TAKE(place, capacity * sizeof *index->place);
    TAKE(masks, index->has_masks ? capacity * sizeof *index->masks : 0);
    TAKE(start, ((size_t)index->room + 1) * sizeof *index->start);
    TAKE(heads, (((size_t)index->room >> CT_SPACE_BLOCK_BITS) + 1) * sizeof *index->heads);
    TAKE(chain, index->spare * sizeof *index->chain);
    TAKE(level, capacity);
#undef TAKE
    return used;
}

bool ct_space_index_reserve(ct_space_index *index, const ct_allocator *allocator, uint32_t count) {
    if (count <= index->capacity) return true;
    ct_space_index larger = *index;
    larger.capacity = index->capacity == 0 ? count : count + count / 8;
    larger.spare = larger.capacity / 16 + SPARE;
    larger.room = 2 * larger.capacity + (1u << CT_SPACE_BLOCK_BITS);
    larger.block = NULL;
    larger.bytes = divide(&larger);
    larger.block = ct_alloc(allocator, larger.bytes);
    if (larger.block == NULL) return false;
    divide(&larger);
    larger.count = larger.moved = larger.level_count = 0;
    ct_free(allocator, index->block, index->bytes);
    *index = larger;
    return true;
}

void ct_space_index_free(ct_space_index *index, const ct_allocator *allocator) {
    ct_free(allocator, index->block, index->bytes);
    index->block = NULL;
    index->bytes = 0;
    index->count = index->capacity = index->spare = index->moved = index->level_count = 0;
}

// ---------------------------------------------------------------- building

// Returns whether all entries of a piece are in the first level, and their largest radius.
static bool are_plain(const ct_space_index *index, const ct_space_values *v, uint32_t count,
                      double *largest) {
    int32_t bits[3][CT_SPACE_PIECE], most = 0; // without the sign, floats are ordered like numbers
    float far;
    *largest = 0;
    memcpy(bits[0], v->x, count * sizeof *v->x);
    memcpy(bits[1], v->y, count * sizeof *v->y);
    memcpy(bits[2], v->z, count * sizeof *v->z);
    for (int axis = 0; axis < 3; ++axis) {
        for (uint32_t i = 0; i < count; ++i) {
            int32_t magnitude = bits[axis][i] & INT32_MAX;
            most = magnitude > most ? magnitude : most;
        }
    }
    for (uint32_t i = 0; i < count; ++i)
        *largest = v->radius[i] > *largest ? v->radius[i] : *largest;
    memcpy(&far, &most, sizeof far); // a NaN is the largest number
    return (double)far <= index->cell * (1 << 22) && 2 * *largest <= index->cell;
}

// Finds the cells of coordinates along an axis, and adds them to the bounds of the level.
static void find_cells(ct_space_level *level, int axis, const float *x, uint32_t count,
                       int32_t *cells) {
    int32_t least = level->least[axis], most = level->most[axis];
    const int32_t low = level->low[axis], high = level->high[axis];
    const double inverse = level->inverse;
    for (uint32_t i = 0; i < count; ++i)
        cells[i] = ct_space_cell((double)x[i], inverse);
    for (uint32_t i = 0; i < count; ++i) {
        least = cells[i] < least ? cells[i] : least;
        most = cells[i] > most ? cells[i] : most;
    }
    level->least[axis] = least;
    level->most[axis] = most;
    if (CT_LIKELY(least >= low && most <= high)) return;
    for (uint32_t i = 0; i < count; ++i) {
        cells[i] = cells[i] < low ? low : cells[i];
        cells[i] = cells[i] > high ? high : cells[i];
    }
}

// Sets level and bucket of a piece of entries of the first level.
static void assign_plain(ct_space_index *index, const ct_space_values *v, uint32_t first,
                         uint32_t count, double largest) {
    ct_space_level *level = &index->levels[0];
    int32_t x[CT_SPACE_PIECE], y[CT_SPACE_PIECE], z[CT_SPACE_PIECE];
    uint32_t *place = index->place + first;
    const uint32_t base = level->base, row = level->step[1], mask = index->mask;
    level->used = true;
    level->largest = largest > level->largest ? largest : level->largest;
    find_cells(level, 0, v->x, count, x);
    find_cells(level, 1, v->y, count, y);
    for (uint32_t i = 0; i < count; ++i)
        place[i] = (base + (uint32_t)x[i] + (uint32_t)y[i] * row) & mask;
    if (index->z != NULL) {
        find_cells(level, 2, v->z, count, z);
        for (uint32_t i = 0; i < count; ++i)
            place[i] = ct_space_bucket(index, level, x[i], y[i], z[i]);
    }
    memset(index->level + first, 0, count);
}

// Sets level and bucket (in 'place') of each entry, and the bounds of levels.
static void assign_levels(ct_space_index *index, const ct_space_source *source) {
    ct_space_values v;
    double largest;
    for (uint32_t i = 0; i < CT_SPACE_LEVELS; ++i)
        if (i < index->level_count || i == CT_SPACE_TOP)
            ct_space_level_forget(index, &index->levels[i]);
    for (uint32_t first = 0; first < index->count; first += CT_SPACE_PIECE) {
        uint32_t left = index->count - first;
        uint32_t count = left < CT_SPACE_PIECE ? left : CT_SPACE_PIECE;
        source->read(source->user, first, count, false, &v);
        if (are_plain(index, &v, count, &largest)) {
            assign_plain(index, &v, first, count, largest);
            continue;
        }
        for (uint32_t i = 0; i < count; ++i) {
            const float at[3] = {v.x[i], v.y[i], v.z[i]};
            uint32_t level = CT_SPACE_NO_LEVEL, bucket = 0;
            if (!ct_space_is_nowhere(at)) {
                level = ct_space_level_of(index, at, v.radius[i]);
                bucket = ct_space_level_extend(index, level, at, v.radius[i]);
            }
            index->level[first + i] = (uint8_t)level;
            index->place[first + i] = bucket;
        }
    }
}

// Counts the entries of each bucket. Returns the mean number of entries in the bucket of an entry.
static double count_buckets(ct_space_index *index) {
    uint64_t crowd = 0;
    uint32_t *start = index->start;
    const uint32_t *place = index->place;
    memset(start, 0, ((size_t)index->buckets + 1) * sizeof *start);
    for (uint32_t i = 0, count = index->count; i < count; ++i) {
        if (i + AHEAD < count) CT_PREFETCH(&start[place[i + AHEAD]]);
        crowd += start[place[i]]++;
    }
    return (2 * (double)crowd + index->count) / (index->count + 1.0);
}

// Moves the entries of crowded cells to levels with smaller cells. Returns whether one was moved.
static bool thin_out(ct_space_index *index, const ct_space_source *source) {
    enum { FINER = 3 }; // cells of an eighth of the size
    bool thinned = false;
    ct_space_values v;
    for (uint32_t i = 0; i < index->count; ++i) {
        uint32_t level = index->level[i];
        if (level >= CT_SPACE_TOP || index->start[index->place[i]] <= CROWD) continue;
        source->read(source->user, i, 1, false, &v);
        const float at[3] = {v.x[0], v.y[0], v.z[0]};
        int exponent;
        (void)frexp(index->levels[level].size / index->cell, &exponent);
        exponent -= 1 + FINER; // frexp gives 1 for a ratio of 1
        if (exponent < -(int)CT_SPACE_EXPONENT_ZERO) continue;
        if (!(ct_space_smallest_cell(at, v.radius[0]) <= ct_space_level_size(index, exponent)))
            continue;
        uint32_t finer = ct_space_level_at(index, exponent);
        if (finer == CT_SPACE_TOP) continue;
        index->level[i] = (uint8_t)finer;
        index->place[i] = ct_space_level_extend(index, finer, at, v.radius[0]);
        thinned = true;
    }
    return thinned;
}

// Writes a piece of entries to their places, the last one first: then the entries of a bucket are
// in the order of the query.
static void put_entries(ct_space_index *index, const ct_space_values *v, uint32_t first,
                        uint32_t count, bool all) {
    uint32_t *start = index->start, *place = index->place + first;
    const float radius = index->has_radii && !index->wide ? 1 : 0;
    for (uint32_t i = 0; i < count && first >= count; ++i)
        CT_PREFETCH(&start[index->place[first - count + i]]); // of the next piece
    for (uint32_t i = count; i-- > 0;) {
        place[i] = --start[place[i]];
        CT_PREFETCH(&index->entries[place[i]]);
    }
    for (uint32_t i = count; i-- > 0;) {
        uint32_t to = place[i];
        index->entries[to] = (ct_space_entry){v->x[i], v->y[i], 0, first + i};
        if (radius != 0) index->entries[to].radius = (float)v->radius[i];
        if (index->z != NULL) index->z[to] = v->z[i];
    }
    if (all) memcpy(index->ids + first, v->id, count * sizeof *v->id);
    if (index->has_masks) memcpy(index->masks + first, v->mask, count * sizeof *v->mask);
    for (uint32_t i = 0; i < count && index->has_radii; ++i) {
        if (index->wide)
            ((double *)index->radii)[first + i] = v->radius[i];
        else
            ((float *)index->radii)[first + i] = (float)v->radius[i];
    }
}

// Gives each entry a bucket, and counts the entries of each bucket.
static void choose_buckets(ct_space_index *index, const ct_space_source *source) {
    bool known = index->level_count > 0; // those of the last build, which are right in most cases
    index->strays = 0;
    if (known) assign_levels(index, source);
    if (!known || !ct_space_levels_fit(index)) {
        ct_space_levels_clear(index);
        assign_levels(index, source);
        if (ct_space_levels_lay_out(index)) assign_levels(index, source);
    }
    index->crowded = false;
    while (count_buckets(index) > CROWD) {
        if (index->regular) {
            ct_space_levels_clear(index);
            assign_levels(index, source);
        } else if (!thin_out(index, source)) {
            break;
        }
        index->crowded = true;
    }
}

void ct_space_index_build(ct_space_index *index, double cell, uint32_t count, bool same,
                          const ct_space_source *source) {
    const bool all = !same || index->has_masks;
    ct_space_values values;
    CT_ASSERT(count <= index->capacity);
    if (cell != index->cell || count == 0) index->level_count = 0;
    index->cell = cell;
    index->count = count;
    index->moved = 0;
    if (count == 0) {
        memset(index->levels, 0, sizeof index->levels);
        return;
    }
    choose_buckets(index, source);
    memset(index->heads, 0xFF,
           ((index->buckets >> CT_SPACE_BLOCK_BITS) + 1) * sizeof *index->heads);
    uint32_t *start = index->start, sum = 0;
    for (uint32_t i = 0, buckets = index->buckets; i <= buckets; ++i) {
        sum += start[i];
        start[i] = sum;
    }
    for (uint32_t left = count; left > 0;) {
        uint32_t piece = (left - 1) % CT_SPACE_PIECE + 1;
        left -= piece;
        source->read(source->user, left, piece, all, &values);
        put_entries(index, &values, left, piece, all);
    }
}

static void read_own(const void *user, uint32_t first, uint32_t count, bool all,
                     ct_space_values *out) {
    const ct_space_index *index = user;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t order = first + i;
        const ct_space_entry *entry = &index->entries[index->place[order]];
        out->x[i] = entry->x;
        out->y[i] = entry->y;
        out->z[i] = (float)ct_space_z(index, entry);
        out->radius[i] = ct_space_radius(index, entry);
        if (!all) continue;
        out->id[i] = index->ids[order];
        out->mask[i] = index->has_masks ? index->masks[order] : 0;
    }
}

ct_status ct_space_index_rebuild(ct_space_index *index, const ct_allocator *allocator,
                                 double cell) {
    ct_space_index next = *index;
    const ct_space_source source = {index, read_own};
    next.block = NULL;
    next.bytes = 0;
    next.capacity = 0;
    if (!ct_space_index_reserve(&next, allocator, index->count)) return ct_out_of_memory(allocator);
    ct_space_index_build(&next, cell, index->count, false, &source);
    ct_space_index_free(index, allocator);
    *index = next;
    return CT_OK;
}
