// Methods of the actor manager, and the bodies of actors: any Lua values, which two functions of
// the script create and free.
#include "component/actor.h"
#include "bind/component/components.h"
#include "bind/manager/attachment.h"

// The table that Lua keeps for the manager (ct_bind_push_manager_table) has the bodies by the ids
// of their owners. If an entry is the table itself, the body is in flight: a function of the script
// is creating or freeing it. on_destroy is called exactly once for each body in the table, and the
// body is removed from the table before the call. The table also has the two functions:
enum { ON_SPAWN = -1, ON_DESTROY = -2 };

// Pushes the table, or nil if there was never a body or a function, and returns its index. The
// table exists as long as the world, including its finalizer. Does not raise.
static int push_table(lua_State *L, const ct_bind_manager *manager) {
    ct_bind_recall_manager_table(L, manager);
    return lua_gettop(L);
}

static ct_entity owner_of(const ct_manager *core, ct_row row) {
    return ct_store_owners(&core->store)[row.i];
}

// Pushes the body of an entity, or nil, and returns true. If the body is in flight, pushes the
// table and returns false.
static bool push_body(lua_State *L, int table, ct_entity e) {
    lua_rawgeti(L, table, (int)e.id);
    return !lua_rawequal(L, -1, table);
}

// May run out of memory if there was no body; runs no finalizer.
static void put_in_flight(lua_State *L, int table, ct_entity e) {
    ct_bind_copy_item(L, table, (int)e.id, table);
}

// Begins a body, which is in flight from now on, and returns its number.
static uint32_t begin(lua_State *L, ct_manager *core, int table, ct_row row) {
    put_in_flight(L, table, owner_of(core, row));
    return ct_actor_number_body(core, row);
}

// Stores the body on top (or nil) and pops it. If the component was removed in the meantime,
// returns false and leaves the body on the stack.
static bool store_body(lua_State *L, const ct_bind_manager *manager, int table, ct_entity e,
                       uint32_t number) {
    ct_row row = ct_actor_find(manager->core, e, number);
    manager->state->lua_value_changes++;
    if (row.i == CT_NO_ROW) return false;
    if (lua_isnil(L, -1)) ct_actor_set_body(manager->core, row, 0);
    lua_rawseti(L, table, (int)e.id);
    return true;
}

// ---------------------------------------------------------------- on_destroy

// Calls on_destroy for the body on top, and pops the body.
static void notify(lua_State *L, const ct_bind_manager *manager, int table, ct_entity e,
                   int error_slot) {
    lua_rawgeti(L, table, ON_DESTROY);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 2);
        return;
    }
    lua_insert(L, -2);
    ct_bind_push_entity(L, e);
    lua_insert(L, -2); // on_destroy, entity, body
    ct_bind_notice notice = {L, 0, error_slot};
    manager->world->busy++; // the table keeps the world object alive, and the stack the table
    manager->state->callbacks++;
    ct_bind_call_listener(&notice, 2);
    manager->state->callbacks--;
    manager->world->busy--;
}

static ct_row detach(lua_State *L, ct_bind_manager *manager, ct_row row, int error_slot) {
    ct_manager *core = manager->core;
    uint32_t number = ct_actor_body(core, row);
    if (number == 0) return row;
    ct_entity e = owner_of(core, row);
    int top = lua_gettop(L), table = push_table(L, manager);
    // If the body is in flight, the call that creates it finds that the component was removed.
    if (push_body(L, table, e)) {
        put_in_flight(L, table, e);
        notify(L, manager, table, e, error_slot);
    }
    row = ct_actor_find(core, e, number);
    lua_pushnil(L);
    store_body(L, manager, table, e, number);
    lua_settop(L, top);
    return row;
}

static void detach_all(lua_State *L, ct_bind_manager *manager, int error_slot) {
    const ct_world *world = manager->world;
    ct_manager *core = manager->core;
    int top = lua_gettop(L), table;
    ct_row row = {0};
    if (manager->listener == 0) return; // there were never bodies
    table = push_table(L, manager);
    while (row.i < ct_store_count(&core->store)) {
        uint32_t count = ct_store_count(&core->store);
        ct_entity e = owner_of(core, row);
        bool any = ct_actor_body(core, row) != 0;
        ct_actor_set_body(core, row, 0);
        if (any && push_body(L, table, e)) notify(L, manager, table, e, error_slot);
        if (world->destroyed) break; // a callback closed the Lua state
        row.i = ct_store_count(&core->store) == count ? row.i + 1 : 0;
    }
    lua_settop(L, top);
}

// ---------------------------------------------------------------- on_spawn

