// Query objects of scripts.
// Must not depend on the meaning of a field.
#ifndef BIND_QUERY_H
#define BIND_QUERY_H

#include "bind/world/world.h"
#include "storage/query.h"

// Environment table of a Query:
//     world      the world object
//     1, 2 ...   the manager objects
//     -1, -2 ... reusable loops
typedef struct ct_bind_query {
    ct_bind_header header;
    ct_bind_world *world;
    ct_query matches;
    const ct_bind_manager *managers[CT_MAX_JOINED];
} ct_bind_query;

extern const ct_bind_kind ct_bind_query_kind;

/// Returns self of a method; raises if a manager has ended, and in callbacks of a restore.
ct_bind_query *ct_bind_query_self(lua_State *L);

/// Updates and returns the matches. Raises "not enough memory".
ct_query *ct_bind_query_refresh(lua_State *L, ct_bind_query *query);

/// query:read and query:write (query_fields.c).
int ct_bind_query_read(lua_State *L);
int ct_bind_query_write(lua_State *L);

#endif
