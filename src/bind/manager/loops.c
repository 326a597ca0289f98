// Loops over rows: each and instances of a manager, join and rows of a world.
#include "bind/manager/loops.h"

#include "bind/value/compiled.h"

// Compiled loops (lua/cuttle/fast.lua) read the query.
typedef struct loop {
    ct_query query;
    const ct_bind_manager *managers[CT_MAX_JOINED];
    bool bare; // rows instead of entity and instances
} loop;

int ct_bind_raise_moved(lua_State *L, const ct_bind_manager *manager) {
    if (manager->over != NULL) return ct_bind_raise_over(L, manager);
    return luaL_error(L, "%s: rows moved during the loop", manager->core->name);
}

// The step of a loop, whose environment keeps the managers.
static int step(lua_State *L) {
    loop *l = ct_bind_step_value(L, 1);
    uint32_t fault;
    ct_query_step found = ct_query_next(&l->query, &fault);
    if (found == CT_QUERY_MOVED) return ct_bind_raise_moved(L, l->managers[fault]);
    if (found == CT_QUERY_END) return 0;
    lua_settop(L, 0);
    if (!l->bare)
        ct_bind_push_entity(
            L, ct_store_owners(&l->managers[0]->core->store)[ct_query_row(&l->query, 0).i]);
    for (uint32_t i = 0; i < l->query.part_count; ++i) {
        ct_row row = ct_query_row(&l->query, i);
        if (l->query.parts[i].role == CT_QUERY_EXCLUDED) continue;
        if (l->bare && row.i != CT_NO_ROW)
            ct_bind_push_whole(L, row.i);
        else
            ct_bind_push_instance(L, l->managers[i]->core, row);
    }
    return lua_gettop(L);
}

// A compiled loop's step from one run to the next. 'last' is the row of the first manager that it
// handed out, negative for none. Returns the next one, whose run is in the query; -1 at the end,
// -2 when the C step has to be called, which raises.
static int32_t next_run(loop *l, int32_t last) {
    uint32_t fault;
    switch (ct_query_next_run(&l->query, (uint32_t)last, &fault)) {
    case CT_QUERY_ROW: return (int32_t)l->query.first;
    case CT_QUERY_END: return -1;
    default: return -2;
    }
}

// The loop userdata on top keeps the objects of its managers, at 'first' ...
static void keep_managers(lua_State *L, int first, uint32_t count) {
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; ++i) {
        lua_pushvalue(L, first + (int)i);
        lua_rawseti(L, -2, (int)i + 1);
    }
    ct_bind_set_owned(L, -2);
}

// The iterator on top, above its loop, is replaced by a compiled one if there is a factory and it
// makes one out of loop, roles and iterator.
static void compile_iterator(lua_State *L, const ct_query *query) {
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
    ct_manager *cores[CT_MAX_JOINED];
    loop *l = lua_newuserdata(L, sizeof *l);
    l->bare = bare;
    for (uint32_t i = 0; i < count; ++i) {
        l->managers[i] = ct_bind_object_at(L, first + (int)i);
        cores[i] = l->managers[i]->core;
    }
    ct_query_begin(&l->query, count, cores, roles);
    keep_managers(L, first, count);
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

// The step of a loop: the loop, the manager
static int step_instances(lua_State *L) {
    ct_instances *l = ct_bind_step_value(L, 1);
    switch (ct_instances_next(l)) {
    case CT_QUERY_ROW: ct_bind_push_instance(L, l->manager, l->rows.handed); return 1;
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

void ct_bind_open_loops(lua_State *L) {
    ct_bind_add_step(L, "join", step);
    ct_bind_add_step(L, "instances", step_instances);
    ct_bind_add_address(L, "next_run", (void (*)(void))next_run);
}
