// Objects of scripts, and their shared state.
#include "bind/value/object.h"

#include "base/clock.h"
#include "base/hash.h"
#include "bind/value/check.h"
#include "cuttle_lua.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char state_key = 0;

void ct_host_set_allocator(lua_State *L, const ct_allocator *allocator) {
    memcpy(lua_newuserdata(L, sizeof *allocator), allocator, sizeof *allocator);
    lua_setfield(L, LUA_REGISTRYINDEX, CT_ALLOCATOR_KEY);
}

// Returns the allocator of the host, or malloc. A light userdata is not accepted: scripts can
// create any.
static ct_allocator allocator_of_host(lua_State *L) {
    ct_allocator allocator = ct_allocator_malloc;
    lua_getfield(L, LUA_REGISTRYINDEX, CT_ALLOCATOR_KEY);
    if (lua_type(L, -1) == LUA_TUSERDATA && ct_bind_rawlen(L, -1) == sizeof allocator)
        memcpy(&allocator, lua_touserdata(L, -1), sizeof allocator);
    else if (!lua_isnil(L, -1))
        luaL_error(L, "registry value '%s' is not a ct_allocator", CT_ALLOCATOR_KEY);
    lua_pop(L, 1);
    return allocator;
}

ct_bind_state *ct_bind_state_of(lua_State *L) {
    ct_bind_push_registered(L, &state_key);
    ct_bind_state *state = lua_touserdata(L, -1);
    lua_pop(L, 1);
    if (state != NULL) return state;
    ct_allocator host = allocator_of_host(L);
    state = lua_newuserdata(L, sizeof *state);
    memset(state, 0, sizeof *state);
    state->allocator = host;
    ct_bind_register(L, &state_key);
    return state;
}

void ct_bind_check_nesting(lua_State *L) {
    enum { DEEPEST = 100 };
    if (ct_bind_state_of(L)->callbacks >= DEEPEST)
        luaL_error(L, "too many nested callbacks (limit is %d)", DEEPEST);
}

// ---------------------------------------------------------------- self

uint64_t ct_bind_drawn_cookie;

// Returns a hash of random bits of the system (if it has /dev/urandom), addresses and the clock.
static uint64_t draw_cookie(void) {
    uint64_t bits[] = {(uint64_t)(uintptr_t)&ct_bind_drawn_cookie, (uint64_t)(uintptr_t)&malloc,
                       ct_clock_now(), 0};
#if !defined(_WIN32) && !defined(CT_NO_FILES)
    FILE *random = fopen("/dev/urandom", "rb");
    if (random != NULL) {
        setvbuf(random, NULL, _IONBF, 0);
        if (fread(&bits[3], sizeof bits[3], 1, random) != 1) bits[3] = 0;
        fclose(random);
    }
#endif
    return ct_hash_text(ct_hash_seed(&bits), bits, sizeof bits) | 1;
}

// Several threads may open the module at the same time; the first one sets the cookie.
static void set_cookie(void) {
    uint64_t drawn = draw_cookie(), none = 0;
#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_8)
    __atomic_compare_exchange_n(&ct_bind_drawn_cookie, &none, drawn, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
#elif defined(_MSC_VER)
    _InterlockedCompareExchange64((volatile __int64 *)&ct_bind_drawn_cookie, (__int64)drawn,
                                  (__int64)none);
#else
    if (ct_bind_drawn_cookie == none) ct_bind_drawn_cookie = drawn;
#endif
}

void *ct_bind_check_error(lua_State *L, int arg, const ct_bind_kind *kind) {
    ct_bind_raise_arg(L, arg, "%s expected, got %s", kind->name, ct_bind_type_name(L, arg));
    CT_NEVER(NULL);
}

void *ct_bind_self_error(lua_State *L, const ct_bind_kind *kind) {
    ct_bind_raise_arg(L, 1, "%s expected, got %s (a method is called with ':')", kind->name,
                      ct_bind_type_name(L, 1));
    CT_NEVER(NULL);
}

// ---------------------------------------------------------------- classes

// Registry key of the table: name of a class -> its methods; name of a kind -> its methods in Lua;
// "options" -> parsers of options.
static const char methods_key = 0;

void ct_bind_push_all_methods(lua_State *L) { ct_bind_push_registered(L, &methods_key); }

void ct_bind_push_lua_methods(lua_State *L, const char *name) {
    ct_bind_push_registered(L, &methods_key);
    ct_bind_push_subtable(L, name);
    lua_remove(L, -2);
}

void ct_bind_pop_into(lua_State *L, int to) {
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, to);
    }
    lua_pop(L, 1);
}

