// world:spawn: from the options a script writes to a Level.
// Knows nothing of how levels live on.
#include "bind/level/level.h"
#include "bind/level/overrides.h"
#include "bind/level/resource.h"
#include "bind/value/options.h"
#include "bind/value/pose.h"

// Places on the stack; the Level comes where the values of the options were.
enum { RESOURCE = 2, OPTIONS, OVERRIDES, PARENT, REFUSE_UNKNOWN, POSE, POSE_END = POSE + 4 };
enum { LEVEL = PARENT };

static void set_pose(lua_State *L, ct_spawn_options *options, ct_pose *pose) {
    for (int at = POSE; at < POSE_END; ++at)
        if (!lua_isnil(L, at)) options->pose = pose;
    if (!ct_bind_to_pose(L, POSE, pose)) ct_bind_arg_error(L, OPTIONS);
}

static void check_parent(lua_State *L, const ct_world *world, ct_entity parent) {
    if (ct_entity_manager_alive(world->entities, parent)) return;
    ct_bind_push_dead(L, parent, world->entities, ct_bind_names(world));
    ct_bind_raise_arg(L, OPTIONS, "parent: %s", lua_tostring(L, -1));
}

// The options but for the overrides, which come to OVERRIDES.
static void read_options(lua_State *L, const ct_world *world, ct_spawn_options *options,
                         ct_pose *pose) {
    if (!ct_bind_read_options(L, OPTIONS, "spawn", POSE_END - OVERRIDES)) return;
    if (!lua_isnil(L, OVERRIDES)) luaL_checktype(L, OVERRIDES, LUA_TTABLE);
    options->refuse_unknown = lua_toboolean(L, REFUSE_UNKNOWN);
    set_pose(L, options, pose);
    ct_bind_world_self(L); // the world may have ended meanwhile
    if (ct_bind_to_entity(L, PARENT, &options->parent)) check_parent(L, world, options->parent);
}

// Pushes an empty Level with these options; the table of overrides, or nil, is at OVERRIDES. Making
// the object may run finalizers, so that what was gathered before is gathered once more.
static ct_level *push_level(lua_State *L, ct_bind_world *world, ct_resource *resource,
                            ct_spawn_options *options) {
    ct_bind_level *object = NULL;
    for (size_t room = 0;;) {
        const ct_bind_gather g = ct_bind_gather_begin(L, world->state);
        options->overrides = ct_bind_gather_overrides(&g, OVERRIDES, OPTIONS, &world->core,
                                                      &options->override_count);
        size_t bytes = ct_level_bytes(resource, options);
        bool fits = object != NULL && bytes <= room;
        if (fits) ct_level_init(object->core, &world->levels, resource, options);
        ct_bind_gather_end(&g);
        if (fits) return object->core;
        lua_settop(L, OVERRIDES);
        object = ct_bind_level_new(L, 1, RESOURCE, bytes);
        room = bytes;
    }
}

// world:spawn(resource [, options]) -> Level, or nil and a message
static int spawn(lua_State *L) {
    ct_bind_world *world = ct_bind_world_self(L);
    ct_bind_check_open(L, &world->core);
    ct_resource *resource = ct_bind_check_resource(L, RESOURCE);
    ct_pose pose;
    ct_spawn_options options = {.parent = {CT_NOBODY}};
    lua_settop(L, OPTIONS);
    read_options(L, &world->core, &options, &pose);
    lua_settop(L, OVERRIDES);
    ct_level *level = push_level(L, world, resource, &options);
    ct_message message;
    ct_status status = ct_spawner_check_options(&world->core, resource, &level->options, &message);
    if (status == CT_ERR_DATA) return ct_bind_raise_arg(L, OPTIONS, "%s", message.text);
    lua_settop(L, LEVEL);
    if (status == CT_OK && ct_bind_level_act(L, LEVEL, ct_level_spawn)) return 1;
    if (status != CT_OK) lua_pushstring(L, message.text);
    return ct_bind_return_failure(L);
}

const luaL_Reg ct_bind_level_methods[] = {{"spawn", spawn}, {NULL, NULL}};
