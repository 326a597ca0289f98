// The worlds over one entity manager, by name. A host that takes snapshots of several worlds needs
// unique names.
// Must not depend on what a world holds.
#ifndef CT_WORLD_NAMES_H
#define CT_WORLD_NAMES_H

#include "base/base.h"

CT_BEGIN_C

struct ct_world;

/// Bytes of a name, the zero byte included.
#define CT_WORLD_NAME_BYTES 64u

/// The entry of a world. It is part of memory of the host and may not move while it is entered.
typedef struct ct_world_name {
    struct ct_world *world;
    struct ct_world_name *older, **link;    // of all entries
    struct ct_world_name *next, **own_link; // of entries whose names have one remainder of the hash
    char text[CT_WORLD_NAME_BYTES];
} ct_world_name;

enum { CT_WORLD_NAME_LISTS = 64 };

/// All zero bytes is an empty one.
typedef struct ct_world_names {
    ct_world_name *youngest; ///< entered last; open for reading
    ct_world_name *lists[CT_WORLD_NAME_LISTS];
    uint32_t number; // of the last name that was chosen
} ct_world_names;

/// Whether a world of this name is entered. O(1) for as many worlds as there are lists.
bool ct_world_names_has(const ct_world_names *names, const char *text);

/// Sets the text to the next of world1, world2, ... that is not entered.
void ct_world_names_choose(ct_world_names *names, ct_world_name *name);

/// Enters a world under the text of 'name', which is not entered. O(1), cannot fail.
void ct_world_names_add(ct_world_names *names, ct_world_name *name, struct ct_world *world);

/// Removes an entry; does nothing if it is not entered. O(1).
void ct_world_names_remove(ct_world_name *name);

CT_END_C

#endif
