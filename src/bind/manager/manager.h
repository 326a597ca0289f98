// Component managers of scripts, and the conversion of arguments to rows.
// Must not depend on any one component. Longer than 150 lines: every folder above uses it.
#ifndef BIND_MANAGER_H
#define BIND_MANAGER_H

#include "bind/entities/entities.h"
#include "bind/value/parse_values.h"
#include "world/world.h"

/// Component manager of scripts, to which its handle points. It is stored in front of its core, in
/// the block of the world (built-in types) or in a separate block. After its end the core is an
/// empty manager to which nothing can be added. A call that may have run a finalizer therefore need
/// not check again.
typedef struct ct_bind_manager {
    ct_manager *core;      ///< first, behind this struct. Compiled code reads it,
    const char *destroyed; ///< the format of the error message after its end, else NULL,
    uint32_t definition;   ///< and the number of its definition (definition.h)
    uint32_t listener;     ///< token of the hook that ends values (attachment.h), or 0
    ct_world *world;       ///< in the block of the world
    ct_bind_state *state;
    bool attaches; ///< a value (attachment.h) is created even if none is given
} ct_bind_manager;

/// Formats of 'destroyed', with one argument, the name of the component.
#define BIND_WORLD_DESTROYED "world is destroyed"
#define BIND_DEFINED_AGAIN "%s was defined again"

/// Returns whether the binding keeps a value for each component of the type (actor: its body).
static inline bool ct_bind_is_hosted(const ct_bind_manager *m) {
    return CT_UNLIKELY(m->core->shape->hosted != NULL);
}

/// Returns the operations on these values (attachment.h).
static inline const struct ct_bind_attachment *ct_bind_attachment_of(const ct_bind_manager *m) {
    return m->state->tables->attachment;
}

/// Method of a built-in manager.
typedef struct ct_bind_method {
    const char *name; ///< complete, so that a text search finds it
    lua_CFunction function;
    const char *field; ///< of ct_bind_get_field or ct_bind_set_field, or 'hosted'; else NULL
} ct_bind_method;

/// The two methods of a field of a built-in manager.
#define CT_BIND_FIELD(getter, setter)                                                              \
    {getter, ct_bind_get_field, getter}, { setter, ct_bind_set_field, getter }

/// Methods of a built-in manager beyond the common ones. Several entries may name one manager.
typedef struct ct_bind_builtin {
    const char *name;
    const ct_bind_method *methods;
} ct_bind_builtin;

extern const ct_bind_kind ct_bind_manager_kind;

/// Bytes of a manager in a block if its core takes 'core_bytes'. The core follows the struct.
static inline size_t ct_bind_manager_bytes(size_t core_bytes) {
    return ct_padded(sizeof(ct_bind_manager)) + ct_padded(core_bytes);
}
static inline void *ct_bind_manager_core(void *manager) {
    return (unsigned char *)manager + ct_padded(sizeof(ct_bind_manager));
}

/// Initializes the manager in front of 'core', which is in the block on top of the stack, and
/// replaces the block by the handle of the manager. The world object is at index 'world'.
ct_bind_manager *ct_bind_manager_new(lua_State *L, int world, ct_manager *core);

/// Marks the manager as ended: calls, and views of its columns, raise 'why' from now on. The caller
/// ends the core. Allocates nothing.
void ct_bind_manager_destroyed(lua_State *L, ct_bind_manager *manager, const char *why);

/// Pushes the table that Lua keeps for the manager, or nil if there is none. Allocates nothing.
void ct_bind_recall_manager_table(lua_State *L, const ct_bind_manager *manager);

/// The same, but creates the table if there is none.
void ct_bind_push_manager_table(lua_State *L, const ct_bind_manager *manager);

/// Pushes the reason why a manager has ended, which it returns.
const char *ct_bind_push_reason(lua_State *L, const ct_bind_manager *manager);

/// Raises the reason why a manager has ended.
int ct_bind_raise_destroyed(lua_State *L, const ct_bind_manager *manager) CT_NORETURN;

/// Returns self of a method that every manager has. Raises if the manager has ended.
static inline ct_bind_manager *ct_bind_manager_self(lua_State *L) {
    ct_bind_manager *manager = (ct_bind_manager *)ct_bind_self_handle(L, &ct_bind_manager_kind);
    if (CT_UNLIKELY(manager->destroyed != NULL)) ct_bind_raise_destroyed(L, manager);
    return manager;
}

