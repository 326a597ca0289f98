// World objects: creation, end, and calls for all managers.
#include "bind/world/world.h"

#include "bind/value/lua_values.h"
#include "bind/value/options.h"
#include "bind/world/formula.h"
#include "bind/world/managers.h"
#include "level/level.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- all managers at once

// world:gc(["all" or limit]) -> number of removed components
static int gc(lua_State *L) {
    ct_world *world = &ct_bind_changing_world(L)->core;
    uint32_t limit;
    ct_bind_gc kind = ct_bind_check_gc(L, 2, &limit);
    return ct_bind_return_whole(L, kind == CT_BIND_GC_DEATHS ? ct_world_gc(world)
                                   : kind == CT_BIND_GC_ALL  ? ct_world_sweep(world)
                                                             : ct_world_gc_some(world, limit));
}

// world:reserve(n)
static int reserve(lua_State *L) {
    ct_world *world = &ct_bind_changing_world(L)->core;
    uint32_t count = (uint32_t)ct_bind_check_whole(L, 2, 0, CT_MAX_ROWS);
    ct_status status = ct_world_reserve(world, count);
    return status == CT_OK ? 0 : ct_bind_raise_status(L, status, "world", count, "rows");
}

// world:trim() -> number of freed bytes
static int trim(lua_State *L) {
    return ct_bind_return_whole(L, ct_world_trim(&ct_bind_changing_world(L)->core));
}

static int validate(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    ct_message message;
    if (ct_entity_manager_validate(&world->entities->core, &message) &&
        ct_world_validate(&world->core, &message)) {
        return ct_bind_return_bool(L, 1);
    }
    return ct_bind_return_message(L, message.text);
}

// Registry key of a table: address -> block of each world that has not ended. The core may refer to
// the block independently of the object.
static const char worlds_key = 0;

// Pushes a list of the levels of the world at index 1.
static void push_levels(lua_State *L) {
    lua_newtable(L);
    int list = lua_gettop(L), count = 0;
    ct_bind_push_own(L, 1, "levels");
    if (!lua_istable(L, -1)) return; // debug.setfenv replaced it
    for (lua_pushnil(L); lua_next(L, list + 1) != 0;)
        lua_rawseti(L, list, ++count);
}

// Begins clear and destroy. Leaves on the stack what the core uses and callbacks may end, because
// they can run the finalizer of the world: its memory, which holds that of its EntityManager, and
// its levels. Also room for the entities that are destroyed first.
static ct_owners prepare_owners(lua_State *L, const ct_bind_world *world) {
    if (world->core.busy > 0) luaL_error(L, "world is in use");
    lua_settop(L, 2);
    bool entities = ct_bind_read_flag(L, 2, "clear");
    push_levels(L);
    ct_bind_push_registered(L, &worlds_key);
    ct_bind_rawgetp(L, -1, world);
    if (!entities) return (ct_owners){NULL, 0};
    size_t rows = ct_world_rows(&world->core);
    return (ct_owners){lua_newuserdata(L, rows * sizeof(ct_entity) + 1), rows};
}

// Pushes nil, which the first error of a callback replaces.
static ct_bind_host_call begin_call(lua_State *L, int world) {
    lua_pushnil(L);
    return (ct_bind_host_call){{L, 0, lua_gettop(L)}, .world = world};
}

// world:clear([{entities = false}])
static int clear(lua_State *L) {
    ct_bind_world *world = ct_bind_changing_world(L);
    const ct_owners owners = prepare_owners(L, world);
    ct_bind_host_call call = begin_call(L, 1);
    bool ok = ct_world_clear(&world->core, &owners, &call);
    ct_bind_forget_values(L, &world->core.values);
    return ok ? 0 : lua_error(L);
}

// Releases the table with the values of value fields, which nothing else references.
static void end_values(lua_State *L, int world, ct_world *core) {
    ct_bind_state *state = ct_bind_state_of(L);
    if (core->values.token == 0) return;
    ct_entity_manager_unlisten(core->entities, core->values.token);
    if (state->holding == &core->values) state->holding = NULL;
    lua_pushnil(L);
    ct_bind_set_own(L, world, "values");
}

// Registry key of a table: address -> handle of each world, weak values. Unlike the tables that
// belong to a handle, a handle is removed before its finalizer runs.
static const char handles_key = 0;

void ct_bind_push_world_object(lua_State *L, const ct_world *core) {
    ct_bind_push_registered(L, &handles_key);
    lua_pushlightuserdata(L, (void *)core);
    lua_rawget(L, -2);
    lua_remove(L, -2);
}

