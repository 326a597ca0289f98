// The levels that a world keeps, to unload them when it ends.
// Knows nothing of resources, nor of how a level was spawned.
#include "bind/level/level.h"

#include "base/alloc.h"
#include "base/hash.h"

// ---------------------------------------------------------------- indices that go round

// Levels with fewer entities are looked through.
#define FEW_ENTITIES 64u

// Where to look for an index first.
static uint32_t home(const ct_bind_level *level, uint32_t index) {
    return (uint32_t)((uint64_t)ct_hash_index(index) * level->place_count >> 32);
}

static void make_places(ct_bind_level *level) {
    uint32_t count = 1;
    while (count < level->count * 2)
        count *= 2;
    level->places = ct_alloc_zero(level->world->core.allocator, count * sizeof *level->places);
    if (level->places == NULL) return; // it is looked through, then
    level->place_count = count;
    for (uint32_t i = 0; i < level->count; ++i) {
        uint32_t at = home(level, ct_entity_index(level->entities[i]));
        while (level->places[at] != 0)
            at = (at + 1) & (count - 1);
        level->places[at] = i + 1;
    }
}

static void drop_places(ct_bind_level *level) {
    ct_free(level->world->core.allocator, level->places,
            level->place_count * sizeof *level->places);
    level->places = NULL;
    level->place_count = 0;
}

// The place of the entity with an index, or the count.
static uint32_t place_of(const ct_bind_level *level, uint32_t index) {
    uint32_t i = 0;
    if (level->places == NULL) {
        while (i < level->count && ct_entity_index(level->entities[i]) != index)
            i++;
        return i;
    }
    uint32_t at = home(level, index);
    for (; (i = level->places[at]) != 0; at = (at + 1) & (level->place_count - 1)) {
        if (ct_entity_index(level->entities[i - 1]) == index) return i - 1;
    }
    return level->count;
}

// The generations of an index begin anew: an entity of a level that had it is dead, and its id
// will be given out again. Once in 256 lives of an index, a probe for each level of the world; the
// first time O(entities) for one with many, since whole levels go round together.
static void index_went_round(void *user, uint32_t index) {
    const ct_bind_world *world = user;
    for (ct_bind_level *level = world->levels; level != NULL; level = level->next) {
        if (level->places == NULL && level->count >= FEW_ENTITIES) make_places(level);
        uint32_t place = place_of(level, index);
        if (place < level->count) level->entities[place].id |= BIND_LEVEL_LOST;
    }
}

// ---------------------------------------------------------------- the list

void ct_bind_level_unlink(lua_State *L, int world, ct_bind_level *level) {
    world = ct_bind_absindex(L, world);
    if (level->linked) {
        drop_places(level);
        if (level->previous != NULL)
            level->previous->next = level->next;
        else
            level->world->levels = level->next;
        if (level->next != NULL) level->next->previous = level->previous;
        level->world->level_count--;
        level->linked = false;
    }
    ct_bind_push_own(L, world, "levels");
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
    ct_bind_push_own(L, world, "levels");
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
        ct_bind_push_own(L, world, "levels");
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
    for (ct_bind_level *level = world->levels; level != NULL; level = level->next) {
        drop_places(level);
        level->linked = false;
    }
    world->levels = NULL;
    world->level_count = 0;
    if (world->level_watch.fn != NULL)
        ct_entity_manager_unwatch(world->core.entities, &world->level_watch);
    world->level_watch.fn = NULL;
}
