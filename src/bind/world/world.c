// World objects: their managers, their end, and looking after all of them at once.
// Knows nothing of any one component.
#include "bind/world/world.h"

#include "bind/value/options.h"
#include "bind/world/attach.h"
#include "bind/world/attachment.h"
#include "bind/world/define.h"
#include "bind/world/managers.h"

#include <string.h>

// ---------------------------------------------------------------- all managers at once

static int gc(lua_State *L) {
    lua_pushnumber(L, ct_world_gc(&ct_bind_world_self(L)->core));
    return 1;
}

static int validate(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    ct_message message;
    if (ct_entity_manager_validate(&world->entities->core, &message) &&
        ct_world_validate(&world->core, &message)) {
        lua_pushboolean(L, 1);
        return 1;
    }
    lua_pushnil(L);
    lua_pushstring(L, message.text);
    return 2;
}

static void check_idle(lua_State *L, const ct_bind_world *world) {
    if (world->core.busy > 0) luaL_error(L, "world is in use");
}

static bool wants_entities(lua_State *L) {
    bool wanted = false;
    const ct_bind_option options[] = {{"entities", CT_BIND_BOOLEAN, .into = &wanted}};
    lua_settop(L, 2);
    ct_bind_read_options(L, 2, options, 1);
    return wanted;
}

// Pushes a userdata with room for every entity that has a component here.
static size_t push_room_for_owners(lua_State *L, const ct_bind_world *world) {
    size_t rows = ct_world_owners(&world->core, NULL, 0);
    lua_newuserdata(L, rows * sizeof(ct_entity) + 1);
    return rows;
}

// Destroys every entity that has a component here, as far as the room at 'index' reaches. Leaves
// one value on the stack: the first error of a callback, or nil.
static void destroy_owners(lua_State *L, ct_bind_world *world, int index, size_t rows) {
    ct_entity *owners = lua_touserdata(L, index);
    size_t count = ct_world_owners(&world->core, owners, rows);
    if (count > rows) count = rows;
    // Several components of one entity stand here more than once: the later ones are dead.
    ct_bind_push_world_entities(L, 1);
    world->core.busy++;
    ct_bind_destroy_quietly(L, -1, (uint32_t)count, owners);
    world->core.busy--;
}

// world:clear([{entities = false}])
static int clear(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    check_idle(L, world);
    bool entities = wants_entities(L);
    size_t rows = entities ? push_room_for_owners(L, world) : 0;
    lua_pushnil(L);
    if (entities) destroy_owners(L, world, lua_gettop(L) - 1, rows);
    ct_bind_detach_all(L, 1, lua_gettop(L), false);
    ct_world_clear(&world->core);
    ct_bind_clear_attached(L, 1);
    if (!lua_isnil(L, -1)) return lua_error(L);
    return 0;
}

// Ends all objects of the world and frees its memory. No component keeps anything any more.
// Allocates nothing.
static void end_world(lua_State *L, int index, ct_bind_world *world) {
    for (ct_bind_manager *m = world->managers; m != NULL; m = m->next) {
        ct_bind_push_manager(L, index, m->core);
        ct_bind_manager_over(L, -1, BIND_WORLD_OVER);
        lua_pop(L, 1);
    }
    world->managers = NULL;
    ct_levels_end(&world->levels);
    ct_bind_end_attached(L, index);
    ct_bind_world **link = &world->entities->worlds;
    while (*link != NULL && *link != world)
        link = &(*link)->next;
    if (*link != NULL) *link = world->next;
    ct_world_free(&world->core);
    lua_pushnil(L);
    ct_bind_set_own(L, index, "managers");
    ct_bind_object_over(L, index);
}

// The end of a world whose levels have been unloaded: bodies, then the rest. A callback may have
// closed the state, whose finalizers then did this already.
static void tell_and_end(lua_State *L, int index, ct_bind_world *world, int error_slot) {
    ct_bind_detach_all(L, index, error_slot, true);
    if (!world->core.over) end_world(L, index, world);
}

// Unloads all levels of the world object at index 1. Leaves one value on the stack: the first error
// of a callback, or nil.
static void unload_levels(lua_State *L, ct_bind_world *world) {
    lua_pushnil(L);
    ct_bind_host_call call = {.L = L, .world = 1, .problem = lua_gettop(L)};
    ct_levels_unload(&world->levels, &call);
}