/// Raises that a method was called with a manager of another definition.
void ct_bind_raise_definition(lua_State *L) CT_NORETURN;

/// A method of one definition has one upvalue: the number of the definition. The upvalue of an
/// accessor is definition + CT_BIND_FIELD_STEP * field.
#define CT_BIND_FIELD_STEP 4294967296.0

/// Returns self of a method of one definition. Also raises for managers of other definitions.
static inline ct_bind_manager *ct_bind_own_self(lua_State *L) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    if (CT_UNLIKELY(manager->definition != lua_tonumber(L, lua_upvalueindex(1))))
        ct_bind_raise_definition(L);
    return manager;
}

/// The same for an accessor; stores the number of its field in *field.
static inline ct_bind_manager *ct_bind_own_accessor(lua_State *L, uint32_t *field) {
    ct_bind_manager *manager = ct_bind_manager_self(L);
    double number = lua_tonumber(L, lua_upvalueindex(1)); // any number after debug.setupvalue
    uint64_t bits = number >= 0 && number < 0x1p53 ? (uint64_t)number : UINT64_MAX;
    *field = (uint32_t)(bits >> 32);
    if (CT_UNLIKELY((uint32_t)bits != manager->definition ||
                    *field >= manager->core->field_count + ct_bind_is_hosted(manager)))
        ct_bind_raise_definition(L);
    return manager;
}

/// The two functions above for methods that change more than a row: they also raise in callbacks of
/// a restore.
ct_bind_manager *ct_bind_changing_manager(lua_State *L);
ct_bind_manager *ct_bind_own_changing(lua_State *L);

/// Raises "world is being destroyed" unless components can be created in the world.
void ct_bind_check_open(lua_State *L, const ct_world *world);

/// Pushes the world object of the manager object at index 'manager'.
void ct_bind_push_world(lua_State *L, int manager);

// ---------------------------------------------------------------- rows (target.c)

/// Returns the row of argument 'arg'. An entity costs one lookup; an instance is checked for
/// staleness. Raises with the entity and the manager if there is no row. For reading: a dying
/// entity is still valid inside its destroy callbacks.
ct_row ct_bind_check_target(lua_State *L, int arg, const ct_bind_manager *manager);

/// The same for writing: raises for a dying entity, and in callbacks of a restore.
ct_row ct_bind_check_live_target(lua_State *L, int arg, const ct_bind_manager *manager);

/// Self and argument 2 as a row, for the methods of one definition.
typedef struct ct_bind_target {
    ct_bind_manager *manager;
    ct_manager *core;
    ct_row row;
} ct_bind_target;

static inline ct_bind_target ct_bind_own_target(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_self(L);
    return (ct_bind_target){manager, manager->core, ct_bind_check_target(L, 2, manager)};
}

/// The same for writing.
static inline ct_bind_target ct_bind_own_live_target(lua_State *L) {
    ct_bind_manager *manager = ct_bind_own_self(L);
    return (ct_bind_target){manager, manager->core, ct_bind_check_live_target(L, 2, manager)};
}

typedef enum ct_bind_gc { CT_BIND_GC_DEATHS, CT_BIND_GC_ALL, CT_BIND_GC_SOME } ct_bind_gc;

/// Returns the kind of collection that argument 'arg' of gc requests: nil, "all", or a limit, which
/// is stored in *limit.
ct_bind_gc ct_bind_check_gc(lua_State *L, int arg, uint32_t *limit);

/// Raises that an entity is dead. 'place', if not 0, is its position in a list.
int ct_bind_raise_dead(lua_State *L, int arg, const ct_bind_manager *manager, ct_entity e,
                       uint32_t place);

/// Raises why an entity has no row: it is dead, or has no such component. 'place' as above.
int ct_bind_raise_no_row(lua_State *L, int arg, const ct_bind_manager *manager, ct_entity e,
                         uint32_t place);

/// Returns the number of the field that argument 'arg' names. Raises with the nearest name.
uint32_t ct_bind_check_field(lua_State *L, int arg, const ct_manager *core);

/// Pushes the instance of a row, or nil for CT_NO_ROW, and marks the instance as handed out.
/// Returns 1.
int ct_bind_push_instance(lua_State *L, ct_manager *manager, ct_row row);

