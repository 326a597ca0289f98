// Values that Lua keeps for worlds, in a snapshot: Level objects, bodies, values of fields.
#include "bind/snapshot/snapshot_values.h"

#include "bind/level/level.h"
#include "bind/manager/attachment.h"
#include "bind/value/compiled.h"
#include "bind/value/lua_values.h"

enum { BODIES = 1, VALUES = 2 };

// Pushes one of the two parts in the table of a world, from the table at 'tables', or nil.
// Allocates nothing if a table has the name as a key.
static void push_part(lua_State *L, int tables, const ct_bind_world *world, int part) {
    lua_getfield(L, tables, world->name.text);
    if (!lua_istable(L, -1)) return;
    lua_rawgeti(L, -1, part);
    lua_remove(L, -2);
}

void ct_bind_push_saved_values(lua_State *L, int own, const ct_bind_world *world) {
    push_part(L, own, world, VALUES);
}

// ---------------------------------------------------------------- values of fields

// A pool without value fields has no table.

// Whether the pool has a table of values. Allocates nothing.
static bool has_values(lua_State *L, const ct_value_pool *pool) {
    ct_bind_recall(L, pool);
    bool has = lua_istable(L, -1);
    lua_pop(L, 1);
    return has;
}

static bool is_held(const ct_value_pool *pool, uint32_t slot) {
    return pool->slots[slot].used && pool->slots[slot].references > 0;
}

// Pushes a new table of the values that rows reference, by slot, or nil. Decodes values that levels
// stored as bytes, which may run finalizers.
static void collect_values(lua_State *L, ct_value_pool *pool) {
    if (!has_values(L, pool)) {
        lua_pushnil(L);
        return;
    }
    lua_createtable(L, pool->count > 0 ? (int)pool->count - 1 : 0, 0);
    ct_bind_recall(L, pool);
    int collected = lua_gettop(L) - 1;
    for (uint32_t slot = 1; slot < pool->count; ++slot) {
        if (!is_held(pool, slot)) continue;
        if (pool->slots[slot].bytes.ref != 0)
            ct_bind_push_value(L, pool, (ct_value){slot});
        else
            lua_rawgeti(L, collected + 1, (int)slot);
        lua_rawseti(L, collected, (int)slot);
    }
    lua_settop(L, collected);
}

// Replaces such a table on top (or nil, if the pool had none) by a copy for this pool, or by nil.
// May run finalizers.
static void copy_values(lua_State *L, const ct_value_pool *pool) {
    int saved = lua_gettop(L);
    if (has_values(L, pool)) {
        lua_createtable(L, lua_istable(L, saved) ? (int)ct_bind_rawlen(L, saved) : 0, 0);
        for (lua_pushnil(L); lua_istable(L, saved) && lua_next(L, saved) != 0;)
            lua_rawseti(L, saved + 1, (int)lua_tonumber(L, -2));
        lua_settop(L, saved + 1);
        ct_bind_expect(L, pool);
    } else {
        lua_pushnil(L);
    }
    lua_replace(L, saved);
}

// Pops the copy on top and makes it the table of values of the world object at index 'world', after
// the slots of the pool were restored. Allocates nothing.
static void replace_values(lua_State *L, int world, const ct_value_pool *pool) {
    lua_pushvalue(L, -1);
    ct_bind_remember(L, pool);
    ct_bind_set_own(L, world, "values");
}

// ---------------------------------------------------------------- taking

static void collect_levels(lua_State *L, int world, int own) {
    ct_bind_push_levels(L, world);
    for (lua_pushnil(L); lua_istable(L, -2) && lua_next(L, -2) != 0; lua_pop(L, 1)) {
        ct_bind_copy_raw(L, own, -2, -1);
        ct_bind_collect_room(L, own);
    }
}

void ct_bind_collect_lua_values(lua_State *L, const ct_bind_worlds *w, int own) {
    int top = lua_gettop(L);
    for (uint32_t i = 0; i < w->core.count; ++i, lua_settop(L, top)) {
        ct_bind_world *world = ct_bind_world_at(L, w, i);
        collect_levels(L, w->first + (int)i, own);
        lua_pushstring(L, world->name.text);
        lua_createtable(L, 2, 0);
        if (world->hosted != NULL) {
            ct_bind_attachment_of(world->hosted)->collect(L, world->hosted);
            lua_rawseti(L, -2, BODIES);
        }
        collect_values(L, &world->core.values);
        lua_rawseti(L, -2, VALUES);
        lua_rawset(L, own);
    }
}

void ct_bind_collect_nothing(lua_State *L, const ct_bind_worlds *w, int own) {
    for (uint32_t i = 0; i < w->core.count; ++i) {
        lua_pushstring(L, ct_bind_world_at(L, w, i)->name.text);
        lua_createtable(L, 1, 0);
        lua_newtable(L);
        lua_rawseti(L, -2, BODIES);
        lua_rawset(L, own);
    }
}

static bool has_levels(lua_State *L, const ct_levels *levels, int own) {
    for (ct_level *level = levels->youngest; level != NULL; level = level->older) {
        ct_bind_rawgetp(L, own, level);
        bool has = lua_isuserdata(L, -1) && ct_bind_is_room_collected(L, own);
        lua_pop(L, 1);
        if (!has) return false;
    }
    return true;
}

bool ct_bind_lua_values_taken(lua_State *L, const ct_bind_worlds *w, int own) {
    for (uint32_t i = 0; i < w->core.count; ++i)
        if (!has_levels(L, w->items[i].levels, own)) return false;
    return true;
}

// ---------------------------------------------------------------- levels of a restore

