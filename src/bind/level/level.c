// Level objects: what one spawn of a resource brought to life.
// Knows nothing of how options are written.
#include "bind/level/level.h"

#include "bind/level/resource.h"
#include "bind/value/raised.h"
#include "resource/path.h"

#include <string.h>

static const char level_key = 0;

static void push_entity(lua_State *L, ct_entity e) {
    ct_bind_push_entity(L, (ct_entity){e.id & ~BIND_LEVEL_LOST});
}

bool ct_bind_level_lives(const ct_bind_level *level) {
    const ct_entity_manager *entities = level->world->core.entities;
    for (uint32_t i = 0; i < level->count; ++i) {
        if (ct_entity_manager_alive(entities, level->entities[i])) return true;
    }
    return false;
}

ct_bind_level *ct_bind_level_new(lua_State *L, int world, int resource,
                                 const ct_bind_spawn_request *request) {
    ct_resource *core = ct_bind_check_resource(L, resource);
    size_t bytes = sizeof(ct_bind_level) + core->num_entities * sizeof(ct_entity);
    ct_bind_level *level = ct_bind_class_object(L, &level_key, bytes);
    level->world = lua_touserdata(L, world);
    level->resource = core;
    level->request = *request;
    level->entities = (ct_entity *)(void *)(level + 1);
    lua_createtable(L, 0, 3);
    lua_pushvalue(L, world);
    lua_setfield(L, -2, "world");
    lua_pushvalue(L, resource);
    lua_setfield(L, -2, "resource");
    lua_setfenv(L, -2);
    return level;
}

// ---------------------------------------------------------------- unloading

// level, entity manager -> how many died. Protected, so that 'busy' ends whatever raises.
static int destroy_entities(lua_State *L) {
    const ct_bind_level *level = lua_touserdata(L, 1);
    lua_pushnumber(L, ct_bind_destroy_entities(L, 2, level->count, level->entities));
    return 1;
}

void ct_bind_level_unload(lua_State *L, int index) {
    index = ct_bind_absindex(L, index);
    ct_bind_level *level = lua_touserdata(L, index);
    if (level->count == 0 || level->busy) {
        lua_pushnumber(L, 0);
        lua_pushnil(L);
        return;
    }
    ct_bind_push_own(L, index, "world");
    int world = lua_gettop(L);
    uint32_t before = ct_entity_manager_count(level->world->core.entities);
    lua_pushcfunction(L, destroy_entities);
    lua_pushvalue(L, index);
    ct_bind_push_world_entities(L, world);
    level->busy = true;
    level->world->core.busy++;
    bool failed = lua_pcall(L, 2, 1, 0) != 0;
    level->world->core.busy--;
    level->busy = false;
    // Out of memory before the first death: the level stands as it stood.
    if (!failed || !ct_bind_level_lives(level)) {
        level->count = 0;
        ct_bind_level_unlink(L, world, level);
    }
    lua_remove(L, world);
    if (failed) {
        lua_pushnumber(L, before - ct_entity_manager_count(level->world->core.entities));
        lua_insert(L, -2);
    } else {
        lua_pushnil(L);
    }
}

// ---------------------------------------------------------------- methods

static ct_bind_level *check_level(lua_State *L) {
    ct_bind_level *level = ct_bind_check_class(L, 1, &level_key, "Level");
    if (level->world->core.over) luaL_error(L, BIND_WORLD_OVER);
    return level;
}

static int count(lua_State *L) {
    lua_pushnumber(L, check_level(L)->count);
    return 1;
}

static int entity(lua_State *L) {
    const ct_bind_level *level = check_level(L);
    double place = ct_bind_check_whole(L, 2, -9007199254740991.0, 9007199254740991.0);
    if (place >= 1 && place <= level->count)
        push_entity(L, level->entities[(uint32_t)place - 1]);
    else
        lua_pushnil(L);
    return 1;
}

// Pushes a table of all entities, or of the roots among them.
static int push_entities(lua_State *L, bool roots_only) {
    const ct_bind_level *level = check_level(L);
    int pushed = 0;
    lua_createtable(L, roots_only ? 0 : (int)level->count, 0);
    if (roots_only && ct_bind_resource_gone(level->resource))
        return luaL_error(L, "resource is gone");
    // The count is read anew: making the table may have run finalizers.
    for (uint32_t i = 0; i < level->count; ++i) {
        if (roots_only && level->resource->parent_index[i] != CT_RESOURCE_NO_PARENT) continue;
        push_entity(L, level->entities[i]);
        lua_rawseti(L, -2, ++pushed);
    }
    return 1;
}

