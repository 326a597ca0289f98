// What the rooms of the binding share: its objects, and the check_ and push_ functions.
// Knows nothing of how the core keeps its data. Longer than 150 lines: one header for the
// floor, so that no room has to guess what another already checks.
#ifndef BIND_H
#define BIND_H

#include "bind/compat.h"
#include "entity/entity_manager.h"
#include "world/world.h"

// Every object a script holds is a full userdata. Entity managers, worlds and
// component managers have a metatable each, whose methods are closures over the
// object: checking self is one pointer comparison (the cheapest safe check there
// is, see ct_bind_self), and an object whose core is gone says so by name.

/// One per Lua state, in the registry; lives until the state closes.
typedef struct ct_bind_state {
    uint32_t epochs;        ///< counter of all stores of this state
    uint32_t callbacks;     ///< of keepers (keeper.h) that run inside one another
    ct_allocator allocator; ///< of the host (host.h), or malloc
#if defined(CT_TEST) && CT_TEST
    ct_allocator host; ///< the same; 'allocator' may fail before it is asked
    int64_t fail_in;   ///< that many more allocations succeed, then one fails; < 0: all succeed
#endif
} ct_bind_state;

ct_bind_state *ct_bind_state_of(lua_State *L);

typedef struct ct_bind_world ct_bind_world;

/// The script's EntityManager. Its environment table keeps its callbacks.
typedef struct ct_bind_entities {
    ct_entity_manager core; ///< first: compiled loops read it
    ct_bind_world *worlds;  ///< all living worlds over it
    uint32_t world_number;  ///< names worlds: world1, world2, ...
    bool alive;             ///< initialised and not collected
    bool collected;         ///< in the middle of a destroy, whose end will free it
    bool trace;             ///< deaths are noted with the place in the script
} ct_bind_entities;

/// A component manager as scripts see it.
typedef struct ct_bind_manager {
    ct_manager *core;             ///< NULL once it is gone
    ct_manager *block;            ///< the same, but its memory stays as long as this object:
                                  ///< names can be told even when a finalizer ended the manager
    ct_bind_world *world;         ///< kept alive through the environment table
    void *own;                    ///< of its type; in the environment table, or NULL
    const char *gone;             ///< what calls raise then; in the environment table or static
    struct ct_bind_manager *next; ///< of the same world
} ct_bind_manager;

struct ct_bind_world {
    ct_world core;
    ct_bind_entities *entities; ///< kept alive through the environment table
    ct_bind_manager *managers;
    ct_bind_world *next;          ///< of the same entity manager
    bool alive;                   ///< initialised and not destroyed
    uint32_t busy;                ///< callbacks, batches and spawns of it that are running
    struct ct_bind_level *levels; ///< those it keeps (level.c), the youngest first
    uint32_t level_count;
    uint32_t level_limit; ///< from this many on the list is looked through for dead ones
    uint32_t level_serial;
    ct_round_watch level_watch; ///< while it keeps levels
    uint32_t attach_token;      ///< of the listener that attached tables need, or 0
    char name[64];
};

// ---------------------------------------------------------------- objects (object.c)

/// Pushes a new userdata of 'bytes' zeroed bytes with a metatable and an
/// environment of its own. Methods become closures whose first upvalue is the object.
/// 'gc' and 'tostring' may be NULL. The methods table is left out of the stack;
/// ct_bind_push_methods gets it back.
void *ct_bind_object_new(lua_State *L, size_t bytes, const luaL_Reg *methods, lua_CFunction gc,
                         lua_CFunction tostring);

/// Whether the value at 'index' is such an object, of the kind that 'gc' finalizes.
bool ct_bind_is_object(lua_State *L, int index, lua_CFunction gc);

/// Pushes a new table with weak values: it leads to objects without keeping them.
void ct_bind_push_weak_table(lua_State *L);

/// Pushes the table of methods of the object at 'index'.
void ct_bind_push_methods(lua_State *L, int index);

/// Adds methods to the object at 'index'; ones with the same name are replaced.
void ct_bind_add_methods(lua_State *L, int index, const luaL_Reg *methods);

/// The object a method was called on: argument 1, compared with upvalue 1.
/// Raises "NAME expected, got ..." for anything else (also '.' written for ':').
static inline void *ct_bind_self(lua_State *L, const char *name);
void *ct_bind_self_error(lua_State *L, const char *name) CT_NORETURN;

static inline void *ct_bind_self(lua_State *L, const char *name) {
    void *self = lua_touserdata(L, lua_upvalueindex(1));
    if (CT_LIKELY(lua_touserdata(L, 1) == self)) return self;
    return ct_bind_self_error(L, name);
}

