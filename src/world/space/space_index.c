// Grid of cells that a space keeps: entries packed by cell.
#include "world/space/space_index.h"

#include <math.h>
#include <string.h>

// Blocks of buckets with a common list of moved entries.
#if defined(CT_TEST) && CT_TEST
enum { BLOCK_BITS = 1, SPARE = 4, CROWD = 4 };
#else
enum { BLOCK_BITS = 6, SPARE = 16, CROWD = 96 };
#endif

// ---------------------------------------------------------------- memory

// Sets the addresses of all arrays in a block. Returns the bytes that it needs.
static size_t divide(ct_space_index *index) {
    const size_t capacity = index->capacity, entries = capacity + index->spare;
    size_t radii = !index->has_radii ? 0 : capacity * (index->wide ? 8 : 4);
    size_t used = 0;
    unsigned char *block = index->block;
#define TAKE(member, size)                                                                         \
    index->member = block != NULL ? (void *)(block + used) : NULL;                                 \
    used += ((size) + 7) & ~(size_t)7
    TAKE(radii, radii);
    TAKE(entries, entries * sizeof *index->entries);
    TAKE(ids, capacity * sizeof *index->ids);
    TAKE(place, capacity * sizeof *index->place);
    TAKE(masks, index->has_masks ? capacity * sizeof *index->masks : 0);
    TAKE(start, ((size_t)index->buckets + 1) * sizeof *index->start);
    TAKE(heads, ((size_t)index->buckets >> BLOCK_BITS) * sizeof *index->heads);
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
    larger.buckets = 1u << BLOCK_BITS;
    while (larger.buckets < larger.capacity - larger.capacity / 4)
        larger.buckets *= 2;
    larger.block = NULL;
    larger.bytes = divide(&larger);
    larger.block = ct_alloc(allocator, larger.bytes);
    if (larger.block == NULL) return false;
    divide(&larger);
    larger.count = larger.moved = 0;
    ct_free(allocator, index->block, index->bytes);
    *index = larger;
    return true;
}

void ct_space_index_free(ct_space_index *index, const ct_allocator *allocator) {
    ct_free(allocator, index->block, index->bytes);
    index->block = NULL;
    index->bytes = 0;
    index->count = index->capacity = index->spare = index->moved = 0;
}

// ---------------------------------------------------------------- levels

static double size_of(const ct_space_index *index, int exponent) {
    return ldexp(index->cell, exponent);
}

// Returns the smallest size of a cell that an entry may be in.
static double smallest_cell(const float *at, double radius) {
    double x = fabs((double)at[0]), y = fabs((double)at[1]), z = fabs((double)at[2]);
    double far = x > y ? x : y;
    if (z > far) far = z;
    far *= 1.0 / (1 << 22);
    return 2 * radius > far ? 2 * radius : far;
}

static uint32_t add_level(ct_space_index *index, int exponent) {
    uint32_t number = index->level_count;
    if (number == CT_SPACE_TOP) return CT_SPACE_TOP;
    double size = size_of(index, exponent);
    index->levels[number] = (ct_space_level){
        .size = size,
        .inverse = 1 / size,
        .low = {INT32_MAX, INT32_MAX, INT32_MAX},
        .high = {INT32_MIN, INT32_MIN, INT32_MIN},
    };
    if (index->dimensions == 2) index->levels[number].low[2] = index->levels[number].high[2] = 0;
    index->slots[exponent + (int)CT_SPACE_EXPONENT_ZERO] = (uint8_t)number;
    index->level_count++;
    return number;
}

// Returns the level with cells of cell * 2^exponent.
static uint32_t level_at(ct_space_index *index, int exponent) {
    if (exponent + (int)CT_SPACE_EXPONENT_ZERO >= (int)CT_SPACE_EXPONENTS) return CT_SPACE_TOP;
    uint8_t slot = index->slots[exponent + (int)CT_SPACE_EXPONENT_ZERO];
    return slot != CT_SPACE_NO_LEVEL ? slot : add_level(index, exponent);
}

// Returns the level of an entry that is not in a crowded cell.
static uint32_t level_of(ct_space_index *index, const float *at, double radius) {
    double smallest = smallest_cell(at, radius);
    if (CT_LIKELY(smallest <= index->cell)) return 0; // the first level
    double ratio = smallest / index->cell;
    int exponent;
    if (!(ratio <= DBL_MAX)) return CT_SPACE_TOP;
    (void)frexp(ratio, &exponent);
    return level_at(index, exponent);
}

static void clear_levels(ct_space_index *index) {
    memset(index->slots, CT_SPACE_NO_LEVEL, sizeof index->slots);
    memset(index->levels, 0, sizeof index->levels);
    index->level_count = 0;
    add_level(index, 0);
}