static int entities(lua_State *L) { return push_entities(L, false); }
static int roots(lua_State *L) { return push_entities(L, true); }

static int list(lua_State *L) {
    const ct_bind_level *level = check_level(L);
    ct_bind_list *out = ct_bind_list_new(L);
    ct_bind_list_reserve(L, out, level->count);
    for (uint32_t i = 0; i < level->count; ++i)
        out->items[i].id = level->entities[i].id & ~BIND_LEVEL_LOST;
    out->count = level->count;
    return 1;
}

// level:find(path) -> the first living entity of that path, in the resource's order, or nil
static int find(lua_State *L) {
    const ct_bind_level *level = check_level(L);
    size_t length;
    luaL_checktype(L, 2, LUA_TSTRING);
    const char *bytes = lua_tolstring(L, 2, &length);
    if (ct_bind_resource_gone(level->resource)) return luaL_error(L, "resource is gone");
    ct_text path = {bytes, (uint32_t)length};
    if (ct_path_index(level->resource, path) != CT_OK) return luaL_error(L, "not enough memory");
    uint32_t i = CT_PATH_NONE;
    do {
        i = level->count > 0 ? ct_path_find(level->resource, path, i) : CT_PATH_NONE;
    } while (i != CT_PATH_NONE &&
             !ct_entity_manager_alive(level->world->core.entities, level->entities[i]));
    if (i == CT_PATH_NONE)
        lua_pushnil(L);
    else
        ct_bind_push_entity(L, level->entities[i]);
    return 1;
}

// level:skipped() -> a table that is the caller's
static int skipped(lua_State *L) {
    check_level(L);
    ct_bind_push_own(L, 1, "skipped");
    lua_newtable(L);
    if (lua_isnil(L, -2)) return 1;
    lua_pushnil(L);
    while (lua_next(L, -3) != 0) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, -4);
    }
    return 1;
}

// level:unload() -> how many died
static int unload(lua_State *L) {
    check_level(L);
    ct_bind_level_unload(L, 1);
    if (!lua_isnil(L, -1)) return lua_error(L);
    lua_pop(L, 1);
    return 1;
}

// nil, and the message on top
static int answer(lua_State *L) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

// level:restart() -> level, or nil and a message
static int restart(lua_State *L) {
    enum { PREPARE = 2, NEEDS };
    const ct_bind_level *level = check_level(L);
    lua_settop(L, 1);
    if (level->world->core.ending) {
        lua_pushliteral(L, "world is being destroyed");
        return answer(L);
    }
    if (level->busy) {
        lua_pushstring(L, level->spawning ? "the level is being spawned"
                                          : "the level is being unloaded");
        return answer(L);
    }
    // Made once, while nothing has changed yet.
    lua_pushcfunction(L, ct_bind_level_prepare);
    if (ct_bind_level_push_needs(L, 1, PREPARE, false) != BIND_LEVEL_READY) return answer(L);
    if (!ct_bind_level_check(L, 1, NEEDS)) return answer(L);
    ct_bind_level_unload(L, 1);
    if (!lua_isnil(L, -1)) {
        ct_bind_raised_message(L, "a destroy callback raised an error");
        return answer(L);
    }
    // Once more: callbacks may have defined components anew.
    lua_settop(L, PREPARE);
    if (ct_bind_level_push_needs(L, 1, PREPARE, true) != BIND_LEVEL_READY) return answer(L);
    if (!ct_bind_level_spawn(L, 1, NEEDS)) return answer(L);
    lua_settop(L, 1);
    return 1;
}

static int tostring(lua_State *L) {
    const ct_bind_level *level = ct_bind_check_class(L, 1, &level_key, "Level");
    lua_pushfstring(L, "Level (%d entities)", (int)level->count);
    return 1;
}

static const luaL_Reg methods[] = {
    {"count", count},     {"entity", entity}, {"entities", entities}, {"list", list},
    {"roots", roots},     {"find", find},     {"skipped", skipped},   {"unload", unload},
    {"restart", restart}, {NULL, NULL},
};

void ct_bind_open_level(lua_State *L) {
    ct_bind_class_new(L, &level_key, "Level", methods, NULL, tostring);
}
