// Table of functions for plugins; cuttle.h documents it.
#include "base/pin.h"
#include "bind/plugin/plugin.h"
#include "bind/snapshot/snapshot.h"
#include "bind/world/managers.h"
#include "bind/world/query.h"
#include "component/record.h"
#include "storage/query.h"
#include "world/checked/checked.h"

// ---------------------------------------------------------------- lists

static void open_list(lua_State *L, int arg) {
    if (lua_isnoneornil(L, arg))
        ct_bind_list_new(L);
    else if (ct_bind_test_list(L, arg) != NULL)
        lua_pushvalue(L, arg);
    else
        luaL_argerror(L, arg,
                      lua_pushfstring(L, "cuttle.list or nothing expected, got %s",
                                      ct_bind_type_name(L, arg)));
}

static void fill_list(lua_State *L, int index, uint32_t count, const ct_entity *entities) {
    ct_bind_list *list = ct_bind_test_list(L, index);
    if (list == NULL) {
        luaL_error(L, "cuttle.list expected, got %s", ct_bind_type_name(L, index));
        return;
    }
    ct_bind_list_fill(L, list, count, entities);
}

// ---------------------------------------------------------------- objects

static ct_world *check_world(lua_State *L, int arg) { return &ct_bind_check_world(L, arg)->core; }

static ct_entity_manager *check_entity_manager(lua_State *L, int arg) {
    return &ct_bind_check_entities(L, arg)->core;
}

static ct_bind_manager *check_self(lua_State *L) {
    if (lua_type(L, lua_upvalueindex(1)) != LUA_TNUMBER)
        luaL_error(L, "this function is not a method of a component manager");
    return ct_bind_own_self(L);
}

static ct_manager *self(lua_State *L) { return check_self(L)->core; }

static ct_world *self_world(lua_State *L) { return check_self(L)->world; }

// ---------------------------------------------------------------- liveness

static uint32_t destroy(lua_State *L, int index, uint32_t count, const ct_entity *entities) {
    index = ct_bind_absindex(L, index);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    if (ct_bind_test(L, index, &ct_bind_world_kind) != NULL) {
        ct_bind_check_world(L, index);
        ct_bind_push_world_entities(L, index);
    } else {
        ct_bind_check_entities(L, index);
        lua_pushvalue(L, index);
    }
    uint32_t died = ct_bind_destroy_entities(L, lua_gettop(L), count, entities);
    lua_pop(L, 1);
    return died;
}

static ct_status listen(ct_entity_manager *entities, ct_destroy_fn fn, void *user,
                        uint32_t *token) {
    ct_pin_code((void (*)(void))fn);
    return ct_entity_manager_listen(entities, fn, user, 0, token);
}

// ---------------------------------------------------------------- component types

// Checks the description. Also pins the libraries with the methods.
static void check_description(lua_State *L, const ct_component *component) {
    ct_message message;
    if (!ct_component_check(component, &message)) luaL_error(L, "%s", message.text);
    const luaL_Reg *m = ct_plugin_whole(component).methods;
    for (; m != NULL && m->name != NULL; ++m) {
        if (m->func == NULL) luaL_error(L, "%s: method '%s' is NULL", component->name, m->name);
        ct_pin_code((void (*)(void))m->func);
    }
}

// Pushes the manager object and the list of the dropped fields.
static void define_in(lua_State *L, int world, const ct_component *component, bool migrate) {
    int top = lua_gettop(L);
    world = ct_bind_absindex(L, world);
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments");
    ct_bind_check_world(L, world);
    check_description(L, component);
    ct_plugin_pin(component);
    ct_bind_define_manager(L, world, component, true, migrate);
    lua_insert(L, top + 1);
    lua_insert(L, top + 2);
    lua_settop(L, top + 2);
}

static void define(lua_State *L, int world, const ct_component *component) {
    define_in(L, world, component, false);
    lua_pop(L, 1);
}

static void define_migrate(lua_State *L, int world, const ct_component *component) {
    define_in(L, world, component, true);
}

// ---------------------------------------------------------------- rows

// Returns the binding's object of a manager; raises if the manager has ended.
static const ct_bind_manager *object_of(lua_State *L, const ct_manager *core) {
    const ct_bind_manager *object = core->object;
    if (object == NULL || object->destroyed != NULL)
        luaL_error(L, "component manager does not exist any more");
    return object;
}

static ct_row check_row(lua_State *L, int arg, ct_manager *manager) {
    return ct_bind_check_target(L, arg, object_of(L, manager));
}

static ct_row check_live_row(lua_State *L, int arg, ct_manager *manager) {
    return ct_bind_check_live_target(L, arg, object_of(L, manager));
}

static void push_instance(lua_State *L, ct_manager *manager, ct_row row) {
    if (row.i >= ct_store_count(&manager->store)) row.i = CT_NO_ROW;
    ct_bind_push_instance(L, manager, row);
}

// ---------------------------------------------------------------- errors

static void check_status(lua_State *L, ct_status status, const char *what) {
    if (status == CT_OK) return;
    if (status == CT_ERR_EXISTS) luaL_error(L, "%s: there is one already", what);
    // The limit is not known: of rows, of entities, or of the pairs of a space.
    if (status == CT_ERR_FULL) luaL_error(L, "%s: a limit is reached", what);
    ct_bind_raise_status(L, status, what, CT_MAX_ROWS, "rows");
}

