// Hierarchy of transforms: linking, traversal, destruction of subtrees.
#include "bind/component/components.h"

#include "bind/manager/loops.h"
#include "bind/value/compiled.h"
#include "bind/value/options.h"
#include "bind/world/world.h"
#include "component/transform.h"

int ct_bind_raise_link(lua_State *L, int arg, const ct_manager *transforms, ct_row child,
                       ct_row parent, ct_status status) {
    ct_message message;
    ct_transform_link_message(transforms, child, parent, status, &message);
    ct_bind_raise_arg(L, arg, "%s", message.text);
    CT_NEVER(0);
}

// Returns the node of the parent's model that the value on top names.
static uint32_t check_node(lua_State *L, const ct_manager *core, ct_row parent) {
    ct_message message;
    ct_text text = ct_bind_to_text(L, -1);
    if (text.bytes == NULL) ct_bind_raise_arg(L, 4, "node: number or name of a node expected");
    uint32_t node = ct_transform_find_node(core, parent, text, &message);
    if (node == CT_NO_NODE) ct_bind_raise_arg(L, 4, "node: %s", message.text);
    return node;
}

// m:link(child, parent [, {keep = "world", node = "hand"}])
static int link_child(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_self(L);
    ct_bind_check_live_target(L, 2, manager);
    ct_bind_check_live_target(L, 3, manager);
    bool given = ct_bind_read_options(L, 4, "link", 2);
    bool keep = given && lua_toboolean(L, -2), hangs = given && !lua_isnil(L, -1);
    // Checked again: reading options may have run finalizers.
    ct_row child = ct_bind_check_live_target(L, 2, manager);
    ct_row parent = ct_bind_check_live_target(L, 3, manager);
    uint32_t node = hangs ? check_node(L, manager->core, parent) : CT_NO_NODE;
    ct_status status = hangs ? ct_transform_link_node(manager->core, child, parent, node, keep)
                             : ct_transform_link(manager->core, child, parent, keep);
    if (status == CT_OK) return 0;
    if (status == CT_ERR_MEMORY) return ct_bind_manager_fail(L, manager, status);
    return ct_bind_raise_link(L, 3, manager->core, child, parent, status);
}

// m:unlink(child [, {keep = "world"}])
static int unlink_child(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_self(L);
    ct_bind_check_live_target(L, 2, manager);
    bool keep = ct_bind_read_flag(L, 3, "unlink");
    ct_transform_unlink(manager->core, ct_bind_check_live_target(L, 2, manager), keep);
    return 0;
}

// ---------------------------------------------------------------- traversal

static int push_relative(lua_State *L, ct_row (*relative)(ct_manager *, ct_row)) {
    const ct_bind_target t = ct_bind_own_target(L);
    return ct_bind_push_instance(L, t.core, relative(t.core, t.row));
}

static int parent(lua_State *L) { return push_relative(L, ct_transform_parent); }
static int first_child(lua_State *L) { return push_relative(L, ct_transform_first_child); }
static int next_sibling(lua_State *L) { return push_relative(L, ct_transform_next_sibling); }
static int prev_sibling(lua_State *L) { return push_relative(L, ct_transform_prev_sibling); }
static int root(lua_State *L) { return push_relative(L, ct_transform_root); }

// m:parent_node(target) -> the number of the node that it is attached to, or nil
static int parent_node(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_self(L);
    uint32_t node = ct_transform_parent_node(manager->core, ct_bind_check_target(L, 2, manager));
    if (node == CT_NO_NODE) return ct_bind_return_nil(L);
    return ct_bind_return_whole(L, node + 1.0);
}

static int depth(lua_State *L) {
    const ct_bind_target t = ct_bind_own_target(L);
    return ct_bind_return_whole(L, ct_transform_depth(t.core, t.row));
}

// step of a loop (manager, loop)
static int step_children(lua_State *L) {
    ct_entity child;
    switch (ct_children_next(ct_bind_step_value(L, 2), &child)) {
    case CT_QUERY_ROW: ct_bind_push_entity(L, child); return 1;
    case CT_QUERY_END: return 0;
    default: return ct_bind_raise_moved(L, ct_bind_step_object(L, 1));
    }
}

void ct_bind_open_transforms(lua_State *L) {
    ct_bind_add_step(L, "children", step_children);
    ct_bind_open_watches(L);
}

// m:children(target) -> iterator of entity, in link order
static int iterate_children(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_self(L);
    lua_settop(L, 2);
    // The allocation may run finalizers that link more children; it is repeated then.
    for (;; lua_settop(L, 2)) {
        ct_row row = ct_bind_check_target(L, 2, manager);
        uint32_t capacity = ct_transform_child_count(manager->core, row);
        lua_pushvalue(L, 1);
        ct_children *loop = lua_newuserdata(L, sizeof *loop + capacity * sizeof *loop->list);
        ct_bind_push_iterator(L, "children");
        row = ct_bind_check_target(L, 2, manager);
        if (ct_children_begin(loop, manager->core, row, (ct_entity *)(loop + 1), capacity))
            return 1;
    }
}

// ---------------------------------------------------------------- destroying

// m:destroy_tree(target) -> number of destroyed entities. Each entity dies after its descendants. A
// dead target is skipped, and a target without a transform has no descendants.
static int destroy_tree(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_self(L);
    ct_bind_push_world(L, 1);
    ct_bind_push_world_entities(L, -1);
    int entities = lua_gettop(L);
    ct_bind_list *descendants = ct_bind_list_new(L); // no script has it, so its items do not move
    ct_entity e;
    ct_row row;
    if (ct_bind_to_entity(L, 2, &e)) {
        row = ct_store_find(&manager->core->store, e);
    } else {
        row = ct_bind_check_target(L, 2, manager);
        e = ct_store_owners(&manager->core->store)[row.i];
    }
    ct_bind_list_fill(L, descendants, 1, &e);
    if (row.i != CT_NO_ROW) {
        uint32_t count = ct_transform_subtree(manager->core, row, 0, NULL);
        ct_bind_list_reserve(L, descendants, count);
        descendants->count = ct_transform_subtree(manager->core, row, count, descendants->items);
    }
    return ct_bind_return_whole(
        L, ct_bind_destroy_entities(L, entities, descendants->count, descendants->items));
}

const ct_bind_method ct_bind_transform_links_methods[] = {
    {"link", link_child, NULL},
    {"unlink", unlink_child, NULL},
    {"parent", parent, NULL},
    {"parent_node", parent_node, NULL},
    {"first_child", first_child, NULL},
    {"next_sibling", next_sibling, NULL},
    {"prev_sibling", prev_sibling, NULL},
    {"root", root, NULL},
    {"depth", depth, NULL},
    {"children", iterate_children, NULL},
    {"destroy_tree", destroy_tree, NULL},
    {NULL, NULL, NULL},
};
