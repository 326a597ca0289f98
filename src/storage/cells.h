// Cells of a grid, in a reference-counted block with copy on write.
#ifndef CT_CELLS_H
#define CT_CELLS_H

#include "base/alloc.h"

/// Maximum number of cells of one block: 256 MB.
#define CT_MAX_CELLS (1u << 26)

/// Block of cells. It may be written only while it has one reference. Not thread-safe.
typedef struct ct_cells {
    const ct_allocator *allocator;
    uint32_t references;
    uint32_t width, height;
    bool hashed;          ///< 'hash' is the hash of the current cells
    uint64_t hash;        ///< see ct_cells_hash
    uint32_t *at;         ///< cell (x, y) is at[y * width + x]
    unsigned char *flips; ///< bits for each cell, or NULL: no cell is flipped
} ct_cells;

/// Flips of a cell: bits of a byte. The diagonal one, which exchanges x and y, is applied first.
enum { CT_FLIP_HORIZONTAL = 1, CT_FLIP_VERTICAL = 2, CT_FLIP_DIAGONAL = 4, CT_FLIP_ALL = 7 };

static inline uint32_t ct_cells_count(const ct_cells *cells) {
    return cells->width * cells->height;
}

static inline uint32_t ct_cells_flips(const ct_cells *cells, uint32_t i) {
    return cells->flips != NULL ? cells->flips[i] : 0;
}

/// Returns whether both blocks have the same value and the same flips at i.
static inline bool ct_cells_same_at(const ct_cells *a, const ct_cells *b, uint32_t i) {
    return a->at[i] == b->at[i] && ct_cells_flips(a, i) == ct_cells_flips(b, i);
}

/// Returns whether a cell is flipped. O(cells) if there is memory for flips.
bool ct_cells_are_flipped(const ct_cells *cells);

/// Returns the allocated bytes of a block.
size_t ct_cells_bytes(const ct_cells *cells);

/// Returns whether a block may have this size. False with the reason in 'message'.
bool ct_cells_check_size(uint32_t width, uint32_t height, ct_message *message);

// Outside of a block, cells are a text: a u32 with the bytes per cell (1, 2 or 4), and the cells
// row by row; all numbers in little-endian order. An empty text means empty cells, of any number.
// If cells are flipped, the u32 also has the bit CT_CELLS_FLIPPED, and one byte for the flips of
// each cell follows all cells.

#define CT_CELLS_TEXT_HEAD 4u
#define CT_CELLS_FLIPPED 0x100u

/// Packs 'count' numbers, stored in 'bytes' from CT_CELLS_TEXT_HEAD on, into a text in the same
/// memory. Each cell takes as few bytes as the largest one needs. O(count).
ct_text ct_cells_pack(void *bytes, uint32_t count);

/// Returns the bytes that ct_cells_write needs.
size_t ct_cells_text_room(const ct_cells *cells);

/// Writes the text of a block's cells to 'bytes'.
ct_text ct_cells_write(const ct_cells *cells, void *bytes);

/// Writes to 'bytes' the text of 'count' cells with flips, from one text of each. An empty text is
/// zeros. 'bytes' needs CT_CELLS_TEXT_HEAD + 5 bytes per cell. Both must have passed the checks
/// below.
ct_text ct_cells_join_flips(ct_text cells, ct_text flips, uint32_t count, void *bytes);

/// Gets the number of cells of a text; 0 for the empty text. Returns false if the text is invalid.
bool ct_cells_count_text(ct_text text, uint32_t *count);

/// Returns whether a text has width x height cells and a block may have this size. False with the
/// reason in 'message'.
bool ct_cells_check_text(uint32_t width, uint32_t height, ct_text text, ct_message *message);

/// Returns whether a text has 'count' flips, or is empty. Flips are a text like cells, of numbers
/// from 0 to CT_FLIP_ALL. False with the reason in 'message'. O(count).
bool ct_cells_check_flips(uint32_t count, ct_text text, ct_message *message);

/// Allocates a block with one reference and uninitialized cells. Returns NULL if memory runs out.
ct_cells *ct_cells_block(const ct_allocator *allocator, uint32_t width, uint32_t height);

/// Allocates a block with one reference and these cells, which must fit. Returns NULL if memory
/// runs out. O(cells), about the time of a copy.
ct_cells *ct_cells_new(const ct_allocator *allocator, uint32_t width, uint32_t height,
                       ct_text text);

/// Fills a block with one reference with the cells of a text, which must fit. Returns CT_OK, or
/// CT_ERR_MEMORY, which is possible only for flips. O(cells).
ct_status ct_cells_fill(ct_cells *cells, ct_text text);

/// Fills a block from a block of another size: cells outside of 'from' become empty.
ct_status ct_cells_fill_from(ct_cells *cells, const ct_cells *from);

/// Replaces the flips of a block with one reference by those of a text, which must fit.
ct_status ct_cells_fill_flips(ct_cells *cells, ct_text text);

/// Writes the number and flips of cell 'i' of a block with one reference. Flips other than 0 need
/// memory for them: see ct_cells_make_flips.
static inline void ct_cells_put(ct_cells *cells, uint32_t i, uint32_t value, uint32_t flips) {
    cells->at[i] = value;
    cells->hashed = false;
    if (cells->flips != NULL) cells->flips[i] = (unsigned char)flips;
}

/// Allocates memory for the flips of a block with one reference, unless it has some.
ct_status ct_cells_make_flips(ct_cells *cells);

/// Adds a reference.
static inline ct_cells *ct_cells_retain(ct_cells *cells) {
    cells->references++;
    return cells;
}

/// Removes a reference; the last one frees the block. NULL is allowed.
void ct_cells_release(ct_cells *cells);

/// Replaces *cells by a copy if it is shared, so that it may be written until it is shared again.
/// Returns CT_OK, or CT_ERR_MEMORY with nothing changed. O(cells) for the first write to a shared
/// block, else O(1).
ct_status ct_cells_own(ct_cells **cells);

/// Returns a hash of size, cells and flips, equal on every host. It is cached until a cell is
/// written.
uint64_t ct_cells_hash(ct_cells *cells);

/// Returns whether two blocks have the same size, cells and flips. O(cells) unless they are the
/// same block.
bool ct_cells_equal(const ct_cells *a, const ct_cells *b);

#endif
