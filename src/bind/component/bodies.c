// The bodies of actors: where they lie, and who is told of their end.
// Knows nothing of how methods are called.
#include "bind/component/bodies.h"
#include "component/actor.h"

#include <string.h>

// Of one actor manager. Lies in a userdata that its table keeps.
typedef struct bodies {
    ct_manager *core;
    ct_world *world;
    uint32_t last; // number that was given out last
    uint32_t token;
    bool listening;
    bool spawns; // there is a function on_spawn
    bool ending; // all bodies are being freed: no new ones
} bodies;

// The table, which the environment of the manager object keeps:
//     number      the body of the row with that number, or the table itself: in flight, that is
//                 being made or freed right now
//     ON_SPAWN .. as named
enum { ON_SPAWN = -1, ON_DESTROY = -2, WORLD = -3, SELF = -4 };

// Pushes the table, which is there as long as the world, its finalizer included, and returns its
// index. Destroy listeners have nothing but the address. Never raises.
static int push_table(lua_State *L, const bodies *b) {
    ct_bind_recall(L, b);
    return lua_gettop(L);
}

// The bodies of the manager object, made when first asked for.
static bodies *obtain(lua_State *L, int object) {
    ct_bind_manager *manager = lua_touserdata(L, object);
    if (manager->own != NULL) return manager->own;
    int top = lua_gettop(L);
    lua_newtable(L);
    bodies *b = lua_newuserdata(L, sizeof *b);
    // From here on no finalizer runs, but one before may have been here.
    if (manager->own == NULL) {
        memset(b, 0, sizeof *b);
        b->core = manager->core;
        b->world = manager->world;
        lua_rawseti(L, top + 1, SELF);
        ct_bind_push_world(L, object);
        lua_rawseti(L, top + 1, WORLD);
        lua_pushvalue(L, top + 1);
        ct_bind_remember(L, b);
        ct_bind_set_own(L, object, "bodies");
        manager->own = b;
    }
    lua_settop(L, top);
    return manager->own;
}

// The row of a component that was given this number, wherever it is now.
static ct_row row_of(const bodies *b, ct_entity e, uint32_t number) {
    ct_row row = ct_store_find(&b->core->store, e);
    if (row.i != CT_NO_ROW && ct_actor_body(b->core, row) != number) row.i = CT_NO_ROW;
    return row;
}

// Pushes the body with a number. False if it is in flight.
static bool push_body(lua_State *L, int table, uint32_t number) {
    lua_rawgeti(L, table, (int)number);
    return !lua_rawequal(L, -1, table);
}

static void put_in_flight(lua_State *L, int table, uint32_t number) {
    lua_pushvalue(L, table);
    lua_rawseti(L, table, (int)number);
}

// A new number, in flight. May run out of memory; runs no finalizer.
static uint32_t take_number(lua_State *L, bodies *b, int table) {
    bool taken;
    do {
        b->last = b->last < 0x7FFFFFFFu ? b->last + 1 : 1;
        lua_rawgeti(L, table, (int)b->last);
        taken = !lua_isnil(L, -1);
        lua_pop(L, 1);
    } while (taken);
    put_in_flight(L, table, b->last);
    return b->last;
}

// The body on top (or nil) arrives, and is popped. False, and it stays, if its component went in
// the meantime.
static bool arrive(lua_State *L, bodies *b, int table, ct_entity e, uint32_t number) {
    ct_row row = row_of(b, e, number);
    if (row.i == CT_NO_ROW) return false;
    if (lua_isnil(L, -1)) ct_actor_set_body(b->core, row, 0);
    lua_rawseti(L, table, (int)number); // nil: the number may be given out again
    return true;
}

// ---------------------------------------------------------------- on_destroy

// Tells the end of the body on top, and pops it.
static void tell(lua_State *L, bodies *b, int table, ct_entity e, int error_slot) {
    lua_rawgeti(L, table, ON_DESTROY);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 2);
        return;
    }
    lua_insert(L, -2);
    ct_bind_push_entity(L, e);
    lua_insert(L, -2); // on_destroy, entity, body
    ct_bind_destroy destroy = {L, 0, error_slot};
    b->world->busy++; // the table keeps the world object, the stack keeps the table
    ct_bind_state_of(L)->callbacks++;
    ct_bind_call_listener(&destroy, 2);
    ct_bind_state_of(L)->callbacks--;
    b->world->busy--;
}

