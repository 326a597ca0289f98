// Removal of all components of a world, and optionally of their owners.
#ifndef CT_WORLD_CLEAR_H
#define CT_WORLD_CLEAR_H

#include "world/world.h"

/// Memory of the caller for the entities that have a component in a world. Needs one item for each
/// row, because an entity with several components is listed several times. If 'items' is NULL, the
/// entities stay alive; if there are too few items, some of them do.
typedef struct ct_owners {
    ct_entity *items;
    size_t capacity;
} ct_owners;

/// Returns the number of components. O(managers).
size_t ct_world_rows(const ct_world *world);

/// Destroys the living ones of these entities, by ct_host.destroy if the host has one. *died gets
/// their number. Returns false if a callback of the host failed.
bool ct_world_destroy_entities(ct_world *world, ct_reason reason, void *context, uint32_t count,
                               const ct_entity *entities, uint32_t *died);

/// Destroys every entity that has a component in the world, manager by manager in the order of
/// rows, with this reason, and by ct_host.destroy if the host has one. *died gets their number. The
/// world is busy meanwhile. Returns false if a callback of the host failed. O(rows); allocates
/// nothing.
bool ct_world_destroy_owners(ct_world *world, const ct_owners *owners, ct_reason reason,
                             void *context, uint32_t *died);

/// Removes all components of a world that is not busy, and keeps the memory. First destroys their
/// owners, if 'owners' has room. Calls callbacks of the host and hooks with 'context'. Returns
/// false if a callback or a hook failed: the world is cleared nevertheless, or unchanged if the
/// host could not begin to destroy. O(rows); allocates nothing.
bool ct_world_clear(ct_world *world, const ct_owners *owners, void *context);

#endif