static uint32_t bucket_of(const ct_space_index *index, const float *at, uint32_t level) {
    double inverse = index->levels[level].inverse;
    int32_t x = ct_space_cell((double)at[0], inverse), y = ct_space_cell((double)at[1], inverse);
    int32_t z = ct_space_cell((double)at[2], inverse);
    return ct_space_bucket(index, x, y, z, level);
}

// Adds an entry to the bounds of its level. Returns its bucket.
static inline uint32_t extend_level(const ct_space_index *index, ct_space_level *level,
                                    uint32_t number, const float *at, double radius) {
    int32_t cells[3] = {0, 0, 0};
    for (uint32_t i = 0; i < index->dimensions; ++i) {
        int32_t cell = cells[i] = ct_space_cell((double)at[i], level->inverse);
        level->low[i] = cell < level->low[i] ? cell : level->low[i];
        level->high[i] = cell > level->high[i] ? cell : level->high[i];
    }
    level->largest = radius > level->largest ? radius : level->largest;
    level->used = true;
    return ct_space_bucket(index, cells[0], cells[1], cells[2], number);
}

// ---------------------------------------------------------------- building

static inline bool is_nowhere(const float *at) { return at[0] != at[0]; } // NOLINT

// Sets level and bucket (in 'place') of each entry.
static void assign_levels(ct_space_index *index, const ct_space_source *source) {
    ct_space_values values[CT_SPACE_PIECE];
    ct_space_level first_level = index->levels[0]; // most entries: kept out of memory
    for (uint32_t first = 0; first < index->count; first += CT_SPACE_PIECE) {
        uint32_t count =
            index->count - first < CT_SPACE_PIECE ? index->count - first : CT_SPACE_PIECE;
        source->read(source->user, first, count, false, values);
        for (uint32_t i = 0; i < count; ++i) {
            const ct_space_values *v = &values[i];
            uint32_t level = CT_SPACE_NO_LEVEL, bucket = 0;
            if (!is_nowhere(v->at)) {
                level = level_of(index, v->at, v->radius);
                bucket = extend_level(index,
                                      CT_LIKELY(level == 0) ? &first_level : &index->levels[level],
                                      level, v->at, v->radius);
            }
            index->level[first + i] = (uint8_t)level;
            index->place[first + i] = bucket;
        }
    }
    index->levels[0] = first_level;
}

// Counts the entries of each bucket. Returns the mean number of entries in the bucket of an entry.
static double count_buckets(ct_space_index *index) {
    double crowd = 0;
    memset(index->start, 0, ((size_t)index->buckets + 1) * sizeof *index->start);
    for (uint32_t i = 0; i < index->count; ++i)
        index->start[index->place[i]]++;
    for (uint32_t i = 0; i < index->buckets; ++i)
        crowd += (double)index->start[i] * index->start[i];
    return crowd / (index->count + 1.0);
}

// Moves the entries of crowded cells to levels with smaller cells. Returns whether one was moved.
static bool thin_out(ct_space_index *index, const ct_space_source *source) {
    enum { FINER = 3 }; // cells of an eighth of the size
    bool thinned = false;
    for (uint32_t i = 0; i < index->count; ++i) {
        uint32_t level = index->level[i];
        if (level >= CT_SPACE_TOP || index->start[index->place[i]] <= CROWD) continue;
        ct_space_values v;
        source->read(source->user, i, 1, false, &v);
        int exponent;
        (void)frexp(index->levels[level].size / index->cell, &exponent);
        exponent -= 1 + FINER; // frexp gives 1 for a ratio of 1
        if (exponent < -(int)CT_SPACE_EXPONENT_ZERO) continue;
        if (!(smallest_cell(v.at, v.radius) <= size_of(index, exponent))) continue;
        uint32_t finer = level_at(index, exponent);
        if (finer == CT_SPACE_TOP) continue;
        index->level[i] = (uint8_t)finer;
        index->place[i] = extend_level(index, &index->levels[finer], finer, v.at, v.radius);
        thinned = true;
    }
    return thinned;
}

static void put_entry(ct_space_index *index, uint32_t i, const ct_space_values *v) {
    uint32_t place = --index->start[index->place[i]];
    index->entries[place] = (ct_space_entry){.at = {v->at[0], v->at[1], v->at[2]}, .order = i};
    if (!index->wide) index->entries[place].radius = (float)(v->radius - index->radius);
    index->place[i] = place;
    index->ids[i] = v->id;
    if (index->has_masks) index->masks[i] = v->mask;
    if (index->has_radii && index->wide)
        ((double *)index->radii)[i] = v->radius;
    else if (index->has_radii)
        ((float *)index->radii)[i] = (float)v->radius;
}

