// Public C interface of cuttle for plugins (native Lua modules): types and one table of functions.
// Must not depend on how the core stores its data.
// Longer than 150 lines: it is the complete reference.
#ifndef CUTTLE_H
#define CUTTLE_H

// C99 or C++11. This header includes only headers of the C library, and a plugin links no library
// of cuttle. A plugin is a Lua C module that gets a table of functions from the loaded cuttle.core.
// A complete plugin with a component type, and with a compiler and a spawner for level data in a
// custom format:
//
//     #include <lua.h> // before cuttle.h, which then declares ct_api_get
//     #include <lauxlib.h>
//     #include "cuttle.h"
//
//     static const ct_api *api;
//
//     // mana:spend(target, amount) -> remaining points
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
//         .size = sizeof(ct_component), // other members are 0
//         .name = "mana",
//         .fields = fields,
//         .field_count = 1,
//         .methods = methods,
//     };
//
//     // Compiler for "potion" in levels: (config, context) -> bytes, here one
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
//     // Spawner for "potion": (entity_lookup, num_instances, entity_index, data)
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
// Components of this type are created, looked up, compiled and spawned like those of any other
// type. Compilers and spawners may be C functions instead of Lua functions: they take the
// arguments, return the results and raise the errors that the manual describes for
// compiler:register and world:register_spawner. A script uses the plugin like this:
//
//     -- in Lua
//     local mana = require "mana"
//     mana.define(world)
//     compiler:register("potion", mana.compile_potion)
//
// examples/plugins has a component type with callbacks and private storage, and a component type
// that is described in C++11.
//
// Rules for all functions:
//
// - Pointers to ct_manager, ct_world, ct_entity_manager, columns and lists are valid during one
//   call from Lua, until Lua is called again: any allocation of Lua (lua_push... of a string or a
//   closure, lua_newtable, lua_newuserdata, luaL_checknumber of a string) may run a finalizer that
//   destroys the world. Allocate in Lua first, then get self, then work. Between calls, keep the
//   Lua object (in the registry), not the pointer. Exception: a manager's 'own' block may keep the
//   manager and its entity manager from 'opened' to 'closed'. No such pointer may be NULL.
// - Rows are valid until components of that manager are removed or its rows are sorted. Keep
//   entities.
// - Arrays and texts that the caller passes are read during the call and copied if they are needed
//   later; the caller keeps ownership. Pointers that functions return belong to the core: the
//   caller must not free them, and must not write through them unless the function's comment allows
//   it. Only memory from 'reallocate' must be freed by the plugin.
// - Functions that take L may raise, which jumps over C frames. During such a call, hold no memory
//   that only a C variable refers to, and no C++ object with a destructor. Functions without L
//   never raise and never run scripts.
// - Arguments are checked: for a row or field that does not exist, a manager of another kind, or a
//   value that its field cannot hold, functions return CT_ERR_DATA, NULL, 0, false, CT_NO_ROW or
//   CT_NO_FIELD, and change nothing. Pointers and counts are not checked.
// - A call costs O(1) and allocates nothing, in Lua or elsewhere, unless its comment says
//   otherwise.
// - Lengths are in the game's unit, angles in radians, rotations x, y, z, w. Matrices have 16
//   numbers in column-major order and multiply column vectors: world = parent's world x local.
//   Rows, fields, nodes, cells and texts are numbered from 0; sizes and strides are in bytes.
// - C++ exceptions must not propagate through the core.
// - LuaJIT represents values as NaNs: a crafted NaN in a float column, read by a compiled loop, is
//   a forged pointer. A plugin must therefore write only the quiet NaN into float and double
//   columns and items: pass values that may be NaN through ct_float_clean or ct_double_clean.
//   Functions that set poses do this themselves.
// - In the same way, an entity column must hold ids of 30 bits or CT_NOBODY, a bool must be 0 or 1,
//   and an enum the number of a label. A string column is read-only (write through api->write).
//
// Threads: all functions and objects belong to the thread of their Lua state; the calling thread is
// not checked. States in other threads may open and use the same plugin at the same time: its
// static data must be constant, except for the pointer that ct_api_keep sets. While the state's
// thread waits in a function of the plugin and makes no calls, worker threads may
//
// - read and write through pointers to columns, 'owners' and cells of grids that were fetched
//   before, as long as no two threads access the same item while one of them writes it; and
// - call alive, entities, count, find, find_many, next, owners, own, find_field, field_count,
//   field_type, text, grid_cells, grid_cell and grid_solid, as long as no thread changes the data
//   that they read.
//
// Worker threads must make no other calls: 'column', 'world_matrix' and other functions that seem
// to read perform deferred updates first.
//
// The core calls callbacks in the middle of its work. They may make these calls:
//
//     opened, closed                        the reading calls, reallocate, listen, unlisten
//     created, removing, moved, written,
//     restore, from_bytes                   the reading calls, reallocate
//     bytes, validate, save, to_bytes       the reading calls
//     a ct_destroy_fn                       the reading calls, reallocate, listen, unlisten
//
// The reading calls are own, entities, alive, count, find, find_many, next, owners, find_field,
// field_count, field_type, column and text. Calls that would change data (create, add, add_values,
// remove, write, gc, link, poses, cells) change nothing in callbacks of a component and return
// CT_ERR_DATA; gc returns 0. A ct_destroy_fn must not make such calls either; there they are not
// refused. A callback has no L and must not obtain one: no function that takes L may be called from
// it.

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

// A new major version means another, incompatible table. Minor versions only use reserved members
// and append to the end of the table. A plugin runs with every cuttle.core of its major version
// that is not older than its header.
#ifndef CT_API_MAJOR
#define CT_API_MAJOR 1
#endif
#ifndef CT_API_MINOR
#define CT_API_MINOR 7
#endif
#define CT_API_VERSION (CT_API_MAJOR * 65536u + CT_API_MINOR)

// ---------------------------------------------------------------- statuses

/// Result of a function. If it is not CT_OK, the object that the function was called on is
/// unchanged.
typedef enum ct_status {
    CT_OK = 0,
    CT_ERR_MEMORY, ///< the allocator returned NULL
    CT_ERR_FULL,   ///< a hard limit (entities, rows, fields) would be exceeded
    CT_ERR_EXISTS, ///< it exists already, and only one is allowed
    CT_ERR_CYCLE,  ///< the link would make a node its own ancestor
    CT_ERR_DATA,   ///< an argument is invalid, or changes are not allowed at this moment
    CT_ERR_OVER    ///< the world or entity manager is destroyed
} ct_status;

// ---------------------------------------------------------------- entities

// An entity id (Bitsquid part 1, "The EntityManager"), and its encoding in a pointer, which is a
// light userdata in Lua:
//
//     id       31 30 29         22 21                                   0
//              [0  0][ generation ][               index               ]
//
//     pointer  31                                                 2 1 0
//              [                     id                            ][01]
//
// Tag 01 in the two low bits marks an entity; the bits above 31 are 0. A raw pointer is aligned and
// so has tag 00. Tags 10 and 11 belong to the host engine.

#define CT_ENTITY_INDEX_BITS 22u
#define CT_ENTITY_INDEX_MASK ((1u << CT_ENTITY_INDEX_BITS) - 1u)
#define CT_ENTITY_GENERATION_BITS 8u
#define CT_ENTITY_GENERATION_MASK ((1u << CT_ENTITY_GENERATION_BITS) - 1u)
#define CT_ENTITY_TAG 1u
#define CT_MAX_ENTITIES (1u << CT_ENTITY_INDEX_BITS)

/// No entity. Not within 30 bits, so 0 is a valid id.
#define CT_NOBODY 0xFFFFFFFFu

/// Reference to an entity, which may be dead.
typedef struct ct_entity {
    uint32_t id;
} ct_entity;

static inline ct_entity ct_entity_make(uint32_t index, uint32_t generation) {
    ct_entity e;
    e.id = index | generation << CT_ENTITY_INDEX_BITS;
    return e;
}

static inline uint32_t ct_entity_index(ct_entity e) { return e.id & CT_ENTITY_INDEX_MASK; }

/// Returns 0 .. 255 for an id, 1023 for CT_NOBODY, which therefore equals no entity.
static inline uint32_t ct_entity_generation(ct_entity e) { return e.id >> CT_ENTITY_INDEX_BITS; }

