// Structures of arrays: columns of equal length, each in a separate block.
#ifndef CT_COLUMNS_H
#define CT_COLUMNS_H

#include "base/alloc.h"

#include <string.h>

/// Maximum number of columns of a manager, including the store's (owner, lists).
#define CT_MAX_COLUMNS 64u

/// Alignment of the start of every column, in bytes.
#define CT_COLUMN_ALIGNMENT 64u

/// Columns of a store. Members may be read directly: at[c] is the start of column c, rows 0 ..
/// count - 1. The addresses change when the columns grow; the address of the struct does not.
typedef struct ct_columns {
    uint32_t count;    ///< number of rows
    uint32_t capacity; ///< rows for which all columns have memory
    uint32_t column_count;
    uint32_t row_bytes; ///< sum of the widths
    unsigned char **at;
    const uint16_t *width; ///< size of one item in bytes
    uint32_t moves;        ///< changes when an address of a column or of a block beside the columns
                           ///< changes: readers that keep an address must compare it
    bool owns_places;      ///< 'at' is allocated with the first rows and freed with the last
} ct_columns;

/// Initializes columns without rows or memory. Widths and 'at', an array of 'column_count'
/// addresses, must exist as long as the columns. If 'at' is NULL, the array is allocated with the
/// first rows, and the struct may be copied.
void ct_columns_init(ct_columns *columns, unsigned char **at, const uint16_t *widths,
                     uint32_t column_count);

void ct_columns_free(ct_columns *columns, const ct_allocator *allocator);

/// Makes the capacity at least 'capacity' rows, at most 'limit'. Columns grow by half, or to
/// 'capacity' if that is more (Bitsquid part 2, allocate()). Each column is reallocated separately,
/// so an allocator that moves pages copies nothing, and new pages cost only when they are first
/// written. Large columns grow at different capacities, so a call that needs few rows reallocates
/// few of them.
/// Returns CT_OK, or CT_ERR_MEMORY with all rows unchanged. May move the columns in both cases.
ct_status ct_columns_reserve(ct_columns *columns, const ct_allocator *allocator, uint32_t capacity,
                             uint32_t limit);

/// Returns the allocated bytes of all columns. O(columns).
size_t ct_columns_bytes(const ct_columns *columns);

/// Frees unused capacity. May move the columns. A column that cannot be reallocated keeps its
/// capacity.
void ct_columns_trim(ct_columns *columns, const ct_allocator *allocator);

/// Copies one item to memory that does not overlap it. A copy of constant size compiles to one or
/// two moves, a copy of variable size to a call; the sizes that fields usually have are constant
/// here.
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

/// Copies all items of row 'from' to row 'to', another row; 'from' may be the row after the last
/// one if there is capacity for it.
static inline void ct_columns_copy_row(ct_columns *columns, uint32_t to, uint32_t from) {
    unsigned char *const *at = columns->at;
    const uint16_t *width = columns->width;
    for (const uint16_t *end = width + columns->column_count; width < end; ++width, ++at)
        ct_item_copy(*at + to * (size_t)*width, *at + from * (size_t)*width, *width);
}

/// Copies 'count' rows, without overlap, from 'from_row' of 'from' to 'to_row' of 'to', which may
/// lack the last columns of 'from'.
static inline void ct_columns_copy_rows(const ct_columns *to, uint32_t to_row,
                                        const ct_columns *from, uint32_t from_row, uint32_t count) {
    for (uint32_t c = 0; c < to->column_count && count > 0; ++c) {
        size_t width = to->width[c];
        memcpy(to->at[c] + to_row * width, from->at[c] + from_row * width, count * width);
    }
}

/// Exchanges all items of two rows.
void ct_columns_swap_rows(ct_columns *columns, uint32_t a, uint32_t b);

#endif
