// How a Level comes to life: entities, components, then what scripts have to do with them.
// Knows nothing of how options are written, nor of what becomes of a Level afterwards.
#include "bind/level/level.h"

#include "bind/level/overrides.h"
#include "bind/level/resource.h"
#include "bind/level/spawners.h"
#include "bind/value/raised.h"
#include "bind/world/attachment.h"
#include "component/transform.h"

#include <string.h>

// A spawn at work: what it needs (BIND_LEVEL_NEEDS) stands at these places of the stack.
typedef struct work {
    lua_State *L;
    ct_bind_level *level;
    int index;     // the Level
    int overrides; // userdata or nil
    int world;     // its world
    int problem;   // what a spawner raised
    int spawners;  // table (ct_bind_push_spawners) or nil
    int call;      // the function ct_bind_call_spawner, where there are spawners, or nil
    int furnish;   // the function 'furnish', where it may have work, or nil
    const ct_section *at_fault;
    bool above; // there are spawners
    bool told;  // one was called
} work;

static work work_at(lua_State *L, int index, int needs) {
    int first = ct_bind_absindex(L, needs);
    work w = {.L = L,
              .index = ct_bind_absindex(L, index),
              .overrides = first,
              .world = first + 1,
              .problem = first + 2,
              .spawners = first + 3,
              .call = first + 4,
              .furnish = first + 5};
    w.level = lua_touserdata(L, w.index);
    w.above = !lua_isnil(L, w.spawners);
    return w;
}

bool ct_bind_is_spawn_parent(lua_State *L, const ct_bind_world *world, ct_entity parent) {
    if (parent.id == CT_NOBODY) return true;
    const ct_manager *transforms = ct_world_find(&world->core, CT_TRANSFORM);
    if (!ct_entity_manager_alive(world->core.entities, parent)) {
        ct_bind_push_dead(L, parent, world->core.entities, ct_bind_names(&world->core));
        lua_pushfstring(L, "parent: %s", lua_tostring(L, -1));
        return false;
    }
    if (ct_store_find(&transforms->store, parent).i != CT_NO_ROW) return true;
    ct_bind_push_entity_name(L, parent);
    lua_pushfstring(L, "parent: %s has no transform", lua_tostring(L, -1));
    return false;
}

// Reads the overrides that the environment of the Level at 'index' has, for the world as it is
// now: pushes what ct_bind_read_overrides pushes, or nil. False with the message on top.
static bool read_overrides(lua_State *L, int index) {
    const ct_bind_level *level = lua_touserdata(L, index);
    if (ct_bind_resource_gone(level->resource)) {
        lua_pushliteral(L, "resource is gone");
        return false;
    }
    if (!level->overridden) {
        lua_pushnil(L);
        return true;
    }
    ct_bind_push_own(L, index, "overrides");
    ct_bind_push_own(L, index, "world");
    int world = lua_gettop(L);
    if (!ct_bind_read_overrides(L, world - 1, world, level->resource)) return false;
    lua_replace(L, world - 1);
    lua_settop(L, world - 1);
    return true;
}

// The message on top gets the resource's name before it.
static bool fail(const work *w) {
    ct_bind_push_own(w->L, w->index, "resource");
    lua_insert(w->L, -2);
    ct_bind_name_resource(w->L, lua_gettop(w->L) - 1);
    return false;
}

// ---------------------------------------------------------------- spawners

static int number_of(const work *w, const ct_section *section) {
    return (int)(section - w->level->resource->sections) + 1;
}

static bool knows(void *user, const ct_section *section) {
    const work *w = user;
    lua_rawgeti(w->L, w->spawners, number_of(w, section));
    bool known = !lua_isnil(w->L, -1);
    lua_pop(w->L, 1);
    return known;
}

// All of the level's entities are there. The world keeps it from now on, and tells it of ids that
// come round again; one without entities has nothing to keep.
static void enter_level(work *w) {
    w->level->count = w->level->resource->num_entities;
    if (w->level->count > 0)
        ct_bind_level_link(w->L, w->world, w->level);
    else
        ct_bind_level_unlink(w->L, w->world, w->level);
}

