// Loops over rows: each and instances of a manager; queries, join and rows of a world.
#include "bind/manager/loops.h"

#include "bind/value/compiled.h"
#include "bind/value/mailbox.h"

#include <math.h>

typedef struct ct_bind_loop {
    ct_walk core; // first: compiled loops (lua/cuttle/items.lua) read it
    ct_bind_loop_kind kind;
    uint32_t count;
    ct_bind_manager *managers[CT_MAX_JOINED];
    ct_query_role roles[CT_MAX_JOINED];
    bool chooses;
    ct_cursor cursors[CT_MAX_JOINED]; // of the items
    bool open;                        // a step may follow
    bool by_hand; // a script called the iterator itself, and may call it again at any time
    bool stepped; // the iterator was called
    int found;    // in the first loop of a pool: where the search for another one begins
    const ct_bind_manager *moved; // its rows moved, so that further steps raise; or NULL
    const lua_State *thread;      // coroutine that began the loop
    const void *iterator;         // address of the function
} ct_bind_loop;

static const ct_bind_kind loop_class = {"loop"};
static const char step_key = 0;

int ct_bind_raise_moved(lua_State *L, const ct_bind_manager *manager) {
    if (manager->destroyed != NULL) return ct_bind_raise_destroyed(L, manager);
    return luaL_error(L, "%s: rows moved during the loop", manager->core->name);
}

static bool is_excluded(const ct_bind_loop *l, uint32_t part) {
    return l->roles[part] == CT_QUERY_EXCLUDED;
}

// ---------------------------------------------------------------- steps

// Ends the loop. Its items refer to no row from now on.
static void close_loop(ct_bind_loop *l) {
    l->open = false;
    l->core.row = CT_WALK_NO_ROW;
    l->core.stop = 0;
    l->core.places = 0;
    for (uint32_t i = 0; i < l->count; ++i)
        l->core.offsets[i] = 0;
}

static void place_cursors(ct_bind_loop *l) {
    for (uint32_t i = 0; l->kind == CT_BIND_LOOP_ITEMS && i < l->count; ++i)
        if (!is_excluded(l, i)) ct_cursor_place(&l->cursors[i]);
}

static inline ct_query_step find_run(ct_bind_loop *l, uint32_t *fault) {
    ct_query_step found = ct_walk_next_run(&l->core, fault);
    if (found == CT_QUERY_ROW) place_cursors(l);
    return found;
}

// Goes to the next row of a compiled loop, usually the first one of a run. Its iterator was called
// with that number of arguments. Returns the row, -1 at the end, or -2 if the step in C must be
// called, which raises.
static int32_t next_run(ct_bind_loop *l, int32_t arguments) {
    uint32_t fault;
    if (!l->open) return l->moved != NULL ? -2 : -1;
    l->by_hand = l->by_hand || arguments == 0;
    l->stepped = true;
    ct_walk_load_owners(&l->core);
    if (ct_walk_step(&l->core)) return (int32_t)l->core.row; // only the columns have moved
    switch (find_run(l, &fault)) {
    case CT_QUERY_ROW: return (int32_t)l->core.row;
    case CT_QUERY_END: close_loop(l); return -1;
    default: return -2;
    }
}

// Goes to the next row of a compiled loop over instances, and stores the entity in the mailbox and
// the instances by part, NaN for an absent component. Returns the slot of the entity, 0 at the end,
// or -1 if the step in C must be called.
static int32_t each_row(const ct_bind_mailbox *mailbox, ct_bind_loop *l, int32_t arguments,
                        double *instances) {
    if (!ct_bind_can_post(mailbox)) return -1;
    if (!ct_walk_step(&l->core)) {
        int32_t row = next_run(l, arguments);
        if (row < 0) return row == -1 ? 0 : -1;
    }
    for (uint32_t i = 0; i < l->count; ++i) {
        ct_row row = {l->core.row + l->core.offsets[i]};
        if (is_excluded(l, i)) continue;
        const bool absent = row.i == CT_WALK_NO_ROW;
        instances[i] = absent ? NAN : ct_store_instance(&l->managers[i]->core->store, row);
    }
    return ct_bind_post_entity(mailbox, l->core.entity);
}