/// A class of objects that share one metatable, in the registry under 'key'
/// (an address). Methods are plain functions that use ct_bind_check_class.
void ct_bind_class_new(lua_State *L, const void *key, const char *name, const luaL_Reg *methods,
                       lua_CFunction gc, lua_CFunction tostring);

/// A new zeroed userdata of a class.
void *ct_bind_class_object(lua_State *L, const void *key, size_t bytes);

/// The payload of argument 'arg' if it is of the class, else NULL.
void *ct_bind_test_class(lua_State *L, int arg, const void *key);

/// The same; raises "NAME expected, got ...".
void *ct_bind_check_class(lua_State *L, int arg, const void *key, const char *name);

// ---------------------------------------------------------------- arguments (check.c)

/// Argument 'arg' as an entity of any age: a light userdata with tag 1.
/// Raises "entity expected, got ..." naming what it was.
ct_entity ct_bind_check_entity(lua_State *L, int arg);

/// The value at 'index' if it is an entity. Does not raise.
bool ct_bind_to_entity(lua_State *L, int index, ct_entity *out);

/// What a value is, for messages: "nil", "number", "light userdata with tag 0".
const char *ct_bind_type_name(lua_State *L, int index);

/// Raises "bad argument #ARG to 'f' (entity(1:0) is dead ...)" unless it is
/// alive. 'names' may be NULL: a debug_name manager that can say who lives there now.
void ct_bind_check_alive(lua_State *L, int arg, ct_entity e, const ct_entity_manager *entities,
                         const ct_manager *names);

/// Pushes "entity(INDEX:GENERATION)".
void ct_bind_push_entity_name(lua_State *L, ct_entity e);

/// Pushes "entity(7:0) is dead (index now entity(7:1) "orc_12")" or what is true of it.
void ct_bind_push_dead(lua_State *L, ct_entity e, const ct_entity_manager *entities,
                       const ct_manager *names);

/// Pushes where an entity was destroyed (" destroyed at game.lua:12"), or "". deaths.c
void ct_bind_push_trace(lua_State *L, const ct_entity_manager *core, ct_entity e);

/// A whole number in low .. high, both included; raises naming value and bounds.
double ct_bind_check_whole(lua_State *L, int arg, double low, double high);

/// A number that is not a NaN-boxed surprise: any lua_Number; NaN made quiet by the store.
float ct_bind_check_float(lua_State *L, int arg);

/// The options table at 'arg', or none or nil: answers whether there is one. Raises for
/// any other value and for keys that are not among the 'count' names.
bool ct_bind_check_options(lua_State *L, int arg, const char *const *names, uint32_t count);

/// Pushes "unknown WHAT 'NAME'", with " (did you mean 'NEAREST'?)" where one is near.
void ct_bind_push_unknown(lua_State *L, const char *what, const char *name,
                          const char *const *names, uint32_t count);

/// Raises bad argument #arg with the string on top of the stack.
int ct_bind_arg_error(lua_State *L, int arg) CT_NORETURN;

/// Raises what a status means: "not enough memory", "NAME is full (LIMIT rows)". Never returns.
int ct_bind_raise_status(lua_State *L, ct_status status, const char *what, uint32_t limit,
                         const char *unit) CT_NORETURN;

/// Pushes nil (0xFFFFFFFF) or the light userdata of an entity.
void ct_bind_push_entity(lua_State *L, ct_entity e);

/// The id at 'arg' of alive_id, row_of_id: a whole number in 0 .. 2^32-1; raises otherwise.
uint32_t ct_bind_check_id(lua_State *L, int arg);

/// The nearest of 'count' names to 'wanted', or NULL when none is near: for "did you mean".
const char *ct_bind_nearest(const char *wanted, const char *const *names, uint32_t count);

// ---------------------------------------------------------------- entity managers, lists

/// Argument 'arg' as an EntityManager object; raises otherwise.
ct_bind_entities *ct_bind_check_entities(lua_State *L, int arg);

/// Destroys entities for a script: callbacks run on L; when all have, the first
/// error one of them raised is raised again. Answers how many died. The EntityManager
/// object is at stack index 'entities' (of a world: ct_bind_push_world_entities). 'items' must
/// not move meanwhile: copy those of a list (ct_bind_pin_entity_array).
uint32_t ct_bind_destroy_entities(lua_State *L, int entities, uint32_t count,
                                  const ct_entity *items);

