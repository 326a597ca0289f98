// Managers whose components keep something outside of the core: what their worlds do about it.
// Knows nothing of what they keep.
#include "bind/keeper.h"

#include <string.h>

const ct_bind_keeper *ct_bind_keeper_of(const ct_manager *core) {
    for (const ct_bind_keeper *const *keeper = ct_bind_keepers; *keeper != NULL; ++keeper) {
        if (strcmp((*keeper)->name, core->name) == 0) return *keeper;
    }
    return NULL;
}

void ct_bind_empty_keepers(lua_State *L, int world, int error_slot, bool last) {
    ct_bind_world *object = lua_touserdata(L, world);
    world = ct_bind_absindex(L, world);
    error_slot = ct_bind_absindex(L, error_slot);
    for (const ct_bind_keeper *const *keeper = ct_bind_keepers; *keeper != NULL; ++keeper) {
        if (!object->alive) return;
        const ct_manager *core = ct_world_find(&object->core, (*keeper)->name);
        if (core == NULL) continue;
        ct_bind_push_manager(L, world, core);
        (*keeper)->empty(L, lua_gettop(L), error_slot, last);
        lua_pop(L, 1);
    }
}

void ct_bind_check_nesting(lua_State *L) {
    enum { DEEPEST = 100 };
    if (ct_bind_state_of(L)->callbacks >= DEEPEST)
        luaL_error(L, "too many nested callbacks (limit is %d)", DEEPEST);
}

int ct_bind_call_furnish(lua_State *L, int arguments) {
    ct_bind_state *state = ct_bind_state_of(L);
    state->callbacks++;
    int problem = lua_pcall(L, arguments, 0, 0);
    state->callbacks--;
    return problem;
}

// Last row first, while these are the last rows: then nothing moves, and loops do not notice.
static void take_rows(ct_manager *manager, uint32_t count, const ct_entity *entities) {
    ct_store *store = &manager->store;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t rows = ct_store_count(store);
        if (rows > 0 && ct_store_owners(store)[rows - 1].id == entities[i].id)
            ct_manager_take_back(manager, 1);
        else
            ct_store_remove_all(store, entities[i]);
    }
}

void ct_bind_undo_entities(lua_State *L, int world, uint32_t count, const ct_entity *entities) {
    const ct_bind_world *object = lua_touserdata(L, world);
    int top = lua_gettop(L);
    ct_bind_push_world_entities(L, world);
    lua_pushnil(L);
    const ct_bind_destroy destroy = {L, top + 1, top + 2};
    ct_bind_destroy_now(&destroy, count, entities);
    for (uint32_t i = 0; object->alive && i < object->core.manager_count; ++i)
        take_rows(object->core.managers[i], count, entities);
    lua_settop(L, top);
}
