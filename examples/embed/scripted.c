// A program with Lua, linked statically with the module: it limits the memory of components and
// runs a script. `make embed` builds and runs it.
//
// usage: scripted SCRIPT      LUA_PATH must contain the folder of lua/cuttle

#include "cuttle_lua.h"

#include <lualib.h>

#include <stdio.h>
#include <stdlib.h>

// The memory limit of components. Beyond it, a script gets the error "not enough memory".
typedef struct budget {
    size_t used;
    size_t limit;
} budget;

static void *reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    budget *b = user;
    if (new_bytes == 0) {
        free(block);
        b->used -= old_bytes;
        return NULL;
    }
    if (new_bytes > old_bytes && new_bytes - old_bytes > b->limit - b->used) return NULL;
    void *moved = realloc(block, new_bytes);
    if (moved != NULL) b->used += new_bytes - old_bytes;
    return moved;
}

// Runs in protected mode, because any allocation in Lua may raise an error. The argument is the
// budget.
static int open(lua_State *L) {
    const ct_allocator allocator = {reallocate, lua_touserdata(L, 1)};
    luaL_openlibs(L);
    ct_host_set_allocator(L, &allocator);
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "preload");
    lua_pushcfunction(L, luaopen_cuttle_core);
    lua_setfield(L, -2, "cuttle.core");
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: scripted SCRIPT\n");
        return 2;
    }
    budget components = {0, (size_t)64 << 20};
    lua_State *L = luaL_newstate();
    if (L == NULL) return 1;
    lua_pushcfunction(L, open);
    lua_pushlightuserdata(L, &components);
    bool failed = lua_pcall(L, 1, 0, 0) != 0 || luaL_dofile(L, argv[1]);
    if (failed) fprintf(stderr, "scripted: %s\n", lua_tostring(L, -1));
    printf("components use %s\n", components.used > 0 ? "memory of the budget" : "nothing");
    lua_close(L);
    printf("%u bytes of it left\n", (unsigned)components.used);
    return failed;
}
