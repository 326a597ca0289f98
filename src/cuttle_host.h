// Public C interface of cuttle for programs without Lua: functions on handles.
// Must not depend on how the core stores its data.
// Longer than 150 lines: it is the complete reference.
#ifndef CUTTLE_HOST_H
#define CUTTLE_HOST_H

// C99 or C++11. Link libcuttle.a and -lm, or the shared library libcuttle. docs/hosts.md is a
// tutorial with a complete program.
//
// Objects. ct_host_new makes an entity manager, a ct_host_entities, which owns everything else:
// worlds, components, levels, resources, queries, spaces, watches, snapshots, recorders,
// publishers and subscribers. A handle, a struct with one number, names such an object. A handle of
// all zeros names nothing. Handles are values: copy them, compare their 'id', store them. A number
// is never used twice in an entity manager, so a function that gets the handle of an object that is
// gone, of another kind of object, or of another entity manager returns CT_ERR_DATA and changes
// nothing. Entities and rows are the types of cuttle.h, with the same meaning.
//
// Errors. A function that can fail returns a ct_status. Unless it is CT_OK, nothing has changed,
// handles in results are 0, and ct_host_message returns the reason: the argument, its value, and
// what was expected. Other results then mean nothing, unless a comment says otherwise. Pointers to
// arrays, texts and results must be valid; a pointer to a result may be NULL only if its comment
// says so. The pointer to the entity manager may be NULL, which is an error like others.
//
// Structs. A struct with a member 'size' may get more members in later versions. Options are set
// to their defaults by the function ..._init, which gets the size that the program was compiled
// with. NULL instead of options means the defaults. For results, set 'size' to sizeof the struct
// before the call; the function writes only that many bytes.
//
// Memory. Arrays and texts that are passed to a function are read during the call and copied if
// they are needed later. Pointers in results belong to cuttle and must not be freed. Functions
// allocate from the allocator of the entity manager; after CT_ERR_MEMORY nothing has changed.
//
// Callbacks. Every callback may call the functions that only read, and ct_host_release. Functions
// that would change anything return CT_ERR_DATA in destroy callbacks (ct_host_listen), on_remove
// hooks and the functions of grids; an on_add hook may change entities and components.
//
// Threads. Entity managers share no data. Each belongs to one thread at a time.
//
// Units. As in cuttle.h: angles in radians, rotations x, y, z, w, matrices in column-major order,
// numbers from 0, sizes and strides in bytes. A call costs O(1) and allocates nothing unless its
// comment says otherwise. Looking up a handle is one access to an array.

#include "cuttle.h"

// Exported from the shared library.
#if defined(_WIN32) && defined(CT_HOST_BUILD)
#define CT_HOST_API __declspec(dllexport)
#elif defined(__GNUC__)
#define CT_HOST_API __attribute__((visibility("default")))
#else
#define CT_HOST_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- version, errors

// A program runs with every library of its major version that is not older than its header: a
// minor version only adds functions, and members at the end of structs with a 'size'.
#define CT_HOST_MAJOR 1u
#define CT_HOST_MINOR 0u
#define CT_HOST_VERSION (CT_HOST_MAJOR * 65536u + CT_HOST_MINOR)

/// Returns CT_HOST_VERSION of the library that is loaded.
CT_HOST_API uint32_t ct_host_version(void);

/// Entity manager with its worlds and everything else that belongs to it.
typedef struct ct_host_entities ct_host_entities;

// Handles.
typedef struct ct_host_world {
    uint64_t id;
} ct_host_world;
/// Manager of the components of one type in one world.
typedef struct ct_host_component {
    uint64_t id;
} ct_host_component;
/// Compiled level file that was checked.
typedef struct ct_host_resource {
    uint64_t id;
} ct_host_resource;
/// Entities that a spawn of a resource created.
typedef struct ct_host_level {
    uint64_t id;
} ct_host_level;
/// Saved state of an entity manager.
typedef struct ct_host_snapshot {
    uint64_t id;
} ct_host_snapshot;
/// Ring of recorded states of an entity manager.
typedef struct ct_host_recorder {
    uint64_t id;
} ct_host_recorder;
/// Matches of several components, kept between uses.
typedef struct ct_host_query {
    uint64_t id;
} ct_host_query;
/// Index of entities by position.
typedef struct ct_host_space {
    uint64_t id;
} ct_host_space;
/// Record of world poses that change.
typedef struct ct_host_watch {
    uint64_t id;
} ct_host_watch;
/// Record of the changes of a world, for other machines.
typedef struct ct_host_publisher {
    uint64_t id;
} ct_host_publisher;
/// One receiver of the messages of a publisher.
typedef struct ct_host_peer {
    uint64_t id;
} ct_host_peer;
/// Entities of a world that follow the messages of a publisher.
typedef struct ct_host_subscriber {
    uint64_t id;
} ct_host_subscriber;
/// Registration of a function for components that are added or removed.
typedef struct ct_host_hook {
    uint64_t id;
} ct_host_hook;

/// Returns the reason of the last failure of a function with this entity manager, in one line; ""
/// before the first failure. Valid until the next failure. For NULL, the reason is that.
CT_HOST_API const char *ct_host_message(const ct_host_entities *host);

/// Returns a status as a text for logs: "out of memory".
CT_HOST_API const char *ct_host_status_text(ct_status status);

/// Returns whether the number of a handle of any kind (world.id) names an object that exists.
CT_HOST_API bool ct_host_is_valid(const ct_host_entities *host, uint64_t id);

/// Ends an object that is not a world or a component: a resource, level, snapshot, recorder, query,
/// space, watch, publisher, peer, subscriber or hook (level.id). Does nothing for 0. A publisher
/// ends with its peers. The entities of a subscriber stay. A level stays spawned and only loses its
/// handle: unload it first, or find it again with ct_host_levels. Levels, snapshots and recorders
/// keep the resources that they need. Also allowed in callbacks, except for a subscriber.
CT_HOST_API ct_status ct_host_release(ct_host_entities *host, uint64_t id);

// ---------------------------------------------------------------- entity managers, entities

/// Options of an entity manager.
typedef struct ct_host_options {
    uint32_t size;
    uint32_t minimum_free_indices; ///< dead indices that wait before the oldest one is reused,
                                   ///< below CT_MAX_ENTITIES; 1024
    const ct_allocator *allocator; ///< NULL: malloc; copied
} ct_host_options;

/// Sets the defaults. 'size' is sizeof(ct_host_options).
CT_HOST_API void ct_host_options_init(ct_host_options *options, uint32_t size);

/// Makes an empty entity manager. Returns CT_OK, CT_ERR_MEMORY, or CT_ERR_DATA for wrong options;
/// *out is NULL unless the result is CT_OK, so there is no message.
CT_HOST_API ct_status ct_host_new(const ct_host_options *options, ct_host_entities **out);

/// Ends the entity manager with all worlds and objects. Destroy callbacks run only for entities of
/// levels, on_remove hooks for all components. NULL is allowed. Returns CT_OK, or CT_ERR_DATA in a
/// callback.
CT_HOST_API ct_status ct_host_free(ct_host_entities *host);

/// Creates 'count' entities without components in out[0 .. count - 1], all or none. Returns CT_OK,
/// CT_ERR_MEMORY, CT_ERR_FULL or CT_ERR_DATA. O(count); may allocate.
CT_HOST_API ct_status ct_host_create(ct_host_entities *host, uint32_t count, ct_entity *out);