void ct_space_index_build(ct_space_index *index, uint32_t count, const ct_space_source *source) {
    ct_space_values values[CT_SPACE_PIECE];
    CT_ASSERT(count <= index->capacity);
    index->count = count;
    index->moved = 0;
    clear_levels(index);
    if (count == 0) return;
    assign_levels(index, source);
    while (count_buckets(index) > CROWD && thin_out(index, source)) {
    }
    memset(index->heads, 0xFF, (index->buckets >> BLOCK_BITS) * sizeof *index->heads);
    for (uint32_t i = 1; i <= index->buckets; ++i)
        index->start[i] += index->start[i - 1];
    for (uint32_t left = count; left > 0;) {
        uint32_t piece = (left - 1) % CT_SPACE_PIECE + 1;
        left -= piece;
        source->read(source->user, left, piece, true, values);
        for (uint32_t i = piece; i-- > 0;)
            put_entry(index, left + i, &values[i]);
    }
}

static void read_own(const void *user, uint32_t first, uint32_t count, bool all,
                     ct_space_values *out) {
    const ct_space_index *index = user;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t order = first + i;
        const ct_space_entry *entry = &index->entries[index->place[order]];
        memcpy(out[i].at, entry->at, sizeof out[i].at);
        out[i].radius = ct_space_radius(index, entry);
        if (!all) continue;
        out[i].id = index->ids[order];
        out[i].mask = index->has_masks ? index->masks[order] : 0;
    }
}

ct_status ct_space_index_rebuild(ct_space_index *index, const ct_allocator *allocator,
                                 double cell) {
    ct_space_index next = *index;
    const ct_space_source source = {index, read_own};
    next.block = NULL;
    next.bytes = 0;
    next.capacity = 0;
    next.cell = cell;
    if (!ct_space_index_reserve(&next, allocator, index->count)) return ct_out_of_memory(allocator);
    ct_space_index_build(&next, index->count, &source);
    ct_space_index_free(index, allocator);
    *index = next;
    return CT_OK;
}

// ---------------------------------------------------------------- moving

uint32_t ct_space_blocks(const ct_space_index *index, uint32_t bucket, uint32_t count,
                         uint32_t *block) {
    uint32_t all = index->buckets >> BLOCK_BITS;
    *block = bucket >> BLOCK_BITS;
    uint32_t blocks = ((bucket + count - 1) >> BLOCK_BITS) - *block + 1;
    return blocks < all ? blocks : all;
}

uint32_t ct_space_next_block(const ct_space_index *index, uint32_t *block) {
    uint32_t first = index->heads[*block];
    *block = (*block + 1) & ((index->buckets >> BLOCK_BITS) - 1);
    return first;
}

static uint32_t *head_of(const ct_space_index *index, uint32_t bucket) {
    return &index->heads[bucket >> BLOCK_BITS];
}

static void unlink_moved(const ct_space_index *index, uint32_t bucket, uint32_t moved) {
    uint32_t *at = head_of(index, bucket);
    while (*at != moved)
        at = &index->chain[*at];
    *at = index->chain[moved];
}

// Returns the level for new values of an entry. An entry may stay in a level for crowded cells.
static uint32_t next_level(ct_space_index *index, uint32_t old, const float *at, double radius) {
    if (is_nowhere(at)) return CT_SPACE_NO_LEVEL;
    uint32_t level = level_of(index, at, radius);
    if (old >= CT_SPACE_TOP || level == CT_SPACE_TOP) return level;
    double size = index->levels[old].size;
    bool fits = smallest_cell(at, radius) <= size && size <= index->levels[level].size;
    return fits ? old : level;
}

void ct_space_index_move(ct_space_index *index, uint32_t order, const float *at, double radius) {
    uint32_t old = index->level[order], place = index->place[order], bucket = CT_NO_ROW;
    ct_space_entry *entry = &index->entries[place];
    uint32_t level = next_level(index, old, at, radius);
    uint32_t to = level != CT_SPACE_NO_LEVEL ? bucket_of(index, at, level) : CT_NO_ROW;
    if (old != CT_SPACE_NO_LEVEL) bucket = bucket_of(index, entry->at, old);
    if (to != bucket) {
        if (place >= index->count && bucket != CT_NO_ROW)
            unlink_moved(index, bucket, place - index->count);
        entry->at[0] = NAN; // the packed entry is in no answer
        if (place < index->count && to != CT_NO_ROW) {
            place = index->count + index->moved++;
            CT_ASSERT(place < index->count + index->spare);
            entry = &index->entries[place];
            index->place[order] = place;
        }
        if (to != CT_NO_ROW) {
            index->chain[place - index->count] = *head_of(index, to);
            *head_of(index, to) = place - index->count;
        }
    }
    memcpy(entry->at, at, sizeof entry->at);
    entry->order = order;
    entry->radius = index->wide ? 0 : (float)(radius - index->radius);
    index->level[order] = (uint8_t)level;
    if (index->has_radii && index->wide)
        ((double *)index->radii)[order] = radius;
    else if (index->has_radii)
        ((float *)index->radii)[order] = (float)radius;
    if (level != CT_SPACE_NO_LEVEL)
        (void)extend_level(index, &index->levels[level], level, at, radius);
}
