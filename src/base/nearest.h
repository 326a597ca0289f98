// Similarity of names, for "did you mean".
#ifndef CT_NEAREST_H
#define CT_NEAREST_H

#include "base/base.h"

CT_BEGIN_C

/// Edits that turn one name into the other: letters changed, added, left out, or two neighbours
/// swapped; case does not count. UINT32_MAX when either has more than 48 letters.
/// O(length x length).
uint32_t ct_edit_distance(const char *a, const char *b);

/// Of a wanted name: the rest is cut off. None is near to one that is so long.
#define CT_NEAREST_BYTES 80u

/// A search for the name that is nearest to a wanted one: a third of the letters may be wrong, and
/// one always; or the wanted one is the beginning of the name ("pos" of "position"), which counts
/// more than two wrong letters; or, as the last choice, it is a part of the name. Of several with
/// as many edits it is the one nearest in length, then the one in the same case, then the first.
typedef struct ct_nearest {
    char wanted[CT_NEAREST_BYTES + 1];
    const char *name;  ///< the nearest one so far, or NULL when none is near
    uint32_t edits;    ///< with so many edits or more a name is not near
    uint32_t distance; ///< of the nearest one
} ct_nearest;

/// The wanted name is copied. A text needs no zero byte behind it; it ends at one in it.
ct_nearest ct_nearest_begin(const char *wanted);
ct_nearest ct_nearest_begin_text(ct_text wanted);

/// Looks at one name, which must live as long as the search.
void ct_nearest_offer(ct_nearest *nearest, const char *name);

/// Writes "'WANTED'", with " (did you mean 'NEAREST'?)" if a name is near.
void ct_nearest_tell(const ct_nearest *nearest, ct_message *message);

CT_END_C

#endif
