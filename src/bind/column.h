// Views of columns: what m:column(field) answers.
// Knows nothing of how a manager finds its rows.
#ifndef BIND_COLUMN_H
#define BIND_COLUMN_H

#include "bind/bind.h"

/// Pushes a view of a field; the manager object is at stack index 'manager'.
/// With a compiled view registered (core.set_view_maker) that one is asked first.
void bind_push_column(lua_State *L, int index, bind_manager *manager, uint32_t field);

/// Cuts the compiled views off from the manager object at 'index', which is going:
/// they raise from now on. Allocates nothing.
void bind_detach_views(lua_State *L, int index);

#endif
