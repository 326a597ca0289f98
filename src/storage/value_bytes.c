// Encoding of values of value fields as bytes.
#include "storage/value_bytes.h"

#include <string.h>

static uint32_t put_u32(unsigned char *out, uint32_t value) {
    for (uint32_t i = 0; i < 4; ++i)
        out[i] = (unsigned char)(value >> 8 * i);
    return 4;
}

static uint32_t get_u32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static double get_double(const unsigned char *at) {
    uint64_t bits = (uint64_t)get_u32(at + 4) << 32 | get_u32(at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return ct_double_clean(value);
}

uint32_t ct_value_write_bool(unsigned char *out, bool value) {
    out[0] = value ? CT_VALUE_TRUE : CT_VALUE_FALSE;
    return 1;
}

uint32_t ct_value_write_number(unsigned char *out, double value) {
    uint64_t bits;
    value = ct_double_clean(value);
    memcpy(&bits, &value, sizeof bits);
    bool small = value >= -2147483648.0 && value <= 2147483647.0;
    if (small && (double)(int32_t)value == value && (value != 0 || bits == 0)) {
        out[0] = CT_VALUE_INT32;
        return 1 + put_u32(out + 1, (uint32_t)(int32_t)value);
    }
    out[0] = CT_VALUE_DOUBLE;
    put_u32(out + 1, (uint32_t)bits);
    return 5 + put_u32(out + 5, (uint32_t)(bits >> 32));
}

uint32_t ct_value_write_string(unsigned char *out, uint32_t length) {
    out[0] = CT_VALUE_STRING;
    return 1 + put_u32(out + 1, length);
}

uint32_t ct_value_write_table(unsigned char *out, uint32_t items, uint32_t pairs) {
    out[0] = CT_VALUE_TABLE;
    put_u32(out + 1, items);
    return 5 + put_u32(out + 5, pairs);
}

void ct_value_walk(ct_value_cursor *cursor, ct_text bytes) {
    cursor->at = (const unsigned char *)bytes.bytes;
    cursor->end = cursor->at + bytes.length;
    cursor->begun = bytes.length == 0; // nil: no item follows
    cursor->depth = 0;
}

// Gets the position of the next item. Returns false at the end of the innermost table.
static bool next_place(ct_value_cursor *c, ct_value_item *out) {
    ct_value_open *open = &c->open[c->depth - 1];
    if (open->items > 0) {
        open->items--;
        out->index = ++open->index;
        out->place = CT_VALUE_INDEX;
    } else if (open->keyed) {
        open->keyed = false;
        out->place = CT_VALUE_PAIR;
    } else if (open->pairs > 0) {
        open->pairs--;
        open->keyed = true;
        out->place = CT_VALUE_KEY;
    } else {
        return false;
    }
    return true;
}

static ct_value_step close(ct_value_cursor *c, ct_value_item *out) {
    const ct_value_open *open = &c->open[--c->depth];
    out->place = open->place;
    out->index = open->place_index;
    return CT_VALUE_CLOSE;
}

// Begins a table. Each item and each half of a pair takes at least one byte, which limits their
// numbers.
static ct_value_step begin_table(ct_value_cursor *c, ct_value_item *out) {
    size_t left = (size_t)(c->end - c->at);
    if (out->place == CT_VALUE_KEY || c->depth == CT_MAX_VALUE_DEPTH || out->items > left ||
        out->pairs > (left - out->items) / 2)
        return CT_VALUE_DAMAGED;
    c->open[c->depth++] = (ct_value_open){
        .items = out->items, .pairs = out->pairs, .place = out->place, .place_index = out->index};
    return CT_VALUE_BEGIN;
}

// Reads the item after a tag. All its bytes are known to exist, except those of a string.
static ct_value_step read_item(ct_value_cursor *c, ct_value_item *out) {
    const unsigned char *at = c->at;
    switch (out->tag) {
    case CT_VALUE_DOUBLE:
        out->number = get_double(at - 8);
        return out->place == CT_VALUE_KEY && out->number != out->number ? CT_VALUE_DAMAGED
                                                                        : CT_VALUE_ITEM;
    case CT_VALUE_INT32: out->number = (double)(int32_t)get_u32(at - 4); return CT_VALUE_ITEM;
    case CT_VALUE_STRING:
        out->text = (ct_text){(const char *)at, get_u32(at - 4)};
        if (out->text.length > (size_t)(c->end - at)) return CT_VALUE_DAMAGED;
        c->at += out->text.length;
        return CT_VALUE_ITEM;
    case CT_VALUE_TABLE:
        out->items = get_u32(at - 8);
        out->pairs = get_u32(at - 4);
        return begin_table(c, out);
    default: return CT_VALUE_ITEM;
    }
}

ct_value_step ct_value_next(ct_value_cursor *cursor, ct_value_item *out) {
    static const unsigned char heads[] = {0, 0, 8, 4, 4, 8};
    out->index = 0;
    if (cursor->depth > 0) {
        if (!next_place(cursor, out)) return close(cursor, out);
    } else {
        out->place = CT_VALUE_ROOT;
        if (cursor->begun) return cursor->at == cursor->end ? CT_VALUE_END : CT_VALUE_DAMAGED;
        cursor->begun = true;
    }
    if (cursor->at == cursor->end) return CT_VALUE_DAMAGED;
    unsigned char tag = *cursor->at++;
    if (tag > CT_VALUE_TABLE || heads[tag] > cursor->end - cursor->at) return CT_VALUE_DAMAGED;
    cursor->at += heads[tag];
    out->tag = (ct_value_tag)tag;
    return read_item(cursor, out);
}

bool ct_value_bytes_valid(ct_text bytes) {
    ct_value_cursor cursor;
    ct_value_item item;
    ct_value_step step;
    ct_value_walk(&cursor, bytes);
    do {
        step = ct_value_next(&cursor, &item);
    } while (step != CT_VALUE_END && step != CT_VALUE_DAMAGED);
    return step == CT_VALUE_END;
}
