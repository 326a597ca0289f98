// define_resource and resource_data: static data that instances share.
// Knows nothing of what is in it, nor of other managers.
#include "bind/mesh.h"

#include "component/mesh.h"

// The environment of the manager object has the table 'resources': what was defined, by name.

static ct_text check_name(lua_State *L, int arg) {
    size_t length;
    if (lua_type(L, arg) != LUA_TSTRING) luaL_checktype(L, arg, LUA_TSTRING);
    const char *bytes = lua_tolstring(L, arg, &length);
    luaL_argcheck(L, length > 0 && length <= 0x7FFFFFFFu, arg,
                  "name of 1 to 2147483647 bytes expected");
    return (ct_text){bytes, (uint32_t)length};
}

// Pushes the table of resources, which is made when it is first asked for.
static void push_resources(lua_State *L) {
    lua_getfenv(L, 1);
    lua_getfield(L, -1, "resources");
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_setfield(L, -3, "resources");
    }
    lua_remove(L, -2);
}

// meshes:define_resource(name, desc): 'desc' is kept as it is, and replaces an older one
static int define_resource(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_text name = check_name(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_settop(L, 3);
    push_resources(L);
    if (manager->core == NULL) return ct_bind_raise_gone(L, manager);
    bool known = ct_mesh_knows(manager->core, name);
    // The table first: growing it may raise, taking an entry out again cannot.
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 3);
    lua_rawset(L, 4);
    ct_status status = ct_mesh_add_name(manager->core, name);
    if (status == CT_OK) return 0;
    CT_ASSERT(!known);
    (void)known;
    lua_pushvalue(L, 2);
    lua_pushnil(L);
    lua_rawset(L, 4);
    return ct_bind_raise_status(L, status, "mesh", (uint32_t)CT_MAX_STRINGS, "names");
}

// meshes:resource_data(name) -> the table that was defined
static int resource_data(lua_State *L) {
    const ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_text name = check_name(L, 2);
    push_resources(L);
    lua_pushvalue(L, 2);
    lua_rawget(L, -2);
    if (!lua_isnil(L, -1)) return 1;
    if (manager->core == NULL) return ct_bind_raise_gone(L, manager);
    ct_message message;
    ct_mesh_refuse(manager->core, name, &message);
    lua_pushstring(L, message.text);
    return ct_bind_arg_error(L, 2);
}

const luaL_Reg ct_bind_mesh_methods[] = {
    {"define_resource", define_resource}, {"resource_data", resource_data}, {NULL, NULL}};
