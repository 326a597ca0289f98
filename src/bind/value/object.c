// Objects with methods, and the state they share.
// Knows nothing of what an object stands for.
#include "bind/value/object.h"

#include "bind/host.h"
#include "bind/value/check.h"

#include <stdlib.h>
#include <string.h>

static const char state_key = 0;

#if defined(CT_TEST) && CT_TEST
static void *state_reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    ct_bind_state *state = user;
    if (new_bytes > 0 && state->fail_in == 0) {
        state->failed++;
        if (!state->fail_on) state->fail_in = -1;
        return NULL;
    }
    if (new_bytes > 0 && state->fail_in > 0) state->fail_in--;
    // Reading a block that was freed shows in a result.
    if (new_bytes == 0 && block != NULL) memset(block, 0xDB, old_bytes);
    void *moved = state->host.reallocate(state->host.user, block, old_bytes, new_bytes);
    if (moved != NULL || new_bytes == 0) state->held_bytes += new_bytes - old_bytes;
    return moved;
}
#endif

// What the host gave, or malloc. A light userdata could be anything: scripts get hold of those.
static ct_allocator allocator_of_host(lua_State *L) {
    ct_allocator allocator = ct_allocator_malloc;
    lua_getfield(L, LUA_REGISTRYINDEX, CT_ALLOCATOR_KEY);
    if (lua_type(L, -1) == LUA_TUSERDATA && ct_bind_rawlen(L, -1) == sizeof allocator)
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

void ct_bind_check_nesting(lua_State *L) {
    enum { DEEPEST = 100 };
    if (ct_bind_state_of(L)->callbacks >= DEEPEST)
        luaL_error(L, "too many nested callbacks (limit is %d)", DEEPEST);
}

int ct_bind_call_nested(lua_State *L, int arguments, int results) {
    ct_bind_state *state = ct_bind_state_of(L);
    state->callbacks++;
    int problem = lua_pcall(L, arguments, results, 0);
    state->callbacks--;
    return problem;
}

// ---------------------------------------------------------------- methods of their own

// Where the metatable of an object tells its kind.
static const char kind_key = 0;

// The kind of the object at 'index', or NULL for other values.
static const ct_bind_kind *kind_of(lua_State *L, int index) {
    if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
    lua_pushlightuserdata(L, (void *)&kind_key);
    lua_rawget(L, -2);
    const ct_bind_kind *kind = lua_touserdata(L, -1);
    lua_pop(L, 2);
    return kind;
}

// ---- what is found in an object that is over: anything, which raises when it is called

static const ct_bind_kind found_class = {"cuttle", NULL};

// Raises why the object is over in which 'found' was found.
static int raise_over(lua_State *L) {
    ct_bind_push_owned(L, 1);
    lua_rawgeti(L, -1, 1);
    const void *object = lua_touserdata(L, -1);
    const ct_bind_kind *kind = kind_of(L, -1);
    CT_ASSERT(kind != NULL);
    return luaL_error(L, "%s", kind->over(object));
}

static int find_more(lua_State *L) {
    lua_settop(L, 1);
    return 1;
}

// __index of an object that is over, which is upvalue 1
static int find_over(lua_State *L) {
    ct_bind_class_object(L, &found_class, 1);
    lua_createtable(L, 1, 0);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_rawseti(L, -2, 1);
    ct_bind_set_owned(L, -2);
    return 1;
}

// ---- new objects

// The table on top gets 'methods' as closures over the value at 'over'.
static void set_methods(lua_State *L, int over, const luaL_Reg *methods) {
    for (; methods->name != NULL; ++methods) {
        lua_pushvalue(L, over);
        lua_pushcclosure(L, methods->func, 1);
        lua_setfield(L, -2, methods->name);
    }
}

static void set_closure(lua_State *L, int over, const char *name, lua_CFunction f) {
    const luaL_Reg event[] = {{name, f}, {NULL, NULL}};
    if (f != NULL) set_methods(L, over, event);
}

// Pops the table of methods, which gets these, too, and makes it part of the metatable below it.
static void fill_metatable(lua_State *L, int over, const luaL_Reg *methods, lua_CFunction gc,
                           lua_CFunction tostring) {
    set_methods(L, over, methods);
    lua_setfield(L, -2, "__index");
    set_closure(L, over, "__tostring", tostring);
    set_closure(L, over, "__gc", gc);
}

void *ct_bind_object_new(lua_State *L, size_t bytes, const ct_bind_kind *kind,
                         const luaL_Reg *methods, lua_CFunction gc, lua_CFunction tostring) {
    void *payload = lua_newuserdata(L, bytes);
    memset(payload, 0, bytes);
    int object = lua_gettop(L);
    lua_newtable(L);
    ct_bind_set_owned(L, object);

    lua_newtable(L);
    lua_newtable(L);
    fill_metatable(L, object, methods, gc, tostring);
    if (kind->over != NULL) set_closure(L, object, "over", find_over);
    // getmetatable() returns this string: scripts have no business in there.
    lua_pushliteral(L, "cuttle");
    lua_setfield(L, -2, "__metatable");
    lua_pushlightuserdata(L, (void *)&kind_key);
    lua_pushlightuserdata(L, (void *)kind);
    lua_rawset(L, -3);
    // Last: from here on __gc runs, and finds a zeroed payload it must understand.
    lua_setmetatable(L, object);
    return payload;
}

void *ct_bind_to_object(lua_State *L, int index, const ct_bind_kind *kind) {
    return kind_of(L, index) == kind ? lua_touserdata(L, index) : NULL;
}

void ct_bind_object_over(lua_State *L, int index) {
    lua_getmetatable(L, index);
    lua_getfield(L, -1, "over");
    lua_setfield(L, -2, "__index"); // in the place of the methods: nothing is allocated
    lua_pop(L, 1);
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

// ---- methods written in Lua

// The registry has under this key: name of a class -> its methods; name of a kind -> those written
// in Lua; "options" -> readers of options.
static const char methods_key = 0;

void ct_bind_push_lua_methods(lua_State *L, const char *name) {
    ct_bind_push_registered(L, &methods_key);
    ct_bind_push_subtable(L, name);
    lua_remove(L, -2);
}

// What the table on top holds becomes part of the one at 'to'. Pops it.
static void pop_into(lua_State *L, int to) {
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, to);
    }
    lua_pop(L, 1);
}

