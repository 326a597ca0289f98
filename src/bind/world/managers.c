// Access of scripts to the managers of a world: by name, as fields, in spawn order. Creation and
// end of their objects.
#include "bind/world/managers.h"
#include "bind/value/lua_values.h"

#include <string.h>

// ---------------------------------------------------------------- blocks

// new_block(bytes) -> block, address
static int new_block(lua_State *L) {
    lua_pushlightuserdata(L, ct_bind_block_push(L, (size_t)lua_tonumber(L, 1)));
    return 2;
}

static void *lend(void *user, size_t bytes) {
    ct_bind_lending *lending = &((ct_bind_world *)user)->state->lending;
    lua_State *L = lending->L;
    unsigned char *place = lending->unused;
    bytes = ct_bind_manager_bytes(bytes);
    if (place != NULL) {
        lending->unused += bytes;
        return ct_bind_manager_core(place);
    }
    ct_bind_push_whole(L, bytes);
    if (ct_bind_call_protected(L, new_block, 1, 2) != 0) {
        lua_pop(L, 1);
        return NULL;
    }
    place = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return ct_bind_manager_core(place);
}

// NOLINTNEXTLINE(readability-non-const-parameter): managers are created in this memory
ct_lender ct_bind_begin_lending(lua_State *L, ct_bind_world *world, unsigned char *unused) {
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    world->state->lending = (ct_bind_lending){L, unused};
    return (ct_lender){lend, world};
}

size_t ct_bind_builtin_bytes(void) {
    size_t sum = 0;
    for (const ct_builtin *builtin = ct_builtins; builtin->type != NULL; ++builtin)
        sum += ct_bind_manager_bytes(ct_manager_block_bytes(builtin->type->shape));
    return sum;
}

// ---------------------------------------------------------------- adopting

// Stack indices in 'adopt'.
enum { WORLD = 1, BLOCK, MANAGER };

// Stores the object on top, which stays there, as world.name. If that is a method or 'entities',
// stores the object in the table 'unnamed' instead.
static void enter_object(lua_State *L, int world, const char *name) {
    ct_bind_state *state = ct_bind_world_of(L, world)->state;
    int object = lua_gettop(L);
    ct_bind_push_lua_methods(L, ct_bind_world_kind.name);
    lua_getfield(L, -1, name);
    bool named = lua_isnil(L, -1) && strcmp(name, "entities") != 0;
    ct_bind_push_owned(L, world);
    ct_bind_push_subtable(L, named ? "__index" : "unnamed");
    ct_bind_copy_field(L, -1, name, object);
    memset(state->known, 0, sizeof state->known);
    lua_settop(L, object);
}

// Order after hooks, which may still read the values.
enum { AFTER_HOOKS = 2 };

static void forget_dead(void *user, void *context, ct_entity e) {
    ct_world *world = user;
    const ct_bind_notice *notice = context;
    if (ct_world_release_values(world, e)) ct_bind_forget_values(notice->L, &world->values);
}

// Creates the table of values and the destroy listener of the world for its first manager with a
// value field.
static void open_values(lua_State *L, int world, const ct_manager *core) {
    ct_world *own = &ct_bind_world_of(L, world)->core;
    if (!core->has_values || own->values.token != 0) return;
    ct_bind_open_values(L, world, &own->values);
    ct_bind_world_of(L, world)->state->lua_value_changes++;
    ct_bind_check_status(
        L,
        ct_entity_manager_listen(own->entities, forget_dead, own, AFTER_HOOKS, &own->values.token),
        "callbacks");
}

// Pushes the object of a manager with its block at index BLOCK.
static void adopt_one(lua_State *L, ct_manager *core) {
    ct_bind_world *owner = ct_bind_world_of(L, WORLD);
    lua_pushvalue(L, BLOCK);
    ct_bind_manager *manager = ct_bind_manager_new(L, WORLD, core);
    open_values(L, WORLD, core);
    enter_object(L, WORLD, core->name);
    core->object = manager;
    if (core->shape->hosted != NULL) owner->hosted = manager;
}

// adopt(world, block, a manager or NULL for all built-in ones) -> the object of the last one.
// Called protected: the caller removes the managers after a failure.
static int adopt(lua_State *L) {
    ct_manager *one = lua_touserdata(L, MANAGER);
    const ct_world *world = &ct_bind_world_of(L, WORLD)->core;
    if (one != NULL) adopt_one(L, one);
    // A finalizer may define components meanwhile; they follow the built-in ones.
    for (uint32_t i = 0; one == NULL && i < world->manager_count; ++i) {
        if (world->managers[i]->spawn_order >= CT_SPAWN_ORDER_DEFINED) break;
        lua_settop(L, MANAGER);
        adopt_one(L, world->managers[i]);
    }
    return 1;
}