/// Destroys the entities that are alive, and writes their number to *destroyed (may be NULL).
/// Destroy callbacks run. Components stay in their rows until ct_host_gc. Children of a transform
/// become roots. Returns CT_OK or CT_ERR_DATA. O(count); allocates nothing.
CT_HOST_API ct_status ct_host_destroy(ct_host_entities *host, uint32_t count,
                                      const ct_entity *entities, uint32_t *destroyed);

/// Returns whether an entity is alive. Any 32 bits are allowed. False while its callbacks run.
CT_HOST_API bool ct_host_alive(const ct_host_entities *host, ct_entity e);

/// Returns the number of living entities.
CT_HOST_API uint32_t ct_host_count(const ct_host_entities *host);

/// Writes the living entities by index, and at most 'capacity' of them; *count is their total
/// number. Returns CT_OK or CT_ERR_DATA. O(indices that were ever used).
CT_HOST_API ct_status ct_host_living(ct_host_entities *host, uint32_t capacity, ct_entity *out,
                                     uint32_t *count);

/// Registers fn(user, NULL, entity) for every death, and writes a number for ct_host_unlisten to
/// *token. All components of the entity can still be read. Returns CT_OK, CT_ERR_MEMORY or
/// CT_ERR_DATA.
CT_HOST_API ct_status ct_host_listen(ct_host_entities *host, ct_destroy_fn fn, void *user,
                                     uint32_t *token);

/// Removes a callback. Returns CT_OK, or CT_ERR_DATA if it is not registered.
CT_HOST_API ct_status ct_host_unlisten(ct_host_entities *host, uint32_t token);

// ---------------------------------------------------------------- worlds

/// Options of a world.
typedef struct ct_host_world_options {
    uint32_t size;
    const char *name; ///< of 1 to 63 bytes, unique in the entity manager: restores and saves use
                      ///< it; NULL: "world1", "world2" ...
    uint64_t seed;    ///< of everything random in the world; 1
} ct_host_world_options;

/// Sets the defaults. 'size' is sizeof(ct_host_world_options).
CT_HOST_API void ct_host_world_options_init(ct_host_world_options *options, uint32_t size);

/// Makes a world with the built-in components, without rows. Returns CT_OK, CT_ERR_MEMORY, or
/// CT_ERR_DATA, also for a name that is used.
CT_HOST_API ct_status ct_host_world_new(ct_host_entities *host,
                                        const ct_host_world_options *options, ct_host_world *out);

/// Unloads the levels of the world, the youngest first, and ends it with its components, queries,
/// spaces, watches, hooks, publishers and subscribers. If 'with_entities', destroys every entity
/// that has a component in it. Returns CT_OK, CT_ERR_MEMORY or CT_ERR_DATA. O(rows).
CT_HOST_API ct_status ct_host_world_destroy(ct_host_entities *host, ct_host_world world,
                                            bool with_entities);

/// Removes all components of a world, and keeps the memory. If 'with_entities', first destroys
/// every entity that has one. Returns CT_OK, CT_ERR_MEMORY or CT_ERR_DATA. O(rows).
CT_HOST_API ct_status ct_host_clear(ct_host_entities *host, ct_host_world world,
                                    bool with_entities);

/// Removes components of dead entities, and writes their number to *removed (may be NULL). If
/// 'all', looks at all rows, O(rows); otherwise at the deaths since the last call and a few random
/// rows, O(deaths). Call it once in a frame. Rows move.
CT_HOST_API ct_status ct_host_gc(ct_host_entities *host, ct_host_world world, bool all,
                                 uint32_t *removed);

/// Writes the next random number of a world, from 0 to below 1, to *out. Its generator begins with
/// the seed of the world; snapshots, saves and the hash contain it. Returns CT_OK or CT_ERR_DATA.
CT_HOST_API ct_status ct_host_random(ct_host_entities *host, ct_host_world world, double *out);

/// Writes the number of allocated bytes of a world. Returns CT_OK or CT_ERR_DATA. O(managers).
CT_HOST_API ct_status ct_host_memory(ct_host_entities *host, ct_host_world world, size_t *bytes);

/// Checks every invariant of a world, for tests. Returns CT_OK, or CT_ERR_DATA with the reason,
/// which can also be that there is no memory for the check. O(rows).
CT_HOST_API ct_status ct_host_validate(ct_host_entities *host, ct_host_world world);

// ---------------------------------------------------------------- components

/// Description of a component type. A field is as in cuttle.h: name, type, read_only, required,
/// preset.
typedef struct ct_host_component_options {
    uint32_t size;
    uint32_t flags;   ///< CT_COMPONENT_MULTIPLE, CT_COMPONENT_ARRAY
    const char *name; ///< an identifier of at most 63 letters, not of a built-in component
    const ct_component_field *fields;
    uint32_t field_count; ///< at most 60
    bool migrate;         ///< rows of an older definition keep what fits by name and type
} ct_host_component_options;

/// Sets the defaults. 'size' is sizeof(ct_host_component_options).
CT_HOST_API void ct_host_component_options_init(ct_host_component_options *options, uint32_t size);

/// Defines a component type in a world. With the fields of an existing definition, returns that one
/// and sets its presets. With other fields it replaces the definition, whose handle becomes
/// invalid. Returns CT_OK; CT_ERR_MEMORY; CT_ERR_EXISTS if living entities have components of the
/// other definition, and 'migrate' is not set; CT_ERR_DATA. O(fields); with 'migrate' O(rows).
CT_HOST_API ct_status ct_host_define(ct_host_entities *host, ct_host_world world,
                                     const ct_host_component_options *options,
                                     ct_host_component *out);

/// Finds a component type by name: "transform", "debug_name", "mesh", "model", "point_mass",
/// "actor", "grid", or one that was defined. Returns CT_OK, CT_ERR_MEMORY, or CT_ERR_DATA if there
/// is none. O(types): keep the handle.
CT_HOST_API ct_status ct_host_find_component(ct_host_entities *host, ct_host_world world,
                                             const char *name, ct_host_component *out);

/// Field of a component type.
typedef struct ct_host_field {
    uint32_t size;
    uint32_t type;    ///< a ct_field_type
    const char *name; ///< valid as long as the component
    uint32_t bytes;   ///< of an item in a column
    bool read_only;   ///< ct_host_column_of returns it for reading only
} ct_host_field;

/// Returns the number of fields, 0 for an invalid handle. Fields are numbered as they were defined.
CT_HOST_API uint32_t ct_host_field_count(ct_host_entities *host, ct_host_component component);

/// Describes a field. Returns CT_OK or CT_ERR_DATA.
CT_HOST_API ct_status ct_host_field_at(ct_host_entities *host, ct_host_component component,
                                       uint32_t field, ct_host_field *out);

/// Finds a field by name. Returns CT_OK, or CT_ERR_DATA with the nearest name. O(fields): keep the
/// number.
CT_HOST_API ct_status ct_host_find_field(ct_host_entities *host, ct_host_component component,
                                         const char *name, uint32_t *field);

/// Gets the label of a number in an enum field, with a zero byte after it. Labels are numbered from
/// 0. Returns CT_OK, or CT_ERR_DATA if there is no such label.
CT_HOST_API ct_status ct_host_label(ct_host_entities *host, ct_host_component component,
                                    uint32_t field, uint32_t number, ct_text *out);

/// Values for one field of new components. Items have the format of ct_values in cuttle.h: that of
/// a column, but a string is a ct_text. For built-in components the names are those of the manual,
/// "position", "rotation", "parent" ...
typedef struct ct_host_value {
    const char *field;
    const void *items;
    uint32_t stride; ///< bytes from one item to the next; 0: one item for all
} ct_host_value;