// Calls on_spawn(e, values) and pushes its result.
static void call_on_spawn(lua_State *L, const ct_manager *core, int table, ct_entity e,
                          uint32_t number) {
    lua_rawgeti(L, table, ON_SPAWN);
    ct_bind_push_entity(L, e);
    lua_newtable(L);
    for (uint32_t f = 0;; ++f) {
        // The row is looked up for each field: creating tables and strings may run finalizers.
        ct_row row = ct_actor_find(core, e, number);
        if (row.i == CT_NO_ROW || f == core->field_count) break;
        const ct_field *field = &core->fields[f];
        ct_bind_push_item_value(L, core, field, ct_manager_item(core, field, row));
        lua_setfield(L, -2, field->name);
    }
    lua_call(L, 2, 1);
}

static void attach(lua_State *L, ct_bind_manager *manager, ct_entity e, int given) {
    ct_manager *core = manager->core;
    // Other callbacks may have removed the component or given it a body.
    ct_row row = ct_actor_find(core, e, 0);
    if (row.i == CT_NO_ROW || (given == 0 && !manager->attaches)) return;
    int table = push_table(L, manager);
    uint32_t number = begin(L, core, table, row);
    if (given != 0)
        lua_pushvalue(L, given);
    else
        call_on_spawn(L, core, table, e, number);
    if (store_body(L, manager, table, e, number) || lua_isnil(L, -1)) return;
    // The component was removed, so the body is freed.
    lua_pushnil(L);
    lua_insert(L, -2);
    notify(L, manager, table, e, lua_gettop(L) - 1);
    if (!lua_isnil(L, -1)) lua_error(L);
}

// ---------------------------------------------------------------- access to the body

static void push(lua_State *L, const ct_bind_manager *manager, ct_row row) {
    int table = push_table(L, manager);
    if (lua_istable(L, table) && !push_body(L, table, owner_of(manager->core, row))) lua_pushnil(L);
    lua_replace(L, table);
    lua_settop(L, table);
}

static ct_row check_replace(lua_State *L, ct_bind_manager *manager) {
    ct_row row = ct_bind_check_live_target(L, 2, manager);
    ct_bind_check_making(L, manager);
    ct_entity e = owner_of(manager->core, row);
    if (!push_body(L, push_table(L, manager), e)) {
        ct_bind_push_entity_name(L, e);
        ct_bind_raise_arg(L, 2, "the body of %s is being created or freed", lua_tostring(L, -1));
    }
    lua_pop(L, 2);
    return row;
}

static void replace(lua_State *L, ct_bind_manager *manager) {
    ct_manager *core = manager->core;
    ct_row row = check_replace(L, manager);
    ct_entity e = owner_of(core, row);
    uint32_t number = ct_actor_body(core, row);
    int value = lua_gettop(L), table = value + 1, error = value + 2;
    push_table(L, manager);
    lua_pushnil(L);
    push_body(L, table, e);
    // Replacing a body by the same body, or nil by nil, does nothing.
    if (!lua_rawequal(L, -1, value)) {
        if (number == 0) {
            number = begin(L, core, table, row);
        } else {
            put_in_flight(L, table, e);
            notify(L, manager, table, e, error);
        }
        lua_pushvalue(L, value);
        if (!store_body(L, manager, table, e, number) && lua_isnil(L, error))
            luaL_error(L, "actor: the component was removed while its old body was freed");
    }
    lua_settop(L, error);
    if (!lua_isnil(L, error)) lua_error(L);
    lua_settop(L, value - 1);
}

// ---------------------------------------------------------------- snapshots

// Pushes the body of a row; if there is none, pushes nothing and returns false.
static bool push_row_body(lua_State *L, const ct_manager *core, int table, ct_row row) {
    if (ct_actor_body(core, row) == 0) return false;
    lua_rawgeti(L, table, (int)owner_of(core, row).id);
    return true;
}

// Returns whether the two values on top are raw-equal. NaN equals NaN.
static bool are_equal(lua_State *L) {
    return lua_rawequal(L, -1, -2) || (!lua_rawequal(L, -1, -1) && !lua_rawequal(L, -2, -2));
}

// Pops the body of an entity and returns whether the table at 'saved' has the same body.
static bool pop_saved(lua_State *L, int saved, ct_entity e) {
    lua_rawgeti(L, saved, (int)e.id);
    bool same = are_equal(L);
    lua_pop(L, 2);
    return same;
}

static void collect(lua_State *L, const ct_bind_manager *manager) {
    const ct_manager *core = manager->core;
    lua_newtable(L);
    int collected = lua_gettop(L), table = push_table(L, manager);
    for (ct_row row = {0}; row.i < ct_store_count(&core->store); ++row.i) {
        int id = (int)owner_of(core, row).id;
        if (push_row_body(L, core, table, row)) lua_rawseti(L, collected, id);
    }
    lua_settop(L, collected);
}

// Pushes the body of the next row, from *row on, that differs from the body in the table at
// 'saved', and sets *row to that row. At the end returns false and pushes nothing.
static bool push_other_body(lua_State *L, const ct_manager *core, int table, int saved,
                            ct_row *row) {
    for (; row->i < ct_store_count(&core->store); ++row->i) {
        if (!push_row_body(L, core, table, *row)) continue;
        lua_pushvalue(L, -1);
        if (!pop_saved(L, saved, owner_of(core, *row))) return true;
        lua_pop(L, 1);
    }
    return false;
}

