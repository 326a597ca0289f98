// The values of the value fields of a world: numbers in columns, each for a value that the host
// keeps, or for its bytes. Must not depend on Lua, nor on rows.
#ifndef CT_VALUE_POOL_H
#define CT_VALUE_POOL_H

#include "storage/string_pool.h"

CT_BEGIN_C

// The number of a value is its slot, which is counted: several rows may hold one value. A slot has
// either
//
//     bytes    of value_bytes.h, from a level, an override or a plugin: the value was not
//              decoded yet. Rows that get the same bytes get slots of their own: each of them has
//              its own copy of what is made of the bytes
//     nothing  the host keeps the value, under the slot's number. When no row holds it any more
//              the slot is 'dropped': the host is to forget the value, and says so by
//              ct_value_pool_next_dropped, which it calls whenever it can
//
// A program without Lua finds bytes, and may leave it at that: it keeps nothing and need not ask
// what was dropped.
//
// A snapshot has the slots, under their numbers; what the host keeps is the host's to save. After a
// restore each slot stands for what it stood for: the host puts that back, and forgets the rest
// without being told of any that was dropped.

/// In a column. 0 is nil.
typedef struct ct_value {
    uint32_t slot;
} ct_value;

typedef struct ct_value_slot {
    uint32_t references; // of rows
    uint32_t next;       // in the list of free, dropped or held ones; 0 ends it
    ct_string bytes;     // 0: the host keeps the value
    uint32_t serial;     // no slot had it before, in some 2^32 of them
    bool held;
    bool used;
} ct_value_slot;

typedef struct ct_value_pool {
    ct_value_slot *slots; // [0] is nil
    uint32_t count;
    uint32_t capacity;
    uint32_t spare; // free slots below 'count', listed from 'free' on
    uint32_t free;
    uint32_t dropped;
    uint32_t held;
    uint32_t serial; // given last
    ct_string_pool *strings;
    uint32_t token; // of whatever the host listens with while there are value fields; 0: none
} ct_value_pool;

/// No values. Bytes will lie among 'strings', which outlive the pool. Allocates nothing.
void ct_value_pool_init(ct_value_pool *pool, ct_string_pool *strings);

/// Frees all. What is left is an empty pool.
void ct_value_pool_free(ct_value_pool *pool);

/// Room for 'count' more slots, so that taking them cannot fail. CT_OK, CT_ERR_MEMORY (CT_ERR_OVER)
/// or CT_ERR_FULL.
ct_status ct_value_pool_reserve(ct_value_pool *pool, uint32_t count);

/// A slot for a value that the host keeps: it is held for it until ct_value_pool_let_go, by when
/// rows should have it. Statuses as ct_value_pool_reserve.
ct_status ct_value_pool_take(ct_value_pool *pool, ct_value *out);

/// All that was taken is held by rows alone from now on; what none has is dropped.
void ct_value_pool_let_go(ct_value_pool *pool);

/// A slot of some bytes, which are those of a value, for one row; of no bytes it is nil. Statuses
/// as ct_value_pool_reserve.
ct_status ct_value_pool_put(ct_value_pool *pool, ct_text bytes, ct_value *out);

/// The same of a string there is, of which a reference more is held. Room was reserved.
ct_value ct_value_pool_put_string(ct_value_pool *pool, ct_string bytes);

/// An item as in ct_values, for one more row: its bytes, or the slot that it names.
ct_status ct_value_pool_enter(ct_value_pool *pool, ct_text item, ct_value *out);

/// The same for 'count' rows, all or none.
ct_status ct_value_pool_fill(ct_value_pool *pool, ct_value *column, uint32_t count,
                             const ct_values *values);

/// The same for a row in the place of what it holds, which it keeps where that fails.
ct_status ct_value_pool_replace(ct_value_pool *pool, ct_text text, ct_value *place);

/// 'count' more rows hold it.
void ct_value_pool_retain(ct_value_pool *pool, ct_value value, uint32_t count);

/// A row holds it no longer.
void ct_value_pool_release(ct_value_pool *pool, ct_value value);

/// Whether there is such a slot: after the end of a world there is none.
static inline bool ct_value_pool_has(const ct_value_pool *pool, ct_value value) {
    return value.slot < pool->count && pool->slots[value.slot].used;
}

/// Its bytes; 'bytes' NULL where the host keeps the value, and for nil.
ct_text ct_value_pool_bytes_of(const ct_value_pool *pool, ct_value value);

/// From now on the host keeps the value, which it has made of the bytes.
void ct_value_pool_decoded(ct_value_pool *pool, ct_value value);

/// The slot of a value that the host is to forget, or 0. It may be given out again at once.
uint32_t ct_value_pool_next_dropped(ct_value_pool *pool);

/// Gives the memory of free slots back where it can. O(slots).
void ct_value_pool_trim(ct_value_pool *pool);

/// A pass over the slots (base/state.h), after those over the strings and over all rows.
void ct_value_pool_state(ct_value_pool *pool, ct_state *state);

/// Bytes of memory held, those of strings apart.
size_t ct_value_pool_memory(const ct_value_pool *pool);

/// Tells of each string that a slot holds.
void ct_value_pool_count_strings(const ct_value_pool *pool, ct_string_audit *audit);

/// How many references rows hold, all together.
uint64_t ct_value_pool_references(const ct_value_pool *pool);

CT_END_C

#endif
