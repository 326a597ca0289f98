// on_add, on_remove, off_add and off_remove: script functions as hooks of a manager.
#include "world/hooks/hooks.h"
#include "bind/manager/manager.h"
#include "bind/value/lua_values.h"

// After the first registration, the environment of the world object has the table 'hooks':
// functions by token, from 1 on, and the names of reasons from 0 downwards. It is recalled by the
// address of the world's counter of tokens, because hooks receive only addresses.

static bool run(void *user, const ct_hook_event *event) {
    const ct_bind_notice *notice = event->context;
    const ct_bind_manager *manager = event->manager->object;
    lua_State *L = notice->L;
    // Only raw reads before the protected call, so nothing here can raise.
    ct_bind_recall(L, &manager->world->hook_token);
    int functions = lua_gettop(L);
    lua_rawgeti(L, functions, (int)(uintptr_t)user);
    ct_bind_push_entity(L, event->entity);
    ct_bind_push_instance(L, event->manager, event->row);
    lua_rawgeti(L, functions, -(int)event->reason);
    lua_remove(L, functions);
    manager->state->callbacks++;
    bool ok = ct_bind_call_listener(notice, 3);
    manager->state->callbacks--;
    return ok;
}

void ct_bind_prepare_hooks(lua_State *L, const ct_world *world) {
    const char *why = world != NULL ? ct_world_refuses(world) : NULL;
    if (CT_UNLIKELY(why != NULL)) luaL_error(L, "%s", why);
    ct_bind_check_nesting(L);
    luaL_checkstack(L, LUA_MINSTACK, "too many nested callbacks");
}

// Pushes nil, which the first error of a hook replaces.
static ct_bind_notice begin_removal(lua_State *L, const ct_manager *core) {
    if (ct_hooks_any(core)) ct_bind_prepare_hooks(L, NULL);
    lua_pushnil(L);
    return (ct_bind_notice){L, 0, lua_gettop(L)};
}

static void end_removal(lua_State *L, const ct_manager *core) {
    ct_bind_forget_values(L, core->values);
    if (!lua_isnil(L, -1)) lua_error(L);
}

void ct_bind_destroy_row(lua_State *L, ct_bind_manager *manager, ct_row row) {
    ct_bind_notice notice = begin_removal(L, manager->core);
    ct_hooks_remove(manager->world, manager->core, row, CT_REASON_REMOVE, &notice, NULL);
    end_removal(L, manager->core);
}

uint32_t ct_bind_destroy_all(lua_State *L, ct_bind_manager *manager, uint32_t count,
                             const ct_entity *owners) {
    ct_manager *core = manager->core;
    uint32_t removed = 0;
    if (CT_LIKELY(core->hooks == NULL)) {
        removed = ct_manager_remove_many(core, count, owners);
        if (core->has_values) ct_bind_forget_values(L, core->values);
        return removed;
    }
    ct_bind_notice notice = begin_removal(L, core);
    for (uint32_t i = 0; i < count; ++i)
        removed += ct_hooks_remove_all(manager->world, core, owners[i], &notice, NULL);
    end_removal(L, core);
    return removed;
}

// Pushes the table of functions and reasons; creates it the first time.
static void push_functions(lua_State *L, const ct_bind_manager *manager) {
    ct_bind_push_world(L, 1);
    ct_bind_push_owned(L, -1);
    ct_bind_push_subtable(L, "hooks");
    for (int reason = 0; reason < CT_REASONS; ++reason)
        ct_bind_store_string(L, -1, -reason, ct_reason_name((ct_reason)reason));
    lua_pushvalue(L, -1);
    ct_bind_remember(L, &manager->world->hook_token);
}

static int add_hook(lua_State *L, ct_hook_kind kind) {
    const ct_bind_manager *manager = ct_bind_manager_self(L);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    push_functions(L, manager);
    ct_bind_manager_self(L); // a finalizer may have ended it
    // The entry in the table is created before the hook is added to the core.
    uint32_t token = manager->world->hook_token + 1;
    ct_bind_copy_item(L, -1, (int)token, 2);
    ct_bind_check_status(
        L, ct_hook_add(manager->world, manager->core, kind, run, (void *)(uintptr_t)token, &token),
        "hooks");
    return ct_bind_return_whole(L, token);
}

static int take_off(lua_State *L, ct_hook_kind kind) {
    const ct_bind_manager *manager = ct_bind_manager_self(L);
    double token = ct_bind_check_whole(L, 2, 1, 2147483647.0);
    lua_settop(L, 2);
    bool known = ct_hook_remove(manager->world, manager->core, kind, (uint32_t)token);
    if (known) {
        // The function may be running; its call keeps it alive.
        ct_bind_recall(L, &manager->world->hook_token);
        ct_bind_store_nil(L, -1, (int)token);
    }
    return ct_bind_return_bool(L, known);
}

// m:on_add(function(entity, instance, reason) end) -> token
static int on_add(lua_State *L) { return add_hook(L, CT_HOOK_ADD); }

// m:on_remove(function(entity, instance, reason) end) -> token
static int on_remove(lua_State *L) { return add_hook(L, CT_HOOK_REMOVE); }

// m:off_add(token) -> whether it was registered
static int off_add(lua_State *L) { return take_off(L, CT_HOOK_ADD); }

// m:off_remove(token) -> whether it was registered
static int off_remove(lua_State *L) { return take_off(L, CT_HOOK_REMOVE); }

const luaL_Reg ct_bind_hook_methods[] = {{"on_add", on_add},
                                         {"on_remove", on_remove},
                                         {"off_add", off_add},
                                         {"off_remove", off_remove},
                                         {NULL, NULL}};
