// References to the strings of a pool, counted anew by asking all who hold any.
// Knows nothing of who that is.
#ifndef CT_STRING_AUDIT_H
#define CT_STRING_AUDIT_H

#include "storage/string_pool.h"

CT_BEGIN_C

/// Lies with whoever validates, between begin and end. The pool may not change meanwhile.
typedef struct ct_string_audit {
    const ct_string_pool *pool;
    uint32_t *counts; // by string
    size_t bytes;
    bool stray; // somebody holds what is no string of the pool
} ct_string_audit;

/// Nothing is counted yet. CT_OK, or CT_ERR_MEMORY and there is nothing to end. Allocates 4 bytes
/// for each string.
ct_status ct_string_audit_begin(ct_string_audit *audit, const ct_string_pool *pool);

/// One reference that somebody holds. Any string may be told; "" counts for nothing.
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
