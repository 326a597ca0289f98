// Spawning of the entities of a resource in a world, type by type, all or nothing.
#ifndef CT_SPAWNER_H
#define CT_SPAWNER_H

#include "base/arena.h"
#include "resource/override.h"
#include "resource/resource.h"
#include "world/hooks/hooks.h"
#include "world/host.h"
#include "world/world.h"

/// Several copies of a resource in one spawn.
typedef struct ct_copies {
    uint32_t count;       ///< may be 0
    const ct_pose *poses; ///< one per copy; NULL: the pose of the options for all
} ct_copies;

/// Arrays for the poses of copies: positions of 3 floats, rotations of 4 floats, angles about z and
/// scales of one float each. Arrays without items are ignored; positions are required.
/// ct_copies_set_poses computes 'count' poses from the arrays.
typedef struct ct_pose_arrays {
    ct_values positions, rotations, angles, scales;
} ct_pose_arrays;
void ct_copies_set_poses(ct_pose *poses, uint32_t count, const ct_pose_arrays *arrays);

/// Options of a spawn.
typedef struct ct_spawn_options {
    const ct_pose *pose;          ///< composed with the pose of each root; NULL for none
    const ct_copies *copies;      ///< NULL: one
    ct_entity parent;             ///< parent of the roots, with a transform; or CT_NOBODY
    ct_text parent_node;          ///< of the parent, for roots that name no node; bytes NULL: none
    bool refuse_unknown;          ///< a type that the world cannot spawn is an error, not skipped
    const ct_override *overrides; ///< applied in order, type by type, to every copy
    uint32_t override_count;
    ct_text state; ///< of level/level_state.h, for levels only; bytes NULL: none
    ct_text name;  ///< of the level, for levels only; bytes NULL: none. A save keeps it
} ct_spawn_options;

/// Arguments of ct_spawn_call.finish.
typedef struct ct_spawn_finish {
    void *user;
    void *context;
    const ct_spawn *spawn;
    bool user_code_ran; ///< the host has seen the entities; may be set
    ct_additions *additions;
} ct_spawn_finish;

/// Further arguments of ct_spawner_spawn. All members may be NULL.
typedef struct ct_spawn_call {
    void *context;           ///< for the world's host (world/host.h)
    const ct_entity *meant;  ///< per entity of a resource without copies: the target of entity
                             ///< fields; NULL: the spawned entities
    uint32_t *created;       ///< set to the number of entities when they are created
    bool *wrong_option;      ///< set to true if an override turns out to be invalid after all
                             ///< components exist and no user code has run
    ct_additions *additions; ///< begun by the caller; collects the components for hooks
    /// Called when all components exist; may change them and destroy entities. After a failure the
    /// spawn is rolled back.
    ct_status (*finish)(ct_spawn_finish *finish, ct_message *message);
    void *user; ///< for 'finish'
} ct_spawn_call;

/// Writes the layouts of the built-in types, for ct_resource_check; 'out' has room for
/// CT_MAX_BUILTINS + 1.
#define CT_MAX_BUILTINS 15u
void ct_spawner_builtin_layouts(ct_builtin_layout *out);

/// Returns the manager for the instances of a section, or NULL: the world does not have the type,
/// or its data is opaque.
static inline ct_manager *ct_spawner_manager(const ct_world *world, const ct_section *section) {
    if (section->schema == 0) return NULL;
    ct_manager *manager = ct_world_find_identifier(world, section->identifier);
    return manager != NULL && strcmp(manager->name, section->name) == 0 ? manager : NULL;
}

/// Returns the section of the resource for a manager, or NULL.
static inline const ct_section *
ct_spawner_section(const ct_world *world, const ct_resource *resource, const ct_manager *manager) {
    for (uint32_t i = 0; i < resource->num_component_types; ++i) {
        if (ct_spawner_manager(world, &resource->sections[i]) == manager)
            return &resource->sections[i];
    }
    return NULL;
}

/// Checks that the instances in the resource fit the fields of the world's components. Does not
/// check limits on rows, nor external references of components, such as mesh resources. Returns
/// CT_OK, CT_ERR_DATA or CT_ERR_MEMORY with the reason in 'message'; the resource caches the
/// result per section.
ct_status ct_spawner_verify(const ct_world *world, ct_resource *resource, ct_message *message);

/// Checks that a spawn can create all types of the resource: their fields, contents and external
/// references, but not whether there is room. Statuses and messages as ct_spawner_check.
ct_status ct_spawner_check_types(ct_world *world, ct_resource *resource,
                                 const ct_spawn_options *options, void *context,
                                 ct_message *message);

/// Checks the options for this world: the parent is alive and has a transform, the node exists,
/// and the overrides are valid (ct_override_check). Returns CT_OK; CT_ERR_DATA or CT_ERR_MEMORY
/// with the reason in 'message': "parent: ...", "parent_node: ..." or "overrides: ...".
ct_status ct_spawner_check_options(const ct_world *world, ct_resource *resource,
                                   const ct_spawn_options *options, ct_message *message);

/// Returns true if a spawn leaves out the instances of a section: the world does not have the
/// type, and its host does not spawn it.
bool ct_spawner_skips(const ct_world *world, const ct_section *section, void *context);

/// Returns the number of copies of the resource.
static inline uint32_t ct_spawner_copies(const ct_spawn_options *options) {
    return options->copies != NULL ? options->copies->count : 1;
}

/// Returns the number of entities that a spawn creates, in all copies.
uint64_t ct_spawner_count(const ct_resource *resource, const ct_spawn_options *options);

/// Reserves room for the entities of a spawn. Returns CT_OK; CT_ERR_FULL or CT_ERR_MEMORY with the
/// reason in 'message'.
ct_status ct_spawner_check_count(ct_world *world, const ct_resource *resource,
                                 const ct_spawn_options *options, ct_message *message);

/// Performs all checks before a spawn except those of the options: types and their fields,
/// and contents that were not validated for these fields yet. Reserves room for entities and rows,
/// and changes nothing else. Returns CT_OK; CT_ERR_DATA, CT_ERR_FULL or CT_ERR_MEMORY with the
/// reason in 'message'.
ct_status ct_spawner_check(ct_world *world, ct_resource *resource, const ct_spawn_options *options,
                           void *context, ct_message *message);

/// Checks, then creates all entities in one call (Bitsquid part 4) and their components with one
/// call per type (for many copies: resource/spawner_internal.h), each with its overrides;
/// overrides of types that the resource does not have are applied first. out[i] is entity i of the
/// resource; entities and the rows of a type are ordered copy by copy. All or nothing: after a
/// failure no entity and no component is left. Statuses as ct_spawner_check; a failed 'spawn' of
/// the host is CT_ERR_DATA with "" in 'message'. Calls no destroy callback, unless the host has
/// spawned something. O(bytes of the resource x copies); when warm, only several copies allocate.
ct_status ct_spawner_spawn(ct_world *world, ct_resource *resource, const ct_spawn_options *options,
                           const ct_spawn_call *call, ct_entity *out, ct_message *message);

/// Rolls back a spawn after the host has seen its entities. Cannot fail.
void ct_spawner_undo(ct_world *world, void *context, uint32_t count, const ct_entity *entities);

#endif
