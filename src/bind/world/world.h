// World objects and their managers.
// Must not depend on any one component.
#ifndef BIND_WORLD_H
#define BIND_WORLD_H

#include "bind/manager/manager.h"
#include "level/level.h"
#include "storage/loop.h"

typedef struct ct_bind_world {
    ct_world core;
    ct_bind_entities *entities; ///< in a block that the world's block keeps
    ct_bind_state *state;
    ct_bind_manager *hosted; ///< manager with kept values (manager/attachment.h), or NULL
    ct_levels levels;
    uint32_t attach_token; ///< of the listener of attached tables, or 0
    uint32_t complex;      ///< calls of create that compiled code leaves to the method, after a
                           ///< call with components that were not simple
    ct_world_name name;    ///< its entry in the worlds of the EntityManager
} ct_bind_world;

/// Context that the binding, as host of a world, passes to the core (ct_host).
typedef struct ct_bind_host_call {
    ct_bind_notice notice;       ///< first: context of hooks; its slot receives the first error
    int world;                   ///< stack index of the world object
    int spawners;                ///< for a spawn: stack index of the spawner functions by number of
                                 ///< the section, or nil
    const ct_resource *resource; ///< for a spawn
    const char *silent;          ///< message of a failure that raised none; NULL: see the slot
    const char *at_fault;        ///< type of the failed spawner in the resource, or NULL
} ct_bind_host_call;

// The environment of a world object, and of its managers, is its metatable:
//     __index    the members of a world for scripts: managers, and 'entities'. Its metatable
//                has the methods of worlds as __index
//     world      the world object
//     entities   the EntityManager object
//     unnamed    by name, the managers with a name that is used otherwise in __index; or nil
//     a light userdata, the address of a manager: ct_bind_push_manager_table
//     joined     queries for join and rows (query.c)
//     attached, spawners, levels: see the files that use them
//
// The block of a world has the built-in managers behind the struct. It keeps the table of the block
// of the EntityManager alive; after the first definition of a component, a separate table: 1 is the
// block of the EntityManager, 2 the block of the world, the others are the blocks of defined
// managers and the names of inputs. No table and no block references an object.

extern const ct_bind_kind ct_bind_world_kind;

/// Pushes the table 'levels' of the world object at 'world', or nil if it has no level.
void ct_bind_push_levels(lua_State *L, int world);

/// Returns self of a world's method. Raises if the world is destroyed.
ct_bind_world *ct_bind_world_self(lua_State *L);

/// The same for methods that change something: also raises in callbacks of a restore.
ct_bind_world *ct_bind_changing_world(lua_State *L);

/// Returns argument 'arg' as a living world. Raises "world expected" or "world is destroyed".
ct_bind_world *ct_bind_check_world(lua_State *L, int arg);

/// Pushes the EntityManager object of the world object at index 'world'.
void ct_bind_push_world_entities(lua_State *L, int world);

/// Calls 'body' with this number of arguments, of which number 'world' must be a living world. The
/// world is marked busy, so that no finalizer can destroy it or define a component again during the
/// call. Returns the number of results.
int ct_bind_call_busy(lua_State *L, int arguments, int world, lua_CFunction body);

// Managers (managers.c)

/// Makes the object at index 'object' keep the blocks of the managers in a table alive, and through
/// these the block of the world.
void ct_bind_keep_managers(lua_State *L, int object, int table);

/// Pushes the manager object that argument 'arg' is or names, of the world object at index 'world'.
/// Raises for unknown names (with the nearest one) and other values.
void ct_bind_push_named_manager(lua_State *L, int world, int arg);

/// Pushes the object of a world, or nil if it is being collected.
void ct_bind_push_world_object(lua_State *L, const ct_world *core);

/// Returns the world of the object at 'index'.
static inline ct_bind_world *ct_bind_world_of(lua_State *L, int index) {
    return (ct_bind_world *)ct_bind_object_at(L, index);
}

/// Pushes the object of a core manager; the world object is at stack index 'world'.
void ct_bind_push_manager(lua_State *L, int world, const ct_manager *core);

/// Pushes "unknown component 'NAME' (did you mean ...)".
void ct_bind_push_unknown_component(lua_State *L, const ct_world *world, const char *name);

/// Marks the world object at index 'world' and all its objects as ended, and releases its name. The
/// caller ends the core. Allocates nothing.
void ct_bind_world_destroyed(lua_State *L, int world);

/// Replaces 'count' arguments from 2 on of a method of a world (managers, or names with an optional
/// "!" or "?" in front) by the manager objects, and stores their roles. Raises for other values.
/// Returns their number.
uint32_t ct_bind_check_parts(lua_State *L, int count, ct_query_role *roles);

/// Undoes a create after a failed attachment: destroys those of these entities that are alive,
/// drops errors of callbacks, and removes their components from the world object at index 'world'.
/// Leaves the stack unchanged, with room for LUA_MINSTACK more values. Cannot fail.
void ct_bind_undo_entities(lua_State *L, int world, uint32_t count, const ct_entity *entities);

/// Add the methods of worlds in query.c, create.c and template.c, and what these methods need.
void ct_bind_open_queries(lua_State *L);
void ct_bind_open_create(lua_State *L);
void ct_bind_open_templates(lua_State *L);

/// Adds 'world' to the module table on top.
void ct_bind_open_world(lua_State *L);

// Attached tables (attach.c)

/// Adds 'attached' and 'new_entry' to the module table on top.
void ct_bind_open_attached(lua_State *L);

/// Stops listening to the entities of a world that is ending. Allocates nothing.
void ct_bind_end_attached(ct_bind_world *world);

/// Removes the entries of entities that a restore has removed from all attached tables of a world.
/// If 'all' is true, removes all entries, because the components are removed, too. Allocates
/// nothing.
void ct_bind_forget_attached(lua_State *L, const ct_bind_world *world, bool all);

#endif