/// Adds a component to each owner, in consecutive rows from *first (may be NULL), all or none.
/// Fields without a value get their defaults. Parents first: the parent of a transform must have a
/// transform already. If a hook removes the first component again, *first is CT_NO_ROW. Returns
/// CT_OK; CT_ERR_MEMORY; CT_ERR_FULL; CT_ERR_EXISTS if an owner has the component; CT_ERR_DATA if
/// an owner is dead, or a value or a hook refuses it. O(count); may allocate.
CT_HOST_API ct_status ct_host_add(ct_host_entities *host, ct_host_component component,
                                  uint32_t count, const ct_entity *owners, uint32_t value_count,
                                  const ct_host_value *values, uint32_t *first);

/// Component of entities that ct_host_create_with creates.
typedef struct ct_host_part {
    ct_host_component component;
    const ct_host_value *values;
    uint32_t value_count;
} ct_host_part;

/// Creates 'count' entities with components of one world, all or nothing. Hooks run when all parts
/// exist. Statuses and cost as ct_host_add, for all parts together.
CT_HOST_API ct_status ct_host_create_with(ct_host_entities *host, ct_host_world world,
                                          uint32_t count, uint32_t part_count,
                                          const ct_host_part *parts, ct_entity *out);

/// Removes all components of this type from each entity, and writes their number to *destroyed (may
/// be NULL). Entities without one, and dead ones, are ignored. Rows move. Returns CT_OK or
/// CT_ERR_DATA. O(count).
CT_HOST_API ct_status ct_host_destroy_components(ct_host_entities *host,
                                                 ct_host_component component, uint32_t count,
                                                 const ct_entity *owners, uint32_t *destroyed);

/// Removes the component of one row; the last row moves to its place. Returns CT_OK or CT_ERR_DATA.
CT_HOST_API ct_status ct_host_destroy_row(ct_host_entities *host, ct_host_component component,
                                          uint32_t row);

/// Finds the first row of each entity, CT_NO_ROW for an entity without one. A row is valid until
/// components of its type are removed. Returns CT_OK or CT_ERR_DATA. O(count).
CT_HOST_API ct_status ct_host_find(ct_host_entities *host, ct_host_component component,
                                   uint32_t count, const ct_entity *entities, uint32_t *rows);

/// Returns the next row of the same entity, for a component with CT_COMPONENT_MULTIPLE, or
/// CT_NO_ROW.
CT_HOST_API uint32_t ct_host_next(ct_host_entities *host, ct_host_component component,
                                  uint32_t row);

/// Gets the id of a component with CT_COMPONENT_MULTIPLE, unique within its entity: as the level
/// gives it, otherwise a number of the manager. It is 0 for other components. A text has a zero
/// byte after it, and is valid as long as the component. Returns CT_OK or CT_ERR_DATA.
CT_HOST_API ct_status ct_host_id_of(ct_host_entities *host, ct_host_component component,
                                    uint32_t row, ct_component_id *out);

/// Finds the row of an entity with an id; CT_NO_ROW if there is none. Returns CT_OK or CT_ERR_DATA.
CT_HOST_API ct_status ct_host_find_id(ct_host_entities *host, ct_host_component component,
                                      ct_entity e, const ct_component_id *id, uint32_t *row);

/// Makes room for 'count' rows in total: up to this number, adding components allocates no rows.
/// Returns CT_OK, CT_ERR_MEMORY, CT_ERR_FULL or CT_ERR_DATA.
CT_HOST_API ct_status ct_host_reserve(ct_host_entities *host, ct_host_component component,
                                      uint32_t count);

/// Items of one field, and owners, by row.
typedef struct ct_host_column {
    uint32_t size;
    uint32_t count;          ///< rows, including those of dead owners that wait for gc
    void *items;             ///< address of the item of row 0; NULL if there are no rows
    uint32_t stride;         ///< bytes between items
    const ct_entity *owners; ///< read-only; an owner may be dead, or CT_NOBODY
} ct_host_column;

/// Gets a column, until components of the type are added or removed. Items may be written, except
/// those of read-only fields, strings, transforms and grids. Writes must keep the rules of
/// cuttle.h: no NaN but the quiet one, a bool is 0 or 1, an enum a label, an entity an id or
/// CT_NOBODY. Returns CT_OK, or CT_ERR_DATA for a field without a column.
CT_HOST_API ct_status ct_host_column_of(ct_host_entities *host, ct_host_component component,
                                        uint32_t field, ct_host_column *out);

/// Copies the item of one row to 'out', which has 'bytes' bytes, as many as the item. Returns
/// CT_OK, or CT_ERR_DATA, also for a value field, which has no items.
CT_HOST_API ct_status ct_host_read(ct_host_entities *host, ct_host_component component,
                                   uint32_t field, uint32_t row, void *out, uint32_t bytes);

/// Gets the text of a string field, the label of an enum field, or the bytes of a value field,
/// which are none for nil, with a zero byte after it. Valid until a string of the world is written
/// or removed. Returns CT_OK or CT_ERR_DATA.
CT_HOST_API ct_status ct_host_text(ct_host_entities *host, ct_host_component component,
                                   uint32_t field, uint32_t row, ct_text *out);

/// Writes one field of one row; 'item' has the format of ct_host_value. Returns CT_OK,
/// CT_ERR_MEMORY or CT_ERR_DATA. For a transform also the cost of its descendants.
CT_HOST_API ct_status ct_host_write(ct_host_entities *host, ct_host_component component,
                                    uint32_t field, uint32_t row, const void *item);

/// Registers a name that meshes may have as their resource: components and levels with other names
/// are refused. Returns CT_OK, also for a known name; CT_ERR_MEMORY; CT_ERR_FULL; CT_ERR_DATA.
CT_HOST_API ct_status ct_host_mesh(ct_host_entities *host, ct_host_world world, const char *name);

/// Finds the first living entity with this debug_name; CT_NOBODY if there is none. Returns CT_OK or
/// CT_ERR_DATA.
CT_HOST_API ct_status ct_host_find_name(ct_host_entities *host, ct_host_world world,
                                        const char *name, ct_entity *out);

/// Advances all point masses of a world by one step: velocity += acceleration * dt, then position
/// += velocity * dt. Returns CT_OK or CT_ERR_DATA. O(rows).
CT_HOST_API ct_status ct_host_simulate(ct_host_entities *host, ct_host_world world, float dt);

// ---------------------------------------------------------------- hooks

// The hooks of a component type run at once for each component that is added or removed, also by
// levels, patches and messages, and not by a restore. They stay when the type is defined again. The
// order: on_add hooks when everything that the call creates exists, component types in spawn order
// (built-in ones first, in the order of ct_host_find_component), then by row; destroy callbacks
// before on_remove hooks. Hooks of one type run in the order of their registration.

/// Call that added or removed a component.
typedef enum ct_host_reason {
    CT_HOST_REASON_DESTROY, ///< ct_host_destroy
    CT_HOST_REASON_REMOVE,  ///< of the component alone
    CT_HOST_REASON_CREATE,  ///< ct_host_add, ct_host_create_with
    CT_HOST_REASON_SPAWN,
    CT_HOST_REASON_RESTART, ///< for new and for old entities
    CT_HOST_REASON_PATCH,
    CT_HOST_REASON_APPLY, ///< a message of a publisher, or the end of its subscriber's entities
    CT_HOST_REASON_UNLOAD,
    CT_HOST_REASON_CLEAR,
    CT_HOST_REASON_UNDO, ///< a call that created components failed
    CT_HOST_REASON_WORLD ///< the world ends
} ct_host_reason;

