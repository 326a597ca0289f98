// Loops over rows: each and instances of a manager, join and rows of a world.
// Knows nothing of fields. The rule for changes inside a loop lives here.
#include "bind/manager.h"

#include <string.h>

#define MAX_PARTS 8 // managers a join can have

// One manager in a loop. 'changes' is the store's count when a row was last
// handed out: one removal since, of that very row, is allowed.
typedef struct part {
    bind_manager *manager;
    uint32_t changes;
    ct_row handed;
} part;

typedef struct loop {
    uint32_t part_count;
    uint32_t next;    // row of parts[0] to look at next
    ct_entity entity; // of 'instances': whose components
    bool bare;        // rows instead of entity and instances
    part parts[MAX_PARTS];
} loop;

static int raise_moved(lua_State *L, const part *p) {
    return luaL_error(L, "%s: rows moved during the loop", p->manager->core->name);
}

// Whether the row handed out was removed since; raises when anything else moved.
static bool handed_row_is_gone(lua_State *L, part *p) {
    if (CT_UNLIKELY(p->manager->core == NULL)) bind_raise_gone(L, p->manager);
    const ct_store *store = &p->manager->core->store;
    if (CT_LIKELY(store->changes == p->changes)) return false;
    bool own = store->changes == p->changes + 1 && p->handed.i != CT_NO_ROW &&
               store->last_removed.i == p->handed.i;
    if (!own) raise_moved(L, p);
    p->changes = store->changes;
    return true;
}

static void hand_out(part *p, ct_row row) {
    p->handed = row;
    p->changes = p->manager->core->store.changes;
}

// The rows that the other managers of a join have for an entity; false when one has none.
static bool find_others(loop *l, ct_entity e, ct_row *rows) {
    for (uint32_t i = 1; i < l->part_count; ++i) {
        const ct_store *store = &l->parts[i].manager->core->store;
        // Managers filled together keep one order: the next row is the likely one.
        uint32_t guess = l->parts[i].handed.i + 1;
        if (guess < ct_store_count(store) && ct_store_owners(store)[guess].id == e.id &&
            (!store->multiple ||
             ct_entity_map_find(&store->map, ct_store_owners(store), ct_entity_index(e)) == guess))
            rows[i].i = guess;
        else
            rows[i] = ct_store_find(store, e);
        if (rows[i].i == CT_NO_ROW) return false;
    }
    return true;
}

static int push_step(lua_State *L, loop *l, ct_entity e, const ct_row *rows) {
    if (!l->bare) bind_push_entity(L, e);
    for (uint32_t i = 0; i < l->part_count; ++i) {
        hand_out(&l->parts[i], rows[i]);
        if (l->bare)
            lua_pushnumber(L, rows[i].i);
        else
            bind_push_instance(L, l->parts[i].manager->core, rows[i]);
    }
    return (int)l->part_count + !l->bare;
}

// upvalue 1: the loop, whose environment keeps the managers
static int step(lua_State *L) {
    loop *l = lua_touserdata(L, lua_upvalueindex(1));
    // What moved into the place of a removed row has not been seen yet.
    if (handed_row_is_gone(L, &l->parts[0])) l->next = l->parts[0].handed.i;
    for (uint32_t i = 1; i < l->part_count; ++i)
        handed_row_is_gone(L, &l->parts[i]);
    const ct_store *store = &l->parts[0].manager->core->store;
    ct_row rows[MAX_PARTS];
    for (; l->next < ct_store_count(store); ++l->next) {
        ct_entity e = ct_store_owners(store)[l->next];
        if (!ct_entity_manager_alive(store->entities, e) || !find_others(l, e, rows)) continue;
        rows[0].i = l->next++;
        return push_step(L, l, e, rows);
    }
    return 0;
}

static void init_part(part *p, bind_manager *manager) {
    p->manager = manager;
    p->changes = manager->core->store.changes;
    p->handed.i = CT_NO_ROW;
}

