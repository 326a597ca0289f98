// world:spawn: from the options a script writes to a Level.
// Knows nothing of how levels live on.
#include "base/math.h"
#include "bind/level/level.h"
#include "bind/level/overrides.h"
#include "bind/level/resource.h"
#include "bind/value/options.h"

enum { POSITION = 1, ROTATION = 2, ANGLE = 4, SCALE = 8, PARENT = 16 };

// The pose of the options that were given.
static void set_pose(lua_State *L, ct_spawn_options *options, ct_pose *pose, uint32_t given,
                     float angle) {
    if ((given & (POSITION | ROTATION | ANGLE | SCALE)) == 0) return;
    if ((given & ROTATION) != 0 && (given & ANGLE) != 0)
        luaL_argerror(L, 3, "angle: not together with rotation");
    if ((given & ANGLE) != 0)
        ct_quat_from_angle(angle, pose->rotation);
    else
        ct_quat_normalize(pose->rotation, pose->rotation);
    options->pose = pose;
}

static void check_parent(lua_State *L, const ct_world *world, ct_entity parent) {
    if (ct_entity_manager_alive(world->entities, parent)) return;
    ct_bind_push_dead(L, parent, world->entities, ct_bind_names(world));
    lua_pushfstring(L, "parent: %s", lua_tostring(L, -1));
    ct_bind_arg_error(L, 3);
}

// The options at argument 3; the table of overrides, or nil, comes to index 4.
static void read_options(lua_State *L, const ct_world *world, ct_spawn_options *options,
                         ct_pose *pose) {
    static const char *const words[] = {"skip", "error", NULL};
    float angle = 0;
    uint32_t unknown = 0;
    const ct_bind_option list[] = {
        {"position", CT_BIND_ITEM, .into = pose->position, .item = CT_FIELD_VEC3},
        {"rotation", CT_BIND_ITEM, .into = pose->rotation, .item = CT_FIELD_QUAT},
        {"angle", CT_BIND_ITEM, .into = &angle, .item = CT_FIELD_FLOAT},
        {"scale", CT_BIND_ITEM, .into = pose->scale, .item = CT_FIELD_VEC3, .uniform = true},
        {"parent", CT_BIND_ENTITY, .into = &options->parent},
        {"unknown", CT_BIND_WORD, .into = &unknown, .words = words,
         .expected = "\"skip\" or \"error\""},
        {"overrides", CT_BIND_TABLE, .into = NULL}};
    if (lua_isnil(L, 3)) return;
    uint32_t given = ct_bind_read_options(L, 3, list, sizeof list / sizeof *list);
    options->refuse_unknown = unknown == 1;
    set_pose(L, options, pose, given, angle);
    lua_getfield(L, 3, "overrides");
    lua_replace(L, 4);
    ct_bind_world_self(L); // reading options may have called a metamethod
    if ((given & PARENT) != 0) check_parent(L, world, options->parent);
}

// Pushes an empty Level with these options; the table of overrides, or nil, is at index 4. Making
// the object may run finalizers, so that what was gathered before is gathered once more.
static ct_level *push_level(lua_State *L, ct_bind_world *world, ct_resource *resource,
                            ct_spawn_options *options) {
    ct_bind_level *object = NULL;
    for (size_t room = 0;;) {
        const ct_bind_gather g = ct_bind_gather_begin(L, world->state);
        options->overrides =
            ct_bind_gather_overrides(&g, 4, 3, &world->core, &options->override_count);
        size_t bytes = ct_level_bytes(resource, options);
        bool fits = object != NULL && bytes <= room;
        if (fits) ct_level_init(object->core, &world->levels, resource, options);
        ct_bind_gather_end(&g);
        if (fits) return object->core;
        lua_settop(L, 4);
        object = ct_bind_level_new(L, 1, 2, bytes);
        room = bytes;
    }
}

// world:spawn(resource [, options]) -> Level, or nil and a message
static int spawn(lua_State *L) {
    enum { LEVEL = 5 };
    ct_bind_world *world = ct_bind_world_self(L);
    ct_bind_check_open(L, &world->core);
    ct_resource *resource = ct_bind_check_resource(L, 2);
    ct_pose pose = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    ct_spawn_options options = {.parent = {CT_NOBODY}};
    lua_settop(L, 4);
    lua_pushnil(L);
    lua_replace(L, 4);
    read_options(L, &world->core, &options, &pose);
    ct_level *level = push_level(L, world, resource, &options);
    ct_message message;
    ct_status status = ct_spawner_check_options(&world->core, resource, &level->options, &message);
    if (status == CT_ERR_DATA) {
        lua_pushstring(L, message.text);
        return ct_bind_arg_error(L, 3);
    }
    lua_settop(L, LEVEL);
    if (status == CT_OK && ct_bind_level_act(L, LEVEL, ct_level_spawn)) return 1;
    if (status != CT_OK) lua_pushstring(L, message.text);
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

const luaL_Reg ct_bind_level_methods[] = {{"spawn", spawn}, {NULL, NULL}};
