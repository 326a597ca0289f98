// The levels that a world keeps, to unload them when it ends.
// Knows nothing of resources, nor of how a level was spawned.
#include "bind/level.h"

// Pushes the table of levels that the world object at 'world' keeps, or nil.
static void push_levels(lua_State *L, int world) {
    lua_getfenv(L, world);
    lua_getfield(L, -1, "levels");
    lua_remove(L, -2);
}

void ct_bind_level_unlink(lua_State *L, int world, ct_bind_level *level) {
    world = ct_bind_absindex(L, world);
    if (level->linked) {
        if (level->previous != NULL)
            level->previous->next = level->next;
        else
            level->world->levels = level->next;
        if (level->next != NULL) level->next->previous = level->previous;
        level->world->level_count--;
        level->linked = false;
    }
    push_levels(L, world);
    if (lua_istable(L, -1)) {
        lua_pushlightuserdata(L, level);
        lua_rawget(L, -2);
        bool anchored = !lua_isnil(L, -1); // an absent key would be made
        lua_pop(L, 1);
        lua_pushlightuserdata(L, level);
        lua_pushnil(L);
        if (anchored)
            lua_rawset(L, -3);
        else
            lua_pop(L, 2);
    }
    lua_pop(L, 1);
}

// Vectorised: no way out of the loop, and nothing is written.
static bool has_index(const ct_bind_level *level, uint32_t index) {
    uint32_t hits = 0;
    for (uint32_t i = 0; i < level->count; ++i)
        hits |= ct_entity_index(level->entities[i]) == index;
    return hits != 0;
}

// The generations of an index begin anew: an entity of a level that had it is dead, and its id
// will be given out again. Once in 256 lives of an index, some 0.1 ns per entity of a level.
static void index_went_round(void *user, uint32_t index) {
    const ct_bind_world *world = user;
    for (ct_bind_level *level = world->levels; level != NULL; level = level->next) {
        if (!has_index(level, index)) continue;
        for (uint32_t i = 0; i < level->count; ++i) {
            if (ct_entity_index(level->entities[i]) == index)
                level->entities[i].id |= BIND_LEVEL_LOST;
        }
    }
}

// Lets go of levels of which nothing is alive, so that a world that spawns bullets for hours
// keeps no list of them. Twice as many as were left may come until the next look.
static void prune(lua_State *L, int world, ct_bind_world *object) {
    enum { FEW = 16 };
    if (object->level_count < object->level_limit) return;
    for (ct_bind_level *level = object->levels, *next; level != NULL; level = next) {
        next = level->next;
        if (level->busy || ct_bind_level_lives(level)) continue;
        ct_bind_level_unlink(L, world, level);
        // Nobody will tell it of indices that go round.
        for (uint32_t i = 0; i < level->count; ++i)
            level->entities[i].id |= BIND_LEVEL_LOST;
    }
    object->level_limit = object->level_count * 2 > FEW ? object->level_count * 2 : FEW;
}

void ct_bind_level_anchor(lua_State *L, int index, int world) {
    ct_bind_level *level = lua_touserdata(L, index);
    push_levels(L, world);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_getfenv(L, world);
        lua_pushvalue(L, -2);
        lua_setfield(L, -2, "levels");
        lua_pop(L, 1);
    }
    lua_pushlightuserdata(L, level);
    lua_pushvalue(L, index);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

void ct_bind_level_link(lua_State *L, int world, ct_bind_level *level) {
    ct_bind_world *object = level->world;
    if (object->level_watch.fn == NULL) {
        object->level_watch = (ct_round_watch){index_went_round, object, NULL};
        ct_entity_manager_watch(object->core.entities, &object->level_watch);
    }
    level->serial = ++object->level_serial;
    level->next = object->levels;
    level->previous = NULL;
    if (level->next != NULL) level->next->previous = level;
    object->levels = level;
    object->level_count++;
    level->linked = true;
    prune(L, world, object);
}

// The youngest level of the world that is not younger than 'serial', or NULL.
static ct_bind_level *next_to_go(const ct_bind_world *world, uint32_t serial) {
    ct_bind_level *level = world->levels;
    while (level != NULL && level->serial > serial)
        level = level->next;
    return level;
}

void ct_bind_unload_levels(lua_State *L, int world) {
    world = ct_bind_absindex(L, world);
    ct_bind_world *object = lua_touserdata(L, world);
    // What callbacks spawn meanwhile stays: it might never end otherwise.
    uint32_t youngest = object->level_serial;
    lua_pushnil(L);
    int first_error = lua_gettop(L);
    for (ct_bind_level *level; (level = next_to_go(object, youngest)) != NULL;) {
        push_levels(L, world);
        lua_pushlightuserdata(L, level);
        lua_rawget(L, -2);
        ct_bind_level_unload(L, -1);
        if (lua_isnil(L, first_error)) {
            lua_pushvalue(L, -1);
            lua_replace(L, first_error);
        }
        if (level->linked) ct_bind_level_unlink(L, world, level);
        lua_settop(L, first_error);
    }
}

void ct_bind_drop_levels(ct_bind_world *world) {
    for (ct_bind_level *level = world->levels; level != NULL; level = level->next)
        level->linked = false;
    world->levels = NULL;
    world->level_count = 0;
    if (world->level_watch.fn != NULL)
        ct_entity_manager_unwatch(world->core.entities, &world->level_watch);
    world->level_watch.fn = NULL;
}
