// Structures of arrays: many columns of one length in one block of memory.
// Knows nothing of what a column means.
#ifndef CT_COLUMNS_H
#define CT_COLUMNS_H

#include "base/alloc.h"

CT_BEGIN_C

/// Columns a manager can have, its own (owner, lists) included.
#define CT_MAX_COLUMNS 64u

/// Every column starts at a multiple of this.
#define CT_COLUMN_ALIGNMENT 64u

/// Open for reading: at[c] is the start of column c, rows 0 .. count - 1. The
/// addresses change when the columns grow, the struct itself stays.
typedef struct ct_columns {
    uint32_t count;    ///< rows in use
    uint32_t capacity; ///< rows there is room for
    uint32_t column_count;
    uint32_t row_bytes; ///< sum of the widths
    unsigned char *at[CT_MAX_COLUMNS];
    uint16_t width[CT_MAX_COLUMNS]; ///< bytes of one item
    void *block;
    size_t bytes; ///< of the block
} ct_columns;

/// No rows, no memory. At most CT_MAX_COLUMNS widths.
void ct_columns_init(ct_columns *columns, const uint16_t *widths, uint32_t column_count);

void ct_columns_free(ct_columns *columns, const ct_allocator *allocator);

/// Room for 'capacity' rows in all, at most 'limit'. Grows geometrically, in one
/// allocation (Bitsquid part 2, allocate()). CT_OK, or CT_ERR_MEMORY with
/// everything as it was. Moves the columns when it grows.
ct_status ct_columns_reserve(ct_columns *columns, const ct_allocator *allocator, uint32_t capacity,
                             uint32_t limit);

/// Copies all items of row 'from' over those of row 'to'; 'from' may be the row
/// past the last while there is room for it.
void ct_columns_copy_row(ct_columns *columns, uint32_t to, uint32_t from);

/// Exchanges all items of two rows.
void ct_columns_swap_rows(ct_columns *columns, uint32_t a, uint32_t b);

CT_END_C

#endif
