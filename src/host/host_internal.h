// The entity manager of a host: handles, and the objects that they name.
// Longer than 150 lines: the sources of the host share it.
#ifndef CT_HOST_INTERNAL_H
#define CT_HOST_INTERNAL_H

#define CT_HOST_BUILD 1
#include "cuttle_host.h"

#include "base/message.h"
#include "base/writer.h"
#include "level/level.h"
#include "level/snapshot.h"
#include "storage/query.h"
#include "world/clear.h"
#include "world/hooks/hooks.h"
#include "world/space/space.h"

#include <string.h>

/// Kinds of objects. CT_SLOT_FREE_ENTRY is 0.
typedef enum ct_slot_kind {
    CT_SLOT_NONE,
    CT_SLOT_WORLD,     ///< object: ct_slot_world
    CT_SLOT_COMPONENT, ///< object: ct_manager
    CT_SLOT_RESOURCE,  ///< object: ct_slot_resource
    CT_SLOT_LEVEL,     ///< object: ct_level, with a reference
    CT_SLOT_SNAPSHOT,  ///< object: ct_slot_snapshot
    CT_SLOT_QUERY,     ///< object: ct_query
    CT_SLOT_SPACE,     ///< object: ct_slot_space
    CT_SLOT_WATCH,     ///< number: of ct_transform_watch
    CT_SLOT_PUBLISHER,
    CT_SLOT_PEER, ///< ends with its publisher
    CT_SLOT_SUBSCRIBER,
    CT_SLOT_RECORDER, ///< object: ct_recorder
    CT_SLOT_HOOK,     ///< object: ct_slot_hook
    CT_SLOT_KINDS
} ct_slot_kind;

/// The object of a handle: id = serial << 32 | index + 1. No two objects have one serial, and the
/// first serial depends on the address of the entity manager and the time, so that handles of
/// others are refused.
typedef struct ct_slot {
    void *object;
    uint32_t serial;
    uint32_t number; ///< of a watch; in a free slot, index + 1 of the next free one
    uint32_t world;  ///< index of the slot of its world; in others 0
    ct_slot_kind kind;
} ct_slot;

typedef struct ct_slot_world {
    ct_world core;
    ct_levels levels;
    uint32_t slot;
    char name[64];
} ct_slot_world;

/// Stays in place until no level holds it.
typedef struct ct_slot_resource {
    ct_resource core;
    bool named; ///< a handle names it
    struct ct_slot_resource *next;
} ct_slot_resource;

/// Function of the program that is called when components are added or removed.
typedef struct ct_slot_hook {
    struct ct_host_entities *host;
    ct_manager *manager;
    ct_host_hook_fn fn;
    void *user;
    bool removes;
    uint32_t token;
} ct_slot_hook;

typedef struct ct_slot_snapshot {
    ct_snapshot core;
    void *save; ///< bytes of a save that was read; NULL: 'core' is the state
    size_t save_bytes;
} ct_slot_snapshot;

typedef struct ct_slot_space {
    ct_space core;
    ct_query *matches; ///< belongs to the space; its world frees it, too
} ct_slot_space;

#define CT_HOST_COOKIE 0x43544C48u

struct ct_host_entities {
    uint32_t cookie; ///< CT_HOST_COOKIE while it exists
    uint32_t epochs; ///< of all worlds
    ct_entity_manager core;
    ct_allocator allocator;
    ct_message message; ///< reason of the last failure
    ct_message refusal; ///< reason of the last hook that failed
    uint32_t adding;    ///< running hooks of on_add
    uint32_t reading;   ///< other running callbacks, which may change nothing
    ct_slot *slots;
    uint32_t slot_count, slot_capacity;
    uint32_t free_slot; ///< index + 1, or 0
    uint32_t serial;
    ct_snapshot_world *worlds; ///< in the order of their creation
    uint32_t world_count, world_capacity;
    uint32_t world_number; ///< of the last default name
    ct_slot_resource *resources;
    ct_row *rows; ///< scratch
    uint32_t row_capacity;
    ct_writer saved; ///< the last save, state, capture or differences
    ct_writer notes; ///< of the last restore
};

// ---------------------------------------------------------------- checks (slots.c)

/// Returns whether this is an entity manager; false without a message, because there is no place.
bool ct_slots_exist(const ct_host_entities *host);

/// Returns whether this is an entity manager that may change: not in a callback.
bool ct_slots_may_change(ct_host_entities *host);

/// Returns whether its entities and components may change: not in a callback other than on_add.
bool ct_slots_may_edit(ct_host_entities *host);

/// Finds the slot of a handle. Returns NULL with the reason in host->message.
ct_slot *ct_slot_find(ct_host_entities *host, uint64_t id, ct_slot_kind kind);

/// Find the object of a handle: for a function that only reads, for one that changes entities and
/// components, and for one that changes more. Return NULL with the reason, or without one if there
/// is no entity manager.
void *ct_slot_read(ct_host_entities *host, uint64_t id, ct_slot_kind kind);
void *ct_slot_edit(ct_host_entities *host, uint64_t id, ct_slot_kind kind);
void *ct_slot_change(ct_host_entities *host, uint64_t id, ct_slot_kind kind);

/// ct_slot_read for a world, and for a component.
ct_slot_world *ct_slot_world_of(ct_host_entities *host, ct_host_world world);
ct_manager *ct_slot_manager_of(ct_host_entities *host, ct_host_component component);

/// Returns the world of the object of a valid handle.
static inline ct_slot_world *ct_slot_owner(const ct_host_entities *host, uint64_t id) {
    return host->slots[host->slots[(uint32_t)id - 1].world].object;
}

