// Levels and snapshots for plugins, created and restored through the objects of scripts.
#include "bind/level/level.h"
#include "bind/plugin/plugin.h"
#include "bind/resource/resource.h"
#include "bind/snapshot/snapshot.h"

bool ct_bind_plugin_load(lua_State *L, const void *bytes, size_t count, const char *name) {
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    lua_pushstring(L, name); // nil for NULL
    int top = lua_gettop(L);
    bool loaded = ct_bind_push_resource(L, bytes, count, top, top);
    lua_remove(L, top);
    return loaded;
}

bool ct_bind_plugin_spawn(lua_State *L, int world, int resource, const ct_level_options *options) {
    ct_bind_world *object = ct_bind_check_world(L, world);
    ct_resource *core = ct_bind_check_resource(L, resource);
    const ct_spawn_options o = {.pose = options->pose,
                                .parent = options->parent,
                                .refuse_unknown = options->refuse_unknown,
                                .overrides = options->overrides,
                                .override_count = options->override_count};
    ct_bind_check_open(L, &object->core);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    if (options->size < sizeof *options) {
        lua_pushfstring(L, "options: size is %d: sizeof(ct_level_options) expected",
                        (int)options->size);
        return false;
    }
    int level = lua_gettop(L) + 1;
    ct_bind_level *made = ct_bind_level_new(
        L, ct_bind_absindex(L, world), ct_bind_absindex(L, resource), ct_level_bytes(core, &o));
    if (core->freed) luaL_error(L, "resource is gone");
    ct_level_init(made->core, &object->levels, core, &o);
    if (ct_bind_level_act(L, level, ct_level_spawn)) return true;
    lua_replace(L, level);
    return false;
}

uint32_t ct_bind_plugin_unload(lua_State *L, int level) {
    ct_bind_check_level(L, level);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    return ct_bind_level_unload(L, ct_bind_absindex(L, level));
}

bool ct_bind_plugin_restart(lua_State *L, int level) {
    ct_bind_check_level(L, level);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    return ct_bind_level_act(L, ct_bind_absindex(L, level), ct_level_restart);
}

bool ct_bind_plugin_patch(lua_State *L, int level, int resource, ct_patch_counts *counts) {
    const ct_level *core = ct_bind_check_level(L, level);
    ct_patch_result result;
    bool ok;
    ct_bind_check_resource(L, resource);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    if (!ct_bind_level_follow(L, ct_bind_absindex(L, level), ct_bind_absindex(L, resource), &result,
                              &ok))
        return false;
    if (counts != NULL)
        *counts = (ct_patch_counts){result.added, result.removed, result.changed, result.moved,
                                    result.left_count};
    ct_patch_result_free(core->levels->world, &result);
    if (!ok) lua_error(L);
    lua_pop(L, 1);
    return true;
}

const ct_level *ct_bind_plugin_check_level(lua_State *L, int arg) {
    return ct_bind_check_level(L, arg);
}

// Calls a method with its two arguments; index 0: nil.
static void call_method(lua_State *L, lua_CFunction method, int object, int other, int results) {
    object = ct_bind_absindex(L, object);
    if (other != 0) other = ct_bind_absindex(L, other);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    lua_pushcfunction(L, method);
    lua_pushvalue(L, object);
    if (other != 0)
        lua_pushvalue(L, other);
    else
        lua_pushnil(L);
    lua_call(L, 2, results);
}

void ct_bind_plugin_snapshot(lua_State *L, int entities, int old) {
    call_method(L, ct_bind_take_snapshot, entities, old, 1);
}

void ct_bind_plugin_restore(lua_State *L, int entities, int snapshot) {
    call_method(L, ct_bind_restore_snapshot, entities, snapshot, 2);
    if (lua_isnil(L, -2)) lua_error(L);
    lua_pop(L, 2);
}

void ct_bind_plugin_save(lua_State *L, int snapshot) {
    call_method(L, ct_bind_save_to_string, snapshot, 0, 1);
}

bool ct_bind_plugin_read_save(lua_State *L, const void *bytes, size_t count) {
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    lua_pushcfunction(L, ct_bind_save_from_string);
    lua_pushlstring(L, bytes, count);
    lua_call(L, 1, 2);
    bool ok = !lua_isnil(L, -2);
    lua_remove(L, ok ? -1 : -2);
    return ok;
}

void ct_bind_plugin_record(lua_State *L, int recorder) {
    call_method(L, ct_bind_record_frame, recorder, 0, 0);
}

uint64_t ct_bind_plugin_rewind(lua_State *L, int recorder, uint64_t frames) {
    recorder = ct_bind_absindex(L, recorder);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    ct_bind_push_whole(L, frames < (uint64_t)CT_BIND_MOST_FRAMES ? (lua_Number)frames
                                                                 : CT_BIND_MOST_FRAMES);
    call_method(L, ct_bind_rewind_frames, recorder, -1, 1);
    uint64_t back = (uint64_t)lua_tonumber(L, -1);
    lua_pop(L, 2);
    return back;
}