/// The same, but the error is left on the stack instead of raised (nil when there was
/// none): for callers that still have to finish, and for finalizers, which drop it.
uint32_t ct_bind_destroy_quietly(lua_State *L, int entities, uint32_t count,
                                 const ct_entity *items);

/// What ct_entity_manager_destroy is given as context, for destroy listeners of
/// the binding: call functions through ct_bind_call_listener.
typedef struct ct_bind_destroy {
    lua_State *L;
    int entities;   ///< stack index of the EntityManager object
    int error_slot; ///< stack index that receives the first error
} ct_bind_destroy;

/// ct_entity_manager_destroy with this context. An EntityManager that was collected meanwhile
/// (its finalizer may run in a callback when a state closes) is freed only now.
uint32_t ct_bind_destroy_now(const ct_bind_destroy *destroy, uint32_t count,
                             const ct_entity *items);

/// Calls the function and its 'arguments' on top of L; the first error of a destroy is kept.
void ct_bind_call_listener(ct_bind_destroy *destroy, int arguments);

/// A cuttle.list.
typedef struct ct_bind_list {
    ct_entity *items;
    uint32_t count;
    uint32_t capacity;
} ct_bind_list;

ct_bind_list *ct_bind_test_list(lua_State *L, int arg);

/// A new empty list on the stack.
ct_bind_list *ct_bind_list_new(lua_State *L);

/// Room for 'count' items; raises "not enough memory" with the list as it was.
void ct_bind_list_reserve(lua_State *L, ct_bind_list *list, uint32_t count);

/// Argument 'arg' (a Lua array of entities, or a cuttle.list) as a C array.
/// A table is copied into a userdata left on the stack (a list pushes itself), so
/// exactly one value is pushed and the array lives as long as it stays there. A list's
/// items move when the list grows: take them again after anything that may call Lua.
/// Raises when an item is no entity, naming its place.
const ct_entity *ct_bind_check_entity_array(lua_State *L, int arg, uint32_t *count);

/// The same, but a list is copied too: nothing a script does can move the items.
const ct_entity *ct_bind_pin_entity_array(lua_State *L, int arg, uint32_t *count);

// ---------------------------------------------------------------- worlds, managers

/// Argument 'arg' as a living world; raises "world expected" or "world is destroyed".
ct_bind_world *ct_bind_check_world(lua_State *L, int arg);

/// Pushes the manager object that argument 'arg' names, or is; of the world object at
/// index 'world'. Raises for unknown names (with the nearest one) and other values.
void ct_bind_push_named_manager(lua_State *L, int world, int arg);

/// Pushes the object of a core manager; the world object is at stack index 'world'.
void ct_bind_push_manager(lua_State *L, int world, const ct_manager *core);

/// Pushes the world object a manager belongs to; the manager object is at index 'manager'.
void ct_bind_push_world(lua_State *L, int manager);

/// Pushes the EntityManager object of the world object at index 'world'.
void ct_bind_push_world_entities(lua_State *L, int world);

/// self of a manager's method; raises when it is gone.
static inline ct_bind_manager *ct_bind_manager_self(lua_State *L);
int ct_bind_raise_gone(lua_State *L, const ct_bind_manager *manager) CT_NORETURN;

static inline ct_bind_manager *ct_bind_manager_self(lua_State *L) {
    ct_bind_manager *manager = ct_bind_self(L, "component manager");
    if (CT_UNLIKELY(manager->core == NULL)) ct_bind_raise_gone(L, manager);
    return manager;
}

/// Argument 'arg' as a row: an entity costs one lookup, an instance is checked
/// for staleness. Raises, naming entity and manager, when there is none. For reading: a dying
/// entity still answers inside its destroy callbacks.
ct_row ct_bind_check_target(lua_State *L, int arg, const ct_bind_manager *manager);

/// The same for writing: a dying entity is refused.
ct_row ct_bind_check_live_target(lua_State *L, int arg, const ct_bind_manager *manager);

/// The row of an instance number if it is one of this manager and not stale. Does not raise.
bool ct_bind_to_instance(const ct_manager *manager, double number, ct_row *out);

/// Pushes the instance of a row, or nil for CT_NO_ROW, and notes that it was handed out.
void ct_bind_push_instance(lua_State *L, ct_manager *manager, ct_row row);

/// The world's debug_name manager, for messages.
const ct_manager *ct_bind_names(const ct_bind_world *world);

/// Methods and quirks of a built-in manager beyond what all have.
typedef struct ct_bind_builtin {
    const char *name;
    const luaL_Reg *methods; ///< closures over the manager object, like all manager methods
} ct_bind_builtin;

extern const ct_bind_builtin ct_bind_builtins[]; // manager_types.c; ends with a name of NULL