/// Returns whether a number is an id: only the lower 30 bits are used.
static inline bool ct_entity_is_id(uint32_t id) { return id >> 30 == 0; }

// ---------------------------------------------------------------- rows, items

/// Row of a component: its index, from 0, in the columns of its manager. Lua refers to rows by
/// instances, which become stale when rows move.
typedef struct ct_row {
    uint32_t i;
} ct_row;

/// No row. Not 0, because 0 is a row.
#define CT_NO_ROW 0xFFFFFFFFu

/// No field of that name.
#define CT_NO_FIELD 0xFFFFFFFFu

/// Maximum number of components in a manager.
#define CT_ROW_BITS 22u
#define CT_MAX_ROWS (1u << CT_ROW_BITS)

/// Types of fields, with the format of an item in a column. New types are appended.
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
    CT_FIELD_VEC2, // floats, from VEC2 to COLOR
    CT_FIELD_VEC3,
    CT_FIELD_VEC4,
    CT_FIELD_QUAT,   // x, y, z, w
    CT_FIELD_MAT4,   // column-major
    CT_FIELD_COLOR,  // r, g, b, a
    CT_FIELD_ENTITY, // ct_entity; CT_NOBODY for none
    CT_FIELD_STRING, // ct_string
    CT_FIELD_ENUM,   // one byte, the number of a label
    CT_FIELD_VALUE,  // any value of a script; has no column
    CT_FIELD_DVEC2,  // doubles, like DVEC3 (from version 1.6)
    CT_FIELD_DVEC3,
    CT_FIELD_TYPE_COUNT
} ct_field_type;

/// String in a column: a number that api->text converts to bytes. 0 is "".
typedef struct ct_string {
    uint32_t ref;
} ct_string;

/// Text: any bytes, including NUL. A text that is passed to a function needs no terminating NUL,
/// and is copied.
typedef struct ct_text {
    const char *bytes;
    uint32_t length;
} ct_text;

/// Values of one field for rows that are being created. Items have the format of the column, with
/// two exceptions: a string is a ct_text, and a value is a ct_text that holds the bytes of the
/// value in level format (storage/value_bytes.h), of length 0 for nil; each row gets a separate
/// copy. Every NaN must be the quiet NaN.
typedef struct ct_values {
    const void *items; ///< NULL: the default for all rows
    uint32_t stride;   ///< bytes between the items of consecutive rows; 0: one item for all rows
} ct_values;

/// Position, rotation (x, y, z, w) and scale. Scale is applied first.
typedef struct ct_pose {
    float position[3];
    float rotation[4];
    float scale[3];
} ct_pose;

/// World poses of transforms that changed since the last call for a watch.
typedef struct ct_changed_poses {
    /// Entities, in no particular order, each at most once: entities that gained a transform or
    /// lost it (also by death), and entities for which the world pose was computed again, perhaps
    /// with an equal result. An entity without a row in the manager of transforms was removed; it
    /// may be listed twice, or without having been listed before. Moving a row does not list its
    /// entity. Valid until the next call for the watch, or until the watch ends.
    const ct_entity *entities;
    uint32_t count;
    /// If true, any pose may have changed and no entity is listed: read all rows. This is the case
    /// at the first call, after a snapshot was restored, after the world was cleared, after all
    /// entities with a transform have died, and if a list would be longer than the rows or could
    /// not be allocated.
    bool all;
} ct_changed_poses;

/// Number of cells of a grid, and the size of each cell in the space of the grid's entity.
typedef struct ct_grid_size {
    uint32_t width, height;
    float cell_width, cell_height;
} ct_grid_size;

/// Cell of a grid, counted from 0, and its number; 0 is an empty cell.
typedef struct ct_grid_cell {
    uint32_t x, y, value;
} ct_grid_cell;

/// Cell that stops a ray.
typedef struct ct_grid_hit {
    uint32_t x, y, value;
    double px, py; ///< where the ray enters the cell
} ct_grid_hit;

/// Decides whether cells with a number are solid. (nx, ny) is the side of the cell, as the
/// direction in which it faces: (0, -1) is the upper side if y points down. (0, 0) is the whole
/// cell. It is not called for empty cells. It must not change the world.
typedef bool (*ct_grid_where)(void *user, uint32_t value, int nx, int ny);

/// Centre of a box after a move, and for each axis the direction of the wall that stopped it: -1,
/// 1, or 0 for none.
typedef struct ct_grid_stop {
    double x, y;
    int32_t hit_x, hit_y;
} ct_grid_stop;

/// Rectangle of cells.
typedef struct ct_grid_rectangle {
    uint32_t x, y, width, height;
} ct_grid_rectangle;

/// Corner of an outline, in cells. Outlines are numbered from 0.
typedef struct ct_grid_corner {
    uint32_t x, y, outline;
} ct_grid_corner;

/// Returns 'x', or the quiet NaN, which columns may hold, if x is any NaN. Tests the bits, so that
/// -ffast-math cannot remove the test.
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

/// Allocator of the host. 'reallocate' behaves like realloc: a NULL 'block' allocates, 'new_bytes'
/// 0 frees (and must not fail), and a result of NULL means failure and leaves the old block
/// unchanged. 'old_bytes' is always the size that was requested before. Blocks are aligned at least
/// like malloc's.
typedef struct ct_allocator {
    void *(*reallocate)(void *user, void *block, size_t old_bytes, size_t new_bytes);
    void *user;
} ct_allocator;

/// Object that issues entity ids and tracks which are alive. In scripts: EntityManager.
typedef struct ct_entity_manager ct_entity_manager;

/// Set of component managers. In scripts: world.
typedef struct ct_world ct_world;

/// Component manager: built-in, or defined by a script or a plugin.
typedef struct ct_manager ct_manager;

/// Index of the entities of a query by world position. In scripts: Space.
typedef struct ct_space ct_space;

/// Checked level file. In scripts: Resource.
typedef struct ct_resource ct_resource;

/// Entities that one spawn of a resource created. In scripts: Level.
typedef struct ct_level ct_level;

/// Numbers of entities in a level that was patched to a newer version of its resource.
typedef struct ct_patch_counts {
    uint32_t added;   ///< spawned
    uint32_t removed; ///< destroyed
    uint32_t changed; ///< changed in place: fields written, components added or removed
    uint32_t moved;   ///< linked to another parent
    uint32_t left;    ///< with changed data for a spawner, which is not called again for them
} ct_patch_counts;

/// Number of runs of a kind of work, and their total duration.
typedef struct ct_work_time {
    uint64_t calls;
    uint64_t nanoseconds;
} ct_work_time;

/// Callback for each entity that dies, called during destroy, for one entity after another. The
/// entity is not alive any more, but until all callbacks have returned every manager still finds
/// its components; gc removes the rows later. Must not create or destroy anything, and must not
/// call Lua. 'context' is reserved for the core.
typedef void (*ct_destroy_fn)(void *user, void *context, ct_entity e);

// ---------------------------------------------------------------- a component type of a plugin

/// Labels and default of an enum field; required as the field's preset. Scripts, level source and
/// resources use labels; columns and ct_values use one byte, the number of the label.
typedef struct ct_enum {
    const char *labels; ///< 1 to 256 labels of 1 to 63 bytes, each followed by a zero byte, with
                        ///< one more zero byte at the end: "idle\0run\0"
    uint32_t preset;    ///< number of the default label; the first one is 0
} ct_enum;

/// Description of one field.
typedef struct ct_component_field {
    const char *name;   ///< an identifier of at most 63 letters; not "id" or "entity"
    ct_field_type type; ///< determines the format of items
    bool read_only;     ///< column views cannot write it, but setters can
    bool required;      ///< must be given when a component is created
    const void *preset; ///< default item (for a string, a ct_text; for an enum, a ct_enum), or
                        ///< NULL: 0, false, "", CT_NOBODY, identity, white
} ct_component_field;

/// An entity may have several components; each has an id, as in a manager that is defined with
/// 'multiple'.
#define CT_COMPONENT_MULTIPLE 1u
/// Rows are found through an array indexed by entity instead of a hash: for components that almost
/// every entity has.
#define CT_COMPONENT_ARRAY 2u

