// Objects that scripts hold, and the state that all objects of one lua_State share.
// Must not depend on what an object stands for. Longer than 150 lines: every folder above uses it.
#ifndef BIND_OBJECT_H
#define BIND_OBJECT_H

#include "base/alloc.h"
#include "bind/value/compat.h"

// Every object that a script holds is a full userdata whose payload begins with a ct_bind_header.
// Methods are plain C functions, created once in each Lua state and shared by all objects of a
// class, so a line of Lua that calls one costs the same whichever object it meets. A method checks
// its self by that header alone (ct_bind_self), not by the metatable, which debug.setmetatable can
// replace.

/// What rooms above hand down to those below; module.c fills it in. Calls go down only.
typedef struct ct_bind_above {
    const struct ct_bind_builtin *builtins;      ///< manager/manager.h
    const struct ct_bind_attachment *attachment; ///< manager/attachment.h
    const struct ct_host *host;                  ///< of worlds, in level/
} ct_bind_above;

/// A manager that was found by name lately in a world. Lua has each string once, and at the same
/// place as long as the table of managers keeps it: when one changes, or a world is made, all are
/// forgotten.
typedef struct ct_bind_known {
    const char *name; ///< or NULL
    const void *world;
    const struct ct_bind_manager *manager;
} ct_bind_known;

enum { CT_BIND_KNOWN = 32 };

/// Where blocks for managers are taken from, during a call that creates managers of a world.
typedef struct ct_bind_lending {
    lua_State *L;          ///< has the function that creates blocks
    int new_block;         ///< at this index
    unsigned char *unused; ///< of the block of a world, for built-in managers; NULL: none is left
} ct_bind_lending;

/// One per Lua state, in the registry; lives until the state closes.
typedef struct ct_bind_state {
    uint32_t epochs;        ///< counter of all stores of this state
    uint32_t callbacks;     ///< functions of scripts that run inside one another
    uint32_t definitions;   ///< made so far (manager/definition.h)
    uint32_t kept_changes;  ///< of bodies of actors, restores, and worlds that get value fields
    double spawns;          ///< of levels so far: tells which was first
    ct_allocator allocator; ///< of the host (host.h), or malloc
    const ct_bind_above *above;
    ct_bind_lending lending;
    struct ct_arena *arena;        ///< of gather.h
    struct ct_value_pool *holding; ///< of kept.h, or NULL
    ct_bind_known known[CT_BIND_KNOWN];
#if defined(CT_TEST) && CT_TEST
    uint64_t lua_allocations;
    ct_allocator host;     ///< the same; 'allocator' may fail before it is asked
    int64_t fail_in;       ///< that many more allocations succeed, then one fails; < 0: all succeed
    bool fail_on;          ///< and then all others
    uint32_t failed;       ///< so many did
    size_t held_bytes;     ///< of the core
    uint32_t string_limit; ///< 0, or bytes from which on a string is too long for a save or a level
#endif
} ct_bind_state;

ct_bind_state *ct_bind_state_of(lua_State *L);

/// How often Lua has asked for memory: counted in test builds only.
static inline uint64_t ct_bind_lua_allocations(const ct_bind_state *state) {
#if defined(CT_TEST) && CT_TEST
    return state->lua_allocations;
#else
    (void)state;
    return 0;
#endif
}

/// Raises when functions of scripts are nested too deep: the C stack is the host's, and how deep
/// callbacks create and destroy is the script's choice.
void ct_bind_check_nesting(lua_State *L);

/// lua_pcall of a function of the script, on top with its arguments, counted as nested.
int ct_bind_call_nested(lua_State *L, int arguments, int results);

// ---------------------------------------------------------------- self

/// The class of an object: the address of one of these.
typedef struct ct_bind_kind {
    const char *name; ///< as messages call it
} ct_bind_kind;

/// Random, the same for all objects of the process: no userdata of another library begins with it.
/// Drawn when the module is opened for the first time; constant from then on.
extern uint64_t ct_bind_drawn_cookie;

