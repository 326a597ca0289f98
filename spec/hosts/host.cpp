// A program in C++ with the core and the binding linked in. The spec writes the list of headers and
// functions.
#include "bind/host.h"
#include "entity/entity_manager.h"

#include <cstdio>

// The functions that the spec found in the headers of the core.
typedef void (*any_function)();
extern const any_function declared[];
extern const unsigned declared_count;

static bool use_core() {
    ct_entity_manager entities;
    ct_entity e;
    ct_entity_manager_init(&entities, &ct_allocator_malloc, 4);
    bool made = ct_entity_manager_create(&entities, 1, &e) == CT_OK;
    bool alive = made && ct_entity_manager_alive(&entities, e);
    ct_entity_manager_free(&entities);
    return alive;
}

static int open_module(lua_State *L) {
    ct_host_set_allocator(L, &ct_allocator_malloc);
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
