// core.testing, which only test builds of the module have: failing allocations, odd values, a
// count of what Lua allocates, and an end to it. Knows nothing of any one spec.
#include "bind/manager/manager.h"
#include "bind/value/gather.h"

#include <stdlib.h>

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

// core.testing.careless(): what no function may do, allocate in Lua while it gathers
static int careless(lua_State *L) {
    const ct_bind_gather g = ct_bind_gather_begin(L, ct_bind_state_of(L));
    lua_newtable(L);
    ct_bind_gather_end(&g);
    return 0;
}

// core.testing.number_seen(manager, number): as if a component had had that id
static int number_seen(lua_State *L) {
    ct_bind_manager *manager = lua_touserdata(L, 1);
    ct_store_number_seen(&manager->core->store, (uint32_t)luaL_checknumber(L, 2));
    return 0;
}

// Counts what Lua allocates, until the state closes: its own memory outlives the sentinel that ends
// this.
typedef struct counter {
    lua_Alloc alloc;
    void *user;
    ct_bind_state *state;
    int64_t left; // so many more succeed, then all fail; < 0: none does
} counter;

static void *count_allocation(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    counter *c = user;
    if (new_bytes > 0 && (block == NULL || new_bytes > old_bytes)) {
        c->state->lua_allocations++;
        if (c->left == 0) return NULL;
        if (c->left > 0) c->left--;
    }
    return c->alloc(c->user, block, old_bytes, new_bytes);
}

static int stop_counting(lua_State *L) {
    counter **sentinel = lua_touserdata(L, 1), *c = *sentinel;
    void *user;
    *sentinel = NULL;
    if (c == NULL || lua_getallocf(L, &user) != count_allocation || user != c) return 0;
    lua_setallocf(L, c->alloc, c->user);
    free(c);
    return 0;
}

static void start_counting(lua_State *L) {
    static const char sentinel_key = 0;
    lua_pushlightuserdata(L, (void *)&sentinel_key);
    counter **sentinel = lua_newuserdata(L, sizeof *sentinel);
    *sentinel = NULL;
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, stop_counting);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
    counter *c = malloc(sizeof *c);
    if (c == NULL) return;
    c->alloc = lua_getallocf(L, &c->user);
    c->state = ct_bind_state_of(L);
    c->left = -1;
    *sentinel = c;
    lua_setallocf(L, count_allocation, c);
}

// core.testing.fail_lua_in(n): n more allocations of Lua succeed, then all fail; -1: none does
static int fail_lua_in(lua_State *L) {
    int64_t left = (int64_t)luaL_checknumber(L, 1);
    void *user;
    if (lua_getallocf(L, &user) == count_allocation) ((counter *)user)->left = left;
    return 0;
}

static const luaL_Reg testing[] = {
    {"fail_in", fail_in},   {"fail_lua_in", fail_lua_in}, {"light_userdata", light_userdata},
    {"careless", careless}, {"number_seen", number_seen}, {NULL, NULL}};

void ct_bind_open_testing(lua_State *L) {
    start_counting(L);
    lua_newtable(L);
    luaL_register(L, NULL, testing);
    lua_setfield(L, -2, "testing");
}
