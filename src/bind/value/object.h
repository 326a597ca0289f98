// Objects of scripts, and the state that all objects of one lua_State share.
// Must not depend on the classes of objects. Longer than 150 lines: every folder above uses it.
#ifndef BIND_OBJECT_H
#define BIND_OBJECT_H

#include "base/alloc.h"
#include "bind/value/compat.h"

// Every object of a script is a full userdata whose payload begins with a ct_bind_header. Methods
// are plain C functions, created once per Lua state and shared by all objects of a class, so a call
// costs the same for each object of the class. A method checks its self by the header only
// (ct_bind_self), not by the metatable, which debug.setmetatable can replace.

/// Tables that higher folders pass to lower ones; module.c fills them in. Includes point only
/// downwards.
typedef struct ct_bind_tables {
    const struct ct_bind_builtin *builtins;      ///< manager/manager.h
    const struct ct_bind_attachment *attachment; ///< manager/attachment.h
    const struct ct_host *host;                  ///< of worlds, in level/
} ct_bind_tables;

/// Cache entry of a manager that was recently found by name in a world. Lua interns strings, and
/// the address of a name is constant while the table of managers references it. All entries are
/// cleared when a table of managers changes or a world is created.
typedef struct ct_bind_manager_cache {
    const char *name; ///< or NULL
    const void *world;
    const struct ct_bind_manager *manager;
} ct_bind_manager_cache;

enum { CT_BIND_CACHED_MANAGERS = 32 };

/// Source of blocks for managers, during a call that creates managers of a world.
typedef struct ct_bind_lending {
    lua_State *L;          ///< receives the blocks on its stack
    unsigned char *unused; ///< unused memory in the block of a world, for built-in managers; NULL:
                           ///< none is left
} ct_bind_lending;

/// State of the module, one per Lua state, in the registry until the state closes.
typedef struct ct_bind_state {
    uint32_t epochs;            ///< counter of all stores of this state
    uint32_t callbacks;         ///< number of nested calls of script functions
    uint32_t definitions;       ///< number of definitions so far (manager/definition.h)
    uint32_t lua_value_changes; ///< changes of actors' bodies, restores, and first value fields of
                                ///< worlds
    double views;               ///< number of compiled column views so far (manager/column.h)
    double spawns;              ///< number of spawned levels so far; gives their order
    ct_allocator allocator;     ///< of the host (host.h), or based on malloc
    const ct_bind_tables *tables;
    ct_bind_lending lending;
    struct ct_arena *arena;        ///< of parse_values.h
    struct ct_value_pool *holding; ///< of lua_values.h, or NULL
    ct_bind_manager_cache known[CT_BIND_CACHED_MANAGERS];
#if defined(CT_TEST) && CT_TEST
    uint64_t lua_allocations;
    ct_allocator host;     ///< the host's allocator; 'allocator' may fail before it calls it
    int64_t fail_in;       ///< number of allocations that succeed before one fails; < 0: all
                           ///< succeed
    bool fail_on;          ///< and then all others fail, too
    uint32_t failed;       ///< number of failed allocations
    size_t held_bytes;     ///< allocated by the core
    uint32_t string_limit; ///< 0, or the size in bytes from which a string is too long for a save
                           ///< or a level
#endif
} ct_bind_state;

ct_bind_state *ct_bind_state_of(lua_State *L);

/// Returns the number of Lua's allocations. Test builds only; 0 in others.
static inline uint64_t ct_bind_lua_allocations(const ct_bind_state *state) {
#if defined(CT_TEST) && CT_TEST
    return state->lua_allocations;
#else
    (void)state;
    return 0;
#endif
}

/// Raises if script functions are nested too deeply: scripts decide how deeply callbacks create and
/// destroy, and the C stack belongs to the host.
void ct_bind_check_nesting(lua_State *L);

/// Calls a function of C with the arguments on top, protected: like lua_pcall, but nothing is
/// allocated before the call, and so nothing raises. Uses three stack slots.
int ct_bind_call_protected(lua_State *L, lua_CFunction function, int arguments, int results);

