// world:query and world:join: operations on all entities that have several components.
#include "bind/world/query.h"

#include "bind/value/compiled.h"
#include "bind/value/list.h"
#include "bind/value/mailbox.h"
#include "storage/bulk.h"

enum { WORLD = 1, QUERY = 1 };

// ---------------------------------------------------------------- construction

// Makes the query on top keep the managers at 2, 3, ..., the world, and pools for loops.
static void keep_managers(lua_State *L, uint32_t count) {
    int object = lua_gettop(L);
    lua_createtable(L, (int)count + CT_BIND_LOOP_KINDS, 1);
    for (int i = 1; i <= (int)count; ++i) {
        ct_bind_copy_item(L, object + 1, i, i + 1);
    }
    ct_bind_keep_managers(L, object, object + 1);
    for (int kind = 0; kind < CT_BIND_LOOP_KINDS; ++kind) {
        lua_newtable(L);
        lua_rawseti(L, object + 1, (int)count + 1 + kind);
    }
    ct_bind_copy_field(L, object + 1, "world", WORLD);
    ct_bind_set_owned(L, object);
}

// Pushes a new query over the managers at 2, 3, ... in these roles.
static void push_new_query(lua_State *L, ct_bind_world *world, uint32_t count,
                           const ct_query_role *roles) {
    ct_manager *cores[CT_MAX_JOINED];
    ct_bind_query *q = ct_bind_object_new(L, &ct_bind_query_kind, sizeof *q);
    keep_managers(L, count);
    for (uint32_t i = 0; i < count; ++i) {
        q->managers[i] = ct_bind_object_at(L, (int)i + 2);
        if (q->managers[i]->destroyed != NULL) ct_bind_raise_destroyed(L, q->managers[i]);
        cores[i] = q->managers[i]->core;
    }
    q->world = world;
    ct_query_init(&q->matches, &world->state->allocator, &world->core.queries, count, cores, roles);
}

int ct_bind_new_query(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    ct_query_role roles[CT_MAX_JOINED];
    uint32_t count = ct_bind_check_parts(L, lua_gettop(L) - 1, roles);
    push_new_query(L, world, count, roles);
    return 1;
}

// The query keeps the block of the world alive, even if the world is destroyed.
static int collect(lua_State *L) {
    ct_bind_query *q = ct_bind_self(L, &ct_bind_query_kind);
    if (q->matches.part_count > 0) ct_query_leave(&q->matches);
    ct_query_free(&q->matches);
    return 0;
}

// Pushes a userdata with the entities of all matches, without duplicates.
static const ct_entity *push_entities(lua_State *L, ct_bind_query *q, uint32_t *count) {
    uint32_t room;
    ct_entity *entities;
    do { // a finalizer may have changed the matches
        room = ct_bind_query_refresh(L, q)->count;
        entities = lua_newuserdata(L, (size_t)room * sizeof *entities + 1);
    } while (!ct_bind_query_is_current(ct_bind_query_self(L)) || q->matches.count > room);
    *count = ct_query_entities(&q->matches, entities);
    return entities;
}

// ---------------------------------------------------------------- loops

// Restricts a new loop to the rows of the first manager that the conditions of the query choose.
static void choose_rows(lua_State *L, ct_bind_query *q, int loop) {
    const ct_store *store = &q->managers[0]->core->store;
    int top = lua_gettop(L);
    uint32_t *bits;
    size_t room;
    ct_bind_push_memory(L, loop);
    do { // a finalizer may add rows
        room = ct_store_count(store);
        bits = lua_newuserdata(L, ct_loop_chosen_bytes((uint32_t)room));
    } while (ct_store_count(store) > room);
    lua_rawseti(L, top + 1, 2); // the memory of the loop keeps the bits
    lua_settop(L, top);
    ct_bind_query_check(L, q);
    ct_bind_query_refresh(L, q);
    ct_bind_loop_choose(L, loop, &q->matches, bits);
}