/// Component that was added, or is about to be removed.
typedef struct ct_host_event {
    uint32_t size;
    ct_host_reason reason;
    ct_host_component component;
    ct_entity entity; ///< in on_remove perhaps not alive any more; all its components can be read
    uint32_t row;     ///< until components of the type are added or removed
} ct_host_event;

/// Hook. In on_add, false makes the call fail with CT_ERR_DATA, and undoes it: on_remove hooks run
/// for each component whose on_add hooks have begun. In on_remove the result is ignored.
typedef bool (*ct_host_hook_fn)(void *user, const ct_host_event *event);

/// Registers a hook for components that are added. It may create and destroy entities, add, write
/// and remove components, and set and link poses; other changes return CT_ERR_DATA. If it removes
/// the component, the remaining hooks of its addition do not run. Returns CT_OK, CT_ERR_MEMORY or
/// CT_ERR_DATA. ct_host_release ends it, also while it runs.
CT_HOST_API ct_status ct_host_on_add(ct_host_entities *host, ct_host_component component,
                                     ct_host_hook_fn fn, void *user, ct_host_hook *out);

/// Registers a hook for components that are removed, or whose owners die: once for each component,
/// and not again by ct_host_gc. It may change nothing. Statuses as ct_host_on_add.
CT_HOST_API ct_status ct_host_on_remove(ct_host_entities *host, ct_host_component component,
                                        ct_host_hook_fn fn, void *user, ct_host_hook *out);

// ---------------------------------------------------------------- transforms

/// Base of a pose.
typedef enum ct_host_relation {
    CT_HOST_LOCAL, ///< to the parent
    CT_HOST_WORLD
} ct_host_relation;

/// Gets the poses of entities with a transform. Returns CT_OK, or CT_ERR_DATA if one has none;
/// nothing is written then. O(count).
CT_HOST_API ct_status ct_host_poses(ct_host_entities *host, ct_host_world world,
                                    ct_host_relation relation, uint32_t count,
                                    const ct_entity *entities, ct_pose *out);

/// Sets poses, items of poses->items, and updates all descendants, each once. A world pose below a
/// scale of zero does not exist: such entities keep their pose, and *refused (may be NULL) is their
/// number. Returns CT_OK, CT_ERR_MEMORY, or CT_ERR_DATA if an entity has no transform. O(count +
/// descendants).
CT_HOST_API ct_status ct_host_set_poses(ct_host_entities *host, ct_host_world world,
                                        ct_host_relation relation, uint32_t count,
                                        const ct_entity *entities, const ct_values *poses,
                                        uint32_t *refused);

/// Makes 'child' the last child of 'parent', or a root if that is CT_NOBODY. If 'keep_world', its
/// world pose stays, otherwise its local pose. Returns CT_OK; CT_ERR_CYCLE; CT_ERR_DATA if one has
/// no transform or the world pose cannot be kept. O(depth + descendants).
CT_HOST_API ct_status ct_host_link(ct_host_entities *host, ct_host_world world, ct_entity child,
                                   ct_entity parent, bool keep_world);

/// Does the same with a node of the parent's model, counted from 0: the world pose of the child is
/// that of the parent x the node's matrix since the last ct_host_evaluate x the child's local pose.
/// Returns also CT_ERR_MEMORY, and CT_ERR_DATA if the parent has no such node.
CT_HOST_API ct_status ct_host_link_node(ct_host_entities *host, ct_host_world world,
                                        ct_entity child, ct_entity parent, uint32_t node,
                                        bool keep_world);

/// Gets the parent of a transform; CT_NOBODY for a root. Returns CT_OK or CT_ERR_DATA.
CT_HOST_API ct_status ct_host_parent(ct_host_entities *host, ct_host_world world, ct_entity e,
                                     ct_entity *parent);

/// Writes the living children, in the order of their links, and at most 'capacity' of them;
/// *count is their total number. Returns CT_OK or CT_ERR_DATA. O(children).
CT_HOST_API ct_status ct_host_children(ct_host_entities *host, ct_host_world world, ct_entity e,
                                       uint32_t capacity, ct_entity *out, uint32_t *count);

/// Writes the entity and its living descendants, children before their parents, and at most
/// 'capacity' of them; *count is their total number. To destroy all of them, pass the list to
/// ct_host_destroy. Returns CT_OK or CT_ERR_DATA. O(descendants).
CT_HOST_API ct_status ct_host_subtree(ct_host_entities *host, ct_host_world world, ct_entity e,
                                      uint32_t capacity, ct_entity *out, uint32_t *count);

/// Starts to record which world poses change, for renderers and physics. Returns CT_OK,
/// CT_ERR_MEMORY or CT_ERR_DATA. Each watch costs 1 to 2 ns for each world pose that is computed.
CT_HOST_API ct_status ct_host_watch_poses(ct_host_entities *host, ct_host_world world,
                                          ct_host_watch *out);

/// Changes since the last call for a watch.
typedef struct ct_host_changes {
    uint32_t size;
    uint32_t count;
    const ct_entity *entities; ///< in no order; without a transform: it was removed. Valid until
                               ///< the next call for the watch
    bool all; ///< any pose may have changed, and no entity is listed: at the first call, after a
              ///< restore, or if the list would be too long
} ct_host_changes;

/// Gets the changes since the last call. Returns CT_OK or CT_ERR_DATA. O(changes + deaths).
CT_HOST_API ct_status ct_host_changed(ct_host_entities *host, ct_host_watch watch,
                                      ct_host_changes *out);

// ---------------------------------------------------------------- models

// A model is a hierarchy of nodes inside an entity: its bones or wheels. A definition is shared;
// the component "model" has its name in the field "resource", and poses of its own.

#define CT_HOST_NO_NODE 0xFFFFFFFFu

/// Node of a definition.
typedef struct ct_host_node {
    const char *name; ///< unique in the model; NULL: none
    uint32_t parent;  ///< number of an earlier node, from 0, or CT_HOST_NO_NODE
    ct_pose pose;     ///< rest pose, relative to the parent
} ct_host_node;

/// Defines the nodes of a model, 1 to 65535, before components and levels use its name. A second
/// definition with as many nodes and the same parents replaces names and rest poses; entities keep
/// their poses. Returns CT_OK; CT_ERR_MEMORY; CT_ERR_FULL; CT_ERR_EXISTS if living entities use the
/// name with other nodes; CT_ERR_DATA. O(nodes x log nodes), for a second definition also O(rows).
CT_HOST_API ct_status ct_host_define_model(ct_host_entities *host, ct_host_world world,
                                           const char *name, uint32_t count,
                                           const ct_host_node *nodes);

/// Nodes of an entity.
typedef struct ct_host_nodes {
    uint32_t size;
    uint32_t count;
    const float *matrices; ///< 16 numbers for each node, relative to the entity, as of the last
                           ///< ct_host_evaluate; valid until models are added, changed or removed
} ct_host_nodes;

/// Gets the nodes of an entity. Returns CT_OK or CT_ERR_DATA.
CT_HOST_API ct_status ct_host_nodes_of(ct_host_entities *host, ct_host_world world, ct_entity e,
                                       ct_host_nodes *out);

/// Finds a node of an entity by name. Returns CT_OK, or CT_ERR_DATA with the nearest name.
/// O(nodes): keep the number.
CT_HOST_API ct_status ct_host_find_node(ct_host_entities *host, ct_host_world world, ct_entity e,
                                        const char *name, uint32_t *node);

/// Gets the pose of a node relative to its parent. Returns CT_OK or CT_ERR_DATA.
CT_HOST_API ct_status ct_host_node_pose(ct_host_entities *host, ct_host_world world, ct_entity e,
                                        uint32_t node, ct_pose *out);

