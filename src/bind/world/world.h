// World objects and the managers in them, as the rooms above see them.
// Knows nothing of any one component.
#ifndef BIND_WORLD_H
#define BIND_WORLD_H

#include "bind/manager/manager.h"
#include "level/level.h"
#include "storage/query.h"

typedef struct ct_bind_world {
    ct_world core;
    ct_bind_entities *entities; ///< in a block that the world's block keeps
    ct_bind_state *state;
    ct_bind_manager *hosted; ///< whose components keep something (manager/attachment.h), or NULL
    ct_levels levels;
    uint32_t attach_token; ///< of the listener that attached tables need, or 0
    ct_world_name name;    ///< its entry in the worlds of the EntityManager
} ct_bind_world;

/// What the binding, as host of a world, is given as context by the core (ct_host).
typedef struct ct_bind_host_call {
    ct_bind_destroy told;        ///< first: hooks are given it; its slot takes the first failure
    int world;                   ///< where the world object is on the stack
    int spawners;                ///< for a spawn: functions by number of the section, or nil
    const ct_resource *resource; ///< for a spawn
    const char *silent;          ///< said when what failed raised no message; NULL: see the slot
    const char *at_fault;        ///< the type whose spawner it was, in the resource, or NULL
} ct_bind_host_call;

/// What all calls of a world that has ended raise, and of its managers and levels.
#define BIND_WORLD_OVER "world is destroyed"

// The environment of a world object, and of its managers, is its metatable:
//     __index    what scripts find by name: managers, and 'entities'. The metatable of that has the
//                methods of worlds as __index
//     world      the world object
//     entities   the EntityManager object
//     unnamed    managers with a name that is not free in __index, by name; nil for none
//     a light userdata, the address of a manager: ct_bind_push_manager_table
//     attached, spawners, levels: see there
//
// The block of a world has the built-in managers behind the struct. It keeps the table of the block
// of the EntityManager, or once a component was defined a table of its own: 1 is the block of the
// EntityManager, 2 the block of the world, others are the blocks of defined managers and the names
// of inputs. Neither a table nor a block leads to an object.

extern const ct_bind_kind ct_bind_world_kind;

/// Pushes the table 'levels' of the world object at 'world', or nil if there is no level.
void ct_bind_push_levels(lua_State *L, int world);

/// self of a world's method; raises when it is destroyed.
ct_bind_world *ct_bind_world_self(lua_State *L);

/// The same for what changes anything: raises in callbacks of a restore, too.
ct_bind_world *ct_bind_changing_world(lua_State *L);

/// Argument 'arg' as a living world; raises "world expected" or "world is destroyed".
ct_bind_world *ct_bind_check_world(lua_State *L, int arg);

/// Pushes the EntityManager object of the world object at index 'world'.
void ct_bind_push_world_entities(lua_State *L, int world);

/// Calls 'body' with all that is on the stack while the world is busy: no finalizer can destroy it,
/// or define a component anew, between two looks at a manager. Returns how many results there are.
int ct_bind_call_busy(lua_State *L, ct_bind_world *world, lua_CFunction body);

// ---------------------------------------------------------------- managers (managers.c)

/// manager and managers.
extern const luaL_Reg ct_bind_manager_methods[];

/// Pushes the manager object that argument 'arg' names, or is; of the world object at
/// index 'world'. Raises for unknown names (with the nearest one) and other values.
void ct_bind_push_named_manager(lua_State *L, int world, int arg);

/// The world of the object at 'index'.
static inline ct_bind_world *ct_bind_world_of(lua_State *L, int index) {
    return (ct_bind_world *)ct_bind_object_at(L, index);
}

/// Pushes the object of a core manager; the world object is at stack index 'world'.
void ct_bind_push_manager(lua_State *L, int world, const ct_manager *core);

/// Pushes "unknown component 'NAME' (did you mean ...)".
void ct_bind_push_unknown_component(lua_State *L, const ct_world *world, const char *name);

/// All objects of the world at index 'world', and that itself, are over from now on, and the name
/// is free. The core is the caller's to end. Allocates nothing.
void ct_bind_world_over(lua_State *L, int world);

/// Replaces arguments 2 ... of a method of a world, names with "!" or "?" in front or managers, by
/// the manager objects; raises for others. Returns how many there are, with their roles.
uint32_t ct_bind_check_parts(lua_State *L, ct_query_role *roles);

extern const luaL_Reg ct_bind_join_methods[];     // join.c
extern const luaL_Reg ct_bind_query_methods[];    // query.c
extern const luaL_Reg ct_bind_create_methods[];   // create.c
extern const luaL_Reg ct_bind_template_methods[]; // template.c

/// Undoes a create whose attaching failed: destroys what is alive of these entities, dropping
/// errors of callbacks, and removes their components from the world object at index 'world'. The
/// stack is left as it was, and has room for LUA_MINSTACK more. Cannot fail.
void ct_bind_undo_entities(lua_State *L, int world, uint32_t count, const ct_entity *entities);

/// Makes the class of Query objects.
void ct_bind_open_queries(lua_State *L);

/// Makes the class of Template objects.
void ct_bind_open_templates(lua_State *L);

/// Adds 'world' to the module table on top.
void ct_bind_open_world(lua_State *L);

#endif