/// Reads it. Another thread may open the module meanwhile, and finds it drawn.
static inline uint64_t ct_bind_cookie(void) {
#if defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_8)
    return __atomic_load_n(&ct_bind_drawn_cookie, __ATOMIC_RELAXED);
#else
    return ct_bind_drawn_cookie;
#endif
}

/// What the payload of every object begins with: the mark of its kind.
typedef struct ct_bind_header {
    uint64_t mark;
} ct_bind_header;

/// The mark of the objects of a kind: without the cookie it cannot be forged.
static inline uint64_t ct_bind_mark(const ct_bind_kind *kind) {
    return ct_bind_cookie() ^ (uintptr_t)kind;
}

/// The payload of the value at 'index' if it is an object of that kind, or NULL. Does not raise.
static inline void *ct_bind_test(lua_State *L, int index, const ct_bind_kind *kind) {
    // NULL for what is no userdata; the length of a light userdata is 0.
    const ct_bind_header *object = (const ct_bind_header *)lua_touserdata(L, index);
    if (CT_UNLIKELY(object == NULL || ct_bind_rawlen(L, index) < sizeof *object)) return NULL;
    return CT_LIKELY(object->mark == ct_bind_mark(kind)) ? (void *)object : NULL;
}

/// Raises "NAME expected, got ...".
void *ct_bind_check_error(lua_State *L, int arg, const ct_bind_kind *kind) CT_NORETURN;

/// Argument 'arg' as such an object; raises for anything else.
static inline void *ct_bind_check(lua_State *L, int arg, const ct_bind_kind *kind) {
    void *object = ct_bind_test(L, arg, kind);
    return CT_LIKELY(object != NULL) ? object : ct_bind_check_error(L, arg, kind);
}

/// Raises the same, with the hint that a method is called with ':'.
void *ct_bind_self_error(lua_State *L, const ct_bind_kind *kind) CT_NORETURN;

/// The object that a method was called on.
static inline void *ct_bind_self(lua_State *L, const ct_bind_kind *kind) {
    void *object = ct_bind_test(L, 1, kind);
    return CT_LIKELY(object != NULL) ? object : ct_bind_self_error(L, kind);
}

// ---------------------------------------------------------------- classes

/// Makes a class of objects that share one metatable, in the registry under the address of 'kind'.
/// Its methods are these and those given to core.add_methods under the name of the kind; 'gc' and
/// 'tostring' may be NULL. A second call for the same kind does nothing.
void ct_bind_class_new(lua_State *L, const ct_bind_kind *kind, const luaL_Reg *methods,
                       lua_CFunction gc, lua_CFunction tostring);

/// Pushes a new object of a class, with a zeroed payload of 'bytes' bytes behind its header, which
/// they include.
void *ct_bind_object_new(lua_State *L, const ct_bind_kind *kind, size_t bytes);

/// A handle: an object whose memory is in a block.
typedef struct ct_bind_handle {
    ct_bind_header header;
    void *object;
} ct_bind_handle;

// A block is a userdata that scripts never see, and its environment is a table that they never see:
// neither debug.setfenv nor debug.setmetatable can reach it. Therefore what lies in a block, and in
// the blocks that the table keeps, exists as long as any handle of it, also in finalizers and after
// the end of the object.

/// Pushes a new block of 'bytes' zeroed bytes, which keeps the table at index 'memory'.
void *ct_bind_block_new(lua_State *L, size_t bytes, int memory);

/// The object in the block on top, which is popped, gets a handle of its class, which is pushed.
void ct_bind_handle_new(lua_State *L, const ct_bind_kind *kind, void *object);

/// Pops a value, which exists from now on as long as the object at 'index': a block, or a table of
/// what is kept. It may not lead back to the object.
void ct_bind_keep(lua_State *L, int index);