/// Sets the pose of a node relative to its parent, for the next ct_host_evaluate. Returns CT_OK or
/// CT_ERR_DATA.
CT_HOST_API ct_status ct_host_set_node_pose(ct_host_entities *host, ct_host_world world,
                                            ct_entity e, uint32_t node, const ct_pose *pose);

/// Computes the matrices of all models with a node that was set, and the poses of transforms that
/// are linked to nodes. Returns CT_OK or CT_ERR_DATA. O(nodes of these models).
CT_HOST_API ct_status ct_host_evaluate(ct_host_entities *host, ct_host_world world);

/// Writes the world matrix of a node, 16 numbers, to out. Returns CT_OK, or CT_ERR_DATA if the
/// entity has no such node or no transform.
CT_HOST_API ct_status ct_host_node_matrix(ct_host_entities *host, ct_host_world world, ct_entity e,
                                          uint32_t node, float *out);

// ---------------------------------------------------------------- grids

// A grid is a layer of tiles in one component, "grid", with the fields "width" and "height" (a
// uint32_t each), "cell_size" (two floats, 16), and "tiles", a name of ct_host_define_tiles. A new
// grid is empty. Cells are numbered from 0; (x, y) is cells[y * width + x]. Questions use the
// coordinates of world poses, and ignore z.

/// Defines which numbers are solid in grids with these 'tiles', instead of all but 0. Returns
/// CT_OK, CT_ERR_MEMORY, CT_ERR_FULL or CT_ERR_DATA. O(count log count).
CT_HOST_API ct_status ct_host_define_tiles(ct_host_entities *host, ct_host_world world,
                                           const char *name, uint32_t count, const uint32_t *solid);

/// Grid of an entity, until a cell is written or a grid is added, changed or removed.
typedef struct ct_host_grid {
    uint32_t size;
    uint32_t width, height;
    float cell_width, cell_height;
    const uint32_t *cells;      ///< row by row, read-only; 0 is empty
    const unsigned char *flips; ///< of each cell: 1 horizontal + 2 vertical + 4 diagonal, which is
                                ///< applied first; NULL: no cell is flipped
} ct_host_grid;

/// Gets the grid of an entity. Returns CT_OK or CT_ERR_DATA.
CT_HOST_API ct_status ct_host_grid_of(ct_host_entities *host, ct_host_world world, ct_entity e,
                                      ct_host_grid *out);

/// Writes 'count' cells from (x, y) to the right, without flips. Returns CT_OK, CT_ERR_MEMORY, or
/// CT_ERR_DATA if a cell is outside. O(count); O(cells) if the cells are shared with another grid
/// of a level or with a snapshot.
CT_HOST_API ct_status ct_host_set_cells(ct_host_entities *host, ct_host_world world, ct_entity e,
                                        uint32_t x, uint32_t y, uint32_t count,
                                        const uint32_t *values);

/// Writes one number to a block of cells. Statuses and cost as ct_host_set_cells.
CT_HOST_API ct_status ct_host_fill_cells(ct_host_entities *host, ct_host_world world, ct_entity e,
                                         uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                                         uint32_t value);

/// Writes the flips of a cell, 0 to 7. Statuses and cost as ct_host_set_cells.
CT_HOST_API ct_status ct_host_set_flips(ct_host_entities *host, ct_host_world world, ct_entity e,
                                        uint32_t x, uint32_t y, uint32_t flips);

/// Finds the cell at point[0 .. 1] of the world. *inside is false if there is none. Returns CT_OK
/// or CT_ERR_DATA.
CT_HOST_API ct_status ct_host_cell_at(ct_host_entities *host, ct_host_world world, ct_entity e,
                                      const double *point, ct_grid_cell *out, bool *inside);

/// Finds the cells that are not empty and touch the box from (box[0], box[1]) to (box[2], box[3]),
/// and writes at most 'capacity' of them; *count is their total number. Returns CT_OK or
/// CT_ERR_DATA. O(rows + cells touched).
CT_HOST_API ct_status ct_host_cells_in(ct_host_entities *host, ct_host_world world, ct_entity e,
                                       const double *box, uint32_t capacity, ct_grid_cell *out,
                                       uint32_t *count);

/// Finds the first solid cell on the line from (ray[0], ray[1]) to (ray[2], ray[3]), ends included.
/// *found is false if there is none. Returns CT_OK or CT_ERR_DATA. O(width + height).
CT_HOST_API ct_status ct_host_grid_ray(ct_host_entities *host, ct_host_world world, ct_entity e,
                                       const double *ray, ct_grid_hit *hit, bool *found);

/// Moves a box with centre (box[0], box[1]) and half size (box[2], box[3]) by step[0 .. 1]. It
/// stops exactly at the first solid cell, and slides along it with the rest of the step. 'where',
/// which may be NULL, decides instead of the tiles which cells are solid, and gets 'user'. Returns
/// CT_OK, or CT_ERR_DATA if the grid is rotated, mirrored or scaled, or a number is invalid.
/// O(width + height), times the cells at one edge of the box.
CT_HOST_API ct_status ct_host_grid_move(ct_host_entities *host, ct_host_world world, ct_entity e,
                                        const double *box, const double *step, ct_grid_where where,
                                        void *user, ct_grid_stop *out);

/// Finds few rectangles that cover exactly the solid cells, for physics bodies, and writes at most
/// 'capacity' of them; *count is their total number. 'where' as in ct_host_grid_move. Returns
/// CT_OK, CT_ERR_MEMORY or CT_ERR_DATA. O(cells); allocates a byte for each cell during the call.
CT_HOST_API ct_status ct_host_colliders(ct_host_entities *host, ct_host_world world, ct_entity e,
                                        ct_grid_where where, void *user, uint32_t capacity,
                                        ct_grid_rectangle *out, uint32_t *count);

/// The same for the outlines of the solid cells: the corners of one outline after the other. With y
/// down, outer outlines are clockwise and holes counterclockwise.
CT_HOST_API ct_status ct_host_outlines(ct_host_entities *host, ct_host_world world, ct_entity e,
                                       ct_grid_where where, void *user, uint32_t capacity,
                                       ct_grid_corner *out, uint32_t *count);

// ---------------------------------------------------------------- resources, levels

/// Checks the bytes of a compiled level completely, and makes a resource of a copy. 'name', which
/// may be NULL, is the name that saves use to find it again. Returns CT_OK, CT_ERR_MEMORY, or
/// CT_ERR_DATA with what is wrong in the file. O(bytes).
CT_HOST_API ct_status ct_host_load(ct_host_entities *host, const void *bytes, size_t count,
                                   const char *name, ct_host_resource *out);

/// Options of a spawn.
typedef struct ct_host_spawn_options {
    uint32_t size;
    bool refuse_unknown;  ///< an unknown component type is an error; otherwise it is skipped
    ct_entity parent;     ///< of the roots, with a transform; CT_NOBODY
    const ct_pose *pose;  ///< composed with the pose of each root; NULL: none
    uint32_t copies;      ///< how often the resource is spawned; 1
    const ct_pose *poses; ///< one for each copy, instead of 'pose'; NULL: none
    const ct_override *overrides; ///< changes of values, for every copy
    uint32_t override_count;
    uint32_t state_bytes;    ///< of 'state'
    const void *state;       ///< of ct_host_level_save: what differs from the resource; NULL: none
    const char *name;        ///< of the level; a save keeps it; NULL: that of the resource
    const char *parent_node; ///< of the parent's model, for the roots; NULL: none
} ct_host_spawn_options;

/// Sets the defaults. 'size' is sizeof(ct_host_spawn_options).
CT_HOST_API void ct_host_spawn_options_init(ct_host_spawn_options *options, uint32_t size);

