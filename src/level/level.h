// Spawned levels: entities of one spawn of a resource, with lookup by path, unload and restart.
// Longer than 150 lines: a third of it describes the state of a level.
#ifndef CT_LEVEL_H
#define CT_LEVEL_H

#include "resource/spawner.h"
#include "world/clear.h"

// The core owns the memory of a level and counts its references: one of the caller of
// ct_level_new, one of the list of the world while an entity of the level may be alive, and one of
// every snapshot that contains the level. Removing the last reference frees the level; the order
// does not matter. A level holds its resource (ct_resource_hold), so a freed ct_resource must stay
// in memory until 'holders' is 0.

/// The levels of one world that may have living entities, the youngest first. Stored beside the
/// world, which outlives the list.
typedef struct ct_levels {
    ct_world *world;
    ct_level *youngest;
    uint32_t count;
    uint32_t limit;                    // at this count the list is searched for dead levels
    uint32_t serial;                   // of the youngest level so far
    ct_generation_wrap_listener watch; // active while levels exist

    // One bit per index: set if an entered level may have an entity with that index.
    uint64_t *indices;
    uint32_t index_words;
    uint32_t not_entered_count; // number of levels that are not entered

    // Levels of other worlds that a restore has skipped, for saves (level_internal.h).
    struct ct_level_record *records;
    uint32_t record_count, record_capacity;
    bool records_levels;
} ct_levels;

/// Initializes an empty list. Allocates nothing.
void ct_levels_init(ct_levels *levels, ct_world *world);

/// Unloads all levels that exist when the call begins, the youngest first, and returns false if a
/// callback failed. Levels that callbacks spawn meanwhile stay. 'context' as in ct_level_unload.
bool ct_levels_unload(ct_levels *levels, ct_reason reason, void *context);

/// Removes all levels from the list and empties them, when their world is destroyed. Cannot fail.
void ct_levels_end(ct_levels *levels);

/// Destroys the world of these levels and unloads the levels, the youngest first. Destroys every
/// entity that has a component, if 'owners' has room (world/clear.h); the other entities stay
/// alive. Runs hooks for all removed components, calls ct_host.clearing and ct_host.ended, then
/// frees everything like ct_world_free. Callbacks get 'context' and can create no components.
/// Returns false if a callback failed; the world is destroyed in either case. O(rows + entities of
/// levels); allocates nothing.
bool ct_world_end(ct_levels *levels, const ct_owners *owners, void *context);

/// Returns the oldest level with a living entity that is younger than 'level', which is in the list
/// (NULL: the oldest of all); NULL if there is none. A loop over all levels is O(levels).
ct_level *ct_levels_next(const ct_levels *levels, const ct_level *level);

/// A level. Its fields may be read; read entities by ct_level_entity.
struct ct_level {
    ct_levels *levels;
    ct_resource *resource;
    ct_resource *other;       ///< for the next restart, if 'resource' has only names; or NULL
    ct_spawn_options options; ///< for every spawn; its pointers point into the block
    ct_pose pose;
    ct_copies copies;
    uint32_t count;    ///< number of entities; 0 while the level is unloaded
    bool from_save;    ///< true if a save made the level
    bool spawning;     ///< true while the entities are created
    bool wrong_option; ///< of the last spawn: see ct_spawn_call
    bool patching;     ///< true during a patch: see patch.h
    bool unloading;    ///< true while the entities are destroyed

    // entities[i] is entity i of the resource; the entities of further copies follow. The top bit
    // is set if the generations of the index have wrapped: the id may name another entity.
    ct_entity *entities;
    unsigned char *left;     // per step of the option 'state': why the last spawn left it out
    bool *skipped;           // per section: true if the last spawn left it out
    void *spare;             // block for a restart from 'other' (level_lent.h)
    ct_entity *replaced;     // the old entities while a restart spawns new ones
    uint32_t replaced_count; // number of 'replaced'
    bool linked;             // true if the level is in the list
    bool entered;            // true if 'indices' of the list has the entities
    uint32_t serial;
    ct_level *younger;
    ct_level *older;
    ct_table places;          // places in 'entities' by index, after a wrapped generation
    ct_table replaced_places; // places in 'replaced' by index

    struct ct_level_memory *memory; // of this struct; NULL: lent by the caller (level_lent.h)
    struct ct_level_memory *room;   // of 'entities' and 'skipped' since the last patch, or NULL
};

/// Creates an empty level with one reference, which the caller owns. Copies the poses and
/// overrides of the options. Returns CT_OK; otherwise *out is NULL and 'message' has the reason:
/// CT_ERR_MEMORY, CT_ERR_FULL, CT_ERR_OVER (the world or the resource is destroyed).
/// O(entities + overrides); allocates one block.
ct_status ct_level_new(ct_levels *levels, ct_resource *resource, const ct_spawn_options *options,
                       ct_level **out, ct_message *message);

