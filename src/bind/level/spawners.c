// Spawners that scripts register for opaque component types.
#include "bind/level/world_host.h"

#include <string.h>

// The environment of a world object has the table 'spawners' after the first registration:
// functions by name.

// core.spawners(world, new) -> the spawners of a world by name: 'next' after the first call.
// The caller, lua/cuttle/spawners.lua, adds functions to the table.
static int spawners(lua_State *L) {
    ct_bind_check_world(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    ct_bind_push_own(L, 1, "spawners");
    if (!lua_isnil(L, -1)) return 1;
    lua_pushvalue(L, 2);
    ct_bind_set_own(L, 1, "spawners");
    lua_settop(L, 2);
    return 1;
}

void ct_bind_open_spawners(lua_State *L) { ct_bind_add_function(L, "spawners", spawners); }

bool ct_bind_push_spawners(lua_State *L, int world, const ct_resource *resource) {
    int found = lua_gettop(L) + 1, all = found + 1;
    lua_pushnil(L);
    ct_bind_push_own(L, world, "spawners");
    for (uint32_t i = 0; i < resource->num_component_types && lua_istable(L, all); ++i) {
        if (resource->sections[i].schema != 0) continue;
        lua_getfield(L, all, resource->sections[i].name);
        bool known = !lua_isnil(L, -1);
        if (known && lua_isnil(L, found)) {
            lua_newtable(L);
            lua_replace(L, found);
        }
        if (known) lua_rawseti(L, found, (int)i + 1);
        lua_settop(L, all);
    }
    lua_settop(L, found);
    return !lua_isnil(L, found);
}

static void push_entities(lua_State *L, const ct_bind_spawner_call *call) {
    lua_createtable(L, (int)call->entity_count, 0);
    for (uint32_t i = 0; i < call->entity_count; ++i) {
        ct_bind_store_entity(L, -1, (int)i + 1, (ct_entity){call->entities[i].id & 0x7FFFFFFFu});
    }
}

// Returns the number of instances in all copies.
static int instances_of(const ct_bind_spawner_call *call) {
    return (int)(call->section->num_instances * call->copies);
}

static void push_indices(lua_State *L, const ct_bind_spawner_call *call) {
    const ct_section *section = call->section;
    int place = 0;
    lua_createtable(L, instances_of(call), 0);
    for (uint32_t from = 0; from < call->entity_count; from += call->entity_count / call->copies) {
        for (uint32_t i = 0; i < section->num_instances; ++i)
            ct_bind_store_whole(L, -1, ++place, from + section->entity_index[i]);
    }
}

// Pushes the data of all instances. The sizes were checked when the resource was loaded.
static void push_data(lua_State *L, const ct_bind_spawner_call *call) {
    const ct_section *section = call->section;
    const unsigned char *at = section->data;
    int count = (int)section->num_instances;
    lua_createtable(L, instances_of(call), 0);
    for (uint32_t i = 0; i < section->num_instances; ++i) {
        uint32_t size;
        memcpy(&size, at, sizeof size);
        lua_pushlstring(L, (const char *)at + sizeof size, size);
        lua_rawseti(L, -2, (int)i + 1);
        at += sizeof size + size;
    }
    for (int place = count + 1; place <= instances_of(call); ++place) {
        lua_rawgeti(L, -1, place - count);
        lua_rawseti(L, -2, place);
    }
}

int ct_bind_call_spawner(lua_State *L) {
    const ct_bind_spawner_call *call = lua_touserdata(L, 2);
    lua_settop(L, 1);
    // Each spawner gets separate tables, which it may change.
    push_entities(L, call);
    ct_bind_push_whole(L, instances_of(call));
    push_indices(L, call);
    push_data(L, call);
    lua_call(L, 4, 0);
    return 0;
}
