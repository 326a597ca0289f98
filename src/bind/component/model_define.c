// What models:define_resource, in lua/cuttle/models.lua, leaves to C: numbers, and the nodes as
// flat arrays. Knows nothing of how nodes are written.
#include "bind/component/model.h"

#include "base/math.h"
#include "bind/component/static_data.h"
#include "bind/value/pose.h"
#include "component/model.h"

#include <string.h>

// Places on the stack.
enum { NAME = 2, DESC, PARENTS, NAMES, POSES };

// core.numbers(type, value, uniform) -> what a field of this type would hold as numbers, or nil and
// what is wrong with the value
static int numbers(lua_State *L) {
    unsigned char item[CT_MAX_ITEM_BYTES];
    ct_field field = {.type = ct_field_type_find(luaL_checkstring(L, 1), NULL)};
    if (field.type == CT_FIELD_TYPE_COUNT || ct_field_info_of(field.type)->lane >= CT_SCALAR_BOOL)
        return luaL_argerror(L, 1, "type of numbers expected");
    lua_settop(L, 3);
    field.uniform = lua_toboolean(L, 3);
    if (ct_bind_value_to_item(L, 2, &field, item)) return ct_bind_push_item(L, NULL, &field, item);
    return ct_bind_return_failure(L);
}

// core.rotation(angle) -> the quaternion that turns about z
static int rotation(lua_State *L) {
    float quaternion[4];
    ct_quat_from_angle(ct_bind_check_float(L, 1), quaternion);
    return ct_bind_push_floats(L, quaternion, 4);
}

// What is no number of a node becomes one that the core refuses: the node's own.
static uint32_t read_parent(lua_State *L, uint32_t node) {
    lua_rawgeti(L, PARENTS, (int)node + 1);
    double parent = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
    lua_pop(L, 1);
    if (parent == 0) return CT_MODEL_NO_NODE;
    return parent >= 1 && parent <= node ? (uint32_t)parent - 1 : node;
}

// The table keeps the string.
static ct_text read_name(lua_State *L, uint32_t node) {
    lua_rawgeti(L, NAMES, (int)node + 1);
    ct_text name = ct_bind_to_text(L, -1);
    lua_pop(L, 1);
    return name;
}

static ct_pose read_pose(lua_State *L, uint32_t node) {
    enum { COUNT = sizeof(ct_pose) / sizeof(float) };
    float read[COUNT] = {0};
    ct_pose pose;
    for (uint32_t i = 0; i < COUNT; ++i) {
        lua_rawgeti(L, POSES, (int)(node * COUNT + i) + 1);
        ct_scalar_store(CT_SCALAR_FLOAT, lua_tonumber(L, -1), &read[i]);
        lua_pop(L, 1);
    }
    memcpy(&pose, read, sizeof pose);
    return pose;
}

// core.define_model(models, name, desc, parents, names, poses) -> true, or nil and what is wrong.
// For each node the number of its parent or 0, its name or false, and the ten numbers of its pose.
static int define_model(lua_State *L) {
    const ct_bind_manager *manager = ct_bind_to_object(L, 1, &ct_bind_manager_kind);
    ct_message message;
    if (manager != NULL && manager->over != NULL) return ct_bind_raise_over(L, manager);
    if (manager == NULL || strcmp(manager->core->name, CT_MODEL) != 0)
        return luaL_argerror(L, 1, "model manager expected");
    ct_text name = ct_bind_check_resource_name(L, NAME);
    for (int arg = DESC; arg <= POSES; ++arg)
        luaL_checktype(L, arg, LUA_TTABLE);
    lua_settop(L, POSES);
    uint32_t count = ct_bind_rawlen(L, PARENTS);
    ct_model_node *nodes = lua_newuserdata(L, count * sizeof *nodes + 1);
    ct_bind_push_resources(L);
    // The table first: growing it may raise, putting the old entry back cannot.
    ct_bind_keep_resource(L);
    // From here on nothing runs a finalizer.
    for (uint32_t i = 0; i < count; ++i)
        nodes[i] = (ct_model_node){read_name(L, i), read_parent(L, i), read_pose(L, i)};
    ct_status status = ct_model_define(manager->core, name, nodes, count, &message);
    lua_pushboolean(L, true);
    if (status == CT_OK) return 1;
    lua_pop(L, 1);
    ct_bind_put_resource_back(L);
    if (status != CT_ERR_DATA && status != CT_ERR_EXISTS)
        return ct_bind_raise_status(L, status, CT_MODEL, (uint32_t)CT_MAX_STRINGS, "names");
    lua_pushstring(L, message.text);
    return ct_bind_return_failure(L);
}

static const luaL_Reg functions[] = {
    {"numbers", numbers}, {"rotation", rotation}, {"define_model", define_model}, {NULL, NULL}};

void ct_bind_open_models(lua_State *L) { luaL_register(L, NULL, functions); }