// ---------------------------------------------------------------- levels (level.c, spawner.c)

/// world:spawn.
extern const luaL_Reg ct_bind_spawn_methods[];

/// Unloads all levels of the world object at index 'world'. Pushes the first error of a
/// destroy callback, or nil.
void ct_bind_unload_levels(lua_State *L, int world);

/// The world ends: forgets the levels it still keeps.
void ct_bind_drop_levels(ct_bind_world *world);

// ---------------------------------------------------------------- values (values.c)

/// Converts the Lua value at 'index' to an item as in ct_values (a string becomes a
/// ct_text whose bytes are the Lua string's: keep that anchored). On failure
/// pushes what was wrong ("expected 3 numbers, got 2") and answers false. 'item' has
/// CT_MAX_ITEM_BYTES. Does not raise, calls no metamethods.
bool ct_bind_value_to_item(lua_State *L, int index, const ct_field *field, void *item);

/// Pushes an item of a column as Lua values, one per lane (booleans, strings,
/// entities or nil); answers how many.
int ct_bind_push_item(lua_State *L, const ct_manager *manager, const ct_field *field,
                      const void *item);

/// Pushes an item as one value: vectors as arrays. For get, inspect, describe.
void ct_bind_push_item_value(lua_State *L, const ct_manager *manager, const ct_field *field,
                             const void *item);

/// Pushes a string of a pool. Making a Lua string may run a finalizer that frees
/// the very text that is being copied: here it cannot.
void ct_bind_push_string(lua_State *L, ct_string_pool *pool, ct_string string);

/// Reads arguments arg, arg + 1, ... as an item of a field; raises naming the argument.
void ct_bind_check_item(lua_State *L, int arg, const ct_field *field, void *item);

/// Values of all inputs of a manager for 'count' components, parsed from tables.
/// Lies in a userdata on the Lua stack, so that it is freed whatever raises.
typedef struct ct_bind_values {
    ct_values *values;    ///< one for each input of the manager
    ct_component_id *ids; ///< NULL: all automatic
    uint32_t count;
} ct_bind_values;

/// Parses the table (or nil) at 'index' as values of one component. Pushes one userdata
/// that holds them and answers it; on failure pushes the message ("hp: expected a
/// number, got string", "unknown field 'hpp' (did you mean 'hp'?)") and answers NULL.
/// Keeps no reference to the table's strings: the table must stay anchored.
ct_bind_values *ct_bind_values_parse_one(lua_State *L, int index, const ct_manager *manager);

/// Room for values that are used before anything in Lua is allocated.
typedef struct ct_bind_arena {
    unsigned char *next; ///< aligned as a double
    unsigned char *end;
} ct_bind_arena;

/// Room in a C frame for an arena.
typedef union ct_bind_room {
    double align;
    unsigned char bytes[3072];
} ct_bind_room;

/// The same as ct_bind_values_parse_one, into an arena and without a word: NULL with the stack as
/// it was when the arena is too small or anything is wrong, and then the caller parses again by the
/// slow way, which explains. When it succeeds nothing was allocated, so no finalizer ran, and
/// strings are not copied: use the values at once.
ct_bind_values *ct_bind_values_parse_quickly(lua_State *L, int index, const ct_manager *manager,
                                             ct_bind_arena *arena);

/// The same for set: only what is given, nothing is required, 'id' is no field.
ct_bind_values *ct_bind_values_parse_given(lua_State *L, int index, const ct_manager *manager);

/// The same for create_many: each value constant or per entity, see lua-api.md section 4.
ct_bind_values *ct_bind_values_parse_many(lua_State *L, int index, const ct_manager *manager,
                                          uint32_t count);

/// The same from 'count' separate tables, the array at 'index' (1-based); for the
/// compiler. *place is the number of the table at fault when NULL is answered.
ct_bind_values *ct_bind_values_parse_tables(lua_State *L, int index, const ct_manager *manager,
                                            uint32_t count, uint32_t *place);

// ---------------------------------------------------------------- rooms

// Each adds its functions to the module table on top of the stack.
void ct_bind_open_entity(lua_State *L);
void ct_bind_open_entity_manager(lua_State *L);
void ct_bind_open_list(lua_State *L);
void ct_bind_open_world(lua_State *L);
void ct_bind_open_column(lua_State *L);
void ct_bind_open_resource(lua_State *L);
void ct_bind_open_compile(lua_State *L);
void ct_bind_open_schema(lua_State *L);
void ct_bind_open_prove(lua_State *L);
void ct_bind_open_spawner(lua_State *L);

#endif
