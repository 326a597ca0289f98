// The managers of a world as scripts find them: by name, as fields, in spawn order; how their
// objects come and go.
#include "bind/world/managers.h"
#include "bind/value/kept.h"

#include <string.h>

// ---------------------------------------------------------------- blocks

// bytes -> userdata, its core as a light one
static int new_room(lua_State *L) {
    void *core = ct_bind_manager_room(L, (size_t)lua_tonumber(L, 1));
    lua_pushlightuserdata(L, core);
    return 2;
}

static void *lend(void *user, size_t bytes) {
    const ct_bind_world *world = user;
    lua_State *L = world->lending;
    lua_pushvalue(L, world->new_room);
    ct_bind_push_whole(L, bytes);
    if (lua_pcall(L, 1, 2, 0) != 0) {
        lua_pop(L, 1);
        return NULL;
    }
    void *core = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return core;
}

ct_lender ct_bind_begin_lending(lua_State *L, int world) {
    ct_bind_world *object = ct_bind_world_of(L, world);
    enum { MOST_BUILTINS = 20 }; // each leaves its block
    luaL_checkstack(L, LUA_MINSTACK + MOST_BUILTINS, "too many arguments");
    lua_pushcfunction(L, new_room);
    object->lending = L;
    object->new_room = lua_gettop(L);
    return (ct_lender){lend, object};
}

// ---------------------------------------------------------------- adopting

static const char adopt_key = 0;

// managers[name] and world.name become the object on top, which stays there: the second, which
// scripts see, at last, when nothing can fail any more. What else is called world.name (a method,
// the entities) keeps its place.
static void enter_object(lua_State *L, int world, const char *name) {
    ct_bind_state *state = ct_bind_world_of(L, world)->state;
    int object = lua_gettop(L);
    ct_bind_push_managers(L, world);
    ct_bind_push_own(L, world, "__index");
    ct_bind_push_lua_methods(L, ct_bind_world_kind.name);
    lua_getfield(L, -1, name);
    bool named = lua_isnil(L, -1) && strcmp(name, "entities") != 0;
    lua_pushvalue(L, object);
    lua_setfield(L, object + 1, name);
    memset(state->known, 0, sizeof state->known);
    if (named && lua_istable(L, object + 2)) {
        lua_pushstring(L, name);
        lua_pushvalue(L, object);
        lua_rawset(L, object + 2);
    }
    lua_settop(L, object);
}

// Told after hooks, which may still read what goes.
enum { AFTER_HOOKS = 2 };

static void forget_dead(void *user, void *context, ct_entity e) {
    ct_world *world = user;
    const ct_bind_destroy *destroy = context;
    if (ct_world_release_values(world, e)) ct_bind_forget_values(destroy->L, &world->values);
}

// From the first manager with a value field on the world has a table of values, and hears of
// deaths.
static void open_values(lua_State *L, int world, const ct_manager *core) {
    ct_world *own = &ct_bind_world_of(L, world)->core;
    if (!core->has_values || own->values.token != 0) return;
    ct_bind_open_values(L, world, &own->values);
    ct_status status =
        ct_entity_manager_listen(own->entities, forget_dead, own, AFTER_HOOKS, &own->values.token);
    if (status != CT_OK) ct_bind_raise_status(L, status, "callbacks", 0, "");
}

// The room on top is replaced by the object of the manager in it.
static void adopt_one(lua_State *L, int world) {
    ct_bind_world *owner = ct_bind_world_of(L, world);
    ct_bind_manager *manager = ct_bind_manager_new(L, world, &owner->core);
    open_values(L, world, manager->core);
    enter_object(L, world, manager->core->name);
    if (manager->core->type->hosted != NULL) owner->hosted = manager;
}

// world, block, ... -> object of the last. Protected: what follows a failure is the caller's.
static int adopt(lua_State *L) {
    int last = lua_gettop(L);
    for (int block = 2; block <= last; ++block) {
        lua_settop(L, last);
        lua_pushvalue(L, block);
        adopt_one(L, 1);
    }
    return 1;
}