// Begins a loop over the query at 'index'.
static int push_loop(lua_State *L, int index, ct_bind_query *q, ct_bind_loop_kind kind) {
    uint32_t count = q->matches.part_count;
    lua_settop(L, index);
    ct_bind_push_owned(L, index);
    if (CT_UNLIKELY(!lua_istable(L, -1))) ct_bind_raise_replaced(L);
    lua_rawgeti(L, -1, (int)(count + 1 + (uint32_t)kind));
    bool plain = q->source == NULL;
    const ct_bind_loop_setup setup = {
        kind, count, q->managers, q->matches.roles, plain ? &q->matches : NULL, !plain, index};
    ct_bind_push_loop(L, index + 2, &setup);
    if (CT_UNLIKELY(!plain)) choose_rows(L, q, lua_gettop(L) - 1);
    return 1;
}

static int begin(lua_State *L, ct_bind_loop_kind kind) {
    return push_loop(L, QUERY, ct_bind_query_self(L), kind);
}

// q:each() -> iterator of entity, instance1, instance2, ...
static int each(lua_State *L) { return begin(L, CT_BIND_LOOP_INSTANCES); }

// q:rows() -> iterator of row1, row2, ...
static int rows(lua_State *L) { return begin(L, CT_BIND_LOOP_ROWS); }

// q:items() -> iterator of item1, item2, ...
static int items(lua_State *L) { return begin(L, CT_BIND_LOOP_ITEMS); }

// Pushes the query that the world keeps for these arguments, if its managers have not ended. The
// table "joined" of the world is a tree with a level for each argument; a query is at 1.
static ct_bind_query *push_joined(lua_State *L, int arguments) {
    ct_bind_push_own(L, WORLD, "joined");
    for (int i = 0; i < arguments && lua_istable(L, -1); ++i) {
        ct_bind_push_raw(L, -1, WORLD + 1 + i);
    }
    if (!lua_istable(L, -1)) return NULL;
    lua_rawgeti(L, -1, 1);
    ct_bind_query *q = ct_bind_test(L, -1, &ct_bind_query_kind);
    for (uint32_t i = 0; q != NULL && i < q->matches.part_count; ++i)
        if (q->managers[i]->destroyed != NULL) q = NULL;
    return q;
}

// Pops a query and keeps it for the arguments, which are above it on the stack.
static void keep_joined(lua_State *L, int query, int arguments) {
    ct_bind_push_owned(L, WORLD);
    if (!lua_istable(L, -1)) ct_bind_raise_replaced(L);
    ct_bind_push_subtable(L, "joined");
    for (int i = 1; i <= arguments; ++i) {
        ct_bind_push_raw(L, -1, query + i);
        if (!lua_isnil(L, -1)) continue;
        lua_pop(L, 1);
        lua_newtable(L);
        ct_bind_copy_raw(L, -2, query + i, -1);
    }
    ct_bind_copy_item(L, -1, 1, query);
}

// Pushes a new query over the parts that the arguments name, and keeps it for them.
static void push_kept(lua_State *L, ct_bind_world *world, int arguments) {
    int query = WORLD + arguments + 1;
    ct_query_role roles[CT_MAX_JOINED];
    lua_settop(L, query - 1);
    for (int i = 1; i <= arguments; ++i)
        lua_pushvalue(L, WORLD + i);
    push_new_query(L, world, ct_bind_check_parts(L, arguments, roles), roles);
    lua_insert(L, query);
    keep_joined(L, query, arguments);
    lua_settop(L, query);
}

// world:query(manager or name, ...) -> Query. The same arguments return the same object, so that a
// function may call this in each frame.
static int kept_query(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    int arguments = lua_gettop(L) - 1;
    luaL_checkstack(L, 2 * arguments + LUA_MINSTACK, "too many managers");
    if (push_joined(L, arguments) == NULL) push_kept(L, world, arguments);
    return 1;
}

// Begins a loop with the arguments from 2 on. The world keeps a query for them.
static int push_join(lua_State *L, ct_bind_loop_kind kind) {
    ct_bind_world *world = ct_bind_world_self(L);
    int arguments = lua_gettop(L) - 1, query = WORLD + arguments + 1;
    luaL_checkstack(L, 2 * arguments + LUA_MINSTACK, "too many managers");
    ct_bind_query *q = push_joined(L, arguments);
    if (CT_LIKELY(q != NULL)) {
        lua_replace(L, WORLD + 1);
        return push_loop(L, WORLD + 1, q, kind);
    }
    push_kept(L, world, arguments);
    return push_loop(L, query, lua_touserdata(L, query), kind);
}