static bool call_spawner(void *user, const ct_section *section, const ct_entity *entity_lookup) {
    work *w = user;
    lua_State *L = w->L;
    if (!w->told) enter_level(w);
    w->told = true;
    ct_bind_spawner_call call = {section, entity_lookup, w->level->count};
    lua_pushvalue(L, w->call);
    lua_rawgeti(L, w->spawners, number_of(w, section));
    lua_pushlightuserdata(L, &call);
    bool raised = ct_bind_call_nested(L, 2, 0) != 0;
    if (!raised && !w->level->world->core.over) return true;
    if (!raised) lua_pushnil(L);
    lua_replace(L, w->problem);
    w->at_fault = section;
    return false;
}

static void undo(void *user, uint32_t count, const ct_entity *entities) {
    const work *w = user;
    ct_bind_undo_entities(w->L, w->world, count, entities);
}

static bool is_skipped(work *w, const ct_section *section) {
    return !w->level->world->core.over &&
           ct_spawner_manager(&w->level->world->core, section) == NULL &&
           !(w->above && knows(w, section));
}

// Notes in the environment of the Level what its world cannot spawn.
static void note_skipped(work *w) {
    lua_State *L = w->L;
    const ct_resource *resource = w->level->resource;
    uint32_t first = 0;
    while (first < resource->num_component_types && !is_skipped(w, &resource->sections[first]))
        first++;
    if (first == resource->num_component_types && !w->level->skipped) return;
    w->level->skipped = true;
    lua_getfenv(L, w->index);
    lua_newtable(L);
    // The count is read anew: a finalizer may have freed the resource.
    for (uint32_t i = first; i < resource->num_component_types; ++i) {
        const ct_section *section = &resource->sections[i];
        if (!is_skipped(w, section)) continue;
        lua_pushnumber(L, section->num_instances);
        lua_setfield(L, -2, section->name);
    }
    lua_setfield(L, -2, "skipped");
    lua_pop(L, 1);
}

// ---------------------------------------------------------------- attachments

static const ct_bind_overrides *overrides_at(lua_State *L, int index) {
    return lua_touserdata(L, index); // NULL for nil
}

static const ct_section *section_of(const ct_resource *resource, const char *name) {
    for (uint32_t i = 0; i < resource->num_component_types; ++i) {
        const ct_section *section = &resource->sections[i];
        if (section->schema != 0 && strcmp(section->name, name) == 0) return section;
    }
    return NULL;
}

// The owners of the attachment's components in this level. Pushes the manager object, and what
// keeps the owners; or nothing when there are none.
static const uint32_t *push_owners(lua_State *L, const ct_bind_level *level, int world,
                                   int overrides, const ct_bind_attachment *attachment,
                                   uint32_t *count) {
    const ct_section *section = section_of(level->resource, attachment->name);
    *count = 0;
    if ((section == NULL && lua_isnil(L, overrides)) || level->world->core.over) return NULL;
    const ct_manager *core = ct_world_find(&level->world->core, attachment->name);
    if (core == NULL) return NULL;
    ct_bind_push_manager(L, world, core);
    return ct_bind_overridden(L, overrides_at(L, overrides), level->resource, attachment->name,
                              section, count);
}

// Whether some attachment will have work.
static bool prepare_attachments(const work *w) {
    lua_State *L = w->L;
    bool furnishing = false;
    int top = lua_gettop(L);
    for (const ct_bind_attachment *const *attachment = ct_bind_attachments(L); *attachment != NULL;
         ++attachment) {
        uint32_t count;
        push_owners(L, w->level, w->world, w->overrides, *attachment, &count);
        if (count > 0)
            furnishing = (*attachment)->prepare(L, top + 1, 0, 0, "", count, false) || furnishing;
        lua_settop(L, top);
    }
    return furnishing;
}

