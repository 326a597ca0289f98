// Copy of many objects into one block: the first pass counts the bytes, the second stores them.
#ifndef CT_PACKED_H
#define CT_PACKED_H

#include "base/base.h"

#include <string.h>

/// Block that is filled from its start, aligned to 16. If 'start' is NULL, only the size is
/// counted.
typedef struct ct_packed {
    unsigned char *start;
    size_t used;
} ct_packed;

/// Appends a copy of 'bytes' bytes, aligned to 16, followed by a zero byte for texts. Returns its
/// address, or NULL while only the size is counted.
static inline void *ct_packed_put(ct_packed *packed, const void *from, size_t bytes) {
    unsigned char *to = packed->start != NULL ? packed->start + packed->used : NULL;
    packed->used += (bytes + 16) & ~(size_t)15;
    if (to == NULL) return NULL;
    to[bytes] = 0;
    return bytes > 0 ? memcpy(to, from, bytes) : to;
}

/// Appends the bytes of a text, and makes *to, a copy of 'from', point to them; to NULL while only
/// the size is counted.
static inline void ct_packed_put_text(ct_packed *packed, ct_text from, ct_text *to) {
    if (from.bytes == NULL) return;
    const char *copy = (const char *)ct_packed_put(packed, from.bytes, from.length);
    if (to != NULL) to->bytes = copy;
}

#endif
