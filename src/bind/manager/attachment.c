// What components keep with the binding: when it is made, ended and replaced.
// Knows nothing of what is kept.
#include "bind/manager/attachment.h"

// ---------------------------------------------------------------- its end

static void entity_died(void *user, void *context, ct_entity e) {
    ct_bind_manager *manager = user;
    const ct_bind_destroy *destroying = context;
    ct_row row = ct_store_find(&manager->core->store, e);
    if (row.i != CT_NO_ROW)
        manager->attachment->detach(destroying->L, manager, row, destroying->error_slot);
}

void ct_bind_destroy_component(lua_State *L, ct_bind_manager *manager, ct_row row) {
    manager->attachment->push(L, manager, row);
    if (!lua_isnil(L, -1)) ct_bind_check_nesting(L);
    lua_pushnil(L);
    row = manager->attachment->detach(L, manager, row, lua_gettop(L));
    if (row.i != CT_NO_ROW) ct_store_remove(&manager->core->store, row);
    if (!lua_isnil(L, -1)) lua_error(L);
}

void ct_bind_check_making(lua_State *L, ct_bind_manager *manager) {
    ct_bind_check_nesting(L);
    if (manager->detaching)
        luaL_error(L, "%s: %s", manager->core->name, manager->attachment->refused);
    if (manager->listener != 0) return;
    // 1: after the callbacks that scripts registered themselves.
    ct_status status = ct_entity_manager_listen(manager->core->store.entities, entity_died, manager,
                                                1, &manager->listener);
    if (status != CT_OK) ct_bind_raise_status(L, status, "callbacks", 0, "");
}

void ct_bind_detach_all(lua_State *L, ct_bind_manager *manager, int error_slot, bool last) {
    if (manager == NULL || manager->listener == 0) return; // nothing was ever made
    const ct_store *store = &manager->core->store;
    manager->detaching = true;
    // From the end: what a callback's removal moves down has been looked at already.
    for (uint32_t row = ct_store_count(store); row-- > 0;) {
        manager->attachment->detach(L, manager, (ct_row){row}, error_slot);
        if (row > ct_store_count(store)) row = ct_store_count(store);
    }
    manager->detaching = last;
    if (last) ct_entity_manager_unlisten(store->entities, manager->listener);
}

// ---------------------------------------------------------------- with new components

bool ct_bind_push_given(lua_State *L, const ct_bind_manager *manager, int values) {
    if (lua_istable(L, values)) {
        lua_pushstring(L, manager->core->type->hosted);
        lua_rawget(L, values);
    } else {
        lua_pushnil(L);
    }
    return !lua_isnil(L, -1);
}

void ct_bind_make_attachments(lua_State *L, const ct_bind_created *created, int given) {
    ct_bind_manager *manager = created->manager;
    int top = lua_gettop(L);
    bool list = created->many && lua_istable(L, given);
    luaL_checkstack(L, LUA_MINSTACK, "too many nested callbacks");
    for (uint32_t i = 0; i < created->count; ++i) {
        uint32_t place = created->places != NULL ? created->places[i] : i;
        int own = lua_isnil(L, given) ? 0 : given;
        if (list) {
            lua_rawgeti(L, given, (int)i + 1);
            own = lua_toboolean(L, -1) ? top + 1 : 0;
        }
        manager->attachment->attach(L, manager, created->entities[place], own);
        lua_settop(L, top);
    }
}

// created, what is given
static int attach(lua_State *L) {
    ct_bind_make_attachments(L, lua_touserdata(L, 1), 2);
    return 0;
}

int ct_bind_prepare_attachment(lua_State *L, const ct_bind_created *created, int values, int arg,
                               const char *of) {
    ct_bind_manager *manager = created->manager;
    int given = lua_gettop(L) + 1;
    if (!ct_bind_push_given(L, manager, values) && !manager->attaches) return 0;
    lua_pushcfunction(L, attach);
    bool list = created->many && lua_istable(L, given);
    if (list && ct_bind_rawlen(L, given) != created->count)
        ct_bind_raise_arg(L, arg, "%s%s: expected %d values, got %d", of,
                          manager->core->type->hosted, (int)created->count,
                          (int)ct_bind_rawlen(L, given));
    ct_bind_check_making(L, manager);
    return given;
}

void ct_bind_make_attachments_or_undo(lua_State *L, const ct_bind_created *created, int given,
                                      void (*undo)(lua_State *L, const ct_bind_created *created)) {
    ct_world *world = created->manager->world;
    lua_pushvalue(L, given + 1);
    lua_pushlightuserdata(L, (void *)created);
    lua_pushvalue(L, given);
    world->busy++;
    int problem = ct_bind_call_nested(L, 2, 0);
    if (problem != 0) undo(L, created);
    world->busy--;
    if (problem != 0) lua_error(L);
}
