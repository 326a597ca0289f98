// Whether a resource fits the components of a world, asked without spawning it.
// Knows nothing of files.
#include "bind/level/resource.h"
#include "bind/world/world.h"

#include "base/message.h"
#include "resource/spawner.h"

// world, Resource -> true, or nil and a message
static int answer(lua_State *L) {
    ct_message message;
    const ct_bind_world *world = ct_bind_check_world(L, 1);
    ct_resource *resource = ct_bind_check_resource(L, 2);
    ct_status status = ct_spawner_prove(&world->core, resource, &message);
    if (status == CT_ERR_MEMORY) return luaL_error(L, "not enough memory");
    if (status == CT_OK) {
        lua_pushboolean(L, 1);
        return 1;
    }
    lua_pushnil(L);
    lua_pushstring(L, message.text);
    ct_bind_name_resource(L, 2);
    return 2;
}

// core.compile.prove(world, resource) -> true, or nil and which component does not have the fields
// that the world's has
static int prove(lua_State *L) {
    lua_settop(L, 2);
    ct_bind_world *world = ct_bind_check_world(L, 1);
    ct_bind_check_resource(L, 2);
    return ct_bind_call_busy(L, world, answer);
}

void ct_bind_open_prove(lua_State *L) {
    lua_getfield(L, -1, "compile");
    lua_pushcfunction(L, prove);
    lua_setfield(L, -2, "prove");
    lua_pop(L, 1);
}