// world:destroy([{entities = false}])
static int destroy(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    check_idle(L, world);
    bool entities = wants_entities(L);
    size_t rows = entities ? push_room_for_owners(L, world) : 0;
    int room = lua_gettop(L);
    world->core.ending = true;
    unload_levels(L, world);
    int first_error = lua_gettop(L);
    if (entities) destroy_owners(L, world, room, rows);
    if (!lua_isnil(L, first_error)) lua_settop(L, first_error);
    tell_and_end(L, 1, world, lua_gettop(L));
    if (!lua_isnil(L, -1)) return lua_error(L);
    return 0;
}

static int collect(lua_State *L) {
    ct_bind_world *world = ct_bind_self(L, &ct_bind_world_kind);
    if (world->entities == NULL || world->core.over) return 0; // never made, or destroyed
    world->core.ending = true;
    unload_levels(L, world);
    tell_and_end(L, 1, world, lua_gettop(L));
    return 0;
}

static int tostring(lua_State *L) {
    const ct_bind_world *world = ct_bind_self(L, &ct_bind_world_kind);
    lua_pushfstring(L, "world \"%s\"%s", world->name, world->core.over ? " (destroyed)" : "");
    return 1;
}

static const luaL_Reg methods[] = {
    {"gc", gc}, {"validate", validate}, {"clear", clear}, {"destroy", destroy}, {NULL, NULL},
};

// ---------------------------------------------------------------- making one

static bool name_is_taken(const ct_bind_entities *entities, const char *name) {
    for (const ct_bind_world *w = entities->worlds; w != NULL; w = w->next) {
        if (strcmp(w->name, name) == 0) return true;
    }
    return false;
}

// The first of world1, world2, ... not used yet.
static void choose_name(lua_State *L, ct_bind_entities *entities, ct_bind_world *world) {
    do {
        const char *name = lua_pushfstring(L, "world%d", (int)++entities->world_number);
        memcpy(world->name, name, strlen(name) + 1);
        lua_pop(L, 1);
    } while (name_is_taken(entities, world->name));
}

static void add_methods(lua_State *L, int world) {
    ct_bind_add_methods(L, world, ct_bind_manager_methods);
    ct_bind_add_methods(L, world, ct_bind_join_methods);
    ct_bind_add_methods(L, world, ct_bind_create_methods);
    ct_bind_add_lua_methods(L, world, "world");
    ct_bind_add_methods(L, world, ct_bind_state_of(L)->above->level_methods);
    ct_bind_push_methods(L, world);
    lua_pushvalue(L, 1);
    lua_setfield(L, -2, "entities");
    lua_pop(L, 1);
}

// cuttle.world(entities [, {name =, seed =}])
static int new_world(lua_State *L) {
    ct_bind_entities *entities = ct_bind_check_entities(L, 1);
    double seed = 1;
    lua_settop(L, 2);
    ct_bind_world *world =
        ct_bind_object_new(L, sizeof *world, &ct_bind_world_kind, methods, collect, tostring); // 3
    const ct_bind_option options[] = {
        {"name", CT_BIND_TEXT, .into = world->name, .low = 1, .high = sizeof world->name - 1,
         .expected = "1 to 63 characters"},
        {"seed", CT_BIND_INTEGER, .into = &seed, .high = 9007199254740991.0,
         .expected = "integer in [0, 2^53 - 1]"}};
    ct_bind_read_options(L, 2, options, 2);
    add_methods(L, 3);
    lua_pushvalue(L, 1);
    ct_bind_set_own(L, 3, "entities");
    ct_bind_prepare_managers(L, 3);

    ct_bind_state *state = world->state = ct_bind_state_of(L);
    const ct_lender lender = ct_bind_begin_lending(L, 3);
    if (ct_world_init_lent(&world->core, &state->allocator, &entities->core, &state->epochs,
                           (uint64_t)seed, &lender) != CT_OK)
        return luaL_error(L, "not enough memory");
    world->entities = entities;
    world->core.host = state->above->host;
    ct_levels_init(&world->levels, &world->core);
    // From the name to the link nothing runs a finalizer that could take the name.
    if (world->name[0] == '\0') choose_name(L, entities, world);
    if (name_is_taken(entities, world->name)) {
        end_world(L, 3, world);
        lua_pushfstring(L, "name: there is a world '%s' already", world->name);
        return ct_bind_arg_error(L, 2);
    }
    world->next = entities->worlds;
    entities->worlds = world;
    if (!ct_bind_adopt_managers(L, 3)) {
        end_world(L, 3, world);
        return lua_error(L);
    }
    lua_settop(L, 3);
    return 1;
}

void ct_bind_open_world(lua_State *L) {
    lua_pushcfunction(L, new_world);
    lua_setfield(L, -2, "world");
    ct_bind_open_world_managers(L);
    ct_bind_open_attached(L);
    ct_bind_open_define(L);
}
