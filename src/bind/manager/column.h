// Views of columns, the results of m:column(field).
#ifndef BIND_COLUMN_H
#define BIND_COLUMN_H

#include "bind/manager/manager.h"

/// Pushes a view of a field: a compiled view if a factory exists (compiled.h) and creates one, else
/// a C view. The manager object is at stack index 'index'.
void ct_bind_push_column(lua_State *L, int index, ct_bind_manager *manager, uint32_t field);

/// Returns the lane of a vector field that the key at index 2 names (ct_field_find_part); raises if
/// there is none.
uint32_t ct_bind_check_lane(lua_State *L, const ct_manager *core, uint32_t field);

/// Replaces the C view of a field on top by a compiled one if a factory exists and creates one. The
/// manager may have ended afterwards.
void ct_bind_compile_view(lua_State *L, const ct_bind_manager *manager, uint32_t field);

/// Called when the manager has ended: its compiled views raise from now on and release their
/// addresses. Allocates nothing.
void ct_bind_detach_views(lua_State *L, const ct_bind_manager *manager);

/// Creates the classes of views, and registers the functions that compiled views call.
void ct_bind_open_column(lua_State *L);

#endif
