// What a resource holds, as plain values: resource:describe, in lua/cuttle/describe.lua, shows it.
// Knows nothing of worlds.
#include "bind/level/resource.h"

#include "resource/path.h"
#include "resource/summary.h"

static void set_number(lua_State *L, const char *name, lua_Number value) {
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

static void push_section(lua_State *L, const ct_section *section) {
    uint32_t least, most;
    lua_createtable(L, 0, 6);
    lua_pushstring(L, section->name);
    lua_setfield(L, -2, "name");
    set_number(L, "instances", section->num_instances);
    set_number(L, "bytes", section->size);
    lua_pushboolean(L, section->schema == 0);
    lua_setfield(L, -2, "opaque");
    if (section->schema != 0 || !ct_section_sizes(section, &least, &most)) return;
    set_number(L, "least", least);
    set_number(L, "most", most);
}

static int push_summary(lua_State *L) {
    const ct_resource *r = lua_touserdata(L, 1);
    lua_createtable(L, (int)r->num_component_types, 5);
    set_number(L, "version", CT_RESOURCE_VERSION);
    set_number(L, "bytes", r->bytes);
    set_number(L, "entities", r->num_entities);
    set_number(L, "roots", ct_resource_root_count(r));
    set_number(L, "named", ct_resource_named_count(r));
    for (uint32_t i = 0; i < r->num_component_types; ++i) {
        push_section(L, &r->sections[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

// core.describe.summary(resource) -> numbers by name, and in order what is known of each type:
// name, instances, bytes, opaque, least and most (bytes of an opaque instance)
static int summary(lua_State *L) { return ct_bind_call_held(L, push_summary, 0); }

static int push_tree(lua_State *L) {
    const ct_resource *r = lua_touserdata(L, 1);
    uint32_t limit = (uint32_t)lua_tonumber(L, 2);
    if (limit > r->num_entities) limit = r->num_entities;
    ct_tree_node *nodes = lua_newuserdata(L, limit * sizeof *nodes + 1);
    uint32_t *scratch = lua_newuserdata(L, (size_t)r->num_entities * 2 * sizeof *scratch + 1);
    uint32_t count = ct_resource_tree(r, scratch, limit, nodes);
    lua_createtable(L, (int)count * 2, 0);
    for (uint32_t i = 0; i < count; ++i) {
        lua_pushnumber(L, nodes[i].entity + 1.0);
        lua_rawseti(L, -2, (int)i * 2 + 1);
        lua_pushnumber(L, nodes[i].depth);
        lua_rawseti(L, -2, (int)i * 2 + 2);
    }
    return 1;
}

// core.describe.tree(resource, limit) -> number and depth of the first entities, one after another
static int tree(lua_State *L) {
    ct_bind_check_resource(L, 1);
    return ct_bind_call_held(L, push_tree, ct_bind_check_whole(L, 2, 0, CT_MAX_ENTITIES));
}

static int push_entity(lua_State *L) {
    const ct_resource *r = lua_touserdata(L, 1);
    uint32_t entity = (uint32_t)lua_tonumber(L, 2) - 1;
    ct_text name = ct_resource_entity_name(r, entity);
    lua_newtable(L);
    for (uint32_t i = 0; i < r->num_component_types; ++i) {
        uint32_t count = ct_section_count_of(&r->sections[i], entity);
        if (count == 0) continue;
        lua_pushnumber(L, count);
        lua_rawseti(L, -2, (int)i + 1);
    }
    if (name.bytes == NULL) return 1;
    lua_pushlstring(L, name.bytes, name.length);
    lua_setfield(L, -2, "name");
    return 1;
}

// core.describe.entity(resource, number) -> how many instances it has of each type, by number; name
static int entity(lua_State *L) {
    const ct_resource *r = ct_bind_check_resource(L, 1);
    return ct_bind_call_held(L, push_entity, ct_bind_check_whole(L, 2, 1, r->num_entities));
}

static const luaL_Reg functions[] = {
    {"summary", summary}, {"tree", tree}, {"entity", entity}, {NULL, NULL}};

void ct_bind_open_summary(lua_State *L) {
    lua_newtable(L);
    luaL_register(L, NULL, functions);
    lua_setfield(L, -2, "describe");
}