/// Description of a component type. api->define makes a manager of it in a world. That manager
/// supports all operations of managers: create, look up, set, views, join, gc, validate, inspect,
/// compile, spawn. Its values are stored in fields. Data that is derived from fields, or does not
/// fit into columns, is stored in the 'own' block.
///
/// The description and all data that it points to must exist as long as the process, like static
/// data of the plugin: the address identifies the type. 'size' is sizeof(ct_component), set by the
/// plugin; members beyond it count as 0. Members that are not used are 0.
///
/// Rows are consistent when callbacks run; the list above says which functions they may call.
/// Callbacks must not use Lua and must not throw. 'own' is the manager's block of own_bytes.
/// Callbacks run during creation, removal and writing, so they should cost no more than O(rows that
/// they are called for).
typedef struct ct_component {
    uint32_t size;
    uint32_t flags;   ///< CT_COMPONENT_...
    const char *name; ///< an identifier of at most 63 letters; not the name of a built-in component
    const ct_component_field *fields;
    uint32_t field_count; ///< at most 60
    uint32_t own_bytes;   ///< size of a zeroed block in each manager, aligned to 16, which never
                          ///< moves; at most 2^30

    /// Methods of the manager object, terminated by {NULL, NULL}, or NULL. They begin with
    /// api->self(L). A method with the name of a method of all managers, or of a field, replaces
    /// it.
    const struct luaL_Reg *methods;

    /// Called when the manager was made; it has no rows yet. Returns false if memory runs out; the
    /// manager is then not made, and 'closed' is not called.
    bool (*opened)(void *own, ct_manager *manager);
    /// Called when the manager ends, after its rows were removed, with a call of 'removing' for
    /// each. Frees all memory that the plugin holds for the manager.
    void (*closed)(void *own, ct_manager *manager);
    /// Called after rows first .. first + count - 1, always the last rows, were added and filled,
    /// texts included: once for all rows of a create, world:create, spawn, restart or api->add.
    /// Other components of the same entities may exist already, or may be added later in the same
    /// call. Returns false if memory runs out, with private data unchanged; the creation then
    /// fails, and 'removing' is not called for the rows. If another step of the same call fails
    /// later, the rows are removed with calls of 'removing', from the last row to the first.
    bool (*created)(void *own, ct_manager *manager, ct_row first, uint32_t count);
    /// Called before a row is removed; its items can still be read. Releases the private data of
    /// the row. The owner may be dead, and is CT_NOBODY if the entity's index was reused.
    /// Afterwards, unless the row was the last one, the last row moves to its place and 'moved' is
    /// called. Also called for all rows, from the last to the first and without 'moved', when the
    /// world is cleared or destroyed or gc finds all owners dead: in this case count and find still
    /// include rows of earlier calls. Cannot fail.
    void (*removing)(void *own, ct_manager *manager, ct_row row);
    /// Called directly after 'removing' of row 'to', when all items of row 'from', the last one,
    /// were copied to 'to'. Updates references to row 'from'. find already returns 'to', but count
    /// still includes 'from'. Never called with 'to' equal to 'from': for the last row only
    /// 'removing' is called. Cannot fail.
    void (*moved)(void *own, ct_manager *manager, ct_row to, ct_row from);
    /// Called after one field of one row was written by a script, api->write, a column view, a
    /// spawn with overrides or a patch of a level. The item is the new one. If this callback is
    /// set, column views of the manager are not compiled for writing. Not called for rows that
    /// 'created' is called for, for writes of a plugin through a pointer from api->column, or for a
    /// restore. Cannot fail.
    void (*written)(void *own, ct_manager *manager, ct_row row, uint32_t field);
    /// Returns the bytes allocated beside the rows and 'own', for memory().
    size_t (*bytes)(const void *own, const ct_manager *manager);
    /// Checks every invariant of private data, for validate(). Returns false with the reason,
    /// NUL-terminated, in message[0 .. bytes - 1]. May take long.
    bool (*validate)(const void *own, const ct_manager *manager, char *message, size_t bytes);

    /// Saves private data for snapshots (from version 1.2). entities:snapshot refuses a component
    /// that has own_bytes but not these two callbacks. Copies the data that 'restore' needs, 'own'
    /// and all memory that it refers to, to out[0 .. bytes - 1], which is aligned to 16, and
    /// returns its size. If 'out' is NULL, only returns the size. Both calls must return the same
    /// size. Cannot fail.
    size_t (*save)(const void *own, const ct_manager *manager, void *out, size_t bytes);
    /// Restores private data from 'save', perhaps of another manager of this type. The first call,
    /// with 'commit' false, happens before the rows are restored: it allocates the memory that will
    /// be needed, and returns false if memory runs out; except for reserved memory nothing may
    /// change. If all other steps succeed, the second call, with 'commit' true, happens after the
    /// rows were restored and cannot fail. 'created', 'removing' and 'moved' are not called.
    bool (*restore)(void *own, ct_manager *manager, const void *saved, size_t bytes, bool commit);

    /// Writes private data for saves (snapshot:tostring, from version 1.2): bytes that outlive the
    /// program and may be read on other hosts, by other versions of the plugin, or after damage.
    /// snapshot:tostring refuses a component that has own_bytes but not these two callbacks. Saves
    /// are written from, and read into, separate managers: 'opened', 'restore', 'created' and
    /// 'closed' are called for them. Copies the data that 'from_bytes' needs to out[0 .. size - 1],
    /// and returns its size. If 'out' is NULL, only returns the size. Both calls must return the
    /// same size. Cannot fail. A save contains only the components rows[0 .. count - 1], in this
    /// order: after reading, rows[i] is row i. The bytes should contain a version and have a fixed
    /// byte order (lowest byte first).
    size_t (*to_bytes)(const void *own, const ct_manager *manager, const ct_row *rows,
                       uint32_t count, void *out, size_t size);
    /// Reads private data that 'to_bytes' wrote, or any other bytes, not aligned, in a new manager
    /// that has the rows of the save ('created' was called for them). Returns false, with the
    /// reason in message[0 .. room - 1], if the bytes are invalid or memory runs out; the manager
    /// then ends. Not called if a save has no bytes for a component.
    bool (*from_bytes)(void *own, ct_manager *manager, const void *bytes, size_t size,
                       char *message, size_t room);

    /// Names of fields without the methods FIELD and set_FIELD, terminated by NULL, or NULL (from
    /// version 1.5). A field with the name of a method of all managers must be in this list.
    const char *const *hidden;

    /// Reserved; 0 in this version.
    void (*reserved[3])(void);
} ct_component;

/// Returns a field with this preset (NULL: as in ct_component_field.preset) that is neither
/// read-only nor required. For C++ before C++20, which has no designated initializers: all other
/// members are 0.
static inline ct_component_field ct_field_make(const char *name, ct_field_type type,
                                               const void *preset) {
    ct_component_field field;
    memset(&field, 0, sizeof field);
    field.name = name;
    field.type = type;
    field.preset = preset;
    return field;
}

/// Returns a description with its size, name and fields. All other members are 0; set them before
/// the type is defined for the first time.
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

/// Id of a component in a manager that allows several per entity: a number from 1 to 2^30 - 1, or a
/// text. Number 0 without a text requests a number that the manager has never used.
typedef struct ct_component_id {
    uint32_t number;
    ct_text text;
} ct_component_id;

/// Value of an input, identified by name, so that it stays valid when its component is defined
/// again.
typedef struct ct_override_value {
    const char *input;
    ct_field_type type;
    const void *item; ///< as in ct_values; for a string or enum (label) a ct_text
} ct_override_value;

/// Change that a spawn makes to its resource: one component of every entity that matches the path.
/// In a manager that allows several components per entity, the component with this id is replaced,
/// with defaults for fields that are not given, or appended if the id does not exist. In other
/// managers, the given fields are set, and other fields keep the values of the resource; an entity
/// without the component gets one.
typedef struct ct_override {
    ct_text path;          ///< "bulb" or "lamp_7/bulb", followed by a zero byte
    const char *component; ///< NULL: only checks that the path matches an entity
    uint32_t place;        ///< for messages: position among components with this path, or 0
    ct_component_id id;    ///< if the manager allows several; zero: none
    const ct_override_value *values;
    uint32_t value_count;
} ct_override;

