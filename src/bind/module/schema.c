// Description of a world's components for the compiler and the inspector, which are written in Lua.

#include "bind/level/level.h"
#include "bind/resource/resource.h"
#include "bind/snapshot/all_worlds.h"
#include "bind/world/managers.h"
#include "component/record.h"
#include "resource/spawner.h"
#include "world/define.h"

static void push_field(lua_State *L, const ct_manager *manager, const ct_field *field, bool late) {
    unsigned char item[CT_MAX_ITEM_BYTES];
    int table = lua_gettop(L) + 1;
    lua_createtable(L, 0, 12);
    if (field->type == CT_FIELD_ENUM) {
        ct_bind_push_labels(L, field);
        lua_setfield(L, table, "labels");
    }
    if (field->excludes != 0) {
        lua_newtable(L);
        for (uint32_t i = 0, count = 0; field->excludes >> i != 0; ++i) {
            if ((field->excludes >> i & 1) == 0) continue;
            ct_bind_store_string(L, -1, (int)++count, manager->inputs[i].name);
        }
        lua_setfield(L, table, "excludes");
    }
    ct_bind_add_string(L, "name", field->name);
    ct_bind_add_string(L, "type", ct_field_info_of(field->type)->name);
    ct_bind_add_bool(L, "required", field->required);
    ct_bind_add_bool(L, "uniform", field->uniform);
    ct_bind_add_bool(L, "planar", field->planar);
    ct_bind_add_bool(L, "numbered", field->numbered);
    ct_bind_add_bool(L, "cells", field->cells);
    ct_bind_add_bool(L, "flips", field->flips);
    ct_bind_add_bool(L, "late", late);
    ct_field_default(field, item);
    ct_bind_push_item_value(L, manager, field, item);
    lua_setfield(L, table, "default");
}

