// Encoding of values of value fields as bytes, in levels and for plugins.
#ifndef CT_VALUE_BYTES_H
#define CT_VALUE_BYTES_H

#include "base/base.h"

// Encoding of a value, the same on every host:
//
//     none at all    nil
//     u8 0, 1        false, true
//     u8 2, f64      a number; a NaN is the quiet one
//     u8 3, i32      a whole number in 32 bits, but for -0
//     u8 4, u32 n    a string: n bytes follow
//     u8 5, u32 n, u32 m    a table: n values follow, of the keys 1 to n, then m times a key, which
//                    is no table, nor a NaN, and a value
//
// Numbers are little-endian. Pairs are sorted by their bytes in the order of memcmp; readers do not
// require that.

/// Maximum nesting of tables, including the outermost.
#define CT_MAX_VALUE_DEPTH 100u

typedef enum ct_value_tag {
    CT_VALUE_FALSE,
    CT_VALUE_TRUE,
    CT_VALUE_DOUBLE,
    CT_VALUE_INT32,
    CT_VALUE_STRING,
    CT_VALUE_TABLE
} ct_value_tag;

/// Position of an item. An item of a table has the key 'index', the value of a pair the key before
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
    uint32_t index;        ///< from 1
    uint32_t items, pairs; ///< of a table; not more than the remaining bytes
    double number;
    ct_text text;
} ct_value_item;

typedef struct ct_value_open {
    uint32_t items, pairs; // remaining
    uint32_t index;
    bool keyed; // a key was read, but not its value
    ct_value_place place;
    uint32_t place_index;
} ct_value_open;

/// Iterator over the bytes of a value, from the first item to the last.
typedef struct ct_value_cursor {
    const unsigned char *at, *end;
    bool begun;
    uint32_t depth;
    ct_value_open open[CT_MAX_VALUE_DEPTH];
} ct_value_cursor;

typedef enum ct_value_step {
    CT_VALUE_ITEM,   ///< a value other than a table
    CT_VALUE_BEGIN,  ///< start of a table; its items follow
    CT_VALUE_CLOSE,  ///< end of the innermost table; 'place' and 'index' are the table's
    CT_VALUE_END,    ///< end of the value
    CT_VALUE_DAMAGED ///< the bytes are not a valid value
} ct_value_step;

/// Begins an iteration over any bytes, which must not move.
void ct_value_walk(ct_value_cursor *cursor, ct_text bytes);

/// Returns the next step, and its item. Reads no byte outside the text, and does not recurse.
ct_value_step ct_value_next(ct_value_cursor *cursor, ct_value_item *out);

/// Returns whether the bytes are a valid value. O(bytes).
bool ct_value_bytes_valid(ct_text bytes);

/// Maximum number of bytes that ct_value_write_* write.
#define CT_VALUE_HEAD 9u

/// Write the encoding of a value; for a table only the part before its items, for a string only the
/// part before its bytes. Return the number of bytes.
uint32_t ct_value_write_bool(unsigned char *out, bool value);
uint32_t ct_value_write_number(unsigned char *out, double value);
uint32_t ct_value_write_string(unsigned char *out, uint32_t length);
uint32_t ct_value_write_table(unsigned char *out, uint32_t items, uint32_t pairs);

#endif
