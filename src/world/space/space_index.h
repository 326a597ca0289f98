// Grid of cells that a space keeps: entries packed by cell.
// Must not depend on worlds, transforms and queries.
#ifndef CT_SPACE_INDEX_H
#define CT_SPACE_INDEX_H

#include "base/alloc.h"

CT_BEGIN_C

/// Entry of an index. The first coordinate of an entry that is in no answer is NaN: the position
/// is not finite, or the entry was moved to the spare entries.
typedef struct ct_space_entry {
    float at[3];
    float radius;   ///< 0 if all entries have one radius, or if 'wide'
    uint32_t order; ///< place in the order of the query
} ct_space_entry;

// Entries are in a level by their radius, so that a circle is not larger than a cell, and by their
// coordinates, so that floats of that size can resolve a cell. Sizes of cells are cell * 2^n. If
// cells are crowded, their entries go to levels with smaller cells. The last level has one cell
// for what no other level takes.
#define CT_SPACE_LEVELS 32u
#define CT_SPACE_TOP (CT_SPACE_LEVELS - 1)
#define CT_SPACE_NO_LEVEL 0xFFu ///< of an entry that is in no answer
#define CT_SPACE_EXPONENTS 256u
#define CT_SPACE_EXPONENT_ZERO 48u

typedef struct ct_space_level {
    double size, inverse;    ///< of a cell; the last level has the inverse 0
    double largest;          ///< radius of its entries
    int32_t low[3], high[3]; ///< bounds of its cells
    bool used;               ///< whether it has had entries since the index was built
} ct_space_level;

// All levels share one table of buckets. The buckets of the cells of one row, which have the same
// y, z and level, are consecutive, so a question reads one run of entries for each row:
//
//     bucket = (x + y * K1 + z * K2 + level * K3) mod buckets
//
// Rows may overlap; ct_space_visit_owns checks whether an entry belongs to the row. Entries that
// changed their bucket since the index was built are in spare entries behind the packed ones,
// listed by blocks of buckets.
typedef struct ct_space_index {
    uint32_t count;    ///< entries
    uint32_t capacity; // for entries
    uint32_t spare;    // for moved entries
    uint32_t moved;    // used spare entries
    uint32_t buckets;  // a power of two
    uint32_t dimensions;
    double cell;   // size of a cell of level 'exponent 0'
    double radius; // added to the radius of each entry
    bool has_masks, has_radii;
    bool wide;                         // radii do not fit a float: only 'radii' has them
    uint8_t slots[CT_SPACE_EXPONENTS]; // level of each exponent, or CT_SPACE_NO_LEVEL
    uint32_t level_count;              // without the last one
    ct_space_level levels[CT_SPACE_LEVELS];

    void *block; // one allocation for all arrays
    size_t bytes;
    void *radii; // by order: double if 'wide', otherwise float
    ct_space_entry *entries;
    ct_entity *ids;  // by order
    uint32_t *place; // by order: the entry
    uint32_t *masks; // by order
    uint32_t *start; // by bucket: the first packed entry; one more at the end
    uint32_t *heads; // by block of buckets: the first moved entry, or CT_NO_ROW
    uint32_t *chain; // by spare entry: the next one of the block
    uint8_t *level;  // by order
} ct_space_index;

/// Values of entry 'i' in the order of the query, for building an index.
typedef struct ct_space_values {
    float at[3]; ///< the first one is NaN for a position that is not finite
    double radius;
    uint32_t mask;
    ct_entity id;
} ct_space_values;

#define CT_SPACE_PIECE 64u

/// Source of the values of all entries. 'read' writes those of 'count' entries, at most
/// CT_SPACE_PIECE, from 'first' on; 'mask' and 'id' only if 'all'.
typedef struct ct_space_source {
    const void *user;
    void (*read)(const void *user, uint32_t first, uint32_t count, bool all, ct_space_values *out);
} ct_space_source;

/// Makes room for 'count' entries. Returns false if memory runs out; the index is then unchanged.
/// Otherwise, if the room was not enough, all entries are lost.
bool ct_space_index_reserve(ct_space_index *index, const ct_allocator *allocator, uint32_t count);

void ct_space_index_free(ct_space_index *index, const ct_allocator *allocator);

/// Builds the index from the values of 'count' entries, for which there is room. O(count).
void ct_space_index_build(ct_space_index *index, uint32_t count, const ct_space_source *source);

/// Builds the index again from its own entries, with cells of another size and no spare memory.
/// Returns CT_OK, or CT_ERR_MEMORY with the index unchanged.
ct_status ct_space_index_rebuild(ct_space_index *index, const ct_allocator *allocator, double cell);

/// Moves an entry; needs a spare entry if the bucket changes. O(1 + moved entries in a block).
void ct_space_index_move(ct_space_index *index, uint32_t order, const float *at, double radius);

/// Returns the radius of an entry.
static inline double ct_space_radius(const ct_space_index *index, const ct_space_entry *entry) {
    if (CT_UNLIKELY(index->wide)) return ((const double *)index->radii)[entry->order];
    return (double)entry->radius + index->radius;
}

/// Returns the bucket of a cell.
static inline uint32_t ct_space_bucket(const ct_space_index *index, int32_t x, int32_t y, int32_t z,
                                       uint32_t level) {
    return ((uint32_t)x + (uint32_t)y * 0x9E3779B1u + (uint32_t)z * 0x85EBCA6Bu +
            level * 0xC2B2AE35u) &
           (index->buckets - 1);
}

/// Returns the number of blocks that contain the 'count' buckets from 'bucket' on, and the first.
uint32_t ct_space_blocks(const ct_space_index *index, uint32_t bucket, uint32_t count,
                         uint32_t *block);

/// Returns the first moved entry of a block, or CT_NO_ROW, and sets *block to the next one.
uint32_t ct_space_next_block(const ct_space_index *index, uint32_t *block);

/// Returns the cell of a coordinate.
static inline int32_t ct_space_cell(double x, double inverse) {
    double cell = x * inverse;
    int32_t below = (int32_t)cell;
    return below - (cell < below);
}

CT_END_C

#endif
