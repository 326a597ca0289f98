// The C side of cuttle, for native modules of their own ("plugins"): types, and one table of
// functions. Knows nothing of how the core keeps its data. Longer than 150 lines: it is a whole
// manual.
#ifndef CUTTLE_H
#define CUTTLE_H

// C99 or C++11; includes nothing but the C library's headers; nothing is linked. A plugin is a Lua
// C module that fetches a table of functions from the cuttle.core that is loaded. A whole one, with
// a component type, and a compiler and a spawner for data of levels that has a form of its own:
//
//     #include <lua.h> // first: ct_api_get is declared when it was
//     #include <lauxlib.h>
//     #include "cuttle.h"
//
//     static const ct_api *api;
//
//     // mana:spend(target, amount) -> what is left
//     static int spend(lua_State *L) {
//         float amount = (float)luaL_checknumber(L, 3);
//         ct_manager *manager = api->self(L);
//         ct_row row = api->check_live_row(L, 2, manager);
//         float *points = (float *)api->column(manager, 0, NULL);
//         points[row.i] = ct_float_clean(points[row.i] - amount);
//         lua_pushnumber(L, points[row.i]);
//         return 1;
//     }
//
//     static const ct_component_field fields[] = {{.name = "points", .type = CT_FIELD_FLOAT}};
//     static const luaL_Reg methods[] = {{"spend", spend}, {NULL, NULL}};
//     static const ct_component mana = {
//         .size = sizeof(ct_component), // what is not set is 0
//         .name = "mana",
//         .fields = fields,
//         .field_count = 1,
//         .methods = methods,
//     };
//
//     // Compiler of the levels' "potion": (config, context) -> its bytes, here one
//     static int compile_potion(lua_State *L) {
//         luaL_checktype(L, 1, LUA_TTABLE);
//         lua_getfield(L, 1, "strength");
//         lua_Number strength = lua_tonumber(L, -1);
//         if (!(strength >= 1 && strength <= 255))
//             return luaL_error(L, "strength: expected a number from 1 to 255");
//         const char byte = (char)(unsigned char)strength;
//         lua_pushlstring(L, &byte, 1);
//         return 1;
//     }
//
//     // Spawner of them: (entity_lookup, num_instances, entity_index, data)
//     static int spawn_potions(lua_State *L) {
//         uint32_t count;
//         const ct_entity *lookup = api->check_entities(L, 1, &count);
//         int potions = (int)lua_tonumber(L, 2);
//         ct_world *world = api->check_world(L, lua_upvalueindex(1));
//         ct_manager *manager = api->find_manager(world, "mana");
//         if (manager == NULL || api->own(manager, &mana) == NULL)
//             return luaL_error(L, "mana was defined again");
//         for (int i = 1; i <= potions; ++i) {
//             lua_rawgeti(L, 3, i);
//             lua_rawgeti(L, 4, i);
//             const ct_entity *owner = &lookup[(uint32_t)lua_tonumber(L, -2)];
//             const float points = (unsigned char)lua_tostring(L, -1)[0];
//             const ct_values values = {&points, 0};
//             ct_row row;
//             api->check_status(L, api->add_values(manager, 1, owner, 1, &values, &row), "mana");
//             lua_pop(L, 2);
//         }
//         return 0;
//     }
//
//     // mana.define(world) -> manager
//     static int define(lua_State *L) {
//         api->define(L, 1, &mana);
//         lua_getfield(L, 1, "register_spawner");
//         lua_pushvalue(L, 1);
//         lua_pushliteral(L, "potion");
//         lua_pushvalue(L, 1);
//         lua_pushcclosure(L, spawn_potions, 1);
//         lua_call(L, 3, 0);
//         return 1;
//     }
//
//     int luaopen_mana(lua_State *L);
//
//     int luaopen_mana(lua_State *L) {
//         ct_api_keep(L, &api);
//         lua_newtable(L);
//         lua_pushcfunction(L, define);
//         lua_setfield(L, -2, "define");
//         lua_pushcfunction(L, compile_potion);
//         lua_setfield(L, -2, "compile_potion");
//         return 1;
//     }
//
// What it defines is created, looked up, compiled and spawned like any other component. Compilers
// and spawners are C functions in the places of Lua's: they get and answer what the manual of
// compiler:register and world:register_spawner tells, and raise what is wrong. A script says:
//
//     -- in Lua
//     local mana = require "mana"
//     mana.define(world)
//     compiler:register("potion", mana.compile_potion)
//
// A component type with callbacks and storage of its own, and how it is described in C++11, is in
// examples/plugins.
//
// Rules that every function keeps, and asks to be kept:
//
// - Pointers to ct_manager, ct_world, ct_entity_manager, columns and lists are good during one
//   call from Lua, until Lua is called again: any allocation of Lua (lua_push... of a string or a
//   closure, lua_newtable, lua_newuserdata, luaL_checknumber of a string) may run a finalizer that
//   destroys the world. So allocate in Lua first, then ask for self, then work. Between calls
//   keep the Lua object (in the registry), never the pointer; save that a manager's own block may
//   keep the manager, and its entity manager, from 'opened' to 'closed'. None may be NULL.
// - Rows are good until components of that manager are removed, or its rows sorted. Keep entities.
// - Arrays and texts that a function is given are read during the call, and copied where they are
//   kept: they stay the caller's. What a function returns a pointer to is the core's, is never
//   freed by the caller, and for reading unless it says otherwise. Only memory from 'reallocate'
//   is the plugin's to give back.
// - Functions that take L may raise, which jumps over C frames: hold no memory then that only a C
//   variable knows, and no C++ object with a destructor. Functions without L never raise, and never
//   run code of scripts.
// - What a function is given is looked at: a row or field that is not there, a manager of another
//   kind, a value that its field cannot hold are answered by CT_ERR_DATA, NULL, 0, false,
//   CT_NO_ROW or CT_NO_FIELD, and nothing has changed. Pointers and counts are believed.
// - A call costs O(1) and allocates nothing, in Lua or elsewhere, where nothing else is said.
// - Lengths are in the game's own unit, angles in radians, rotations x, y, z, w. Matrices have 16
//   numbers, column by column, and turn columns: world = parent's world x local. Rows, fields,
//   nodes, cells and texts count from 0; sizes and strides are bytes.
// - Nothing may throw through the core.
// - LuaJIT builds values out of numbers: a crafted NaN in a float column, read by a compiled loop,
//   is a forged pointer. A plugin therefore writes no NaN but the quiet one into float and double
//   columns and items: pass what may be NaN through ct_float_clean or ct_double_clean. Poses that
//   are set are cleaned.
// - Likewise: an entity column holds ids of 30 bits or CT_NOBODY, a bool 0 or 1, an enum the number
//   of a label, and a string column is only read (write goes through api->write).
//
// Threads: everything here belongs to the thread of its Lua state; which thread calls is not
// checked. States in other threads may open and use the same plugin meanwhile: its static data is
// constant, but for what ct_api_keep sets. While the state's thread waits in a function of the
// plugin, and calls nothing itself, worker threads may
//
// - read and write through pointers to columns, 'owners' and cells of grids that it has fetched
//   before, where no two touch the same item and one of them writes; and
// - call alive, entities, count, find, find_many, next, owners, own, find_field, field_count,
//   field_type, text, grid_cells, grid_cell and grid_solid, as long as no thread changes what they
//   look at.
//
// Nothing else: 'column', 'world_matrix' and others that only seem to read work out what is due.
//
// Callbacks are called by the core in the middle of its work:
//
//     opened, closed                        the calls that read, reallocate, listen, unlisten
//     created, removing, moved, written,
//     restore, from_bytes                   the calls that read, reallocate
//     bytes, validate, save, to_bytes       the calls that read
//     a ct_destroy_fn                       the calls that read, reallocate; listen and unlisten
//
// The calls that read are own, entities, alive, count, find, find_many, next, owners, find_field,
// field_count, field_type, column and text. Calls that would change something (create, add,
// add_values, remove, write, gc, link, poses, cells) change nothing in callbacks of a component and
// return CT_ERR_DATA, gc 0. A callback has no L, and may not get one elsewhere: nothing that takes
// L is called from it.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lua_State;
struct luaL_Reg;

