// The hierarchy of transforms: linking, walking, destroying subtrees.
// Knows nothing of poses.
#include "bind/component/components.h"
#include "bind/component/transform.h"

#include "bind/manager/loops.h"
#include "bind/value/options.h"
#include "component/transform.h"

// {keep = "world"} at 'arg'
static bool check_keep(lua_State *L, int arg) {
    static const char *const words[] = {"world", NULL};
    uint32_t keep = 1;
    const ct_bind_option options[] = {
        {"keep", CT_BIND_WORD, .into = &keep, .words = words, .expected = "\"world\""}};
    ct_bind_read_options(L, arg, options, 1);
    return keep == 0;
}

int ct_bind_raise_link(lua_State *L, int arg, const ct_manager *transforms, ct_row child,
                       ct_row parent, ct_status status) {
    ct_message message;
    ct_transform_link_message(transforms, child, parent, status, &message);
    ct_bind_raise_arg(L, arg, "%s", message.text);
}

// m:link(child, parent [, {keep = "world"}])
static int link_child(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_bind_check_live_target(L, 2, manager);
    ct_bind_check_live_target(L, 3, manager);
    bool keep = check_keep(L, 4);
    // Again: reading options may have run finalizers.
    ct_row child = ct_bind_check_live_target(L, 2, manager);
    ct_row parent = ct_bind_check_live_target(L, 3, manager);
    ct_status status = ct_transform_link(manager->core, child, parent, keep);
    if (status == CT_OK) return 0;
    return ct_bind_raise_link(L, 3, manager->core, child, parent, status);
}

// m:unlink(child [, {keep = "world"}])
static int unlink_child(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_bind_check_live_target(L, 2, manager);
    bool keep = check_keep(L, 3);
    ct_transform_unlink(manager->core, ct_bind_check_live_target(L, 2, manager), keep);
    return 0;
}

// ---------------------------------------------------------------- walking

static int push_relative(lua_State *L, ct_row (*relative)(ct_manager *, ct_row)) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row row = ct_bind_check_target(L, 2, manager);
    ct_bind_push_instance(L, manager->core, relative(manager->core, row));
    return 1;
}

static int parent(lua_State *L) { return push_relative(L, ct_transform_parent); }
static int first_child(lua_State *L) { return push_relative(L, ct_transform_first_child); }
static int next_sibling(lua_State *L) { return push_relative(L, ct_transform_next_sibling); }
static int prev_sibling(lua_State *L) { return push_relative(L, ct_transform_prev_sibling); }
static int root(lua_State *L) { return push_relative(L, ct_transform_root); }

static int depth(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_row row = ct_bind_check_target(L, 2, manager);
    lua_pushnumber(L, ct_transform_depth(manager->core, row));
    return 1;
}

// A loop over those who were children when it began.
typedef struct children {
    ct_row_watch rows;
    ct_entity parent;
    uint32_t next, count;
    ct_entity list[];
} children;

// upvalues: the manager, the loop
static int step_children(lua_State *L) {
    const ct_bind_manager *manager = lua_touserdata(L, lua_upvalueindex(1));
    children *c = lua_touserdata(L, lua_upvalueindex(2));
    if (ct_row_watch_look(&c->rows, &manager->core->store) == CT_ROWS_MOVED)
        return ct_bind_raise_moved(L, manager);
    while (c->next < c->count) {
        ct_entity child = c->list[c->next++];
        ct_row row = ct_transform_find_child(manager->core, c->parent, child);
        if (row.i == CT_NO_ROW) continue;
        c->rows.handed = row;
        ct_bind_push_entity(L, child);
        return 1;
    }
    return 0;
}

// m:children(target) -> iterator of entity, in link order
static int iterate_children(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    lua_settop(L, 2);
    // Taking memory may run finalizers that link more: then it is taken again.
    for (;; lua_settop(L, 2)) {
        ct_row row = ct_bind_check_target(L, 2, manager);
        uint32_t room = ct_transform_children(manager->core, row, 0, NULL);
        lua_pushvalue(L, 1);
        children *c = lua_newuserdata(L, sizeof *c + room * sizeof *c->list);
        lua_pushcclosure(L, step_children, 2);
        row = ct_bind_check_target(L, 2, manager);
        c->parent = ct_store_owners(&manager->core->store)[row.i];
        c->next = 0;
        c->count = ct_transform_children(manager->core, row, room, c->list);
        if (c->count > room) continue;
        ct_row_watch_begin(&c->rows, &manager->core->store);
        return 1;
    }
}

// ---------------------------------------------------------------- destroying

// The row of argument 2 for destroy_tree: of an entity there may be none.
static ct_row subtree_of(lua_State *L, const ct_bind_manager *manager, ct_entity *e) {
    if (ct_bind_to_entity(L, 2, e)) return ct_store_find(&manager->core->store, *e);
    ct_row row = ct_bind_check_target(L, 2, manager);
    *e = ct_store_owners(&manager->core->store)[row.i];
    return row;
}

// m:destroy_tree(e) -> how many died. Each entity dies after all that are below it. A
// dead one is left alone; one without a transform has nothing below it.
static int destroy_tree(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    ct_bind_push_world(L, 1);
    ct_bind_push_world_entities(L, -1);
    int entities = lua_gettop(L);
    // Taking memory may run finalizers that link more: then it is taken again.
    for (uint32_t room = 0;; lua_settop(L, entities)) {
        ct_entity e;
        ct_row row = subtree_of(L, manager, &e);
        if (row.i == CT_NO_ROW) {
            lua_pushnumber(L, ct_bind_destroy_entities(L, entities, 1, &e));
            return 1;
        }
        room = ct_transform_subtree(manager->core, row, 0, NULL);
        ct_entity *doomed = lua_newuserdata(L, room * sizeof *doomed);
        row = subtree_of(L, manager, &e);
        if (row.i == CT_NO_ROW) continue;
        uint32_t count = ct_transform_subtree(manager->core, row, room, doomed);
        if (count > room) continue;
        lua_pushnumber(L, ct_bind_destroy_entities(L, entities, count, doomed));
        return 1;
    }
}

const ct_bind_method ct_bind_transform_links_methods[] = {
    {"link", link_child, NULL},
    {"unlink", unlink_child, NULL},
    {"parent", parent, NULL},
    {"first_child", first_child, NULL},
    {"next_sibling", next_sibling, NULL},
    {"prev_sibling", prev_sibling, NULL},
    {"root", root, NULL},
    {"depth", depth, NULL},
    {"children", iterate_children, NULL},
    {"destroy_tree", destroy_tree, NULL},
    {NULL, NULL, NULL},
};
