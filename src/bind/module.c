// luaopen_cuttle_core: the tables that the rooms of the binding fill.
// Knows nothing of what is in them.
#include "bind/bind.h"

#include "bind/compiled.h"
#include "bind/host.h"
#include "bind/manager.h"
#include "bind/pin.h"
#include "bind/plugin.h"
#include "bind/writer.h"

#if defined(CT_TEST) && CT_TEST
// core.testing.fail_in(n): n more allocations of the core succeed, then one fails; -1: none does
static int fail_in(lua_State *L) {
    ct_bind_state_of(L)->fail_in = (int64_t)luaL_checknumber(L, 1);
    return 0;
}

// core.testing.light_userdata(bits, high): what a host engine might hand to scripts
static int light_userdata(lua_State *L) {
    uint64_t bits = (uint64_t)luaL_checknumber(L, 1) | (uint64_t)luaL_optnumber(L, 2, 0) << 32;
    lua_pushlightuserdata(L, (void *)(uintptr_t)bits);
    return 1;
}

static const luaL_Reg testing[] = {
    {"fail_in", fail_in}, {"light_userdata", light_userdata}, {NULL, NULL}};
#endif

static const char module_key = 0;

// Opened again in the same state it is the same table: objects made before know their classes.
static bool push_opened(lua_State *L) {
    lua_pushlightuserdata(L, (void *)&module_key);
    lua_rawget(L, LUA_REGISTRYINDEX);
    if (lua_istable(L, -1)) return true;
    lua_pop(L, 1);
    return false;
}

int luaopen_cuttle_core(lua_State *L) {
    if (push_opened(L)) return 1;
    // Before there is an object: finalizers of scripts call us after Lua has unloaded the module.
    ct_bind_pin_library(&module_key);
    ct_bind_state_of(L);
    lua_newtable(L);
    ct_bind_open_compiled(L);
    ct_bind_open_entity(L);
    ct_bind_open_list(L);
    ct_bind_open_entity_manager(L);
    ct_bind_open_column(L);
    ct_bind_open_loops(L);
    ct_bind_open_world(L);
    ct_bind_open_resource(L);
    ct_bind_open_compile(L);
    ct_bind_open_schema(L);
    ct_bind_open_prove(L);
    ct_bind_open_writer(L);
    ct_bind_open_spawner(L);
    ct_bind_open_plugin_api(L);
    lua_pushliteral(L, CT_VERSION);
    lua_setfield(L, -2, "VERSION");
#if defined(CT_TEST) && CT_TEST
    lua_newtable(L);
    luaL_register(L, NULL, testing);
    lua_setfield(L, -2, "testing");
#endif
    lua_pushlightuserdata(L, (void *)&module_key);
    lua_pushvalue(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
    return 1;
}
