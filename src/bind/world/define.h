// world:define.
// Knows nothing of how records are stored.
#ifndef BIND_DEFINE_H
#define BIND_DEFINE_H

#include "bind/world/world.h"

/// Whether a name consists of letters, digits and _, and does not begin with a digit.
bool ct_bind_is_identifier(const char *name, size_t length);

/// Whether a component may be called that; pushes the reason if not.
bool ct_bind_may_name_component(lua_State *L, const char *name, size_t length);

/// The same for a field.
bool ct_bind_may_name_field(lua_State *L, const char *name, size_t length);

/// Whether no other name among the keys of the table at 'index' has the hash of this one; pushes
/// the reason if one has. Keys that are no strings are passed over.
bool ct_bind_is_free_among(lua_State *L, int index, const char *name);

/// Whether no other component of the world has the name's hash; pushes the reason if one has.
bool ct_bind_is_free_name(lua_State *L, const ct_world *world, const char *name);

/// Raises when a manager has rows of the living, so that it cannot be replaced. 'how' a script
/// has defined it, if no plugin has, is told then.
void ct_bind_check_replaceable(lua_State *L, ct_manager *manager, const char *how);

/// What a new manager is made from. 'make' answers NULL when memory runs out.
typedef struct ct_bind_definition {
    ct_manager *(*make)(const ct_manager_setup *setup, const void *user);
    const void *user;
    ct_map_kind map;
    bool multiple;
} ct_bind_definition;

/// Makes a manager in the world object at index 'world', in place of 'old' if that is not NULL, and
/// pushes its object. Calls of the old object raise from then on the string at index 'why'. All or
/// nothing; raises when memory runs out, and "world is in use" where the old one cannot end now.
void ct_bind_install_manager(lua_State *L, int world, int why, ct_manager *old,
                             const ct_bind_definition *definition);

#endif
