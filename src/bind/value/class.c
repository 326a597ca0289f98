// Classes of objects of scripts, and their finalizers.
#include "bind/value/object.h"

// lua_close of Lua 5.1 and LuaJIT calls finalizers in any phase of a collection. Before the call,
// the object loses its mark. If the tables that refer to the object are marked already, the
// collection does not mark the object again, and frees it at its end. Hooks and finalizers of
// scripts may complete the collection with collectgarbage "step", and then use the object. So each
// such object gets a keeper. No value refers to a keeper: the collection finds it, marks it with
// the object in its environment, and calls its finalizer. The next collection frees both.

// Registry key of the metatable of keepers.
static const char keepers_key = 0;

static int end_keeper(lua_State *L) {
    (void)L;
    return 0;
}

// object -> a keeper of the object
static int new_keeper(lua_State *L) {
    lua_newuserdata(L, 1);
    lua_createtable(L, 1, 0);
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, 1);
    ct_bind_set_owned(L, -2);
    ct_bind_push_registered(L, &keepers_key);
    lua_setmetatable(L, -2);
    return 1;
}

// Calls the upvalue with the object. lua_close calls finalizers below no other function, and so
// does a host that collects garbage outside of a call.
static int finalize(lua_State *L) {
    lua_Debug caller;
    lua_settop(L, 1);
    if (lua_getstack(L, 1, &caller) == 0) {
        lua_pushvalue(L, 1);
        ct_bind_call_protected(L, new_keeper, 1, 1); // without memory, it pushes an error
        lua_settop(L, 1);
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, 0);
    return 0;
}

void ct_bind_add_finalizer(lua_State *L, const char *name, lua_CFunction gc) {
    if (gc == NULL) return;
    lua_pushcfunction(L, gc);
    if (CT_BIND_CLOSE_UNMARKS) lua_pushcclosure(L, finalize, 1);
    lua_setfield(L, -2, name);
}

void ct_bind_open_finalizers(lua_State *L) {
    lua_createtable(L, 0, 1);
    ct_bind_add_function(L, "__gc", end_keeper);
    ct_bind_register(L, &keepers_key);
}

void ct_bind_push_metatable(lua_State *L, const char *shown, lua_CFunction gc,
                            lua_CFunction tostring) {
    lua_createtable(L, 0, 4);
    lua_insert(L, -2);
    lua_setfield(L, -2, "__index");
    ct_bind_add_function(L, "__tostring", tostring);
    ct_bind_add_finalizer(L, "__gc", gc);
    ct_bind_add_string(L, "__metatable", shown);
}

void ct_bind_class_new(lua_State *L, const ct_bind_kind *kind, const luaL_Reg *methods,
                       lua_CFunction gc, lua_CFunction tostring) {
    ct_bind_push_registered(L, kind);
    bool exists = lua_istable(L, -1);
    lua_pop(L, 1);
    // A script may load the module twice (package.loaded cleared); older objects must stay valid.
    if (exists) return;
    ct_bind_push_lua_methods(L, kind->name);
    if (methods != NULL) ct_bind_set_functions(L, methods);
    ct_bind_push_metatable(L, kind->name, gc, tostring);
    ct_bind_register(L, kind);
}

void ct_bind_add_class_methods(lua_State *L, const ct_bind_kind *kind, const luaL_Reg *methods) {
    ct_bind_push_lua_methods(L, kind->name);
    ct_bind_set_functions(L, methods);
    lua_pop(L, 1);
}
