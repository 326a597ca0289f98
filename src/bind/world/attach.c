// How the tables that world:attach makes, in lua/cuttle/attach.lua, forget the dead.
// Knows nothing of components.
#include "bind/world/attach.h"

// The first attach of a world registers a listener that is told of every death.
//
// The environment of a world object has 'attached': name -> table. The table keeps
// its world alive, through its metatable. The environment of an EntityManager object
// has at 0 a table of these, by the token of the listener, weak, so that it keeps no world.

// Told after all other callbacks, which may still read what was attached to the dying.
#define LAST 0xFFFFFFFFu

// Whether the world has attached tables; pushes the table of them, or nil.
static bool push_attached(lua_State *L, int world) {
    lua_getfenv(L, world);
    lua_getfield(L, -1, "attached");
    lua_replace(L, -2);
    return lua_istable(L, -1);
}

// Only raw reads, and writes of keys there are: nothing here can raise or run a finalizer.
static void forget_dead(void *user, void *context, ct_entity e) {
    const ct_bind_world *world = user;
    const ct_bind_destroy *destroying = context;
    lua_State *L = destroying->L;
    int top = lua_gettop(L);
    lua_getfenv(L, destroying->entities);
    lua_rawgeti(L, -1, 0);
    lua_rawgeti(L, -1, (int)world->attach_token);
    int tables = lua_gettop(L);
    if (lua_istable(L, tables)) lua_pushnil(L);
    while (lua_gettop(L) > tables && lua_next(L, tables) != 0) {
        bool present = lua_istable(L, -1); // scripts may have put anything there
        if (present) {
            ct_bind_push_entity(L, e);
            lua_rawget(L, -2);
            present = !lua_isnil(L, -1);
            lua_pop(L, 1);
        }
        if (present) { // storing nil for an absent key would allocate
            ct_bind_push_entity(L, e);
            lua_pushnil(L);
            lua_rawset(L, -3);
        }
        lua_pop(L, 1);
    }
    lua_settop(L, top);
}

// table[key] = value for a key that is not there; upvalues: the world, the name
static int new_entry(lua_State *L) {
    const ct_bind_world *world = lua_touserdata(L, lua_upvalueindex(1));
    const char *name = lua_tostring(L, lua_upvalueindex(2));
    ct_entity e;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 3);
    if (world->core.over) return luaL_error(L, BIND_WORLD_OVER);
    if (!ct_bind_to_entity(L, 2, &e))
        return luaL_error(L, "%s: entity expected as key, got %s", name, ct_bind_type_name(L, 2));
    if (lua_isnil(L, 3)) return 0; // nothing is there and nothing comes
    if (!ct_entity_manager_alive(&world->entities->core, e)) {
        ct_bind_push_dead(L, e, &world->entities->core, ct_bind_names(&world->core));
        return luaL_error(L, "%s: %s", name, lua_tostring(L, -1));
    }
    lua_rawset(L, 1);
    return 0;
}

// core.new_entry(world, name) -> the __newindex of an attached table, which keeps the world
static int push_new_entry(lua_State *L) {
    ct_bind_check_world(L, 1);
    luaL_checktype(L, 2, LUA_TSTRING);
    lua_settop(L, 2);
    lua_pushcclosure(L, new_entry, 2);
    return 1;
}

// Pushes the table of the world's attached tables; the first time it is made and deaths
// are listened to.
static void prepare(lua_State *L, ct_bind_world *world) {
    if (push_attached(L, 1)) return;
    lua_pop(L, 1);
    ct_bind_push_world_entities(L, 1);
    lua_getfenv(L, -1);
    lua_rawgeti(L, -1, 0);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        ct_bind_push_weak_table(L);
        lua_pushvalue(L, -1);
        lua_rawseti(L, -3, 0);
    }
    lua_newtable(L);
    // A finalizer may have done all this, or ended the world.
    if (push_attached(L, 1)) return;
    lua_pop(L, 1);
    if (world->core.over) luaL_error(L, BIND_WORLD_OVER);
    // Places in the tables first: past the listener nothing may fail.
    ct_entity_manager *entities = &world->entities->core;
    uint32_t token = entities->next_token + 1;
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, (int)token);
    lua_getfenv(L, 1);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "attached");
    lua_pop(L, 1);
    ct_status status =
        ct_entity_manager_listen(entities, forget_dead, world, LAST, &world->attach_token);
    if (status != CT_OK) {
        lua_getfenv(L, 1);
        lua_pushnil(L);
        lua_setfield(L, -2, "attached");
        ct_bind_raise_status(L, status, "callbacks", 0, "");
    }
}

// core.attached(world) -> its attached tables by name; the caller adds to them
static int attached(lua_State *L) {
    ct_bind_world *world = ct_bind_check_world(L, 1);
    lua_settop(L, 1);
    prepare(L, world);
    return 1;
}

void ct_bind_clear_attached(lua_State *L, int world) {
    int top = lua_gettop(L);
    if (push_attached(L, world)) {
        lua_pushnil(L);
        while (lua_next(L, top + 1) != 0) { // name, table
            if (lua_istable(L, top + 3)) lua_pushnil(L);
            while (lua_gettop(L) > top + 3 && lua_next(L, top + 3) != 0) { // key, value
                lua_pop(L, 1);
                lua_pushvalue(L, -1);
                lua_pushnil(L);
                lua_rawset(L, top + 3);
            }
            lua_pop(L, 1);
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

void ct_bind_open_attached(lua_State *L) { luaL_register(L, NULL, functions); }
