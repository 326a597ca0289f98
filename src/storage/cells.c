// Cells of a grid, in a reference-counted block with copy on write.
#include "storage/cells.h"

#include "base/hash.h"
#include "base/message.h"
#include "base/reader.h"
#include "base/text.h"

static size_t bytes_of(uint32_t count) {
    return ct_padded(sizeof(ct_cells)) + (size_t)count * sizeof(uint32_t);
}

size_t ct_cells_bytes(const ct_cells *cells) {
    return bytes_of(ct_cells_count(cells)) + (cells->flips != NULL ? ct_cells_count(cells) : 0);
}

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

size_t ct_cells_text_room(const ct_cells *cells) {
    size_t each = sizeof *cells->at + (cells->flips != NULL);
    return CT_CELLS_TEXT_HEAD + ct_cells_count(cells) * each;
}

// Adds 'count' flips to a text in memory with room for them.
static ct_text add_flips(void *bytes, uint32_t length, const void *flips, uint32_t count) {
    unsigned char *text = bytes;
    text[1] = CT_CELLS_FLIPPED >> 8;
    memcpy(text + length, flips, count);
    return (ct_text){bytes, length + count};
}

ct_text ct_cells_write(const ct_cells *cells, void *bytes) {
    uint32_t count = ct_cells_count(cells);
    memcpy((unsigned char *)bytes + CT_CELLS_TEXT_HEAD, cells->at, count * sizeof *cells->at);
    ct_text text = ct_cells_pack(bytes, count);
    return cells->flips != NULL ? add_flips(bytes, text.length, cells->flips, count) : text;
}

ct_text ct_cells_join_flips(ct_text cells, ct_text flips, uint32_t count, void *bytes) {
    uint32_t length = cells.length > 0 ? cells.length : CT_CELLS_TEXT_HEAD + count;
    memset(bytes, 0, length);
    ((unsigned char *)bytes)[0] = 1;
    if (cells.length > 0) memcpy(bytes, cells.bytes, length);
    if (flips.length == 0) return (ct_text){bytes, length};
    return add_flips(bytes, length, flips.bytes + CT_CELLS_TEXT_HEAD, count);
}

static bool has_flips(ct_text text) {
    return text.length > CT_CELLS_TEXT_HEAD && text.bytes[1] != 0;
}

// Gets the flips at the end of a text that has some.
static const char *flips_of(ct_text text, uint32_t count) {
    return text.bytes + text.length - count;
}

static bool are_flips(const char *bytes, uint32_t count) {
    unsigned all = 0;
    for (uint32_t i = 0; i < count; ++i)
        all |= (unsigned char)bytes[i];
    return all <= CT_FLIP_ALL;
}

bool ct_cells_count_text(ct_text text, uint32_t *count) {
    ct_reader reader = ct_reader_of(text.bytes, text.length);
    *count = 0;
    if (text.length == 0) return true;
    uint32_t head = ct_reader_u32(&reader), rest = (uint32_t)(reader.end - reader.at);
    uint32_t width = head & ~CT_CELLS_FLIPPED, each = width + (head != width);
    if (reader.damaged || (width != 1 && width != 2 && width != 4) || rest % each != 0)
        return false;
    *count = rest / each;
    return head == width || are_flips(flips_of(text, *count), *count);
}

bool ct_cells_check_flips(uint32_t count, ct_text text, ct_message *message) {
    uint32_t given;
    if (text.length == 0) return true;
    if (!ct_cells_count_text(text, &given) || has_flips(text))
        return ct_message_set(message, "flips: invalid bytes of cells");
    if (given != count)
        return ct_message_set(message, "flips: expected %u numbers, got %u", count, given);
    return (text.bytes[0] == 1 && are_flips(text.bytes + CT_CELLS_TEXT_HEAD, count)) ||
           ct_message_set(message, "flips: expected numbers from 0 to %u", (unsigned)CT_FLIP_ALL);
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
    if (cells == NULL || ct_cells_fill(cells, text) == CT_OK) return cells;
    ct_cells_release(cells);
    return NULL;
}

