// Some entities of a resource brought to life for a look at what a spawn would write, and taken
// back at once. Knows nothing of what is looked for.
#ifndef CT_TRIAL_H
#define CT_TRIAL_H

#include "resource/spawner.h"

CT_BEGIN_C

/// Who takes part, and who is meant. Nobody is told of them: neither hooks nor the host.
typedef struct ct_trial {
    ct_world *world;
    ct_resource *resource;
    const ct_spawn_options *options; ///< one copy; its overrides fit
    const bool *members;             ///< per entity; all above a member, and all that overrides are
                                     ///< for, are members
    const bool *skipped;             ///< per section: as if it were not there; or NULL

    /// Per entity that which takes its part, or CT_NOBODY; behind these, per entity, whom a field
    /// means that refers to it: the caller's to fill in before ct_trial_begin.
    ct_entity *lookup;
    uint32_t *above; ///< per manager of the world: component ids that are larger were issued

    ct_section *sections; // of members, as many as the resource has
    size_t *section_bytes;
    uint32_t *numbers; // per manager the last that was issued before
    ct_entity *created;
    uint32_t count;
    uint32_t manager_count;
    void *block;
    size_t block_bytes;
} ct_trial;

/// Lays out what members have. The fields before 'lookup' are set; nobody is in 'lookup'. CT_OK or
/// CT_ERR_MEMORY: ct_trial_free is allowed after both. O(entities + bytes of members).
ct_status ct_trial_init(ct_trial *trial);
void ct_trial_free(ct_trial *trial);

/// Brings the members to life. CT_OK; CT_ERR_DATA, CT_ERR_FULL or CT_ERR_MEMORY with the reason in
/// 'message' and nothing there. O(entities + bytes of members).
ct_status ct_trial_begin(ct_trial *trial, ct_message *message);

/// Takes them back. The last that began ends first. No number that was issued to them is missed.
void ct_trial_end(ct_trial *trial);

CT_END_C

#endif