// ---------------------------------------------------------------- version

// Another major version is another table. Minor versions only fill reserved places and add to the
// end of the table, so that a plugin runs with every cuttle.core of its major version that is not
// older than its header.
#ifndef CT_API_MAJOR
#define CT_API_MAJOR 1
#endif
#ifndef CT_API_MINOR
#define CT_API_MINOR 6
#endif
#define CT_API_VERSION (CT_API_MAJOR * 65536u + CT_API_MINOR)

// ---------------------------------------------------------------- what a function may answer

/// The object it was called on is as it was before the call whenever the answer is not CT_OK.
typedef enum ct_status {
    CT_OK = 0,
    CT_ERR_MEMORY, ///< the allocator returned NULL
    CT_ERR_FULL,   ///< a hard limit (entities, rows, fields) would be crossed
    CT_ERR_EXISTS, ///< there is one already, and only one is allowed
    CT_ERR_CYCLE,  ///< the link would make a node its own ancestor
    CT_ERR_DATA,   ///< what was given cannot be taken, or nothing may be changed now
    CT_ERR_OVER    ///< the world or entity manager has ended
} ct_status;

// ---------------------------------------------------------------- entities

// The id (Bitsquid part 1, "The EntityManager"), and how it travels in a pointer, which in Lua is a
// light userdata:
//
//     id       31 30 29         22 21                                   0
//              [0  0][ generation ][               index               ]
//
//     pointer  31                                                 2 1 0
//              [                     id                            ][01]
//
// Tag 01 in the two low bits says "entity"; the bits above 31 are 0. A raw pointer is aligned and
// so has tag 00; 10 and 11 belong to the host engine.

#define CT_ENTITY_INDEX_BITS 22u
#define CT_ENTITY_INDEX_MASK ((1u << CT_ENTITY_INDEX_BITS) - 1u)
#define CT_ENTITY_GENERATION_BITS 8u
#define CT_ENTITY_GENERATION_MASK ((1u << CT_ENTITY_GENERATION_BITS) - 1u)
#define CT_ENTITY_TAG 1u
#define CT_MAX_ENTITIES (1u << CT_ENTITY_INDEX_BITS)

/// No entity: outside the 30 bits, so that 0 is a valid id.
#define CT_NOBODY 0xFFFFFFFFu

/// An entity, alive or not: a weak reference.
typedef struct ct_entity {
    uint32_t id;
} ct_entity;

static inline ct_entity ct_entity_make(uint32_t index, uint32_t generation) {
    ct_entity e;
    e.id = index | generation << CT_ENTITY_INDEX_BITS;
    return e;
}

static inline uint32_t ct_entity_index(ct_entity e) { return e.id & CT_ENTITY_INDEX_MASK; }

/// 0 .. 255 for an id; 1023 for CT_NOBODY, which therefore matches no entity.
static inline uint32_t ct_entity_generation(ct_entity e) { return e.id >> CT_ENTITY_INDEX_BITS; }

/// Whether a number is an id at all: 30 bits and no more.
static inline bool ct_entity_is_id(uint32_t id) { return id >> 30 == 0; }

// ---------------------------------------------------------------- rows, items

/// A row: the 0-based place of a component in its manager's columns. In Lua an instance stands for
/// it, which goes stale when rows move.
typedef struct ct_row {
    uint32_t i;
} ct_row;

/// No row. Not 0, which is a row.
#define CT_NO_ROW 0xFFFFFFFFu

/// No field of that name.
#define CT_NO_FIELD 0xFFFFFFFFu

/// Components that a manager can hold.
#define CT_ROW_BITS 22u
#define CT_MAX_ROWS (1u << CT_ROW_BITS)

/// Types of fields, with what an item of a column is. New types are added at the end.
typedef enum ct_field_type {
    CT_FIELD_FLOAT,
    CT_FIELD_DOUBLE,
    CT_FIELD_INT8,
    CT_FIELD_UINT8,
    CT_FIELD_INT16,
    CT_FIELD_UINT16,
    CT_FIELD_INT32,
    CT_FIELD_UINT32,
    CT_FIELD_BOOL, // one byte, 0 or 1
    CT_FIELD_VEC2, // floats, from here to COLOR
    CT_FIELD_VEC3,
    CT_FIELD_VEC4,
    CT_FIELD_QUAT,   // x, y, z, w
    CT_FIELD_MAT4,   // column-major
    CT_FIELD_COLOR,  // r, g, b, a
    CT_FIELD_ENTITY, // ct_entity, CT_NOBODY for none
    CT_FIELD_STRING, // ct_string
    CT_FIELD_ENUM,   // one byte, the number of a label
    CT_FIELD_VALUE,  // any value of a script: no column
    CT_FIELD_DVEC2,  // doubles, as DVEC3 (from version 1.6)
    CT_FIELD_DVEC3,
    CT_FIELD_TYPE_COUNT
} ct_field_type;

/// A string in a column: a number that api->text turns into bytes. 0 is "".
typedef struct ct_string {
    uint32_t ref;
} ct_string;

/// A text: any bytes, NUL included. One that is given needs no NUL behind it, and is copied.
typedef struct ct_text {
    const char *bytes;
    uint32_t length;
} ct_text;

/// Values of one field for rows that are being created. Items look like a column's, except that a
/// string is a ct_text, and so is a value: the bytes that levels hold of it
/// (storage/value_bytes.h), none for nil; each row gets its own copy. NaNs are the one quiet NaN.
typedef struct ct_values {
    const void *items; ///< NULL: the default for all
    uint32_t stride;   ///< bytes from one row's item to the next; 0: one item for all rows
} ct_values;

/// Position, rotation (x, y, z, w) and scale, applied scale first.
typedef struct ct_pose {
    float position[3];
    float rotation[4];
    float scale[3];
} ct_pose;