static int push_rows(lua_State *L, const ct_bind_loop *l) {
    int top = lua_gettop(L);
    bool bare = l->kind == CT_BIND_LOOP_ROWS;
    if (!bare) ct_bind_push_entity(L, l->core.entity);
    for (uint32_t i = 0; i < l->count; ++i) {
        uint32_t row = l->core.row + l->core.offsets[i];
        if (is_excluded(l, i)) continue;
        if (row == CT_WALK_NO_ROW)
            lua_pushnil(L);
        else if (bare)
            ct_bind_push_whole(L, row);
        else
            ct_bind_push_instance(L, l->managers[i]->core, (ct_row){row});
    }
    return lua_gettop(L) - top;
}

// Pushes the items, which are the upvalues of the step from 2 on.
static int push_items(lua_State *L, const ct_bind_loop *l) {
    int count = 0;
    for (uint32_t i = 0; i < l->count; ++i) {
        if (is_excluded(l, i)) continue;
        count++;
        if (l->core.row + l->core.offsets[i] == CT_WALK_NO_ROW)
            lua_pushnil(L);
        else
            lua_pushvalue(L, lua_upvalueindex(1 + count));
    }
    return count;
}

// Pushes the results of the next step, or raises.
static int advance(lua_State *L, ct_bind_loop *l) {
    uint32_t fault;
    if (!l->open) return l->moved != NULL ? ct_bind_raise_moved(L, l->moved) : 0;
    ct_query_step found = ct_walk_step(&l->core) ? CT_QUERY_ROW : find_run(l, &fault);
    if (CT_LIKELY(found == CT_QUERY_ROW))
        return l->kind == CT_BIND_LOOP_ITEMS ? push_items(L, l) : push_rows(L, l);
    if (found == CT_QUERY_END || !l->by_hand) close_loop(l);
    if (found == CT_QUERY_END) return 0;
    l->moved = l->managers[fault];
    return ct_bind_raise_moved(L, l->moved);
}

// Iterator of a loop. A compiled iterator calls it without upvalues and with the loop as an
// additional first argument. A 'for' statement passes two arguments.
static int step(lua_State *L) {
    bool kept = lua_touserdata(L, lua_upvalueindex(1)) != NULL;
    ct_bind_loop *l = ct_bind_check_handle(L, kept ? lua_upvalueindex(1) : 1, &loop_class);
    if (CT_UNLIKELY(lua_gettop(L) == (kept ? 0 : 1))) l->by_hand = true;
    l->stepped = true;
    return advance(L, l);
}

// ---------------------------------------------------------------- new loops

// Pushes the block of a new loop.
static ct_bind_loop *push_block(lua_State *L, const ct_bind_loop_setup *setup) {
    lua_createtable(L, 1, 0);
    ct_bind_push_block(L, setup->object);
    lua_rawseti(L, -2, 1);
    ct_bind_loop *l = ct_bind_block_new(L, sizeof *l, lua_gettop(L));
    lua_remove(L, -2);
    ct_manager *cores[CT_MAX_JOINED];
    bool single = false;
    l->kind = setup->kind;
    l->count = setup->count;
    l->chooses = setup->chooses;
    for (uint32_t i = 0; i < setup->count; ++i) {
        ct_bind_manager *manager = setup->managers[i];
        l->managers[i] = manager;
        l->roles[i] = setup->roles[i];
        cores[i] = manager->core;
        ct_cursor_init(&l->cursors[i], &l->core, i, cores[i]);
        single = single || (l->kind == CT_BIND_LOOP_ITEMS && cores[i]->store.multiple);
    }
    ct_walk_init(&l->core, setup->matches, single, l->count, cores, l->roles);
    return l;
}

