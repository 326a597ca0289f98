// Actors as scripts call them: what every manager offers, with a body beside the fields.
// Knows nothing of where bodies lie.
#include "bind/actor.h"

#include "bind/bodies.h"
#include "bind/manager.h"
#include "component/actor.h"

#include <string.h>

// ---------------------------------------------------------------- creating

// What one call creates.
typedef struct birth {
    ct_bind_manager *manager;
    ct_bind_newborn newborn;
    ct_bind_values *values;
    bool furnishing;
} birth;

// manager object, what was given, birth
static int furnish(lua_State *L) {
    const birth *b = lua_touserdata(L, 3);
    ct_bind_bodies_keeper.furnish(L, 1, &b->newborn, 2);
    return 0;
}

// Before the call none of these entities had an actor, and none has one afterwards.
static void undo(lua_State *L, const birth *b) {
    int error = lua_gettop(L);
    for (uint32_t i = b->newborn.count; i-- > 0 && b->manager->core != NULL;) {
        ct_manager *core = b->manager->core;
        ct_row row = ct_store_find(&core->store, b->newborn.entities[i]);
        if (row.i == CT_NO_ROW) continue;
        row = ct_bind_bodies_free(L, 1, row, error);
        if (row.i == CT_NO_ROW) continue;
        if (row.i == ct_store_count(&core->store) - 1)
            ct_manager_take_back(core, 1);
        else
            ct_store_remove(&core->store, row);
    }
}

// Given body at 6, 'furnish' on top. Bodies are made when all components are there.
static void finish(lua_State *L, birth *b) {
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 6);
    lua_pushlightuserdata(L, b);
    b->manager->world->busy++;
    int problem = ct_bind_call_furnish(L, 3);
    if (problem != 0) undo(L, b);
    b->manager->world->busy--;
    if (problem != 0) lua_error(L);
    if (b->manager->core == NULL) ct_bind_raise_gone(L, b->manager);
}

// The values at 3: leaves a table of inputs at 5, what was given at 6, and what the inputs hold.
static void read_values(lua_State *L, birth *b) {
    ct_bind_manager *manager = b->manager;
    uint32_t count = b->newborn.count;
    bool many = b->newborn.many;
    lua_pushvalue(L, 3);
    if (!ct_bind_bodies_keeper.split(L, count, many)) ct_bind_arg_error(L, 3);
    if (manager->core == NULL) ct_bind_raise_gone(L, manager);
    b->furnishing = ct_bind_bodies_keeper.prepare(L, 1, !lua_isnil(L, 6));
    if (manager->core == NULL) ct_bind_raise_gone(L, manager);
    b->values = many ? ct_bind_values_parse_many(L, 5, manager->core, count)
                     : ct_bind_values_parse_one(L, 5, manager->core);
    if (b->values == NULL) ct_bind_arg_error(L, 3);
}

static void check_owners(lua_State *L, const birth *b) {
    const ct_entity_manager *entities = b->manager->core->store.entities;
    const ct_bind_newborn *newborn = &b->newborn;
    for (uint32_t i = 0; i < newborn->count; ++i) {
        if (CT_LIKELY(ct_entity_manager_alive(entities, newborn->entities[i]))) continue;
        ct_bind_push_dead(L, newborn->entities[i], entities, ct_bind_names(b->manager->world));
        if (newborn->many) lua_pushfstring(L, "[%d]: %s", (int)i + 1, lua_tostring(L, -1));
        ct_bind_arg_error(L, 2);
    }
}

static ct_row create_rows(lua_State *L, const birth *b) {
    ct_manager *core = b->manager->core;
    const ct_entity *owners = b->newborn.entities;
    uint32_t count = b->newborn.count;
    ct_row first;
    check_owners(L, b);
    ct_status status = ct_manager_create(core, owners, count, b->values->values, NULL, &first);
    if (status != CT_OK)
        ct_bind_raise_create(L, core, status,
                             count > first.i ? owners[first.i] : (ct_entity){CT_NOBODY}, NULL);
    return first;
}

static int carry_out(lua_State *L, birth *b) {
    lua_pushcfunction(L, furnish);
    // Up to here finalizers may have done anything: all is asked again.
    if (b->manager->core == NULL) return ct_bind_raise_gone(L, b->manager);
    create_rows(L, b);
    if (b->furnishing) finish(L, b);
    // The callbacks may have moved rows, or destroyed what they were called for.
    ct_manager *core = b->manager->core;
    ct_row first = {CT_NO_ROW};
    if (b->newborn.count > 0) first = ct_store_find(&core->store, *b->newborn.entities);
    ct_bind_push_instance(L, core, first);
    return 1;
}

// actors:create(e [, values]) -> instance
static int create(lua_State *L) {
    ct_entity e;
    birth b = {.manager = ct_bind_manager_self(L), .newborn = {.entities = &e, .count = 1}};
    ct_bind_room room;
    ct_bind_arena arena = {room.bytes, room.bytes + sizeof room.bytes};
    e = ct_bind_check_entity(L, 2);
    lua_settop(L, 4);
    check_owners(L, &b);
    // The short way: nothing is kept outside, and nothing is allocated.
    if (!ct_bind_bodies_keeper.wanted(b.manager))
        b.values = ct_bind_values_parse_quickly(L, 3, b.manager->core, &arena);
    if (b.values != NULL) {
        ct_bind_push_instance(L, b.manager->core, create_rows(L, &b));
        return 1;
    }
    read_values(L, &b);
    return carry_out(L, &b);
}

// actors:create_many(list [, values]) -> first instance, or nil for an empty list
static int create_many(lua_State *L) {
    birth b = {.manager = ct_bind_manager_self(L), .newborn = {.many = true}};
    lua_settop(L, 3);
    b.newborn.entities = ct_bind_pin_entity_array(L, 2, &b.newborn.count);
    if (b.manager->core == NULL) return ct_bind_raise_gone(L, b.manager);
    read_values(L, &b);
    return carry_out(L, &b);
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
    lua_settop(L, 3);
    luaL_checktype(L, 3, LUA_TTABLE);
    ct_bind_check_live_target(L, 2, manager);
    lua_pushvalue(L, 3);
    ct_bind_bodies_keeper.split(L, 1, false); // 4, 5
    bool given = !lua_isnil(L, 5);
    if (manager->core == NULL) return ct_bind_raise_gone(L, manager);
    ct_bind_values *values = ct_bind_values_parse_given(L, 4, manager->core);
    if (values == NULL) return ct_bind_arg_error(L, 3);
    if (manager->core == NULL) return ct_bind_raise_gone(L, manager);
    if (given) ct_bind_bodies_check_replace(L, 1, 2);
    ct_row row = ct_bind_check_live_target(L, 2, manager);
    ct_status status = ct_manager_assign(manager->core, row, values->values);
    if (status != CT_OK)
        return ct_bind_raise_status(L, status, manager->core->name, CT_MAX_ROWS, "rows");
    lua_settop(L, 5);
    if (given) ct_bind_bodies_replace(L, 1, 2);
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

const luaL_Reg ct_bind_actor_methods[] = {
    {"create", create},
    {"create_many", create_many},
    {"destroy", destroy},
    {"body", body},
    {"set_body", set_body},
    {"read", read},
    {"write", write},
    {"get", get},
    {"set", set},
    {"on_spawn", on_spawn},
    {"on_destroy", on_destroy},
    {NULL, NULL},
};