// core.add_methods(name, functions): adds methods to a class; they replace methods of the same
// name.
static int add_methods(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    ct_bind_push_lua_methods(L, name);
    lua_insert(L, 2);
    ct_bind_pop_into(L, 2);
    return 0;
}

// core.new_userdata(metatable) -> an empty userdata with this metatable
static int new_userdata(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_newuserdata(L, 1);
    lua_insert(L, 1);
    lua_setmetatable(L, 1);
    return 1;
}

void ct_bind_add_function(lua_State *L, const char *name, lua_CFunction function) {
    if (function == NULL) return;
    lua_pushcfunction(L, function);
    lua_setfield(L, -2, name);
}

void ct_bind_add_whole(lua_State *L, const char *name, double number) {
    ct_bind_push_whole(L, number);
    lua_setfield(L, -2, name);
}

void ct_bind_add_string(lua_State *L, const char *name, const char *text) {
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

void ct_bind_add_bool(lua_State *L, const char *name, bool value) {
    lua_pushboolean(L, value);
    lua_setfield(L, -2, name);
}

void ct_bind_add_functions(lua_State *L, const char *name, const luaL_Reg *functions) {
    lua_newtable(L);
    ct_bind_set_functions(L, functions);
    lua_setfield(L, -2, name);
}

void ct_bind_push_own(lua_State *L, int index, const char *name) {
    ct_bind_push_owned(L, index);
    lua_getfield(L, -1, name); // lua_pushstring could collect garbage and so run finalizers
    lua_remove(L, -2);
}

void ct_bind_raise_replaced(lua_State *L) {
    luaL_error(L, "the environment of an object was replaced");
}

void ct_bind_push_own_handle(lua_State *L, int index, const char *name, const ct_bind_kind *kind,
                             const void *object) {
    ct_bind_push_own(L, index, name);
    if (CT_UNLIKELY(ct_bind_test_handle(L, -1, kind) != object)) ct_bind_raise_replaced(L);
}

void ct_bind_set_own(lua_State *L, int index, const char *name) {
    ct_bind_push_owned(L, index);
    lua_insert(L, -2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void ct_bind_rawgetp(lua_State *L, int index, const void *key) {
    index = ct_bind_absindex(L, index);
    lua_pushlightuserdata(L, (void *)key);
    lua_rawget(L, index);
}

void ct_bind_rawsetp(lua_State *L, int index, const void *key) {
    index = ct_bind_absindex(L, index);
    lua_pushlightuserdata(L, (void *)key);
    lua_insert(L, -2);
    lua_rawset(L, index);
}

void ct_bind_forget_key(lua_State *L, int index) {
    index = ct_bind_absindex(L, index);
    lua_pushnil(L);
    ct_bind_replace_value(L, index);
}

void ct_bind_replace_value(lua_State *L, int index) {
    index = ct_bind_absindex(L, index);
    ct_bind_push_raw(L, index, -2);
    bool present = !lua_isnil(L, -1);
    lua_pop(L, 1);
    if (present)
        lua_rawset(L, index);
    else
        lua_pop(L, 2); // a new entry would need memory
}

void ct_bind_push_registered(lua_State *L, const void *key) {
    ct_bind_rawgetp(L, LUA_REGISTRYINDEX, key);
}

void ct_bind_register(lua_State *L, const void *key) { ct_bind_rawsetp(L, LUA_REGISTRYINDEX, key); }

void ct_bind_push_weak_table(lua_State *L, const char *mode) {
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    ct_bind_add_string(L, "__mode", mode);
    lua_setmetatable(L, -2);
}

void ct_bind_push_subtable(lua_State *L, const char *name) {
    lua_getfield(L, -1, name);
    if (!lua_isnil(L, -1)) return;
    lua_pop(L, 1);
    lua_newtable(L);
    ct_bind_copy_field(L, -2, name, -1);
}

void *ct_bind_object_new(lua_State *L, const ct_bind_kind *kind, size_t bytes) {
    ct_bind_header *object = lua_newuserdata(L, bytes);
    memset(object, 0, bytes);
    object->mark = ct_bind_mark(kind);
    ct_bind_push_registered(L, kind);
    lua_setmetatable(L, -2);
    return object;
}

// ---------------------------------------------------------------- handles

// Registry key of a table with weak keys: handle -> block.
static const char blocks_key = 0;

// In Lua 5.1 a block is a closure that is never called, with the userdata as its upvalue: a state
// that closes marks all userdata as finalized, and the next collection removes finalized values
// from tables with weak keys, even if the keys are alive.
static int no_call(lua_State *L) {
    (void)L;
    return 0;
}

void *ct_bind_block_push(lua_State *L, size_t bytes) {
    void *block = ct_block_at(lua_newuserdata(L, bytes + CT_BLOCK_ALIGNMENT));
    memset(block, 0, bytes);
    if (!CT_BIND_WEAK_VALUES_CLEARED_FIRST) lua_pushcclosure(L, no_call, 1);
    return block;
}

void *ct_bind_block_new(lua_State *L, size_t bytes, int memory) {
    memory = ct_bind_absindex(L, memory);
    void *block = ct_bind_block_push(L, bytes);
    lua_pushvalue(L, memory);
    ct_bind_set_owned(L, -2);
    return block;
}

void ct_bind_keep(lua_State *L, int index) {
    index = ct_bind_absindex(L, index);
    ct_bind_push_registered(L, &blocks_key);
    ct_bind_copy_raw(L, -1, index, -2);
    lua_pop(L, 2);
}

void ct_bind_handle_new(lua_State *L, const ct_bind_kind *kind, void *object) {
    ct_bind_handle *handle = ct_bind_object_new(L, kind, sizeof *handle);
    handle->object = object;
    lua_insert(L, -2);
    ct_bind_keep(L, -2);
}

void ct_bind_push_block(lua_State *L, int index) {
    index = ct_bind_absindex(L, index);
    ct_bind_push_registered(L, &blocks_key);
    ct_bind_push_raw(L, -1, index);
    lua_remove(L, -2);
}

void *ct_bind_object_over(lua_State *L, const ct_bind_kind *kind, size_t bytes, int owner,
                          const char *name) {
    void *object = ct_bind_object_new(L, kind, bytes);
    lua_createtable(L, 0, 1);
    ct_bind_copy_field(L, -1, name, owner);
    ct_bind_set_owned(L, -2);
    ct_bind_push_block(L, owner);
    ct_bind_keep(L, -2);
    return object;
}

void ct_bind_push_memory(lua_State *L, int index) {
    ct_bind_push_block(L, index);
    ct_bind_push_owned(L, -1);
    lua_remove(L, -2);
}

// Keeps the key strings of environment tables that are looked up where nothing may be allocated.
static void keep_key_strings(lua_State *L) {
    static const char *const keys[] = {"all_levels", "attached", "entities",   "hooks",
                                       "levels",     "name",     "on_restore", "rooms",
                                       "unnamed",    "values",   "views",      "world"};
    static const char strings_key = 0;
    lua_newtable(L);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
        ct_bind_store_string(L, -1, (int)i + 1, keys[i]);
    ct_bind_register(L, &strings_key);
}

void ct_bind_open_objects(lua_State *L) {
    set_cookie();
    keep_key_strings(L);
    ct_bind_push_weak_table(L, "k");
    ct_bind_register(L, &blocks_key);
    lua_newtable(L);
    ct_bind_register(L, &methods_key);
    ct_bind_add_function(L, "add_methods", add_methods);
    ct_bind_add_function(L, "new_userdata", new_userdata);
}
