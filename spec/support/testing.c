// core.testing, which exists only in test builds of the module: failing allocations, unusual
// values, and limits and counts of Lua's allocations.
#include "bind/manager/manager.h"
#include "bind/value/parse_values.h"

#include <stdlib.h>
#include <string.h>

// core.testing.fail_in(n, on): n more allocations of the core succeed, then one fails, or all if
// 'on' is set; -1: none fails. Returns the number of failures since the last call.
static int fail_in(lua_State *L) {
    ct_bind_state *state = ct_bind_state_of(L);
    state->fail_in = (int64_t)luaL_checknumber(L, 1);
    state->fail_on = lua_toboolean(L, 2);
    lua_pushnumber(L, state->failed);
    state->failed = 0;
    return 1;
}

// core.testing.string_limit(bytes): saves and levels of this size are too long for a string, like
// those of 2 GB under LuaJIT; 0: no limit
static int string_limit(lua_State *L) {
    ct_bind_state_of(L)->string_limit = (uint32_t)luaL_checknumber(L, 1);
    return 0;
}

// core.testing.held_bytes(): the memory of the core in this Lua state
static int held_bytes(lua_State *L) {
    lua_pushnumber(L, (lua_Number)ct_bind_state_of(L)->held_bytes);
    return 1;
}

// core.testing.light_userdata(bits, high): a value as a host engine could pass it
static int light_userdata(lua_State *L) {
    uint64_t bits = (uint64_t)luaL_checknumber(L, 1) | (uint64_t)luaL_optnumber(L, 2, 0) << 32;
    lua_pushlightuserdata(L, (void *)(uintptr_t)bits);
    return 1;
}

// core.testing.careless(): makes a forbidden allocation in Lua inside a parse
static int careless(lua_State *L) {
    const ct_bind_parse g = ct_bind_parse_begin(L, ct_bind_state_of(L));
    lua_newtable(L);
    ct_bind_parse_end(&g);
    return 0;
}

// core.testing.number_seen(manager, number): marks a component id as used
static int number_seen(lua_State *L) {
    ct_bind_manager *manager = ct_bind_check_handle(L, 1, &ct_bind_manager_kind);
    ct_store_note_numbers(&manager->core->store, (uint32_t)luaL_checknumber(L, 2));
    return 0;
}

// core.testing.longest_chain(manager): the longest bucket in the string pool of its world
static int longest_chain(lua_State *L) {
    const ct_bind_manager *manager = ct_bind_check_handle(L, 1, &ct_bind_manager_kind);
    const ct_string_pool *pool = manager->core->strings;
    uint32_t longest = 0;
    for (uint32_t b = 0; b < pool->bucket_count; ++b) {
        uint32_t length = 0;
        for (uint32_t i = pool->buckets[b]; i != 0; i = pool->entries[i].next)
            length++;
        if (length > longest) longest = length;
    }
    lua_pushnumber(L, longest);
    return 1;
}

// The allocator of the core, which can fail.
static void *state_reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    ct_bind_state *state = user;
    if (new_bytes > 0 && state->fail_in == 0) {
        state->failed++;
        if (!state->fail_on) state->fail_in = -1;
        return NULL;
    }
    if (new_bytes > 0 && state->fail_in > 0) state->fail_in--;
    // Overwrites freed blocks, so that reading one shows in a result.
    if (new_bytes == 0 && block != NULL) memset(block, 0xDB, old_bytes);
    void *moved = state->host.reallocate(state->host.user, block, old_bytes, new_bytes);
    if (moved != NULL || new_bytes == 0) state->held_bytes += new_bytes - old_bytes;
    return moved;
}

static void replace_allocator(ct_bind_state *state) {
    state->host = state->allocator;
    state->allocator = (ct_allocator){state_reallocate, state};
    state->fail_in = -1;
}

// Counts Lua's allocations until the state closes. Lua's memory outlives the sentinel that stops
// the counting.
typedef struct counter {
    lua_Alloc alloc;
    void *user;
    ct_bind_state *state;
    int64_t left;    // successful allocations before a failure; < 0: none fails
    bool once;       // only one fails
    uint32_t failed; // number of failures
} counter;

static void *count_allocation(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    counter *c = user;
    if (new_bytes > 0 && (block == NULL || new_bytes > old_bytes)) {
        c->state->lua_allocations++;
        if (c->left == 0) {
            c->failed++;
            if (c->once) c->left = -1;
            return NULL;
        }
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
#if LUA_VERSION_NUM < 505 // Lua 5.5 frees a long string with the allocator that made it
    free(c);
#endif
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
    c->once = false;
    c->failed = 0;
    *sentinel = c;
    lua_setallocf(L, count_allocation, c);
}

// core.testing.fail_lua_in(n, once): n more allocations of Lua succeed, then all fail, or only one
// if 'once' is set; -1: none fails. Returns the number of failures since the last call.
static int fail_lua_in(lua_State *L) {
    int64_t left = (int64_t)luaL_checknumber(L, 1);
    void *user;
    if (lua_getallocf(L, &user) != count_allocation) return 0;
    counter *c = user;
    c->left = left;
    c->once = lua_toboolean(L, 2);
    lua_pushnumber(L, c->failed);
    c->failed = 0;
    return 1;
}

static const luaL_Reg testing[] = {{"fail_in", fail_in},
                                   {"string_limit", string_limit},
                                   {"fail_lua_in", fail_lua_in},
                                   {"held_bytes", held_bytes},
                                   {"longest_chain", longest_chain},
                                   {"light_userdata", light_userdata},
                                   {"careless", careless},
                                   {"number_seen", number_seen},
                                   {NULL, NULL}};

void ct_bind_open_testing(lua_State *L) {
    replace_allocator(ct_bind_state_of(L));
    start_counting(L);
    lua_newtable(L);
    ct_bind_set_functions(L, testing);
    lua_setfield(L, -2, "testing");
}