/// Adds a reference to a level.
void ct_level_hold(ct_level *level);

/// Removes a reference of the caller, which must not use the level afterwards. A spawned level
/// stays in its world, and a snapshot can restore a level. Allowed at any time, also in callbacks
/// and after the world is destroyed. NULL is allowed. Cannot fail.
void ct_level_release(ct_level *level);

/// Spawns an empty level, all or nothing. The host of the world gets 'context' (world/host.h).
/// Returns CT_OK; otherwise 'message' has the reason: CT_ERR_OVER (the world or the resource
/// is destroyed or is being destroyed), CT_ERR_EXISTS (the level is spawned, or in use by an outer
/// call), CT_ERR_DATA, CT_ERR_FULL, CT_ERR_MEMORY. If the host failed, the status is CT_ERR_DATA
/// and the message is "". Cost: ct_spawner_spawn.
ct_status ct_level_spawn(ct_level *level, void *context, ct_message *message);

/// Destroys the living entities of the level, which is empty afterwards; *died gets their number
/// (may be NULL). Their components stay until the world collects them. Returns CT_OK, also if the
/// level is empty, or is being spawned, patched or unloaded; the call does nothing then. Returns
/// CT_ERR_DATA if a callback of the host failed: the level is empty then, or unchanged if the host
/// could not begin. O(entities); allocates nothing.
ct_status ct_level_unload(ct_level *level, void *context, uint32_t *died);

/// Spawns the level again, then destroys its old entities. A level from a save whose resource has
/// only names is spawned from 'other', which becomes its resource; without it the status is
/// CT_ERR_OVER. Returns CT_OK, also if a callback of
/// the host failed for an old entity. After any other failure the new entities are destroyed and
/// the level is unchanged. Statuses and messages as ct_level_spawn.
ct_status ct_level_restart(ct_level *level, void *context, ct_message *message);

/// Removes a living entity from the level, with the entities of the level that are below it in the
/// resource or below its transform: unloads, restarts and patches do not change them, and searches
/// do not find them. They keep their places in the level, like dead ones. Returns CT_OK;
/// CT_ERR_DATA (not an entity of this level), CT_ERR_MEMORY, or the status of a level that is in
/// use, with the reason in 'message' and nothing changed. O(entities of the level + subtree).
ct_status ct_level_remove_entity(ct_level *level, ct_entity e, ct_message *message);

/// Returns the resource from which the next restart spawns, or NULL if a save did not get it.
static inline ct_resource *ct_level_source(const ct_level *level) {
    return level->resource->names_only ? level->other : level->resource;
}

/// Returns the name of the options, or else the name of the resource, "" if it is destroyed.
ct_text ct_level_name(const ct_level *level);

/// Returns entity 'i', which may be dead; i < count. Copies follow one another.
static inline ct_entity ct_level_entity(const ct_level *level, uint32_t i) {
    ct_entity e = {level->entities[i].id & 0x7FFFFFFFu};
    return e;
}

/// Returns the same entity, or CT_NOBODY if 'i' is out of range.
ct_entity ct_level_entity_at(const ct_level *level, uint32_t i);

/// Returns the number of entities, dead ones included.
uint32_t ct_level_count(const ct_level *level);

/// Returns the number of copies of the resource in the level: options.copies or 1; 0 if the level
/// is unloaded or has no entities.
uint32_t ct_level_copies(const ct_level *level);

/// Returns true if entity 'i' has no parent in the resource.
static inline bool ct_level_is_root(const ct_level *level, uint32_t i) {
    return level->resource->parent_index[i % level->resource->num_entities] ==
           CT_RESOURCE_NO_PARENT;
}

/// Finds the first living entity that matches the path (resource/path.h), copy by copy in the
/// order of the resource; CT_NOBODY in *out if there is none or the resource is destroyed. Returns
/// CT_OK or CT_ERR_MEMORY: the first search for this number of names builds an index.
ct_status ct_level_find(const ct_level *level, ct_text path, ct_entity *out);

/// Writes the numbers of the entities, ascending, to which the resource or an override adds a
/// component of that name, and returns their number. 'owners' has room for all entities of the
/// level; if it is NULL, the function returns the number of instances and overrides of one copy in
/// O(types + overrides). Otherwise O(entities).
uint32_t ct_level_owners(const ct_level *level, const char *component, uint32_t *owners);

/// Returns the number of living entities of the level. O(entities).
uint32_t ct_level_alive(const ct_level *level);

#endif