/// Changes of world poses of transforms since the last call for a watch.
typedef struct ct_changed_poses {
    /// Each at most once, in no order: entities whose world pose was computed again (maybe to the
    /// same pose), that got a transform, or lost it, also by death. An entity without a row in the
    /// manager of transforms was removed; it may be listed twice, or for the first time. Rows that
    /// move are not listed. Valid until the next call for the watch, or its end.
    const ct_entity *entities;
    uint32_t count;
    /// Anything may have changed, and nothing is listed: look at all rows. So it is the first time,
    /// after a restore of a snapshot, when a world is cleared or all with a transform have died,
    /// and where a list would be longer than the rows are, or found no memory.
    bool all;
} ct_changed_poses;

/// Cells of a grid, and how wide and high each is in the space of its entity.
typedef struct ct_grid_size {
    uint32_t width, height;
    float cell_width, cell_height;
} ct_grid_size;

/// A cell of a grid, counted from 0, and its number; 0: empty.
typedef struct ct_grid_cell {
    uint32_t x, y, value;
} ct_grid_cell;

/// The cell that stops a ray.
typedef struct ct_grid_hit {
    uint32_t x, y, value;
    double px, py; ///< where the ray comes into the cell
} ct_grid_hit;

/// 'x', or for any NaN the one quiet NaN that columns may hold. Looks at bits: -ffast-math does not
/// take it away.
static inline float ct_float_clean(float x) {
    uint32_t bits, quiet = 0x7FC00000u;
    memcpy(&bits, &x, sizeof bits);
    bool is_nan = (bits & 0x7FFFFFFFu) > 0x7F800000u;
#if defined(__GNUC__)
    is_nan = __builtin_expect(is_nan, false);
#endif
    if (is_nan) memcpy(&x, &quiet, sizeof x);
    return x;
}

static inline double ct_double_clean(double x) {
    uint64_t bits, quiet = 0x7FF8000000000000u;
    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7FFFFFFFFFFFFFFFu) > 0x7FF0000000000000u) memcpy(&x, &quiet, sizeof x);
    return x;
}

// ---------------------------------------------------------------- objects

/// Issues entity ids and tracks which are alive; what scripts hold as EntityManager.
typedef struct ct_entity_manager ct_entity_manager;

/// A set of component managers; what scripts hold as world.
typedef struct ct_world ct_world;

/// A component manager: built-in, defined by a script, or by a plugin.
typedef struct ct_manager ct_manager;

/// A checked level file; what scripts hold as Resource.
typedef struct ct_resource ct_resource;

/// What one spawn of a resource brought to life; what scripts hold as Level.
typedef struct ct_level ct_level;

/// Entities of a level that was brought to a newer version of its resource.
typedef struct ct_patch_counts {
    uint32_t added;   ///< spawned
    uint32_t removed; ///< destroyed
    uint32_t changed; ///< in place: fields written, components added or removed
    uint32_t moved;   ///< linked elsewhere
    uint32_t left;    ///< with other data for a spawner, which is not called again for them
} ct_patch_counts;

/// How often some kind of work was done, and how long it took.
typedef struct ct_work_time {
    uint64_t calls;
    uint64_t nanoseconds;
} ct_work_time;

/// Called for each entity that dies, from inside destroy, one after another. The entity is no
/// longer alive, but until all callbacks have returned every manager still answers for it: its rows
/// go later, with gc. May create and destroy nothing and may not call Lua. 'context' is the core's.
typedef void (*ct_destroy_fn)(void *user, void *context, ct_entity e);

// ---------------------------------------------------------------- a component type of a plugin

/// What the preset of an enum field is, which has to have one: its labels, of 1 to 63 bytes each,
/// at most 256, and which of them is the default. To scripts, in level source and in resources
/// values are labels, in columns and ct_values one byte each, the label's number.
typedef struct ct_enum {
    const char *labels; ///< one behind the other, each with a zero byte behind it, and one more at
                        ///< the end: "idle\0run\0"
    uint32_t preset;    ///< number of the default; the first label is 0
} ct_enum;

/// One field.
typedef struct ct_component_field {
    const char *name;   ///< an identifier of at most 63 letters; not "id", not "entity"
    ct_field_type type; ///< decides what its items are
    bool read_only;     ///< column views may not write it; setters may
    bool required;      ///< must be given when a component is created
    const void *preset; ///< default item (of a string: a ct_text; of an enum: a ct_enum), or NULL:
                        ///< 0, false, "", CT_NOBODY, identity, white
} ct_component_field;

/// An entity may have several; each has an id, as in a manager defined with 'multiple'.
#define CT_COMPONENT_MULTIPLE 1u
/// Look-up through a direct array by entity index instead of a hash: for components that almost
/// every entity has.
#define CT_COMPONENT_ARRAY 2u

