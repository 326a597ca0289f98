// Loops over rows: each and instances of a manager, join and rows of a world.
#include "bind/manager/loops.h"

#include "bind/manager/items.h"
#include "bind/value/compiled.h"

// The environment has the objects of the managers from 1 on, followed by the items of a loop over
// items. Compiled loops (lua/cuttle/fast.lua) read the query, which follows the header.
struct ct_bind_loop {
    ct_bind_header header;
    ct_loop query;
    ct_bind_manager *managers[CT_MAX_JOINED];
    ct_bind_loop_kind kind;
    bool open;               // a step may follow
    const lua_State *thread; // coroutine that began the loop
};

static const ct_bind_kind loop_class = {"loop"};
static const char step_key = 0;

int ct_bind_raise_moved(lua_State *L, const ct_bind_manager *manager) {
    if (manager->destroyed != NULL) return ct_bind_raise_destroyed(L, manager);
    return luaL_error(L, "%s: rows moved during the loop", manager->core->name);
}

// ---------------------------------------------------------------- steps

// Sets the items of a loop to the current rows of its query, and pushes them.
static int push_items(lua_State *L, const ct_bind_loop *l, int kept) {
    int top = lua_gettop(L);
    for (uint32_t i = 0; i < l->query.part_count; ++i) {
        if (l->query.parts[i].role == CT_QUERY_EXCLUDED) continue;
        ct_row row = ct_loop_row(&l->query, i);
        lua_rawgeti(L, kept, (int)(l->query.part_count + i) + 1);
        ct_bind_item *item = ct_bind_test_item(L, -1);
        if (item == NULL) ct_bind_raise_replaced(L);
        ct_bind_item_set(item, row);
        if (row.i != CT_NO_ROW) continue;
        lua_pushnil(L);
        lua_replace(L, -2);
    }
    return lua_gettop(L) - top;
}

static void close_items(lua_State *L, const ct_bind_loop *l, int kept) {
    for (uint32_t i = 0; i < l->query.part_count; ++i) {
        lua_rawgeti(L, kept, (int)(l->query.part_count + i) + 1);
        ct_bind_item *item = ct_bind_test_item(L, -1);
        if (item != NULL) ct_bind_item_set(item, (ct_row){CT_NO_ROW});
        lua_pop(L, 1);
    }
}

static int push_rows(lua_State *L, const ct_bind_loop *l) {
    int top = lua_gettop(L);
    bool bare = l->kind == CT_BIND_LOOP_ROWS;
    if (!bare)
        ct_bind_push_entity(
            L, ct_store_owners(&l->managers[0]->core->store)[ct_loop_row(&l->query, 0).i]);
    for (uint32_t i = 0; i < l->query.part_count; ++i) {
        ct_row row = ct_loop_row(&l->query, i);
        if (l->query.parts[i].role == CT_QUERY_EXCLUDED) continue;
        if (bare && row.i != CT_NO_ROW)
            ct_bind_push_whole(L, row.i);
        else
            ct_bind_push_instance(L, l->managers[i]->core, row);
    }
    return lua_gettop(L) - top;
}

// Pushes the results of the next step. If the loop has items, its environment table is at 'kept'.
static int advance(lua_State *L, ct_bind_loop *l, int kept) {
    uint32_t fault;
    ct_query_step found = l->open ? ct_loop_next(&l->query, &fault) : CT_QUERY_END;
    bool items = l->kind == CT_BIND_LOOP_ITEMS;
    if (CT_LIKELY(found == CT_QUERY_ROW)) return items ? push_items(L, l, kept) : push_rows(L, l);
    l->open = false;
    if (items) close_items(L, l, kept);
    return found == CT_QUERY_END ? 0 : ct_bind_raise_moved(L, l->managers[fault]);
}

// Step of a loop that an iterator keeps.
static int step(lua_State *L) {
    ct_bind_loop *l = ct_bind_step_value(L, 1);
    l->open = true; // for as long as the iterator exists: an error is raised at each further step
    lua_settop(L, 0);
    return advance(L, l, 0);
}

// Step of a reusable loop: loop, the last results -> the next results
static int step_kept(lua_State *L) {
    ct_bind_loop *l = ct_bind_check(L, 1, &loop_class);
    lua_settop(L, 1);
    if (l->kind != CT_BIND_LOOP_ITEMS) return advance(L, l, 0);
    ct_bind_push_owned(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    return advance(L, l, 2);
}

// Step of a compiled loop from one run to the next. 'last' is the last returned row of the first
// manager, or negative. Returns the next row, whose run is in the query; -1 at the end, -2 if the C
// step must be called, which raises.
static int32_t next_run(ct_loop *query, int32_t last) {
    uint32_t fault;
    switch (ct_loop_next_run(query, (uint32_t)last, &fault)) {
    case CT_QUERY_ROW: return (int32_t)query->first;
    case CT_QUERY_END: return -1;
    default: return -2;
    }
}

// ---------------------------------------------------------------- beginning

ct_bind_loop *ct_bind_loop_new(lua_State *L, int first, uint32_t count) {
    ct_bind_loop *l = ct_bind_object_new(L, &loop_class, sizeof *l);
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; ++i) {
        lua_pushvalue(L, first + (int)i);
        lua_rawseti(L, -2, (int)i + 1);
        l->managers[i] = ct_bind_object_at(L, first + (int)i);
    }
    ct_bind_set_owned(L, -2);
    return l;
}

ct_bind_loop *ct_bind_test_loop(lua_State *L, int index) {
    return ct_bind_test(L, index, &loop_class);
}

