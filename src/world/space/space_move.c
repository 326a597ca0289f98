// Moves of single entries of a space.
#include "world/space/space_levels.h"

#include <math.h>

static uint32_t *head_of(const ct_space_index *index, uint32_t bucket) {
    return &index->heads[bucket >> CT_SPACE_BLOCK_BITS];
}

static void unlink_moved(const ct_space_index *index, uint32_t bucket, uint32_t moved) {
    uint32_t *at = head_of(index, bucket);
    while (*at != moved)
        at = &index->chain[*at];
    *at = index->chain[moved];
}

// Returns the bucket of an entry, or CT_NO_ROW.
static uint32_t bucket_of(const ct_space_index *index, uint32_t order) {
    const ct_space_entry *entry = &index->entries[index->place[order]];
    if (index->level[order] == CT_SPACE_NO_LEVEL) return CT_NO_ROW;
    const ct_space_level *level = &index->levels[index->level[order]];
    return ct_space_bucket(index, level, ct_space_cell_in(level, 0, (double)entry->x),
                           ct_space_cell_in(level, 1, (double)entry->y),
                           ct_space_cell_in(level, 2, ct_space_z(index, entry)));
}

// Returns the level for new values of an entry. An entry may stay in a level for crowded cells.
static uint32_t next_level(ct_space_index *index, uint32_t old, const float *at, double radius) {
    if (ct_space_is_nowhere(at)) return CT_SPACE_NO_LEVEL;
    uint32_t level = ct_space_level_of(index, at, radius);
    if (old >= CT_SPACE_TOP || level == CT_SPACE_TOP) return level;
    double size = index->levels[old].size;
    bool fits_old = ct_space_smallest_cell(at, radius) <= size && size <= index->levels[level].size;
    return fits_old ? old : level;
}

static bool is_outside(const ct_space_level *level, const float *at) {
    for (int i = 0; i < 3; ++i) {
        int32_t cell = ct_space_cell((double)at[i], level->inverse);
        if (cell < level->low[i] || cell > level->high[i]) return true;
    }
    return false;
}

// Returns the place for an entry that moves from one bucket to another.
static uint32_t change_bucket(ct_space_index *index, uint32_t place, uint32_t bucket, uint32_t to) {
    if (place >= index->count && bucket != CT_NO_ROW)
        unlink_moved(index, bucket, place - index->count);
    index->entries[place].x = NAN; // the packed entry is in no answer
    if (to == CT_NO_ROW) return place;
    if (place < index->count) {
        place = index->count + index->moved++;
        CT_ASSERT(place < index->count + index->spare);
    }
    index->chain[place - index->count] = *head_of(index, to);
    *head_of(index, to) = place - index->count;
    return place;
}

void ct_space_index_move(ct_space_index *index, uint32_t order, const float *at, double radius) {
    uint32_t place = index->place[order], bucket = bucket_of(index, order), to = CT_NO_ROW;
    uint32_t level = next_level(index, index->level[order], at, radius);
    if (level != CT_SPACE_NO_LEVEL) {
        to = ct_space_level_extend(index, level, at, radius);
        if (index->regular && is_outside(&index->levels[level], at)) index->strays++;
    }
    if (to != bucket) place = index->place[order] = change_bucket(index, place, bucket, to);
    index->entries[place] = (ct_space_entry){at[0], at[1], 0, order};
    if (index->has_radii && !index->wide) index->entries[place].radius = (float)radius;
    if (index->z != NULL) index->z[place] = at[2];
    index->level[order] = (uint8_t)level;
    if (index->has_radii && index->wide)
        ((double *)index->radii)[order] = radius;
    else if (index->has_radii)
        ((float *)index->radii)[order] = (float)radius;
}