/// A component type. api->define makes a manager of it in a world, and that manager has all that
/// managers have: create, look up, set, views, join, gc, validate, inspect, compile, spawn. Its
/// values are its fields; what is derived from them, or too odd for columns, is its own.
///
/// Lives, with all that it points at, as long as the process, as static data of the plugin does:
/// its address is what tells it from other types. 'size' is sizeof(ct_component), set by the
/// plugin; what lies beyond counts as 0. What is not used is 0.
///
/// Rows are consistent when callbacks run; the functions that they may call are listed above. They
/// must not use Lua, and must not throw. 'own' is the manager's block of own_bytes. They run inside
/// creating, removing and writing: make them O(rows that they are called for).
typedef struct ct_component {
    uint32_t size;
    uint32_t flags;   ///< CT_COMPONENT_...
    const char *name; ///< an identifier of at most 63 letters, of no built-in component
    const ct_component_field *fields;
    uint32_t field_count; ///< at most 60
    uint32_t own_bytes;   ///< of a zeroed block in each manager, aligned to 16, never moved; at
                          ///< most 2^30

    /// Methods of the manager object, ended by {NULL, NULL}, or NULL. They begin with
    /// api->self(L). One called like a method of all managers, or like a field, takes its place.
    const struct luaL_Reg *methods;

    /// The manager is there, without rows. False: out of memory, and there is no manager; 'closed'
    /// is not called.
    bool (*opened)(void *own, ct_manager *manager);
    /// The manager ends. Its rows were removed, with a call of 'removing' each. Frees what is held.
    void (*closed)(void *own, ct_manager *manager);
    /// Rows first .. first + count - 1 were added and filled, texts too: by create, world:create,
    /// spawn, restart or api->add; once for all of them, always the last rows. Other components of
    /// the same entities may be there already, or come later in the same call. False: out of
    /// memory, own data as before, and nothing is created; 'removing' is not called for them. Where
    /// something else fails later in the same call, they are taken back as 'removing', from the
    /// last to the first.
    bool (*created)(void *own, ct_manager *manager, ct_row first, uint32_t count);
    /// Called before a row is removed; its items can still be read. Releases what is held for the
    /// row. Its owner may be dead, and is CT_NOBODY if the entity's index was reused. Then, unless
    /// it was the last row, the last row takes its place, and 'moved' is called. Also called for
    /// all rows, from the last to the first and without 'moved', when the world is cleared or ends,
    /// or gc finds all owners dead: then count and find still include rows of earlier calls. Cannot
    /// fail.
    void (*removing)(void *own, ct_manager *manager, ct_row row);
    /// Called right after 'removing' of row 'to'. All items of row 'from', the last one, were
    /// copied to 'to': what refers to the row 'from' is mended. find leads to 'to' already, count
    /// still counts 'from'. Never called with 'to' and 'from' the same: for the last row only
    /// 'removing' is called. Cannot fail.
    void (*moved)(void *own, ct_manager *manager, ct_row to, ct_row from);
    /// A script or api->write wrote this field of this row, or a spawn that overrides it, or a
    /// patch of a level; column views too, which therefore are not compiled for writing where this
    /// is not NULL. The item is the new one. Not called for rows that 'created' is called for, for
    /// what a plugin writes through a pointer from api->column, nor for a restore. Cannot fail.
    void (*written)(void *own, ct_manager *manager, ct_row row, uint32_t field);
    /// Bytes held beside the rows and 'own', for memory().
    size_t (*bytes)(const void *own, const ct_manager *manager);
    /// Every invariant of own data, for validate(). False with the reason, NUL-terminated, in
    /// message[0 .. bytes - 1]. May take long.
    bool (*validate)(const void *own, const ct_manager *manager, char *message, size_t bytes);

    /// Own data in snapshots (from version 1.2). A component with own_bytes and without these two
    /// is refused by entities:snapshot. Copies what 'restore' needs, 'own' and all that hangs on
    /// it, to out[0 .. bytes - 1], and returns how many bytes that takes; 'out' is NULL while only
    /// that is asked, and aligned to 16. The answer is the same both times. Cannot fail.
    size_t (*save)(const void *own, const ct_manager *manager, void *out, size_t bytes);
    /// Own data as it was saved, maybe in another manager of this type. First with 'commit' false,
    /// while rows are those of now: takes the memory that will be needed; false: out of memory, and
    /// nothing has changed but for room. Then, if nothing else has failed, with 'commit' true, when
    /// the rows are those of then: cannot fail. 'created', 'removing' and 'moved' are not called.
    bool (*restore)(void *own, ct_manager *manager, const void *saved, size_t bytes, bool commit);

    /// Own data in saves (snapshot:tostring, from version 1.2): bytes that outlive the program, and
    /// come back on other hosts, from other versions of the plugin, or damaged by anybody. A
    /// component with own_bytes and without these two is refused by snapshot:tostring. (What a save
    /// is written from, and read into, are managers of its own: 'opened', 'restore', 'created' and
    /// 'closed' are called for those.) Copies what
    /// 'from_bytes' needs to out[0 .. size - 1], and returns how many bytes that takes; 'out' is
    /// NULL while only that is asked. The answer is the same both times. Cannot fail. A save has
    /// the components rows[0 .. count - 1], in this order, and no others: where it is read, rows[i]
    /// is row i. Give the bytes a version and an order (lowest byte first) of their own.
    size_t (*to_bytes)(const void *own, const ct_manager *manager, const ct_row *rows,
                       uint32_t count, void *out, size_t size);
    /// Own data as 'to_bytes' wrote it, or any other bytes, not aligned, in a new manager that has
    /// the rows of the save ('created' was told of them). False, with the reason in
    /// message[0 .. room - 1], when the bytes are not sound or memory ran out; the manager ends
    /// then. Where a save has no bytes for a component this is not called.
    bool (*from_bytes)(void *own, ct_manager *manager, const void *bytes, size_t size,
                       char *message, size_t room);

    /// Names of fields without the methods FIELD and set_FIELD, ended by NULL, or NULL (from
    /// version 1.5). A field with the name of a method of all managers must be one of them.
    const char *const *hidden;

    /// For what is to come. 0 in this version.
    void (*reserved[3])(void);
} ct_component;

/// A field with its preset (NULL: as ct_component_field.preset), neither read-only nor required: in
/// C++, whose designated initialisers are of C++20, what is not set is 0 all the same.
static inline ct_component_field ct_field_make(const char *name, ct_field_type type,
                                               const void *preset) {
    ct_component_field field;
    memset(&field, 0, sizeof field);
    field.name = name;
    field.type = type;
    field.preset = preset;
    return field;
}

/// A description with its size, and nothing but fields: what else it has is set afterwards, before
/// it is defined for the first time.
static inline ct_component ct_component_make(const char *name, const ct_component_field *fields,
                                             uint32_t field_count) {
    ct_component component;
    memset(&component, 0, sizeof component);
    component.size = sizeof component;
    component.name = name;
    component.fields = fields;
    component.field_count = field_count;
    return component;
}

// ---------------------------------------------------------------- levels

/// The id of a component of a manager that has several for an entity: a number from 1 to 2^30 - 1,
/// or a text; a number of 0 and no text ask for a number that the manager has never seen.
typedef struct ct_component_id {
    uint32_t number;
    ct_text text;
} ct_component_id;

/// The value of an input. It goes by name, so that it outlives a definition of its component.
typedef struct ct_override_value {
    const char *input;
    ct_field_type type;
    const void *item; ///< as in ct_values: a string is a ct_text; of an enum the label, a ct_text
} ct_override_value;

/// What a spawn makes different from its resource: one component of every entity with that path.
/// Where an entity may have several, the one with that id is replaced, fields not given being
/// defaults; without such a one it is appended. Else the fields given are set, others keep what the
/// resource has; who has no component gets one.
typedef struct ct_override {
    ct_text path;          ///< "bulb" or "lamp_7/bulb"; ends with a zero byte
    const char *component; ///< NULL: the path alone, which has to lead somewhere
    uint32_t place;        ///< counted from 1, of several under one path: for messages; else 0
    ct_component_id id;    ///< where there may be several; zero: none
    const ct_override_value *values;
    uint32_t value_count;
} ct_override;

/// How a level is spawned, and restarted: copied when it is made.
typedef struct ct_level_options {
    uint32_t size;       ///< sizeof(ct_level_options), set by the caller
    bool refuse_unknown; ///< a type that the world cannot spawn is an error, not skipped
    ct_entity parent;    ///< has a transform, the roots hang under it; or CT_NOBODY
    const ct_pose *pose; ///< composed with each root's; NULL for none
    const ct_override *overrides;
    uint32_t override_count;
} ct_level_options;

// ---------------------------------------------------------------- joins

typedef enum ct_query_role {
    CT_QUERY_REQUIRED, ///< its entity has a row there, which stood when the loop began
    CT_QUERY_EXCLUDED, ///< its entity has none at that step; rows there may come and go
    CT_QUERY_OPTIONAL  ///< CT_NO_ROW where there is none at that step
} ct_query_role;

typedef enum ct_query_step { CT_QUERY_ROW, CT_QUERY_END, CT_QUERY_MOVED } ct_query_step;

/// Managers a join can have.
#define CT_MAX_JOINED 8u

/// Memory of a join: on the caller's stack, dropped at any step.
typedef struct ct_join {
    uint64_t memory[64];
} ct_join;

// ---------------------------------------------------------------- the table