// Tells the end of a row's body, and takes its number off. The row may lie elsewhere afterwards:
// returns where the same component is, or CT_NO_ROW.
static ct_row free_body(lua_State *L, bodies *b, ct_row row, int error_slot) {
    uint32_t number = ct_actor_body(b->core, row);
    if (number == 0) return row;
    ct_entity e = ct_store_owners(&b->core->store)[row.i];
    int top = lua_gettop(L), table = push_table(L, b);
    // In flight: who makes it finds that it has no component any more.
    if (push_body(L, table, number)) {
        put_in_flight(L, table, number);
        tell(L, b, table, e, error_slot);
    }
    row = row_of(b, e, number);
    lua_pushnil(L);
    arrive(L, b, table, e, number);
    lua_settop(L, top);
    return row;
}

ct_row ct_bind_bodies_free(lua_State *L, int object, ct_row row, int error_slot) {
    const ct_bind_manager *manager = lua_touserdata(L, object);
    return manager->own != NULL ? free_body(L, manager->own, row, error_slot) : row;
}

static void entity_died(void *user, void *context, ct_entity e) {
    bodies *b = user;
    const ct_bind_destroy *destroying = context;
    ct_row row = ct_store_find(&b->core->store, e);
    if (row.i != CT_NO_ROW) free_body(destroying->L, b, row, destroying->error_slot);
}

static void detach_all(lua_State *L, int object, int error_slot, bool last) {
    const ct_bind_manager *manager = lua_touserdata(L, object);
    bodies *b = manager->own;
    if (b == NULL) return;
    const ct_store *store = &b->core->store;
    b->ending = true;
    // From the end: what a callback's removal moves down has been looked at already.
    for (uint32_t row = ct_store_count(store); row-- > 0;) {
        free_body(L, b, (ct_row){row}, error_slot);
        if (row > ct_store_count(store)) row = ct_store_count(store);
    }
    b->ending = last;
    if (last) ct_entity_manager_unlisten(store->entities, b->token);
}

static void listen(lua_State *L, bodies *b) {
    if (b->ending) luaL_error(L, "actor: bodies cannot be made while the world frees them");
    if (b->listening) return;
    // 1: after the callbacks that scripts registered themselves.
    ct_status status =
        ct_entity_manager_listen(b->core->store.entities, entity_died, b, 1, &b->token);
    if (status != CT_OK) ct_bind_raise_status(L, status, "callbacks", 0, "");
    b->listening = true;
}

// ---------------------------------------------------------------- on_spawn

// Calls on_spawn(e, values) and pushes what it returns.
static void call_on_spawn(lua_State *L, const bodies *b, int table, ct_entity e, uint32_t number) {
    lua_rawgeti(L, table, ON_SPAWN);
    ct_bind_push_entity(L, e);
    lua_newtable(L);
    for (uint32_t f = 0;; ++f) {
        // Anew for each field: making tables and strings may run finalizers.
        ct_row row = row_of(b, e, number);
        if (row.i == CT_NO_ROW || f == b->core->field_count) break;
        const ct_field *field = &b->core->fields[f];
        ct_bind_push_item_value(L, b->core, field, ct_manager_item(b->core, field, row));
        lua_setfield(L, -2, field->name);
    }
    lua_call(L, 2, 1);
}

// One new component. 'given' is the index of its body, 0 to ask on_spawn.
static void attach_one(lua_State *L, bodies *b, int table, ct_entity e, int given) {
    // Others' callbacks may have destroyed it, or given it a body.
    ct_row row = row_of(b, e, 0);
    if (row.i == CT_NO_ROW || (given == 0 && !b->spawns)) return;
    uint32_t number = take_number(L, b, table);
    ct_actor_set_body(b->core, row, number);
    if (given != 0)
        lua_pushvalue(L, given);
    else
        call_on_spawn(L, b, table, e, number);
    if (arrive(L, b, table, e, number) || lua_isnil(L, -1)) return;
    // Its component went, so the body must go too.
    lua_pushnil(L);
    lua_insert(L, -2);
    tell(L, b, table, e, lua_gettop(L) - 1);
    if (!lua_isnil(L, -1)) lua_error(L);
}

