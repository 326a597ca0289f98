// The addition to Lua's interpreter for the web: the C modules that scripts require are part of the
// program, because programs on the web have no shared libraries. Lua's lua.c is compiled with this
// function in place of luaL_openlibs. `make wasm` builds it.

#include "cuttle_lua.h"

#include <lualib.h>

void host_open_libraries(lua_State *L);
int luaopen_cjson(lua_State *L);
int luaopen_lfs(lua_State *L);

void host_open_libraries(lua_State *L) {
    static const luaL_Reg inside[] = {{"cuttle.core", luaopen_cuttle_core},
                                      {"cjson", luaopen_cjson},
                                      {"lfs", luaopen_lfs},
                                      {NULL, NULL}};
    luaL_openlibs(L);
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "preload");
    for (const luaL_Reg *module = inside; module->name != NULL; module++) {
        lua_pushcfunction(L, module->func);
        lua_setfield(L, -2, module->name);
    }
    lua_pop(L, 2);
}
