// What a resource holds, as plain values: resource:describe, in lua/cuttle/describe.lua, shows it.
// Knows nothing of worlds.
#include "bind/level/resource.h"

#include "resource/path.h"
#include "resource/summary.h"

// core.describe.counts(resource) -> version, bytes, entities, roots, named entities
static int counts(lua_State *L) {
    const ct_resource *r = ct_bind_check_resource(L, 1);
    ct_bind_push_whole(L, CT_RESOURCE_VERSION);
    ct_bind_push_whole(L, r->bytes);
    ct_bind_push_whole(L, r->num_entities);
    ct_bind_push_whole(L, ct_resource_root_count(r));
    ct_bind_push_whole(L, ct_resource_named_count(r));
    return 5;
}

// core.describe.section(resource, number) -> of a component type the number of instances, the
// bytes, whether the data is opaque, then the bytes of the smallest and the largest instance (nil,
// nil: not known), and the name; nothing behind the last
static int section(lua_State *L) {
    const ct_resource *r = ct_bind_check_resource(L, 1);
    uint32_t least, most;
    double number = ct_bind_check_whole(L, 2, 1, UINT32_MAX);
    if (number > r->num_component_types) return 0;
    const ct_section *found = &r->sections[(uint32_t)number - 1];
    bool opaque = found->schema == 0;
    lua_settop(L, 2);
    ct_bind_push_whole(L, found->num_instances);
    ct_bind_push_whole(L, found->size);
    lua_pushboolean(L, opaque);
    if (opaque && ct_section_sizes(found, &least, &most)) {
        ct_bind_push_whole(L, least);
        ct_bind_push_whole(L, most);
    }
    lua_settop(L, 7);
    lua_pushstring(L, found->name); // last: a finalizer may run
    return 6;
}

static int push_tree(lua_State *L) {
    const ct_resource *r = ct_bind_resource_at(L, 1);
    uint32_t limit = (uint32_t)lua_tonumber(L, 2);
    if (limit > r->num_entities) limit = r->num_entities;
    ct_tree_node *nodes = lua_newuserdata(L, limit * sizeof *nodes + 1);
    uint32_t *scratch = lua_newuserdata(L, (size_t)r->num_entities * 2 * sizeof *scratch + 1);
    uint32_t count = ct_resource_tree(r, scratch, limit, nodes);
    lua_createtable(L, (int)count * 2, 0);
    for (uint32_t i = 0; i < count; ++i) {
        ct_bind_push_whole(L, nodes[i].entity + 1.0);
        lua_rawseti(L, -2, (int)i * 2 + 1);
        ct_bind_push_whole(L, nodes[i].depth);
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
    const ct_resource *r = ct_bind_resource_at(L, 1);
    uint32_t entity = (uint32_t)lua_tonumber(L, 2) - 1;
    ct_text name = ct_resource_entity_name(r, entity);
    lua_newtable(L);
    for (uint32_t i = 0; i < r->num_component_types; ++i) {
        uint32_t count = ct_section_count_of(&r->sections[i], entity);
        if (count == 0) continue;
        ct_bind_push_whole(L, count);
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
    {"counts", counts}, {"section", section}, {"tree", tree}, {"entity", entity}, {NULL, NULL}};

void ct_bind_open_summary(lua_State *L) { ct_bind_add_functions(L, "describe", functions); }