// world:join(manager or name, ...) -> iterator of entity, instance1, instance2, ...
static int join(lua_State *L) { return push_join(L, CT_BIND_LOOP_INSTANCES); }

// world:rows(manager or name, ...) -> iterator of row1, row2, ...
static int join_rows(lua_State *L) { return push_join(L, CT_BIND_LOOP_ROWS); }

// ---------------------------------------------------------------- fields of two managers

// Returns the manager at 'arg', given as an object or by name, and its field at 'arg' + 1.
static ct_bind_manager *check_column(lua_State *L, int arg, uint32_t *field) {
    ct_bind_push_named_manager(L, 1, arg);
    lua_replace(L, arg);
    ct_bind_manager *manager = ct_bind_object_at(L, arg);
    *field = ct_bind_check_field(L, arg + 1, manager->core);
    return manager;
}

static int write_all(lua_State *L, bool scaled) {
    uint32_t source, field, count;
    ct_message message;
    ct_bind_changing_world(L);
    const ct_bind_manager *from = check_column(L, 2, &source), *to = check_column(L, 4, &field);
    if (scaled) luaL_checktype(L, 6, LUA_TNUMBER);
    if (!ct_bulk_check(to->core, field, from->core, source, scaled, &message))
        return ct_bind_raise_arg(L, 5, "%s", message.text);
    ct_status status =
        scaled ? ct_bulk_add_scaled(to->core, field, from->core, source, lua_tonumber(L, 6), &count)
               : ct_bulk_copy(to->core, field, from->core, source, &count);
    if (status != CT_OK) return ct_bind_manager_fail(L, to, status);
    return ct_bind_return_whole(L, count);
}

// world:copy(from, field, to, field2) -> number of entities
static int copy(lua_State *L) {
    ct_bind_world_self(L);
    lua_settop(L, 5);
    return write_all(L, false);
}

// world:add_scaled(from, field, to, field2, k) -> number of entities
static int add_scaled(lua_State *L) {
    ct_bind_world_self(L);
    return write_all(L, true);
}

// ---------------------------------------------------------------- entities

// q:count() -> number of matches
static int count(lua_State *L) {
    return ct_bind_return_whole(L, ct_bind_query_refresh(L, ct_bind_query_self(L))->count);
}

// q:first() -> entity or nil
static int first(lua_State *L) {
    ct_bind_query *q = ct_bind_query_self(L);
    ct_entity e = {CT_NOBODY};
    if (q->source == NULL)
        e = ct_query_first(&q->matches);
    else if (ct_bind_query_refresh(L, q)->count > 0)
        e = ct_query_entity(&q->matches, 0);
    return e.id != CT_NOBODY ? ct_bind_return_entity(L, e) : ct_bind_return_nil(L);
}

// Fills a list, in which there is room, with the entities of the matches.
static void fill_list(const ct_query *matches, ct_bind_list *out) {
    out->count = ct_query_entities(matches, out->items);
}

// q:list([out]) -> cuttle.list
static int list(lua_State *L) {
    ct_bind_query_self(L);
    lua_settop(L, 2);
    ct_bind_list *out = ct_bind_prepare_list(L, 2);
    ct_bind_query *q = ct_bind_query_self(L); // a finalizer may have ended it
    const ct_query *matches = ct_bind_query_refresh(L, q);
    ct_bind_list_reserve(L, out, matches->count);
    fill_list(matches, out);
    return 1;
}

// The same for the list in the mailbox. Returns 1, or 0 if the method in C must do it.
static int32_t posted_list(const ct_bind_mailbox *mailbox, ct_bind_query *q) {
    lua_State *L = ct_bind_push_posted(mailbox, CT_BIND_SLOT_TARGET);
    ct_bind_list *out = ct_bind_test_list(L, CT_BIND_POSTED);
    lua_pop(L, 1);
    if (out == NULL || !ct_bind_query_try(q) || q->matches.count > out->capacity) return 0;
    fill_list(&q->matches, out);
    return 1;
}

