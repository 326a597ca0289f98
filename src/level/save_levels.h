// Levels in saves: which entities belong to which level, and how the levels were spawned.
// Must not depend on worlds being restored.
#ifndef CT_SAVE_LEVELS_H
#define CT_SAVE_LEVELS_H

#include "base/arena.h"
#include "base/reader.h"
#include "level/snapshot.h"

/// Flags of a saved level.
enum {
    CT_SAVED_REFUSES_UNKNOWN = 1,
    CT_SAVED_POSE = 2,
    CT_SAVED_COPIES = 4,
    CT_SAVED_POSES = 8, ///< a pose for each copy
    CT_SAVED_NODE = 16,
    CT_SAVED_STATE = 32,
    CT_SAVED_NAME = 64
};

/// A resource of saved levels: its name and checksum, and the names and parents of its entities.
typedef struct ct_saved_resource {
    ct_text name;
    uint32_t checksum;
    uint32_t num_entities;
    const uint32_t *parent_index;
    const ct_text *names; ///< bytes NULL for none
} ct_saved_resource;

/// A level in a save. Copies of the options must be made before the levels are freed.
typedef struct ct_saved_level {
    uint32_t world; ///< index in the ct_snapshot_worlds
    uint32_t resource;
    ct_spawn_options options; ///< its pointers point into this struct, the save or the arena
    ct_pose pose;
    ct_copies copies;
    uint32_t count;
    const ct_entity *entities;
    uint32_t types;
    const unsigned char *skipped; ///< for each type of the resource: it was left out
    ct_level *level;              ///< set by ct_saved_level_fill
} ct_saved_level;

/// The levels of a save, the oldest of each world first.
typedef struct ct_saved_levels {
    ct_scratch memory;
    const ct_saved_resource *resources;
    uint32_t resource_count;
    ct_saved_level *items;
    uint32_t count;
} ct_saved_levels;

/// Initializes an empty list. Allocates nothing. The second function frees the list, and leaves it
/// empty.
void ct_saved_levels_init(ct_saved_levels *levels, const ct_allocator *allocator);
void ct_saved_levels_free(ct_saved_levels *levels);

/// Appends the levels that have a living entity and that a restore of a snapshot to these worlds
/// has recorded (level_internal.h). Returns CT_OK; CT_ERR_MEMORY; CT_ERR_FULL; CT_ERR_DATA with the
/// reason in 'message' if an override has a value that the host keeps. O(levels + entities).
ct_status ct_save_write_levels(const ct_snapshot_worlds *worlds, ct_writer *out,
                               ct_message *message);

/// Reads and checks levels, which may be any bytes, for worlds of these names. Texts are not
/// copied. Returns CT_OK; CT_ERR_MEMORY; CT_ERR_DATA with the reason in 'message'. O(bytes).
ct_status ct_save_read_levels(ct_reader *in, const ct_snapshot_worlds *worlds, ct_saved_levels *out,
                              ct_message *message);

/// Returns whether a resource is the version from which a saved level was spawned.
static inline bool ct_saved_resource_is(const ct_saved_resource *saved,
                                        const ct_resource *resource) {
    return saved->checksum == resource->checksum && saved->num_entities == resource->num_entities;
}

/// Creates a resource with only the entities and names of a saved one, for levels whose resource
/// is missing or has another version. Returns CT_OK; otherwise *out needs no ct_resource_free, and
/// 'message' has the reason. O(entities).
ct_status ct_saved_resource_make(const ct_saved_resource *saved, const ct_allocator *allocator,
                                 ct_resource *out, ct_message *message);

/// Completes a new level that was created for the resource with the saved options. 'resource' of
/// the level is the saved version (ct_saved_resource_is) or was made by ct_saved_resource_make;
/// 'other' is then another version, for the next restart, or NULL. Cannot fail.
void ct_saved_level_fill(ct_saved_level *saved, ct_level *level, ct_resource *other);

/// Creates and completes a level that the core owns, with one reference, which the caller owns.
/// Returns NULL if memory runs out.
ct_level *ct_saved_level_new(ct_saved_level *saved, ct_levels *levels, ct_resource *resource,
                             ct_resource *other);

/// Adds the completed levels to the lists of their worlds, after the snapshot of the save was
/// restored to them. Cannot fail.
void ct_saved_levels_enter(const ct_saved_levels *levels);

#endif
