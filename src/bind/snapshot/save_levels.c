// Levels of a save as Level objects.
#include "bind/snapshot/snapshot_values.h"

#include "base/text.h"
#include "bind/level/level.h"
#include "bind/resource/resource.h"

// Returns whether a level has a resource for a saved one. One without a name must be the same
// version.
static bool has(const ct_level *level, const ct_saved_resource *saved, bool same) {
    const ct_resource *source = ct_level_source(level);
    if (source == NULL || source->freed || !ct_text_equal(source->name, saved->name)) return false;
    return ct_saved_resource_is(saved, source) || (!same && saved->name.length > 0);
}

// Pushes the Resource object of a level. Allocates nothing.
static void push_source(lua_State *L, int world, const ct_level *level) {
    int top = lua_gettop(L);
    ct_bind_push_own(L, world, "levels");
    if (lua_istable(L, -1)) ct_bind_rawgetp(L, top + 1, level);
    if (lua_isuserdata(L, -1) && level->resource->names_only)
        ct_bind_push_own(L, lua_gettop(L), "other");
    else if (lua_isuserdata(L, -1))
        ct_bind_push_level_resource(L, lua_gettop(L));
    lua_replace(L, top + 1);
    lua_settop(L, top + 1);
}

// Pushes the Resource of a level in these worlds that fits a saved one. Returns false and pushes
// nothing if there is none.
static bool push_held(lua_State *L, const ct_bind_worlds *w, const ct_saved_resource *saved,
                      bool same) {
    for (uint32_t i = 0; i < w->core.count; ++i) {
        const ct_level *level = w->items[i].levels->youngest;
        while (level != NULL && !has(level, saved, same))
            level = level->older;
        if (level == NULL) continue;
        push_source(L, w->first + (int)i, level);
        if (ct_bind_test_resource(L, -1) != NULL) return true;
        lua_pop(L, 1);
    }
    return false;
}

// Pushes the Resource for a saved one, or nil.
static const ct_resource *push_given(lua_State *L, const ct_bind_worlds *w, int resources,
                                     const ct_saved_resource *saved) {
    if (lua_istable(L, resources)) {
        lua_pushlstring(L, saved->name.bytes, saved->name.length);
        lua_rawget(L, resources);
        const ct_resource *given = ct_bind_test_resource(L, -1);
        if (given != NULL) return given;
        lua_pop(L, 1);
    }
    if (!push_held(L, w, saved, true) && !push_held(L, w, saved, false)) lua_pushnil(L);
    return ct_bind_test_resource(L, -1);
}

// Sets item 2 i + 1 of the table on top to the Resource of the levels of resource i, and item
// 2 i + 2 to another version of it, if there is one.
static ct_status add_resource(lua_State *L, const ct_bind_worlds *w, int resources,
                              const ct_saved_resource *saved, uint32_t i, ct_message *message) {
    int table = lua_gettop(L);
    const ct_resource *given = push_given(L, w, resources, saved);
    if (given == NULL || !ct_saved_resource_is(saved, given)) {
        ct_bind_resource *names = ct_bind_resource_new(L, 0);
        ct_status status =
            ct_saved_resource_make(saved, &ct_bind_state_of(L)->allocator, &names->core, message);
        if (status != CT_OK) {
            names->core = (ct_resource){.freed = true};
            return status;
        }
        lua_insert(L, table + 1);
        lua_rawseti(L, table, 2 * (int)i + 2);
    }
    lua_rawseti(L, table, 2 * (int)i + 1);
    return CT_OK;
}

static void add_level(lua_State *L, const ct_bind_restoration *back, ct_saved_level *saved,
                      int objects) {
    int top = lua_gettop(L), world = back->worlds.first + (int)saved->world;
    lua_rawgeti(L, objects, 2 * (int)saved->resource + 1);
    lua_rawgeti(L, objects, 2 * (int)saved->resource + 2);
    ct_resource *resource = ct_bind_resource_at(L, top + 1);
    ct_bind_level *level =
        ct_bind_level_new(L, world, top + 1, ct_level_bytes(resource, &saved->options));
    bool other = !lua_isnil(L, top + 2);
    lua_pushvalue(L, top + 2);
    ct_bind_set_own(L, top + 3, "other");
    ct_level_init(level->core, &ct_bind_world_of(L, world)->levels, resource, &saved->options);
    ct_saved_level_fill(saved, level->core, other ? ct_bind_resource_at(L, top + 2) : NULL);
    level->spawned = ++ct_bind_state_of(L)->spawns;
    lua_pushvalue(L, top + 3);
    ct_bind_rawsetp(L, back->saved, level->core);
    ct_bind_level_anchor(L, world, level->core, top + 3);
    lua_settop(L, top);
}

ct_status ct_bind_make_levels(lua_State *L, const ct_bind_restoration *back,
                              ct_saved_levels *levels, int resources, ct_message *message) {
    ct_status status = CT_OK;
    int top = lua_gettop(L);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    lua_createtable(L, 2 * (int)levels->resource_count, 0);
    for (uint32_t i = 0; i < levels->resource_count && status == CT_OK; ++i)
        status = add_resource(L, &back->worlds, resources, &levels->resources[i], i, message);
    for (uint32_t i = 0; i < levels->count && status == CT_OK; ++i)
        add_level(L, back, &levels->items[i], top + 1);
    lua_settop(L, top);
    return status;
}