/// The same for a function that calls script functions, or if NULL, for the script function on the
/// stack below the arguments: counts the call as nested.
int ct_bind_call_nested(lua_State *L, lua_CFunction function, int arguments, int results);

/// Registers the function of protected calls.
void ct_bind_open_protected(lua_State *L);

// ---------------------------------------------------------------- self

/// Class of an object, identified by the address of this struct.
typedef struct ct_bind_kind {
    const char *name; ///< used in messages
} ct_bind_kind;

/// Random number, the same for all objects of the process, so that no userdata of another library
/// begins with it. Drawn when the module is opened for the first time, then constant.
extern uint64_t ct_bind_drawn_cookie;

/// Reads the cookie. Another thread may open the module at the same time; it does not draw again.
static inline uint64_t ct_bind_cookie(void) {
#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_8)
    return __atomic_load_n(&ct_bind_drawn_cookie, __ATOMIC_RELAXED);
#else
    return ct_bind_drawn_cookie;
#endif
}

/// First member of the payload of every object: the mark of its class.
typedef struct ct_bind_header {
    uint64_t mark;
} ct_bind_header;

/// Returns the mark of the objects of a class. It cannot be forged without the cookie.
static inline uint64_t ct_bind_mark(const ct_bind_kind *kind) {
    return ct_bind_cookie() ^ (uintptr_t)kind;
}

/// Returns the payload of the value at 'index' if it is an object of that class, else NULL. Does
/// not raise.
static inline void *ct_bind_test(lua_State *L, int index, const ct_bind_kind *kind) {
    // NULL if the value is not a userdata. The length of a light userdata is 0.
    const ct_bind_header *object = (const ct_bind_header *)lua_touserdata(L, index);
    if (CT_UNLIKELY(object == NULL || ct_bind_rawlen(L, index) < sizeof *object)) return NULL;
    return CT_LIKELY(object->mark == ct_bind_mark(kind)) ? (void *)object : NULL;
}

/// Raises "NAME expected, got ...".
void *ct_bind_check_error(lua_State *L, int arg, const ct_bind_kind *kind) CT_NORETURN;

/// Returns argument 'arg' as an object of the class; raises for anything else.
static inline void *ct_bind_check(lua_State *L, int arg, const ct_bind_kind *kind) {
    void *object = ct_bind_test(L, arg, kind);
    return CT_LIKELY(object != NULL) ? object : ct_bind_check_error(L, arg, kind);
}

/// Raises "NAME expected, got ..." with a hint that methods are called with ':'.
void *ct_bind_self_error(lua_State *L, const ct_bind_kind *kind) CT_NORETURN;

/// Returns the object that a method was called on; raises if it is not of the class.
static inline void *ct_bind_self(lua_State *L, const ct_bind_kind *kind) {
    void *object = ct_bind_test(L, 1, kind);
    return CT_LIKELY(object != NULL) ? object : ct_bind_self_error(L, kind);
}

// ---------------------------------------------------------------- classes

/// Creates a class of objects that share one metatable, in the registry under the address of
/// 'kind'. Its methods are 'methods' and the functions given to core.add_methods under the name of
/// the kind; 'methods', 'gc' and 'tostring' may be NULL. A second call for the same kind does
/// nothing.
void ct_bind_class_new(lua_State *L, const ct_bind_kind *kind, const luaL_Reg *methods,
                       lua_CFunction gc, lua_CFunction tostring);

/// Pushes a new object of a class. 'bytes' is the size of the payload including the header; the
/// payload behind the header is zeroed.
void *ct_bind_object_new(lua_State *L, const ct_bind_kind *kind, size_t bytes);

/// A handle: an object that points to memory in a block.
typedef struct ct_bind_handle {
    ct_bind_header header;
    void *object;
} ct_bind_handle;

// A block is a value that scripts cannot reach, and neither can they reach the table in its
// environment: debug.setfenv and debug.setmetatable have no access to them. The memory of a block,
// and of the blocks in its table, is therefore valid while any handle of it exists, also in
// finalizers and after the end of the object.

