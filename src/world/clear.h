// Removes all components of a world, and destroys their owners if requested.
#ifndef CT_WORLD_CLEAR_H
#define CT_WORLD_CLEAR_H

#include "world/world.h"

CT_BEGIN_C

/// Room that the caller lends for the entities that have a component in a world: a place for each
/// row, since an entity with several comes several times. NULL: the entities live on. With less
/// room some of them do.
typedef struct ct_owners {
    ct_entity *items;
    size_t capacity;
} ct_owners;

/// How many components there are. O(managers).
size_t ct_world_rows(const ct_world *world);

/// Destroys every entity that has a component in the world, manager after manager in the order of
/// rows, by ct_host.destroy if there is one, for that reason; *died gets how many there were. The
/// world is busy meanwhile. Whether no callback of the host failed. O(rows); allocates nothing.
bool ct_world_destroy_owners(ct_world *world, const ct_owners *owners, ct_reason reason,
                             void *context, uint32_t *died);

/// Removes all components of a world that is not busy, and keeps the memory; before that it
/// destroys their owners, if there is room for them. Callbacks of the host and hooks are called
/// with 'context'. False when a callback of the host or a hook failed: the world is cleared all the
/// same, or, when the host could not begin to destroy, as it was. O(rows); allocates nothing.
bool ct_world_clear(ct_world *world, const ct_owners *owners, void *context);

CT_END_C

#endif