// ---------------------------------------------------------------- the table

// Nothing is timed if there is no memory for the counters.
static void profile(ct_world *world, bool on) { (void)ct_world_profile(world, on); }

static const ct_api api = {
    .version = CT_API_VERSION,
    .size = sizeof(ct_api),

    .check_entity = ct_bind_check_entity,
    .to_entity = ct_bind_to_entity,
    .push_entity = ct_bind_push_entity,
    .check_entities = ct_bind_pin_entity_array,
    .open_list = open_list,
    .fill_list = fill_list,

    .check_world = check_world,
    .check_entity_manager = check_entity_manager,
    .self = self,
    .self_world = self_world,

    .world_entities = ct_checked_world_entities,
    .alive = ct_entity_manager_alive,
    .create = ct_checked_create,
    .destroy = destroy,
    .listen = listen,
    .unlisten = ct_entity_manager_unlisten,

    .define = define,
    .find_manager = ct_world_find,
    .own = ct_checked_own,
    .entities = ct_checked_entities,
    .reallocate = ct_checked_reallocate,

    .count = ct_checked_count,
    .find = ct_checked_find,
    .find_many = ct_checked_find_many,
    .next = ct_checked_next,
    .owners = ct_checked_owners,
    .check_row = check_row,
    .check_live_row = check_live_row,
    .push_instance = push_instance,
    .find_field = ct_checked_find_field,
    .column = ct_checked_column,
    .text = ct_checked_text,
    .add = ct_checked_add,
    .remove = ct_checked_remove,
    .write = ct_checked_write,
    .gc = ct_checked_gc,

    .world_matrix = ct_checked_world_matrix,
    .local_pose = ct_checked_local_pose,
    .set_local_pose = ct_checked_set_local_pose,
    .link = ct_checked_link,
    .parent = ct_checked_parent,
    .link_node = ct_checked_link_node,

    .check_status = check_status,

    .load = ct_bind_plugin_load,
    .spawn = ct_bind_plugin_spawn,
    .check_level = ct_bind_plugin_check_level,
    .level_count = ct_level_count,
    .level_entity = ct_level_entity_at,
    .level_find = ct_level_find,
    .unload = ct_bind_plugin_unload,
    .restart = ct_bind_plugin_restart,

    .join = ct_checked_join,
    .join_next = ct_checked_join_next,
    .query = ct_checked_query,
    .query_free = ct_query_free,
    .query_refresh = ct_checked_query_refresh,
    .query_run = ct_query_next_run,

    .snapshot = ct_bind_plugin_snapshot,
    .restore = ct_bind_plugin_restore,
    .record = ct_bind_plugin_record,
    .rewind = ct_bind_plugin_rewind,
    .patch = ct_bind_plugin_patch,

    .hash = ct_bind_hash,
    .define_migrate = define_migrate,
    .profile = profile,
    .timing = ct_world_timing,

    .world_pose = ct_checked_world_pose,
    .set_world_position = ct_checked_set_world_position,
    .set_world_rotation = ct_checked_set_world_rotation,
    .set_world_pose = ct_checked_set_world_pose,
    .set_local_poses = ct_checked_set_local_poses,
    .set_world_positions = ct_checked_set_world_positions,
    .set_world_rotations = ct_checked_set_world_rotations,
    .set_world_poses = ct_checked_set_world_poses,
    .first_child = ct_checked_first_child,
    .next_sibling = ct_checked_next_sibling,
    .child_count = ct_checked_child_count,
    .watch_poses = ct_checked_watch_poses,
    .unwatch_poses = ct_checked_unwatch_poses,
    .changed_poses = ct_checked_changed_poses,

    .grid_cells = ct_checked_grid_cells,
    .grid_cell = ct_checked_grid_cell,
    .set_grid_cells = ct_checked_set_grid_cells,
    .grid_solid = ct_checked_grid_solid,
    .grid_cell_at = ct_checked_grid_cell_at,
    .grid_box = ct_checked_grid_box,
    .grid_ray = ct_checked_grid_ray,

    .field_count = ct_checked_field_count,
    .field_type = ct_checked_field_type,
    .add_values = ct_checked_add_values,

    .grid_move = ct_checked_grid_move,
    .grid_colliders = ct_checked_grid_colliders,
    .grid_outlines = ct_checked_grid_outlines,
    .fill_grid = ct_checked_fill_grid,
    .grid_flips = ct_checked_grid_flips,
    .set_grid_flips = ct_checked_set_grid_flips,

    .save_to_string = ct_bind_plugin_save,
    .save_from_string = ct_bind_plugin_read_save,

    .check_space = ct_bind_check_space,
    .refresh_space = ct_bind_space_refresh,
    .space_within = ct_space_within,
    .space_box = ct_space_box,
    .space_nearest = ct_space_nearest,
    .space_nearest_many = ct_space_nearest_many,
    .space_ray = ct_space_ray,
    .space_pairs = ct_space_pairs,
    .space = ct_checked_space,
    .space_free = ct_checked_space_free,
    .space_refresh = ct_checked_space_refresh,
};

void ct_bind_open_plugin_api(lua_State *L) {
    const ct_api **place = lua_newuserdata(L, sizeof *place);
    *place = &api;
    lua_setfield(L, LUA_REGISTRYINDEX, CT_API_KEY);
}