// Adds the saved levels of a world to the levels that it keeps. With 'keep' false, removes the
// saved levels that are not in the list of the world.
static void keep_levels(lua_State *L, const ct_bind_restoration *back, uint32_t i, bool keep) {
    const ct_bind_world *world = ct_bind_world_at(L, &back->worlds, i);
    int top = lua_gettop(L);
    ct_bind_push_owned(L, back->worlds.first + (int)i);
    ct_bind_push_subtable(L, "levels");
    for (lua_pushnil(L); lua_next(L, back->saved) != 0; lua_pop(L, 1)) {
        if (lua_type(L, -2) == LUA_TUSERDATA) ct_bind_add_room(L);
        if (lua_type(L, -2) != LUA_TLIGHTUSERDATA) continue;
        const ct_level *level = lua_touserdata(L, -2);
        if (level->levels != &world->levels || (!keep && level->linked)) continue;
        lua_pushvalue(L, -2);
        if (keep)
            lua_pushvalue(L, -2);
        else
            lua_pushnil(L);
        lua_rawset(L, top + 2);
    }
    lua_settop(L, top);
}

static bool keeps_levels(lua_State *L, const ct_bind_restoration *back, uint32_t i) {
    const ct_bind_world *world = ct_bind_world_at(L, &back->worlds, i);
    int top = lua_gettop(L);
    bool keeps = true;
    ct_bind_push_own(L, back->worlds.first + (int)i, "levels");
    for (lua_pushnil(L); lua_next(L, back->saved) != 0; lua_pop(L, 1)) {
        if (lua_type(L, -2) == LUA_TUSERDATA) keeps = keeps && ct_bind_has_room(L);
        if (lua_type(L, -2) != LUA_TLIGHTUSERDATA) continue;
        if (((const ct_level *)lua_touserdata(L, -2))->levels != &world->levels) continue;
        ct_bind_push_raw(L, top + 1, -2);
        keeps = keeps && !lua_isnil(L, -1);
        lua_pop(L, 1);
    }
    lua_settop(L, top);
    return keeps;
}

void ct_bind_empty_levels(lua_State *L, const ct_bind_restoration *back) {
    for (uint32_t i = 0; i < back->worlds.core.count; ++i) {
        ct_bind_push_own(L, back->worlds.first + (int)i, "all_levels");
        int levels = lua_gettop(L);
        for (lua_pushnil(L); lua_istable(L, levels) && lua_next(L, levels) != 0; lua_pop(L, 1)) {
            const ct_bind_level *level = lua_touserdata(L, -1);
            if (!level->core->linked && level->spawned > back->spawns) level->core->count = 0;
        }
        lua_settop(L, levels - 1);
    }
}

// ---------------------------------------------------------------- restoring

// Prepares the parts of a world. A world that was not saved has no parts; the core refuses it
// later.
static void prepare_parts(lua_State *L, const ct_bind_restoration *back, uint32_t i) {
    const ct_bind_world *world = ct_bind_world_at(L, &back->worlds, i);
    int top = lua_gettop(L);
    lua_pushstring(L, world->name.text);
    lua_createtable(L, 2, 0);
    push_part(L, back->saved, world, BODIES);
    if (world->hosted != NULL && lua_istable(L, top + 3)) {
        ct_bind_attachment_of(world->hosted)->collect_missing(L, world->hosted, top + 3);
        lua_rawseti(L, top + 2, BODIES);
    }
    push_part(L, back->saved, world, VALUES);
    copy_values(L, &world->core.values);
    lua_rawseti(L, top + 2, VALUES);
    lua_settop(L, top + 2);
    lua_rawset(L, back->prepared);
}

void ct_bind_prepare_lua_values(lua_State *L, const ct_bind_restoration *back) {
    for (uint32_t i = 0; i < back->worlds.core.count; ++i) {
        prepare_parts(L, back, i);
        keep_levels(L, back, i, true);
    }
}

bool ct_bind_lua_values_prepared(lua_State *L, const ct_bind_restoration *back) {
    for (uint32_t i = 0; i < back->worlds.core.count; ++i)
        if (!keeps_levels(L, back, i)) return false;
    return true;
}

void ct_bind_unprepare_lua_values(lua_State *L, const ct_bind_restoration *back) {
    for (uint32_t i = 0; i < back->worlds.core.count; ++i)
        keep_levels(L, back, i, false);
}

void ct_bind_restore_values(lua_State *L, const ct_bind_restoration *back) {
    for (uint32_t i = 0; i < back->worlds.core.count; ++i) {
        const ct_bind_world *world = ct_bind_world_at(L, &back->worlds, i);
        push_part(L, back->prepared, world, VALUES);
        if (lua_istable(L, -1))
            replace_values(L, back->worlds.first + (int)i, &world->core.values);
        else
            lua_pop(L, 1);
    }
}

void ct_bind_restore_bodies(lua_State *L, const ct_bind_restoration *back) {
    bool frozen = false;
    for (uint32_t i = 0; i < back->worlds.core.count; ++i) {
        const ct_bind_world *world = ct_bind_world_at(L, &back->worlds, i);
        int top = lua_gettop(L);
        push_part(L, back->saved, world, BODIES);
        push_part(L, back->prepared, world, BODIES);
        if (world->hosted != NULL && lua_istable(L, top + 2)) {
            bool notifies = world->hosted->attaches || ct_bind_rawlen(L, top + 2) > 0;
            if (notifies && !frozen) ct_bind_freeze_views(L, true);
            frozen = frozen || notifies;
            ct_bind_attachment_of(world->hosted)
                ->restored(L, world->hosted, back->from_save ? 0 : top + 1, top + 2,
                           back->error_slot);
        }
        lua_settop(L, top);
    }
    if (frozen) ct_bind_freeze_views(L, false);
}
