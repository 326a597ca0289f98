// Objects with methods, and the state they share.
// Knows nothing of what an object stands for.
#include "bind/bind.h"

#include "bind/host.h"

#include <stdlib.h>
#include <string.h>

static const char state_key = 0;

#if defined(CT_TEST) && CT_TEST
static void *state_reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    ct_bind_state *state = user;
    if (new_bytes > 0 && state->fail_in >= 0 && state->fail_in-- == 0) return NULL;
    return state->host.reallocate(state->host.user, block, old_bytes, new_bytes);
}
#endif

// What the host gave, or malloc. A light userdata could be anything: scripts get hold of those.
static ct_allocator allocator_of_host(lua_State *L) {
    ct_allocator allocator = ct_allocator_malloc;
    lua_getfield(L, LUA_REGISTRYINDEX, CT_ALLOCATOR_KEY);
    if (lua_type(L, -1) == LUA_TUSERDATA && lua_objlen(L, -1) == sizeof allocator)
        memcpy(&allocator, lua_touserdata(L, -1), sizeof allocator);
    else if (!lua_isnil(L, -1))
        luaL_error(L, "registry value '%s' is no ct_allocator", CT_ALLOCATOR_KEY);
    lua_pop(L, 1);
    return allocator;
}

ct_bind_state *ct_bind_state_of(lua_State *L) {
    lua_pushlightuserdata(L, (void *)&state_key);
    lua_rawget(L, LUA_REGISTRYINDEX);
    ct_bind_state *state = lua_touserdata(L, -1);
    lua_pop(L, 1);
    if (state != NULL) return state;
    ct_allocator host = allocator_of_host(L);
    lua_pushlightuserdata(L, (void *)&state_key);
    state = lua_newuserdata(L, sizeof *state);
    memset(state, 0, sizeof *state);
#if defined(CT_TEST) && CT_TEST
    state->host = host;
    state->allocator = (ct_allocator){state_reallocate, state};
    state->fail_in = -1;
#else
    state->allocator = host;
#endif
    lua_rawset(L, LUA_REGISTRYINDEX);
    return state;
}

// The table on top gets 'methods' as closures over the value at 'object'.
static void set_methods(lua_State *L, int object, const luaL_Reg *methods) {
    for (; methods->name != NULL; ++methods) {
        lua_pushvalue(L, object);
        lua_pushcclosure(L, methods->func, 1);
        lua_setfield(L, -2, methods->name);
    }
}

static void set_closure(lua_State *L, int object, const char *name, lua_CFunction f) {
    if (f == NULL) return;
    lua_pushvalue(L, object);
    lua_pushcclosure(L, f, 1);
    lua_setfield(L, -2, name);
}

void *ct_bind_object_new(lua_State *L, size_t bytes, const luaL_Reg *methods, lua_CFunction gc,
                         lua_CFunction tostring) {
    void *payload = lua_newuserdata(L, bytes);
    memset(payload, 0, bytes);
    int object = lua_gettop(L);
    lua_newtable(L);
    lua_setfenv(L, object);

    lua_newtable(L);
    lua_newtable(L);
    set_methods(L, object, methods);
    lua_setfield(L, -2, "__index");
    set_closure(L, object, "__tostring", tostring);
    set_closure(L, object, "__gc", gc);
    // getmetatable() answers this string: scripts have no business in there.
    lua_pushliteral(L, "cuttle");
    lua_setfield(L, -2, "__metatable");
    // Last: from here on __gc runs, and finds a zeroed payload it must understand.
    lua_setmetatable(L, object);
    return payload;
}

void ct_bind_push_weak_table(lua_State *L) {
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
}

void ct_bind_push_methods(lua_State *L, int index) {
    lua_getmetatable(L, index);
    lua_getfield(L, -1, "__index");
    lua_remove(L, -2);
}

void ct_bind_add_methods(lua_State *L, int index, const luaL_Reg *methods) {
    int object = ct_bind_absindex(L, index);
    ct_bind_push_methods(L, object);
    set_methods(L, object, methods);
    lua_pop(L, 1);
}

// The finalizer of the object at 'index', which objects of its kind share, or NULL for other
// values.
static lua_CFunction finalizer_of(lua_State *L, int index) {
    int top = lua_gettop(L);
    const void *object = lua_touserdata(L, index);
    lua_CFunction finalizer = NULL;
    if (lua_type(L, index) == LUA_TUSERDATA && lua_getmetatable(L, index)) {
        lua_pushliteral(L, "__gc");
        lua_rawget(L, -2);
        if (lua_getupvalue(L, -1, 1) != NULL && lua_touserdata(L, -1) == object)
            finalizer = lua_tocfunction(L, -2);
    }
    lua_settop(L, top);
    return finalizer;
}

bool ct_bind_is_object(lua_State *L, int index, lua_CFunction gc) {
    return finalizer_of(L, index) == gc;
}

void *ct_bind_self_error(lua_State *L, const char *name) {
    lua_CFunction own = finalizer_of(L, lua_upvalueindex(1));
    if (own != NULL && own == finalizer_of(L, 1))
        lua_pushfstring(L, "%s expected, got userdata (another %s: methods belong to one)", name,
                        name);
    else
        lua_pushfstring(L, "%s expected, got %s (a method is called with ':')", name,
                        ct_bind_type_name(L, 1));
    ct_bind_arg_error(L, 1);
}

static void push_class(lua_State *L, const void *key) {
    lua_pushlightuserdata(L, (void *)key);
    lua_rawget(L, LUA_REGISTRYINDEX);
}

void ct_bind_class_new(lua_State *L, const void *key, const char *name, const luaL_Reg *methods,
                       lua_CFunction gc, lua_CFunction tostring) {
    push_class(L, key);
    bool exists = lua_istable(L, -1);
    lua_pop(L, 1);
    // A script may load the module twice (package.loaded cleared): older objects stay valid.
    if (exists) return;
    lua_pushlightuserdata(L, (void *)key);
    lua_newtable(L);
    lua_newtable(L);
    for (; methods->name != NULL; ++methods) {
        lua_pushcfunction(L, methods->func);
        lua_setfield(L, -2, methods->name);
    }
    lua_setfield(L, -2, "__index");
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__metatable");
    if (gc != NULL) {
        lua_pushcfunction(L, gc);
        lua_setfield(L, -2, "__gc");
    }
    if (tostring != NULL) {
        lua_pushcfunction(L, tostring);
        lua_setfield(L, -2, "__tostring");
    }
    lua_rawset(L, LUA_REGISTRYINDEX);
}

void *ct_bind_class_object(lua_State *L, const void *key, size_t bytes) {
    void *payload = lua_newuserdata(L, bytes);
    memset(payload, 0, bytes);
    push_class(L, key);
    lua_setmetatable(L, -2);
    return payload;
}

void *ct_bind_test_class(lua_State *L, int arg, const void *key) {
    void *payload = lua_touserdata(L, arg);
    if (payload == NULL || !lua_getmetatable(L, arg)) return NULL;
    push_class(L, key);
    // Light userdata of a state may share a metatable; they have no payload of ours.
    bool same = lua_rawequal(L, -1, -2) && !lua_islightuserdata(L, arg);
    lua_pop(L, 2);
    return same ? payload : NULL;
}

void *ct_bind_check_class(lua_State *L, int arg, const void *key, const char *name) {
    void *payload = ct_bind_test_class(L, arg, key);
    if (payload != NULL) return payload;
    lua_pushfstring(L, "%s expected, got %s", name, ct_bind_type_name(L, arg));
    ct_bind_arg_error(L, arg);
    return NULL;
}
