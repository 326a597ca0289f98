// Stack values for core calls on Levels, and messages of failed calls.
#include "bind/level/level.h"
#include "bind/resource/resource.h"

void ct_bind_level_anchor(lua_State *L, int world, const ct_level *level, int object) {
    int top = lua_gettop(L);
    ct_bind_push_owned(L, world);
    ct_bind_push_subtable(L, "levels");
    ct_bind_push_own(L, world, "all_levels");
    if (!lua_istable(L, -1)) {
        lua_pop(L, 1);
        ct_bind_push_weak_table(L, "v");
        lua_pushvalue(L, -1);
        ct_bind_set_own(L, world, "all_levels");
    }
    for (int table = top + 2; table <= top + 3; ++table) {
        lua_pushvalue(L, object);
        ct_bind_rawsetp(L, table, level);
    }
    lua_settop(L, top);
}

void ct_bind_push_level_world(lua_State *L, int level) {
    const ct_bind_level *object = lua_touserdata(L, level);
    ct_bind_push_own_handle(L, level, "world", &ct_bind_world_kind, object->world);
}

// level, world, resource -> the values of ct_bind_prepare_host
static int prepare(lua_State *L) {
    ct_bind_level *level = lua_touserdata(L, 1);
    ct_bind_prepare_host(L, 2, level->core, lua_touserdata(L, 3));
    ct_bind_level_anchor(L, 2, level->core, 1);
    if (!level->core->linked) level->spawned = ++ct_bind_state_of(L)->spawns;
    return 2;
}

bool ct_bind_level_push_needs(lua_State *L, int level, ct_resource *resource,
                              ct_bind_host_call *call) {
    int top = lua_gettop(L);
    *call = (ct_bind_host_call){{L, 0, top + 3}, .world = top + 1, .spawners = top + 2};
    // Also for the spawn, in which nothing may raise.
    if (!lua_checkstack(L, 2 * LUA_MINSTACK)) {
        lua_pushliteral(L, "too many nested callbacks");
        return false;
    }
    ct_bind_push_level_world(L, level);
    lua_pushvalue(L, level);
    lua_pushvalue(L, call->world);
    lua_pushlightuserdata(L, resource);
    // A finalizer may free the resource meanwhile, if both are collected together.
    ct_resource_hold(resource);
    int problem = ct_bind_call_protected(L, prepare, 3, 2);
    ct_resource_release(resource);
    if (problem != 0) {
        ct_bind_error_message(L, "a finalizer raised no message");
        return false;
    }
    call->resource = resource;
    return true;
}

void ct_bind_level_push_problem(const ct_bind_host_call *call) {
    lua_State *L = call->notice.L;
    lua_pushvalue(L, call->notice.error_slot);
    ct_bind_error_message(L, call->silent != NULL ? call->silent : "a hook raised no message");
    if (call->at_fault != NULL) lua_pushfstring(L, "%s: %s", call->at_fault, lua_tostring(L, -1));
}

void ct_bind_level_push_reason(lua_State *L, int level, int resource, const ct_bind_host_call *call,
                               ct_status status, const ct_message *message) {
    const ct_bind_level *object = lua_touserdata(L, level);
    if (object->world->core.destroyed)
        lua_pushliteral(L, BIND_WORLD_DESTROYED);
    else if (call->silent != NULL || !lua_isnil(L, call->notice.error_slot))
        ct_bind_level_push_problem(call);
    else
        lua_pushstring(L, message->text);
    if (status == CT_ERR_OVER || status == CT_ERR_EXISTS || object->core->wrong_option) return;
    lua_pushvalue(L, resource);
    lua_insert(L, -2);
    ct_bind_name_resource(L, lua_gettop(L) - 1);
}
