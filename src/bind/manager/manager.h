// Component managers as scripts see them, and the way from what a script holds to a row.
// Knows nothing of any one component.
#ifndef BIND_MANAGER_H
#define BIND_MANAGER_H

#include "bind/entities/entities.h"
#include "bind/value/gather.h"
#include "world/world.h"

/// A component manager as scripts see it. While it is there its world owns the core; once it is
/// over the core is an empty manager, so that nothing has to be asked again after a finalizer may
/// have run: nothing is found then, nothing can be added.
typedef struct ct_bind_manager {
    ct_manager *core; ///< in a block that the environment table keeps. Compiled loops read it,
    const char *over; ///< and whether calls raise this: in the environment table, or static
    ct_world *world;  ///< in the world object, which the environment table keeps
    ct_bind_state *state;
    // What its components keep with the binding (attachment.h):
    const struct ct_bind_attachment *attachment; ///< or NULL: nothing
    uint32_t listener;                           ///< token of the hook that ends it, or 0
    bool attaches;                               ///< something is made even of what gives nothing
    const char *names[]; ///< of inputs, if the core is free; the world object keeps the strings
} ct_bind_manager;

/// A method of a built-in manager: a closure over the manager object, like all methods.
typedef struct ct_bind_method {
    const char *name; ///< in full, so that a search finds it
    lua_CFunction function;
    const char *field; ///< of ct_bind_get_field or ct_bind_set_field, or 'hosted'; else NULL
} ct_bind_method;

/// Methods of a built-in manager beyond what all have. Several entries may name one manager.
typedef struct ct_bind_builtin {
    const char *name;
    const ct_bind_method *methods;
} ct_bind_builtin;

extern const ct_bind_kind ct_bind_manager_kind;

/// Pushes a new manager object for 'core', whose block is the userdata on top, which is popped; the
/// world object is at index 'world', its core in 'owner'. The caller links it into the world's
/// list.
ct_bind_manager *ct_bind_manager_new(lua_State *L, int world, ct_world *owner, ct_manager *core);

/// From now on calls of the object at 'index' raise 'why', and views of its columns, too. The core
/// is the caller's to end. Allocates nothing.
void ct_bind_manager_over(lua_State *L, int index, const char *why);

/// write_many and read_many.
extern const luaL_Reg ct_bind_bulk_methods[];

/// get, set, read, write, column and fields.
extern const luaL_Reg ct_bind_field_methods[];

/// Adds FIELD and set_FIELD for each field of 'core' to the manager object at 'index', and removes
/// those of hidden fields: for managers of scripts and plugins. Methods of all managers stay.
void ct_bind_add_accessors(lua_State *L, int index, const ct_manager *core);

/// Adds methods of a built-in manager; ones with the same name are replaced.
void ct_bind_add_builtin_methods(lua_State *L, int index, const ct_manager *core,
                                 const ct_bind_method *methods);

/// self of a manager's method; raises when it is over.
static inline ct_bind_manager *ct_bind_manager_self(lua_State *L);
int ct_bind_raise_over(lua_State *L, const ct_bind_manager *manager) CT_NORETURN;

static inline ct_bind_manager *ct_bind_manager_self(lua_State *L) {
    ct_bind_manager *manager = ct_bind_self(L, &ct_bind_manager_kind);
    if (CT_UNLIKELY(manager->over != NULL)) ct_bind_raise_over(L, manager);
    return manager;
}

/// The same for what changes more than a row: raises in callbacks of a restore, too.
ct_bind_manager *ct_bind_changing_manager(lua_State *L);

/// Enters what compiled code needs of managers (compiled.h).
void ct_bind_open_managers(lua_State *L);

/// Raises unless components can be made in a world: "world is being destroyed".
void ct_bind_check_open(lua_State *L, const ct_world *world);

/// Pushes the world object a manager belongs to; the manager object is at index 'manager'.
void ct_bind_push_world(lua_State *L, int manager);

// ---------------------------------------------------------------- rows (target.c)

/// Argument 'arg' as a row: an entity costs one lookup, an instance is checked
/// for staleness. Raises, naming entity and manager, when there is none. For reading: a dying
/// entity still answers inside its destroy callbacks.
ct_row ct_bind_check_target(lua_State *L, int arg, const ct_bind_manager *manager);

/// The same for writing: a dying entity is refused, and callbacks of a restore.
ct_row ct_bind_check_live_target(lua_State *L, int arg, const ct_bind_manager *manager);

typedef enum ct_bind_gc { CT_BIND_GC_DEATHS, CT_BIND_GC_ALL, CT_BIND_GC_SOME } ct_bind_gc;

/// What argument 'arg' of gc asks for: nothing, "all", or a limit, which goes into *limit.
ct_bind_gc ct_bind_check_gc(lua_State *L, int arg, uint32_t *limit);

/// Raises that an entity is dead; 'place', unless it is 0, tells which of a list.
int ct_bind_raise_dead(lua_State *L, int arg, const ct_bind_manager *manager, ct_entity e,
                       uint32_t place);

/// Raises why an entity has no row: it is dead, or has no such component; 'place' as above.
int ct_bind_raise_no_row(lua_State *L, int arg, const ct_bind_manager *manager, ct_entity e,
                         uint32_t place);

/// Argument 'arg' as the name of a field; raises with the nearest one.
uint32_t ct_bind_check_field(lua_State *L, int arg, const ct_manager *core);

/// Pushes the instance of a row, or nil for CT_NO_ROW, and notes that it was handed out.
void ct_bind_push_instance(lua_State *L, ct_manager *manager, ct_row row);

/// Raises "stale NAME instance".
int ct_bind_raise_stale(lua_State *L, int arg, const ct_bind_manager *manager) CT_NORETURN;

/// The world's debug_name manager, for messages.
const ct_manager *ct_bind_names(const ct_world *world);

// ---------------------------------------------------------------- methods

/// create and create_many.
extern const luaL_Reg ct_bind_component_create_methods[];

/// on_add, on_remove, off_add and off_remove (hooks.c).
extern const luaL_Reg ct_bind_hook_methods[];

/// Before what tells hooks: raises when callbacks are nested too deep, or there is no room on the
/// stack for what hooks push; before components are created in 'world' (else NULL), also when it
/// is being cleared.
void ct_bind_prepare_hooks(lua_State *L, const ct_world *world);

/// Removes a row of a manager that has or had hooks, or all rows of its entity, and tells hooks;
/// how many went. Raises the first error of a hook when all is done.
uint32_t ct_bind_destroy_told(lua_State *L, ct_bind_manager *manager, ct_row row, bool all);

/// Creates one component of these values for a living entity, and tells hooks. CT_OK, or the status
/// of ct_manager_create. Raises what a hook raised; nothing is created then.
ct_status ct_bind_create_one(lua_State *L, const ct_bind_manager *manager, ct_entity e,
                             const ct_values *values);

/// m:FIELD(target) and m:set_FIELD(target, ...).
int ct_bind_get_field(lua_State *L);
int ct_bind_set_field(lua_State *L);

/// Raises what a failed call of the core means: why the manager is over, if it is.
int ct_bind_manager_fail(lua_State *L, const ct_bind_manager *manager,
                         ct_status status) CT_NORETURN;

#endif
