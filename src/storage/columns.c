// Structures of arrays in one block.
// Knows nothing of what a column means.
#include "storage/columns.h"

void ct_columns_init(ct_columns *columns, const uint16_t *widths, uint32_t column_count) {
    CT_ASSERT(column_count <= CT_MAX_COLUMNS);
    memset(columns, 0, sizeof *columns);
    columns->column_count = column_count;
    for (uint32_t c = 0; c < column_count; ++c) {
        columns->width[c] = widths[c];
        columns->row_bytes += widths[c];
    }
}

void ct_columns_free(ct_columns *columns, const ct_allocator *allocator) {
    ct_free(allocator, columns->block, columns->bytes);
    columns->block = NULL;
    columns->bytes = 0;
    columns->count = 0;
    columns->capacity = 0;
    columns->moves++;
    memset(columns->at, 0, sizeof columns->at);
}

static unsigned char *align_up(unsigned char *at) {
    return at + (-(uintptr_t)at & (CT_COLUMN_ALIGNMENT - 1));
}

// A block for so many rows, at least as many as there are.
static ct_status resize(ct_columns *columns, const ct_allocator *allocator, uint32_t capacity) {
    size_t padding = (size_t)CT_COLUMN_ALIGNMENT * (columns->column_count + 1);
    size_t bytes;
    if (!ct_size_mul_add(columns->row_bytes, capacity, padding, &bytes)) return CT_ERR_MEMORY;
    void *block = ct_alloc(allocator, bytes);
    if (block == NULL) return ct_out_of_memory(allocator);
    // Nothing below this line can fail.
    unsigned char *at = block;
    for (uint32_t c = 0; c < columns->column_count; ++c) {
        at = align_up(at);
        if (columns->count > 0)
            memcpy(at, columns->at[c], (size_t)columns->count * columns->width[c]);
        columns->at[c] = at;
        at += (size_t)capacity * columns->width[c];
    }
    ct_free(allocator, columns->block, columns->bytes);
    columns->block = block;
    columns->bytes = bytes;
    columns->capacity = capacity;
    columns->moves++;
    return CT_OK;
}

ct_status ct_columns_reserve(ct_columns *columns, const ct_allocator *allocator, uint32_t capacity,
                             uint32_t limit) {
    if (capacity <= columns->capacity) return CT_OK;
    return resize(columns, allocator, ct_grow_capacity(columns->capacity, capacity, limit));
}

void ct_columns_trim(ct_columns *columns, const ct_allocator *allocator) {
    if (columns->count == 0)
        ct_columns_free(columns, allocator);
    else if (columns->count < columns->capacity)
        (void)resize(columns, allocator, columns->count);
}

// Inlined where the length is known: a move or two instead of three calls.
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
