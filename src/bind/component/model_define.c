// C part of models:define_resource (lua/cuttle/models.lua): reads the nodes from flat arrays, and
// their poses.
#include "bind/component/components.h"

#include "bind/value/pose.h"
#include "component/model.h"

#include <string.h>

// Stack indices.
enum { NAME = 2, DESC, PARENTS, NAMES, POSES, NODES, POSITION };

// Returns the parent of a node, or CT_MODEL_NO_NODE. For an invalid number returns the node itself,
// which the core refuses as a parent.
static uint32_t read_parent(lua_State *L, uint32_t node) {
    lua_rawgeti(L, PARENTS, (int)node + 1);
    double parent = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
    lua_pop(L, 1);
    if (parent == 0) return CT_MODEL_NO_NODE;
    return parent >= 1 && parent <= node ? (uint32_t)parent - 1 : node;
}

// Returns the name of a node. The table keeps the string alive.
static ct_text read_name(lua_State *L, uint32_t node) {
    lua_rawgeti(L, NAMES, (int)node + 1);
    ct_text name = ct_bind_to_text(L, -1);
    lua_pop(L, 1);
    return name;
}

// Reads the pose of a node; returns false and pushes the message if it is invalid.
static bool read_pose(lua_State *L, uint32_t node, ct_pose *out) {
    lua_settop(L, NODES);
    for (int i = 1; i <= 4; ++i)
        lua_rawgeti(L, POSES, (int)node * 4 + i);
    if (ct_bind_to_pose(L, POSITION, out)) return true;
    return ct_bind_refuse(L, "nodes[%d].%s", (int)node + 1, lua_tostring(L, -1));
}

// core.define_model(models, name, desc, parents, names, poses) -> true, or nil and the message. The
// arrays have for each node the number of its parent or 0, its name or false, and four values for
// ct_bind_to_pose.
static int define_model(lua_State *L) {
    const ct_bind_manager *manager = ct_bind_test_handle(L, 1, &ct_bind_manager_kind);
    ct_message message;
    if (manager != NULL && manager->destroyed != NULL) return ct_bind_raise_destroyed(L, manager);
    if (manager == NULL || manager->core->type != &ct_model_type)
        return luaL_argerror(L, 1, "model manager expected");
    ct_bind_check_thawed(L, manager->core->store.entities);
    ct_text name = ct_bind_check_resource_name(L, NAME);
    for (int arg = DESC; arg <= POSES; ++arg)
        luaL_checktype(L, arg, LUA_TTABLE);
    lua_settop(L, POSES);
    uint32_t count = ct_bind_rawlen(L, PARENTS);
    ct_model_node *nodes = lua_newuserdata(L, count * sizeof *nodes + 1);
    for (uint32_t i = 0; i < count; ++i)
        if (!read_pose(L, i, &nodes[i].pose)) return ct_bind_return_failure(L);
    ct_bind_keep_resource(L);
    // No finalizer runs from here on.
    for (uint32_t i = 0; i < count; ++i)
        nodes[i] = (ct_model_node){read_name(L, i), read_parent(L, i), nodes[i].pose};
    ct_status status = ct_model_define(manager->core, name, nodes, count, 1, &message);
    if (status == CT_ERR_DATA || status == CT_ERR_EXISTS) {
        ct_bind_put_resource_back(L);
        return ct_bind_return_message(L, message.text);
    }
    ct_bind_finish_resource(L, status, CT_MODEL);
    return ct_bind_return_bool(L, true);
}

void ct_bind_open_models(lua_State *L) { ct_bind_add_function(L, "define_model", define_model); }