// level, world, overrides: runs protected, functions of the script are called
static int furnish(lua_State *L) {
    const ct_bind_level *level = lua_touserdata(L, 1);
    for (const ct_bind_attachment *const *attachment = ct_bind_attachments(L); *attachment != NULL;
         ++attachment) {
        uint32_t count;
        const uint32_t *owners = push_owners(L, level, 2, 3, *attachment, &count);
        const ct_bind_created created = {level->entities, owners, count, false};
        if (count > 0 && (*attachment)->prepare(L, 4, 0, 0, "", count, false))
            (*attachment)->attach(L, 4, &created, 0);
        lua_settop(L, 3);
    }
    return 0;
}

// All of the level is there. When it fails, nothing is there any more.
static bool furnish_all(const work *w) {
    lua_State *L = w->L;
    lua_pushvalue(L, w->furnish);
    lua_pushvalue(L, w->index);
    lua_pushvalue(L, w->world);
    lua_pushvalue(L, w->overrides);
    if (ct_bind_call_nested(L, 3, 0) == 0) return true;
    lua_replace(L, w->problem);
    ct_bind_undo_entities(L, w->world, w->level->count, w->level->entities);
    return false;
}

// ---------------------------------------------------------------- spawning

static ct_spawn_options options_of(const work *w, const ct_opaque_spawner *opaque,
                                   uint32_t leaving) {
    const ct_bind_spawn_request *request = &w->level->request;
    const ct_bind_overrides *overrides = overrides_at(w->L, w->overrides);
    return (ct_spawn_options){.pose = request->has_pose ? &request->pose : NULL,
                              .parent = request->parent,
                              .refuse_unknown = request->refuse_unknown,
                              .leaving = leaving,
                              .opaque = w->above ? opaque : NULL,
                              .overrides = overrides != NULL ? overrides->items : NULL,
                              .override_count = overrides != NULL ? overrides->count : 0};
}

// Pushes why a spawn failed.
static bool explain(const work *w, ct_status status, const ct_message *message) {
    lua_pushvalue(w->L, w->problem);
    ct_bind_raised_message(w->L, status == CT_OK ? "a spawn callback raised no message"
                                                 : "a spawner raised no message");
    const char *text = lua_tostring(w->L, -1);
    if (status == CT_OK)
        lua_pushstring(w->L, text);
    else if (w->at_fault == NULL)
        lua_pushstring(w->L, message->text);
    else if (ct_bind_resource_gone(w->level->resource))
        lua_pushliteral(w->L, "resource is gone");
    else if (!w->level->world->core.over)
        lua_pushfstring(w->L, "%s: %s", w->at_fault->name, text);
    else
        lua_pushliteral(w->L, BIND_WORLD_OVER);
    return fail(w);
}

// Nothing here raises, and nothing of the level is there when the answer is false.
static bool spawn_all(work *w, ct_status *status, ct_message *message) {
    ct_bind_level *level = w->level;
    const ct_opaque_spawner opaque = {w, knows, call_spawner, undo};
    ct_spawn_options options = options_of(w, &opaque, 0);
    level->busy = level->spawning = true;
    level->world->core.busy++;
    ct_bind_resource_hold(level->resource);
    *status =
        ct_spawner_spawn(&level->world->core, level->resource, &options, level->entities, message);
    bool spawned = *status == CT_OK;
    if (spawned && !w->told) enter_level(w);
    if (spawned && !lua_isnil(w->L, w->furnish)) spawned = furnish_all(w);
    ct_bind_resource_release(level->resource);
    level->world->core.busy--;
    level->busy = level->spawning = false;
    if (spawned) return true;
    level->count = 0;
    ct_bind_level_unlink(w->L, w->world, level);
    return false;
}

// itself, depth -> nothing. Calls itself: raises "C stack overflow" where callbacks would.
static int try_depth(lua_State *L) {
    double depth = lua_tonumber(L, 2);
    if (depth == 0) return 0;
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 1);
    lua_pushnumber(L, depth - 1);
    lua_call(L, 2, 0);
    return 0;
}

