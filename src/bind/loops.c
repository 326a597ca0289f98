// Loops over rows: each and instances of a manager, join and rows of a world.
// Knows nothing of fields. The rule for changes inside a loop lives here.
#include "bind/compiled.h"
#include "bind/manager.h"

#include <string.h>

#define MAX_PARTS 8 // managers a join can have
#define LONGEST_RUN 256

// One manager in a loop. 'changes' is the store's count when a row was last
// handed out: one removal since, of that very row, is allowed.
typedef struct part {
    ct_bind_manager *manager;
    uint32_t changes;
    ct_row handed;
    uint32_t offset; // in the present run: from the row of parts[0] to the one here
} part;

// A compiled loop (lua/cuttle/fast.lua, which mirrors the first members) is told of a run:
// from 'first' on, up to 'stop', every row of parts[0] may be handed out, with the rows at
// the same offsets in the others, until somebody dies or a row moves.
typedef struct loop {
    const uint32_t *deaths; // of the entity manager, now
    uint32_t deaths_seen;   // when the run was found
    uint32_t stop;
    part parts[MAX_PARTS];
    uint32_t part_count;
    uint32_t first;
    uint32_t run_limit;
    uint32_t next;    // row of parts[0] to look at next
    ct_entity entity; // of 'instances': whose components
    bool bare;        // rows instead of entity and instances
} loop;

typedef enum outcome { HANDED_OUT, ENDED, DISTURBED } outcome;

// Notes whether the row handed out was removed since; false when anything else moved, or the
// manager is gone.
static bool look_for_changes(part *p, bool *handed_row_is_gone) {
    *handed_row_is_gone = false;
    if (CT_UNLIKELY(p->manager->core == NULL)) return false;
    const ct_store *store = &p->manager->core->store;
    if (CT_LIKELY(store->changes == p->changes)) return true;
    if (store->changes != p->changes + 1 || p->handed.i == CT_NO_ROW ||
        store->last_removed.i != p->handed.i)
        return false;
    p->changes = store->changes;
    *handed_row_is_gone = true;
    return true;
}

static int raise_disturbed(lua_State *L, const part *p) {
    if (p->manager->core == NULL) return ct_bind_raise_gone(L, p->manager);
    return luaL_error(L, "%s: rows moved during the loop", p->manager->core->name);
}

static void hand_out(part *p, ct_row row) {
    p->handed = row;
    p->changes = p->manager->core->store.changes;
}

// Whether a row is the first of an entity.
static bool is_first_of(const ct_store *store, uint32_t row, ct_entity e) {
    return row < ct_store_count(store) && ct_store_owners(store)[row].id == e.id &&
           (!store->multiple ||
            ct_entity_map_find(&store->map, ct_store_owners(store), ct_entity_index(e)) == row);
}

// The rows that the other managers of a join have for an entity; false when one has none.
static bool find_others(loop *l, ct_entity e, ct_row *rows) {
    for (uint32_t i = 1; i < l->part_count; ++i) {
        const ct_store *store = &l->parts[i].manager->core->store;
        // Managers filled together keep one order: the next row is the likely one.
        uint32_t guess = l->parts[i].handed.i + 1;
        if (is_first_of(store, guess, e))
            rows[i].i = guess;
        else
            rows[i] = ct_store_find(store, e);
        if (rows[i].i == CT_NO_ROW) return false;
    }
    return true;
}

// The next rows, in parts[].handed. What disturbs the loop is left in *fault.
static outcome advance(loop *l, part **fault) {
    for (uint32_t i = 0; i < l->part_count; ++i) {
        bool gone;
        *fault = &l->parts[i];
        if (!look_for_changes(&l->parts[i], &gone)) return DISTURBED;
        // What moved into the place of a removed row has not been seen yet.
        if (gone && i == 0) l->next = l->parts[0].handed.i;
    }
    const ct_store *store = &l->parts[0].manager->core->store;
    ct_row rows[MAX_PARTS];
    for (; l->next < ct_store_count(store); ++l->next) {
        ct_entity e = ct_store_owners(store)[l->next];
        if (!ct_entity_manager_alive(store->entities, e) || !find_others(l, e, rows)) continue;
        rows[0].i = l->next++;
        for (uint32_t i = 0; i < l->part_count; ++i)
            hand_out(&l->parts[i], rows[i]);
        return HANDED_OUT;
    }
    return ENDED;
}