/// Finds a built-in component type of a world. Returns NULL with the reason.
ct_manager *ct_slot_builtin(ct_host_entities *host, ct_host_world world, const char *name);

/// Does the same for a definition with a name, which must not be NULL or "".
ct_manager *ct_slot_named(ct_host_entities *host, ct_host_world world, const char *component,
                          const char *name);

/// Returns a string, which may be NULL, as a text.
static inline ct_text ct_slot_text(const char *string) {
    const ct_text text = {string, string != NULL ? (uint32_t)strlen(string) : 0};
    return text;
}

/// Finds the component of an entity, dead ones with running callbacks included. Returns false with
/// the reason.
bool ct_slot_row(ct_host_entities *host, const ct_manager *manager, ct_entity e, ct_row *row);

/// Finds the row of an entity in a built-in component type of a world. Returns its manager, or NULL
/// with the reason.
static inline ct_manager *ct_slot_builtin_row(ct_host_entities *host, ct_host_world world,
                                              const char *name, ct_entity e, ct_row *row) {
    ct_manager *manager = ct_slot_builtin(host, world, name);
    return manager != NULL && ct_slot_row(host, manager, e, row) ? manager : NULL;
}

/// Does the same for the model of an entity, which must have the node. (models.c)
ct_manager *ct_slot_node(ct_host_entities *host, ct_host_world world, ct_entity e, uint32_t node,
                         ct_row *row);

/// Sets host->message. Returns CT_ERR_DATA.
ct_status ct_slot_fail(ct_host_entities *host, const char *format, ...) CT_PRINTF(2, 3);

/// Sets host->message to the reason of a status without one, which may be a hook that failed.
/// Returns the status.
ct_status ct_slot_status(ct_host_entities *host, ct_status status);

/// Writes the defaults of options to a struct of 'given' bytes, and 'given' to its first member.
void ct_options_init(void *options, uint32_t given, const void *defaults, uint32_t size);

/// Copies options of 'size' bytes over the defaults in 'out'. NULL: the defaults. Returns false
/// with the reason in 'message' if the size is impossible.
bool ct_slot_options(const void *options, void *out, uint32_t size, const char *init,
                     ct_message *message);

/// Copies a result of 'size' bytes to a struct of the caller that begins with its size. Returns
/// CT_ERR_DATA with the reason in host->message if the caller did not set the size.
ct_status ct_slot_result(ct_host_entities *host, void *out, const void *result, uint32_t size);

// ---------------------------------------------------------------- slots (slots.c)

/// Makes a handle. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_slot_new(ct_host_entities *host, ct_slot_kind kind, uint32_t world, void *object,
                      uint64_t *id);

/// Makes room for one more handle, so that the next ct_slot_new cannot fail.
ct_status ct_slot_reserve(ct_host_entities *host);

/// Does the same, and allocates a zeroed object. Returns NULL with the reason, which is
/// CT_ERR_MEMORY.
void *ct_slot_alloc(ct_host_entities *host, size_t bytes);

/// Makes the handle of a slot invalid.
void ct_slot_drop(ct_host_entities *host, ct_slot *slot);

/// Returns the handle of the slot with an index.
uint64_t ct_slot_id_at(const ct_host_entities *host, uint32_t index);

/// Returns the handle of an object, or 0. O(handles).
uint64_t ct_slot_id(const ct_host_entities *host, const void *object);

/// Sets the handle of a manager, which is a new one unless it has one.
ct_status ct_slot_of_manager(ct_host_entities *host, const ct_slot_world *world,
                             ct_manager *manager, uint64_t *id);

/// Sets and checks 'out', which has CT_MAX_COLUMNS items, for 'count' new components. Returns false
/// with the reason in host->message. (components.c)
bool ct_slot_values(ct_host_entities *host, const ct_manager *manager, uint32_t count,
                    uint32_t value_count, const ct_host_value *values, ct_values *out);

/// Empties host->saved, which a function of the core fills, and returns its bytes, or the status
/// with the reason. (snapshots.c)
void ct_slot_begin_text(ct_host_entities *host);
ct_status ct_slot_end_text(ct_host_entities *host, ct_status status, const void **bytes,
                           size_t *count);

/// Adds components and runs their hooks, like ct_explained_add, with the reason in host->message.
/// (hooks.c)
ct_status ct_slot_add(ct_host_entities *host, ct_world *world, ct_manager *manager, uint32_t count,
                      const ct_entity *owners, const ct_values *values, ct_row *first);

/// Runs the hooks of entities that ct_world_create has created, or destroys the entities again.
/// Returns CT_OK or CT_ERR_DATA. (hooks.c)
ct_status ct_slot_created(ct_host_entities *host, ct_additions *additions, uint32_t count,
                          const ct_entity *entities);

/// Ends a hook; 'world' is NULL if its world has ended. (hooks.c)
void ct_slot_hook_free(const ct_host_entities *host, ct_slot_hook *hook, ct_world *world);

/// Allocates room for the owners of all rows of a world. Returns false with the reason in
/// host->message. (release.c)
bool ct_slot_owners(ct_host_entities *host, const ct_slot_world *world, ct_owners *out);

/// Frees resources that have no handle and that no level holds. (release.c)
void ct_slot_sweep_resources(ct_host_entities *host);

/// Returns all worlds, for snapshots.
static inline ct_snapshot_worlds ct_slot_worlds(ct_host_entities *host) {
    ct_snapshot_worlds worlds = {&host->core, host->worlds, host->world_count};
    return worlds;
}

#endif