/// Lives as long as the process, and is the same for all Lua states: keep the pointer.
/// 'world', 'arg' and 'index' beside an L are places on its stack, from the end where they are
/// below 0. bad argument errors name the argument and what it was, as those of cuttle itself. What
/// is told of cost, errors and memory at the top of this file holds where nothing else is said.
typedef struct ct_api {
    uint32_t version; ///< CT_API_VERSION of the core
    uint32_t size;    ///< bytes of this table

    // ---- entities, to and from Lua

    /// The entity at 'arg', of any age: a light userdata with tag 1. Raises for all else.
    ct_entity (*check_entity)(struct lua_State *L, int arg);
    /// Whether there is one at 'index', which then is in *out. Never raises.
    bool (*to_entity)(struct lua_State *L, int index, ct_entity *out);
    /// Pushes it; nil for CT_NOBODY and other numbers that are no id.
    void (*push_entity)(struct lua_State *L, ct_entity e);
    /// The entities in the table or cuttle.list at 'arg', copied into a userdata that is pushed:
    /// good while that is on the stack. Raises, naming the place of what is none. O(entities);
    /// allocates in Lua.
    const ct_entity *(*check_entities)(struct lua_State *L, int arg, uint32_t *count);
    /// Pushes the cuttle.list at 'arg', or a new one when there is none or nil; raises for all
    /// else. A new one allocates in Lua: comes before the pointers that will be needed to fill it.
    void (*open_list)(struct lua_State *L, int arg);
    /// The cuttle.list at 'index' holds these entities and no others. Runs no finalizer; raises
    /// "not enough memory" with the list as it was. One that held as many before has room.
    /// 'entities' is copied: O(count).
    void (*fill_list)(struct lua_State *L, int index, uint32_t count, const ct_entity *entities);

    // ---- objects in arguments

    /// The world at 'arg'; raises "world expected, got ..." or "world is destroyed".
    ct_world *(*check_world)(struct lua_State *L, int arg);
    /// The EntityManager at 'arg'; raises otherwise.
    ct_entity_manager *(*check_entity_manager)(struct lua_State *L, int arg);
    /// In a method of ct_component: the manager it was called on. Raises when it was called on
    /// something else, and "world is destroyed" when that is so. A comparison of pointers.
    ct_manager *(*self)(struct lua_State *L);
    /// In such a method: the world of that manager. Raises as 'self' does.
    ct_world *(*self_world)(struct lua_State *L);

    // ---- who is alive

    /// The entity manager that a world is over; several worlds may be over one.
    ct_entity_manager *(*world_entities)(ct_world *world);
    /// Any 32 bits may be asked about. False for one in the middle of its destroy callbacks.
    bool (*alive)(const ct_entity_manager *entities, ct_entity e);
    /// 'count' new entities in out[0 .. count - 1]. CT_OK, CT_ERR_MEMORY, CT_ERR_FULL, CT_ERR_OVER;
    /// CT_ERR_DATA in callbacks; all or none. O(count); may allocate.
    ct_status (*create)(ct_entity_manager *entities, uint32_t count, ct_entity *out);
    /// Destroys those that are alive; returns how many. At 'index' is the world or EntityManager
    /// object. Callbacks of scripts run, and the first error of theirs is raised when all have
    /// died: 'entities' lies in a userdata of the stack. No pointer of before is good afterwards.
    /// O(count), and what callbacks cost; rows go with gc.
    uint32_t (*destroy)(struct lua_State *L, int index, uint32_t count, const ct_entity *entities);
    /// From now on fn(user, ...) is called for every death. *token takes it off again. CT_OK or
    /// CT_ERR_MEMORY. 'user' lives until then: listen in 'opened', unlisten in 'closed'. Those that
    /// came first are told first. A death costs O(listeners).
    ct_status (*listen)(ct_entity_manager *entities, ct_destroy_fn fn, void *user, uint32_t *token);
    /// Whether it was registered.
    bool (*unlisten)(ct_entity_manager *entities, uint32_t token);

    // ---- managers

    /// Pushes the manager object of this component type in the world at 'world', which is made if
    /// it is not there yet. A manager of another type with that name, also one that a script
    /// defined, is replaced when it has no rows; else it raises. What is wrong with a description
    /// raises and names it. The libraries of the description, its callbacks and its methods stay in
    /// memory from then on: worlds are collected after modules are unloaded. Allocates in Lua; for
    /// the start of a game, not for each frame.
    void (*define)(struct lua_State *L, int world, const ct_component *component);
    /// The manager of a name, built-in ones too, or NULL. O(managers).
    ct_manager *(*find_manager)(const ct_world *world, const char *name);
    /// The block of own_bytes of a manager of this type; NULL when it is of another.
    void *(*own)(const ct_manager *manager, const ct_component *component);
    /// The entity manager that the manager's world is over.
    ct_entity_manager *(*entities)(const ct_manager *manager);
    /// Memory from the host, as realloc gives it: block NULL for a new one, new_bytes 0 frees, NULL
    /// when there is none (the old block stays then). Aligned as malloc's. 'old_bytes' is what was
    /// asked for before. Belongs to the plugin, which frees it in 'closed' and counts it in
    /// 'bytes'.
    void *(*reallocate)(const ct_manager *manager, void *block, size_t old_bytes, size_t new_bytes);

    // ---- rows

    /// Rows, those of dead owners that gc has not taken yet included.
    uint32_t (*count)(const ct_manager *manager);
    /// The first row of a living (or just dying) entity, or CT_NO_ROW. Any 32 bits may be asked
    /// about. O(1).
    ct_row (*find)(const ct_manager *manager, ct_entity e);
    /// The same for many. O(count).
    void (*find_many)(const ct_manager *manager, uint32_t count, const ct_entity *entities,
                      ct_row *out);
    /// The next row of the same entity, or CT_NO_ROW; also for a row that is not there.
    ct_row (*next)(const ct_manager *manager, ct_row row);
    /// Owners by row, which may be dead; CT_NOBODY for a row that only waits for gc. For reading.
    /// Good as long as a column.
    const ct_entity *(*owners)(const ct_manager *manager);
    /// The row that 'arg' means, an entity or an instance, for reading. Raises, naming entity and
    /// manager, when there is none, when it is stale or its owner dead.
    ct_row (*check_row)(struct lua_State *L, int arg, ct_manager *manager);
    /// The same for writing: an entity in the middle of its destroy callbacks is refused too.
    ct_row (*check_live_row)(struct lua_State *L, int arg, ct_manager *manager);
    /// Pushes the instance of a row, a number, which goes stale when rows move; nil for CT_NO_ROW
    /// and a row that is not there.
    void (*push_instance)(struct lua_State *L, ct_manager *manager, ct_row row);
    /// Number of the field of that name, or CT_NO_FIELD. A plugin's own are numbered as declared.
    /// O(fields): keep the number, which stays the same as long as the manager.
    uint32_t (*find_field)(const ct_manager *manager, const char *name);
    /// Where the item of row 0 lies; NULL without rows, and of a value field. *stride, unless NULL
    /// is given, is the bytes from one row to the next: of a plugin's own fields the size of an
    /// item. Good until rows are created; items stay in their rows until rows are removed. The
    /// columns of transform are for reading, and up to date (in a batch: as they were before it);
    /// so are the numbers of grid. Items of all other managers may be written, without a call of
    /// 'written'. O(1); for transforms O(deaths since the last call).
    void *(*column)(ct_manager *manager, uint32_t field, uint32_t *stride);
    /// The text in a string field, or the label in an enum field, NUL-terminated; good until a
    /// string anywhere in the world is written or goes. In a value field the bytes that a level or
    /// a plugin gave (storage/value_bytes.h), until a script looks at what is made of them. Bytes
    /// are NULL otherwise. Copy what is needed for longer.
    ct_text (*text)(const ct_manager *manager, uint32_t field, ct_row row);
    /// As add_values, for an array without a length. Where the length is not certain, use
    /// add_values. 'values' has an item for each field of the component of a plugin, and of the
    /// built-in components for each value of this list, which never gets longer:
    ///
    ///     transform     position, rotation, angle, scale, matrix, parent
    ///     grid          width, height, cell_size, tiles, cells
    ///     point_mass    mass, position, velocity, acceleration
    ///     mesh          resource, color, visible
    ///     model         resource
    ///     debug_name    name
    ///
    /// CT_ERR_DATA for a component that a script defined, because the script may change its fields,
    /// unless 'values' is NULL: all defaults. The fields of another plugin's component may change
    /// with that plugin.
    ct_status (*add)(ct_manager *manager, uint32_t count, const ct_entity *owners,
                     const ct_values *values, ct_row *first);
    /// Removes one component; the last row takes its place. Lua values of value fields that are
    /// removed, or written over, are let go when a script next changes such a field or destroys
    /// something. CT_OK, or CT_ERR_DATA for a row that is not there, and of 'actor'. O(1); of a
    /// transform O(children).
    ct_status (*remove)(ct_manager *manager, ct_row row);
    /// Writes one field of one row through the manager; 'item' as in ct_values.
    /// CT_OK, CT_ERR_MEMORY (strings), CT_ERR_DATA when the manager refuses it, for NULL, and for a
    /// row or field that is not there. O(1), for a text O(its bytes); of a transform, what is
    /// below.
    ct_status (*write)(ct_manager *manager, uint32_t field, ct_row row, const void *item);
    /// Removes components of the dead, and returns how many: those that died since the last call
    /// and a few random looks, O(deaths); or all of them, O(rows). Rows move.
    uint32_t (*gc)(ct_manager *manager, bool all);

    // ---- transforms: 'transforms' is find_manager(world, "transform"). For other managers, and
    // rows that are not there, these return NULL, CT_ERR_DATA or CT_NO_ROW. Rows of the dead may
    // be asked about until gc; nothing is linked below one.
    //
    // Scripts choose when world poses are computed. Usually that is at once. In deferred mode
    // setters only mark rows, and world poses are those of the last propagate. In a script's batch
    // functions return the future world poses, and the column world_matrix has the former ones.

    /// 16 numbers, column-major, now. Good until the next call of any function. O(1); in a batch
    /// O(depth).
    const float *(*world_matrix)(ct_manager *transforms, ct_row row);
    /// Relative to the parent. Of a sheared matrix the nearest pose.
    ct_status (*local_pose)(ct_manager *transforms, ct_row row, ct_pose *out);
    /// CT_OK or CT_ERR_DATA. World poses of all below it follow: O(descendants), some 3 ns each.
    ct_status (*set_local_pose)(ct_manager *transforms, ct_row row, const ct_pose *pose);
    /// Makes 'child' the last child of 'parent', or a root for CT_NO_ROW. CT_OK; CT_ERR_CYCLE;
    /// CT_ERR_DATA when the world pose is to be kept and the parent's matrix has no inverse. O(1),
    /// of a child that has children O(depth), and world poses of what is below.
    ct_status (*link)(ct_manager *transforms, ct_row child, ct_row parent, bool keep_world);
    /// CT_NO_ROW for a root.
    ct_row (*parent)(ct_manager *transforms, ct_row row);

    // ---- errors

    /// Returns for CT_OK. For any other status raises what it means, in the words of cuttle: "not
    /// enough memory", "health is full (4194304 rows)". 'what' names the object.
    void (*check_status)(struct lua_State *L, ct_status status, const char *what);

    // ---- levels (from version 1.1). What is pushed is what scripts hold; 'world', 'resource' and
    // 'level' are places on the stack.

    /// Pushes the Resource that these bytes of a compiled level are, every one of them checked;
    /// 'name', or NULL, stands before messages. False with the message in its place when they are
    /// none. Raises "not enough memory". Bytes are copied: O(count).
    bool (*load)(struct lua_State *L, const void *bytes, size_t count, const char *name);
    /// Spawns the resource into the world, all or nothing, and pushes the Level; callbacks and
    /// spawners of scripts run. False with the message in its place. Raises for what is no world or
    /// Resource. O(bytes of the resource).
    bool (*spawn)(struct lua_State *L, int world, int resource, const ct_level_options *options);
    /// The Level at 'arg'; raises "Level expected, got ..." or "world is destroyed".
    const ct_level *(*check_level)(struct lua_State *L, int arg);
    /// Entities, those that have died since included; 0 when it is unloaded.
    uint32_t (*level_count)(const ct_level *level);
    /// Entity 'i' of the level, from 0 on, which may be dead by now; CT_NOBODY for others.
    ct_entity (*level_entity)(const ct_level *level, uint32_t i);
    /// The first living entity of that path, in the level's order, or CT_NOBODY in *out. CT_OK or
    /// CT_ERR_MEMORY: the first search of its kind makes an index, O(entities).
    ct_status (*level_find)(const ct_level *level, ct_text path, ct_entity *out);
    /// Destroys what is alive of the level; returns how many. Raises the first error of a callback,
    /// when all have died. O(entities).
    uint32_t (*unload)(struct lua_State *L, int level);
    /// Spawns the level again as it was spawned, then destroys its old entities. False with the
    /// message pushed: the level is as before. Raises the first error of a callback that was called
    /// for an old entity, when the level has the new ones.
    bool (*restart)(struct lua_State *L, int level);

    // ---- joins (from version 1.1)

    /// Begins a loop over the rows of the first of 1 to CT_MAX_JOINED managers of one entity
    /// manager, in their order, whose living owner has what the roles ask for of the others;
    /// 'roles' NULL: all are required, as the first one always is.
    void (*join)(ct_join *join, uint32_t count, ct_manager *const *managers,
                 const ct_query_role *roles);
    /// The next rows, one for each manager, into rows[0 ...]; CT_QUERY_END; or CT_QUERY_MOVED when
    /// the body did more than create, destroy, and remove the rows handed out. O(rows of the first
    /// manager) for a whole loop: the one with the fewest goes first.
    ct_query_step (*join_next)(ct_join *join, ct_row *rows);

    // ---- nodes of models (from version 1.2)

    /// As link, on a node of the parent's model, counted from 0: the child's world pose is the
    /// parent's x the node's matrix, as the last evaluate of models left it, x its local one.
    /// Besides CT_ERR_DATA when there is no such node or no parent, and CT_ERR_MEMORY. Costs as
    /// link.
    ct_status (*link_node)(ct_manager *transforms, ct_row child, ct_row parent, uint32_t node,
                           bool keep_world);

    // ---- snapshots (from version 1.2). 'entities', 'old' and 'snapshot' are places on the stack.

    /// Pushes the Snapshot of the EntityManager; in the memory of the one at 'old', unless that is
    /// 0. Raises what entities:snapshot raises. O(bytes of the state): about what copying takes.
    void (*snapshot)(struct lua_State *L, int entities, int old);
    /// Puts it back. Callbacks of scripts run. Raises what entities:restore raises, and its message
    /// for a save that does not fit. While functions of scripts are called for bodies that were
    /// added and removed, nothing may be changed: create, add, remove, write, link and
    /// set_local_pose return CT_ERR_DATA then, gc 0, and columns are for reading.
    void (*restore)(struct lua_State *L, int entities, int snapshot);
    /// What recorder:frame() and recorder:rewind(frames) do, for the Recorder at that place.
    void (*record)(struct lua_State *L, int recorder);
    uint64_t (*rewind)(struct lua_State *L, int recorder, uint64_t frames);

    // ---- saves (from version 1.2)

    /// Pushes the string of the Snapshot at that place. Raises what snapshot:tostring raises.
    void (*save_to_string)(struct lua_State *L, int snapshot);
    /// Pushes the Snapshot of such a string, which lies in memory, for 'restore'. False with the
    /// message pushed when it is not sound. Raises when memory runs out.
    bool (*save_from_string)(struct lua_State *L, const void *bytes, size_t count);

    // ---- living levels (from version 1.2)

    /// Brings the Level to the newer version of its resource that is the Resource at that place, as
    /// level:patch does; *counts (may be NULL) says what became of its entities. False with the
    /// message pushed, and nothing has changed. Callbacks of scripts run; raises the first error of
    /// a removal callback, when all is done.
    bool (*patch)(struct lua_State *L, int level, int resource, ct_patch_counts *counts);

    // ---- hashes, other versions of a component, timings (from version 1.3)

    /// What entities:hash() writes in hexadecimal, of the EntityManager at that place. O(rows).
    uint64_t (*hash)(struct lua_State *L, int entities);

    /// As 'define', and pushes behind the object of the manager a table of strings that say what
    /// was dropped. The new manager takes over the rows of one of that name with other fields, a
    /// script's or a plugin's, as world:define does with 'migrate': in their places, with what fits
    /// by name and type, and defaults. Raises, and all is as it was, where there are rows and one
    /// of the two keeps data of its own for them (own_bytes, created, removing, moved).
    void (*define_migrate)(struct lua_State *L, int world, const ct_component *component);

    /// world:profile(on): from now on the work of all managers is timed, from 0 on, or no longer.
    /// Without memory for the counters, nothing is timed.
    void (*profile)(ct_world *world, bool on);
    /// As world:timings(): the time of the kind of work that has this number, from 0 on, by
    /// a manager, or NULL: by the world for all of them. Returns the name of the kind, or NULL
    /// where the kinds end.
    const char *(*timing)(const ct_world *world, const ct_manager *manager, uint32_t kind,
                          ct_work_time *out);

    // ---- world poses, children (from version 1.4)

    /// Position, and the rotation and scale nearest to the world matrix: of a root, its own. O(1);
    /// in a batch, and below a scale of zero, O(depth).
    ct_status (*world_pose)(ct_manager *transforms, ct_row row, ct_pose *out);
    /// These set the local pose that gives what is wanted in the world. CT_ERR_DATA also when there
    /// is none, because the parent's world matrix has no inverse (a scale of zero above it).
    /// Rotations are of any length; all 0: no rotation. set_world_position keeps the local rotation
    /// and scale, set_world_rotation the local position and, as long as the parent's scale is even,
    /// the local scale. O(1), and what is below follows: O(descendants), some 3 ns each.
    ct_status (*set_world_position)(ct_manager *transforms, ct_row row, const float *position);
    ct_status (*set_world_rotation)(ct_manager *transforms, ct_row row, const float *rotation);
    ct_status (*set_world_pose)(ct_manager *transforms, ct_row row, const ct_pose *pose);

    /// The same for many, one after another in the order of 'rows', in one batch: a row that hangs
    /// below several of them is computed once. Items are ct_pose, or 3 or 4 floats, anywhere in
    /// memory: poses->items is the first, poses->stride bytes from one to the next, so that they
    /// may lie in the bodies of a physics library. Where a row is CT_NO_ROW, as find_many
    /// writes it for entities without a transform, its item is skipped. CT_OK; CT_ERR_MEMORY, or
    /// CT_ERR_DATA where another row is not there or items are NULL: then nothing has changed. A
    /// row below a scale of zero keeps its pose, and *refused (may be NULL) is how many did.
    /// O(count), O(depth) each where parents are among them or have moved in a batch around this
    /// one, and what is below, once.
    ct_status (*set_local_poses)(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                 const ct_values *poses);
    ct_status (*set_world_positions)(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                     const ct_values *positions, uint32_t *refused);
    ct_status (*set_world_rotations)(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                     const ct_values *rotations, uint32_t *refused);
    ct_status (*set_world_poses)(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                 const ct_values *poses, uint32_t *refused);

    /// Children in the order in which they were linked, the dead passed over: CT_NO_ROW for none.
    /// O(1), and O(dead among them).
    ct_row (*first_child)(ct_manager *transforms, ct_row row);
    ct_row (*next_sibling)(ct_manager *transforms, ct_row row);
    /// Living children; 0 for a row that is not there. O(children).
    uint32_t (*child_count)(ct_manager *transforms, ct_row row);

    // ---- world poses that changed (from version 1.4)

    /// Starts a watch, which records the world poses that change; *watch identifies it, and is not
    /// 0. CT_OK, CT_ERR_MEMORY, CT_ERR_OVER, or
    /// CT_ERR_DATA for other managers. Ends with the world, so that 'closed' has nothing to do.
    /// Watches are no part of snapshots and saves: 'save' and 'to_bytes' leave the number out,
    /// 'restore' leaves it as it is. Each watch costs 1 to 2 ns for a world pose that is computed,
    /// and some 12 bytes an entity; one that is not read any more soon costs nothing; and where
    /// there is none, nothing does.
    ct_status (*watch_poses)(ct_manager *transforms, uint32_t *watch);
    /// False when there is no such watch.
    bool (*unwatch_poses)(ct_manager *transforms, uint32_t watch);
    /// Writes the changes since the last call to *out. CT_OK, or CT_ERR_DATA when there is no such
    /// watch. Computes no poses: poses that a batch or deferred mode has not computed yet are
    /// listed when they are. The caller's own changes are listed too: after setting poses, call it
    /// once more and ignore the list, but not 'all'. O(changes + deaths since the last call);
    /// allocates nothing.
    ct_status (*changed_poses)(ct_manager *transforms, uint32_t watch, ct_changed_poses *out);

    // ---- grids (from version 1.4): 'grids' is find_manager(world, "grid"). For other managers and
    // rows that are not there these return NULL, 0, false or CT_ERR_DATA. To make a grid, 'add' one
    // with width and height (uint32_t) and without cells, which is empty, and write its rows.
    // Coordinates beside 'world', that of the grids, are those of world poses; z is not looked at.

    /// All cells row by row, x first: cell (x, y) is cells[y * size->width + x], and row y begins
    /// at y * size->width. For reading. Good until a cell of any grid is written, a grid changes or
    /// goes, or a snapshot is restored. O(1).
    const uint32_t *(*grid_cells)(const ct_manager *grids, ct_row row, ct_grid_size *size);
    /// One of them; 0, as an empty one, outside. O(1).
    uint32_t (*grid_cell)(const ct_manager *grids, ct_row row, uint32_t x, uint32_t y);
    /// Writes 'count' cells from (x, y) on to the right. CT_OK; CT_ERR_MEMORY, or CT_ERR_DATA when
    /// one is outside, with nothing changed. O(count); O(cells) the first time after cells became
    /// shared, with another grid of the same level or a snapshot.
    ct_status (*set_grid_cells)(ct_manager *grids, ct_row row, uint32_t x, uint32_t y,
                                uint32_t count, const uint32_t *values);
    /// Whether cells of that number are solid to the grid: as its 'tiles' have it; without, all but
    /// 0. O(log tiles).
    bool (*grid_solid)(const ct_manager *grids, ct_row row, uint32_t value);
    /// The cell at a point of the world; false outside. O(1).
    bool (*grid_cell_at)(const ct_world *world, ct_row row, double px, double py, uint32_t *x,
                         uint32_t *y);
    /// The cells that are not empty and that the box from (box[0], box[1]) to (box[2], box[3]),
    /// edges included, touches, row by row. Writes at most 'capacity' of them, returns how many
    /// there are: where that is more, ask again with room. O(rows + cells touched).
    uint32_t (*grid_box)(const ct_world *world, ct_row row, const double *box, uint32_t capacity,
                         ct_grid_cell *out);
    /// The first solid cell on the way from (ray[0], ray[1]) to (ray[2], ray[3]), both included;
    /// false when there is none. O(width + height) at most.
    bool (*grid_ray)(const ct_world *world, ct_row row, const double *ray, ct_grid_hit *hit);

    // ---- fields of other components (from version 1.5)

    /// How many fields the manager has; they are numbered from 0. Those of a component that a
    /// script defined may be others after the script has defined it again, in another manager.
    uint32_t (*field_count)(const ct_manager *manager);
    /// The type of a field, a ct_field_type, or CT_NO_FIELD when there is no such field. It decides
    /// what an item of a column, of 'write' and of 'add_values' is: check the type of each field of
    /// a component that is not the plugin's own. A later minor version may return a type that this
    /// header does not have.
    uint32_t (*field_type)(const ct_manager *manager, uint32_t field);
    /// Adds one component to each owner, in consecutive rows from *first. values[0 .. value_count -
    /// 1] belong to the fields 0 .. value_count - 1; of built-in components they belong to what
    /// 'add' lists. Fields without a value get their defaults, so 'values' may be NULL for a
    /// value_count of 0. CT_OK; CT_ERR_MEMORY; CT_ERR_FULL; CT_ERR_EXISTS when an owner has one;
    /// CT_ERR_DATA when an owner is not alive, a required field has no value, there are more values
    /// than fields, or the manager refuses a value. All or none. Not for 'actor': only Lua can make
    /// its bodies. Hooks of scripts (on_add, on_remove) are not called by 'add', 'add_values' and
    /// 'remove'. All arrays and texts are copied. O(count); may allocate, and moves columns then,
    /// but no rows, except at CT_MAX_ROWS, where rows of the dead are collected.
    ct_status (*add_values)(ct_manager *manager, uint32_t count, const ct_entity *owners,
                            uint32_t value_count, const ct_values *values, ct_row *first);

    void (*reserved[4])(void);
} ct_api;

