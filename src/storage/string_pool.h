// Pool of interned strings with reference counts: equal texts have the same number and one copy.
#ifndef CT_STRING_POOL_H
#define CT_STRING_POOL_H

#include "base/arena.h"
#include "base/state.h"

/// Maximum number of strings: a component id has 31 bits for a string.
#define CT_MAX_STRINGS 0x7FFFFFFFu

typedef struct ct_string_entry {
    char *bytes; // followed by NUL; NULL: this entry is free
    uint32_t length;
    uint32_t hash; // FNV-1a of the text, equal on every host
    uint32_t references;
    uint32_t next; // next in the bucket, or in the list of free entries; 0 ends both
} ct_string_entry;

/// Temporary cache from address to string, for long texts that do not move or change.
typedef struct ct_text_cache {
    const ct_text *texts; // by address, ascending
    const ct_string *strings;
    uint32_t count;
} ct_text_cache;

typedef struct ct_string_pool {
    ct_string_entry *entries; // [0] is "", never in a bucket
    uint32_t *buckets;        // first entry of each bucket, 0 for none
    uint32_t entry_count;     // entries used so far, including entry 0
    uint32_t entry_capacity;
    uint32_t bucket_count; // a power of two, or 0
    uint32_t used;
    uint32_t free_entry;
    uint32_t pinned; // references that are held only during a call
    uint32_t freed;  // number of freed strings, modulo 2^32: while it is the same, no number of a
                     // string means another text
    size_t text_bytes;
    uint64_t seed; // seed of the hash that selects buckets, so that levels and saves cannot cause
                   // collisions
    ct_text_cache known;
    const ct_allocator *allocator;
} ct_string_pool;

/// Initializes an empty pool. Allocates nothing.
void ct_string_pool_init(ct_string_pool *pool, const ct_allocator *allocator);

void ct_string_pool_free(ct_string_pool *pool);

/// Returns the string of these bytes (any bytes, including NUL), with one new reference that the
/// caller owns. CT_OK, CT_ERR_MEMORY or CT_ERR_FULL.
ct_status ct_string_pool_intern(ct_string_pool *pool, ct_text text, ct_string *out);

/// Interns the long texts among 'count' texts, which must be ascending in memory and must not move,
/// and finds them by address until ct_string_pool_forget_texts. Used to read many rows with few
/// texts. Returns CT_OK, CT_ERR_MEMORY or CT_ERR_FULL; call unlearn in any case.
ct_status ct_string_pool_cache_texts(ct_string_pool *pool, const ct_text *texts, uint32_t count,
                                     ct_arena *arena);
void ct_string_pool_forget_texts(ct_string_pool *pool);

/// Interns 'count' texts, the values of a field, all or none. Statuses as above.
ct_status ct_string_pool_fill(ct_string_pool *pool, ct_string *column, uint32_t count,
                              const ct_values *values);

/// Returns the string of these bytes if it is in the pool, else "" (ref 0). Adds no reference.
ct_string ct_string_pool_find(const ct_string_pool *pool, ct_text text);

/// Adds 'count' references.
void ct_string_pool_retain(ct_string_pool *pool, ct_string string, uint32_t count);

/// Adds a reference to each of 'count' strings.
void ct_string_pool_retain_all(ct_string_pool *pool, const ct_string *strings, uint32_t count);

/// Removes a reference; the last one frees the string.
void ct_string_pool_release(ct_string_pool *pool, ct_string string);

/// Removes a reference to each of 'count' strings; runs of equal strings are processed together.
void ct_string_pool_release_all(ct_string_pool *pool, const ct_string *strings, uint32_t count);

/// Adds a reference for the duration of a call. It is counted separately, because a validation
/// during the call does not find its holder.
void ct_string_pool_pin(ct_string_pool *pool, ct_string string);

/// Interns a text with such a reference. Statuses as ct_string_pool_intern.
ct_status ct_string_pool_pin_text(ct_string_pool *pool, ct_text text, ct_string *out);

/// Removes such a reference.
void ct_string_pool_unpin(ct_string_pool *pool, ct_string string);

/// Returns the bytes, NUL-terminated. Valid while a reference is held.
ct_text ct_string_pool_text(const ct_string_pool *pool, ct_string string);

/// Frees spare memory. Strings keep their numbers.
void ct_string_pool_trim(ct_string_pool *pool);

/// Present numbers of saved strings. Zeroed: none.
typedef struct ct_string_numbers {
    uint32_t *now;
    uint32_t count;
    bool same;
} ct_string_numbers;

/// Saves and restores all texts, for snapshots. RESERVE finds or creates a string for each, and
/// holds a reference until it is released; other passes do not change the pool.
void ct_string_pool_state(ct_string_pool *pool, ct_state *state, ct_string_numbers *numbers);
void ct_string_pool_release_numbers(ct_string_pool *pool, ct_string_numbers *numbers);

size_t ct_string_pool_bytes(const ct_string_pool *pool);

/// Count of all references to strings of a pool, which must not change between begin and end.
typedef struct ct_string_audit {
    const ct_string_pool *pool;
    uint32_t *counts; // reference counts by string
    size_t bytes;
    bool stray; // an invalid string is referenced
} ct_string_audit;

/// Begins an audit. Returns CT_OK, or CT_ERR_MEMORY; then there is nothing to end. Allocates 4
/// bytes per string.
ct_status ct_string_audit_begin(ct_string_audit *audit, const ct_string_pool *pool);

/// Counts a reference to a string, which may be invalid. "" is not counted.
static inline void ct_string_audit_add(ct_string_audit *audit, ct_string string) {
    if (string.ref < audit->pool->entry_count)
        audit->counts[string.ref]++;
    else if (string.ref != 0)
        audit->stray = true;
}

/// Checks that each string has as many references as were counted, not including pinned ones, and
/// that no freed string is referenced; then checks the structure of the pool. Returns false with
/// the reason in 'message'. O(strings).
bool ct_string_audit_check(const ct_string_audit *audit, ct_message *message);

void ct_string_audit_end(ct_string_audit *audit);

#endif
