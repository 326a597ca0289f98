// Structures of arrays, with one block for each column.
#include "storage/columns.h"

// Header directly before a column, which describes its block.
typedef struct block_header {
    size_t bytes; // requested size
    size_t shift; // from the start of the block to the column
} block_header;

// Columns in blocks of at least this size begin at different offsets in a page: with equal offsets,
// the items of one row would compete for one cache set.
#define PAGE 4096u

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
    block_header header = {0, 0};
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
static unsigned char *place_column(unsigned char *block, size_t shift, size_t used, size_t first,
                                   size_t bytes) {
    size_t aligned = first + (-((uintptr_t)block + first) & (CT_COLUMN_ALIGNMENT - 1));
    const block_header header = {bytes, aligned};
    if (used > 0 && aligned != shift) memmove(block + aligned, block + shift, used);
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
        columns->at[c] = place_column(block, old.shift, used, first, old.bytes);
        old = header_of(columns->at[c]);
    }
    block = allocator->reallocate(allocator->user, block, old.bytes, bytes);
    if (block == NULL) return false;
    columns->at[c] = place_column(block, old.shift, used, first, bytes);
    return true;
}

// Sets the capacity, which must be at least the row count.
static ct_status resize(ct_columns *columns, const ct_allocator *allocator, uint32_t capacity) {
    uint32_t c = 0;
    if (columns->at == NULL)
        columns->at = ct_alloc_zero(allocator, columns->column_count * sizeof *columns->at);
    columns->moves++;
    while (columns->at != NULL && c < columns->column_count &&
           resize_column(columns, allocator, c, capacity))
        c++;
    if (c == columns->column_count) {
        columns->capacity = capacity;
        return CT_OK;
    }
    return ct_out_of_memory(allocator);
}

ct_status ct_columns_reserve(ct_columns *columns, const ct_allocator *allocator, uint32_t capacity,
                             uint32_t limit) {
    if (capacity <= columns->capacity) return CT_OK;
    return resize(columns, allocator, ct_grow_capacity(columns->capacity, capacity, limit));
}

void ct_columns_trim(ct_columns *columns, const ct_allocator *allocator) {
    if (columns->count == 0) {
        ct_columns_free(columns, allocator);
    } else if (columns->count < columns->capacity) {
        // If this fails, some blocks stay larger.
        (void)resize(columns, allocator, columns->count);
        columns->capacity = columns->count;
    }
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