/// Options for spawning and restarting a level. Copied when the level is spawned.
typedef struct ct_level_options {
    uint32_t size;       ///< sizeof(ct_level_options), set by the caller
    bool refuse_unknown; ///< an unknown component type is an error; else it is skipped
    ct_entity parent;    ///< parent of the roots, which must have a transform, or CT_NOBODY
    const ct_pose *pose; ///< composed with the pose of each root; NULL for none
    const ct_override *overrides;
    uint32_t override_count;
} ct_level_options;

// ---------------------------------------------------------------- joins

typedef enum ct_query_role {
    CT_QUERY_REQUIRED, ///< the entity has a row in this manager since the loop began
    CT_QUERY_EXCLUDED, ///< the entity has no row in this manager at this step; rows may be added
                       ///< and removed
    CT_QUERY_OPTIONAL  ///< CT_NO_ROW if the entity has no row in this manager at this step
} ct_query_role;

typedef enum ct_query_step { CT_QUERY_ROW, CT_QUERY_END, CT_QUERY_MOVED } ct_query_step;

/// Maximum number of managers in a join.
#define CT_MAX_JOINED 8u

/// State of a join, on the caller's stack. A join may be abandoned at any step.
typedef struct ct_join {
    uint64_t memory[64];
} ct_join;

/// Query: the matches of several managers, kept between uses; see 'query' below.
typedef struct ct_query ct_query;

/// Matches with consecutive rows in each manager: match number 'match' + i has the row rows[m].i +
/// i in manager number m. Set it to zeros before the first call of 'query_run'.
typedef struct ct_query_run {
    uint32_t match; ///< number of the first match
    uint32_t count; ///< number of matches
    ct_row rows[8]; ///< the first rows, or CT_NO_ROW: the manager is excluded, or optional and none
                    ///< of these entities has a row
} ct_query_run;

// ---------------------------------------------------------------- spaces (from version 1.7)

/// Options of a space.
typedef struct ct_space_options {
    uint32_t size;               ///< sizeof(ct_space_options), set by the caller
    uint32_t dimensions;         ///< 2 or 3
    double cell;                 ///< about the usual reach of a question; from 1e-30 to 1e30
    double radius;               ///< of all entities, from 0 on, unless 'radius_of' is set
    const ct_manager *radius_of; ///< manager of the query with the radii, or NULL
    const ct_manager *mask_of;   ///< manager of the query with the masks, or NULL
    uint32_t radius_field;       ///< number of a field of one number in 'radius_of'
    uint32_t mask_field;         ///< number of a field of one integer in 'mask_of'
} ct_space_options;

/// Entities that a question to a space may return.
typedef struct ct_space_filter {
    ct_entity except; ///< this entity is not returned; CT_NOBODY: none
    bool masked;      ///< only entities whose mask has a bit of 'mask'
    uint32_t mask;
} ct_space_filter;

/// Entities that a space has found, in the order of its query. Valid until the next call for the
/// space.
typedef struct ct_space_answer {
    const ct_entity *entities;
    uint32_t count; ///< of entities; with 'space_pairs' twice the number of pairs
} ct_space_answer;

/// Entity near a point.
typedef struct ct_space_near {
    ct_entity entity;
    double distance; ///< of its centre
} ct_space_near;

/// First entity that a ray touches.
typedef struct ct_space_hit {
    ct_entity entity; ///< CT_NOBODY: none
    double fraction;  ///< of the segment, from 0 to 1
    double at[3];     ///< point of the segment at 'fraction'
    double normal[3]; ///< from the centre of the entity to 'at', of length 1; 0 at the centre
} ct_space_hit;

// ---------------------------------------------------------------- the table