// q:entities([out]) -> table
static int entities(lua_State *L) {
    ct_bind_query *q = ct_bind_query_self(L);
    uint32_t number;
    lua_settop(L, 2);
    ct_bind_prepare_table(L, 2, ct_bind_query_refresh(L, q)->count);
    const ct_entity *found = push_entities(L, q, &number);
    ct_bind_fill_entities(L, 2, number, found);
    lua_settop(L, 2);
    return 1;
}

// ---------------------------------------------------------------- components and entities

// Pushes the world of the query, and the manager that argument 2 is or names.
static ct_bind_manager *check_manager(lua_State *L, const ct_bind_query *q) {
    ct_bind_push_own_handle(L, QUERY, "world", &ct_bind_world_kind, q->world);
    ct_bind_push_named_manager(L, lua_gettop(L), 2);
    return ct_bind_object_at(L, -1);
}

// q:create(name [, values]) -> number of components
static int create(lua_State *L) {
    ct_bind_query *q = ct_bind_query_self(L);
    uint32_t number;
    lua_settop(L, 3);
    ct_bind_check_open(L, &q->world->core);
    ct_bind_manager *manager = check_manager(L, q);
    const ct_entity *owners = push_entities(L, q, &number);
    ct_bind_create_for(L, manager, number, owners);
    return ct_bind_return_whole(L, number);
}

// q:remove(name) -> number of components
static int remove_all(lua_State *L) {
    ct_bind_query *q = ct_bind_query_self(L);
    uint32_t number;
    lua_settop(L, 2);
    ct_bind_manager *manager = check_manager(L, q);
    const ct_entity *owners = push_entities(L, q, &number);
    return ct_bind_return_whole(L, ct_bind_destroy_all(L, manager, number, owners));
}

// q:destroy() -> number of entities
static int destroy(lua_State *L) {
    ct_bind_query *q = ct_bind_query_self(L);
    uint32_t number;
    ct_bind_push_own_handle(L, QUERY, "world", &ct_bind_world_kind, q->world);
    ct_bind_push_world_entities(L, lua_gettop(L));
    int manager = lua_gettop(L);
    const ct_entity *found = push_entities(L, q, &number);
    return ct_bind_return_whole(L, ct_bind_destroy_entities(L, manager, number, found));
}

static int tostring(lua_State *L) {
    static const char *const marks[] = {
        [CT_QUERY_REQUIRED] = "", [CT_QUERY_EXCLUDED] = "!", [CT_QUERY_OPTIONAL] = "?"};
    const ct_bind_query *q = ct_bind_self(L, &ct_bind_query_kind);
    lua_pushliteral(L, "Query (");
    for (uint32_t i = 0; i < q->matches.part_count; ++i) {
        lua_pushfstring(L, "%s%s%s%s", lua_tostring(L, -1), i > 0 ? ", " : "",
                        marks[q->matches.roles[i]], q->managers[i]->core->name);
        lua_replace(L, -2);
    }
    lua_pushliteral(L, ")");
    lua_concat(L, 2);
    return 1;
}

void ct_bind_open_queries(lua_State *L) {
    static const luaL_Reg world_methods[] = {{"query", kept_query},      {"join", join},
                                             {"rows", join_rows},        {"copy", copy},
                                             {"add_scaled", add_scaled}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"each", each},
                                       {"rows", rows},
                                       {"items", items},
                                       {"count", count},
                                       {"first", first},
                                       {"list", list},
                                       {"entities", entities},
                                       {"read", ct_bind_query_read},
                                       {"write", ct_bind_query_write},
                                       {"create", create},
                                       {"remove", remove_all},
                                       {"destroy", destroy},
                                       {"space", ct_bind_query_space},
                                       {NULL, NULL}};
    ct_bind_class_new(L, &ct_bind_query_kind, methods, collect, tostring);
    ct_bind_add_pointer(L, "query_pointer", &ct_bind_query_kind, false);
    ct_bind_add_address(L, "posted_list", (void (*)(void))posted_list);
    ct_bind_open_query_fields(L);
    ct_bind_add_class_methods(L, &ct_bind_world_kind, world_methods);
}