/// Spawns a resource into a world, all or nothing. Returns CT_OK, CT_ERR_MEMORY, CT_ERR_FULL or
/// CT_ERR_DATA. O(bytes of the resource x copies).
CT_HOST_API ct_status ct_host_spawn(ct_host_entities *host, ct_host_world world,
                                    ct_host_resource resource, const ct_host_spawn_options *options,
                                    ct_host_level *out);

/// Writes the entities of a level, copy by copy in the order of the resource, dead ones included,
/// and at most 'capacity' of them; *count is their total number, 0 after an unload. Returns CT_OK
/// or CT_ERR_DATA. O(entities).
CT_HOST_API ct_status ct_host_level_entities(ct_host_entities *host, ct_host_level level,
                                             uint32_t capacity, ct_entity *out, uint32_t *count);

/// Finds the first living entity with a path of names, "lamp_7/bulb"; CT_NOBODY in *out if there is
/// none. Returns CT_OK, CT_ERR_MEMORY or CT_ERR_DATA. The first search of a kind is O(entities).
CT_HOST_API ct_status ct_host_level_find(ct_host_entities *host, ct_host_level level,
                                         const char *path, ct_entity *out);

/// Description of a level.
typedef struct ct_host_level_info {
    uint32_t size;
    uint32_t count;  ///< entities, dead ones included; 0 after an unload
    uint32_t alive;  ///< living entities
    uint32_t copies; ///< copies of the resource, one after the other in the list of entities
    ct_text name;    ///< without a zero byte after it; valid until the level changes or ends
} ct_host_level_info;

/// Describes a level, for example one of a save. Returns CT_OK or CT_ERR_DATA. O(entities).
CT_HOST_API ct_status ct_host_level_info_of(ct_host_entities *host, ct_host_level level,
                                            ct_host_level_info *out);

/// Writes what differs between a level now and a new spawn of its resource: for the option 'state',
/// when a level that was unloaded comes back. The bytes are valid until the next call that writes
/// bytes or a text: ct_host_save, ct_host_capture ... Returns CT_OK, CT_ERR_MEMORY, CT_ERR_FULL,
/// CT_ERR_EXISTS or CT_ERR_DATA. About the time of a spawn.
CT_HOST_API ct_status ct_host_level_save(ct_host_entities *host, ct_host_level level,
                                         const void **bytes, size_t *count);

/// Writes a text, with a zero byte after it, for each part of the option 'state' that the last
/// spawn of the level left out, because the resource or a component has changed. Validity and
/// statuses as ct_host_level_save.
CT_HOST_API ct_status ct_host_level_left(ct_host_entities *host, ct_host_level level,
                                         const void **texts, size_t *count);

/// Takes a living entity out of its level, with the entities of the level below it: an unload,
/// restart or patch does not change them. Returns CT_OK, CT_ERR_MEMORY, CT_ERR_EXISTS or
/// CT_ERR_DATA. O(entities).
CT_HOST_API ct_status ct_host_level_leave(ct_host_entities *host, ct_host_level level, ct_entity e);

/// Writes living entities, with all components as they are now, as the bytes of a compiled level,
/// for ct_host_load: to copy entities, or to give them to another process. A root of the list keeps
/// its world pose. A field that names another entity is an error, or CT_NOBODY if 'lenient'.
/// Validity and statuses as ct_host_level_save. O(components).
CT_HOST_API ct_status ct_host_capture(ct_host_entities *host, ct_host_world world, uint32_t count,
                                      const ct_entity *entities, bool lenient, const void **bytes,
                                      size_t *size);

/// Spawns the level again with the same options, then destroys its old entities. Also spawns a
/// level that was unloaded. Statuses and cost as ct_host_spawn.
CT_HOST_API ct_status ct_host_restart(ct_host_entities *host, ct_host_level level);

/// Destroys the living entities of a level, and writes their number to *destroyed (may be NULL).
/// The handle stays valid. Returns CT_OK or CT_ERR_DATA. O(entities).
CT_HOST_API ct_status ct_host_unload(ct_host_entities *host, ct_host_level level,
                                     uint32_t *destroyed);

/// Numbers of entities that a patch changed.
typedef struct ct_host_patch_counts {
    uint32_t size;
    uint32_t added, removed;
    uint32_t changed; ///< in place: fields written, components added or removed
    uint32_t moved;   ///< linked to another parent
    uint32_t left;    ///< with changed data of unknown types, which only a new spawn applies
} ct_host_patch_counts;

/// Changes a spawned level to a newer version of its resource: entities are matched by id or name
/// and keep their ids, and values that the game has changed stay. *counts may be NULL. Statuses as
/// ct_host_spawn. O(bytes of both resources).
CT_HOST_API ct_status ct_host_patch(ct_host_entities *host, ct_host_level level,
                                    ct_host_resource resource, ct_host_patch_counts *counts);

/// Writes handles of the levels with a living entity, the oldest first, and at most 'capacity' of
/// them; *count is their total number. Levels that a restore brought back get new handles, others
/// keep theirs. Returns CT_OK, CT_ERR_MEMORY or CT_ERR_DATA. O(levels x handles).
CT_HOST_API ct_status ct_host_levels(ct_host_entities *host, ct_host_world world, uint32_t capacity,
                                     ct_host_level *out, uint32_t *count);

// ---------------------------------------------------------------- snapshots, saves, hash

/// Saves the state of the entity manager and all its worlds in *snapshot: a new one if the handle
/// is 0, otherwise in its memory. Returns CT_OK, CT_ERR_MEMORY or CT_ERR_DATA. O(bytes of the
/// state), about the time of a copy. To rewind a game, use a recorder.
CT_HOST_API ct_status ct_host_take(ct_host_entities *host, ct_host_snapshot *snapshot);

/// Restores a state, any number of times. Rows move, and levels that the state does not have are
/// empty. For a snapshot of ct_host_read_save, worlds, components and fields are matched by name,
/// and ct_host_notes lists what did not fit; its levels use the resources that are loaded under
/// the same name, and are new ones: ct_host_levels finds their handles. Returns CT_OK,
/// CT_ERR_MEMORY, CT_ERR_FULL or CT_ERR_DATA. O(bytes).
CT_HOST_API ct_status ct_host_restore(ct_host_entities *host, ct_host_snapshot snapshot);

/// Returns the notes of the last restore of a save: texts that end with a zero byte, '*bytes' in
/// total; "" if everything did fit. Valid until the next restore.
CT_HOST_API const char *ct_host_notes(const ct_host_entities *host, uint32_t *bytes);

/// Writes a snapshot as a save: bytes for a file, which outlive the program and its definitions.
/// They are valid as those of ct_host_level_save. Returns CT_OK, CT_ERR_MEMORY, CT_ERR_FULL, or
/// CT_ERR_DATA. O(bytes).
CT_HOST_API ct_status ct_host_save(ct_host_entities *host, ct_host_snapshot snapshot,
                                   const void **bytes, size_t *count);

/// Makes a snapshot from a copy of a save, which may be any bytes. Returns CT_OK, CT_ERR_MEMORY, or
/// CT_ERR_DATA for damaged bytes; ct_host_restore checks the rest. O(bytes).
CT_HOST_API ct_status ct_host_read_save(ct_host_entities *host, const void *bytes, size_t count,
                                        ct_host_snapshot *out);

/// Writes a number that is equal for equal states, on every machine, to *hash. Returns CT_OK or
/// CT_ERR_DATA. O(rows).
CT_HOST_API ct_status ct_host_hash(ct_host_entities *host, uint64_t *hash);

// ---------------------------------------------------------------- recorders

