// Removal of dead entities from the tables that world:attach (lua/cuttle/attach.lua) creates.
#include "bind/world/world.h"

// The first attach of a world registers a listener for deaths.
//
// The environment of a world object has 'attached', a table of the attached tables by name, which
// is recalled by the address of the listener's token. Each attached table keeps its world alive
// through its metatable. A new entry marks its entity as noted, and the listener skips entities
// without that mark, which are most. An entry is removed after all other callbacks, which may still
// read it.

static void push_tables(lua_State *L, const ct_bind_world *world) {
    ct_bind_recall(L, &world->attach_token);
}

// Removes the entries of a dead entity. Uses only raw reads and writes of existing keys, so nothing
// here can raise or run a finalizer.
static void forget_dead(void *user, void *context, ct_entity e) {
    const ct_bind_world *world = user;
    if (!ct_entity_manager_noted(&world->entities->core, e)) return;
    lua_State *L = ((const ct_bind_notice *)context)->L;
    int top = lua_gettop(L);
    push_tables(L, world);
    lua_pushnil(L);
    while (lua_next(L, top + 1) != 0) {
        ct_bind_push_entity(L, e);
        ct_bind_forget_key(L, -2);
        lua_pop(L, 1);
    }
    lua_settop(L, top);
}

// table[key] = value for a new key; upvalues: the world, the name
static int new_entry(lua_State *L) {
    const ct_bind_world *world = ct_bind_check_handle(L, lua_upvalueindex(1), &ct_bind_world_kind);
    const char *name = lua_tostring(L, lua_upvalueindex(2));
    ct_entity e;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 3);
    if (world->core.destroyed) return luaL_error(L, BIND_WORLD_DESTROYED);
    if (!ct_bind_to_entity(L, 2, &e))
        return luaL_error(L, "%s: entity expected as key, got %s", name, ct_bind_type_name(L, 2));
    if (lua_isnil(L, 3)) return 0; // no entry exists and none is added
    if (!ct_entity_manager_alive(&world->entities->core, e)) {
        ct_bind_push_dead(L, e, &world->core);
        return luaL_error(L, "%s: %s", name, lua_tostring(L, -1));
    }
    ct_bind_check_status(L, ct_entity_manager_note(&world->entities->core, e), name);
    lua_rawset(L, 1);
    return 0;
}

// core.new_entry(world, name) -> the __newindex of an attached table, which keeps the world alive
static int push_new_entry(lua_State *L) {
    ct_bind_check_world(L, 1);
    luaL_checktype(L, 2, LUA_TSTRING);
    lua_settop(L, 2);
    lua_pushcclosure(L, new_entry, 2);
    return 1;
}

// Creates the table of the attached tables, and starts listening to deaths.
static void prepare(lua_State *L, ct_bind_world *world) {
    lua_newtable(L);
    // A finalizer may have done this already, or ended the world.
    if (world->core.destroyed) luaL_error(L, BIND_WORLD_DESTROYED);
    if (world->attach_token != 0) return;
    // The tables are stored first, because nothing may fail after the listener is added.
    lua_pushvalue(L, -1);
    ct_bind_set_own(L, 1, "attached");
    ct_bind_remember(L, &world->attach_token);
    ct_bind_check_status(L,
                         ct_entity_manager_listen(&world->entities->core, forget_dead, world,
                                                  CT_LISTEN_NOTED, &world->attach_token),
                         "callbacks");
}

// core.attached(world, name [, new]) -> the attached table of that name. If there is none, stores
// and returns 'new', or returns nil
static int attached(lua_State *L) {
    ct_bind_world *world = ct_bind_check_world(L, 1);
    luaL_checktype(L, 2, LUA_TSTRING);
    lua_settop(L, 3);
    if (!lua_isnil(L, 3)) luaL_checktype(L, 3, LUA_TTABLE);
    if (world->attach_token == 0) prepare(L, world);
    push_tables(L, world);
    int tables = lua_gettop(L);
    ct_bind_push_raw(L, tables, 2);
    if (!lua_isnil(L, -1) || lua_isnil(L, 3)) return 1;
    ct_bind_copy_raw(L, tables, 2, 3);
    lua_pushvalue(L, 3);
    return 1;
}

void ct_bind_forget_attached(lua_State *L, const ct_bind_world *world, bool all) {
    int top = lua_gettop(L);
    if (world->attach_token == 0) return;
    push_tables(L, world);
    for (lua_pushnil(L); lua_next(L, top + 1) != 0; lua_pop(L, 1)) { // name, table
        for (lua_pushnil(L); lua_next(L, top + 3) != 0;) {           // key, value
            ct_entity e;
            lua_pop(L, 1);
            bool kept =
                !ct_bind_to_entity(L, -1, &e) || ct_entity_manager_alive(&world->entities->core, e);
            if (kept && !all) continue;
            lua_pushvalue(L, -1);
            ct_bind_forget_key(L, top + 3);
        }
    }
    lua_settop(L, top);
}

void ct_bind_end_attached(ct_bind_world *world) {
    if (world->attach_token != 0)
        ct_entity_manager_unlisten(&world->entities->core, world->attach_token);
    world->attach_token = 0;
}

static const luaL_Reg functions[] = {
    {"attached", attached}, {"new_entry", push_new_entry}, {NULL, NULL}};

void ct_bind_open_attached(lua_State *L) { ct_bind_set_functions(L, functions); }
