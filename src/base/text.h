// Comparison of texts, and access to unaligned texts and numbers.
#ifndef CT_TEXT_H
#define CT_TEXT_H

#include "base/base.h"

#include <string.h>

/// Compares bytes like memcmp; a prefix of a text is less than the text.
static inline int ct_text_compare(ct_text a, ct_text b) {
    uint32_t length = a.length < b.length ? a.length : b.length;
    int order = length == 0 ? 0 : memcmp(a.bytes, b.bytes, length);
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

static inline bool ct_text_equal(ct_text a, ct_text b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

/// Reads the text of an item of ct_values.
static inline ct_text ct_text_load(const void *item) {
    ct_text text;
    memcpy(&text, item, sizeof text);
    return text;
}

/// Returns the item of row i, or NULL if there are no items.
static inline const void *ct_values_item(const ct_values *values, uint32_t i) {
    const unsigned char *items = (const unsigned char *)values->items;
    return items != NULL ? items + (size_t)i * values->stride : NULL;
}

/// Reads number i of an unaligned array.
static inline uint32_t ct_u32_at(const void *numbers, size_t i) {
    uint32_t number;
    memcpy(&number, (const unsigned char *)numbers + i * sizeof number, sizeof number);
    return number;
}

/// Compares two unaligned numbers, for qsort and bsearch.
static inline int ct_u32_compare(const void *a, const void *b) {
    uint32_t one = ct_u32_at(a, 0), other = ct_u32_at(b, 0);
    return (one > other) - (one < other);
}

/// Returns the text at an offset of a checked string block. See ct_string_block_text.
static inline ct_text ct_text_stored(const unsigned char *block, uint32_t offset) {
    ct_text text = {(const char *)block + offset + 4, ct_u32_at(block + offset, 0)};
    return text;
}

#endif
