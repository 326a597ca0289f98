// Cells in rows, in one reference-counted block that is copied when it is written.
#ifndef CT_CELLS_H
#define CT_CELLS_H

#include "base/alloc.h"

CT_BEGIN_C

/// Of one block: 256 MB.
#define CT_MAX_CELLS (1u << 26)

/// A block. It may be written only while it has one reference. Not thread-safe.
typedef struct ct_cells {
    const ct_allocator *allocator;
    uint32_t references;
    uint32_t width, height;
    bool hashed;   ///< 'hash' is that of the cells as they are
    uint64_t hash; ///< see ct_cells_hash
    uint32_t *at;  ///< cell (x, y) is at[y * width + x]
} ct_cells;

static inline uint32_t ct_cells_count(const ct_cells *cells) {
    return cells->width * cells->height;
}

/// Bytes of memory that a block takes.
size_t ct_cells_bytes(const ct_cells *cells);

/// Whether there can be so many cells. False with the reason in 'message'.
bool ct_cells_check_size(uint32_t width, uint32_t height, ct_message *message);

// Cells outside of a block are a text: a u32 that tells how many bytes a cell takes, 1, 2 or 4, and
// the cells by rows; all numbers with the lowest byte first. The text of no bytes is that of empty
// cells, as many as are asked for.

#define CT_CELLS_TEXT_HEAD 4u

/// Makes the text of 'count' numbers, which stand in 'bytes' from CT_CELLS_TEXT_HEAD on, in its
/// place: each takes as few bytes as the largest needs. O(count).
ct_text ct_cells_pack(void *bytes, uint32_t count);

/// The text of a block's cells, written to CT_CELLS_TEXT_HEAD + 4 bytes a cell at 'bytes'.
ct_text ct_cells_write(const ct_cells *cells, void *bytes);

/// How many cells a text has; false if it is none. *count is 0 for the text of no bytes.
bool ct_cells_count_text(ct_text text, uint32_t *count);

/// Whether a text has width x height cells, of which there can be so many. False with the reason
/// in 'message'.
bool ct_cells_check_text(uint32_t width, uint32_t height, ct_text text, ct_message *message);

/// A new block, held once, with anything in it; or NULL when memory runs out.
ct_cells *ct_cells_block(const ct_allocator *allocator, uint32_t width, uint32_t height);

/// A new block of such cells, which fit, held once; or NULL when memory runs out. O(cells), about
/// what copying them takes.
ct_cells *ct_cells_new(const ct_allocator *allocator, uint32_t width, uint32_t height,
                       ct_text text);

/// Fills a block with one reference with the cells of a text, which fit. O(cells).
void ct_cells_fill(ct_cells *cells, ct_text text);

/// The same from a block of another size: cells that are in both are those, others are empty.
void ct_cells_fill_from(ct_cells *cells, const ct_cells *from);

/// Adds a reference.
static inline ct_cells *ct_cells_retain(ct_cells *cells) {
    cells->references++;
    return cells;
}

/// Removes a reference; the last one frees the block. NULL is allowed.
void ct_cells_release(ct_cells *cells);

/// Replaces *cells by a copy if it is shared. Then it may be written, until it is shared again.
/// CT_OK or CT_ERR_MEMORY, with all as it was. O(cells) for the first write to a shared block, else
/// O(1).
ct_status ct_cells_own(ct_cells **cells);

/// A hash of size and cells, the same on every host; kept until a cell is written.
uint64_t ct_cells_hash(ct_cells *cells);

/// Whether two have the same size and cells. O(cells) unless they are one.
bool ct_cells_equal(const ct_cells *a, const ct_cells *b);

CT_END_C

#endif