bool ct_bind_adopt_managers(lua_State *L, int world, ct_manager *one) {
    ct_bind_world *object = ct_bind_world_of(L, world);
    int block = lua_gettop(L);
    lua_pushvalue(L, world);
    lua_pushvalue(L, block);
    lua_pushlightuserdata(L, one);
    // While the world is busy, a finalizer cannot end it or replace the manager.
    object->core.busy++;
    int problem = ct_bind_call_protected(L, adopt, MANAGER, 1);
    object->core.busy--;
    // Lua 5.1 may run a finalizer at the end of the call, which raises although all is done.
    if (problem != 0 && one != NULL && one->object != NULL) {
        lua_pop(L, 1);
        ct_bind_push_manager(L, world, one);
        problem = 0;
    }
    lua_replace(L, block);
    return problem == 0;
}

void ct_bind_retire_manager(lua_State *L, int world, int object) {
    ct_bind_world *owner = ct_bind_world_of(L, world);
    ct_bind_manager *manager = ct_bind_object_at(L, object);
    ct_bind_manager_destroyed(L, manager, BIND_DEFINED_AGAIN);
    // From now on the handle keeps the block alive, and the block keeps the memory of the world.
    ct_bind_push_memory(L, world);
    lua_pushlightuserdata(L, manager);
    ct_bind_forget_key(L, -2);
    lua_pushlightuserdata(L, manager->core);
    ct_bind_forget_key(L, -2);
    lua_pop(L, 1);
    ct_world_remove(&owner->core, manager->core);
}

// world:manager(name) -> manager or nil
static int manager(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    size_t length;
    const char *name = luaL_checklstring(L, 2, &length);
    const ct_manager *core = strlen(name) == length ? ct_world_find(&world->core, name) : NULL;
    if (core == NULL) return ct_bind_return_nil(L);
    ct_bind_push_manager(L, 1, core);
    return 1;
}

// core.manager_at(world, place) -> name, manager, in spawn order; nothing after the last
static int manager_at(lua_State *L) {
    const ct_bind_world *world = ct_bind_check_world(L, 1);
    double place = luaL_checknumber(L, 2);
    if (!(place >= 1 && place <= world->core.manager_count)) return 0;
    const ct_manager *core = world->core.managers[(uint32_t)place - 1];
    // The object is pushed first: it keeps the name alive even if a finalizer ends the manager.
    ct_bind_push_manager(L, 1, core);
    lua_pushstring(L, core->name);
    lua_insert(L, -2);
    return 2;
}

// core.world_bytes(world) -> allocated bytes, including all managers
static int world_bytes(lua_State *L) {
    return ct_bind_return_whole(L, ct_world_bytes(&ct_bind_check_world(L, 1)->core));
}

// core.death_of(world, e) -> message about the death of an entity; nothing if it was not traced
static int death_of(lua_State *L) {
    const ct_world *world = &ct_bind_check_world(L, 1)->core;
    ct_entity e = ct_bind_check_entity(L, 2);
    ct_text place, name;
    if (!ct_death_trace_find(world->entities, e, &place, &name)) return 0;
    ct_bind_push_dead(L, e, world);
    return 1;
}

// core.profile(world, on)
static int profile(lua_State *L) {
    ct_bind_world *world = ct_bind_check_world(L, 1);
    ct_bind_check_status(L, ct_world_profile(&world->core, lua_toboolean(L, 2)), "timings");
    return 0;
}

// core.timing(world, place, kind) -> name of the kind, calls and seconds of the manager at a
// position (0: of the world); nothing after the last manager or kind
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

// core.restores(world) -> the number of restores of its EntityManager
static int restores(lua_State *L) {
    return ct_bind_return_whole(L, ct_bind_check_world(L, 1)->core.entities->restores);
}

static const luaL_Reg functions[] = {{"manager_at", manager_at},
                                     {"restores", restores},
                                     {"world_bytes", world_bytes},
                                     {"death_of", death_of},
                                     {"profile", profile},
                                     {"timing", timing},
                                     {NULL, NULL}};

void ct_bind_open_world_managers(lua_State *L) {
    static const luaL_Reg world_methods[] = {{"manager", manager}, {NULL, NULL}};
    ct_bind_set_functions(L, functions);
    ct_bind_add_class_methods(L, &ct_bind_world_kind, world_methods);
}
