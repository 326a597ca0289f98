// How alike two names are: for "did you mean".
// Knows nothing of what is named.
#ifndef CT_NEAREST_H
#define CT_NEAREST_H

#include "base/base.h"

/// Edits that turn one name into the other: letters changed, added, left out, or two neighbours
/// swapped. UINT32_MAX when either has more than 48 letters. O(length x length).
uint32_t ct_edit_distance(const char *a, const char *b);

/// From this distance on another name is not near: a third of the letters may be wrong, and one
/// always.
uint32_t ct_nearest_limit(const char *wanted);

#endif
