// A program in C++ with the core and the binding linked in. The spec writes the list of headers and
// functions.
#include "cuttle_host.h"
#include "cuttle_lua.h"

#include <cstdio>
#include <cstdlib>

// The functions that the spec found in the public headers.
typedef void (*any_function)();
extern const any_function declared[];
extern const unsigned declared_count;

static bool use_core() {
    ct_host_entities *host;
    ct_entity e;
    if (ct_host_new(nullptr, &host) != CT_OK) return false;
    bool alive = ct_host_create(host, 1, &e) == CT_OK && ct_host_alive(host, e);
    ct_host_free(host);
    return alive;
}

static void *reallocate(void *, void *block, size_t, size_t new_bytes) {
    if (new_bytes > 0) return std::realloc(block, new_bytes);
    std::free(block);
    return nullptr;
}

static int open_module(lua_State *L) {
    const ct_allocator allocator = {reallocate, nullptr};
    ct_host_set_allocator(L, &allocator);
    return luaopen_cuttle_core(L);
}

int main() {
    lua_State *L = luaL_newstate();
    if (L == nullptr) return 1;
    lua_pushcfunction(L, open_module);
    if (lua_pcall(L, 0, 0, 0) != 0) return 1;
    lua_close(L);
    unsigned missing = 0;
    for (unsigned i = 0; i < declared_count; ++i)
        missing += declared[i] == nullptr;
    std::printf("core: %s, functions missing: %u\n", use_core() ? "alive" : "dead", missing);
    return 0;
}