// The loop userdata on top, its managers at 'first' ...: pushes the iterator.
static int push_iterator(lua_State *L, int first, uint32_t count, lua_CFunction f) {
    int loop_index = lua_gettop(L);
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; ++i) {
        lua_pushvalue(L, first + (int)i);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_setfenv(L, loop_index);
    lua_pushcclosure(L, f, 1);
    return 1;
}

// m:each() -> iterator of entity, instance
static int each(lua_State *L) {
    bind_manager *manager = bind_manager_self(L);
    lua_settop(L, 1);
    loop *l = lua_newuserdata(L, sizeof *l);
    memset(l, 0, sizeof *l);
    if (manager->core == NULL) return bind_raise_gone(L, manager);
    l->part_count = 1;
    init_part(&l->parts[0], manager);
    return push_iterator(L, 1, 1, step);
}

// upvalue 1: the loop; its 'next' is the row behind the one handed out
static int step_instances(lua_State *L) {
    loop *l = lua_touserdata(L, lua_upvalueindex(1));
    part *p = &l->parts[0];
    bool gone = handed_row_is_gone(L, p);
    ct_store *store = &p->manager->core->store;
    // The last row moved into the gap: if that was the one to come, it is there now.
    if (gone && l->next == ct_store_count(store)) l->next = p->handed.i;
    if (p->handed.i != CT_NO_ROW && !gone) l->next = ct_store_next(store, p->handed).i;
    if (l->next == CT_NO_ROW || !ct_entity_manager_answers(store->entities, l->entity)) return 0;
    ct_row row = {l->next};
    hand_out(p, row);
    l->next = ct_store_next(store, row).i;
    bind_push_instance(L, p->manager->core, row);
    return 1;
}

// m:instances(e) -> iterator of instance, in creation order
static int instances(lua_State *L) {
    bind_manager *manager = bind_manager_self(L);
    ct_entity e = bind_check_entity(L, 2);
    lua_settop(L, 2);
    loop *l = lua_newuserdata(L, sizeof *l);
    memset(l, 0, sizeof *l);
    if (manager->core == NULL) return bind_raise_gone(L, manager);
    l->part_count = 1;
    l->entity = e;
    init_part(&l->parts[0], manager);
    l->next = ct_store_find(&manager->core->store, e).i;
    return push_iterator(L, 1, 1, step_instances);
}

const luaL_Reg bind_loop_methods[] = {{"each", each}, {"instances", instances}, {NULL, NULL}};

// The managers given to join and rows become manager objects of this world, in place.
static uint32_t check_managers(lua_State *L) {
    int count = lua_gettop(L) - 1;
    if (count < 1) luaL_argerror(L, 2, "component manager or name expected");
    if (count > MAX_PARTS) luaL_error(L, "too many managers in a join (%d, limit is 8)", count);
    for (int arg = 2; arg <= count + 1; ++arg) {
        bind_push_named_manager(L, 1, arg);
        lua_replace(L, arg);
    }
    return (uint32_t)count;
}

static int new_join(lua_State *L, bool bare) {
    bind_check_world(L, 1);
    uint32_t count = check_managers(L);
    loop *l = lua_newuserdata(L, sizeof *l);
    memset(l, 0, sizeof *l);
    l->part_count = count;
    l->bare = bare;
    for (uint32_t i = 0; i < count; ++i) {
        bind_manager *manager = lua_touserdata(L, 2 + (int)i);
        if (manager->core == NULL) return bind_raise_gone(L, manager);
        init_part(&l->parts[i], manager);
    }
    return push_iterator(L, 2, count, step);
}

// world:join(manager or name, ...) -> iterator of entity, instance1, instance2, ...
static int join(lua_State *L) { return new_join(L, false); }

// world:rows(manager or name, ...) -> iterator of row1, row2, ...
static int rows(lua_State *L) { return new_join(L, true); }

const luaL_Reg bind_join_methods[] = {{"join", join}, {"rows", rows}, {NULL, NULL}};
