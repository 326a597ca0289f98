// The worlds of an EntityManager, all at once, for what is done with the whole.
#include "bind/snapshot/all_worlds.h"

// Pushes the next world object, or nothing at the end.
static bool push_next(lua_State *L, ct_bind_world **next) {
    for (; *next != NULL; *next = (*next)->next) {
        ct_bind_recall(L, *next);
        if (lua_istable(L, -1)) {
            lua_getfield(L, -1, "world");
            lua_remove(L, -2);
            if (ct_bind_test_handle(L, -1, &ct_bind_world_kind) == *next) return true;
        }
        lua_pop(L, 1);
    }
    return false;
}

void ct_bind_push_worlds(lua_State *L, ct_bind_entities *entities, ct_bind_worlds *w) {
    uint32_t count = 0, room = 0;
    for (const ct_bind_world *next = entities->worlds; next != NULL; next = next->next)
        room++;
    luaL_checkstack(L, (int)room + 2 * LUA_MINSTACK, "too many worlds");
    ct_snapshot_world *items =
        lua_newuserdata(L, room * (sizeof *items + sizeof(ct_bind_host_call)) + 1);
    *w = (ct_bind_worlds){
        .items = items, .calls = (void *)(items + room), .first = lua_gettop(L) + 1};
    for (ct_bind_world *next = entities->worlds; count < room && push_next(L, &next);
         next = next->next, ++count) {
        w->calls[count] = (ct_bind_host_call){.world = w->first + (int)count};
        items[count] =
            (ct_snapshot_world){next->name, &next->core, &next->levels, &w->calls[count]};
    }
    w->core = (ct_snapshot_worlds){&entities->core, items, count};
}

bool ct_bind_are_all_worlds(lua_State *L, const ct_bind_entities *entities,
                            const ct_bind_worlds *w) {
    uint32_t count = 0;
    for (ct_bind_world *next = entities->worlds; push_next(L, &next); next = next->next) {
        lua_pop(L, 1);
        if (count == w->core.count || &next->core != w->items[count++].world) return false;
    }
    return count == w->core.count;
}