// push_fields(world, name) -> list of fields, or nil
static int push_fields(lua_State *L) {
    const ct_bind_world *world = ct_bind_check_world(L, 1);
    const ct_manager *manager = ct_world_find(&world->core, luaL_checkstring(L, 2));
    if (manager == NULL) return 0;
    lua_createtable(L, (int)ct_manager_all_inputs(manager), 0);
    for (uint32_t i = 0; i < ct_manager_all_inputs(manager); ++i) {
        push_field(L, manager, &manager->inputs[i], i >= manager->input_count);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

// core.schema.component_fields(world, name) -> the inputs of a component, in order: name, type,
// labels (of an enum), excludes (names of earlier inputs that cannot be combined with it, or nil),
// required, uniform (one number may stand for all), planar (two numbers may stand for three),
// numbered (a number may stand for a name), cells (a list of numbers), late (it has a separate
// section), default (nil: no entity); nil for an unknown name
static int component_fields(lua_State *L) { return ct_bind_call_busy(L, 2, 1, push_fields); }

static int push_types(lua_State *L) {
    const ct_bind_world *world = ct_bind_check_world(L, 1);
    lua_newtable(L);
    for (uint32_t i = 0; i < world->core.manager_count; ++i) {
        const ct_manager *manager = world->core.managers[i];
        lua_createtable(L, 0, 2);
        ct_bind_add_whole(L, "spawn_order", manager->spawn_order);
        ct_bind_add_bool(L, "multiple", manager->store.multiple);
        ct_bind_add_whole(L, "capacity", manager->store.columns.capacity);
        ct_bind_add_string(L, "late_name", manager->shape->layout.late_name);
        lua_setfield(L, -2, manager->name);
    }
    return 1;
}

// core.schema.component_types(world) -> by name: spawn_order, multiple, capacity (allocated rows),
// late_name (of the section of late fields, or nil)
static int component_types(lua_State *L) { return ct_bind_call_busy(L, 1, 1, push_types); }

// core.schema.collision(name, other) -> why components with two names cannot exist in one world, or
// nil
static int collision(lua_State *L) {
    ct_message message;
    if (ct_component_names_differ(luaL_checkstring(L, 1), luaL_checkstring(L, 2), &message))
        return 0;
    return ct_bind_return_text(L, message.text);
}

// push_verdict(world, Resource) -> true, or nil and a message
static int push_verdict(lua_State *L) {
    ct_message message;
    const ct_bind_world *world = ct_bind_check_world(L, 1);
    ct_resource *resource = ct_bind_check_resource(L, 2);
    ct_status status = ct_spawner_verify(&world->core, resource, &message);
    if (status == CT_ERR_MEMORY) return luaL_error(L, "not enough memory");
    if (status == CT_OK) return ct_bind_return_bool(L, true);
    lua_pushstring(L, message.text);
    ct_bind_name_resource(L, 2);
    return ct_bind_return_failure(L);
}

// core.schema.verify(world, resource) -> true, or nil and a message that names the component with
// different fields than in the world
static int verify(lua_State *L) {
    ct_bind_check_world(L, 1);
    ct_bind_check_resource(L, 2);
    return ct_bind_call_busy(L, 2, 1, push_verdict);
}

// core.schema.worlds(entities) -> its worlds, the youngest first
static int worlds(lua_State *L) {
    ct_bind_worlds w;
    lua_settop(L, 1);
    ct_bind_push_worlds(L, ct_bind_check_entities(L, 1), &w);
    return (int)w.core.count;
}

// core.schema.manager_name(world, name or manager) -> the name. Raises an error about argument 2
static int manager_name(lua_State *L) {
    lua_settop(L, 2);
    ct_bind_check_world(L, 1);
    ct_bind_push_named_manager(L, 1, 2);
    const ct_bind_manager *manager = ct_bind_test_handle(L, 3, &ct_bind_manager_kind);
    CT_ASSERT(manager != NULL); // the call above raises otherwise
    return ct_bind_return_text(L, manager->core->name);
}

// core.schema.source(level) -> its Resource, and the path of the loaded file, or nil
static int source(lua_State *L) {
    ct_bind_check_level(L, 1);
    lua_settop(L, 1);
    ct_bind_push_level_resource(L, 1);
    ct_bind_push_own(L, 2, "name");
    return 2;
}

// core.schema.copy(world, other): defines the plugin components of 'other' in 'world', and
// copies the resources (of meshes, models and others)
static int copy_schema(lua_State *L) {
    ct_bind_world *world = ct_bind_check_world(L, 1);
    const ct_bind_world *other = ct_bind_check_world(L, 2);
    const ct_component *missing;
    while ((missing = ct_world_missing_plugin(&world->core, &other->core)) != NULL)
        ct_bind_define_manager(L, 1, missing, true, false);
    if (ct_world_share_resources(&world->core, &other->core) == CT_OK) return 0;
    return luaL_error(L, "not enough memory");
}

// core.schema.field_type(n) -> name, number of the lane type, number of lanes, one letter per lane
// or nil, and for integers the lowest and highest value; nothing if there are at most n types
static int field_type(lua_State *L) {
    uint32_t type = (uint32_t)ct_bind_check_whole(L, 1, 0, CT_FIELD_TYPE_COUNT);
    if (type == CT_FIELD_TYPE_COUNT) return 0;
    const ct_field_info *info = ct_field_info_of((ct_field_type)type);
    double low, high;
    lua_pushstring(L, info->name);
    ct_bind_push_whole(L, info->lane);
    ct_bind_push_whole(L, info->lanes);
    lua_pushstring(L, info->parts);
    if (info->lane <= CT_SCALAR_DOUBLE || info->lane >= CT_SCALAR_BOOL || type == CT_FIELD_ENUM)
        return 4;
    ct_scalar_range(info->lane, &low, &high);
    ct_bind_push_whole(L, low);
    ct_bind_push_whole(L, high);
    return 6;
}

static const luaL_Reg functions[] = {{"field_type", field_type},
                                     {"component_fields", component_fields},
                                     {"component_types", component_types},
                                     {"collision", collision},
                                     {"verify", verify},
                                     {"worlds", worlds},
                                     {"manager_name", manager_name},
                                     {"source", source},
                                     {"copy", copy_schema},
                                     {NULL, NULL}};

void ct_bind_open_schema(lua_State *L) { ct_bind_add_functions(L, "schema", functions); }
