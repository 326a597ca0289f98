// Structures of arrays: many columns of one length in one block of memory.
// Knows nothing of what a column means.
#ifndef CT_COLUMNS_H
#define CT_COLUMNS_H

#include "base/alloc.h"

#include <string.h>

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
    size_t bytes;   ///< of the block
    uint32_t moves; ///< changes whenever 'at' does, and blocks beside the columns: readers that
                    ///< keep an address check it
} ct_columns;

/// No rows, no memory. At most CT_MAX_COLUMNS widths.
void ct_columns_init(ct_columns *columns, const uint16_t *widths, uint32_t column_count);

void ct_columns_free(ct_columns *columns, const ct_allocator *allocator);

/// Room for 'capacity' rows in all, at most 'limit'. Grows by half, or to just 'capacity' where
/// that is more, in one allocation (Bitsquid part 2, allocate()). CT_OK, or CT_ERR_MEMORY with
/// everything as it was. Moves the columns when it grows.
ct_status ct_columns_reserve(ct_columns *columns, const ct_allocator *allocator, uint32_t capacity,
                             uint32_t limit);

/// Gives back what the rows in use do not need. Moves the columns; where memory does not suffice
/// for that they stay.
void ct_columns_trim(ct_columns *columns, const ct_allocator *allocator);

/// Copies one item to another place that it does not overlap. A constant length is a move or two,
/// an unknown one is a call: those that fields have are told apart.
static inline void ct_item_copy(unsigned char *to, const void *from, size_t width) {
    const unsigned char *item = (const unsigned char *)from;
    if (width == 4)
        memcpy(to, item, 4);
    else if (width == 12)
        memcpy(to, item, 8), memcpy(to + 8, item + 8, 4);
    else if (width == 16)
        memcpy(to, item, 16);
    else if (width == 8)
        memcpy(to, item, 8);
    else {
        for (; width >= 16; to += 16, item += 16, width -= 16)
            memcpy(to, item, 16);
        for (; width > 0; --width)
            *to++ = *item++;
    }
}

/// Copies all items of row 'from' over those of row 'to', another one; 'from' may be the row past
/// the last while there is room for it.
static inline void ct_columns_copy_row(ct_columns *columns, uint32_t to, uint32_t from) {
    for (uint32_t c = 0; c < columns->column_count; ++c) {
        size_t width = columns->width[c];
        unsigned char *column = columns->at[c];
        ct_item_copy(column + to * width, column + from * width, width);
    }
}

/// Exchanges all items of two rows.
void ct_columns_swap_rows(ct_columns *columns, uint32_t a, uint32_t b);

CT_END_C

#endif
