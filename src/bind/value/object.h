// Objects with methods, and the state that all objects of one lua_State share.
// Knows nothing of what an object stands for. Longer than 150 lines: every room asks it something.
#ifndef BIND_OBJECT_H
#define BIND_OBJECT_H

#include "base/alloc.h"
#include "bind/value/compat.h"

// Every object a script holds is a full userdata. Entity managers, worlds and component managers
// have a metatable each, whose methods are closures over the object: checking self is one pointer
// comparison (see ct_bind_self). Others share one for their class.

/// What rooms above hand down to those below; module.c fills it in. Calls go down only.
typedef struct ct_bind_above {
    const struct ct_bind_builtin *builtins;      ///< manager/manager.h
    const struct ct_bind_attachment *attachment; ///< manager/attachment.h
    const luaL_Reg *level_methods;               ///< of worlds, in level/
    const luaL_Reg *entity_methods;              ///< of EntityManagers, in level/
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

/// One per Lua state, in the registry; lives until the state closes.
typedef struct ct_bind_state {
    uint32_t epochs;        ///< counter of all stores of this state
    uint32_t callbacks;     ///< functions of scripts that run inside one another
    double spawns;          ///< of levels so far: tells which was first
    ct_allocator allocator; ///< of the host (host.h), or malloc
    const ct_bind_above *above;
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

// ---------------------------------------------------------------- methods of their own

/// What an object is: the address of one of these is its kind.
typedef struct ct_bind_kind {
    const char *name;                        ///< as messages call it
    const char *(*over)(const void *object); ///< why one that is over cannot be used, or NULL
} ct_bind_kind;

/// Pushes a new userdata of 'bytes' zeroed bytes with a metatable and an environment of its own.
/// Methods become closures whose first upvalue is the object, and so do 'gc' and 'tostring'; 'gc'
/// may be NULL.
void *ct_bind_object_new(lua_State *L, size_t bytes, const ct_bind_kind *kind,
                         const luaL_Reg *methods, lua_CFunction gc, lua_CFunction tostring);

/// The payload of the value at 'index' if it is an object of that kind, or NULL. Raises nothing.
void *ct_bind_to_object(lua_State *L, int index, const ct_bind_kind *kind);

/// The object at 'index' is over: what is looked up in it raises what its kind's 'over' says when
/// it is called. Its methods can be collected, but for those compiled code has. Allocates nothing.
void ct_bind_object_over(lua_State *L, int index);

/// Pushes the table of methods of the object at 'index'.
void ct_bind_push_methods(lua_State *L, int index);

/// Adds methods to the object at 'index'; ones with the same name are replaced.
void ct_bind_add_methods(lua_State *L, int index, const luaL_Reg *methods);

/// Pushes what core.add_methods was given under this name; adds it to the object at 'index'.
void ct_bind_push_lua_methods(lua_State *L, const char *name);
void ct_bind_add_lua_methods(lua_State *L, int index, const char *name);

/// Pushes a field of the environment table of the value at 'index'; pops a value, which becomes it.
void ct_bind_push_own(lua_State *L, int index, const char *name);
void ct_bind_set_own(lua_State *L, int index, const char *name);

/// The object a method was called on: argument 1, compared with upvalue 1.
/// Raises "NAME expected, got ..." for anything else (also '.' written for ':').
static inline void *ct_bind_self(lua_State *L, const ct_bind_kind *kind);
void *ct_bind_self_error(lua_State *L, const ct_bind_kind *kind) CT_NORETURN;

static inline void *ct_bind_self(lua_State *L, const ct_bind_kind *kind) {
    void *self = lua_touserdata(L, lua_upvalueindex(1));
    if (CT_LIKELY(lua_touserdata(L, 1) == self)) return self;
    return ct_bind_self_error(L, kind);
}

// ---------------------------------------------------------------- classes

/// Makes a class of objects that share one metatable, in the registry under the address of 'class',
/// of which the name counts. Its methods, 'gc' and 'tostring' are closures over the metatable.
void ct_bind_class_new(lua_State *L, const ct_bind_kind *class, const luaL_Reg *methods,
                       lua_CFunction gc, lua_CFunction tostring);

/// A new zeroed userdata of a class.
void *ct_bind_class_object(lua_State *L, const ct_bind_kind *class, size_t bytes);

/// The payload of argument 'arg' if it is of the class, else NULL.
void *ct_bind_test_class(lua_State *L, int arg, const ct_bind_kind *class);

/// The same; raises "NAME expected, got ...".
void *ct_bind_check_class(lua_State *L, int arg, const ct_bind_kind *class);

/// The two above for methods of the class, and other functions whose first upvalue is its
/// metatable: cheaper, since nothing is looked up. The second is of argument 1.
void *ct_bind_class_argument(lua_State *L, int arg);
void *ct_bind_class_self(lua_State *L, const ct_bind_kind *class);

/// The payload at index 1 if it is an object of 'bytes' bytes that begins with its class: cheaper
/// still, for what is called thousands of times a frame. Only for objects whose class is wiped
/// when they are collected, and for events, which Lua calls with objects of the class alone.
static inline void *ct_bind_class_marked(lua_State *L, const ct_bind_kind *class, size_t bytes) {
    const ct_bind_kind **payload = lua_touserdata(L, 1);
    bool same = payload != NULL && ct_bind_rawlen(L, 1) == bytes && *payload == class;
    return CT_LIKELY(same) ? payload : ct_bind_class_self(L, class);
}

/// Makes what all objects need, and adds 'add_methods' to the module table on top.
void ct_bind_open_objects(lua_State *L);

#if defined(CT_TEST) && CT_TEST
/// Adds 'testing' to the module table on top (spec/support/testing.c).
void ct_bind_open_testing(lua_State *L);
#endif

/// Adds a table of functions to the module table on top.
void ct_bind_add_functions(lua_State *L, const char *name, const luaL_Reg *functions);

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
