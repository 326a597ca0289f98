// world:spawn: from the options a script writes to a Level.
// Knows nothing of how levels live on.
#include "base/math.h"
#include "bind/level/level.h"
#include "bind/level/overrides.h"
#include "bind/level/resource.h"
#include "bind/level/spawners.h"

#include <string.h>

static int option_error(lua_State *L, const char *name) {
    lua_pushfstring(L, "%s: %s", name, lua_tostring(L, -1));
    return ct_bind_arg_error(L, 3);
}

// Reads a number or vector of the options at argument 3; whether it was given.
static bool read_option(lua_State *L, const ct_field *field, void *item) {
    lua_getfield(L, 3, field->name);
    bool given = !lua_isnil(L, -1);
    if (given && !ct_bind_value_to_item(L, -1, field, item)) option_error(L, field->name);
    lua_pop(L, 1);
    return given;
}

static void read_pose(lua_State *L, ct_spawn_options *options, ct_pose *pose) {
    static const ct_field position = {.name = "position", .type = CT_FIELD_VEC3};
    static const ct_field rotation = {.name = "rotation", .type = CT_FIELD_QUAT};
    static const ct_field angle = {.name = "angle", .type = CT_FIELD_FLOAT};
    static const ct_field scale = {.name = "scale", .type = CT_FIELD_VEC3, .uniform = true};
    float radians;
    bool moved = read_option(L, &position, pose->position);
    bool turned = read_option(L, &rotation, pose->rotation);
    bool by_angle = read_option(L, &angle, &radians);
    bool scaled = read_option(L, &scale, pose->scale);
    if (turned && by_angle) luaL_argerror(L, 3, "angle: not together with rotation");
    if (by_angle)
        ct_quat_from_angle(radians, pose->rotation);
    else
        ct_quat_normalize(pose->rotation, pose->rotation);
    if (moved || turned || by_angle || scaled) options->pose = pose;
}

static void raise_parent(lua_State *L) {
    lua_pushfstring(L, "parent: %s", lua_tostring(L, -1));
    ct_bind_arg_error(L, 3);
}

static void read_parent(lua_State *L, const ct_world *world, ct_spawn_options *options) {
    lua_getfield(L, 3, "parent");
    if (lua_isnil(L, -1)) return;
    if (!ct_bind_to_entity(L, -1, &options->parent)) {
        lua_pushfstring(L, "entity expected, got %s", ct_bind_type_name(L, -1));
        raise_parent(L);
    }
    if (ct_entity_manager_alive(world->entities, options->parent)) return;
    ct_bind_push_dead(L, options->parent, world->entities, ct_bind_names(world));
    raise_parent(L);
}

static void read_unknown(lua_State *L, ct_spawn_options *options) {
    lua_getfield(L, 3, "unknown");
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    options->refuse_unknown = strcmp(text, "error") == 0;
    if (!lua_isnil(L, -1) && !options->refuse_unknown && strcmp(text, "skip") != 0)
        luaL_argerror(L, 3, "unknown: \"skip\" or \"error\" expected");
}

// Leaves the table of overrides, or nil, at index 4.
static void read_overrides(lua_State *L) {
    lua_getfield(L, 3, "overrides");
    if (!lua_isnil(L, -1) && lua_type(L, -1) != LUA_TTABLE) {
        lua_pushfstring(L, "overrides: table expected, got %s", ct_bind_type_name(L, -1));
        ct_bind_arg_error(L, 3);
    }
    lua_replace(L, 4);
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
    static const char *const names[] = {"position", "rotation", "angle",    "scale",
                                        "parent",   "unknown",  "overrides"};
    enum { LEVEL = 5 };
    ct_bind_world *world = ct_bind_world_self(L);
    ct_bind_check_open(L, &world->core);
    ct_resource *resource = ct_bind_check_resource(L, 2);
    ct_pose pose = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    ct_spawn_options options = {.parent = {CT_NOBODY}};
    lua_settop(L, 3);
    bool given = ct_bind_check_options(L, 3, names, sizeof names / sizeof *names);
    lua_settop(L, 4);
    if (given) {
        read_overrides(L);
        read_pose(L, &options, &pose);
        read_unknown(L, &options);
        ct_bind_world_self(L); // reading options may have called a metamethod
        read_parent(L, &world->core, &options);
        lua_settop(L, 4);
    }
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

const luaL_Reg ct_bind_level_methods[] = {
    {"spawn", spawn}, {"register_spawner", ct_bind_register_spawner}, {NULL, NULL}};
