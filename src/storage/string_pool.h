// Interned strings with reference counts: equal texts share one number and one copy.
#ifndef CT_STRING_POOL_H
#define CT_STRING_POOL_H

#include "base/arena.h"
#include "base/state.h"

CT_BEGIN_C

/// Strings a pool can hold: 31 bits are left in a component id for one.
#define CT_MAX_STRINGS 0x7FFFFFFFu

typedef struct ct_string_entry {
    char *bytes; // NUL behind it; NULL: this entry is free
    uint32_t length;
    uint32_t hash; // of the text, on every host: FNV-1a
    uint32_t references;
    uint32_t next; // in its bucket, or in the list of free entries; 0 ends both
} ct_string_entry;

/// Long texts that are known by where they lie, as long as nothing there changes.
typedef struct ct_known_texts {
    const ct_text *texts; // by address, ascending
    const ct_string *strings;
    uint32_t count;
} ct_known_texts;

typedef struct ct_string_pool {
    ct_string_entry *entries; // [0] is "", never in a bucket
    uint32_t *buckets;        // first entry of each, 0 for none
    uint32_t entry_count;     // handed out so far, entry 0 included
    uint32_t entry_capacity;
    uint32_t bucket_count; // a power of two, or 0
    uint32_t used;
    uint32_t free_entry;
    uint32_t pinned; // references that are held for the length of a call only
    size_t text_bytes;
    uint64_t seed; // of the hash that tells the bucket: levels and saves cannot choose it
    ct_known_texts known;
    const ct_allocator *allocator;
} ct_string_pool;

/// An empty pool. Allocates nothing.
void ct_string_pool_init(ct_string_pool *pool, const ct_allocator *allocator);

void ct_string_pool_free(ct_string_pool *pool);

/// The string of these bytes (any bytes, NUL included), with one more
/// reference that the caller owns. CT_OK, CT_ERR_MEMORY or CT_ERR_FULL.
ct_status ct_string_pool_intern(ct_string_pool *pool, ct_text text, ct_string *out);

/// Interns the long ones of 'count' texts, which are ascending in memory and do not move, and finds
/// them by address until ct_string_pool_unlearn: for reading many rows with few texts. CT_OK,
/// CT_ERR_MEMORY or CT_ERR_FULL; unlearn is called in any case.
ct_status ct_string_pool_learn(ct_string_pool *pool, const ct_text *texts, uint32_t count,
                               ct_arena *arena);
void ct_string_pool_unlearn(ct_string_pool *pool);

/// The strings of 'count' texts, values of a field, all or none: statuses as above.
ct_status ct_string_pool_fill(ct_string_pool *pool, ct_string *column, uint32_t count,
                              const ct_values *values);

/// The string of these bytes if some reference to it is held, else "" (ref 0).
/// Takes no reference.
ct_string ct_string_pool_find(const ct_string_pool *pool, ct_text text);

/// 'count' more references.
void ct_string_pool_retain(ct_string_pool *pool, ct_string string, uint32_t count);

/// One more reference to each of 'count' strings.
void ct_string_pool_retain_all(ct_string_pool *pool, const ct_string *strings, uint32_t count);

/// One reference less; the last one frees the string.
void ct_string_pool_release(ct_string_pool *pool, ct_string string);

/// The same of each of 'count' strings; of a run of equal ones at once.
void ct_string_pool_release_all(ct_string_pool *pool, const ct_string *strings, uint32_t count);

/// Adds a reference for the duration of a call. It is counted separately, since validation during
/// the call does not find its holder.
void ct_string_pool_pin(ct_string_pool *pool, ct_string string);

/// The string of a text, with such a reference. Statuses as ct_string_pool_intern.
ct_status ct_string_pool_pin_text(ct_string_pool *pool, ct_text text, ct_string *out);

/// Gives such a reference back.
void ct_string_pool_unpin(ct_string_pool *pool, ct_string string);

/// The bytes, NUL-terminated, valid while a reference is held.
ct_text ct_string_pool_text(const ct_string_pool *pool, ct_string string);

/// Gives spare memory back. Strings keep their numbers.
void ct_string_pool_trim(ct_string_pool *pool);

/// What the numbers of saved strings are now. Zeroed: none.
typedef struct ct_string_numbers {
    uint32_t *now;
    uint32_t count;
    bool same;
} ct_string_numbers;

/// All texts, for snapshots. RESERVE finds or makes a string of each, and holds a reference, until
/// it is released; the other passes leave the pool alone.
void ct_string_pool_state(ct_string_pool *pool, ct_state *state, ct_string_numbers *numbers);
void ct_string_pool_release_numbers(ct_string_pool *pool, ct_string_numbers *numbers);

size_t ct_string_pool_bytes(const ct_string_pool *pool);

/// Counts references of a pool, which must not change between begin and end.
typedef struct ct_string_audit {
    const ct_string_pool *pool;
    uint32_t *counts; // by string
    size_t bytes;
    bool stray; // an invalid string is referenced
} ct_string_audit;

/// Nothing is counted yet. CT_OK, or CT_ERR_MEMORY and there is nothing to end. Allocates 4 bytes
/// for each string.
ct_status ct_string_audit_begin(ct_string_audit *audit, const ct_string_pool *pool);

/// Counts a reference to a string, which may be invalid. "" is not counted.
static inline void ct_string_audit_add(ct_string_audit *audit, ct_string string) {
    if (string.ref < audit->pool->entry_count)
        audit->counts[string.ref]++;
    else if (string.ref != 0)
        audit->stray = true;
}

/// Whether each string has as many references as were counted, those apart that are pinned, and no
/// string is held that was freed; then whether the pool finds each and adds up what it has. False
/// with the reason in 'message'. O(strings).
bool ct_string_audit_check(const ct_string_audit *audit, ct_message *message);

void ct_string_audit_end(ct_string_audit *audit);

CT_END_C

#endif