// Adds one item per manager to the loop on top, which has 'count' managers.
static void add_items(lua_State *L, uint32_t count) {
    int object = lua_gettop(L);
    ct_bind_push_owned(L, object);
    lua_rawgeti(L, object + 1, (int)count * 2);
    for (uint32_t i = 1; lua_isnil(L, object + 2) && i <= count; ++i) {
        lua_rawgeti(L, object + 1, (int)i);
        ct_bind_item_new(L, -1);
        lua_rawseti(L, object + 1, (int)(count + i));
        lua_settop(L, object + 2);
    }
    lua_settop(L, object);
}

void ct_bind_loop_begin(lua_State *L, ct_bind_loop *l, uint32_t count, const ct_query_role *roles,
                        ct_bind_loop_kind kind) {
    ct_manager *cores[CT_MAX_JOINED];
    if (kind == CT_BIND_LOOP_ITEMS) add_items(L, count);
    for (uint32_t i = 0; i < count; ++i) {
        if (l->managers[i]->destroyed != NULL) ct_bind_raise_destroyed(L, l->managers[i]);
        cores[i] = l->managers[i]->core;
    }
    ct_loop_begin(&l->query, count, cores, roles);
    l->kind = kind;
    l->open = true;
    l->thread = L;
}

void ct_bind_loop_choose(ct_bind_loop *l, const ct_query *matches, uint32_t *bits) {
    ct_loop_choose(&l->query, bits);
    for (uint32_t i = 0; i < matches->count; ++i)
        ct_loop_choose_row(&l->query, ct_query_row(matches, 0, i));
}

bool ct_bind_loop_is_open(const ct_bind_loop *l) { return l->open; }

// Checks whether a slot of the stack contains a userdata. A Lua loop keeps its state in one.
static bool is_on_stack(lua_State *L, const void *userdata) {
    lua_Debug frame;
    for (int level = 1; lua_getstack(L, level, &frame) != 0; ++level) {
        for (int n = 1; lua_getlocal(L, &frame, n) != NULL; ++n) {
            bool same = lua_touserdata(L, -1) == userdata;
            lua_pop(L, 1);
            if (same) return true;
        }
    }
    return false;
}

void ct_bind_loop_close_lost(lua_State *L, ct_bind_loop *l) {
    if (l->open && l->thread == L && !is_on_stack(L, l)) l->open = false;
}

// Replaces the iterator on top, above its loop, by a compiled one if a factory exists and creates
// one from loop, roles and iterator.
static void compile_iterator(lua_State *L, const ct_loop *query) {
    static const char marks[] = {
        [CT_QUERY_REQUIRED] = '+', [CT_QUERY_EXCLUDED] = '!', [CT_QUERY_OPTIONAL] = '?'};
    char roles[CT_MAX_JOINED];
    int top = lua_gettop(L);
    if (!ct_bind_push_maker(L, "rows")) return;
    for (uint32_t i = 0; i < query->part_count; ++i)
        roles[i] = marks[query->parts[i].role];
    lua_pushvalue(L, top - 1);
    lua_pushlstring(L, roles, query->part_count);
    lua_pushvalue(L, top);
    lua_call(L, 3, 1);
    if (lua_isnil(L, -1)) lua_settop(L, top);
}

int ct_bind_push_join(lua_State *L, int first, uint32_t count, const ct_query_role *roles,
                      bool bare) {
    static const ct_query_role required[] = {CT_QUERY_REQUIRED};
    ct_bind_loop *l = ct_bind_loop_new(L, first, count);
    ct_bind_loop_begin(L, l, count, roles != NULL ? roles : required,
                       bare ? CT_BIND_LOOP_ROWS : CT_BIND_LOOP_INSTANCES);
    lua_pushvalue(L, -1);
    lua_pushvalue(L, -1);
    ct_bind_push_iterator(L, "join");
    if (bare) compile_iterator(L, &l->query);
    return 1;
}

// m:each() -> iterator of entity, instance
static int each(lua_State *L) {
    ct_bind_manager_self(L);
    lua_settop(L, 1);
    return ct_bind_push_join(L, 1, 1, NULL, false);
}

// step of a loop (loop, manager)
static int step_instances(lua_State *L) {
    ct_instances *l = ct_bind_step_value(L, 1);
    switch (ct_instances_next(l)) {
    case CT_QUERY_ROW: ct_bind_push_instance(L, l->manager, l->rows.returned); return 1;
    case CT_QUERY_END: return 0;
    default: return ct_bind_raise_moved(L, ct_bind_step_object(L, 2));
    }
}

// m:instances(e) -> iterator of instance, in creation order
static int instances(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_entity e = ct_bind_check_entity(L, 2);
    ct_instances_begin(lua_newuserdata(L, sizeof(ct_instances)), manager->core, e);
    lua_pushvalue(L, 1);
    ct_bind_push_iterator(L, "instances");
    return 1;
}

const luaL_Reg ct_bind_loop_methods[] = {{"each", each}, {"instances", instances}, {NULL, NULL}};

void ct_bind_push_step(lua_State *L) { ct_bind_push_registered(L, &step_key); }

void ct_bind_open_loops(lua_State *L) {
    static const luaL_Reg none[] = {{NULL, NULL}};
    ct_bind_open_items(L);
    ct_bind_class_new(L, &loop_class, none, NULL, NULL);
    lua_pushcfunction(L, step_kept);
    ct_bind_register(L, &step_key);
    ct_bind_add_step(L, "join", step);
    ct_bind_add_step(L, "instances", step_instances);
    ct_bind_add_address(L, "next_run", (void (*)(void))next_run);
}
