// The option 'overrides' of world:spawn, from what a script writes to what the core applies.
// Knows nothing of spawning.
#ifndef BIND_OVERRIDES_H
#define BIND_OVERRIDES_H

#include "bind/world/world.h"
#include "resource/override.h"

/// Overrides that were read: they lie in a userdata, whose environment keeps all they point to.
typedef struct ct_bind_overrides {
    uint32_t count;
    ct_override items[];
} ct_bind_overrides;

/// Pushes a copy of the table at 'index', as deep as overrides are: what the script does with its
/// own afterwards changes nothing.
void ct_bind_copy_overrides(lua_State *L, int index);

/// Reads such a copy at 'index' for spawns of 'resource' in the world object at index 'world':
/// pushes a userdata with a ct_bind_overrides, sorted by path, then in spawn order. False with the
/// reason on top when the script has made a mistake. May run finalizers.
bool ct_bind_read_overrides(lua_State *L, int index, int world, ct_resource *resource);

/// The entities of 'resource' that get a component of the manager called 'name' by these overrides
/// (NULL: none) or have one in 'section' (or NULL), ascending, each once. May push a userdata
/// that they lie in.
const uint32_t *ct_bind_overridden(lua_State *L, const ct_bind_overrides *overrides,
                                   const ct_resource *resource, const char *name,
                                   const ct_section *section, uint32_t *count);

#endif