static void collect_missing(lua_State *L, const ct_bind_manager *manager, int saved) {
    const ct_manager *core = manager->core;
    lua_newtable(L);
    int lost = lua_gettop(L), table = push_table(L, manager), count = 0;
    for (ct_row row = {0}; push_other_body(L, core, table, saved, &row); ++row.i, count += 2) {
        lua_rawseti(L, lost, count + 2);
        ct_bind_store_whole(L, lost, count + 1, owner_of(core, row).id);
    }
    lua_settop(L, lost);
}

// Pushes entity and body of the nth lost body, counted from 0. At the end returns false and pushes
// nothing.
static bool push_missing(lua_State *L, int lost, int n, ct_entity *e) {
    lua_rawgeti(L, lost, 2 * n + 1);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        return false;
    }
    e->id = (uint32_t)lua_tonumber(L, -1);
    lua_pop(L, 1);
    lua_rawgeti(L, lost, 2 * n + 2);
    return true;
}

// Removes lost bodies from the table, and marks rows without a body.
static void forget_missing(lua_State *L, ct_manager *core, int table, int lost) {
    ct_entity e;
    for (int n = 0; push_missing(L, lost, n, &e); ++n) {
        ct_bind_store_nil(L, table, (int)e.id);
        lua_pop(L, 1);
    }
    for (ct_row row = {0}; row.i < ct_store_count(&core->store); ++row.i) {
        if (lua_istable(L, table)) lua_rawgeti(L, table, (int)owner_of(core, row).id);
        if (lua_isnil(L, -1)) ct_actor_set_body(core, row, 0);
        lua_settop(L, table);
    }
}

// make_missing(manager, id of an entity)
static int make_missing(lua_State *L) {
    ct_bind_manager *manager = lua_touserdata(L, 1);
    ct_entity e = {(uint32_t)lua_tonumber(L, 2)};
    attach(L, manager, e, 0);
    return 0;
}

// Checks that a row had a body that is missing now. If 'saved' is 0, each living row counts as
// having had one.
static bool lacks_body(lua_State *L, const ct_manager *core, int saved, ct_row row) {
    if (ct_actor_body(core, row) != 0) return false;
    if (saved == 0) return ct_entity_manager_alive(core->store.entities, owner_of(core, row));
    lua_rawgeti(L, saved, (int)owner_of(core, row).id);
    bool had = !lua_isnil(L, -1);
    lua_pop(L, 1);
    return had;
}

static void restored(lua_State *L, ct_bind_manager *manager, int saved, int lost, int error_slot) {
    const ct_bind_notice notice = {L, 0, error_slot};
    const ct_manager *core = manager->core;
    int top = lua_gettop(L), table = push_table(L, manager);
    ct_entity e;
    forget_missing(L, manager->core, table, lost);
    for (int n = 0; push_missing(L, lost, n, &e); ++n)
        notify(L, manager, table, e, error_slot);
    ct_row row = {0};
    for (; manager->attaches && row.i < ct_store_count(&core->store); ++row.i) {
        if (!lacks_body(L, core, saved, row)) continue;
        lua_pushlightuserdata(L, manager);
        ct_bind_push_whole(L, owner_of(core, row).id);
        if (ct_bind_call_nested(L, make_missing, 2, 0) != 0) ct_bind_keep_error(&notice);
    }
    lua_settop(L, top);
}

const ct_bind_attachment ct_bind_bodies = {
    "bodies cannot be created while the world frees them",
    attach,
    detach,
    detach_all,
    collect,
    collect_missing,
    restored,
    push,
    check_replace,
    replace,
};

// ---------------------------------------------------------------- functions of the script

// Stores the function or nil at index 2.
static void set_function(lua_State *L, int place) {
    luaL_checkany(L, 2);
    if (!lua_isnil(L, 2) && !lua_isfunction(L, 2))
        ct_bind_raise_arg(L, 2, "function or nil expected, got %s", ct_bind_type_name(L, 2));
    ct_bind_push_manager_table(L, ct_bind_object_at(L, 1));
    ct_bind_copy_item(L, -1, place, 2);
}

// actors:on_spawn(function(e, values) return body end)
static int on_spawn(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_self(L);
    set_function(L, ON_SPAWN);
    manager->attaches = !lua_isnil(L, 2);
    return 0;
}

// actors:on_destroy(function(e, body) end)
static int on_destroy(lua_State *L) {
    ct_bind_own_self(L);
    set_function(L, ON_DESTROY);
    return 0;
}

const ct_bind_method ct_bind_actor_methods[] = {
    CT_BIND_FIELD("shape", "set_shape"), CT_BIND_FIELD("mass", "set_mass"),
    CT_BIND_FIELD("body", "set_body"),   {"on_spawn", on_spawn, NULL},
    {"on_destroy", on_destroy, NULL},    {NULL, NULL, NULL},
};