// Adds the world at 'index' to the worlds of its EntityManager.
static void enter(lua_State *L, ct_bind_world *world, int index) {
    ct_bind_push_registered(L, &handles_key);
    lua_pushvalue(L, index);
    ct_bind_rawsetp(L, -2, &world->core);
    ct_bind_push_registered(L, &worlds_key);
    ct_bind_push_block(L, index);
    ct_bind_rawsetp(L, -2, world);
    lua_pop(L, 2);
    ct_world_names_add(&world->entities->worlds, &world->name, &world->core);
}

static void unregister(lua_State *L, ct_bind_world *world) {
    ct_world_names_remove(&world->name);
    ct_bind_push_registered(L, &worlds_key);
    lua_pushlightuserdata(L, world);
    ct_bind_forget_key(L, -2);
    lua_pop(L, 1);
}

void ct_bind_world_destroyed(lua_State *L, int world) {
    ct_bind_world *object = ct_bind_world_of(L, world);
    for (uint32_t i = 0; i < object->core.manager_count; ++i) {
        ct_bind_manager *manager = object->core.managers[i]->object;
        if (manager != NULL) ct_bind_manager_destroyed(L, manager, BIND_WORLD_DESTROYED);
    }
    object->hosted = NULL;
    ct_bind_end_attached(object);
    end_values(L, world, &object->core);
    unregister(L, object);
}

// world:destroy([{entities = false}])
static int destroy(lua_State *L) {
    ct_bind_world *world = ct_bind_changing_world(L);
    const ct_owners owners = prepare_owners(L, world);
    ct_bind_host_call call = begin_call(L, 1);
    bool ok = ct_world_end(&world->levels, &owners, &call);
    ct_bind_entities_end(world->entities);
    return ok ? 0 : lua_error(L);
}

// Ends a world that no script can use, and drops errors of callbacks.
static void end_quietly(lua_State *L, int index, ct_bind_world *world) {
    const ct_owners none = {NULL, 0};
    ct_bind_host_call call = begin_call(L, index);
    ct_world_end(&world->levels, &none, &call);
    ct_bind_entities_end(world->entities);
    lua_pop(L, 1);
}

static int collect(lua_State *L) {
    ct_bind_world *world = ct_bind_self_handle(L, &ct_bind_world_kind);
    if (world->name.link != NULL && !world->core.destroyed) end_quietly(L, 1, world);
    return 0;
}

static int tostring(lua_State *L) {
    const ct_bind_world *w = ct_bind_self_handle(L, &ct_bind_world_kind);
    return ct_bind_return_format(L, "world \"%s\"%s", w->name.text,
                                 w->core.destroyed ? " (destroyed)" : "");
}

// ---------------------------------------------------------------- random numbers

// world:random() -> number in [0, 1); world:random(n) -> integer in [1, n]; world:random(m, n) ->
// integer in [m, n]
static int random_number(lua_State *L) {
    ct_world *world = &ct_bind_changing_world(L)->core;
    int count = lua_gettop(L) - 1;
    double low = 1, high = 0;
    if (count > 2) return luaL_error(L, "wrong number of arguments");
    if (count == 2) low = ct_bind_check_whole(L, 2, -CT_BIND_LARGEST_WHOLE, CT_BIND_LARGEST_WHOLE);
    if (count > 0)
        high = ct_bind_check_whole(L, 1 + count, -CT_BIND_LARGEST_WHOLE, CT_BIND_LARGEST_WHOLE);
    if (count > 0 && high < low) ct_bind_raise_arg(L, 1 + count, "interval is empty");
    if (high - low >= CT_BIND_LARGEST_WHOLE) ct_bind_raise_arg(L, 3, "interval is too large");
    double number = ct_random_fraction(&world->random);
    if (count > 0) number = low + fmin(floor(number * (high - low + 1)), high - low);
    return ct_bind_return_number(L, number);
}

// world:randomseed(n)
static int seed(lua_State *L) {
    ct_world *world = &ct_bind_changing_world(L)->core;
    ct_random_seed(&world->random, (uint64_t)ct_bind_check_whole(L, 2, 0, CT_BIND_LARGEST_WHOLE));
    return 0;
}

static const luaL_Reg methods[] = {
    {"gc", gc},
    {"reserve", reserve},
    {"trim", trim},
    {"validate", validate},
    {"clear", clear},
    {"destroy", destroy},
    {"random", random_number},
    {"randomseed", seed},
    {NULL, NULL},
};

// ---------------------------------------------------------------- construction

// Stack indices during the creation of a world.
enum { ENTITIES = 1, OPTIONS, WORLD };