// upvalue 1: the loop, whose environment keeps the managers
static int step(lua_State *L) {
    loop *l = lua_touserdata(L, lua_upvalueindex(1));
    part *fault;
    outcome found = advance(l, &fault);
    if (found == DISTURBED) return raise_disturbed(L, fault);
    if (found == ENDED) return 0;
    if (!l->bare)
        ct_bind_push_entity(
            L, ct_store_owners(&l->parts[0].manager->core->store)[l->parts[0].handed.i]);
    for (uint32_t i = 0; i < l->part_count; ++i) {
        if (l->bare)
            lua_pushnumber(L, l->parts[i].handed.i);
        else
            ct_bind_push_instance(L, l->parts[i].manager->core, l->parts[i].handed);
    }
    return (int)l->part_count + !l->bare;
}

// ---------------------------------------------------------------- compiled loops

// Whether 'row' of parts[0] goes on with the run: a living owner whose rows in the others lie
// where the run says.
static bool continues_run(const loop *l, uint32_t row) {
    const ct_store *store = &l->parts[0].manager->core->store;
    ct_entity e = ct_store_owners(store)[row];
    if (!ct_entity_manager_alive(store->entities, e)) return false;
    for (uint32_t i = 1; i < l->part_count; ++i) {
        if (!is_first_of(&l->parts[i].manager->core->store, row + l->parts[i].offset, e))
            return false;
    }
    return true;
}

// Finds the run that begins with the rows handed out.
static void find_run(loop *l) {
    uint32_t first = l->parts[0].handed.i;
    uint32_t count = ct_store_count(&l->parts[0].manager->core->store);
    uint32_t limit = count - first < l->run_limit ? count : first + l->run_limit;
    for (uint32_t i = 0; i < l->part_count; ++i)
        l->parts[i].offset = l->parts[i].handed.i - first;
    uint32_t row = first + 1;
    while (row < limit && continues_run(l, row))
        row++;
    l->first = first;
    l->stop = row;
    l->deaths_seen = *l->deaths;
}

// A compiled loop's step from one run to the next. 'last' is the row of parts[0] that it handed
// out, negative when that was told here. Answers the next one and finds its run; -1 at the
// end, -2 when the C step has to be called, which raises.
static int32_t next_run(loop *l, int32_t last) {
    // A loop that disturbs its own runs gets short ones, so that finding them stays cheap.
    bool consumed = last >= 0 && (uint32_t)last + 1 == l->stop;
    if (consumed && l->run_limit < LONGEST_RUN) l->run_limit *= 2;
    if (!consumed) l->run_limit = 4;
    if (last >= 0 && (uint32_t)last >= l->first && (uint32_t)last < l->stop) {
        for (uint32_t i = 0; i < l->part_count; ++i)
            l->parts[i].handed.i = (uint32_t)last + l->parts[i].offset;
        l->next = (uint32_t)last + 1;
    }
    part *fault;
    outcome found = advance(l, &fault);
    if (found == HANDED_OUT) {
        find_run(l);
        return (int32_t)l->first;
    }
    l->first = l->stop = 0;
    return found == ENDED ? -1 : -2;
}

// ---------------------------------------------------------------- one manager

static void init_part(part *p, ct_bind_manager *manager) {
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
    ct_bind_manager *manager = ct_bind_manager_self(L);
    lua_settop(L, 1);
    loop *l = lua_newuserdata(L, sizeof *l);
    memset(l, 0, sizeof *l);
    if (manager->core == NULL) return ct_bind_raise_gone(L, manager);
    l->part_count = 1;
    init_part(&l->parts[0], manager);
    return push_iterator(L, 1, 1, step);
}

