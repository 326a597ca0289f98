// Structures of arrays: columns of one length, each in a block of its own.
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
    unsigned char **at;
    const uint16_t *width; ///< bytes of one item
    size_t bytes;          ///< of all blocks
    uint32_t moves;        ///< changes whenever an address does, and blocks beside the columns:
                           ///< readers that keep an address check it
    bool owns_places;      ///< 'at' is allocated with the first rows and freed with the last
} ct_columns;

/// No rows, no memory. Widths and 'at', which has room for 'column_count' addresses, must live as
/// long as the columns. Without 'at' (NULL) the addresses are allocated with the first rows, and
/// the struct may be copied.
void ct_columns_init(ct_columns *columns, unsigned char **at, const uint16_t *widths,
                     uint32_t column_count);

void ct_columns_free(ct_columns *columns, const ct_allocator *allocator);

/// Makes room for 'capacity' rows in all, at most 'limit'. Grows by half, or to just 'capacity'
/// where that is more (Bitsquid part 2, allocate()). Each column is reallocated by itself, so that
/// an allocator that moves pages copies nothing and new pages cost when they are first written.
/// Returns CT_OK, or CT_ERR_MEMORY with all rows as they were. May move the columns either way.
ct_status ct_columns_reserve(ct_columns *columns, const ct_allocator *allocator, uint32_t capacity,
                             uint32_t limit);

/// Frees the room behind the rows in use. May move the columns. A column that cannot be
/// reallocated keeps its room.
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