/// Where the table is found: registry[CT_API_KEY] is a userdata that holds a 'const ct_api *'. (Not
/// a light userdata: those of LuaJIT hold no address that has more than 47 bits.)
#define CT_API_KEY "cuttle.api"

#ifdef LUA_REGISTRYINDEX

/// The table of the cuttle.core that is loaded in this Lua state; loads it if it is not. Raises
/// what is the matter when there is none, or when its version does not fit this header. For
/// luaopen_...
static inline const ct_api *ct_api_get(lua_State *L) {
    const ct_api *api;
    const uint32_t wanted = CT_API_VERSION;
    memset(&api, 0, sizeof api); // no NULL and no cast: some C++ is compiled with warnings of both
    lua_getfield(L, LUA_REGISTRYINDEX, CT_API_KEY);
    if (!lua_isuserdata(L, -1)) {
        lua_pop(L, 1);
        lua_getglobal(L, "require");
        lua_pushstring(L, "cuttle.core");
        if (lua_pcall(L, 1, 0, 0) != 0) {
            lua_pushfstring(L, "cuttle.core is not loaded, require \"cuttle\" first: %s",
                            lua_tostring(L, -1));
            lua_error(L);
        }
        lua_getfield(L, LUA_REGISTRYINDEX, CT_API_KEY);
    }
    if (lua_isuserdata(L, -1)) memcpy(&api, lua_touserdata(L, -1), sizeof api);
    lua_pop(L, 1);
    if (!api) {
        lua_pushstring(L, "the cuttle.core that is loaded has no C API: install a newer cuttle");
        lua_error(L);
    } else if (api->version >> 16 != wanted >> 16 || api->version < wanted ||
               api->size < sizeof(ct_api)) {
        // Small enough to be the ints that %d reads, without a cast.
        const unsigned major = api->version >> 16, minor = api->version & 0xFFFFu;
        lua_pushfstring(
            L,
            "this plugin was built for version %d.%d of cuttle's C API, the cuttle.core "
            "that is loaded has %d.%d: install that cuttle, or build the plugin with "
            "the cuttle.h of this one",
            CT_API_MAJOR, CT_API_MINOR, major, minor);
        lua_error(L);
    }
    return api;
}

/// The same, kept in a static variable of the plugin. For luaopen_..., in any number of threads at
/// once: the first call sets it, later ones find it set. Raises also when that is the table of
/// another cuttle.core, which the process has loaded from another file.
static inline void ct_api_keep(lua_State *L, const ct_api **place) {
    const ct_api *api = ct_api_get(L);
#if defined(__GNUC__) || defined(__clang__)
    const ct_api *kept = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (!kept &&
        __atomic_compare_exchange_n(place, &kept, api, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return;
#else
    // All threads write the same pointer, and pointers are written whole.
    const ct_api *kept = *place;
    if (!kept) *place = kept = api;
#endif
    if (kept != api) {
        lua_pushstring(L, "this plugin serves another cuttle.core, which is loaded already");
        lua_error(L);
    }
}

#endif

#ifdef __cplusplus
}
#endif

#endif