/// Table of functions. It exists as long as the process, and all Lua states share it: keep the
/// pointer. 'world', 'arg' and 'index' beside an L are stack indices; negative ones count from the
/// top. "bad argument" errors name the argument and its actual type, like the errors of cuttle. The
/// rules at the top of this file on cost, errors and memory apply unless a comment says otherwise.
typedef struct ct_api {
    uint32_t version; ///< CT_API_VERSION of the core
    uint32_t size;    ///< size of this table in bytes

    // ---- entities, to and from Lua

    /// Returns the entity at 'arg', alive or dead: a light userdata with tag 1. Raises for all
    /// other values.
    ct_entity (*check_entity)(struct lua_State *L, int arg);
    /// Returns whether the value at 'index' is an entity, and writes it to *out. Never raises.
    bool (*to_entity)(struct lua_State *L, int index, ct_entity *out);
    /// Pushes an entity, or nil for CT_NOBODY and other numbers that are not ids.
    void (*push_entity)(struct lua_State *L, ct_entity e);
    /// Copies the entities in the table or cuttle.list at 'arg' into a userdata, pushes it, and
    /// returns the copy, which is valid while the userdata is on the stack. Raises, with the
    /// position, for an element that is not an entity. O(entities); allocates in Lua.
    const ct_entity *(*check_entities)(struct lua_State *L, int arg, uint32_t *count);
    /// Pushes the cuttle.list at 'arg', or a new one if the argument is none or nil; raises for all
    /// other values. A new list allocates in Lua, so call this before you get pointers to fill the
    /// list.
    void (*open_list)(struct lua_State *L, int arg);
    /// Replaces the contents of the cuttle.list at 'index' by a copy of these entities. Runs no
    /// finalizer. Raises "not enough memory" and leaves the list unchanged; cannot run out of
    /// memory if the list held as many entities before. O(count).
    void (*fill_list)(struct lua_State *L, int index, uint32_t count, const ct_entity *entities);

    // ---- objects in arguments

    /// Returns the world at 'arg'; raises "world expected, got ..." or "world is destroyed".
    ct_world *(*check_world)(struct lua_State *L, int arg);
    /// Returns the EntityManager at 'arg'; raises for all other values.
    ct_entity_manager *(*check_entity_manager)(struct lua_State *L, int arg);
    /// In a method of ct_component: returns the manager that the method was called on. Raises if
    /// the method was called on another value, and "world is destroyed" if the world was destroyed.
    /// Costs a comparison of pointers.
    ct_manager *(*self)(struct lua_State *L);
    /// In such a method: returns the world of that manager. Raises like 'self'.
    ct_world *(*self_world)(struct lua_State *L);

    // ---- creation and destruction of entities

    /// Returns the entity manager of a world. Several worlds may share one.
    ct_entity_manager *(*world_entities)(ct_world *world);
    /// Returns whether an entity is alive; any 32 bits are allowed. False while the destroy
    /// callbacks of the entity run.
    bool (*alive)(const ct_entity_manager *entities, ct_entity e);
    /// Creates 'count' entities in out[0 .. count - 1], all or none. Returns CT_OK, CT_ERR_MEMORY,
    /// CT_ERR_FULL, CT_ERR_OVER, or in callbacks CT_ERR_DATA. O(count); may allocate.
    ct_status (*create)(ct_entity_manager *entities, uint32_t count, ct_entity *out);
    /// Destroys the entities that are alive and returns their number. 'index' is the world or
    /// EntityManager object. Callbacks of scripts run; their first error is raised when all
    /// entities have died, so 'entities' must be in a userdata on the stack. Earlier pointers are
    /// invalid afterwards. O(count) plus the cost of callbacks; gc removes the rows later.
    uint32_t (*destroy)(struct lua_State *L, int index, uint32_t count, const ct_entity *entities);
    /// Registers fn(user, ...) for every death. Pass *token to unlisten. Returns CT_OK or
    /// CT_ERR_MEMORY. 'user' must exist until unlisten: listen in 'opened', unlisten in 'closed'.
    /// Listeners are called in the order of registration. A death costs O(listeners).
    ct_status (*listen)(ct_entity_manager *entities, ct_destroy_fn fn, void *user, uint32_t *token);
    /// Removes a listener. Returns whether it was registered.
    bool (*unlisten)(ct_entity_manager *entities, uint32_t token);

    // ---- managers

    /// Pushes the manager object of this component type in the world at 'world', and makes the
    /// manager if necessary. A manager of another type with the same name, including one that a
    /// script defined, is replaced if it has no rows; otherwise this raises. An error in the
    /// description raises a message that names it. The libraries of the description, its callbacks
    /// and its methods stay loaded afterwards, because worlds are collected after modules are
    /// unloaded. Allocates in Lua; call it when a game starts, not each frame.
    void (*define)(struct lua_State *L, int world, const ct_component *component);
    /// Returns the manager with this name, which may be built-in, or NULL. O(managers).
    ct_manager *(*find_manager)(const ct_world *world, const char *name);
    /// Returns the block of own_bytes of a manager of this type, or NULL if the manager has another
    /// type.
    void *(*own)(const ct_manager *manager, const ct_component *component);
    /// Returns the entity manager of the manager's world.
    ct_entity_manager *(*entities)(const ct_manager *manager);
    /// Reallocates memory of the host, like realloc: a NULL block allocates, new_bytes 0 frees.
    /// Returns NULL if memory runs out; the old block then stays valid. Aligned like malloc.
    /// 'old_bytes' is the size that was requested before. The plugin owns the memory, frees it in
    /// 'closed', and counts it in 'bytes'.
    void *(*reallocate)(const ct_manager *manager, void *block, size_t old_bytes, size_t new_bytes);

    // ---- rows

    /// Returns the number of rows, including rows of dead owners that gc has not removed.
    uint32_t (*count)(const ct_manager *manager);
    /// Returns the first row of an entity that is alive or in its destroy callbacks, or CT_NO_ROW.
    /// Any 32 bits are allowed. O(1).
    ct_row (*find)(const ct_manager *manager, ct_entity e);
    /// Finds the first rows of several entities. O(count).
    void (*find_many)(const ct_manager *manager, uint32_t count, const ct_entity *entities,
                      ct_row *out);
    /// Returns the next row of the same entity, or CT_NO_ROW, also for a row that does not exist.
    ct_row (*next)(const ct_manager *manager, ct_row row);
    /// Returns the owners by row, read-only. An owner may be dead; CT_NOBODY marks a row that waits
    /// for gc. Valid as long as a column.
    const ct_entity *(*owners)(const ct_manager *manager);
    /// Returns the row of the entity or instance at 'arg', for reading. Raises, with entity and
    /// manager, if there is no such row, the instance is stale or the owner is dead.
    ct_row (*check_row)(struct lua_State *L, int arg, ct_manager *manager);
    /// Like check_row, for writing: also refuses an entity in its destroy callbacks.
    ct_row (*check_live_row)(struct lua_State *L, int arg, ct_manager *manager);
    /// Pushes the instance of a row, a number that becomes stale when rows move; nil for CT_NO_ROW
    /// and for a row that does not exist.
    void (*push_instance)(struct lua_State *L, ct_manager *manager, ct_row row);
    /// Returns the number of the field with this name, or CT_NO_FIELD. Fields of a plugin's
    /// component are numbered as declared. O(fields): keep the number, which does not change while
    /// the manager exists.
    uint32_t (*find_field)(const ct_manager *manager, const char *name);
    /// Returns the address of the item of row 0, or NULL if there are no rows or the field is a
    /// value field. If 'stride' is not NULL, *stride is set to the bytes between consecutive rows,
    /// which for a plugin's component is the size of an item. The pointer is valid until rows are
    /// created; items stay in their rows until rows are removed. The columns of transform are
    /// read-only and up to date (in a batch: as before the batch). The number columns of grid are
    /// read-only too. Items of all other managers may be written; 'written' is not called. O(1);
    /// for transforms O(deaths since the last call).
    void *(*column)(ct_manager *manager, uint32_t field, uint32_t *stride);
    /// Returns the text of a string field, or the label of an enum field, NUL-terminated. Valid
    /// until any string in the world is written or released. For a value field: the bytes that a
    /// level or a plugin gave (storage/value_bytes.h), until a script reads the value. Otherwise
    /// bytes is NULL. Copy texts that you need for longer.
    ct_text (*text)(const ct_manager *manager, uint32_t field, ct_row row);
    /// Like add_values, for an array without a length. If the length is not certain, use
    /// add_values. 'values' has an element for each field of a plugin's component. For built-in
    /// components it has one for each value of this list, which never gets longer:
    ///
    ///     transform     position, rotation, angle, scale, matrix, parent
    ///     grid          width, height, cell_size, tiles, cells
    ///     point_mass    mass, position, velocity, acceleration
    ///     mesh          resource, color, visible
    ///     model         resource
    ///     debug_name    name
    ///
    /// Returns CT_ERR_DATA for a component that a script defined, because the script may change its
    /// fields, unless 'values' is NULL: all defaults. The fields of another plugin's component may
    /// change with that plugin.
    ct_status (*add)(ct_manager *manager, uint32_t count, const ct_entity *owners,
                     const ct_values *values, ct_row *first);
    /// Removes one component; the last row moves to its place. Lua values of value fields that are
    /// removed or overwritten are released when a script next changes such a field or destroys an
    /// entity. Returns CT_OK, or CT_ERR_DATA for a row that does not exist and for 'actor'. O(1);
    /// for a transform O(children).
    ct_status (*remove)(ct_manager *manager, ct_row row);
    /// Writes one field of one row through the manager; 'item' has the format of ct_values. Returns
    /// CT_OK, CT_ERR_MEMORY (strings), or CT_ERR_DATA if the manager refuses the item, the item is
    /// NULL, or the row or field does not exist. O(1), for a text O(bytes), for a transform also
    /// the cost of updating its descendants.
    ct_status (*write)(ct_manager *manager, uint32_t field, ct_row row, const void *item);
    /// Removes components of dead entities and returns their number. If 'all' is false, checks the
    /// entities that died since the last call and a few random rows, O(deaths); if true, all rows,
    /// O(rows). Rows move.
    uint32_t (*gc)(ct_manager *manager, bool all);

    // ---- transforms: 'transforms' is find_manager(world, "transform"). For other managers, and
    // for rows that do not exist, these functions return NULL, CT_ERR_DATA or CT_NO_ROW. Rows of
    // dead entities can be read until gc, but no row can be linked below them.
    //
    // Scripts choose when world poses are computed. By default setters compute them immediately. In
    // deferred mode setters only mark rows, and world poses are from the last propagate. In a
    // script's batch, functions return the new world poses, and the column world_matrix has the old
    // ones.

    /// Returns the current world matrix, 16 numbers in column-major order. Valid until the next
    /// call of any function. O(1); in a batch O(depth).
    const float *(*world_matrix)(ct_manager *transforms, ct_row row);
    /// Reads the pose relative to the parent; for a sheared matrix, the nearest pose.
    ct_status (*local_pose)(ct_manager *transforms, ct_row row, ct_pose *out);
    /// Sets the pose relative to the parent and updates the world poses of all descendants. Returns
    /// CT_OK or CT_ERR_DATA. O(descendants), about 3 ns each.
    ct_status (*set_local_pose)(ct_manager *transforms, ct_row row, const ct_pose *pose);
    /// Makes 'child' the last child of 'parent', or a root if 'parent' is CT_NO_ROW. Returns CT_OK,
    /// CT_ERR_CYCLE, or CT_ERR_DATA if the world pose must be kept and the parent's matrix has no
    /// inverse. O(1), or O(depth) if the child has children, and the cost of updating the world
    /// poses of descendants.
    ct_status (*link)(ct_manager *transforms, ct_row child, ct_row parent, bool keep_world);
    /// Returns the parent, or CT_NO_ROW for a root.
    ct_row (*parent)(ct_manager *transforms, ct_row row);

    // ---- errors

    /// Returns if status is CT_OK. Raises the error message of any other status: "not enough
    /// memory", "health: a limit is reached". 'what' names the object.
    void (*check_status)(struct lua_State *L, ct_status status, const char *what);

    // ---- levels (from version 1.1). 'world', 'resource' and 'level' are stack indices. Functions
    // push the same objects that scripts use.

    /// Checks the bytes of a compiled level completely, and pushes a Resource made from a copy of
    /// them. 'name', or NULL, is a prefix of messages. If the bytes are invalid, pushes a message
    /// and returns false. Raises "not enough memory". O(count).
    bool (*load)(struct lua_State *L, const void *bytes, size_t count, const char *name);
    /// Spawns the resource into the world, all or nothing, and pushes the Level. Callbacks and
    /// spawners of scripts run. On failure, pushes a message and returns false. Raises for
    /// arguments that are not a world or Resource. O(bytes of the resource).
    bool (*spawn)(struct lua_State *L, int world, int resource, const ct_level_options *options);
    /// Returns the Level at 'arg'; raises "Level expected, got ..." or "world is destroyed".
    const ct_level *(*check_level)(struct lua_State *L, int arg);
    /// Returns the number of entities, including entities that died later; 0 after unload.
    uint32_t (*level_count)(const ct_level *level);
    /// Returns entity 'i' of the level, from 0, which may be dead; CT_NOBODY if 'i' is out of
    /// range.
    ct_entity (*level_entity)(const ct_level *level, uint32_t i);
    /// Finds the first living entity with this path, in the level's order; *out is CT_NOBODY if
    /// there is none. Returns CT_OK or CT_ERR_MEMORY: the first search of each kind builds an
    /// index, O(entities).
    ct_status (*level_find)(const ct_level *level, ct_text path, ct_entity *out);
    /// Destroys the living entities of the level and returns their number. Raises the first error
    /// of a callback after all have died. O(entities).
    uint32_t (*unload)(struct lua_State *L, int level);
    /// Spawns the level again with the same options, then destroys its old entities. On failure,
    /// pushes a message, returns false and leaves the level unchanged. Raises the first error of a
    /// callback for an old entity, after the level has its new entities.
    bool (*restart)(struct lua_State *L, int level);

    // ---- joins (from version 1.1)

    /// Begins a loop over the rows of the first manager, in order, that have a living owner which
    /// meets the roles of the other managers. Takes 1 to CT_MAX_JOINED managers of one entity
    /// manager. The first manager is always required; if 'roles' is NULL, all are.
    void (*join)(ct_join *join, uint32_t count, ct_manager *const *managers,
                 const ct_query_role *roles);
    /// Writes the next rows, one for each manager, to rows[0 ...]. Returns CT_QUERY_ROW,
    /// CT_QUERY_END, or CT_QUERY_MOVED if the loop body did more than create, destroy, and remove
    /// the current rows. A complete loop is O(rows of the first manager): pass the manager with the
    /// fewest rows first.
    ct_query_step (*join_next)(ct_join *join, ct_row *rows);

    // ---- nodes of models (from version 1.2)

    /// Like link, to a node of the parent's model, counted from 0: the child's world pose is the
    /// parent's world pose x the node's matrix from the last evaluate of models x the child's local
    /// pose. Also returns CT_ERR_DATA if the node or parent does not exist, and CT_ERR_MEMORY.
    /// Costs the same as link.
    ct_status (*link_node)(ct_manager *transforms, ct_row child, ct_row parent, uint32_t node,
                           bool keep_world);

    // ---- snapshots (from version 1.2). 'entities', 'old' and 'snapshot' are stack indices.

    /// Pushes a Snapshot of the EntityManager. If 'old' is not 0, reuses the memory of the snapshot
    /// there. Raises the errors of entities:snapshot. O(bytes of the state), about the time of a
    /// copy.
    void (*snapshot)(struct lua_State *L, int entities, int old);
    /// Restores a snapshot. Callbacks of scripts run. Raises the errors of entities:restore, and
    /// its message for a save that does not fit. While functions of scripts are called for bodies
    /// that were added and removed, changes are not allowed: create, add, remove, write, link and
    /// set_local_pose return CT_ERR_DATA, gc returns 0, and columns are read-only.
    void (*restore)(struct lua_State *L, int entities, int snapshot);
    /// Do the same as recorder:frame() and recorder:rewind(frames), for the Recorder at this index.
    void (*record)(struct lua_State *L, int recorder);
    uint64_t (*rewind)(struct lua_State *L, int recorder, uint64_t frames);

    // ---- saves (from version 1.2)

    /// Pushes the string of the Snapshot at this index. Raises the errors of snapshot:tostring.
    void (*save_to_string)(struct lua_State *L, int snapshot);
    /// Reads such a string from memory and pushes its Snapshot, for 'restore'. If the string is
    /// invalid, pushes a message and returns false. Raises if memory runs out.
    bool (*save_from_string)(struct lua_State *L, const void *bytes, size_t count);

    // ---- patching of levels (from version 1.2)

    /// Patches the Level to the newer version of its resource at 'resource', like level:patch;
    /// *counts (may be NULL) gets the numbers of changed entities. On failure, pushes a message,
    /// returns false and changes nothing. Callbacks of scripts run; raises the first error of a
    /// removal callback after the patch is complete.
    bool (*patch)(struct lua_State *L, int level, int resource, ct_patch_counts *counts);

    // ---- hashes, migration of components, timings (from version 1.3)

    /// Returns the number that entities:hash() prints in hexadecimal, for the EntityManager at this
    /// index. O(rows).
    uint64_t (*hash)(struct lua_State *L, int entities);

    /// Like 'define', but also pushes, after the manager object, a table of strings that describe
    /// dropped data. The new manager takes over the rows of an existing manager with the same name
    /// and other fields, from a script or a plugin, like world:define with 'migrate': rows keep
    /// their order, fields with matching name and type keep their items, other fields get defaults.
    /// Raises and changes nothing if there are rows and one of the two managers keeps private data
    /// for them (own_bytes, created, removing, moved).
    void (*define_migrate)(struct lua_State *L, int world, const ct_component *component);

    /// Does the same as world:profile(on): starts to time the work of all managers, from 0, or
    /// stops. If memory for the counters runs out, nothing is timed.
    void (*profile)(ct_world *world, bool on);
    /// Reads the time of one kind of work, numbered from 0, like world:timings(): for one manager,
    /// or if it is NULL, for the work that the world does for all managers. Returns the name of the
    /// kind, or NULL if there is no such kind.
    const char *(*timing)(const ct_world *world, const ct_manager *manager, uint32_t kind,
                          ct_work_time *out);

    // ---- world poses, children (from version 1.4)

    /// Reads the world position, and the rotation and scale nearest to the world matrix; for a
    /// root, its own. O(1); in a batch, and below a scale of zero, O(depth).
    ct_status (*world_pose)(ct_manager *transforms, ct_row row, ct_pose *out);
    /// Set the local pose that results in the given world position, rotation or pose. Also return
    /// CT_ERR_DATA if there is no such local pose, because the parent's world matrix has no inverse
    /// (an ancestor has a scale of zero). Rotations may have any length; all 0 is no rotation.
    /// set_world_position keeps the local rotation and scale. set_world_rotation keeps the local
    /// position and, if the parent's scale is uniform, the local scale. O(1), and O(descendants),
    /// about 3 ns each, to update descendants.
    ct_status (*set_world_position)(ct_manager *transforms, ct_row row, const float *position);
    ct_status (*set_world_rotation)(ct_manager *transforms, ct_row row, const float *rotation);
    ct_status (*set_world_pose)(ct_manager *transforms, ct_row row, const ct_pose *pose);

    /// Set poses of many rows, one after another in the order of 'rows', in one batch: a common
    /// descendant of several rows is computed once. Items are ct_pose, or 3 or 4 floats:
    /// poses->items is the first, and poses->stride the bytes from one to the next, so they may be
    /// members of the bodies of a physics library. An item is skipped if its row is CT_NO_ROW,
    /// which find_many writes for entities without a transform. Return CT_OK, CT_ERR_MEMORY, or
    /// CT_ERR_DATA if another row does not exist or items are NULL; after an error nothing has
    /// changed. A row below a scale of zero keeps its pose; *refused (may be NULL) gets the number
    /// of such rows. O(count), O(depth) for each row with a parent that is also in 'rows' or was
    /// moved in an enclosing batch, and each descendant once.
    ct_status (*set_local_poses)(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                 const ct_values *poses);
    ct_status (*set_world_positions)(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                     const ct_values *positions, uint32_t *refused);
    ct_status (*set_world_rotations)(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                     const ct_values *rotations, uint32_t *refused);
    ct_status (*set_world_poses)(ct_manager *transforms, uint32_t count, const ct_row *rows,
                                 const ct_values *poses, uint32_t *refused);

    /// Return children in the order in which they were linked, or CT_NO_ROW; dead children are
    /// skipped. O(1 + dead children).
    ct_row (*first_child)(ct_manager *transforms, ct_row row);
    ct_row (*next_sibling)(ct_manager *transforms, ct_row row);
    /// Returns the number of living children; 0 for a row that does not exist. O(children).
    uint32_t (*child_count)(ct_manager *transforms, ct_row row);

    // ---- world poses that changed (from version 1.4)

    /// Starts a watch, which records the world poses that change; *watch identifies it and is not
    /// 0. Returns CT_OK, CT_ERR_MEMORY, CT_ERR_OVER, or CT_ERR_DATA for other managers. A
    /// watch ends with the world, so 'closed' need not end it. Snapshots and saves do not contain
    /// watches: 'save' and 'to_bytes' must not store the number, and 'restore' must not change it.
    /// Each watch costs 1 to 2 ns for each world pose that is computed, and about 12 bytes per
    /// entity. A watch that is no longer read soon costs nothing.
    ct_status (*watch_poses)(ct_manager *transforms, uint32_t *watch);
    /// Ends a watch. Returns false if it does not exist.
    bool (*unwatch_poses)(ct_manager *transforms, uint32_t watch);
    /// Writes the changes since the last call to *out. Returns CT_OK, or CT_ERR_DATA if the watch
    /// does not exist. Computes no poses: a pose that a batch or deferred mode has not computed yet
    /// is listed after it was computed. The caller's own changes are listed too: after setting
    /// poses, call this once more and ignore the list, but not 'all'. O(changes + deaths since the
    /// last call); allocates nothing.
    ct_status (*changed_poses)(ct_manager *transforms, uint32_t watch, ct_changed_poses *out);

    // ---- grids (from version 1.4): 'grids' is find_manager(world, "grid"). For other managers,
    // and for rows that do not exist, these functions return NULL, 0, false or CT_ERR_DATA. To make
    // a grid, 'add' one with width and height (uint32_t) and without cells, which makes it empty,
    // then write its rows. Functions that take a world, which must be the one of the grids, use the
    // coordinates of world poses and ignore z.

    /// Returns all cells row by row, read-only: cell (x, y) is cells[y * size->width + x]. Valid
    /// until a cell of any grid is written, a grid changes or is removed, or a snapshot is
    /// restored. O(1).
    const uint32_t *(*grid_cells)(const ct_manager *grids, ct_row row, ct_grid_size *size);
    /// Returns one cell, or 0, an empty cell, if (x, y) is outside. O(1).
    uint32_t (*grid_cell)(const ct_manager *grids, ct_row row, uint32_t x, uint32_t y);
    /// Writes 'count' cells from (x, y) to the right. Returns CT_OK, or CT_ERR_MEMORY, or
    /// CT_ERR_DATA if a cell is outside; after an error nothing has changed. O(count); O(cells) for
    /// the first write after cells became shared with another grid of the same level or a snapshot.
    ct_status (*set_grid_cells)(ct_manager *grids, ct_row row, uint32_t x, uint32_t y,
                                uint32_t count, const uint32_t *values);
    /// Returns whether cells with this number are solid in the grid, according to its 'tiles';
    /// without tiles, every number but 0 is solid. O(log tiles).
    bool (*grid_solid)(const ct_manager *grids, ct_row row, uint32_t value);
    /// Finds the cell at a point of the world; returns false if the point is outside. O(1).
    bool (*grid_cell_at)(const ct_world *world, ct_row row, double px, double py, uint32_t *x,
                         uint32_t *y);
    /// Finds the cells that are not empty and touch the box from (box[0], box[1]) to (box[2],
    /// box[3]), edges included, row by row. Writes at most 'capacity' of them and returns their
    /// total number; if that is larger, call again with a larger array. O(rows + cells touched).
    uint32_t (*grid_box)(const ct_world *world, ct_row row, const double *box, uint32_t capacity,
                         ct_grid_cell *out);
    /// Finds the first solid cell on the line from (ray[0], ray[1]) to (ray[2], ray[3]), ends
    /// included; returns false if there is none. At most O(width + height).
    bool (*grid_ray)(const ct_world *world, ct_row row, const double *ray, ct_grid_hit *hit);

    // ---- fields of other components (from version 1.5)

    /// Returns the number of fields; fields are numbered from 0. If a script defines its component
    /// again, a new manager replaces the old one, and may have other fields.
    uint32_t (*field_count)(const ct_manager *manager);
    /// Returns the type of a field, a ct_field_type, or CT_NO_FIELD if there is no such field. The
    /// type determines the format of items in columns, 'write' and 'add_values': check the type of
    /// each field of a component that belongs to a script or to another plugin. A later minor
    /// version may return a type that this header does not define.
    uint32_t (*field_type)(const ct_manager *manager, uint32_t field);
    /// Adds one component to each owner, in consecutive rows from *first, all or none. values[0 ..
    /// value_count - 1] belong to fields 0 .. value_count - 1; for built-in components they belong
    /// to the values that 'add' lists. Fields without a value get their defaults, so 'values' may
    /// be NULL if value_count is 0. Returns CT_OK, CT_ERR_MEMORY, CT_ERR_FULL, CT_ERR_EXISTS if an
    /// owner already has a component, or CT_ERR_DATA if an owner is not alive, a required field has
    /// no value, there are more values than fields, or the manager refuses a value. Refuses
    /// 'actor', because only Lua can make bodies. 'add', 'add_values' and 'remove' do not call
    /// hooks of scripts (on_add, on_remove). All arrays and texts are copied. O(count). May
    /// allocate, which moves columns but not rows, except at CT_MAX_ROWS, where rows of dead
    /// entities are collected.
    ct_status (*add_values)(ct_manager *manager, uint32_t count, const ct_entity *owners,
                            uint32_t value_count, const ct_values *values, ct_row *first);

    // ---- solid cells of grids (from version 1.7): as for grids above. 'where' decides which cells
    // are solid; if it is NULL, 'grid_solid' does.

    /// Moves a box with centre (box[0], box[1]) and half size (box[2], box[3]) by (step[0],
    /// step[1]) in the world. It stops at the first solid cell, exactly at its edge, and slides
    /// along it with the rest of the step, however long the step is. 'where' is called with the
    /// side that the box enters. A box that begins in solid cells may leave them, but does not move
    /// deeper. Returns false, with zeros in *out, if the grid is rotated, mirrored or scaled, a
    /// number is not finite, or a half size is negative. O(width + height) at most, times the cells
    /// at one edge of the box.
    bool (*grid_move)(const ct_world *world, ct_row row, const double *box, const double *step,
                      ct_grid_where where, void *user, ct_grid_stop *out);
    /// Finds few rectangles that cover exactly the solid cells, for physics bodies. 'where' is
    /// called with side (0, 0) and must depend only on the number. Writes at most 'capacity'
    /// rectangles, and their total number to *count. Returns CT_OK, CT_ERR_MEMORY or CT_ERR_DATA.
    /// O(cells). Allocates a byte for each cell during the call.
    ct_status (*grid_colliders)(const ct_manager *grids, ct_row row, ct_grid_where where,
                                void *user, uint32_t capacity, ct_grid_rectangle *out,
                                uint32_t *count);
    /// The same for the outlines of the solid cells: the corners of one outline after the other.
    /// With y down, outer outlines are clockwise and holes counterclockwise. Outlines that meet in
    /// a corner stay apart. The first corner is not repeated at the end.
    ct_status (*grid_outlines)(const ct_manager *grids, ct_row row, ct_grid_where where, void *user,
                               uint32_t capacity, ct_grid_corner *out, uint32_t *count);
    /// Writes one number to a block of cells. Returns CT_OK, or CT_ERR_MEMORY, or CT_ERR_DATA if a
    /// part of the block is outside; after an error nothing has changed.
    ct_status (*fill_grid)(ct_manager *grids, ct_row row, uint32_t x, uint32_t y, uint32_t width,
                           uint32_t height, uint32_t value);

    /// Returns the flips of a cell: the sum of 1 (horizontal), 2 (vertical) and 4 (diagonal, which
    /// is applied first), or 0 if (x, y) is outside. O(1). 'set_grid_cells' and 'fill_grid' clear
    /// the flips of the cells that they write.
    uint32_t (*grid_flips)(const ct_manager *grids, ct_row row, uint32_t x, uint32_t y);
    /// Writes the flips of a cell, 0 to 7. Returns CT_OK, or CT_ERR_MEMORY, or CT_ERR_DATA for
    /// another number or a cell that is outside; after an error nothing has changed.
    ct_status (*set_grid_flips)(ct_manager *grids, ct_row row, uint32_t x, uint32_t y,
                                uint32_t flips);

    // ---- queries (from version 1.7): a join that remembers its rows, for loops in every frame

    /// Makes a query of 1 to CT_MAX_JOINED managers of a world, with roles as for 'join'. Its
    /// matches are the rows of the first manager, in order, whose living owner meets the roles of
    /// the other managers, and the first row of that owner in each of these. Returns CT_OK,
    /// CT_ERR_MEMORY, CT_ERR_OVER, or CT_ERR_DATA for wrong arguments; *query is NULL unless the
    /// result is CT_OK. The query exists until 'query_free' or until its world has ended; 'closed'
    /// of a component of the world may still free it.
    ct_status (*query)(ct_world *world, uint32_t count, ct_manager *const *managers,
                       const ct_query_role *roles, ct_query **query);
    /// Frees a query; does nothing for NULL. O(1).
    void (*query_free)(ct_query *query);
    /// Finds the matches, unless nothing changed since the last call, and writes their number to
    /// *count. Returns CT_OK; CT_ERR_MEMORY; or CT_ERR_OVER if one of the managers was replaced or
    /// the world has ended: free the query then. O(rows of the first manager) after components were
    /// added or removed or an entity died, otherwise O(managers). Needs no memory for managers with
    /// the same order of rows as the first one.
    ct_status (*query_refresh)(ct_query *query, uint32_t *count);
    /// Finds the next matches that have consecutive rows in each manager. Returns CT_QUERY_ROW;
    /// CT_QUERY_END; or CT_QUERY_MOVED if components were added or removed, rows moved, or an
    /// entity died since 'query_refresh': use 'join' for loops with such changes. Managers that
    /// were filled together give few and long runs.
    ///
    ///     ct_query_run run = {0};
    ///     if (api->query_refresh(query, &count) != CT_OK) return;
    ///     while (api->query_run(query, &run) == CT_QUERY_ROW)
    ///         for (uint32_t i = 0; i < run.count; ++i)
    ///             x[run.rows[0].i + i] += dx[run.rows[1].i + i];
    ct_query_step (*query_run)(const ct_query *query, ct_query_run *run);

    // ---- spaces (from version 1.7): indexes of positions. Answers are as of the last update,
    // without entities that died since, in the order of the query; scratch memory of the space
    // holds them. Coordinates are 3 numbers, z of which a space with two dimensions ignores;
    // 'filter' may be NULL. Functions return CT_ERR_DATA for a coordinate that is not finite (in a
    // box: NaN), and for a length that is negative or NaN. 'space', 'space_refresh' and
    // 'space_free', at the end of this list, are for spaces of the plugin, the next two for those
    // of scripts.

    /// Returns the Space at 'arg'. Raises for other values, if the world was destroyed or a
    /// component of the query defined again, and in callbacks of a restore.
    ct_space *(*check_space)(struct lua_State *L, int arg);
    /// Does the same as space:update() for the Space at 'index': returns the number of entries.
    /// Raises "not enough memory" with the index unchanged.
    uint32_t (*refresh_space)(struct lua_State *L, int index);
    /// Finds the entities whose circles touch the circle around 'centre'. Returns CT_OK,
    /// CT_ERR_MEMORY or CT_ERR_DATA. O(entities in touched cells).
    ct_status (*space_within)(ct_space *space, const double *centre, double reach,
                              const ct_space_filter *filter, ct_space_answer *out);
    /// Finds the entities whose circles touch the box between two corners. Statuses and cost as
    /// space_within.
    ct_status (*space_box)(ct_space *space, const double *one, const double *other,
                           const ct_space_filter *filter, ct_space_answer *out);
    /// Finds the entity with the nearest centre, at most 'max' away (HUGE_VAL: no limit), or
    /// CT_NOBODY. Returns CT_OK or CT_ERR_DATA.
    ct_status (*space_nearest)(const ct_space *space, const double *centre, double max,
                               const ct_space_filter *filter, ct_space_near *out);
    /// Finds at most 'count' entities with the nearest centres, the nearest first. *found points to
    /// *found_count items, and is valid until the next call for the space. Statuses as
    /// space_within.
    ct_status (*space_nearest_many)(ct_space *space, uint32_t count, const double *centre,
                                    double max, const ct_space_filter *filter,
                                    const ct_space_near **found, uint32_t *found_count);
    /// Finds the first entity whose circle a segment with a thickness touches, or CT_NOBODY.
    /// Returns CT_OK or CT_ERR_DATA.
    ct_status (*space_ray)(const ct_space *space, const double *from, const double *to,
                           double thickness, const ct_space_filter *filter, ct_space_hit *hit);
    /// Finds all pairs of entities whose circles are at most 'reach' apart: two entities for each
    /// pair, entities[0] and [1], [2] and [3] ... With 'other', not NULL, pairs of an entity of
    /// 'space' and one of 'other', which must be in the same world. Returns CT_OK, CT_ERR_MEMORY,
    /// CT_ERR_DATA, or CT_ERR_FULL for more than 33554432 pairs.
    ct_status (*space_pairs)(ct_space *space, double reach, ct_space *other, ct_space_answer *out);
    /// Makes an empty space of the matches of a query, with arguments as for 'query'. One of the
    /// managers is the world's "transform", not excluded. Radius and mask of an absent optional
    /// component are 0. Returns CT_OK, CT_ERR_MEMORY, CT_ERR_OVER, or CT_ERR_DATA for wrong
    /// arguments; *space is NULL unless the result is CT_OK. The space exists until 'space_free' or
    /// until its world has ended; 'closed' of a component of the world may still free it. It is
    /// derived data, in no snapshot: keep it in the 'own' block, and save nothing of it.
    ct_status (*space)(ct_world *world, uint32_t count, ct_manager *const *managers,
                       const ct_query_role *roles, const ct_space_options *options,
                       ct_space **space);
    /// Frees a space that 'space' made; does nothing for NULL and for spaces of scripts.
    void (*space_free)(ct_space *space);
    /// Brings a space that 'space' made up to date, and writes the number of entries to *count. A
    /// new space is empty until the first call, and so is every space after a restore until the
    /// next call. Returns CT_OK; CT_ERR_MEMORY with the space unchanged; CT_ERR_OVER if one of the
    /// managers was replaced or the world has ended; or CT_ERR_DATA for a space of a script and in
    /// callbacks. O(entries), less if few entities moved.
    ct_status (*space_refresh)(ct_space *space, uint32_t *count);

    void (*reserved[4])(void);
} ct_api;

