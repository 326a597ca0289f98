// world:spawn: from the options a script writes to a Level.
// Knows nothing of how levels live on.
#include "bind/level/level.h"
#include "bind/level/overrides.h"
#include "bind/level/resource.h"
#include "bind/level/spawners.h"

#include "base/math.h"

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

static void read_pose(lua_State *L, ct_bind_spawn_request *request) {
    static const ct_field position = {.name = "position", .type = CT_FIELD_VEC3};
    static const ct_field rotation = {.name = "rotation", .type = CT_FIELD_QUAT};
    static const ct_field angle = {.name = "angle", .type = CT_FIELD_FLOAT};
    static const ct_field scale = {.name = "scale", .type = CT_FIELD_VEC3, .uniform = true};
    float radians;
    ct_pose *pose = &request->pose;
    bool moved = read_option(L, &position, pose->position);
    bool turned = read_option(L, &rotation, pose->rotation);
    bool by_angle = read_option(L, &angle, &radians);
    bool scaled = read_option(L, &scale, pose->scale);
    if (turned && by_angle) luaL_argerror(L, 3, "angle: not together with rotation");
    if (by_angle)
        ct_quat_from_angle(radians, pose->rotation);
    else
        ct_quat_normalize(pose->rotation, pose->rotation);
    request->has_pose = moved || turned || by_angle || scaled;
}

static void read_parent(lua_State *L, const ct_bind_world *world, ct_bind_spawn_request *request) {
    lua_getfield(L, 3, "parent");
    if (!lua_isnil(L, -1) && !ct_bind_to_entity(L, -1, &request->parent)) {
        lua_pushfstring(L, "parent: entity expected, got %s", ct_bind_type_name(L, -1));
        ct_bind_arg_error(L, 3);
    }
    if (!ct_bind_is_spawn_parent(L, world, request->parent)) ct_bind_arg_error(L, 3);
    lua_pop(L, 1);
}

static void read_unknown(lua_State *L, ct_bind_spawn_request *request) {
    lua_getfield(L, 3, "unknown");
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    request->refuse_unknown = strcmp(text, "error") == 0;
    if (!lua_isnil(L, -1) && !request->refuse_unknown && strcmp(text, "skip") != 0)
        luaL_argerror(L, 3, "unknown: \"skip\" or \"error\" expected");
    lua_pop(L, 1);
}

// Pushes a copy of the overrides, or nil.
static void copy_overrides(lua_State *L) {
    lua_getfield(L, 3, "overrides");
    if (lua_isnil(L, -1)) return;
    if (lua_type(L, -1) != LUA_TTABLE) {
        lua_pushfstring(L, "overrides: table expected, got %s", ct_bind_type_name(L, -1));
        ct_bind_arg_error(L, 3);
    }
    ct_bind_copy_overrides(L, -1);
    lua_replace(L, -2);
}

// world:spawn(resource [, options]) -> Level, or nil and a message
static int spawn(lua_State *L) {
    static const char *const options[] = {"position", "rotation", "angle",    "scale",
                                          "parent",   "unknown",  "overrides"};
    const ct_bind_world *world = ct_bind_world_self(L);
    ct_bind_check_open(L, &world->core);
    ct_bind_check_resource(L, 2);
    lua_settop(L, 3);
    ct_bind_spawn_request request = {.pose = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}},
                                     .parent = {CT_NOBODY}};
    bool given = ct_bind_check_options(L, 3, options, sizeof options / sizeof *options);
    if (given)
        copy_overrides(L);
    else
        lua_pushnil(L);
    if (given) {
        read_pose(L, &request);
        read_unknown(L, &request);
        ct_bind_world_self(L); // reading options may have called a metamethod
        read_parent(L, world, &request);
    }
    ct_bind_level *level = ct_bind_level_new(L, 1, 2, &request); // 5
    level->overridden = !lua_isnil(L, 4);
    if (level->overridden) {
        lua_getfenv(L, 5);
        lua_pushvalue(L, 4);
        lua_setfield(L, -2, "overrides");
        lua_settop(L, 5);
    }
    lua_pushcfunction(L, ct_bind_level_prepare); // 6
    ct_bind_readiness readiness = ct_bind_level_push_needs(L, 5, 6, true);
    if (readiness == BIND_LEVEL_MISTAKEN) return ct_bind_arg_error(L, 3);
    if (readiness == BIND_LEVEL_READY && ct_bind_level_spawn(L, 5, 7)) {
        lua_settop(L, 5);
        return 1;
    }
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

const luaL_Reg ct_bind_level_methods[] = {
    {"spawn", spawn}, {"register_spawner", ct_bind_register_spawner}, {NULL, NULL}};