bool ct_cells_are_flipped(const ct_cells *cells) {
    for (uint32_t i = 0; cells->flips != NULL && i < ct_cells_count(cells); ++i)
        if (cells->flips[i] != 0) return true;
    return false;
}

static void free_flips(ct_cells *cells) {
    if (cells->flips != NULL) ct_free(cells->allocator, cells->flips, ct_cells_count(cells));
    cells->flips = NULL;
}

ct_status ct_cells_make_flips(ct_cells *cells) {
    CT_ASSERT(cells->references == 1);
    if (cells->flips == NULL) cells->flips = ct_alloc_zero(cells->allocator, ct_cells_count(cells));
    return cells->flips != NULL ? CT_OK : ct_out_of_memory(cells->allocator);
}

ct_status ct_cells_fill(ct_cells *cells, ct_text text) {
    uint32_t count = ct_cells_count(cells);
    CT_ASSERT(cells->references == 1);
    cells->hashed = false;
    free_flips(cells);
    if (has_flips(text)) {
        if (ct_cells_make_flips(cells) != CT_OK) return CT_ERR_MEMORY;
        memcpy(cells->flips, flips_of(text, count), count);
    }
    if (text.length == 0)
        memset(cells->at, 0, count * sizeof *cells->at);
    else
        read_cells(cells->at, count, text);
    return CT_OK;
}

ct_status ct_cells_fill_from(ct_cells *cells, const ct_cells *from) {
    uint32_t across = cells->width < from->width ? cells->width : from->width;
    ct_cells_fill(cells, (ct_text){"", 0});
    if (from->flips != NULL && ct_cells_make_flips(cells) != CT_OK) return CT_ERR_MEMORY;
    for (uint32_t y = 0; y < cells->height && y < from->height; ++y) {
        size_t to = (size_t)y * cells->width, at = (size_t)y * from->width;
        memcpy(cells->at + to, from->at + at, across * sizeof *cells->at);
        if (from->flips != NULL) memcpy(cells->flips + to, from->flips + at, across);
    }
    return CT_OK;
}

ct_status ct_cells_fill_flips(ct_cells *cells, ct_text text) {
    cells->hashed = false;
    free_flips(cells);
    if (text.length == 0) return CT_OK;
    if (ct_cells_make_flips(cells) != CT_OK) return CT_ERR_MEMORY;
    memcpy(cells->flips, text.bytes + CT_CELLS_TEXT_HEAD, ct_cells_count(cells));
    return CT_OK;
}

void ct_cells_release(ct_cells *cells) {
    if (cells == NULL || --cells->references > 0) return;
    free_flips(cells);
    ct_free(cells->allocator, cells, ct_cells_bytes(cells));
}

ct_status ct_cells_own(ct_cells **cells) {
    ct_cells *shared = *cells;
    if (shared->references > 1) {
        ct_cells *copy = ct_cells_block(shared->allocator, shared->width, shared->height);
        if (copy == NULL) return ct_out_of_memory(shared->allocator);
        if (shared->flips != NULL && ct_cells_make_flips(copy) != CT_OK) {
            ct_cells_release(copy);
            return ct_out_of_memory(shared->allocator);
        }
        memcpy(copy->at, shared->at, ct_cells_count(shared) * sizeof *copy->at);
        if (shared->flips != NULL) memcpy(copy->flips, shared->flips, ct_cells_count(shared));
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
    for (i = 0; cells->flips != NULL && i < count; ++i) {
        if (cells->flips[i] != 0) hash = ct_hash_mix(hash, (uint64_t)i << 8 | cells->flips[i]);
    }
    cells->hash = hash;
    cells->hashed = true;
    return hash;
}

// Without memory for flips, no cell is flipped.
static bool equal_flips(const ct_cells *a, const ct_cells *b) {
    if (a->flips == b->flips) return true;
    for (uint32_t i = 0; i < ct_cells_count(a); ++i)
        if (ct_cells_flips(a, i) != ct_cells_flips(b, i)) return false;
    return true;
}

bool ct_cells_equal(const ct_cells *a, const ct_cells *b) {
    if (a == b) return true;
    return a->width == b->width && a->height == b->height &&
           memcmp(a->at, b->at, ct_cells_count(a) * sizeof *a->at) == 0 && equal_flips(a, b);
}
