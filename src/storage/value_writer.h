// Writes the bytes of a value (value_bytes.h), table by table.
// Must not depend on Lua, nor on what a table is.
#ifndef CT_VALUE_WRITER_H
#define CT_VALUE_WRITER_H

#include "base/arena.h"
#include "storage/value_bytes.h"

CT_BEGIN_C

/// The most bytes of a value.
#define CT_MAX_VALUE_BYTES 0x3FFFFFFFu

/// The most bytes that tables may take beyond their first copy. A table that several places refer
/// to is written in each of them: where such tables refer to one another, that grows exponentially.
#define CT_MAX_REPEATED_BYTES 0x1000000u

typedef enum ct_value_written {
    CT_VALUE_WRITTEN,
    CT_VALUE_TOO_LARGE, ///< more than CT_MAX_VALUE_BYTES
    CT_VALUE_TOO_DEEP,  ///< more than CT_MAX_VALUE_DEPTH tables in one another
    CT_VALUE_REPEATED,  ///< more than CT_MAX_REPEATED_BYTES
    CT_VALUE_NO_MEMORY
} ct_value_written;

/// A table whose items and pairs are being written.
typedef struct ct_value_frame {
    const void *table;
    uint32_t head; // where its bytes begin
    uint32_t items, pairs;
    uint32_t first; // of its pairs, among all starts
} ct_value_frame;

typedef struct ct_written_table {
    const void *table; // NULL: the slot is empty
    uint32_t bytes;
} ct_written_table;

/// The bytes are in the arena. Zeroed but for 'arena'.
typedef struct ct_value_writer {
    ct_arena *arena;
    unsigned char *bytes;
    uint32_t count, capacity;
    uint32_t *starts; // of the pairs of all open tables
    uint32_t start_count, start_capacity;
    ct_written_table *tables; // written once, by open addressing
    uint32_t table_count, table_capacity;
    uint32_t repeated; // bytes of tables that were written before
    uint32_t repeats;  // the depth at which one of them is being written, or 0
    uint32_t depth;
    ct_value_frame frames[CT_MAX_VALUE_DEPTH];
} ct_value_writer;

// Once one of these has failed the writer may not be used any more.

ct_value_written ct_value_writer_bool(ct_value_writer *w, bool value);
ct_value_written ct_value_writer_number(ct_value_writer *w, double value);
ct_value_written ct_value_writer_string(ct_value_writer *w, const char *text, size_t length);

/// Begins a table, which is identified by its address. The values of the keys 1 to 'items' follow,
/// then pairs.
ct_value_written ct_value_writer_begin(ct_value_writer *w, const void *table, uint32_t items);

/// Begins a pair of the innermost table: its key and its value follow.
ct_value_written ct_value_writer_pair(ct_value_writer *w);

/// Ends the innermost table, and sorts its pairs. O(n log n) in pairs.
ct_value_written ct_value_writer_end(ct_value_writer *w);

CT_END_C

#endif