/// Key of the table in the registry: registry[CT_API_KEY] is a userdata that holds a 'const ct_api
/// *'. (A light userdata of LuaJIT cannot hold an address of more than 47 bits.)
#define CT_API_KEY "cuttle.api"

#ifdef LUA_REGISTRYINDEX

/// Returns the table of the cuttle.core that is loaded in this Lua state; loads it if necessary.
/// Raises if cuttle.core cannot be loaded or its version does not fit this header. For luaopen_...
static inline const ct_api *ct_api_get(lua_State *L) {
    const ct_api *api;
    const uint32_t wanted = CT_API_VERSION;
    memset(&api, 0, sizeof api); // no NULL and no cast: C++ warnings may forbid both
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
        // Unsigned values this small can be read as the int of %d without a cast.
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

/// Stores the result of ct_api_get in a static variable of the plugin. For luaopen_..., may run in
/// any number of threads at once: the first call sets the variable, later calls find it set. Also
/// raises if the variable holds the table of another cuttle.core, which the process has loaded from
/// another file.
static inline void ct_api_keep(lua_State *L, const ct_api **place) {
    const ct_api *api = ct_api_get(L);
#if defined(__GNUC__) || defined(__clang__)
    const ct_api *kept = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (!kept &&
        __atomic_compare_exchange_n(place, &kept, api, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return;
#else
    // All threads write the same pointer, and pointer writes are atomic here.
    const ct_api *kept = *place;
    if (!kept) *place = kept = api;
#endif
    if (kept != api) {
        lua_pushstring(L, "this plugin is bound to another cuttle.core, which is loaded already");
        lua_error(L);
    }
}

#endif

#ifdef __cplusplus
}
#endif

#endif
