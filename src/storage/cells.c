// Cells of a grid, in a reference-counted block with copy on write.
#include "storage/cells.h"

#include "base/hash.h"
#include "base/message.h"
#include "base/reader.h"
#include "base/text.h"

static size_t bytes_of(uint32_t count) {
    return ct_padded(sizeof(ct_cells)) + (size_t)count * sizeof(uint32_t);
}

size_t ct_cells_bytes(const ct_cells *cells) { return bytes_of(ct_cells_count(cells)); }

bool ct_cells_check_size(uint32_t width, uint32_t height, ct_message *message) {
    if (width == 0 || height == 0)
        return ct_message_set(message, "%s: expected an integer from 1 on, got 0",
                              width == 0 ? "width" : "height");
    return (uint64_t)width * height <= CT_MAX_CELLS ||
           ct_message_set(message, "%u x %u are more than %u cells", width, height, CT_MAX_CELLS);
}

ct_text ct_cells_pack(void *bytes, uint32_t count) {
    unsigned char *text = bytes;
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; ++i)
        most |= ct_u32_at(text + CT_CELLS_TEXT_HEAD, i);
    uint32_t width = most < 1u << 8 ? 1 : most < 1u << 16 ? 2 : 4;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t number = ct_u32_at(text + CT_CELLS_TEXT_HEAD, i);
        for (uint32_t b = 0; b < width; ++b)
            text[CT_CELLS_TEXT_HEAD + (size_t)i * width + b] = (unsigned char)(number >> 8 * b);
    }
    memset(text, 0, CT_CELLS_TEXT_HEAD);
    text[0] = (unsigned char)width;
    return (ct_text){bytes, CT_CELLS_TEXT_HEAD + count * width};
}

ct_text ct_cells_write(const ct_cells *cells, void *bytes) {
    uint32_t count = ct_cells_count(cells);
    memcpy((unsigned char *)bytes + CT_CELLS_TEXT_HEAD, cells->at, count * sizeof *cells->at);
    return ct_cells_pack(bytes, count);
}

bool ct_cells_count_text(ct_text text, uint32_t *count) {
    ct_reader reader = ct_reader_of(text.bytes, text.length);
    *count = 0;
    if (text.length == 0) return true;
    uint32_t width = ct_reader_u32(&reader), rest = (uint32_t)(reader.end - reader.at);
    if (reader.damaged || (width != 1 && width != 2 && width != 4) || rest % width != 0)
        return false;
    *count = rest / width;
    return true;
}

bool ct_cells_check_text(uint32_t width, uint32_t height, ct_text text, ct_message *message) {
    uint32_t count;
    if (!ct_cells_check_size(width, height, message)) return false;
    if (!ct_cells_count_text(text, &count))
        return ct_message_set(message, "cells: invalid bytes of cells");
    return text.length == 0 || count == width * height ||
           ct_message_set(message, "cells: expected %u numbers (%u x %u), got %u", width * height,
                          width, height, count);
}

ct_cells *ct_cells_block(const ct_allocator *allocator, uint32_t width, uint32_t height) {
    ct_cells *cells = ct_alloc(allocator, bytes_of(width * height));
    if (cells == NULL) return NULL;
    void *at = (unsigned char *)cells + ct_padded(sizeof *cells);
    *cells = (ct_cells){
        .allocator = allocator, .references = 1, .width = width, .height = height, .at = at};
    return cells;
}

static void read_cells(uint32_t *restrict at, uint32_t count, ct_text text) {
    const unsigned char *bytes = (const unsigned char *)text.bytes + CT_CELLS_TEXT_HEAD;
    switch (text.bytes[0]) {
    case 1:
        for (uint32_t i = 0; i < count; ++i)
            at[i] = bytes[i];
        break;
    case 2:
        for (uint32_t i = 0; i < count; ++i)
            at[i] = bytes[2 * i] | (uint32_t)bytes[2 * i + 1] << 8;
        break;
    default: ct_reader_copy(bytes, 4, count, at);
    }
}

ct_cells *ct_cells_new(const ct_allocator *allocator, uint32_t width, uint32_t height,
                       ct_text text) {
    CT_ASSERT(ct_cells_check_text(width, height, text, NULL));
    ct_cells *cells = ct_cells_block(allocator, width, height);
    if (cells != NULL) ct_cells_fill(cells, text);
    return cells;
}

void ct_cells_fill(ct_cells *cells, ct_text text) {
    CT_ASSERT(cells->references == 1);
    cells->hashed = false;
    if (text.length == 0)
        memset(cells->at, 0, ct_cells_count(cells) * sizeof *cells->at);
    else
        read_cells(cells->at, ct_cells_count(cells), text);
}

void ct_cells_fill_from(ct_cells *cells, const ct_cells *from) {
    uint32_t across = cells->width < from->width ? cells->width : from->width;
    ct_cells_fill(cells, (ct_text){"", 0});
    for (uint32_t y = 0; y < cells->height && y < from->height; ++y)
        memcpy(cells->at + (size_t)y * cells->width, from->at + (size_t)y * from->width,
               across * sizeof *cells->at);
}

void ct_cells_release(ct_cells *cells) {
    if (cells == NULL || --cells->references > 0) return;
    ct_free(cells->allocator, cells, ct_cells_bytes(cells));
}

ct_status ct_cells_own(ct_cells **cells) {
    ct_cells *shared = *cells;
    if (shared->references > 1) {
        ct_cells *copy = ct_cells_block(shared->allocator, shared->width, shared->height);
        if (copy == NULL) return ct_out_of_memory(shared->allocator);
        memcpy(copy->at, shared->at, ct_cells_count(shared) * sizeof *copy->at);
        shared->references--;
        *cells = copy;
    }
    (*cells)->hashed = false;
    return CT_OK;
}

// Uses four independent chains, because the multiplications of one chain depend on each other.
uint64_t ct_cells_hash(ct_cells *cells) {
    if (cells->hashed) return cells->hash;
    uint64_t lanes[4] = {cells->width, cells->height, 2, 3};
    uint32_t count = ct_cells_count(cells), i = 0;
    const uint32_t *at = cells->at;
    for (; i + 4 <= count; i += 4) {
        for (uint32_t lane = 0; lane < 4; ++lane) {
            uint64_t hash = (lanes[lane] ^ at[i + lane]) * 0x9E3779B97F4A7C15u;
            lanes[lane] = hash ^ hash >> 32;
        }
    }
    uint64_t hash = lanes[0];
    for (uint32_t lane = 1; lane < 4; ++lane)
        hash = ct_hash_mix(hash, lanes[lane]);
    for (; i < count; ++i)
        hash = ct_hash_mix(hash, at[i]);
    cells->hash = hash;
    cells->hashed = true;
    return hash;
}

bool ct_cells_equal(const ct_cells *a, const ct_cells *b) {
    if (a == b) return true;
    return a->width == b->width && a->height == b->height &&
           memcmp(a->at, b->at, ct_cells_count(a) * sizeof *a->at) == 0;
}
