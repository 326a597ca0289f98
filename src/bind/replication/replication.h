// Publishers, peers and subscribers of scripts.
// Must not depend on the format of messages.
#ifndef BIND_REPLICATION_H
#define BIND_REPLICATION_H

#include "bind/value/check.h"
#include "bind/value/parse_values.h"
#include "bind/world/world.h"

#include <string.h>

/// Returns the strings of the table at 'index', which stay valid while the table has them; "" for
/// other values and for strings with zero bytes, which name nothing.
static inline const char **ct_bind_read_names(lua_State *L, const ct_bind_parse *g, int index,
                                              uint32_t *count) {
    *count = ct_bind_rawlen(L, index);
    const char **names = ct_bind_parse_take(g, (*count + (size_t)1) * sizeof *names);
    for (uint32_t i = 0; i < *count; ++i, lua_pop(L, 1)) {
        lua_rawgeti(L, index, (int)i + 1);
        ct_text name = ct_bind_to_text(L, -1);
        names[i] = name.bytes != NULL && strlen(name.bytes) == name.length ? name.bytes : "";
    }
    return names;
}

/// Adds 'subscriber' to the module table on top.
void ct_bind_open_subscriber(lua_State *L);

/// Adds 'publisher' and 'subscriber' to the module table on top.
void ct_bind_open_replication(lua_State *L);

#endif