/// Options of a recorder. Both numbers are 1 to 1048576.
typedef struct ct_host_recorder_options {
    uint32_t size;
    uint32_t every; ///< frame 1 and then every so many frames are recorded; 1
    uint32_t keep;  ///< maximum number of recorded frames; 600
} ct_host_recorder_options;

/// Sets the defaults. 'size' is sizeof(ct_host_recorder_options).
CT_HOST_API void ct_host_recorder_options_init(ct_host_recorder_options *options, uint32_t size);

/// Makes a recorder without frames. Returns CT_OK, CT_ERR_MEMORY or CT_ERR_DATA.
CT_HOST_API ct_status ct_host_recorder_new(ct_host_entities *host,
                                           const ct_host_recorder_options *options,
                                           ct_host_recorder *out);

/// Ends a frame: records the state of the entity manager and all its worlds, as ct_host_take does,
/// if the frame is one of every 'every' frames. A full recorder drops its oldest frame. Returns
/// CT_OK, CT_ERR_MEMORY or CT_ERR_DATA; unless it is CT_OK, the frame is not counted, and all
/// recorded frames stay. O(bytes of the state) for a recorded frame.
CT_HOST_API ct_status ct_host_record(ct_host_entities *host, ct_host_recorder recorder);

/// Restores the frame 'frames' before the last one (0: the last one), as ct_host_restore does. If
/// it was not recorded, restores the nearest recorded frame before it, or else the oldest one.
/// Drops all later frames; the next frame follows the restored one. Writes the number of frames
/// that it went back to *back (may be NULL); it is 0, and nothing changes, if nothing is recorded.
/// Returns CT_OK, CT_ERR_MEMORY, CT_ERR_FULL, or CT_ERR_DATA if a world or component was added or
/// ended since that frame. O(bytes of the state).
CT_HOST_API ct_status ct_host_rewind(ct_host_entities *host, ct_host_recorder recorder,
                                     uint64_t frames, uint64_t *back);

/// Size of a recorder.
typedef struct ct_host_recording {
    uint32_t size;
    uint32_t frames; ///< recorded frames, at most 'keep'
    size_t bytes;    ///< of all recorded frames; older ones are stored as changes
} ct_host_recording;

/// Writes the size of a recorder. Returns CT_OK or CT_ERR_DATA. O(recorded frames).
CT_HOST_API ct_status ct_host_recording_of(ct_host_entities *host, ct_host_recorder recorder,
                                           ct_host_recording *out);

// ---------------------------------------------------------------- queries

/// Component of a query.
typedef struct ct_host_term {
    ct_host_component component;
    ct_query_role role; ///< the first one is CT_QUERY_REQUIRED
} ct_host_term;

/// Makes a query of 1 to CT_MAX_JOINED components of one world. Its matches are the rows of the
/// first component with a living owner that meets the other roles. Returns CT_OK, CT_ERR_MEMORY or
/// CT_ERR_DATA.
CT_HOST_API ct_status ct_host_query_new(ct_host_entities *host, ct_host_world world, uint32_t count,
                                        const ct_host_term *terms, ct_host_query *out);

/// Finds the matches, unless nothing changed since the last call, and writes their number to
/// *count (may be NULL). Returns CT_OK; CT_ERR_MEMORY; CT_ERR_OVER if one of the components was
/// defined again; CT_ERR_DATA. O(rows of the first component) after changes.
CT_HOST_API ct_status ct_host_refresh(ct_host_entities *host, ct_host_query query, uint32_t *count);

/// Finds the next matches whose rows are consecutive in every component. Set *run to zeros before
/// the first call; run->count is 0 after the last match. Returns CT_OK, or CT_ERR_DATA if
/// components were added or removed or an entity died since ct_host_refresh.
///
///     ct_query_run run = {0, 0, {{0}}};
///     while (ct_host_run(host, query, &run) == CT_OK && run.count > 0)
///         for (uint32_t i = 0; i < run.count; ++i)
///             hp[run.rows[0].i + i] -= damage[run.rows[1].i + i];
CT_HOST_API ct_status ct_host_run(ct_host_entities *host, ct_host_query query, ct_query_run *run);

// ---------------------------------------------------------------- spaces

/// Options of a space. A field is given by a component of the query and its name; a NULL name
/// means none.
typedef struct ct_host_space_options {
    uint32_t size;
    uint32_t dimensions; ///< 2, which ignores z, or 3; 2
    double cell;         ///< about the usual reach of a question; no default
    double radius;       ///< of every entity, unless a field is given; 0
    ct_host_component radius_component, mask_component;
    const char *radius_field; ///< a number
    const char *mask_field;   ///< an integer, for ct_space_filter
} ct_host_space_options;

/// Sets the defaults. 'size' is sizeof(ct_host_space_options).
CT_HOST_API void ct_host_space_options_init(ct_host_space_options *options, uint32_t size);

/// Makes an index of the matches of a query with a transform. The query may end before the space.
/// Returns CT_OK, CT_ERR_MEMORY, CT_ERR_DATA, or CT_ERR_OVER if a component of the query was
/// defined again.
CT_HOST_API ct_status ct_host_space_new(ct_host_entities *host, ct_host_query query,
                                        const ct_host_space_options *options, ct_host_space *out);

/// Brings a space up to date, and writes the number of its entries to *count (may be NULL). Answers
/// are as of the last call, without entities that died since. After a restore the space is empty
/// until the next call. Returns CT_OK, CT_ERR_MEMORY, CT_ERR_OVER or CT_ERR_DATA. O(entries).
CT_HOST_API ct_status ct_host_space_refresh(ct_host_entities *host, ct_host_space space,
                                            uint32_t *count);

/// Finds the entities whose circles touch the circle around centre[0 .. 2]. Answers are in the
/// order of the query, and valid until the next question to the space. 'filter' may be NULL in all
/// questions. Returns CT_OK, CT_ERR_MEMORY, or CT_ERR_DATA for a coordinate that is not finite or a
/// negative length. O(entities in touched cells).
CT_HOST_API ct_status ct_host_within(ct_host_entities *host, ct_host_space space,
                                     const double *centre, double reach,
                                     const ct_space_filter *filter, ct_space_answer *out);

/// Finds the entities whose circles touch the box between two corners.
CT_HOST_API ct_status ct_host_box(ct_host_entities *host, ct_host_space space, const double *one,
                                  const double *other, const ct_space_filter *filter,
                                  ct_space_answer *out);

/// Finds the entity with the nearest centre, at most 'max' away (HUGE_VAL: no limit), or CT_NOBODY.
CT_HOST_API ct_status ct_host_nearest(ct_host_entities *host, ct_host_space space,
                                      const double *centre, double max,
                                      const ct_space_filter *filter, ct_space_near *out);

/// Finds at most 'count' entities with the nearest centres, the nearest first: *found_count items
/// from *found on, valid until the next question to the space.
CT_HOST_API ct_status ct_host_nearest_many(ct_host_entities *host, ct_host_space space,
                                           uint32_t count, const double *centre, double max,
                                           const ct_space_filter *filter,
                                           const ct_space_near **found, uint32_t *found_count);

/// Finds the first entity whose circle a segment with a thickness touches, or CT_NOBODY.
CT_HOST_API ct_status ct_host_ray(ct_host_entities *host, ct_host_space space, const double *from,
                                  const double *to, double thickness, const ct_space_filter *filter,
                                  ct_space_hit *hit);

