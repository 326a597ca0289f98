// Grid of cells that a space keeps: entries packed by cell.
// Must not depend on worlds, transforms and queries.
#ifndef CT_SPACE_INDEX_H
#define CT_SPACE_INDEX_H

#include "base/alloc.h"

/// Entry of an index. 'x' is NaN if the entry is in no answer: the position is not finite, or the
/// entry was moved to the spare entries. The third coordinate is in another array.
typedef struct ct_space_entry {
    float x, y;
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

/// Cells of a level that have buckets: 'low' to 'high'. Positions outside are in the cells at the
/// edge.
typedef struct ct_space_level {
    double size, inverse;      ///< of a cell; the last level has the inverse 0
    double largest;            ///< radius of its entries
    int32_t low[3], high[3];   ///< cells with buckets
    int32_t least[3], most[3]; ///< bounds of the positions of its entries, in cells
    uint32_t base, step[3];    // of buckets
    bool used;                 ///< whether it has had entries since the index was built
} ct_space_level;

// All levels share one table of buckets:
//
//     bucket = (base + x + y * step[1] + z * step[2]) & mask
//
// If there are enough buckets for all cells between the entries, each cell has its bucket
// ('regular'). Otherwise cells share buckets: the steps are large numbers, and ct_space_visit_owns
// checks whether an entry belongs to the row. In both cases the buckets of consecutive cells of a
// row are consecutive, so a question reads one run of entries for each row. Entries that changed
// their bucket since the index was built are in spare entries behind the packed ones, listed by
// blocks of buckets.
typedef struct ct_space_index {
    uint32_t count;    ///< entries
    uint32_t capacity; // for entries
    uint32_t spare;    // for moved entries
    uint32_t moved;    // used spare entries
    uint32_t strays;   ///< moves to positions for which the index was not built
    uint32_t room;     // for buckets
    uint32_t buckets;  // a power of two unless 'regular'
    uint32_t mask;     // of buckets
    uint32_t dimensions;
    double cell;   // size of a cell of level 'exponent 0'
    double radius; // added to the radius of each entry
    bool has_masks, has_radii;
    bool wide;                         // radii do not fit a float: only 'radii' has them
    bool regular;                      ///< each cell has a bucket of its own
    bool crowded;                      // the last build moved entries to smaller cells
    uint8_t slots[CT_SPACE_EXPONENTS]; // level of each exponent, or CT_SPACE_NO_LEVEL
    uint32_t level_count;              // without the last one
    ct_space_level levels[CT_SPACE_LEVELS];

    void *block; // one allocation for all arrays
    size_t bytes;
    void *radii; // by order: double if 'wide', otherwise float
    ct_space_entry *entries;
    float *z;        // by entry; NULL in two dimensions
    ct_entity *ids;  // by order
    uint32_t *place; // by order: the entry
    uint32_t *masks; // by order
    uint32_t *start; // by bucket: the first packed entry; one more at the end
    uint32_t *heads; // by block of buckets: the first moved entry, or CT_NO_ROW
    uint32_t *chain; // by spare entry: the next one of the block
    uint8_t *level;  // by order
} ct_space_index;

#define CT_SPACE_PIECE 64u

/// Values of entries that follow each other in the order of the query, for building an index.
typedef struct ct_space_values {
    float x[CT_SPACE_PIECE]; ///< NaN for a position that is not finite
    float y[CT_SPACE_PIECE], z[CT_SPACE_PIECE];
    double radius[CT_SPACE_PIECE];
    uint32_t mask[CT_SPACE_PIECE];
    ct_entity id[CT_SPACE_PIECE];
} ct_space_values;

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

/// Builds the index with cells of a size from the values of 'count' entries, for which there is
/// room. If 'same', the index has the entities of the source, in its order. O(count).
void ct_space_index_build(ct_space_index *index, double cell, uint32_t count, bool same,
                          const ct_space_source *source);

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

/// Returns the radius of an entry of an index with radii by its place in the order of the query.
static inline double ct_space_radius_at(const ct_space_index *index, uint32_t order) {
    if (index->wide) return ((const double *)index->radii)[order];
    return (double)((const float *)index->radii)[order];
}

/// Returns the third coordinate of an entry: 0 in two dimensions.
static inline double ct_space_z(const ct_space_index *index, const ct_space_entry *entry) {
    return index->z == NULL ? 0 : (double)index->z[entry - index->entries];
}

#endif
