// Built-in managers with additional methods, and what their files share.
#ifndef BIND_COMPONENTS_H
#define BIND_COMPONENTS_H

#include "bind/manager/manager.h"
#include "storage/resource_names.h"

extern const ct_bind_builtin ct_bind_builtins[]; ///< ends with a name of NULL

/// Attachment of the one type with 'hosted': the bodies of actors.
extern const struct ct_bind_attachment ct_bind_bodies;

/// Creates the class of grid readers, and registers the functions that compiled ones call
/// (grid_reader.c).
void ct_bind_open_grids(lua_State *L);

/// Adds the C part of define_resource (lua/cuttle/models.lua) to the module table on top.
void ct_bind_open_models(lua_State *L);

/// Registers the functions that loops over children call, and the class of watches.
void ct_bind_open_transforms(lua_State *L);

/// Creates the class of watches (transform_watch.c).
void ct_bind_open_watches(lua_State *L);

// Static data (static_data.c)

// Shared parts of define_resource and resource_data. The table that Lua keeps for the manager has
// the field 'resources': definitions, by name.

/// Returns argument 'arg' as the name of a resource, a non-empty string.
ct_text ct_bind_check_resource_name(lua_State *L, int arg);

/// Pushes the table of resources of the manager object at 1; creates it the first time, which may
/// run a finalizer.
void ct_bind_push_resources(lua_State *L);

/// Stores the table at 3 under the name at 2 in the table of resources. Pushes that table and the
/// previous value. Called before the core, because it may raise; runs finalizers only before it
/// stores.
void ct_bind_keep_resource(lua_State *L);

/// Restores the value that ct_bind_keep_resource pushed. Cannot fail.
void ct_bind_put_resource_back(lua_State *L);

/// Returns 0, the number of results, if the core has defined the resource. Else restores that value
/// and raises.
int ct_bind_finish_resource(lua_State *L, ct_status status, const char *what);

/// manager:resource_data(name): pushes the defined table, or raises with the nearest name.
int ct_bind_resource_data(lua_State *L);

// Links (transform_links.c)

/// Raises why 'child' cannot be a child of 'parent' (ct_transform_link_message).
int ct_bind_raise_link(lua_State *L, int arg, const ct_manager *transforms, ct_row child,
                       ct_row parent, ct_status status) CT_NORETURN;

#endif