// Sets the metatable of the handle, which is also its environment.
static void set_metatable(lua_State *L) {
    lua_createtable(L, 0, 8);
    ct_bind_copy_field(L, -1, "entities", ENTITIES);
    ct_bind_push_registered(L, &ct_bind_world_kind);
    lua_setmetatable(L, -2);
    ct_bind_push_metatable(L, "cuttle", NULL, NULL);
    ct_bind_push_registered(L, &ct_bind_world_kind);
    lua_getfield(L, -1, "collect");
    lua_setfield(L, -3, "__gc");
    lua_getfield(L, -1, "tostring");
    lua_setfield(L, -3, "__tostring");
    lua_pop(L, 1);
    ct_bind_copy_field(L, -1, "entities", ENTITIES);
    ct_bind_copy_field(L, -1, "world", WORLD);
    lua_pushvalue(L, -1);
    ct_bind_remember(L, ct_bind_world_of(L, WORLD));
    lua_pushvalue(L, -1);
    ct_bind_set_owned(L, WORLD);
    lua_setmetatable(L, WORLD);
}

// Pushes the handle of a new world.
static ct_bind_world *push_object(lua_State *L) {
    ct_bind_push_memory(L, ENTITIES);
    ct_bind_world *world =
        ct_bind_block_new(L, ct_padded(sizeof *world) + ct_bind_builtin_bytes(), WORLD);
    ct_bind_handle_new(L, &ct_bind_world_kind, world);
    lua_replace(L, WORLD);
    set_metatable(L);
    return world;
}

// cuttle.world(entities [, {name =, seed =}])
static int new_world(lua_State *L) {
    ct_bind_entities *entities = ct_bind_check_entities(L, ENTITIES);
    enum { NAME = WORLD + 1, SEED };
    ct_bind_check_thawed(L, &entities->core);
    lua_settop(L, OPTIONS);
    ct_bind_world *world = push_object(L);
    lua_settop(L, WORLD);
    ct_bind_read_options(L, OPTIONS, "world", 2);
    const char *name = lua_tostring(L, NAME);
    if (name != NULL && strlen(name) < CT_WORLD_NAME_BYTES)
        memcpy(world->name.text, name, strlen(name) + 1);
    double seed = ct_bind_option_whole(L, SEED, 0, 9007199254740991.0, 1);
    ct_bind_state *state = world->state = ct_bind_state_of(L);
    lua_settop(L, WORLD);
    const ct_lender lender =
        ct_bind_begin_lending(L, world, (unsigned char *)world + ct_padded(sizeof *world));
    if (ct_world_init_lent(&world->core, &state->allocator, &entities->core, &state->epochs,
                           (uint64_t)seed, &lender) != CT_OK)
        return luaL_error(L, "not enough memory");
    world->entities = entities;
    world->core.host = state->tables->host;
    ct_levels_init(&world->levels, &world->core);
    // From here until the world is added no finalizer can run and take the name.
    name = world->name.text;
    if (*name == '\0') ct_world_names_choose(&entities->worlds, &world->name);
    if (ct_world_names_has(&entities->worlds, name)) {
        end_quietly(L, WORLD, world);
        return ct_bind_raise_arg(L, OPTIONS, "name: there is a world '%s' already", name);
    }
    enter(L, world, WORLD);
    ct_bind_push_block(L, WORLD);
    if (!ct_bind_adopt_managers(L, WORLD, NULL)) {
        end_quietly(L, WORLD, world);
        return lua_error(L);
    }
    lua_settop(L, WORLD);
    return 1;
}

// Worlds do not share a metatable: each has one with its managers. Under the key of the class the
// registry has the metatable of the tables of managers instead, which also has the functions that
// all metatables of worlds share.
static void open_class(lua_State *L) {
    ct_bind_add_class_methods(L, &ct_bind_world_kind, methods);
    lua_createtable(L, 0, 3);
    ct_bind_push_lua_methods(L, ct_bind_world_kind.name);
    lua_setfield(L, -2, "__index");
    ct_bind_add_finalizer(L, "collect", collect);
    ct_bind_add_function(L, "tostring", tostring);
    ct_bind_register(L, &ct_bind_world_kind);
    lua_newtable(L);
    ct_bind_register(L, &worlds_key);
    ct_bind_push_weak_table(L, "v");
    ct_bind_register(L, &handles_key);
}

void ct_bind_open_world(lua_State *L) {
    ct_bind_add_function(L, "world", new_world);
    open_class(L);
    ct_bind_open_world_managers(L);
    ct_bind_open_attached(L);
    ct_bind_open_define(L);
    ct_bind_open_queries(L);
    ct_bind_open_formulas(L);
    ct_bind_open_spaces(L);
    ct_bind_open_create(L);
    ct_bind_open_templates(L);
}