// upvalue 1: the loop; its 'next' is the row behind the one handed out
static int step_instances(lua_State *L) {
    loop *l = lua_touserdata(L, lua_upvalueindex(1));
    part *p = &l->parts[0];
    bool gone;
    if (!look_for_changes(p, &gone)) return raise_disturbed(L, p);
    ct_store *store = &p->manager->core->store;
    // The last row moved into the gap: if that was the one to come, it is there now.
    if (gone && l->next == ct_store_count(store)) l->next = p->handed.i;
    if (p->handed.i != CT_NO_ROW && !gone) l->next = ct_store_next(store, p->handed).i;
    if (l->next == CT_NO_ROW || !ct_entity_manager_answers(store->entities, l->entity)) return 0;
    ct_row row = {l->next};
    hand_out(p, row);
    l->next = ct_store_next(store, row).i;
    ct_bind_push_instance(L, p->manager->core, row);
    return 1;
}

// m:instances(e) -> iterator of instance, in creation order
static int instances(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_entity e = ct_bind_check_entity(L, 2);
    lua_settop(L, 2);
    loop *l = lua_newuserdata(L, sizeof *l);
    memset(l, 0, sizeof *l);
    if (manager->core == NULL) return ct_bind_raise_gone(L, manager);
    l->part_count = 1;
    l->entity = e;
    init_part(&l->parts[0], manager);
    l->next = ct_store_find(&manager->core->store, e).i;
    return push_iterator(L, 1, 1, step_instances);
}

const luaL_Reg ct_bind_loop_methods[] = {{"each", each}, {"instances", instances}, {NULL, NULL}};

// The managers given to join and rows become manager objects of this world, in place.
static uint32_t check_managers(lua_State *L) {
    int count = lua_gettop(L) - 1;
    if (count < 1) luaL_argerror(L, 2, "component manager or name expected");
    if (count > MAX_PARTS)
        luaL_error(L, "too many managers in a join (%d, limit is %d)", count, MAX_PARTS);
    for (int arg = 2; arg <= count + 1; ++arg) {
        ct_bind_push_named_manager(L, 1, arg);
        lua_replace(L, arg);
    }
    return (uint32_t)count;
}

// The C iterator on top is replaced by a compiled one if there is a maker and it makes one out of
// loop, number of managers and C iterator.
static void compile_iterator(lua_State *L, uint32_t count) {
    int top = lua_gettop(L);
    if (!ct_bind_push_maker(L, "rows")) return;
    lua_getupvalue(L, top, 1);
    lua_pushnumber(L, count);
    lua_pushvalue(L, top);
    lua_call(L, 3, 1);
    if (lua_isnil(L, -1)) lua_settop(L, top);
}

static int new_join(lua_State *L, bool bare) {
    ct_bind_check_world(L, 1);
    uint32_t count = check_managers(L);
    loop *l = lua_newuserdata(L, sizeof *l);
    memset(l, 0, sizeof *l);
    l->part_count = count;
    l->bare = bare;
    for (uint32_t i = 0; i < count; ++i) {
        ct_bind_manager *manager = lua_touserdata(L, 2 + (int)i);
        if (manager->core == NULL) return ct_bind_raise_gone(L, manager);
        init_part(&l->parts[i], manager);
    }
    const ct_bind_manager *first = l->parts[0].manager;
    l->deaths = &first->core->store.entities->deaths;
    push_iterator(L, 2, count, step);
    if (bare) compile_iterator(L, count);
    return 1;
}

// world:join(manager or name, ...) -> iterator of entity, instance1, instance2, ...
static int join(lua_State *L) { return new_join(L, false); }

// world:rows(manager or name, ...) -> iterator of row1, row2, ...
static int rows(lua_State *L) { return new_join(L, true); }

const luaL_Reg ct_bind_join_methods[] = {{"join", join}, {"rows", rows}, {NULL, NULL}};

void ct_bind_open_loops(lua_State *L) {
    ct_bind_add_address(L, "next_run", (void (*)(void))next_run);
}