// Pushes an iterator that LuaJIT compiles, and returns true, if a factory exists and creates one.
// Its arguments are the object that the loop is over, the loop and its address, the roles, the
// kind, the step in C, the addresses of the entity manager and of 'moves' of the first store, and
// the items.
static bool push_compiled(lua_State *L, int loop, int items, const ct_bind_loop_setup *setup) {
    static const char marks[] = {
        [CT_QUERY_REQUIRED] = '+', [CT_QUERY_EXCLUDED] = '!', [CT_QUERY_OPTIONAL] = '?'};
    static const char *const kinds[] = {[CT_BIND_LOOP_INSTANCES] = "each",
                                        [CT_BIND_LOOP_ROWS] = "rows",
                                        [CT_BIND_LOOP_ITEMS] = "items"};
    char roles[CT_MAX_JOINED];
    ct_bind_loop *l = ct_bind_object_at(L, loop);
    const void *entities = l->core.entities, *moves = &l->core.first->columns.moves;
    if (!ct_bind_push_maker(L, "loop")) return false;
    for (uint32_t i = 0; i < setup->count; ++i)
        roles[i] = marks[setup->roles[i]];
    lua_pushvalue(L, setup->object);
    lua_pushvalue(L, loop);
    lua_pushlstring(L, (const char *)&l, sizeof l);
    lua_pushlstring(L, roles, setup->count);
    lua_pushstring(L, kinds[setup->kind]);
    ct_bind_push_registered(L, &step_key);
    lua_pushlstring(L, (const char *)&entities, sizeof entities);
    lua_pushlstring(L, (const char *)&moves, sizeof moves);
    for (int i = loop + 1; i <= items; ++i)
        lua_pushvalue(L, i);
    lua_call(L, 8 + items - loop, 1);
    return lua_isfunction(L, -1);
}

// Pushes a new loop and its iterator. The iterator keeps the loop, the loop keeps the object.
static ct_bind_loop *push_new_loop(lua_State *L, const ct_bind_loop_setup *setup) {
    int block = lua_gettop(L) + 1, loop = block + 1;
    luaL_checkstack(L, 2 * CT_MAX_JOINED + LUA_MINSTACK, "too many managers");
    ct_bind_loop *l = push_block(L, setup);
    lua_pushvalue(L, block);
    ct_bind_handle_new(L, &loop_class, l);
    lua_createtable(L, 1, 0);
    ct_bind_copy_item(L, -1, 1, setup->object);
    ct_bind_set_owned(L, loop);
    for (uint32_t i = 0; setup->kind == CT_BIND_LOOP_ITEMS && i < setup->count; ++i) {
        if (setup->roles[i] == CT_QUERY_EXCLUDED) continue;
        ct_bind_push_new_item(L, &l->cursors[i], block);
        ct_bind_compile_item(L, &l->cursors[i]);
    }
    int items = lua_gettop(L);
    if (!push_compiled(L, loop, items, setup)) {
        lua_settop(L, items);
        for (int i = loop; i <= items; ++i)
            lua_pushvalue(L, i);
        lua_pushcclosure(L, step, items - loop + 1);
    }
    lua_replace(L, block);
    lua_settop(L, loop);
    lua_insert(L, block);
    l->iterator = lua_topointer(L, loop);
    return l;
}

// ---------------------------------------------------------------- beginning

// Number of loops that a pool keeps. A program that leaves loops by break may use more.
enum { KEPT_LOOPS = 16 };

// Removes the loops whose iterators are in slots of the stack. A 'for' statement keeps its iterator
// in one. Returns the number of the others.
static int remove_used(lua_State *L, ct_bind_loop **loops, int count) {
    lua_Debug frame;
    for (int level = 1; count > 0 && lua_getstack(L, level, &frame) != 0; ++level) {
        for (int n = 1; lua_getlocal(L, &frame, n) != NULL; ++n) {
            const void *value = lua_topointer(L, -1);
            lua_pop(L, 1);
            for (int i = count - 1; i >= 0; --i)
                if (loops[i]->iterator == value) loops[i] = loops[--count];
        }
    }
    return count;
}

// Closes the loops of a full pool that break, return or an error has left: a 'for' statement of
// this coroutine has called the iterator, and no slot of the stack contains it any more.
static void close_lost(lua_State *L, int pool) {
    ct_bind_loop *loops[KEPT_LOOPS];
    int count = 0;
    for (int i = 0; i < KEPT_LOOPS; ++i) {
        lua_rawgeti(L, pool, i * 2 + 1);
        ct_bind_loop *l = ct_bind_check_handle(L, -1, &loop_class);
        l->found = 0;
        if (l->open && l->thread == L && l->stepped && !l->by_hand) loops[count++] = l;
        lua_pop(L, 1);
    }
    count = remove_used(L, loops, count);
    for (int i = 0; i < count; ++i)
        close_loop(loops[i]);
}