int ct_bind_level_prepare(lua_State *L) {
    bool spawning = lua_toboolean(L, 2);
    const ct_bind_level *level = lua_touserdata(L, 1);
    lua_settop(L, 1);
    luaL_checkstack(L, 2 * LUA_MINSTACK, "too many nested callbacks");
    if (!read_overrides(L, 1)) {
        lua_pushboolean(L, 0);
        lua_insert(L, -2);
        return 2;
    }
    ct_bind_push_own(L, 1, "world");
    lua_pushnil(L);
    if (ct_bind_push_spawners(L, 3, level->resource))
        lua_pushcfunction(L, ct_bind_call_spawner);
    else
        lua_pushnil(L);
    lua_pushnil(L);
    work w = work_at(L, 1, 2);
    bool furnishing = prepare_attachments(&w);
    if (w.above) ct_bind_check_nesting(L);
    // A spawner may give a attachment work of which nobody knows yet.
    if (furnishing || w.above) {
        enum { DEPTH = 8 };
        lua_pushcfunction(L, try_depth);
        lua_pushvalue(L, -1); // as its argument
        lua_pushnumber(L, DEPTH);
        lua_call(L, 2, 0);
        lua_pushcfunction(L, furnish);
        lua_replace(L, w.furnish);
    }
    if (spawning) note_skipped(&w);
    if (spawning) ct_bind_level_anchor(L, 1, w.world);
    return BIND_LEVEL_NEEDS;
}

ct_bind_readiness ct_bind_level_push_needs(lua_State *L, int index, int prepare, bool spawning) {
    int top = lua_gettop(L);
    // For the spawn itself too, in which nothing may raise.
    if (!lua_checkstack(L, 2 * LUA_MINSTACK)) {
        lua_pushliteral(L, "too many nested callbacks");
        return BIND_LEVEL_UNREADY;
    }
    lua_pushvalue(L, prepare);
    lua_pushvalue(L, index);
    lua_pushboolean(L, spawning);
    if (lua_pcall(L, 2, BIND_LEVEL_NEEDS, 0) != 0) {
        ct_bind_raised_message(L, "a finalizer raised no message");
        return BIND_LEVEL_UNREADY;
    }
    if (!lua_isboolean(L, top + 1)) return BIND_LEVEL_READY;
    lua_settop(L, top + 2);
    return BIND_LEVEL_MISTAKEN;
}

// Whether it may begin: looks anew at what a finalizer may have changed. False with the message on
// top.
static bool may_begin(const work *w) {
    lua_State *L = w->L;
    if (w->level->world->core.over)
        lua_pushliteral(L, BIND_WORLD_OVER);
    else if (ct_bind_resource_gone(w->level->resource))
        lua_pushliteral(L, "resource is gone");
    else
        return ct_bind_is_spawn_parent(L, w->level->world, w->level->request.parent);
    return false;
}

bool ct_bind_level_spawn(lua_State *L, int index, int needs) {
    work w = work_at(L, index, needs);
    if (w.level->linked || w.level->count > 0) {
        lua_pushliteral(L, "a finalizer has restarted the level meanwhile");
        return false;
    }
    if (!may_begin(&w)) {
        ct_bind_level_unlink(L, w.world, w.level);
        return false;
    }
    ct_status status;
    ct_message message;
    return spawn_all(&w, &status, &message) || explain(&w, status, &message);
}

bool ct_bind_level_check(lua_State *L, int index, int needs) {
    work w = work_at(L, index, needs);
    const ct_bind_level *level = w.level;
    uint32_t leaving = 0;
    ct_message message;
    if (!may_begin(&w)) return false;
    for (uint32_t i = 0; i < level->count; ++i)
        leaving += ct_entity_manager_alive(level->world->core.entities, level->entities[i]);
    const ct_opaque_spawner opaque = {&w, knows, call_spawner, undo};
    ct_spawn_options options = options_of(&w, &opaque, leaving);
    if (ct_spawner_check(&level->world->core, level->resource, &options, &message) == CT_OK)
        return true;
    lua_pushstring(L, message.text);
    return fail(&w);
}
