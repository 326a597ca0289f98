// world:join and world:rows: loops over the rows that several managers have for one entity.
// Knows nothing of how they are found.
#include "bind/manager/loops.h"
#include "bind/world/world.h"

// What the manager or name at 'arg' is in the loop; "!" or "?" before a name is taken off.
static ct_query_role take_role(lua_State *L, int arg) {
    const char *name = lua_type(L, arg) == LUA_TSTRING ? lua_tostring(L, arg) : "";
    ct_query_role role = *name == '!'   ? CT_QUERY_EXCLUDED
                         : *name == '?' ? CT_QUERY_OPTIONAL
                                        : CT_QUERY_REQUIRED;
    if (role == CT_QUERY_REQUIRED) return role;
    if (arg == 2) {
        lua_pushfstring(L, "the first manager is plain: no '%s'", name);
        ct_bind_arg_error(L, arg);
    }
    lua_pushstring(L, name + 1);
    lua_replace(L, arg);
    return role;
}

static int push_join(lua_State *L, bool bare) {
    ct_bind_world_self(L);
    ct_query_role roles[CT_MAX_JOINED];
    int count = lua_gettop(L) - 1;
    if (count < 1) luaL_argerror(L, 2, "component manager or name expected");
    if (count > (int)CT_MAX_JOINED)
        luaL_error(L, "too many managers in a join (%d, limit is %d)", count, (int)CT_MAX_JOINED);
    for (int arg = 2; arg <= count + 1; ++arg) {
        roles[arg - 2] = take_role(L, arg);
        ct_bind_push_named_manager(L, 1, arg);
        lua_replace(L, arg);
    }
    return ct_bind_push_join(L, 2, (uint32_t)count, roles, bare);
}

// world:join(manager or name, ...) -> iterator of entity, instance1, instance2, ...
static int join(lua_State *L) { return push_join(L, false); }

// world:rows(manager or name, ...) -> iterator of row1, row2, ...
static int rows(lua_State *L) { return push_join(L, true); }

const luaL_Reg ct_bind_join_methods[] = {{"join", join}, {"rows", rows}, {NULL, NULL}};
