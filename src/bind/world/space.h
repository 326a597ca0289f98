// Space objects of scripts.
#ifndef BIND_SPACE_H
#define BIND_SPACE_H

#include "bind/world/query.h"
#include "world/space/space.h"

// The environment of a Space has the Query object as 'query'. The Space keeps the blocks of the
// query alive.
typedef struct ct_bind_space {
    ct_bind_header header;
    ct_space core;
    const ct_bind_query *query; // only compared: it may have been collected
    uint32_t manager_count;
    const ct_bind_manager *managers[CT_MAX_JOINED];
} ct_bind_space;

/// Returns argument 'arg' as a Space. Raises for other values, if a manager of its query has ended,
/// and in callbacks of a restore.
ct_space *ct_bind_check_space(lua_State *L, int arg);

/// Updates the space at stack index 'index'. Returns the number of entries. Raises like q:count().
uint32_t ct_bind_space_refresh(lua_State *L, int index);

/// query:space(options)
int ct_bind_query_space(lua_State *L);

/// Creates the class of Space objects.
void ct_bind_open_spaces(lua_State *L);

#endif