// Pushes a loop that has ended and its iterator, and returns it: the first loop of the pool if that
// has ended. Returns NULL if none was found; *place is then where a new one belongs.
static ct_bind_loop *push_ended_loop(lua_State *L, int pool, int *place) {
    ct_bind_loop *first = NULL;
    for (*place = 1;; *place += 2) {
        lua_rawgeti(L, pool, *place);
        ct_bind_loop *l = ct_bind_test_handle(L, -1, &loop_class);
        if (CT_LIKELY(l != NULL && !l->open && !l->by_hand)) {
            if (first != NULL) first->found = *place;
            lua_rawgeti(L, pool, *place + 1);
            return l;
        }
        lua_pop(L, 1);
        if (l == NULL || l->by_hand) return NULL;
        if (first == NULL && l->found > 1) *place = l->found - 2;
        if (first == NULL) first = l;
    }
}

// Pushes a loop that is not in use, and its iterator.
static ct_bind_loop *push_free_loop(lua_State *L, int pool, const ct_bind_loop_setup *setup) {
    int place;
    ct_bind_loop *l = push_ended_loop(L, pool, &place);
    if (l == NULL && place > KEPT_LOOPS * 2) {
        close_lost(L, pool);
        l = push_ended_loop(L, pool, &place);
    }
    if (l != NULL) return l;
    l = push_new_loop(L, setup);
    if (place > KEPT_LOOPS * 2) return l;
    for (int i = 0; i < 2; ++i) {
        ct_bind_copy_item(L, pool, place + i, i - 2);
    }
    return l;
}

// Begins an ended loop. Returns NULL, or the manager that has ended.
static const ct_bind_manager *begin(ct_bind_loop *l, const lua_State *thread) {
    for (uint32_t i = 0; i < l->count; ++i)
        if (CT_UNLIKELY(l->managers[i]->destroyed != NULL)) return l->managers[i];
    ct_walk_begin(&l->core);
    l->open = !l->chooses;
    l->stepped = false;
    l->moved = NULL;
    l->thread = thread;
    return NULL;
}

// Begins the loop of a compiled iterator. Returns 1, or 0 if the method in C must be called.
// If the loop follows tuples, its first step is compiled, too.
static int32_t begin_again(ct_bind_loop *l) {
    if (l->open || l->by_hand || l->chooses || ct_entity_manager_is_frozen(l->core.entities) ||
        begin(l, NULL) != NULL)
        return 0;
    if (ct_walk_use_tuples(&l->core)) place_cursors(l);
    return 1;
}

void ct_bind_loop_choose(lua_State *L, int loop, const ct_query *matches, uint32_t *bits) {
    ct_bind_loop *l = ct_bind_check_handle(L, loop, &loop_class);
    ct_loop_choose(&l->core.loop, bits);
    for (uint32_t i = 0; i < matches->count; ++i)
        ct_loop_choose_row(&l->core.loop, ct_query_row(matches, 0, i));
    l->open = true;
}

int ct_bind_push_loop(lua_State *L, int pool, const ct_bind_loop_setup *setup) {
    if (CT_UNLIKELY(!lua_istable(L, pool))) ct_bind_raise_replaced(L);
    const ct_bind_manager *ended = begin(push_free_loop(L, pool, setup), L);
    if (CT_UNLIKELY(ended != NULL)) ct_bind_raise_destroyed(L, ended);
    return 1;
}

// Pushes the pool of m:each.
static void push_pool(lua_State *L, const ct_bind_manager *manager) {
    ct_bind_push_manager_table(L, manager);
    ct_bind_push_subtable(L, "loops");
    lua_remove(L, -2);
}

// m:each() -> iterator of entity, instance
static int each(lua_State *L) {
    static const ct_query_role required[] = {CT_QUERY_REQUIRED};
    enum { SELF = 1, POOL };
    ct_bind_manager *manager = ct_bind_manager_self(L);
    lua_settop(L, SELF);
    push_pool(L, manager);
    const ct_bind_loop_setup setup = {
        CT_BIND_LOOP_INSTANCES, 1, &manager, required, NULL, false, SELF};
    return ct_bind_push_loop(L, POOL, &setup);
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

void ct_bind_open_loops(lua_State *L) {
    ct_bind_open_items(L);
    ct_bind_open_compiled_items(L);
    ct_bind_class_new(L, &loop_class, NULL, NULL, NULL);
    lua_pushcfunction(L, step);
    ct_bind_register(L, &step_key);
    ct_bind_add_step(L, "instances", step_instances);
    ct_bind_add_address(L, "next_run", (void (*)(void))next_run);
    ct_bind_add_address(L, "each_row", (void (*)(void))each_row);
    ct_bind_add_address(L, "begin_again", (void (*)(void))begin_again);
}
