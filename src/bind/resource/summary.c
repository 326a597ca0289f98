// Contents of a resource as plain values, for lua/cuttle/describe.lua.
#include "bind/resource/resource.h"

#include "base/text.h"
#include "resource/path.h"

static int push_heads(lua_State *L) {
    const ct_resource *r = ct_bind_resource_at(L, 1);
    lua_createtable(L, (int)r->num_component_types, 2);
    for (uint32_t i = 0; i < r->num_component_types; ++i) {
        lua_createtable(L, 0, 4);
        ct_bind_add_string(L, "name", r->sections[i].name);
        ct_bind_add_whole(L, "instances", r->sections[i].num_instances);
        ct_bind_add_whole(L, "bytes", r->sections[i].size);
        ct_bind_add_bool(L, "opaque", r->sections[i].schema == 0);
        lua_rawseti(L, -2, (int)i + 1);
    }
    ct_bind_add_whole(L, "version", CT_RESOURCE_VERSION);
    ct_bind_add_whole(L, "bytes", r->bytes);
    return 1;
}

// core.describe.heads(resource) -> table of version, bytes, and per component type: name,
// instances, bytes, opaque
static int heads(lua_State *L) { return ct_bind_call_held(L, push_heads, 0); }

static int push_contents(lua_State *L) {
    enum { NUMBERS = 3, DETAILS };
    const ct_resource *r = ct_bind_resource_at(L, 1);
    uint32_t type = (uint32_t)lua_tonumber(L, 2);
    const ct_section *section = type > 0 ? &r->sections[type - 1] : NULL;
    const uint32_t *numbers = section != NULL ? section->entity_index : r->parent_index;
    uint32_t count = section != NULL ? section->num_instances : r->num_entities;
    const unsigned char *at = section != NULL && section->schema == 0 ? section->data : NULL;
    lua_createtable(L, (int)count, 0);
    lua_newtable(L);
    for (uint32_t i = 0; i < count; ++i) {
        ct_bind_store_whole(L, NUMBERS, (int)i + 1, (uint32_t)(numbers[i] + 1)); // no parent: 0
        ct_text name = section == NULL ? ct_resource_entity_name(r, i) : (ct_text){NULL, 0};
        if (name.bytes != NULL) {
            lua_pushlstring(L, name.bytes, name.length);
            lua_rawseti(L, DETAILS, (int)i + 1);
        }
        if (at == NULL) continue;
        ct_bind_store_whole(L, DETAILS, (int)i + 1, ct_u32_at(at, 0));
        at += 4 + ct_u32_at(at, 0);
    }
    lua_createtable(L, 2, 0);
    lua_insert(L, NUMBERS);
    lua_rawseti(L, NUMBERS, 2);
    lua_rawseti(L, NUMBERS, 1);
    return 1;
}

// core.describe.contents(resource, type) -> for the number of a component type, the entity of each
// instance, and the size of each instance if the type is opaque; for type 0 the parent of each
// entity (0: none), and its name (nil: none)
static int contents(lua_State *L) {
    const ct_resource *r = ct_bind_check_resource(L, 1);
    return ct_bind_call_held(L, push_contents,
                             ct_bind_check_whole(L, 2, 0, r->num_component_types));
}

static const luaL_Reg functions[] = {{"heads", heads}, {"contents", contents}, {NULL, NULL}};

void ct_bind_open_summary(lua_State *L) { ct_bind_add_functions(L, "describe", functions); }
