// world:query: operations on all entities that have several components.
#include "bind/world/query.h"

#include "bind/manager/loops.h"
#include "bind/value/list.h"

enum { WORLD = 1, QUERY = 1 };

// ---------------------------------------------------------------- construction

// Makes the query on top keep the managers at 2, 3, ... and the world.
static void keep_managers(lua_State *L, uint32_t count) {
    int object = lua_gettop(L);
    lua_createtable(L, (int)count, 1);
    for (int i = 1; i <= (int)count; ++i) {
        lua_pushvalue(L, i + 1);
        lua_rawseti(L, object + 1, i);
    }
    ct_bind_keep_managers(L, object, object + 1);
    lua_pushvalue(L, WORLD);
    lua_setfield(L, object + 1, "world");
    ct_bind_set_owned(L, object);
}

// world:query(manager or name, ...) -> Query
int ct_bind_new_query(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    ct_query_role roles[CT_MAX_JOINED];
    ct_manager *cores[CT_MAX_JOINED];
    uint32_t count = ct_bind_check_parts(L, roles);
    ct_bind_query *q = ct_bind_object_new(L, &ct_bind_query_kind, sizeof *q);
    keep_managers(L, count);
    for (uint32_t i = 0; i < count; ++i) {
        q->managers[i] = ct_bind_object_at(L, (int)i + 2);
        if (q->managers[i]->destroyed != NULL) ct_bind_raise_destroyed(L, q->managers[i]);
        cores[i] = q->managers[i]->core;
    }
    q->world = world;
    ct_query_init(&q->matches, &world->state->allocator, &world->core.queries, count, cores, roles);
    return 1;
}