/// Raises "stale NAME instance".
int ct_bind_raise_stale(lua_State *L, int arg, const ct_bind_manager *manager) CT_NORETURN;

// ---------------------------------------------------------------- methods

// Methods that all managers have.
extern const luaL_Reg ct_bind_common_methods[];           // manager.c: lookup, destroy, gc, others
extern const luaL_Reg ct_bind_component_create_methods[]; // manager_create.c
extern const luaL_Reg ct_bind_field_methods[];            // manager_fields.c
extern const luaL_Reg ct_bind_bulk_methods[];             // bulk.c: many rows in one call
extern const luaL_Reg ct_bind_hook_methods[];             // hooks.c

/// Called before an operation that runs hooks. Raises if callbacks are nested too deeply or the
/// stack has no room for the hooks; if 'world' is not NULL (components will be created in it), also
/// if it is being cleared.
void ct_bind_prepare_hooks(lua_State *L, const ct_world *world);

/// Remove a row, or all rows of these entities, and run hooks; the second returns the number of
/// removed rows. Entities that are dead or have no row are skipped. Raise the first error of a hook
/// at the end.
void ct_bind_destroy_row(lua_State *L, ct_bind_manager *manager, ct_row row);
uint32_t ct_bind_destroy_all(lua_State *L, ct_bind_manager *manager, uint32_t count,
                             const ct_entity *owners);

/// Creates one component for each of these entities from the values at argument 3, like
/// create_many. Raises if an entity is dead or, unless the manager is 'multiple', already has the
/// component.
void ct_bind_create_for(lua_State *L, ct_bind_manager *manager, uint32_t count,
                        const ct_entity *owners);

/// Creates one component with these values for a living entity, and runs hooks. Returns CT_OK, or
/// the status of ct_manager_create. If a hook raises, removes the component and raises the error.
ct_status ct_bind_create_one(lua_State *L, const ct_bind_manager *manager, ct_entity e,
                             const ct_values *values);

/// Push a field of the target at argument 2, and return the number of values; write the values at
/// 'arg', 'arg' + 1, ... to it, and return 0. The number of fields, as 'field', stands for the
/// value that the binding keeps (attachment.h).
int ct_bind_read_field(lua_State *L, ct_bind_manager *manager, uint32_t field);
int ct_bind_write_field(lua_State *L, ct_bind_manager *manager, uint32_t field, int arg);

/// m:FIELD(target) and m:set_FIELD(target, ...): closures over a definition and a field.
int ct_bind_get_field(lua_State *L);
int ct_bind_set_field(lua_State *L);

/// Raises the error of a failed call of the core, or the reason if the manager has ended.
int ct_bind_manager_fail(lua_State *L, const ct_bind_manager *manager,
                         ct_status status) CT_NORETURN;

/// Returns 0, the number of results, if the status is CT_OK; else raises like ct_bind_manager_fail.
int ct_bind_manager_finish(lua_State *L, const ct_bind_manager *manager, ct_status status);

// ---------------------------------------------------------------- many rows (bulk.c)

/// Writes the value at 'arg', in a form of create_many, to a writable field of these rows in order;
/// CT_NO_ROW is skipped. Ends the parse. Writes all or nothing: raises if the value is invalid.
/// Pushes 'count' and returns 1.
int ct_bind_write_rows(lua_State *L, const ct_bind_parse *g, const ct_bind_manager *manager,
                       uint32_t field, uint32_t count, const ct_row *rows, int arg);

/// Returns the number of the field that argument 'arg' names. The name may also be a part of the
/// pose of a transform, such as world_position; the numbers of these parts follow the fields.
/// Stores the number of values in *lanes. Raises with the nearest name.
uint32_t ct_bind_check_readable(lua_State *L, int arg, const ct_manager *core, uint32_t *lanes);

/// The same for a writable field; local_angle is the only writable part of a pose.
uint32_t ct_bind_check_writable(lua_State *L, int arg, const ct_manager *core);

/// Appends the values of such a field in a row after item *place of the table at 'table'. Stores
/// false for no entity, for nil, and for each lane of CT_NO_ROW. Creating strings may run
/// finalizers.
void ct_bind_read_row(lua_State *L, int table, int *place, ct_manager *manager, uint32_t field,
                      uint32_t lanes, ct_row row);

#endif