static void attach(lua_State *L, int object, const ct_bind_created *created, int given) {
    const ct_bind_manager *manager = lua_touserdata(L, object);
    bodies *b = manager->own;
    luaL_checkstack(L, LUA_MINSTACK, "too many nested callbacks");
    int table = push_table(L, b);
    bool list = given != 0 && created->many && lua_istable(L, given);
    if (given != 0 && lua_isnil(L, given)) given = 0;
    for (uint32_t i = 0; i < created->count; ++i) {
        uint32_t place = created->places != NULL ? created->places[i] : i;
        int body = given;
        if (list) {
            lua_rawgeti(L, given, (int)i + 1);
            body = lua_toboolean(L, -1) ? lua_gettop(L) : 0;
        }
        attach_one(L, b, table, created->entities[place], body);
        lua_settop(L, table);
    }
}

static bool wanted(const ct_bind_manager *manager) {
    const bodies *b = manager->own;
    return b != NULL && b->spawns;
}

// Whether bodies can be made now: raises if not.
static void check_making(lua_State *L, int object) {
    ct_bind_check_nesting(L);
    listen(L, obtain(L, object));
}

static bool prepare(lua_State *L, int object, int given, int arg, const char *prefix,
                    uint32_t count, bool many) {
    bool nothing = given == 0 || lua_isnil(L, given);
    if (nothing && !wanted(lua_touserdata(L, object))) return false;
    if (many && !nothing && lua_istable(L, given) && ct_bind_rawlen(L, given) != count) {
        lua_pushfstring(L, "%sbody: expected %d values, got %d", prefix, (int)count,
                        (int)ct_bind_rawlen(L, given));
        ct_bind_arg_error(L, arg);
    }
    check_making(L, object);
    return true;
}

const ct_bind_attachment ct_bind_bodies = {wanted, prepare, attach, detach_all};

// ---------------------------------------------------------------- for methods

void ct_bind_bodies_set_function(lua_State *L, int object, bool spawn, int function) {
    bodies *b = obtain(L, object);
    int table = push_table(L, b);
    lua_pushvalue(L, function);
    lua_rawseti(L, table, spawn ? ON_SPAWN : ON_DESTROY);
    if (spawn) b->spawns = !lua_isnil(L, function);
    lua_pop(L, 1);
}

void ct_bind_bodies_push(lua_State *L, int object, ct_row row) {
    const ct_bind_manager *manager = lua_touserdata(L, object);
    int top = lua_gettop(L);
    uint32_t number = ct_actor_body(manager->core, row);
    lua_pushnil(L);
    if (number != 0 && push_body(L, push_table(L, manager->own), number)) lua_replace(L, top + 1);
    lua_settop(L, top + 1);
}

void ct_bind_bodies_check_replace(lua_State *L, int object, int target) {
    ct_bind_manager *manager = lua_touserdata(L, object);
    check_making(L, object);
    int top = lua_gettop(L);
    ct_row row = ct_bind_check_live_target(L, target, manager);
    uint32_t number = ct_actor_body(manager->core, row);
    if (number != 0 && !push_body(L, push_table(L, manager->own), number)) {
        ct_bind_push_entity_name(L, ct_store_owners(&manager->core->store)[row.i]);
        lua_pushfstring(L, "the body of %s is being made or freed", lua_tostring(L, -1));
        ct_bind_arg_error(L, target);
    }
    lua_settop(L, top);
}

void ct_bind_bodies_replace(lua_State *L, int object, int target) {
    int value = lua_gettop(L), table = value + 1, error = value + 2;
    ct_bind_manager *manager = lua_touserdata(L, object);
    ct_bind_bodies_check_replace(L, object, target);
    bodies *b = manager->own;
    ct_row row = ct_bind_check_live_target(L, target, manager);
    ct_entity e = ct_store_owners(&b->core->store)[row.i];
    uint32_t number = ct_actor_body(b->core, row);
    push_table(L, b);
    lua_pushnil(L);
    // Nil is to nil what a body is to itself: it stays.
    if (number == 0)
        lua_pushnil(L);
    else
        push_body(L, table, number);
    if (!lua_rawequal(L, -1, value)) {
        if (number == 0) {
            number = take_number(L, b, table);
            ct_actor_set_body(b->core, row, number);
        } else {
            put_in_flight(L, table, number);
            tell(L, b, table, e, error);
        }
        lua_settop(L, error);
        lua_pushvalue(L, value);
        if (!arrive(L, b, table, e, number) && lua_isnil(L, error))
            luaL_error(L, "actor: the component went while its old body was freed");
    }
    lua_settop(L, error);
    if (!lua_isnil(L, error)) lua_error(L);
    lua_settop(L, value - 1);
}