// The query keeps the block of the world alive, even if the world is destroyed.
static int collect(lua_State *L) {
    ct_query_free(&((ct_bind_query *)ct_bind_self(L, &ct_bind_query_kind))->matches);
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

// Number of loops that a query reuses. A program that leaves loops by break may use more.
enum { KEPT_LOOPS = 16 };

// A loop keeps the table of blocks of its query, and a userdata with the bits of the rows that the
// conditions of the query chose.
enum { BLOCKS = 1, CHOSEN = 2 };

// Pushes a new loop over the managers, which are in the table at 'kept'.
static ct_bind_loop *push_new_loop(lua_State *L, const ct_bind_query *q, int kept) {
    int first = lua_gettop(L) + 1;
    luaL_checkstack(L, CT_MAX_JOINED + LUA_MINSTACK, "too many managers");
    for (uint32_t i = 0; i < q->matches.part_count; ++i) {
        lua_rawgeti(L, kept, (int)i + 1);
        if (ct_bind_test_handle(L, -1, &ct_bind_manager_kind) != q->managers[i])
            ct_bind_raise_replaced(L);
    }
    ct_bind_loop *loop = ct_bind_loop_new(L, first, q->matches.part_count);
    lua_replace(L, first);
    lua_settop(L, first);
    // The table of blocks, in case that the environment is replaced, and the chosen rows.
    lua_createtable(L, 2, 0);
    ct_bind_push_block(L, QUERY);
    lua_rawseti(L, -2, BLOCKS);
    ct_bind_keep(L, first);
    return loop;
}

// Pushes the first closed loop of the kept ones. If all are open, returns NULL and their number.
static ct_bind_loop *push_closed_loop(lua_State *L, int kept, int *count) {
    ct_bind_loop *loop;
    for (*count = 0;; ++*count) {
        lua_rawgeti(L, kept, -1 - *count);
        loop = ct_bind_test_loop(L, -1);
        if (loop == NULL || !ct_bind_loop_is_open(loop)) break;
        lua_pop(L, 1);
    }
    if (loop == NULL) lua_pop(L, 1);
    return loop;
}

// Pushes a loop that is not in use.
static ct_bind_loop *push_free_loop(lua_State *L, const ct_bind_query *q, int kept) {
    int count;
    ct_bind_loop *loop = push_closed_loop(L, kept, &count);
    if (loop == NULL && count >= KEPT_LOOPS) {
        for (int i = 1; i <= count; ++i) {
            lua_rawgeti(L, kept, -i);
            ct_bind_loop_close_lost(L, ct_bind_test_loop(L, -1));
            lua_pop(L, 1);
        }
        loop = push_closed_loop(L, kept, &count);
    }
    if (loop != NULL) return loop;
    loop = push_new_loop(L, q, kept);
    if (count >= KEPT_LOOPS) return loop;
    lua_pushvalue(L, -1);
    lua_rawseti(L, kept, -1 - count);
    return loop;
}

// Restricts the loop on top to the rows of the first manager that the conditions of a query choose.
static void choose_rows(lua_State *L, ct_bind_query *q, ct_bind_loop *loop) {
    const ct_store *store = &q->managers[0]->core->store;
    int top = lua_gettop(L);
    uint32_t *bits;
    size_t room;
    ct_bind_push_block(L, top);
    do { // a finalizer may add rows
        room = ct_store_count(store);
        bits = lua_newuserdata(L, ct_loop_chosen_bytes((uint32_t)room));
    } while (ct_store_count(store) > room);
    lua_rawseti(L, top + 1, CHOSEN);
    lua_settop(L, top);
    ct_bind_query_check(L, q);
    ct_bind_query_refresh(L, q);
    ct_bind_loop_choose(loop, &q->matches, bits);
}

static int push_loop(lua_State *L, ct_bind_loop_kind kind) {
    ct_bind_query *q = ct_bind_query_self(L);
    lua_settop(L, QUERY);
    ct_bind_push_owned(L, QUERY);
    if (!lua_istable(L, QUERY + 1)) ct_bind_raise_replaced(L);
    ct_bind_push_step(L);
    ct_bind_loop *loop = push_free_loop(L, q, QUERY + 1);
    ct_bind_loop_begin(L, loop, q->matches.part_count, q->matches.roles, kind);
    if (q->source != NULL) choose_rows(L, q, loop);
    return 2;
}

// q:each() -> iterator of entity, instance1, instance2, ...
static int each(lua_State *L) { return push_loop(L, CT_BIND_LOOP_INSTANCES); }

// q:rows() -> iterator of row1, row2, ...
static int rows(lua_State *L) { return push_loop(L, CT_BIND_LOOP_ROWS); }

// q:items() -> iterator of item1, item2, ...
static int items(lua_State *L) { return push_loop(L, CT_BIND_LOOP_ITEMS); }

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

// q:list([out]) -> cuttle.list
static int list(lua_State *L) {
    ct_bind_query *q = ct_bind_query_self(L);
    uint32_t number;
    lua_settop(L, 2);
    ct_bind_list *out = ct_bind_prepare_list(L, 2);
    const ct_entity *entities = push_entities(L, q, &number);
    ct_bind_list_fill(L, out, number, entities);
    lua_settop(L, 2);
    return 1;
}

// q:entities([out]) -> table
static int entities(lua_State *L) {
    ct_bind_query *q = ct_bind_query_self(L);
    uint32_t number;
    lua_settop(L, 2);
    ct_bind_prepare_table(L, 2, ct_bind_query_refresh(L, q)->count);
    const ct_entity *found = push_entities(L, q, &number);
    for (uint32_t i = 0; i < number; ++i) {
        ct_bind_push_entity(L, found[i]);
        lua_rawseti(L, 2, (int)i + 1);
    }
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

const luaL_Reg ct_bind_query_methods[] = {{"query", ct_bind_new_query}, {NULL, NULL}};

void ct_bind_open_queries(lua_State *L) {
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
                                       {NULL, NULL}};
    ct_bind_class_new(L, &ct_bind_query_kind, methods, collect, tostring);
}
