// Values of value fields as bytes, in levels and for plugins.
// Must not depend on Lua.
#ifndef CT_VALUE_BYTES_H
#define CT_VALUE_BYTES_H

#include "base/base.h"

CT_BEGIN_C

// The bytes of a value, the same on every host:
//
//     none at all    nil
//     u8 0, 1        false, true
//     u8 2, f64      a number; a NaN is the quiet one
//     u8 3, i32      a whole number in 32 bits, but for -0
//     u8 4, u32 n    a string: n bytes follow
//     u8 5, u32 n, u32 m    a table: n values follow, of the keys 1 to n, then m times a key, which
//                    is no table, nor a NaN, and a value
//
// Numbers lie with the lowest byte first. Pairs ascend by their bytes as memcmp compares them;
// readers do not rely on it.

/// Tables in one another, the outermost included.
#define CT_MAX_VALUE_DEPTH 100u

typedef enum ct_value_tag {
    CT_VALUE_FALSE,
    CT_VALUE_TRUE,
    CT_VALUE_DOUBLE,
    CT_VALUE_INT32,
    CT_VALUE_STRING,
    CT_VALUE_TABLE
} ct_value_tag;

/// What stands where: an item of a table has the key 'index', the value of a pair the key before
/// it.
typedef enum ct_value_place {
    CT_VALUE_ROOT,
    CT_VALUE_INDEX,
    CT_VALUE_KEY,
    CT_VALUE_PAIR
} ct_value_place;

typedef struct ct_value_item {
    ct_value_tag tag;
    ct_value_place place;
    uint32_t index;        ///< from 1 on
    uint32_t items, pairs; ///< of a table; no more than there are bytes left
    double number;
    ct_text text;
} ct_value_item;

typedef struct ct_value_open {
    uint32_t items, pairs; // left
    uint32_t index;
    bool keyed; // a key was read, its value was not
    ct_value_place place;
    uint32_t place_index;
} ct_value_open;

/// A walk over the bytes of a value, from the first item to the last.
typedef struct ct_value_cursor {
    const unsigned char *at, *end;
    bool begun;
    uint32_t depth;
    ct_value_open open[CT_MAX_VALUE_DEPTH];
} ct_value_cursor;

typedef enum ct_value_step {
    CT_VALUE_ITEM,   ///< no table
    CT_VALUE_BEGIN,  ///< a table begins, whose items follow
    CT_VALUE_CLOSE,  ///< the innermost table ends: 'place' and 'index' are its own
    CT_VALUE_END,    ///< there was all
    CT_VALUE_DAMAGED ///< the bytes are those of no value
} ct_value_step;

/// Begins a walk over some bytes, any bytes, which stay where they are.
void ct_value_walk(ct_value_cursor *cursor, ct_text bytes);

/// The next step, and its item. Reads no byte outside; recursion there is none.
ct_value_step ct_value_next(ct_value_cursor *cursor, ct_value_item *out);

/// Whether the bytes are those of a value. O(bytes).
bool ct_value_bytes_valid(ct_text bytes);

/// Most bytes that ct_value_write_* write, those of strings apart.
#define CT_VALUE_HEAD 9u

/// Writes the bytes of what is no table, or of a table those before its items; of a string those
/// before its own. Returns how many.
uint32_t ct_value_write_bool(unsigned char *out, bool value);
uint32_t ct_value_write_number(unsigned char *out, double value);
uint32_t ct_value_write_string(unsigned char *out, uint32_t length);
uint32_t ct_value_write_table(unsigned char *out, uint32_t items, uint32_t pairs);

CT_END_C

#endif
