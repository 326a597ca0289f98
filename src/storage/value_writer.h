// Writer for the bytes of a value (value_bytes.h), table by table.
#ifndef CT_VALUE_WRITER_H
#define CT_VALUE_WRITER_H

#include "base/arena.h"
#include "storage/value_bytes.h"

/// Maximum size of a value in bytes.
#define CT_MAX_VALUE_BYTES 0x3FFFFFFFu

/// Maximum number of bytes for repeated copies of tables. A table is written at each place that
/// refers to it, so the size can grow exponentially if such tables refer to each other.
#define CT_MAX_REPEATED_BYTES 0x1000000u

typedef enum ct_value_written {
    CT_VALUE_WRITTEN,
    CT_VALUE_TOO_LARGE, ///< more than CT_MAX_VALUE_BYTES
    CT_VALUE_TOO_DEEP,  ///< tables nested deeper than CT_MAX_VALUE_DEPTH
    CT_VALUE_REPEATED,  ///< more than CT_MAX_REPEATED_BYTES
    CT_VALUE_NO_MEMORY
} ct_value_written;

/// Table that is being written.
typedef struct ct_value_frame {
    const void *table;
    uint32_t head; // offset of its bytes
    uint32_t items, pairs;
    uint32_t first; // index of its first pair in 'starts'
} ct_value_frame;

typedef struct ct_written_table {
    const void *table; // NULL: the slot is empty
    uint32_t bytes;
} ct_written_table;

/// Writer. The bytes are in the arena. Initially zeroed, except for 'arena'.
typedef struct ct_value_writer {
    ct_arena *arena;
    unsigned char *bytes;
    uint32_t count, capacity;
    uint32_t *starts; // offsets of the pairs of all open tables
    uint32_t start_count, start_capacity;
    ct_written_table *tables; // tables written so far, in a hash table with open addressing
    uint32_t table_count, table_capacity;
    uint32_t repeated; // bytes of repeated copies of tables
    uint32_t repeats;  // depth of the repeated table that is being written, or 0
    uint32_t depth;
    ct_value_frame frames[CT_MAX_VALUE_DEPTH];
} ct_value_writer;

// After a failure of one of these functions, the writer must not be used any more.

ct_value_written ct_value_writer_bool(ct_value_writer *w, bool value);
ct_value_written ct_value_writer_number(ct_value_writer *w, double value);
ct_value_written ct_value_writer_string(ct_value_writer *w, const char *text, size_t length);

/// Begins a table, which is identified by its address. The values of keys 1 to 'items' follow, then
/// pairs.
ct_value_written ct_value_writer_begin(ct_value_writer *w, const void *table, uint32_t items);

/// Begins a pair of the innermost table: its key and its value follow.
ct_value_written ct_value_writer_pair(ct_value_writer *w);

/// Ends the innermost table, and sorts its pairs. O(n log n) in pairs.
ct_value_written ct_value_writer_end(ct_value_writer *w);

#endif