void ct_bind_add_lua_methods(lua_State *L, int index, const char *name) {
    ct_bind_push_methods(L, index);
    int methods = lua_gettop(L);
    ct_bind_push_lua_methods(L, name);
    pop_into(L, methods);
    lua_pop(L, 1);
}

// core.add_methods(name, functions): to a class, for all of its objects; to a kind, for those to
// come. What there is under the same name is replaced.
static int add_methods(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    ct_bind_push_lua_methods(L, name);
    lua_insert(L, 2);
    pop_into(L, 2);
    return 0;
}

// core.new_userdata(metatable): empty, and nothing but what its metatable makes of it.
static int new_userdata(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_newuserdata(L, 1);
    lua_insert(L, 1);
    lua_setmetatable(L, 1);
    return 1;
}

void ct_bind_add_functions(lua_State *L, const char *name, const luaL_Reg *functions) {
    lua_newtable(L);
    ct_bind_set_functions(L, functions);
    lua_setfield(L, -2, name);
}

void ct_bind_push_own(lua_State *L, int index, const char *name) {
    ct_bind_push_owned(L, index);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}

void ct_bind_set_own(lua_State *L, int index, const char *name) {
    ct_bind_push_owned(L, index);
    lua_insert(L, -2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void *ct_bind_self_error(lua_State *L, const ct_bind_kind *kind) {
    if (ct_bind_to_object(L, 1, kind) != NULL)
        ct_bind_raise_arg(L, 1, "%s expected, got userdata (another %s: methods belong to one)",
                          kind->name, kind->name);
    ct_bind_raise_arg(L, 1, "%s expected, got %s (a method is called with ':')", kind->name,
                      ct_bind_type_name(L, 1));
    CT_NEVER(NULL);
}

// ---------------------------------------------------------------- classes

void ct_bind_push_registered(lua_State *L, const void *key) {
    lua_pushlightuserdata(L, (void *)key);
    lua_rawget(L, LUA_REGISTRYINDEX);
}

void ct_bind_register(lua_State *L, const void *key) {
    lua_pushlightuserdata(L, (void *)key);
    lua_insert(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
}

void ct_bind_push_subtable(lua_State *L, const char *name) {
    lua_getfield(L, -1, name);
    if (!lua_isnil(L, -1)) return;
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, name);
}

void ct_bind_class_new(lua_State *L, const ct_bind_kind *class, const luaL_Reg *methods,
                       lua_CFunction gc, lua_CFunction tostring) {
    ct_bind_push_registered(L, class);
    bool exists = lua_istable(L, -1);
    lua_pop(L, 1);
    // A script may load the module twice (package.loaded cleared): older objects stay valid.
    if (exists) return;
    lua_newtable(L);
    int metatable = lua_gettop(L);
    ct_bind_push_lua_methods(L, class->name);
    fill_metatable(L, metatable, methods, gc, tostring);
    lua_pushstring(L, class->name);
    lua_setfield(L, metatable, "__metatable");
    ct_bind_register(L, class);
}

void *ct_bind_class_object(lua_State *L, const ct_bind_kind *class, size_t bytes) {
    void *payload = lua_newuserdata(L, bytes);
    memset(payload, 0, bytes);
    ct_bind_push_registered(L, class);
    lua_setmetatable(L, -2);
    return payload;
}

// The payload of the value at 'arg' if it has the metatable at 'metatable'. Light userdata of a
// state may share one; they have no payload of ours.
static void *test_metatable(lua_State *L, int arg, int metatable) {
    if (lua_type(L, arg) != LUA_TUSERDATA || !lua_getmetatable(L, arg)) return NULL;
    bool same = lua_rawequal(L, -1, metatable);
    lua_pop(L, 1);
    return same ? lua_touserdata(L, arg) : NULL;
}

void *ct_bind_test_class(lua_State *L, int arg, const ct_bind_kind *class) {
    arg = ct_bind_absindex(L, arg);
    ct_bind_push_registered(L, class);
    void *payload = test_metatable(L, arg, lua_gettop(L));
    lua_pop(L, 1);
    return payload;
}

void *ct_bind_check_class(lua_State *L, int arg, const ct_bind_kind *class) {
    void *payload = ct_bind_test_class(L, arg, class);
    if (payload == NULL)
        ct_bind_raise_arg(L, arg, "%s expected, got %s", class->name, ct_bind_type_name(L, arg));
    return payload;
}

void *ct_bind_class_argument(lua_State *L, int arg) {
    return test_metatable(L, arg, lua_upvalueindex(1));
}

void *ct_bind_class_self(lua_State *L, const ct_bind_kind *class) {
    void *payload = ct_bind_class_argument(L, 1);
    return CT_LIKELY(payload != NULL) ? payload : ct_bind_check_class(L, 1, class);
}

void ct_bind_open_objects(lua_State *L) {
    static const luaL_Reg none[] = {{NULL, NULL}};
    lua_newtable(L);
    ct_bind_register(L, &methods_key);
    ct_bind_class_new(L, &found_class, none, NULL, NULL);
    ct_bind_push_registered(L, &found_class);
    lua_pushcfunction(L, find_more);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, raise_over);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "__newindex");
    lua_setfield(L, -2, "__call");
    lua_pop(L, 1);
    lua_pushcfunction(L, add_methods);
    lua_setfield(L, -2, "add_methods");
    lua_pushcfunction(L, new_userdata);
    lua_setfield(L, -2, "new_userdata");
}