/// Pushes a new block of 'bytes' zeroed bytes, without a table. Returns its memory.
void *ct_bind_block_push(lua_State *L, size_t bytes);

/// The same for a block that keeps the table at index 'memory' alive.
void *ct_bind_block_new(lua_State *L, size_t bytes, int memory);

/// Pops the block on top and pushes a new handle of this class for 'object', which is in the block.
void ct_bind_handle_new(lua_State *L, const ct_bind_kind *kind, void *object);

/// Pops a value (a block, or a table of kept values), which the object at 'index' keeps alive from
/// now on. The value must not reference the object.
void ct_bind_keep(lua_State *L, int index);

/// Pushes the block of the handle at 'index'.
void ct_bind_push_block(lua_State *L, int index);

/// Pushes a new object like ct_bind_object_new, which uses the handle at 'owner': it keeps the
/// block of the handle alive, and has the handle in its environment under 'name'.
void *ct_bind_object_over(lua_State *L, const ct_bind_kind *kind, size_t bytes, int owner,
                          const char *name);

/// Pushes the table that the block of the handle at 'index' keeps alive.
void ct_bind_push_memory(lua_State *L, int index);

/// Returns the object of the handle at 'index'.
static inline void *ct_bind_object_at(lua_State *L, int index) {
    return ((const ct_bind_handle *)lua_touserdata(L, index))->object;
}

/// Like ct_bind_test, ct_bind_check and ct_bind_self for handles; they return the object.
static inline void *ct_bind_test_handle(lua_State *L, int index, const ct_bind_kind *kind) {
    const ct_bind_handle *handle = (const ct_bind_handle *)ct_bind_test(L, index, kind);
    return handle != NULL ? handle->object : NULL;
}
static inline void *ct_bind_check_handle(lua_State *L, int arg, const ct_bind_kind *kind) {
    return ((const ct_bind_handle *)ct_bind_check(L, arg, kind))->object;
}
static inline void *ct_bind_self_handle(lua_State *L, const ct_bind_kind *kind) {
    return ((const ct_bind_handle *)ct_bind_self(L, kind))->object;
}

/// Pops a value and pushes a metatable with it as __index. getmetatable() of an object with this
/// metatable returns 'shown'.
void ct_bind_push_metatable(lua_State *L, const char *shown, lua_CFunction gc,
                            lua_CFunction tostring);

/// Pushes the table of the methods of all classes, by the names of the classes.
void ct_bind_push_all_methods(lua_State *L);

/// Pushes the table of the functions that core.add_methods received under this name.
void ct_bind_push_lua_methods(lua_State *L, const char *name);

/// Adds methods to a class; they replace methods of the same name.
void ct_bind_add_class_methods(lua_State *L, const ct_bind_kind *kind, const luaL_Reg *methods);

/// Pops a table and copies its entries into the table at 'to', replacing entries of the same name.
void ct_bind_pop_into(lua_State *L, int to);

/// Push a field of the environment table of the value at 'index'; pop a value and store it there.
void ct_bind_push_own(lua_State *L, int index, const char *name);
void ct_bind_set_own(lua_State *L, int index, const char *name);

/// Raises that debug.setfenv has replaced the environment table.
void ct_bind_raise_replaced(lua_State *L) CT_NORETURN;

/// Pushes a field of that table. Raises if the field is not the handle of 'object'.
void ct_bind_push_own_handle(lua_State *L, int index, const char *name, const ct_bind_kind *kind,
                             const void *object);

/// Creates what all objects need, and adds 'add_methods' to the module table on top.
void ct_bind_open_objects(lua_State *L);

#if defined(CT_TEST) && CT_TEST
/// Adds 'testing' to the module table on top (spec/support/testing.c).
void ct_bind_open_testing(lua_State *L);
#endif

/// Adds a function, unless it is NULL, to the table on top.
void ct_bind_add_function(lua_State *L, const char *name, lua_CFunction function);

/// The same for a finalizer of userdata that scripts or C pointers refer to.
void ct_bind_add_finalizer(lua_State *L, const char *name, lua_CFunction gc);

