// Views of columns: what m:column(field) returns.
// Knows nothing of how a manager finds its rows.
#ifndef BIND_COLUMN_H
#define BIND_COLUMN_H

#include "bind/manager/manager.h"

/// Pushes a view of a field; the manager object is at stack index 'manager'.
/// Where there is a factory of compiled views (compiled.h), one of these if it makes one.
void ct_bind_push_column(lua_State *L, int index, ct_bind_manager *manager, uint32_t field);

/// With the C view of a field on top: replaces it by a compiled one if there is a factory and it
/// makes one. The manager may be over afterwards.
void ct_bind_compile_view(lua_State *L, const ct_bind_manager *manager, uint32_t field);

/// The manager has ended: its compiled views raise from now on and keep nothing. Allocates nothing.
void ct_bind_detach_views(lua_State *L, const ct_bind_manager *manager);

/// Makes the classes of views, and gives compiled ones what they call.
void ct_bind_open_column(lua_State *L);

#endif
