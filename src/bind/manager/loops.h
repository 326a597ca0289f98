// Loops over rows, of one manager and of several.
// Knows nothing of fields.
#ifndef BIND_LOOPS_H
#define BIND_LOOPS_H

#include "bind/manager/manager.h"
#include "storage/query.h"

/// each and instances.
extern const luaL_Reg ct_bind_loop_methods[];

/// Pushes an iterator over the rows of 'count' managers, whose objects are at 'first' ... on the
/// stack, in these roles; 'bare': rows instead of entity and instances.
int ct_bind_push_join(lua_State *L, int first, uint32_t count, const ct_query_role *roles,
                      bool bare);

/// Raises "rows moved during the loop", or why the manager is over.
int ct_bind_raise_moved(lua_State *L, const ct_bind_manager *manager);

/// Enters what compiled loops call (compiled.h).
void ct_bind_open_loops(lua_State *L);

#endif