/// Finds all pairs of entities whose circles are at most 'reach' apart: two entities for each,
/// out->entities[0] and [1], [2] and [3] ... out->count is twice the number of pairs. If
/// 'other' is another space of the same world, and not {0}, the first one is of 'space' and the
/// second one of 'other'. Returns also CT_ERR_FULL for more than 33554432 pairs.
CT_HOST_API ct_status ct_host_pairs(ct_host_entities *host, ct_host_space space, double reach,
                                    ct_host_space other, ct_space_answer *out);

// ---------------------------------------------------------------- replication

// A publisher records a world frame by frame, and writes messages for its peers, which are the
// receivers. A subscriber applies them to another world, on any machine. The program transports the
// messages, which may be lost, duplicated, delayed and reordered, and sends back the frame of the
// last message that it applied. Messages may be any bytes: they are checked completely. They are
// neither encrypted nor authenticated.

/// Quantization of a field: the receiver gets the nearest multiple of the step.
typedef struct ct_host_step {
    const char *component;
    const char *field; ///< with floats or doubles: "local_position"
    double step;       ///< above 0
} ct_host_step;

/// Options of a publisher or subscriber.
typedef struct ct_host_replication_options {
    uint32_t size;
    uint32_t component_count;
    const char *const *components; ///< names that are published, at least one; of a subscriber: the
                                   ///< only names that a message may have, or none for all
    const ct_host_step *steps;     ///< of a publisher
    uint32_t step_count;
    uint32_t keep;         ///< of a publisher: for so many frames without an acknowledgement a
                           ///< message has only changes; 64
    uint32_t max_bytes;    ///< of a subscriber: limit of a message; 1048576
    uint32_t max_entities; ///< of a subscriber: limit of entities; 65536
} ct_host_replication_options;

/// Sets the defaults. 'size' is sizeof(ct_host_replication_options).
CT_HOST_API void ct_host_replication_options_init(ct_host_replication_options *options,
                                                  uint32_t size);

/// Makes a publisher of a world. Returns CT_OK, CT_ERR_MEMORY, or CT_ERR_DATA for unknown
/// components and fields.
CT_HOST_API ct_status ct_host_publisher_new(ct_host_entities *host, ct_host_world world,
                                            const ct_host_replication_options *options,
                                            ct_host_publisher *out);

/// Records the state of the world as the next frame, and writes its number, from 1 on, to *frame
/// (may be NULL). Returns CT_OK, CT_ERR_MEMORY, CT_ERR_FULL or CT_ERR_DATA. About one comparison of
/// the published columns, and 0.1 us for each changed component.
CT_HOST_API ct_status ct_host_frame(ct_host_entities *host, ct_host_publisher publisher,
                                    uint32_t *frame);

/// Does the same, but publishes only these entities, for example the matches of a query, in every
/// message of the frame. Dead ones are ignored. Receivers lose the others.
CT_HOST_API ct_status ct_host_frame_of(ct_host_entities *host, ct_host_publisher publisher,
                                       const ct_entity *list, uint32_t count, uint32_t *frame);

/// Makes a peer that has received nothing. It ends with its publisher. Returns CT_OK,
/// CT_ERR_MEMORY or CT_ERR_DATA.
CT_HOST_API ct_status ct_host_peer_new(ct_host_entities *host, ct_host_publisher publisher,
                                       ct_host_peer *out);

/// Message for a receiver.
typedef struct ct_host_packet {
    uint32_t size;
    uint32_t frame;    ///< the newest frame of the publisher
    const void *bytes; ///< valid until the next call for the publisher or one of its peers
    size_t count;
    uint32_t waiting; ///< number of entities that had no room, and are sent later
} ct_host_packet;

/// Writes a message from the acknowledged frame of a peer to the newest one. If 'list' is not NULL,
/// the receiver gets only these 'count' entities, and loses others that it has. If 'limit' is not
/// 0, entities that do not fit in so many bytes wait: removals and new entities are sent first, and
/// at least one entity. Returns CT_OK, CT_ERR_MEMORY, CT_ERR_FULL, or CT_ERR_DATA if there is no
/// frame. O(entities + lists since the acknowledged frame).
CT_HOST_API ct_status ct_host_peer_message(ct_host_entities *host, ct_host_peer peer,
                                           const ct_entity *list, uint32_t count, uint32_t limit,
                                           ct_host_packet *out);

/// Writes a message with all changes from a recorded frame to the newest one: the same bytes for
/// every receiver at that frame, without a peer. If 'base' is 0 or is not kept, the message is
/// full. Statuses as ct_host_peer_message. O(entities), about 2 ns each, unless the last call had
/// the same frames.
CT_HOST_API ct_status ct_host_shared_message(ct_host_entities *host, ct_host_publisher publisher,
                                             uint32_t base, ct_host_packet *out);

/// Notes that the receiver is at a frame. Returns CT_OK, or CT_ERR_DATA if no message of this frame
/// was made for the peer, or if it is too old.
CT_HOST_API ct_status ct_host_acknowledge(ct_host_entities *host, ct_host_peer peer,
                                          uint32_t frame);

/// Makes a subscriber that has received nothing. Returns CT_OK, CT_ERR_MEMORY or CT_ERR_DATA.
CT_HOST_API ct_status ct_host_subscriber_new(ct_host_entities *host, ct_host_world world,
                                             const ct_host_replication_options *options,
                                             ct_host_subscriber *out);

/// Applies a message completely, or not at all: creates, changes and destroys entities. A message
/// that is not newer than the last one does nothing. Writes the frame of the subscriber, to be sent
/// back, to *frame (may be NULL). Returns CT_OK; CT_ERR_MEMORY; CT_ERR_FULL; CT_ERR_DATA for
/// damaged bytes, beyond a limit, if an earlier message is missing, and after a restore of the
/// entity manager, until ct_host_forget. O(bytes).
CT_HOST_API ct_status ct_host_apply(ct_host_entities *host, ct_host_subscriber subscriber,
                                    const void *bytes, size_t count, uint32_t *frame);

/// Finds the entities of this side for entities of the publisher. out[i] is CT_NOBODY if there is
/// none. Returns CT_OK or CT_ERR_DATA. O(count).
CT_HOST_API ct_status ct_host_received(ct_host_entities *host, ct_host_subscriber subscriber,
                                       uint32_t count, const ct_entity *published, ct_entity *out);

/// Finds the entities of the publisher for entities of this side, as ct_host_received the reverse.
CT_HOST_API ct_status ct_host_published(ct_host_entities *host, ct_host_subscriber subscriber,
                                        uint32_t count, const ct_entity *received, ct_entity *out);

/// Forgets everything that was received: the next message must be full. With 'destroy', destroys
/// the received entities; else they stay. Returns CT_OK or CT_ERR_DATA. O(received values).
CT_HOST_API ct_status ct_host_forget(ct_host_entities *host, ct_host_subscriber subscriber,
                                     bool destroy);

/// Writes how the components of the publisher and of this world differ: a text, with a zero byte
/// after it, for each field or component that only one side has, or that has another type; none if
/// they fit. Valid until the next call that writes bytes or a text. Returns CT_OK, CT_ERR_MEMORY or
/// CT_ERR_DATA.
CT_HOST_API ct_status ct_host_differences(ct_host_entities *host, ct_host_subscriber subscriber,
                                          const void **texts, size_t *bytes);

/// Writes the received values where the world differs from them, and their number to *written (may
/// be NULL): to replay the inputs of a prediction. Only for these entities, unless 'list' is NULL.
/// Statuses as ct_host_apply. O(received values).
CT_HOST_API ct_status ct_host_put_back(ct_host_entities *host, ct_host_subscriber subscriber,
                                       const ct_entity *list, uint32_t count, uint32_t *written);

#ifdef __cplusplus
}
#endif

#endif
