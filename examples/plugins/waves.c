// A plugin in C: waves of enemies. Each wave is a level that is spawned next to the previous one,
// with a heavier chief. The plugin weighs, finds, restarts, patches and unloads waves.
#include <lauxlib.h>
#include <lua.h>

#include "cuttle.h"

static const ct_api *api;

// Returns the pushed value, or nil and the pushed message.
static int value_or_message(lua_State *L, bool done) {
    if (done) return 1;
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

// waves.load(bytes) -> Resource, or nil and a message
static int load(lua_State *L) {
    size_t count;
    const char *bytes = luaL_checklstring(L, 1, &count);
    return value_or_message(L, api->load(L, bytes, count, "wave"));
}

// waves.spawn(world, resource, number) -> Level, or nil and a message
static int spawn(lua_State *L) {
    float number = ct_float_clean((float)luaL_checknumber(L, 3));
    ct_pose pose = {{10, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    ct_override_value mass = {"mass", CT_FIELD_FLOAT, NULL};
    ct_override chief = {{"camp/chief", 10}, "point_mass", 0, {0, {NULL, 0}}, NULL, 1};
    ct_level_options options = {sizeof options, true, {CT_NOBODY}, NULL, NULL, 1};
    const float heavier = 100 * number;
    pose.position[0] *= number;
    mass.item = &heavier;
    chief.values = &mass;
    options.pose = &pose;
    options.overrides = &chief;
    return value_or_message(L, api->spawn(L, 1, 2, &options)); // options are copied
}

// waves.chief(level) -> entity, or nil if the chief is dead
static int chief(lua_State *L) {
    static const ct_text path = {"camp/chief", 10};
    const ct_level *level = api->check_level(L, 1);
    ct_entity found;
    api->check_status(L, api->level_find(level, path, &found), "level");
    api->push_entity(L, found);
    return 1;
}

// waves.weigh(world) -> the total mass of entities with a transform, and the x of their centre
static int weigh(lua_State *L) {
    ct_world *world = api->check_world(L, 1);
    ct_manager *both[2];
    ct_join join;
    ct_row rows[2];
    double mass = 0, moment = 0;
    both[0] = api->find_manager(world, "point_mass");
    both[1] = api->find_manager(world, "transform");
    const float *masses = api->column(both[0], api->find_field(both[0], "mass"), NULL);
    api->join(&join, 2, both, NULL);
    while (api->join_next(&join, rows) == CT_QUERY_ROW) {
        mass += masses[rows[0].i];
        moment += masses[rows[0].i] * api->world_matrix(both[1], rows[1])[12];
    }
    lua_pushnumber(L, mass);
    lua_pushnumber(L, mass > 0 ? moment / mass : 0);
    return 2;
}

// Adds the component 'armour', which a script has defined with a float field 'strength'.
static ct_status add_armour(ct_manager *armour, ct_entity owner, float strength) {
    ct_values values[60]; // a component has at most 60 fields
    ct_row row;
    uint32_t field = api->find_field(armour, "strength");
    if (field == CT_NO_FIELD || api->field_type(armour, field) != CT_FIELD_FLOAT)
        return CT_ERR_DATA;
    memset(values, 0, sizeof values); // defaults
    values[field].items = &strength;
    return api->add_values(armour, 1, &owner, field + 1, values, &row);
}

// waves.arm(world, entity, strength)
static int arm(lua_State *L) {
    ct_entity owner = api->check_entity(L, 2);
    float strength = (float)luaL_checknumber(L, 3);
    ct_manager *armour = api->find_manager(api->check_world(L, 1), "armour");
    if (armour == NULL) return luaL_error(L, "the script defines no 'armour'");
    api->check_status(L, add_armour(armour, owner, strength), "armour");
    return 0;
}

// waves.again(level) -> level, or nil and a message
static int again(lua_State *L) {
    lua_settop(L, 1);
    return value_or_message(L, api->restart(L, 1));
}

// waves.follow(level, resource) -> the numbers added, changed and removed; or nil and a message
static int follow(lua_State *L) {
    ct_patch_counts counts;
    lua_settop(L, 2);
    if (!api->patch(L, 1, 2, &counts)) return value_or_message(L, false);
    lua_pushinteger(L, counts.added);
    lua_pushinteger(L, counts.changed);
    lua_pushinteger(L, counts.removed);
    return 3;
}

// waves.clear(level) -> the number of destroyed entities
static int clear(lua_State *L) {
    lua_pushinteger(L, api->unload(L, 1));
    return 1;
}

static const luaL_Reg functions[] = {
    {"load", load},   {"spawn", spawn},   {"chief", chief}, {"weigh", weigh}, {"arm", arm},
    {"again", again}, {"follow", follow}, {"clear", clear}, {NULL, NULL},
};

LUALIB_API int luaopen_waves(lua_State *L);

LUALIB_API int luaopen_waves(lua_State *L) {
    ct_api_keep(L, &api);
    lua_newtable(L);
    for (const luaL_Reg *f = functions; f->name != NULL; ++f) {
        lua_pushcfunction(L, f->func);
        lua_setfield(L, -2, f->name);
    }
    return 1;
}
