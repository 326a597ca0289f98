// Methods of the model manager: poses and matrices of nodes, by number or name.
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
