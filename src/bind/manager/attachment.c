// Creation, end and replacement of the values that the binding keeps for components.
#include "bind/manager/attachment.h"

#include "world/hooks/hooks.h"

static bool component_ends(void *user, const ct_hook_event *event) {
    ct_bind_manager *manager = user;
    const ct_bind_notice *notice = event->context;
    ct_bind_attachment_of(manager)->detach(notice->L, manager, event->row, notice->error_slot);
    return lua_isnil(notice->L, notice->error_slot);
}

void ct_bind_check_making(lua_State *L, ct_bind_manager *manager) {
    ct_bind_check_nesting(L);
    ct_bind_check_thawed(L, manager->core->store.entities);
    if (manager->world->ending != 0)
        luaL_error(L, "%s: %s", manager->core->name, ct_bind_attachment_of(manager)->refused);
    if (manager->listener != 0) return;
    ct_bind_push_manager_table(L, manager);
    lua_pop(L, 1);
    ct_bind_check_status(L,
                         ct_hook_add(manager->world, manager->core, CT_HOOK_END, component_ends,
                                     manager, &manager->listener),
                         "callbacks");
}

bool ct_bind_push_given(lua_State *L, const ct_bind_manager *manager, int values) {
    if (lua_istable(L, values)) {
        lua_pushstring(L, manager->core->shape->hosted);
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
        ct_bind_attachment_of(manager)->attach(L, manager, created->entities[place], own);
        lua_settop(L, top);
    }
}

// attach(created, given value)
static int attach(lua_State *L) {
    ct_bind_make_attachments(L, lua_touserdata(L, 1), 2);
    return 0;
}

int ct_bind_prepare_attachment(lua_State *L, const ct_bind_created *created, int values, int arg,
                               const char *of) {
    ct_bind_manager *manager = created->manager;
    int given = lua_gettop(L) + 1;
    if (!ct_bind_push_given(L, manager, values) && !manager->attaches) return 0;
    bool list = created->many && lua_istable(L, given);
    if (list && ct_bind_rawlen(L, given) != created->count)
        ct_bind_raise_arg(L, arg, "%s%s: expected %d values, got %d", of,
                          manager->core->shape->hosted, (int)created->count,
                          (int)ct_bind_rawlen(L, given));
    ct_bind_check_making(L, manager);
    return given;
}

bool ct_bind_notify_added(lua_State *L, ct_additions *additions, const ct_bind_created *created,
                          int given) {
    ct_world *world = additions->world;
    bool ok = true;
    world->busy++;
    lua_pushnil(L);
    const ct_bind_notice notice = {L, 0, lua_gettop(L)};
    if (given != 0) {
        lua_pushlightuserdata(L, (void *)created);
        lua_pushvalue(L, given);
        ok = ct_bind_call_nested(L, attach, 2, 0) == 0;
        if (!ok) lua_replace(L, notice.error_slot);
    }
    ok = ok && ct_additions_notify(additions, (void *)&notice);
    if (!ok) {
        lua_pushnil(L); // further errors are dropped
        const ct_bind_notice undo = {L, 0, lua_gettop(L)};
        ct_additions_undo(additions, (void *)&undo);
        lua_pop(L, 1);
    }
    world->busy--;
    return ok;
}
