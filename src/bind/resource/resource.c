// Resource objects: validated blobs, which are read-only.
#include "bind/resource/resource.h"

#include "base/message.h"
#include "resource/spawner.h"

#include <string.h>

static const ct_bind_kind resource_class = {"Resource"};

ct_resource *ct_bind_resource_at(lua_State *L, int index) {
    return &((ct_bind_resource *)lua_touserdata(L, index))->core;
}

ct_resource *ct_bind_check_resource(lua_State *L, int arg) {
    ct_resource *resource = &((ct_bind_resource *)ct_bind_check(L, arg, &resource_class))->core;
    if (resource->freed) luaL_error(L, "resource is gone");
    return resource;
}

void ct_bind_name_resource(lua_State *L, int index) {
    ct_bind_push_owned(L, index);
    lua_getfield(L, -1, "name");
    lua_remove(L, -2);
    if (lua_type(L, -1) == LUA_TSTRING) {
        lua_pushfstring(L, "%s: %s", lua_tostring(L, -1), lua_tostring(L, -2));
        lua_replace(L, -3);
    }
    lua_pop(L, 1);
}

static int collect(lua_State *L) {
    ct_resource_free(&((ct_bind_resource *)ct_bind_check(L, 1, &resource_class))->core);
    return 0;
}

// Fills the resource. Returns false with the reason in 'message'.
static bool fill(lua_State *L, ct_resource *resource, const void *bytes, size_t count,
                 ct_message *message) {
    ct_builtin_layout layouts[CT_MAX_BUILTINS + 1];
    if ((uint32_t)count != count)
        return ct_message_set(message, "not an entity resource: larger than 4 GB");
    ct_status status = ct_resource_init(resource, &ct_bind_state_of(L)->allocator, (uint32_t)count);
    if (status == CT_OK) {
        if (count > 0) memcpy(resource->blob, bytes, count);
        ct_spawner_builtin_layouts(layouts);
        status = ct_resource_check(resource, layouts, message);
    }
    if (status != CT_OK) ct_resource_free(resource);
    if (status == CT_ERR_MEMORY) luaL_error(L, "not enough memory");
    return status == CT_OK;
}

ct_bind_resource *ct_bind_resource_new(lua_State *L, int path) {
    ct_bind_resource *resource = ct_bind_object_new(L, &resource_class, sizeof *resource);
    lua_createtable(L, 0, 1);
    if (path != 0)
        lua_pushvalue(L, path);
    else
        lua_pushnil(L);
    lua_setfield(L, -2, "name");
    ct_bind_set_owned(L, -2);
    return resource;
}

const ct_resource *ct_bind_test_resource(lua_State *L, int index) {
    const ct_bind_resource *resource = ct_bind_test(L, index, &resource_class);
    return resource != NULL && !resource->core.freed ? &resource->core : NULL;
}

bool ct_bind_push_resource(lua_State *L, const void *bytes, size_t count, int path, int name) {
    ct_message message;
    ct_bind_resource *resource = ct_bind_resource_new(L, path);
    int object = lua_gettop(L);
    if (fill(L, &resource->core, bytes, count, &message)) {
        if (lua_type(L, name) == LUA_TSTRING &&
            ct_resource_set_name(&resource->core, ct_bind_to_text(L, name)) != CT_OK)
            luaL_error(L, "not enough memory");
        return true;
    }
    lua_pushstring(L, message.text);
    ct_bind_name_resource(L, object);
    lua_replace(L, object);
    return false;
}

// core.resource(blob [, name [, path]]) -> Resource, or nil and a message, which begins with the
// path, by default the name
static int resource(lua_State *L) {
    size_t count;
    luaL_checktype(L, 1, LUA_TSTRING);
    const char *bytes = lua_tolstring(L, 1, &count);
    lua_settop(L, 3);
    // The second result of compiler:compile, a table, is no name.
    if (!lua_isnoneornil(L, 2) && !lua_istable(L, 2)) luaL_checktype(L, 2, LUA_TSTRING);
    if (ct_bind_push_resource(L, bytes, count, lua_isnil(L, 3) ? 2 : 3, 2)) return 1;
    return ct_bind_return_failure(L);
}

static int entity_count(lua_State *L) {
    return ct_bind_return_whole(L, ct_bind_check_resource(L, 1)->num_entities);
}

int ct_bind_call_held(lua_State *L, lua_CFunction body, lua_Number argument) {
    ct_resource *resource = ct_bind_check_resource(L, 1);
    lua_pushvalue(L, 1);
    ct_bind_push_whole(L, argument);
    ct_resource_hold(resource);
    int problem = ct_bind_call_protected(L, body, 2, 1);
    ct_resource_release(resource);
    return problem != 0 ? lua_error(L) : 1;
}

static int bytes_of(lua_State *L) {
    return ct_bind_return_whole(L, ct_bind_check_resource(L, 1)->bytes);
}

static int tostring(lua_State *L) {
    return ct_bind_return_format(L, "Resource (%d entities)",
                                 (int)ct_bind_check_resource(L, 1)->num_entities);
}

static const luaL_Reg methods[] = {
    {"entity_count", entity_count},
    {"bytes", bytes_of},
    {NULL, NULL},
};

void ct_bind_open_resource(lua_State *L) {
    ct_bind_class_new(L, &resource_class, methods, collect, tostring);
    ct_bind_add_function(L, "resource", resource);
}
