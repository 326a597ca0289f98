// Spawned levels: the entities of one spawn of a resource, which can be found by path, unloaded and
// restarted.
#ifndef CT_LEVEL_H
#define CT_LEVEL_H

#include "resource/spawner.h"

CT_BEGIN_C

// The memory of a level belongs to the core, which counts its users: the caller of ct_level_new
// (one reference), the list of its world while something of it may be alive, and every snapshot
// that has it. The last of them frees it, in any order. A level holds its resource
// (ct_resource_hold), so a ct_resource that was freed stays in its place until 'holders' is 0.

/// The levels of one world of which something may be alive, the youngest first. Lies beside its
/// world, which outlives it.
typedef struct ct_levels {
    ct_world *world;
    ct_level *youngest;
    uint32_t count;
    uint32_t limit;                    // from this many on the list is looked through for dead ones
    uint32_t serial;                   // of the youngest there ever was
    ct_generation_wrap_listener watch; // while there are any

    // A bit for each index: a level that is entered there may have an entity of it.
    uint64_t *indices;
    uint32_t index_words;
    uint32_t unentered; // levels that are not
} ct_levels;

/// No levels yet. Allocates nothing.
void ct_levels_init(ct_levels *levels, ct_world *world);

/// Unloads all levels that exist at the start, the youngest first, and returns whether no callback
/// failed. Levels that callbacks spawn meanwhile stay. 'context' as in ct_level_unload. The second
/// function takes a reason other than CT_REASON_UNLOAD.
bool ct_levels_unload(ct_levels *levels, void *context);
bool ct_levels_unload_for(ct_levels *levels, ct_reason reason, void *context);

/// Forgets all levels, when their world ends. They are empty then. Cannot fail.
void ct_levels_end(ct_levels *levels);

/// The oldest level that is younger than 'level', one of them (NULL: the oldest of all), and of
/// which something is alive, or NULL. To go through them: O(levels) in all.
ct_level *ct_levels_next(const ct_levels *levels, const ct_level *level);

/// A level. Open for reading; entities by ct_level_entity.
struct ct_level {
    ct_levels *levels;
    ct_resource *resource;
    ct_spawn_options options; ///< what it was and will be spawned with; points into the block
    ct_pose pose;
    ct_copies copies;
    uint32_t count;    ///< of entities, 0 while it is unloaded
    bool spawning;     ///< its entities are being created
    bool wrong_option; ///< what went wrong at the last spawn: see ct_spawn_call
    bool patching;     ///< it is being brought to another resource: see patch.h
    bool unloading;    ///< they are being destroyed

    // entities[i] is entity i of the resource, those of a second copy come behind. One whose index
    // has gone through all generations since has the top bit set: the id may be a stranger's by
    // now.
    ct_entity *entities;
    bool *skipped;           // per section: its instances were left out at the last spawn
    ct_entity *replaced;     // the old entities while a restart spawns new ones
    uint32_t replaced_count; // as 'count' for 'entities'
    bool linked;             // it is in the list
    bool entered;            // its entities are in 'indices' of the list
    uint32_t serial;
    ct_level *younger;
    ct_level *older;
    ct_table places;          // of 'entities' by index, once the generations of an index began anew
    ct_table replaced_places; // the same of 'replaced'

    struct ct_level_memory *memory; // of this struct; NULL: lent by the caller (level_lent.h)
    struct ct_level_memory *room;   // of 'entities' and 'skipped' since the last patch, or NULL
};

/// Makes an empty level, which the caller holds. Poses and overrides of the options are copied.
/// CT_OK; otherwise *out is NULL, with the reason in 'message': CT_ERR_MEMORY, CT_ERR_FULL,
/// CT_ERR_OVER (the world or resource has ended). O(entities + overrides); allocates one block.
ct_status ct_level_new(ct_levels *levels, ct_resource *resource, const ct_spawn_options *options,
                       ct_level **out, ct_message *message);

/// Adds a reference to a level.
void ct_level_hold(ct_level *level);

/// Removes a reference of the caller, who may not use the level any more. A spawned level lives on
/// in its world, and a snapshot may bring it back. Allowed at any time, in callbacks and after the
/// end of the world too. NULL is allowed. Cannot fail.
void ct_level_release(ct_level *level);

/// Spawns an empty level: all or nothing. 'context' goes to the world's host (world/host.h).
/// CT_OK; otherwise the reason in 'message': CT_ERR_OVER (the world or resource has ended, or is
/// about to), CT_ERR_EXISTS (it is spawned, or spawning, already), CT_ERR_DATA, CT_ERR_FULL,
/// CT_ERR_MEMORY. Where the host failed it is CT_ERR_DATA with "" for a message. Cost:
/// ct_spawner_spawn.
ct_status ct_level_spawn(ct_level *level, void *context, ct_message *message);

/// Destroys what is alive of the level, which is empty afterwards; *died gets how many there were
/// (may be NULL). Instances stay until the world's gc finds them. CT_OK, also for an empty level
/// and for one that is spawning, patched or unloading now, with which nothing is done; CT_ERR_DATA
/// when a callback of the host failed: the level is empty all the same, or, when the host could not
/// begin, as it was. O(entities); allocates nothing.
ct_status ct_level_unload(ct_level *level, void *context, uint32_t *died);

/// Spawns the level again, then destroys its old entities. CT_OK, also if a callback of the host
/// failed for an old entity; otherwise the new entities are destroyed, and the level is as before.
/// Statuses and messages as ct_level_spawn.
ct_status ct_level_restart(ct_level *level, void *context, ct_message *message);

/// Entity 'i' of the resource, which may be dead by now; i < count. Copies follow one another.
static inline ct_entity ct_level_entity(const ct_level *level, uint32_t i) {
    ct_entity e = {level->entities[i].id & 0x7FFFFFFFu};
    return e;
}

/// The same; CT_NOBODY beyond the count.
ct_entity ct_level_entity_at(const ct_level *level, uint32_t i);

/// How many entities it has, the dead among them.
uint32_t ct_level_count(const ct_level *level);

/// How many times it has the entities of its resource: 1, unless options.copies said otherwise; 0
/// while it is unloaded, and when it has no entities.
uint32_t ct_level_copies(const ct_level *level);

/// Whether entity 'i' has no parent in the resource.
static inline bool ct_level_is_root(const ct_level *level, uint32_t i) {
    return level->resource->parent_index[i % level->resource->num_entities] ==
           CT_RESOURCE_NO_PARENT;
}

/// The first living entity of that path (resource/path.h), copy by copy in the resource's order, or
/// CT_NOBODY in *out, as where the resource has ended. CT_OK or CT_ERR_MEMORY: the first search of
/// its kind makes an index in the resource.
ct_status ct_level_find(const ct_level *level, ct_text path, ct_entity *out);

/// The entities, ascending, to which the resource or an override gives a component of that name:
/// for a host that keeps something for each. 'owners' has room for as many as the level has
/// entities; NULL: how many a copy has at most, at the next spawn, too. Returns their number.
/// O(entities); for NULL, O(types + overrides).
uint32_t ct_level_owners(const ct_level *level, const char *component, uint32_t *owners);

/// How many entities of the level are alive. O(entities).
uint32_t ct_level_alive(const ct_level *level);

CT_END_C

#endif
