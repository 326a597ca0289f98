// Resource objects: blobs that were checked once and are only read from then on.
// Knows nothing of spawning.
#include "bind/level/resource.h"

#include "resource/path.h"
#include "resource/spawner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char resource_key = 0;

typedef struct held_resource {
    ct_resource core; // first
    uint32_t holders;
    bool collected;
} held_resource;

void ct_bind_resource_hold(ct_resource *resource) {
    ((held_resource *)(void *)resource)->holders++;
}

void ct_bind_resource_release(ct_resource *resource) {
    held_resource *held = (held_resource *)(void *)resource;
    if (--held->holders == 0 && held->collected) ct_resource_free(resource);
}

static held_resource *check_object(lua_State *L, int arg) {
    return ct_bind_check_class(L, arg, &resource_key, "Resource");
}

ct_resource *ct_bind_check_resource(lua_State *L, int arg) {
    held_resource *resource = check_object(L, arg);
    if (resource->collected) luaL_error(L, "resource is gone");
    return &resource->core;
}

bool ct_bind_resource_gone(const ct_resource *resource) {
    return ((const held_resource *)(const void *)resource)->collected;
}

void ct_bind_name_resource(lua_State *L, int index) {
    lua_getfenv(L, index);
    lua_getfield(L, -1, "name");
    lua_remove(L, -2);
    if (lua_isstring(L, -1)) {
        lua_pushfstring(L, "%s: %s", lua_tostring(L, -1), lua_tostring(L, -2));
        lua_replace(L, -3);
    }
    lua_pop(L, 1);
}

static int collect(lua_State *L) {
    held_resource *held = check_object(L, 1);
    held->collected = true;
    if (held->holders == 0) ct_resource_free(&held->core);
    return 0;
}

// Pushes a Resource without a blob, called 'name' (an index of the stack, or 0).
static ct_resource *new_object(lua_State *L, int name) {
    ct_resource *resource = ct_bind_class_object(L, &resource_key, sizeof(held_resource));
    lua_newtable(L);
    if (name != 0) {
        lua_pushvalue(L, name);
        lua_setfield(L, -2, "name");
    }
    lua_setfenv(L, -2);
    return resource;
}

// The Resource on top has its bytes: answers it, or nil and what is wrong with them.
static int check_bytes(lua_State *L, ct_resource *resource) {
    ct_known_layout layouts[CT_MAX_BUILTINS + 1];
    ct_message message;
    ct_spawner_builtin_layouts(layouts);
    ct_status status = ct_resource_check(resource, layouts, &message);
    if (status == CT_OK) return 1;
    ct_resource_free(resource);
    if (status == CT_ERR_MEMORY) return luaL_error(L, "not enough memory");
    int object = lua_gettop(L);
    lua_pushnil(L);
    lua_pushstring(L, message.text);
    ct_bind_name_resource(L, object);
    return 2;
}

// cuttle.resource(blob) -> Resource, or nil and a message
static int resource(lua_State *L) {
    size_t bytes;
    luaL_checktype(L, 1, LUA_TSTRING);
    const char *blob = lua_tolstring(L, 1, &bytes);
    if ((uint32_t)bytes != bytes) {
        lua_pushnil(L);
        lua_pushliteral(L, "not an entity resource: larger than 4 GB");
        return 2;
    }
    ct_resource *r = new_object(L, 0);
    if (ct_resource_init(r, &ct_bind_state_of(L)->allocator, (uint32_t)bytes) != CT_OK)
        return luaL_error(L, "not enough memory");
    memcpy(r->blob, blob, bytes);
    return check_bytes(L, r);
}

// ---------------------------------------------------------------- files

// Reads a whole file into the resource. What went wrong, or NULL. Nothing here calls Lua.
static const char *read_file(ct_resource *r, const ct_allocator *allocator, const char *path,
                             bool *out_of_memory) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return strerror(errno);
    const char *problem = NULL;
    // A folder opens like a file, and is found out by the first read.
    long bytes = getc(file) == EOF && ferror(file) ? -1 : 0;
    if (bytes == 0 && fseek(file, 0, SEEK_END) == 0) bytes = ftell(file);
    if (bytes < 0 || fseek(file, 0, SEEK_SET) != 0)
        problem = strerror(errno);
    else if ((uint32_t)bytes != (size_t)bytes)
        problem = "not an entity resource: larger than 4 GB";
    else if (ct_resource_init(r, allocator, (uint32_t)bytes) != CT_OK)
        *out_of_memory = true;
    else if (fread(r->blob, 1, (size_t)bytes, file) != (size_t)bytes)
        problem = ferror(file) ? strerror(errno) : "the file was cut while it was read";
    fclose(file);
    return problem;
}

// cuttle.load(path) -> Resource, or nil and a message
static int load(lua_State *L) {
    size_t length;
    luaL_checktype(L, 1, LUA_TSTRING);
    const char *path = lua_tolstring(L, 1, &length);
    if (strlen(path) != length) return luaL_argerror(L, 1, "a path cannot hold a zero byte");
    const ct_allocator *allocator = &ct_bind_state_of(L)->allocator;
    ct_resource *r = new_object(L, 1);
    bool out_of_memory = false;
    const char *problem = read_file(r, allocator, path, &out_of_memory);
    if (out_of_memory) return luaL_error(L, "not enough memory");
    if (problem == NULL) return check_bytes(L, r);
    ct_resource_free(r);
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", path, problem);
    return 2;
}

// ---------------------------------------------------------------- methods

static int entity_count(lua_State *L) {
    lua_pushnumber(L, ct_bind_check_resource(L, 1)->num_entities);
    return 1;
}

int ct_bind_call_held(lua_State *L, lua_CFunction body, lua_Number argument) {
    ct_resource *resource = ct_bind_check_resource(L, 1);
    lua_pushcfunction(L, body);
    lua_pushvalue(L, 1);
    lua_pushnumber(L, argument);
    ct_bind_resource_hold(resource);
    int problem = lua_pcall(L, 2, 1, 0);
    ct_bind_resource_release(resource);
    return problem != 0 ? lua_error(L) : 1;
}

static int push_types(lua_State *L) {
    const ct_resource *r = lua_touserdata(L, 1);
    lua_createtable(L, (int)r->num_component_types, 0);
    for (uint32_t i = 0; i < r->num_component_types; ++i) {
        lua_pushstring(L, r->sections[i].name);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

// resource:component_types() -> names, in spawn order
static int component_types(lua_State *L) { return ct_bind_call_held(L, push_types, 0); }

static int bytes_of(lua_State *L) {
    lua_pushnumber(L, ct_bind_check_resource(L, 1)->bytes);
    return 1;
}

static int tostring(lua_State *L) {
    lua_pushfstring(L, "Resource (%d entities)", (int)ct_bind_check_resource(L, 1)->num_entities);
    return 1;
}

static const luaL_Reg methods[] = {
    {"entity_count", entity_count},
    {"component_types", component_types},
    {"bytes", bytes_of},
    {NULL, NULL},
};

void ct_bind_open_resource(lua_State *L) {
    ct_bind_class_new(L, &resource_key, "Resource", methods, collect, tostring);
    lua_pushcfunction(L, resource);
    lua_setfield(L, -2, "resource");
    lua_pushcfunction(L, load);
    lua_setfield(L, -2, "load");
}
