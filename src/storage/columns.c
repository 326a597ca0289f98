// Structures of arrays, with one block for each column.
#include "storage/columns.h"

// Header directly before a column, which describes its block.
typedef struct block_header {
    size_t bytes;      // requested size
    uint32_t shift;    // from the start of the block to the column
    uint32_t capacity; // rows for which the column has memory
} block_header;

// Columns in blocks of at least this size begin at different offsets in a page: with equal offsets,
// the items of one row would compete for one cache set.
#define PAGE 4096u

// From this capacity on, columns grow one after another.
#define SPREAD (CT_FIRST_CAPACITY * 32u)

void ct_columns_init(ct_columns *columns, unsigned char **at, const uint16_t *widths,
                     uint32_t column_count) {
    CT_ASSERT(column_count <= CT_MAX_COLUMNS);
    memset(columns, 0, sizeof *columns);
    columns->at = at;
    columns->width = widths;
    columns->owns_places = at == NULL;
    columns->column_count = column_count;
    for (uint32_t c = 0; c < column_count; ++c) {
        columns->row_bytes += widths[c];
        if (at != NULL) at[c] = NULL;
    }
}

static block_header header_of(const unsigned char *column) {
    block_header header = {0, 0, 0};
    if (column != NULL) memcpy(&header, column - sizeof header, sizeof header);
    return header;
}

static void *block_of(unsigned char *column) {
    return column != NULL ? column - header_of(column).shift : NULL;
}

void ct_columns_free(ct_columns *columns, const ct_allocator *allocator) {
    for (uint32_t c = 0; columns->at != NULL && c < columns->column_count; ++c) {
        ct_free(allocator, block_of(columns->at[c]), header_of(columns->at[c]).bytes);
        columns->at[c] = NULL;
    }
    if (columns->owns_places) {
        ct_free(allocator, (void *)columns->at, columns->column_count * sizeof *columns->at);
        columns->at = NULL;
    }
    columns->count = 0;
    columns->capacity = 0;
    columns->moves++;
}

size_t ct_columns_bytes(const ct_columns *columns) {
    size_t bytes = 0;
    for (uint32_t c = 0; columns->at != NULL && c < columns->column_count; ++c)
        bytes += header_of(columns->at[c]).bytes;
    return bytes;
}

// Returns the maximum number of bytes before a column.
static size_t padding_of(uint32_t c, size_t bytes) {
    size_t padding = sizeof(block_header) + CT_COLUMN_ALIGNMENT - 1;
    return bytes < PAGE ? padding : padding + c * CT_COLUMN_ALIGNMENT;
}

// Moves the bytes of a column within its block to the first aligned address after 'first' bytes.
// The header has the old shift.
static unsigned char *place_column(unsigned char *block, block_header header, size_t used,
                                   size_t first) {
    size_t aligned = first + (-((uintptr_t)block + first) & (CT_COLUMN_ALIGNMENT - 1));
    if (used > 0 && aligned != header.shift) memmove(block + aligned, block + header.shift, used);
    header.shift = (uint32_t)aligned;
    memcpy(block + aligned - sizeof header, &header, sizeof header);
    return block + aligned;
}

// Reallocates the block of one column. The rows in use are unchanged.
static bool resize_column(ct_columns *columns, const ct_allocator *allocator, uint32_t c,
                          uint32_t capacity) {
    block_header old = header_of(columns->at[c]);
    size_t used = (size_t)columns->count * columns->width[c], needed, bytes;
    if (!ct_size_mul_add(columns->width[c], capacity, 0, &needed)) return false;
    size_t padding = padding_of(c, needed), first = padding - (CT_COLUMN_ALIGNMENT - 1);
    if (!ct_size_mul_add(1, needed, padding, &bytes)) return false;
    unsigned char *block = block_of(columns->at[c]);
    if (bytes < old.bytes) { // the end of the block will be removed
        columns->at[c] = place_column(block, old, used, first);
        old = header_of(columns->at[c]);
    }
    block = allocator->reallocate(allocator->user, block, old.bytes, bytes);
    if (block == NULL) return false;
    const block_header header = {bytes, old.shift, capacity};
    columns->at[c] = place_column(block, header, used, first);
    return true;
}

// Returns the capacity of a column that has memory for 'had' rows and needs it for more. Small
// columns grow by half. Each large one grows to the next capacity of a series of its own, so that
// one call copies few columns: each capacity is half as large again as the one before, and between
// two of them are those of all other columns.
static uint32_t grown(const ct_columns *columns, uint32_t c, uint32_t had, uint32_t needed,
                      uint32_t limit) {
    if (had < SPREAD || needed > had + had / 2) return ct_grow_capacity(had, needed, limit);
    uint64_t scaled = (uint64_t)SPREAD << 8;
    scaled += scaled / 2 * c / columns->column_count;
    while (scaled >> 8 < needed)
        scaled += scaled / 2;
    return scaled >> 8 < limit ? (uint32_t)(scaled >> 8) : limit;
}

ct_status ct_columns_reserve(ct_columns *columns, const ct_allocator *allocator, uint32_t capacity,
                             uint32_t limit) {
    if (capacity <= columns->capacity) return CT_OK;
    if (columns->at == NULL)
        columns->at = ct_alloc_zero(allocator, columns->column_count * sizeof *columns->at);
    if (columns->at == NULL) return ct_out_of_memory(allocator);
    columns->moves++;
    uint32_t least = limit;
    for (uint32_t c = 0; c < columns->column_count; ++c) {
        uint32_t had = header_of(columns->at[c]).capacity;
        uint32_t rows = had < capacity ? grown(columns, c, had, capacity, limit) : had;
        if (rows > had && !resize_column(columns, allocator, c, rows))
            return ct_out_of_memory(allocator);
        if (rows < least) least = rows;
    }
    columns->capacity = least;
    return CT_OK;
}

void ct_columns_trim(ct_columns *columns, const ct_allocator *allocator) {
    if (columns->count == 0) {
        ct_columns_free(columns, allocator);
        return;
    }
    columns->moves++;
    columns->capacity = columns->count;
    // If a block cannot become smaller, it stays larger.
    for (uint32_t c = 0; c < columns->column_count; ++c)
        if (header_of(columns->at[c]).capacity > columns->count)
            (void)resize_column(columns, allocator, c, columns->count);
}

// Inlined for constant lengths: a few moves instead of three calls.
static inline void swap_bytes(unsigned char *a, unsigned char *b, size_t bytes) {
    unsigned char chunk[64];
    for (size_t part; bytes > 0; a += part, b += part, bytes -= part) {
        part = bytes < sizeof chunk ? bytes : sizeof chunk;
        memcpy(chunk, a, part);
        memcpy(a, b, part);
        memcpy(b, chunk, part);
    }
}

void ct_columns_swap_rows(ct_columns *columns, uint32_t a, uint32_t b) {
    for (uint32_t c = 0; c < columns->column_count; ++c) {
        size_t width = columns->width[c];
        unsigned char *to = columns->at[c] + a * width, *from = columns->at[c] + b * width;
        switch (width) {
        case 4: swap_bytes(to, from, 4); break;
        case 12: swap_bytes(to, from, 12); break;
        case 16: swap_bytes(to, from, 16); break;
        case 64: swap_bytes(to, from, 64); break;
        default: swap_bytes(to, from, width);
        }
    }
}
