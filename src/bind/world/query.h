// Query objects of scripts.
// Must not depend on the meaning of a field.
#ifndef BIND_QUERY_H
#define BIND_QUERY_H

#include "bind/world/world.h"
#include "storage/matches.h"

// The environment table of a Query keeps
//     world      the world object
//     1, 2 ...   the manager objects
//     -1, -2 ... loops, which are used again
typedef struct ct_bind_query {
    ct_bind_header header;
    ct_bind_world *world;
    ct_matches matches;
    const ct_bind_manager *managers[CT_MAX_JOINED];
} ct_bind_query;

extern const ct_bind_kind ct_bind_query_kind;

/// self of a method; raises if a manager has ended, and in callbacks of a restore.
ct_bind_query *ct_bind_query_self(lua_State *L);

/// The matches of this moment. Raises "not enough memory".
ct_matches *ct_bind_query_refresh(lua_State *L, ct_bind_query *query);

/// query:read and query:write (query_fields.c).
int ct_bind_query_read(lua_State *L);
int ct_bind_query_write(lua_State *L);

#endif
