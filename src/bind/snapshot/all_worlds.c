// All worlds of an EntityManager.
#include "bind/snapshot/all_worlds.h"

// Pushes the next world object. At the end returns false and pushes nothing.
static bool push_next(lua_State *L, const ct_world_name **next) {
    for (; *next != NULL; *next = (*next)->older) {
        ct_bind_push_world_object(L, (*next)->world);
        if (!lua_isnil(L, -1)) return true;
        lua_pop(L, 1);
    }
    return false;
}

// Counts changes of bodies and values: each new value gets a serial number.
static uint64_t count_changes(lua_State *L, const ct_bind_worlds *w) {
    uint64_t changes = ct_bind_state_of(L)->lua_value_changes;
    for (uint32_t i = 0; i < w->core.count; ++i) {
        const ct_world *world = w->items[i].world;
        if (world != NULL) changes += world->values.serial; // always true; for the analyzer
    }
    return changes;
}

void ct_bind_push_worlds(lua_State *L, ct_bind_entities *entities, ct_bind_worlds *w) {
    uint32_t count = 0, room = 0;
    for (const ct_world_name *n = entities->worlds.youngest; n != NULL; n = n->older)
        room++;
    luaL_checkstack(L, (int)room + 2 * LUA_MINSTACK, "too many worlds");
    ct_snapshot_world *items =
        lua_newuserdata(L, room * (sizeof *items + sizeof(ct_bind_host_call)) + 1);
    *w = (ct_bind_worlds){
        .items = items, .calls = (void *)(items + room), .first = lua_gettop(L) + 1};
    const ct_world_name *next = entities->worlds.youngest;
    for (; count < room && push_next(L, &next); next = next->older, ++count) {
        ct_bind_world *world = ct_bind_world_of(L, -1);
        w->calls[count] = (ct_bind_host_call){.world = w->first + (int)count};
        items[count] =
            (ct_snapshot_world){next->text, &world->core, &world->levels, &w->calls[count]};
    }
    w->core = (ct_snapshot_worlds){&entities->core, items, count};
    w->changes = count_changes(L, w);
}

bool ct_bind_are_all_worlds(lua_State *L, const ct_bind_entities *entities,
                            const ct_bind_worlds *w) {
    uint32_t count = 0;
    const ct_world_name *next = entities->worlds.youngest;
    for (; push_next(L, &next); next = next->older) {
        lua_pop(L, 1);
        if (count == w->core.count || next->world != w->items[count++].world) return false;
    }
    return count == w->core.count && w->changes == count_changes(L, w);
}
