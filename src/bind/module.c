// luaopen_cuttle_core: the tables that the rooms of the binding fill.
// Knows nothing of what is in them.
#include "bind/component/components.h"
#include "bind/component/model.h"
#include "bind/host.h"
#include "bind/level/compile.h"
#include "bind/level/level.h"
#include "bind/level/resource.h"
#include "bind/level/schema.h"
#include "bind/level/writer.h"
#include "bind/manager/column.h"
#include "bind/manager/loops.h"
#include "bind/plugin/pin.h"
#include "bind/plugin/plugin.h"
#include "bind/value/compiled.h"
#include "bind/value/entity.h"
#include "bind/value/gather.h"
#include "bind/value/messages.h"

#include <stdlib.h>

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

// core.testing.careless(): what no function may do, allocate in Lua while it gathers
static int careless(lua_State *L) {
    const ct_bind_gather g = ct_bind_gather_begin(L, ct_bind_state_of(L));
    lua_newtable(L);
    ct_bind_gather_end(&g);
    return 0;
}

// Counts what Lua allocates, until the state closes: its own memory outlives the sentinel that ends
// this.
typedef struct counter {
    lua_Alloc alloc;
    void *user;
    ct_bind_state *state;
} counter;

static void *count_allocation(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    const counter *c = user;
    if (new_bytes > 0 && (block == NULL || new_bytes > old_bytes)) c->state->lua_allocations++;
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
    *sentinel = c;
    lua_setallocf(L, count_allocation, c);
}

static const luaL_Reg testing[] = {
    {"fail_in", fail_in}, {"light_userdata", light_userdata}, {"careless", careless}, {NULL, NULL}};
#endif

static const ct_bind_above above = {
    .builtins = ct_bind_builtins,
    .attachments = ct_bind_all_attachments,
    .level_methods = ct_bind_level_methods,
    .unload_levels = ct_bind_unload_levels,
    .drop_levels = ct_bind_drop_levels,
};

static const char module_key = 0;

// Opened again in the same state it is the same table: objects made before know their classes.
static bool push_opened(lua_State *L) {
    ct_bind_push_registered(L, &module_key);
    if (lua_istable(L, -1)) return true;
    lua_pop(L, 1);
    return false;
}

int luaopen_cuttle_core(lua_State *L) {
    if (push_opened(L)) return 1;
    // Before there is an object: finalizers of scripts call us after Lua has unloaded the module.
    ct_bind_pin_library(&module_key);
    ct_bind_state_of(L)->above = &above;
    ct_bind_open_objects(L);
    ct_bind_open_gather(L);
    lua_newtable(L);
    ct_bind_open_methods(L);
    ct_bind_open_compiled(L);
    ct_bind_open_entity(L);
    ct_bind_open_list(L);
    ct_bind_open_entity_manager(L);
    ct_bind_open_managers(L);
    ct_bind_open_column(L);
    ct_bind_open_loops(L);
    ct_bind_open_world(L);
    ct_bind_open_models(L);
    ct_bind_open_resource(L);
    ct_bind_open_compile(L);
    ct_bind_open_schema(L);
    ct_bind_open_messages(L);
    ct_bind_open_summary(L);
    ct_bind_open_writer(L);
    ct_bind_open_level(L);
    ct_bind_open_plugin_api(L);
    lua_pushliteral(L, CT_VERSION);
    lua_setfield(L, -2, "VERSION");
#if defined(CT_TEST) && CT_TEST
    start_counting(L);
    lua_newtable(L);
    luaL_register(L, NULL, testing);
    lua_setfield(L, -2, "testing");
#endif
    lua_pushlightuserdata(L, (void *)&module_key);
    lua_pushvalue(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
    return 1;
}
