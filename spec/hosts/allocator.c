// A program that gives the module a checking allocator: each block stores its length.
//
// usage: allocator own|lua|light|short SCRIPT
//   own    the allocator of this program; lua  the allocator of the Lua state, also of this program
//   light, short  a registry value that is not a ct_allocator

#include "cuttle_lua.h"

#include <lualib.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Precedes each block: its length, and padding that keeps malloc's alignment.
#define HEAD_BYTES 16

// From 5.2 on, Lua passes the kind of the new object as the old size of a null block.
typedef struct heap {
    size_t blocks, bytes, most_bytes, calls, mistakes;
    bool is_of_lua;
} heap;

static void *reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    heap *h = user;
    char *head = block == NULL ? NULL : (char *)block - HEAD_BYTES;
    size_t length = 0;
    h->calls++;
    if (head != NULL) memcpy(&length, head, sizeof length);
    if (length != old_bytes && !(block == NULL && h->is_of_lua)) h->mistakes++;
    if (new_bytes == 0) {
        if (head != NULL) h->blocks--;
        h->bytes -= length;
        free(head);
        return NULL;
    }
    // Always moves the block, so that pointers to the old block are detected.
    char *moved = malloc(HEAD_BYTES + new_bytes);
    if (moved == NULL) return NULL;
    memcpy(moved, &new_bytes, sizeof new_bytes);
    if (head == NULL) {
        h->blocks++;
    } else {
        memcpy(moved + HEAD_BYTES, block, length < new_bytes ? length : new_bytes);
        free(head);
    }
    h->bytes += new_bytes - length;
    if (h->bytes > h->most_bytes) h->most_bytes = h->bytes;
    return moved + HEAD_BYTES;
}

typedef struct request {
    const char *mode;
    const char *script;
    heap *own;
} request;

static void set_allocator(lua_State *L, const request *r) {
    ct_allocator allocator = {reallocate, r->own};
    if (strcmp(r->mode, "lua") == 0) allocator.reallocate = lua_getallocf(L, &allocator.user);
    ct_host_set_allocator(L, &allocator);
    if (strcmp(r->mode, "light") == 0)
        lua_pushlightuserdata(L, r->own);
    else if (strcmp(r->mode, "short") == 0)
        lua_newuserdata(L, sizeof allocator - 1);
    else
        return;
    lua_setfield(L, LUA_REGISTRYINDEX, CT_ALLOCATOR_KEY);
}

static int run(lua_State *L) {
    const request *r = lua_touserdata(L, 1);
    luaL_openlibs(L);
    set_allocator(L, r);
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "preload");
    lua_pushcfunction(L, luaopen_cuttle_core);
    lua_setfield(L, -2, "cuttle.core");
    if (luaL_dofile(L, r->script)) lua_error(L);
    return 0;
}

// Some builds of LuaJIT do not accept an allocator.
static lua_State *new_state(heap *of_lua, const char *mode) {
    lua_State *L = strcmp(mode, "lua") == 0 ? lua_newstate(reallocate, of_lua) : NULL;
    return L == NULL ? luaL_newstate() : L;
}

static void report(const char *name, const heap *h) {
    printf("%s: %s, %u blocks, %u bytes left, %u wrong sizes\n", name,
           h->most_bytes > 1000000 ? "over a megabyte"
           : h->calls > 0          ? "a little"
                                   : "nothing",
           (unsigned)h->blocks, (unsigned)h->bytes, (unsigned)h->mistakes);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    heap own = {0}, of_lua = {.is_of_lua = true};
    request r = {argv[1], argv[2], &own};
    lua_State *L = new_state(&of_lua, r.mode);
    if (L == NULL) return 1;
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, &r);
    if (lua_pcall(L, 1, 0, 0) != 0) printf("error: %s\n", lua_tostring(L, -1));
    lua_close(L);
    report("own", &own);
    report("of Lua", &of_lua);
    return 0;
}
