// Methods of worlds for levels: spawn and spawn_many, which convert arguments to a Level; levels;
// capture, which makes a resource of living entities.
#include "bind/level/level.h"
#include "bind/resource/resource.h"
#include "bind/value/list.h"
#include "bind/value/options.h"
#include "bind/value/pose.h"
#include "bind/value/push_bytes.h"
#include "level/capture.h"

// Stack indices of the arguments; POSES is an argument of spawn_many only.
enum { RESOURCE = 2, POSES };

// Offsets of the option values from 'values'. The first four stay on the stack; the Level replaces
// the values after them.
enum { OVERRIDES, PARENT_NODE, STATE, NAME, PARENT, REFUSE_UNKNOWN, POSE, POSE_END = POSE + 4 };
enum { LEVEL = PARENT };

// Fields of a table of poses; the values are at 'poses' and above.
static const ct_field pose_fields[] = {{.name = "positions", .type = CT_FIELD_VEC3},
                                       {.name = "rotations", .type = CT_FIELD_QUAT},
                                       {.name = "angles", .type = CT_FIELD_FLOAT},
                                       {.name = "scales", .type = CT_FIELD_FLOAT}};
enum { POSITIONS, POSE_FIELDS = 4 };

typedef struct request {
    lua_State *L;
    ct_bind_world *world;
    ct_resource *resource;
    int options; // stack indices
    int values;
    int poses; // 0: no poses
    ct_spawn_options spawn;
    ct_pose pose;
    ct_copies copies;
} request;

// ---------------------------------------------------------------- options

static void set_pose(request *r) {
    for (int at = r->values + POSE; at < r->values + POSE_END; ++at)
        if (!lua_isnil(r->L, at)) r->spawn.pose = &r->pose;
    if (!ct_bind_to_pose(r->L, r->values + POSE, &r->pose)) ct_bind_arg_error(r->L, r->options);
}

static void check_parent(const request *r) {
    const ct_world *world = &r->world->core;
    ct_entity parent = r->spawn.parent;
    if (ct_entity_manager_alive(world->entities, parent)) return;
    ct_bind_push_dead(r->L, parent, world);
    ct_bind_raise_arg(r->L, r->options, "parent: %s", lua_tostring(r->L, -1));
}

// Reads the options. The overrides stay on the stack, and the texts: node, state and name.
static void read_options(request *r) {
    lua_State *L = r->L;
    bool posed = r->poses != 0;
    r->values = lua_gettop(L) + 1;
    if (ct_bind_read_options(L, r->options, posed ? "spawn_at_poses" : "spawn",
                             posed ? POSE : POSE_END)) {
        if (!lua_isnil(L, r->values)) luaL_checktype(L, r->values, LUA_TTABLE);
        r->spawn.refuse_unknown = lua_toboolean(L, r->values + REFUSE_UNKNOWN);
        if (!posed) set_pose(r);
        r->spawn.parent_node = ct_bind_to_text(L, r->values + PARENT_NODE);
        if (!lua_isnil(L, r->values + STATE)) luaL_checktype(L, r->values + STATE, LUA_TSTRING);
        r->spawn.state = ct_bind_to_text(L, r->values + STATE);
        r->spawn.name = ct_bind_to_text(L, r->values + NAME);
        ct_bind_world_self(L); // scripts that ran meanwhile may have destroyed the world
        if (ct_bind_to_entity(L, r->values + PARENT, &r->spawn.parent)) check_parent(r);
    }
    lua_settop(L, r->values + NAME);
}

// ---------------------------------------------------------------- copies

static void read_poses(request *r) {
    lua_State *L = r->L;
    if (lua_type(L, POSES) == LUA_TNUMBER) {
        r->copies.count = (uint32_t)ct_bind_check_whole(L, POSES, 0, CT_MAX_ENTITIES);
        return;
    }
    if (!lua_istable(L, POSES))
        ct_bind_raise_arg(L, POSES, "table of poses or number of copies expected, got %s",
                          ct_bind_type_name(L, POSES));
    r->poses = lua_gettop(L) + 1;
    ct_bind_read_options(L, POSES, "poses", POSE_FIELDS);
    for (int i = 0; i < POSE_FIELDS; ++i)
        if (!lua_isnil(L, r->poses + i)) luaL_checktype(L, r->poses + i, LUA_TTABLE);
    r->copies.count = ct_bind_rawlen(L, r->poses + POSITIONS) / 3;
}

static void parse_poses(request *r, const ct_bind_parse *g) {
    ct_pose_arrays arrays = {.positions = {NULL, 0}};
    ct_values *const into[] = {&arrays.positions, &arrays.rotations, &arrays.angles,
                               &arrays.scales};
    for (int f = 0; f < POSE_FIELDS; ++f) {
        int index = r->poses + f;
        if (lua_isnil(r->L, index)) continue;
        if (!ct_bind_parse_field(g, index, NULL, &pose_fields[f], r->copies.count, into[f]))
            ct_bind_arg_error(r->L, POSES);
    }
    ct_pose *poses = ct_bind_parse_take(g, r->copies.count * sizeof *poses);
    ct_copies_set_poses(poses, r->copies.count, &arrays);
    r->copies.poses = poses;
}

// ---------------------------------------------------------------- the Level

