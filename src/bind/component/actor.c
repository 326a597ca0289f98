// Actors as scripts call them: what every manager offers, with a body beside the fields.
// Knows nothing of where bodies lie.
#include "component/actor.h"
#include "bind/component/bodies.h"
#include "bind/component/components.h"

#include <string.h>

// Places on the stack of what creates or sets.
enum { ACTORS = 1, TARGET, VALUES, OWNERS, BODY };

// Leaves the owners at OWNERS and the 'body' among the values, or nil, at BODY.
static void push_body(lua_State *L) {
    lua_settop(L, OWNERS);
    lua_pushnil(L);
    if (!lua_istable(L, VALUES)) return;
    lua_pushliteral(L, "body");
    lua_rawget(L, VALUES);
    lua_replace(L, BODY);
}

// ---------------------------------------------------------------- creating

// actors, what was given, created
static int attach(lua_State *L) {
    ct_bind_bodies.attach(L, 1, lua_touserdata(L, 3), 2);
    return 0;
}

// Before the call none of these entities had an actor, and none has one afterwards.
static void undo(lua_State *L, ct_manager *core, const ct_bind_created *created) {
    int error = lua_gettop(L);
    for (uint32_t i = created->count; i-- > 0;) {
        ct_row row = ct_store_find(&core->store, created->entities[i]);
        if (row.i == CT_NO_ROW) continue;
        row = ct_bind_bodies_free(L, ACTORS, row, error);
        if (row.i == CT_NO_ROW) continue;
        if (row.i == ct_store_count(&core->store) - 1)
            ct_manager_rollback(core, 1);
        else
            ct_store_remove(&core->store, row);
    }
}

// Makes bodies when all components are there; the function 'attach' is on top.
static void make_bodies(lua_State *L, const ct_bind_manager *manager,
                        const ct_bind_created *created) {
    lua_pushvalue(L, ACTORS);
    lua_pushvalue(L, BODY);
    lua_pushlightuserdata(L, (void *)created);
    manager->world->busy++;
    int problem = ct_bind_call_nested(L, 3, 0);
    if (problem != 0) undo(L, manager->core, created);
    manager->world->busy--;
    if (problem != 0) lua_error(L);
}

// The owners are at OWNERS, or in the caller's frame.
static int create_for(lua_State *L, const ct_bind_manager *manager, const ct_entity *owners,
                      uint32_t count, bool many) {
    push_body(L);
    bool work = ct_bind_bodies.prepare(L, ACTORS, BODY, VALUES, "", count, many);
    if (work) lua_pushcfunction(L, attach);
    ct_row first = ct_bind_create_components(L, manager, owners, count, many);
    const ct_bind_created created = {owners, NULL, count, many};
    if (work) make_bodies(L, manager, &created);
    // Callbacks may have moved rows, or destroyed what they were called for.
    if (work && count > 0) first = ct_store_find(&manager->core->store, owners[0]);
    ct_bind_push_instance(L, manager->core, first);
    return 1;
}

// actors:create(e [, values]) -> instance
static int create(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_entity e = ct_bind_check_entity(L, TARGET);
    ct_bind_check_open(L, manager->world);
    lua_settop(L, OWNERS);
    return create_for(L, manager, &e, 1, false);
}

// actors:create_many(list [, values]) -> first instance, or nil for an empty list
static int create_many(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    uint32_t count;
    ct_bind_check_open(L, manager->world);
    lua_settop(L, VALUES);
    const ct_entity *owners = ct_bind_pin_entity_array(L, TARGET, &count);
    return create_for(L, manager, owners, count, true);
}

// ---------------------------------------------------------------- destroying

// actors:destroy(target) -> how many went
static int destroy(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_store *store = &manager->core->store;
    ct_entity e;
    ct_row row;
    lua_settop(L, 2);
    if (ct_bind_to_entity(L, 2, &e))
        row = ct_store_find(store, e);
    else
        row = ct_bind_check_target(L, 2, manager);
    lua_pushnumber(L, row.i != CT_NO_ROW);
    if (row.i == CT_NO_ROW) return 1;
    if (ct_actor_body(manager->core, row) != 0) ct_bind_check_nesting(L);
    lua_pushnil(L);
    row = ct_bind_bodies_free(L, 1, row, 4);
    if (row.i != CT_NO_ROW) ct_store_remove(store, row);
    if (!lua_isnil(L, 4)) return lua_error(L);
    lua_settop(L, 3);
    return 1;
}

// ---------------------------------------------------------------- the body beside the fields

static bool names_body(lua_State *L, int arg) {
    return lua_type(L, arg) == LUA_TSTRING && strcmp(lua_tostring(L, arg), "body") == 0;
}

// actors:body(target) -> the value, or nil
static int body(lua_State *L) {
    const ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_bind_bodies_push(L, 1, ct_bind_check_target(L, 2, manager));
    return 1;
}

static int replace_body(lua_State *L, int arg) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    luaL_checkany(L, arg);
    lua_settop(L, arg);
    ct_bind_check_live_target(L, 2, manager);
    ct_bind_bodies_replace(L, 1, 2);
    return 0;
}

// actors:set_body(target, value)
static int set_body(lua_State *L) { return replace_body(L, 3); }

static int read(lua_State *L) { return names_body(L, 3) ? body(L) : ct_bind_manager_read(L); }

static int write(lua_State *L) {
    return names_body(L, 3) ? replace_body(L, 4) : ct_bind_manager_write(L);
}

// actors:get(target) -> fields and body
static int get(lua_State *L) {
    ct_bind_manager_get(L);
    const ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_bind_bodies_push(L, 1, ct_bind_check_target(L, 2, manager));
    lua_setfield(L, -2, "body");
    return 1;
}

// actors:set(target, values)
static int set(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    luaL_checktype(L, VALUES, LUA_TTABLE);
    ct_bind_check_live_target(L, TARGET, manager);
    push_body(L);
    bool given = !lua_isnil(L, BODY);
    if (given) ct_bind_bodies_check_replace(L, ACTORS, TARGET);
    ct_bind_manager_set(L);
    lua_settop(L, BODY);
    if (given) ct_bind_bodies_replace(L, ACTORS, TARGET);
    return 0;
}

// ---------------------------------------------------------------- functions of the script

static int set_function(lua_State *L, bool spawn) {
    ct_bind_manager_self(L);
    luaL_checkany(L, 2);
    if (!lua_isnil(L, 2) && !lua_isfunction(L, 2)) {
        lua_pushfstring(L, "function or nil expected, got %s", ct_bind_type_name(L, 2));
        return ct_bind_arg_error(L, 2);
    }
    ct_bind_bodies_set_function(L, 1, spawn, 2);
    return 0;
}

// actors:on_spawn(function(e, values) return body end)
static int on_spawn(lua_State *L) { return set_function(L, true); }

// actors:on_destroy(function(e, body) end)
static int on_destroy(lua_State *L) { return set_function(L, false); }

const ct_bind_method ct_bind_actor_methods[] = {
    {"shape", ct_bind_get_field, "shape"},
    {"set_shape", ct_bind_set_field, "shape"},
    {"mass", ct_bind_get_field, "mass"},
    {"set_mass", ct_bind_set_field, "mass"},
    {"create", create, NULL},
    {"create_many", create_many, NULL},
    {"destroy", destroy, NULL},
    {"body", body, NULL},
    {"set_body", set_body, NULL},
    {"read", read, NULL},
    {"write", write, NULL},
    {"get", get, NULL},
    {"set", set, NULL},
    {"on_spawn", on_spawn, NULL},
    {"on_destroy", on_destroy, NULL},
    {NULL, NULL, NULL},
};
