// Which entities two versions of a resource say something different of.
// Knows nothing of what lives, nor what the difference means.
#ifndef CT_DIFFER_H
#define CT_DIFFER_H

#include "resource/match.h"
#include "resource/override.h"

CT_BEGIN_C

/// What is looked at.
typedef struct ct_differ {
    const ct_world *world; ///< whose fields both were verified for
    const ct_match *match;
    const bool *skipped; ///< per section of the old one: as if it were not there
    const ct_override *overrides;
    uint32_t override_count; ///< the indexes of their paths were made, in both
} ct_differ;

/// Marks in fresh[] and old[] each entity of which a spawn of the one version may write another
/// value than one of the other, those that are new, those that overrides are for, and all above
/// these; of matched ones both or none. Opaque sections apart. Marks too many rather than too few.
/// CT_OK or CT_ERR_MEMORY. O(bytes of both); what is the same, byte by byte, is looked at once.
ct_status ct_differ_mark(const ct_differ *differ, bool *fresh, bool *old);

/// Marks each entity of the new version whose opaque data in a section differs from that of the old
/// one it was matched with; 'old' or 'fresh' NULL: none has any. CT_OK or CT_ERR_MEMORY.
/// O(entities + bytes).
ct_status ct_differ_mark_opaque(const ct_match *match, const ct_section *old,
                                const ct_section *fresh, const ct_allocator *allocator,
                                bool *marks);

/// The section of a resource that is of the type of another, or NULL.
ct_section *ct_differ_section(const ct_resource *resource, const ct_section *like);

CT_END_C

#endif
