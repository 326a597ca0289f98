// Methods of the transform manager beyond what all managers have.
// Knows nothing of other managers.
#ifndef BIND_TRANSFORM_H
#define BIND_TRANSFORM_H

#include "bind/world/world.h"

extern const luaL_Reg ct_bind_transform_methods[];

/// The parts of them in transform_links.c and transform_modes.c, for the table above.
int ct_bind_transform_link(lua_State *L);
int ct_bind_transform_unlink(lua_State *L);
int ct_bind_transform_parent(lua_State *L);
int ct_bind_transform_first_child(lua_State *L);
int ct_bind_transform_next_sibling(lua_State *L);
int ct_bind_transform_prev_sibling(lua_State *L);
int ct_bind_transform_root(lua_State *L);
int ct_bind_transform_depth(lua_State *L);
int ct_bind_transform_children(lua_State *L);
int ct_bind_transform_destroy_tree(lua_State *L);
int ct_bind_transform_batch(lua_State *L);
int ct_bind_transform_set_mode(lua_State *L);
int ct_bind_transform_propagate(lua_State *L);
int ct_bind_transform_dirty_count(lua_State *L);
int ct_bind_transform_sort(lua_State *L);

/// Raises that no local pose gives the wanted world pose below this parent.
int ct_bind_raise_no_inverse(lua_State *L, int arg, ct_entity parent);

#endif
