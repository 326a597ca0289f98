// The extension for Defold: opens cuttle in the Lua state of the scripts, as the global that
// core.lua returns. The module itself is cuttle.c, in this folder.
#include <dmsdk/sdk.h>

extern "C" int luaopen_cuttle_core(lua_State *L);

static dmExtension::Result initialize(dmExtension::Params *params) {
    lua_State *L = params->m_L;
    lua_pushcfunction(L, luaopen_cuttle_core);
    lua_pushstring(L, "cuttle.core");
    lua_call(L, 1, 1);
    lua_setglobal(L, "cuttle_core");
    return dmExtension::RESULT_OK;
}

static dmExtension::Result finalize(dmExtension::Params *) { return dmExtension::RESULT_OK; }

DM_DECLARE_EXTENSION(cuttle, "cuttle", 0, 0, initialize, 0, 0, finalize)
