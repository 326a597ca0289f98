// Names of the worlds of one entity manager. Snapshots of several worlds need unique names.
#ifndef CT_WORLD_NAMES_H
#define CT_WORLD_NAMES_H

#include "base/base.h"

struct ct_world;

/// Size of a name, with the zero byte.
#define CT_WORLD_NAME_BYTES 64u

/// Entry of a world, in memory of the host. Must not move while it is in the list.
typedef struct ct_world_name {
    struct ct_world *world;
    struct ct_world_name *older, **link;    // list of all entries
    struct ct_world_name *next, **own_link; // entries with the same hash % CT_WORLD_NAME_LISTS
    char text[CT_WORLD_NAME_BYTES];
} ct_world_name;

enum { CT_WORLD_NAME_LISTS = 64 };

/// Set of entries. All zero bytes is an empty set.
typedef struct ct_world_names {
    ct_world_name *youngest; ///< the last entry that was added; may be read
    ct_world_name *lists[CT_WORLD_NAME_LISTS];
    uint32_t number; // of the last name that was chosen
} ct_world_names;

/// Returns whether there is an entry with this name. O(1) for up to about CT_WORLD_NAME_LISTS
/// worlds.
bool ct_world_names_has(const ct_world_names *names, const char *text);

/// Sets the text to the next of world1, world2, ... that has no entry.
void ct_world_names_choose(ct_world_names *names, ct_world_name *name);

/// Adds an entry with the text of 'name', which must not be in the set. O(1). Cannot fail.
void ct_world_names_add(ct_world_names *names, ct_world_name *name, struct ct_world *world);

/// Removes an entry. Does nothing if it is not in the set. O(1).
void ct_world_names_remove(ct_world_name *name);

#endif
