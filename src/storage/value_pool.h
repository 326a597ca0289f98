// Values of the value fields of a world: numbers in columns, each for a value that the host keeps,
// or for its bytes.
#ifndef CT_VALUE_POOL_H
#define CT_VALUE_POOL_H

#include "storage/string_pool.h"

// The number of a value is its slot, which is reference-counted: several rows may hold one value. A
// slot has either
//
//     bytes    in the format of value_bytes.h, from a level, an override or a plugin: the value was
//              not decoded yet. Rows that get equal bytes get different slots, so that each of them
//              has a separate decoded value
//     nothing  the host keeps the value, under the slot's number. When the last reference from a
//              row is removed, the slot is 'dropped': the host must discard the value, and calls
//              ct_value_pool_next_dropped regularly to find such slots
//
// A program without Lua keeps no values: it only uses bytes, and need not handle dropped slots.
//
// A snapshot contains the slots, under their numbers; the host saves the values that it keeps.
// After a restore each slot has its former value: the host restores the values, and discards all
// others, including those of dropped slots.

/// Item of a value field in a column. 0 is nil.
typedef struct ct_value {
    uint32_t slot;
} ct_value;

typedef struct ct_value_slot {
    uint32_t references; // number of references from rows
    uint32_t next;       // in the list of free, dropped or held ones; 0 ends it
    ct_string bytes;     // 0: the host keeps the value
    uint32_t serial;     // different for every use of a slot, modulo 2^32
    bool held;
    bool used;
} ct_value_slot;

typedef struct ct_value_pool {
    ct_value_slot *slots; // [0] is nil
    uint32_t count;
    uint32_t capacity;
    uint32_t spare; // number of free slots below 'count', in the list 'free'
    uint32_t free;
    uint32_t dropped;
    uint32_t held;
    uint32_t serial; // last one used
    ct_string_pool *strings;
    uint32_t token; // of the host's death listener while there are value fields; 0: none
} ct_value_pool;

/// Initializes an empty pool. Bytes are stored in 'strings', which must outlive the pool. Allocates
/// nothing.
void ct_value_pool_init(ct_value_pool *pool, ct_string_pool *strings);

/// Frees all memory. The pool is then empty.
void ct_value_pool_free(ct_value_pool *pool);

/// Reserves memory for 'count' more slots, so that taking them cannot fail. Returns CT_OK,
/// CT_ERR_MEMORY (CT_ERR_OVER) or CT_ERR_FULL.
ct_status ct_value_pool_reserve(ct_value_pool *pool, uint32_t count);

/// Takes a slot for a value that the host keeps. The slot is held until ct_value_pool_release_held;
/// rows should refer to it by then. Statuses of ct_value_pool_reserve.
ct_status ct_value_pool_take(ct_value_pool *pool, ct_value *out);

/// Ends the hold on all slots that were taken; slots without references from rows are dropped.
void ct_value_pool_release_held(ct_value_pool *pool);

/// Does the same for a string to which the caller already added a reference. Memory must be
/// reserved.
ct_value ct_value_pool_put_string(ct_value_pool *pool, ct_string bytes);

/// Does the same for 'count' rows, all or none.
ct_status ct_value_pool_fill(ct_value_pool *pool, ct_value *column, uint32_t count,
                             const ct_values *values);

/// Replaces the value of a row by the value of an item. If it fails, the row keeps its value.
ct_status ct_value_pool_replace(ct_value_pool *pool, ct_text text, ct_value *place);

/// Adds references from 'count' rows.
void ct_value_pool_retain(ct_value_pool *pool, ct_value value, uint32_t count);

/// Removes a reference from a row.
void ct_value_pool_release(ct_value_pool *pool, ct_value value);

/// Returns whether a slot is in use. After the end of a world no slot is.
static inline bool ct_value_pool_has(const ct_value_pool *pool, ct_value value) {
    return value.slot < pool->count && pool->slots[value.slot].used;
}

/// Returns the bytes of a value; 'bytes' is NULL if the host keeps the value, and for nil.
ct_text ct_value_pool_bytes_of(const ct_value_pool *pool, ct_value value);

/// Releases the bytes of a value, which the host has decoded and now keeps.
void ct_value_pool_decoded(ct_value_pool *pool, ct_value value);

/// Returns the slot of a value that the host must discard, or 0. The slot may be reused
/// immediately.
uint32_t ct_value_pool_next_dropped(ct_value_pool *pool);

/// Frees the memory of free slots at the end. O(slots).
void ct_value_pool_trim(ct_value_pool *pool);

/// Saves or restores the slots (base/state.h), after the strings and all rows.
void ct_value_pool_state(ct_value_pool *pool, ct_state *state);

/// Returns the allocated bytes, without strings.
size_t ct_value_pool_memory(const ct_value_pool *pool);

/// Counts the references of slots to strings.
void ct_value_pool_count_strings(const ct_value_pool *pool, ct_string_audit *audit);

/// Returns the total number of references from rows.
uint64_t ct_value_pool_references(const ct_value_pool *pool);

#endif