bool ct_bind_adopt_managers(lua_State *L, int world, uint32_t count) {
    ct_bind_world *object = ct_bind_world_of(L, world);
    int first = lua_gettop(L) - (int)count + 1;
    world = ct_bind_absindex(L, world);
    // Kept ready, since making it now might run a finalizer that ends the manager.
    ct_bind_push_registered(L, &adopt_key);
    lua_insert(L, first);
    lua_pushvalue(L, world);
    lua_insert(L, first + 1);
    // In the middle of it a finalizer may not end the world, nor replace the manager.
    object->core.busy++;
    int problem = lua_pcall(L, (int)count + 1, 1, 0);
    object->core.busy--;
    return problem == 0;
}

void ct_bind_retire_manager(lua_State *L, int world, int object) {
    ct_bind_world *owner = ct_bind_world_of(L, world);
    ct_bind_manager *manager = ct_bind_object_at(L, object);
    ct_bind_manager_over(L, world, manager, manager->again);
    // The handle keeps the block from now on, and that the memory of the world.
    ct_bind_push_memory(L, world);
    lua_pushlightuserdata(L, manager);
    ct_bind_forget_key(L, -2);
    lua_pop(L, 1);
    ct_world_remove(&owner->core, manager->core);
}

// world:manager(name) -> manager or nil
static int manager(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    const ct_manager *core = ct_world_find(&world->core, luaL_checkstring(L, 2));
    if (core == NULL)
        lua_pushnil(L);
    else
        ct_bind_push_manager(L, 1, core);
    return 1;
}

// core.manager_at(world, place) -> name, manager, in spawn order; nothing behind the last
static int manager_at(lua_State *L) {
    const ct_bind_world *world = ct_bind_check_world(L, 1);
    double place = luaL_checknumber(L, 2);
    if (!(place >= 1 && place <= world->core.manager_count)) return 0;
    const ct_manager *core = world->core.managers[(uint32_t)place - 1];
    // The object first: it keeps the name, whatever a finalizer does now.
    ct_bind_push_manager(L, 1, core);
    lua_pushstring(L, core->name);
    lua_insert(L, -2);
    return 2;
}

// core.world_bytes(world) -> bytes held, all managers included
static int world_bytes(lua_State *L) {
    return ct_bind_return_whole(L, ct_world_bytes(&ct_bind_check_world(L, 1)->core));
}

// core.death_of(world, e) -> what is known of the death of an entity, where deaths are traced
static int death_of(lua_State *L) {
    const ct_world *world = &ct_bind_check_world(L, 1)->core;
    ct_entity e = ct_bind_check_entity(L, 2);
    ct_text place, name;
    if (!ct_death_trace_find(world->entities, e, &place, &name)) return 0;
    ct_bind_push_dead(L, e, world->entities, ct_bind_names(world));
    return 1;
}

// core.profile(world, on)
static int profile(lua_State *L) {
    ct_bind_world *world = ct_bind_check_world(L, 1);
    ct_status status = ct_world_profile(&world->core, lua_toboolean(L, 2));
    return status == CT_OK ? 0 : ct_bind_raise_status(L, status, "timings", 0, "");
}

// core.timing(world, place, kind) -> name of the kind, calls and seconds of the manager at a place
// (0: of the world); nothing behind the last manager or kind
static int timing(lua_State *L) {
    const ct_world *world = &ct_bind_check_world(L, 1)->core;
    double place = luaL_checknumber(L, 2), kind = luaL_checknumber(L, 3);
    if (!(place >= 0 && place <= world->manager_count && kind >= 1 && kind <= CT_WORK_KINDS))
        return 0;
    const ct_manager *manager = place >= 1 ? world->managers[(uint32_t)place - 1] : NULL;
    ct_work_time work;
    lua_pushstring(L, ct_world_timing(world, manager, (uint32_t)kind - 1, &work));
    ct_bind_push_whole(L, work.calls);
    lua_pushnumber(L, (lua_Number)work.nanoseconds * 1e-9);
    return 3;
}

static const luaL_Reg functions[] = {{"manager_at", manager_at}, {"world_bytes", world_bytes},
                                     {"death_of", death_of},     {"profile", profile},
                                     {"timing", timing},         {NULL, NULL}};

void ct_bind_open_world_managers(lua_State *L) {
    ct_bind_set_functions(L, functions);
    lua_pushcfunction(L, adopt);
    ct_bind_register(L, &adopt_key);
}

const luaL_Reg ct_bind_manager_methods[] = {{"manager", manager}, {NULL, NULL}};
