// Fuzz target: any bytes as a level, a save or an editor's file, in Lua 5.1 with the linked module.
// An input is passed to spec/fuzz/lua.lua.
#include "cuttle_lua.h"

#include "base/hash.h"

#include <lualib.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void stop(lua_State *L) {
    fprintf(stderr, "spec/fuzz/lua.lua: %s\n", lua_tostring(L, -1));
    abort();
}

// crc32(bytes) -> number: too slow in Lua.
static int crc32(lua_State *L) {
    size_t count;
    const char *bytes = luaL_checklstring(L, 1, &count);
    lua_pushnumber(L, ct_hash_crc32(0, bytes, count));
    return 1;
}

// Leaves the function of the script on the stack.
static lua_State *open(void) {
    lua_State *L = luaL_newstate();
    if (L == NULL) abort();
    luaL_openlibs(L);
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "preload");
    lua_pushcfunction(L, luaopen_cuttle_core);
    lua_setfield(L, -2, "cuttle.core");
    lua_settop(L, 0);
    lua_register(L, "crc32", crc32);
    if (luaL_dostring(L, "package.path = 'lua/?.lua;lua/?/init.lua;./?.lua;' .. package.path"))
        stop(L);
    if (luaL_loadfile(L, "spec/fuzz/lua.lua") != 0 || lua_pcall(L, 0, 1, 0) != 0) stop(L);
    return L;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static lua_State *L;
    if (L == NULL) L = open();
    lua_pushvalue(L, 1);
    lua_pushlstring(L, (const char *)bytes, count);
    if (lua_pcall(L, 1, 0, 0) != 0) stop(L);
    return 0;
}