/// Creates what finalizers need.
void ct_bind_open_finalizers(lua_State *L);

/// Add a whole number, a string (or nil for NULL) and a boolean to the table on top.
void ct_bind_add_whole(lua_State *L, const char *name, double number);
void ct_bind_add_string(lua_State *L, const char *name, const char *text);
void ct_bind_add_bool(lua_State *L, const char *name, bool value);

/// Adds a table of functions to the module table on top.
void ct_bind_add_functions(lua_State *L, const char *name, const luaL_Reg *functions);

/// lua_rawgetp and lua_rawsetp, which Lua 5.1 lacks.
void ct_bind_rawgetp(lua_State *L, int index, const void *key);
void ct_bind_rawsetp(lua_State *L, int index, const void *key);

/// Pops a key and removes its entry from the table at 'index'. Allocates nothing, even if the table
/// has no such entry, and does not raise.
void ct_bind_forget_key(lua_State *L, int index);

/// Pops a key and a value above it, and replaces the value of this key in the table, unless the
/// table has no such entry. Allocates nothing and does not raise.
void ct_bind_replace_value(lua_State *L, int index);

/// Push the registry's value under an address; pop a value and store it there.
void ct_bind_push_registered(lua_State *L, const void *key);
void ct_bind_register(lua_State *L, const void *key);

/// Pushes the raw value in the table at index 'table' of the key at index 'key'.
static inline void ct_bind_push_raw(lua_State *L, int table, int key) {
    lua_pushvalue(L, key);
    lua_rawget(L, ct_bind_below(table));
}

/// Store a number, a string (or nil for NULL) and nil in the table at index 'table', raw under a
/// number.
static inline void ct_bind_store_whole(lua_State *L, int table, int place, double number) {
    ct_bind_push_whole(L, number);
    lua_rawseti(L, ct_bind_below(table), place);
}
static inline void ct_bind_store_number(lua_State *L, int table, int place, double number) {
    lua_pushnumber(L, number);
    lua_rawseti(L, ct_bind_below(table), place);
}
static inline void ct_bind_store_string(lua_State *L, int table, int place, const char *text) {
    lua_pushstring(L, text);
    lua_rawseti(L, ct_bind_below(table), place);
}
static inline void ct_bind_store_nil(lua_State *L, int table, int place) {
    lua_pushnil(L);
    lua_rawseti(L, ct_bind_below(table), place);
}

/// Store the value at 'index' in the table at index 'table', raw under a number or under a name.
static inline void ct_bind_copy_item(lua_State *L, int table, int number, int index) {
    lua_pushvalue(L, index);
    lua_rawseti(L, ct_bind_below(table), number);
}
static inline void ct_bind_copy_field(lua_State *L, int table, const char *name, int index) {
    lua_pushvalue(L, index);
    lua_setfield(L, ct_bind_below(table), name);
}

/// Stores the value at index 'value' in the table at index 'table', raw under the key at 'key'.
static inline void ct_bind_copy_raw(lua_State *L, int table, int key, int value) {
    lua_pushvalue(L, key);
    lua_pushvalue(L, ct_bind_below(value));
    lua_rawset(L, ct_bind_below(ct_bind_below(table)));
}

/// Pushes the table under a name in the table on top; creates it if there is none.
void ct_bind_push_subtable(lua_State *L, const char *name);

/// Pushes a new table with weak values ("v") or keys ("k").
void ct_bind_push_weak_table(lua_State *L, const char *mode);

/// Reserves memory so that the table on top can replace the remembered table of this address
/// without an allocation.
void ct_bind_expect(lua_State *L, const void *address);

/// Pops a table and stores it under an address, from where callbacks of the core recall it. The
/// reference is weak: something else must keep the table alive. Runs no finalizer; raises if memory
/// runs out.
void ct_bind_remember(lua_State *L, const void *address);

/// Pushes that table, or nil. Uses raw reads only and does not raise.
void ct_bind_recall(lua_State *L, const void *address);

/// Creates the table that the functions above need.
void ct_bind_open_address_table(lua_State *L);

#endif
