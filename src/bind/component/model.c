// Methods of the model manager: poses and matrices of nodes, by number or name, and definitions.
#include "bind/component/components.h"

#include "bind/value/pose.h"
#include "component/model.h"
#include "world/placement.h"

static int raise_no_number(lua_State *L, int arg, const ct_manager *core, ct_row row) {
    const ct_field *resource = core->fields;
    uint32_t count = ct_model_node_count(core, row);
    ct_bind_push_item(L, core, resource, ct_manager_item(core, resource, row));
    return ct_bind_raise_arg(L, arg, "%s has %d nodes, got %f", lua_tostring(L, -1), (int)count,
                             lua_tonumber(L, arg));
}

// Returns argument 'arg' as a node of the model at 'row': its number, from 1 on, or its name.
static uint32_t check_node(lua_State *L, int arg, const ct_manager *core, ct_row row) {
    if (lua_type(L, arg) == LUA_TNUMBER) {
        double number = lua_tonumber(L, arg);
        // Also false for NaN; the cast is defined within the bounds.
        if (number >= 1 && number <= ct_model_node_count(core, row) && number == (uint32_t)number)
            return (uint32_t)number - 1;
        raise_no_number(L, arg, core, row);
    }
    ct_text name = ct_bind_to_text(L, arg);
    if (name.bytes == NULL)
        ct_bind_raise_arg(L, arg, "number or name of a node expected, got %s",
                          ct_bind_type_name(L, arg));
    uint32_t node = ct_model_find_node(core, row, name);
    if (node != CT_MODEL_NO_NODE) return node;
    ct_message message;
    ct_model_refuse_node(core, row, name, &message);
    return (uint32_t)ct_bind_raise_arg(L, arg, "%s", message.text);
}

// models:set_node_pose(target, node, px,py,pz, qx,qy,qz,qw, sx,sy,sz)
static int set_node_pose(lua_State *L) {
    const ct_bind_target t = ct_bind_own_live_target(L);
    uint32_t node = check_node(L, 3, t.core, t.row);
    ct_pose pose;
    ct_bind_check_pose(L, 4, &pose);
    ct_model_set_node_pose(t.core, t.row, node, &pose);
    return 0;
}

// models:node_pose(target, node) -> px,py,pz, qx,qy,qz,qw, sx,sy,sz
static int node_pose(lua_State *L) {
    const ct_bind_target t = ct_bind_own_target(L);
    uint32_t node = check_node(L, 3, t.core, t.row);
    ct_pose pose;
    ct_model_node_pose(t.core, t.row, node, &pose);
    return ct_bind_push_pose(L, &pose);
}

// models:evaluate()
static int evaluate(lua_State *L) {
    ct_model_evaluate(ct_bind_own_changing(L)->core);
    return 0;
}

static int node_count(lua_State *L) {
    const ct_bind_target t = ct_bind_own_target(L);
    return ct_bind_return_whole(L, ct_model_node_count(t.core, t.row));
}

// models:node_matrix(target, node [, out])
static int node_matrix(lua_State *L) {
    const ct_bind_target t = ct_bind_own_target(L);
    uint32_t node = check_node(L, 3, t.core, t.row);
    ct_bind_check_out(L, 4);
    return ct_bind_push_matrix(L, ct_model_node_matrix(t.core, t.row, node), 4);
}

// models:node_matrices(target [, out]) -> one array with 16 numbers per node
static int node_matrices(lua_State *L) {
    ct_bind_target t = ct_bind_own_target(L);
    lua_settop(L, 3);
    ct_bind_prepare_table(L, 3, ct_model_node_count(t.core, t.row) * 16);
    // Finalizers may have run, so the row is checked again. Only table growth from here on, so no
    // finalizer can run.
    t.row = ct_bind_check_target(L, 2, t.manager);
    ct_bind_fill_floats(L, 3, ct_model_node_matrix(t.core, t.row, 0),
                        (int)ct_model_node_count(t.core, t.row) * 16);
    return 1;
}

// models:node_world_matrix(target, node [, out])
static int node_world_matrix(lua_State *L) {
    const ct_bind_target t = ct_bind_own_target(L);
    uint32_t node = check_node(L, 3, t.core, t.row);
    float matrix[16];
    ct_bind_check_out(L, 4);
    if (ct_node_world_matrix(t.manager->world, t.row, node, matrix))
        return ct_bind_push_matrix(L, matrix, 4);
    ct_bind_push_entity_name(L, ct_store_owners(&t.core->store)[t.row.i]);
    return ct_bind_raise_arg(L, 2, "%s has no transform", lua_tostring(L, -1));
}

// ---------------------------------------------------------------- definitions

// C part of models:define_resource (lua/cuttle/models.lua): reads the nodes from flat arrays, and
// their poses.

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

const ct_bind_method ct_bind_model_methods[] = {
    CT_BIND_FIELD("resource", "set_resource"),
    {"resource_data", ct_bind_resource_data, NULL},
    {"set_node_pose", set_node_pose, NULL},
    {"node_pose", node_pose, NULL},
    {"evaluate", evaluate, NULL},
    {"node_count", node_count, NULL},
    {"node_matrix", node_matrix, NULL},
    {"node_matrices", node_matrices, NULL},
    {"node_world_matrix", node_world_matrix, NULL},
    {NULL, NULL, NULL},
};

void ct_bind_open_models(lua_State *L) { ct_bind_add_function(L, "define_model", define_model); }