// Pushes an empty Level with these options. Creating the object may run finalizers, so the
// overrides are converted again afterwards. Poses are converted only then, because their number is
// known.
static ct_level *push_level(request *r) {
    lua_State *L = r->L;
    ct_bind_level *object = NULL;
    bool posed = r->poses != 0 && r->copies.count > 0;
    static const ct_pose one;
    for (size_t room = 0;;) {
        ct_bind_parse g = ct_bind_parse_begin(L, r->world->state);
        g.sink = CT_BIND_TO_BYTES;
        r->spawn.overrides = ct_bind_parse_overrides(&g, r->values + OVERRIDES, r->options,
                                                     &r->world->core, &r->spawn.override_count);
        if (posed) r->copies.poses = &one;
        size_t bytes = ct_level_bytes(r->resource, &r->spawn);
        bool fits = object != NULL && bytes <= room;
        if (fits && posed) parse_poses(r, &g);
        if (fits) ct_level_init(object->core, &r->world->levels, r->resource, &r->spawn);
        ct_bind_parse_end(&g);
        if (fits) return object->core;
        lua_settop(L, r->values + NAME);
        object = ct_bind_level_new(L, 1, RESOURCE, bytes);
        room = bytes;
    }
}

// Continues a spawn after the poses are read.
static int spawn_level(request *r) {
    lua_State *L = r->L;
    ct_message message;
    read_options(r);
    if (r->spawn.copies != NULL &&
        ct_spawner_check_count(&r->world->core, r->resource, &r->spawn, &message) != CT_OK) {
        lua_pushstring(L, message.text);
        ct_bind_name_resource(L, RESOURCE);
        return ct_bind_return_failure(L);
    }
    ct_level *level = push_level(r);
    ct_status status =
        ct_spawner_check_options(&r->world->core, r->resource, &level->options, &message);
    if (status == CT_ERR_DATA) return ct_bind_raise_arg(L, r->options, "%s", message.text);
    if (status != CT_OK) return ct_bind_return_message(L, message.text);
    lua_settop(L, r->values + LEVEL);
    if (ct_bind_level_act(L, r->values + LEVEL, ct_level_spawn)) return 1;
    if (level->wrong_option) return ct_bind_arg_error(L, r->options);
    return ct_bind_return_failure(L);
}

static request begin(lua_State *L, int options) {
    request r = {.L = L, .options = options, .spawn = {.parent = {CT_NOBODY}}};
    r.world = ct_bind_world_self(L);
    ct_bind_check_open(L, &r.world->core);
    r.resource = ct_bind_check_resource(L, RESOURCE);
    lua_settop(L, options);
    return r;
}

// world:spawn(resource [, options]) -> Level, or nil and a message
static int spawn(lua_State *L) {
    request r = begin(L, RESOURCE + 1);
    return spawn_level(&r);
}

// world:spawn_many(resource, poses [, options]) -> Level, or nil and a message
static int spawn_many(lua_State *L) {
    request r = begin(L, POSES + 1);
    r.spawn.copies = &r.copies;
    read_poses(&r);
    return spawn_level(&r);
}

// world:levels() -> list of the levels with living entities, the oldest first
static int levels(lua_State *L) {
    const ct_bind_world *world = ct_bind_world_self(L);
    const ct_level *level = NULL;
    lua_settop(L, 1);
    ct_bind_push_levels(L, 1);
    int room = (int)world->levels.count;
    lua_createtable(L, room, 0);
    // Nothing below this line allocates: finalizers would change the list.
    for (int i = 1; i <= room && (level = ct_levels_next(&world->levels, level)) != NULL; ++i) {
        ct_bind_rawgetp(L, 2, level);
        lua_rawseti(L, 3, i);
    }
    return 1;
}

// ---------------------------------------------------------------- capturing

// Stack indices of the arguments of capture, and of the values for the core call.
enum { LIST = 2, OPTIONS, ENTITIES, ERROR };

static void check_alive(lua_State *L, const ct_world *world, const ct_entity *list,
                        uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (ct_entity_manager_alive(world->entities, list[i])) continue;
        ct_bind_push_dead(L, list[i], world);
        ct_bind_raise_arg(L, LIST, "[%d]: %s", (int)i + 1, lua_tostring(L, -1));
    }
}

// world:capture(list [, options]) -> blob
static int capture(lua_State *L) {
    ct_writer out;
    ct_message message;
    uint32_t count;
    ct_bind_world_self(L);
    lua_settop(L, OPTIONS);
    bool lenient = ct_bind_read_flag(L, OPTIONS, "capture");
    luaL_checkstack(L, 2 * LUA_MINSTACK, "too many nested callbacks");
    const ct_entity *list = ct_bind_pin_entity_array(L, LIST, &count);
    lua_settop(L, ENTITIES);
    lua_pushnil(L); // slot for the error
    ct_world *world = &ct_bind_world_self(L)->core;
    ct_bind_check_thawed(L, world->entities);
    check_alive(L, world, list, count);
    ct_bind_host_call call = {{L, 0, ERROR}, .world = 1};
    ct_writer_init(&out, world->allocator, false);
    ct_status status = ct_capture(world, list, count, lenient, &call, &out, &message);
    if (status == CT_ERR_DATA) {
        ct_writer_free(&out);
        if (!lua_isnil(L, ERROR)) {
            ct_bind_level_push_problem(&call);
            return ct_bind_raise_arg(L, LIST, "%s: %s", message.text, lua_tostring(L, -1));
        }
        return ct_bind_raise_arg(L, LIST, "%s", message.text);
    }
    ct_bind_push_bytes(L, &out, status, "a resource", 0);
    return 1;
}

static const luaL_Reg methods[] = {{"spawn", spawn},
                                   {"spawn_many", spawn_many},
                                   {"levels", levels},
                                   {"capture", capture},
                                   {NULL, NULL}};

void ct_bind_open_spawn(lua_State *L) {
    ct_bind_open_level(L);
    ct_bind_open_patches(L);
    ct_bind_add_class_methods(L, &ct_bind_world_kind, methods);
}