/// Pushes the block of the handle at 'index'.
void ct_bind_push_block(lua_State *L, int index);

/// Pushes the table that the block of the handle at 'index' keeps.
void ct_bind_push_memory(lua_State *L, int index);

/// The object of the value at 'index', which is a handle.
static inline void *ct_bind_object_at(lua_State *L, int index) {
    return ((const ct_bind_handle *)lua_touserdata(L, index))->object;
}

/// As ct_bind_test, ct_bind_check and ct_bind_self, of handles: the object.
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

/// Pushes a metatable whose __index is the value on top, which is popped. getmetatable() of an
/// object with it returns 'shown'.
void ct_bind_push_metatable(lua_State *L, const char *shown, lua_CFunction gc,
                            lua_CFunction tostring);

/// Pushes the table that has the methods of all classes, by the names of the classes.
void ct_bind_push_all_methods(lua_State *L);

/// Pushes what core.add_methods was given under this name, a table.
void ct_bind_push_lua_methods(lua_State *L, const char *name);

/// Adds methods to a class, in the place of those of the same name.
void ct_bind_add_class_methods(lua_State *L, const ct_bind_kind *kind, const luaL_Reg *methods);

/// Pops a table, whose entries become part of the one at 'to', in the place of those of the same
/// name.
void ct_bind_pop_into(lua_State *L, int to);

/// Pushes a field of the environment table of the value at 'index'; pops a value, which becomes it.
void ct_bind_push_own(lua_State *L, int index, const char *name);
void ct_bind_set_own(lua_State *L, int index, const char *name);

/// Raises that debug.setfenv has replaced that table.
void ct_bind_raise_replaced(lua_State *L) CT_NORETURN;

/// Pushes a field of that table, which is the handle of 'object'. Raises if it is not.
void ct_bind_push_own_handle(lua_State *L, int index, const char *name, const ct_bind_kind *kind,
                             const void *object);

/// Makes what all objects need, and adds 'add_methods' to the module table on top.
void ct_bind_open_objects(lua_State *L);

#if defined(CT_TEST) && CT_TEST
/// Adds 'testing' to the module table on top (spec/support/testing.c).
void ct_bind_open_testing(lua_State *L);
#endif

/// Adds a function, unless it is NULL, to the table on top.
void ct_bind_add_function(lua_State *L, const char *name, lua_CFunction function);

/// Adds a table of functions to the module table on top.
void ct_bind_add_functions(lua_State *L, const char *name, const luaL_Reg *functions);

/// lua_rawgetp and lua_rawsetp, which Lua 5.1 does not have.
void ct_bind_rawgetp(lua_State *L, int index, const void *key);
void ct_bind_rawsetp(lua_State *L, int index, const void *key);

/// Pops a key and removes its entry from the table at 'index'. Allocates nothing, also where the
/// table has no such entry, and never raises.
void ct_bind_forget_key(lua_State *L, int index);

/// Pushes the registry's value under an address; pops a value, which becomes that.
void ct_bind_push_registered(lua_State *L, const void *key);
void ct_bind_register(lua_State *L, const void *key);

/// Pushes the table under a name in the table on top. It is made when it is first asked for.
void ct_bind_push_subtable(lua_State *L, const char *name);

/// Pushes a new table with weak values ("v") or keys ("k"): it leads to objects without keeping
/// them.
void ct_bind_push_weak_table(lua_State *L, const char *mode);

/// Sees to it that the table on top can be remembered in place of another without any memory.
void ct_bind_expect(lua_State *L, const void *address);

/// Pops a table, which can be recalled by the address of what it stands for, as long as something
/// else keeps it: for callbacks of the core. Runs no finalizer; raises when memory runs out.
void ct_bind_remember(lua_State *L, const void *address);

/// Pushes that table, or nil. Only raw reads: never raises.
void ct_bind_recall(lua_State *L, const void *address);

/// Makes what the two above need.
void ct_bind_open_recall(lua_State *L);

#endif
