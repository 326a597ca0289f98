// Search for similar names, for "did you mean".
#ifndef CT_NEAREST_H
#define CT_NEAREST_H

#include "base/base.h"

/// Maximum length of a wanted name; longer ones are truncated. No name is near to such a long one.
#define CT_NEAREST_BYTES 80u

/// Search for the name that is nearest to a wanted one. A name is near if it differs by at most a
/// third of the letters plus one; or if the wanted name is its beginning ("pos" of "position"),
/// which ranks between one and two edits; or, as the last choice, if it contains the wanted name.
/// Ties are resolved by the difference in length, then by case, then by order.
typedef struct ct_nearest {
    char wanted[CT_NEAREST_BYTES + 1];
    const char *name;  ///< nearest one so far, or NULL if none is near
    uint32_t edits;    ///< limit: a name with this many edits is not near
    uint32_t distance; ///< edits of the nearest one
} ct_nearest;

/// Begin a search. The wanted name is copied. A text need not be NUL-terminated; it ends at its
/// first zero byte.
ct_nearest ct_nearest_begin(const char *wanted);
ct_nearest ct_nearest_begin_text(ct_text wanted);

/// Compares one name, which must exist as long as the search.
void ct_nearest_offer(ct_nearest *nearest, const char *name);

/// Writes "'WANTED'", with " (did you mean 'NEAREST'?)" if a name is near.
void ct_nearest_message(const ct_nearest *nearest, ct_message *message);

#endif
