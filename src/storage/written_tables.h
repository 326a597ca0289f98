// Which tables of a value have been written, and how many bytes each took: what stands in many
// places is known before it is written too often. Knows nothing of what tables are.
#ifndef CT_WRITTEN_TABLES_H
#define CT_WRITTEN_TABLES_H

#include "base/arena.h"

CT_BEGIN_C

typedef struct ct_written_table {
    const void *table;
    uint32_t bytes;
} ct_written_table;

/// Zeroed but for 'arena': none. Lives as long as what the arena holds.
typedef struct ct_written_tables {
    ct_arena *arena;
    ct_written_table *slots; // by open addressing
    uint32_t slot_count;     // a power of two, or 0
    uint32_t used;
} ct_written_tables;

/// What was noted of a table; 0: nothing.
uint32_t ct_written_tables_find(const ct_written_tables *tables, const void *table);

/// Notes a table that was not noted yet. False when memory runs out.
bool ct_written_tables_note(ct_written_tables *tables, const void *table, uint32_t bytes);

CT_END_C

#endif
