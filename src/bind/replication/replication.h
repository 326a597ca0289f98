// Publishers, peers and subscribers of scripts.
// Must not depend on the format of messages.
#ifndef BIND_REPLICATION_H
#define BIND_REPLICATION_H

#include "bind/value/check.h"
#include "bind/value/parse_values.h"
#include "bind/world/world.h"

/// Returns the strings of the table at 'index', which stay valid while the table has them.
static inline const char **ct_bind_read_names(lua_State *L, const ct_bind_parse *g, int index,
                                              uint32_t *count) {
    *count = ct_bind_rawlen(L, index);
    const char **names = ct_bind_parse_take(g, (*count + (size_t)1) * sizeof *names);
    for (uint32_t i = 0; i < *count; ++i, lua_pop(L, 1)) {
        lua_rawgeti(L, index, (int)i + 1);
        names[i] = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    }
    return names;
}

/// Adds 'subscriber' to the module table on top.
void ct_bind_open_subscriber(lua_State *L);

/// Adds 'publisher' and 'subscriber' to the module table on top.
void ct_bind_open_replication(lua_State *L);

#endif
