// Spawns the entities of a resource in a world, type by type, all or nothing.
// Must not depend on files or Lua.
#ifndef CT_SPAWNER_H
#define CT_SPAWNER_H

#include "base/arena.h"
#include "resource/override.h"
#include "resource/resource.h"
#include "world/hooks/hooks.h"
#include "world/host.h"
#include "world/world.h"

CT_BEGIN_C

/// A resource many times over, in one spawn.
typedef struct ct_copies {
    uint32_t count;       ///< from 0 on
    const ct_pose *poses; ///< one for each copy; NULL: the pose of the options for all
} ct_copies;

/// Poses of 'count' copies from arrays: 3 floats of a position each; 4 of a rotation, or a float of
/// an angle about z; a float of a scale. Without items: none. Positions are required.
typedef struct ct_pose_arrays {
    ct_values positions, rotations, angles, scales;
} ct_pose_arrays;
void ct_copies_set_poses(ct_pose *poses, uint32_t count, const ct_pose_arrays *arrays);

/// What is spawned, and how.
typedef struct ct_spawn_options {
    const ct_pose *pose;          ///< composed with each root's; NULL for none
    const ct_copies *copies;      ///< NULL: one
    ct_entity parent;             ///< has a transform, the roots hang under it; or CT_NOBODY
    ct_text parent_node;          ///< of the parent, for roots that name none; bytes NULL: none
    bool refuse_unknown;          ///< a type that the world cannot spawn is an error, not skipped
    const ct_override *overrides; ///< applied in order, type by type, to every copy
    uint32_t override_count;
} ct_spawn_options;

/// What one call of ct_spawner_spawn needs besides. All members may be NULL.
typedef struct ct_spawn_call {
    void *context;           ///< for the world's host (world/host.h)
    const ct_entity *meant;  ///< by entity of a resource without copies: the target of entity
                             ///< fields; NULL: the entities that are spawned
    uint32_t *created;       ///< gets the number of entities as soon as they exist
    bool *wrong_option;      ///< becomes true if an override is found to be wrong when all
                             ///< components exist, and no user code has run
    ct_additions *additions; ///< has begun: gets the components, for hooks that are called later
} ct_spawn_call;

/// The layouts that every world knows, for ct_resource_check; 'out' has room for
/// CT_MAX_BUILTINS + 1.
#define CT_MAX_BUILTINS 15u
void ct_spawner_builtin_layouts(ct_known_layout *out);

/// The manager that a section's instances go to, or NULL: the world does not know the type, or its
/// data is opaque.
static inline ct_manager *ct_spawner_manager(const ct_world *world, const ct_section *section) {
    if (section->schema == 0) return NULL;
    ct_manager *manager = ct_world_find_identifier(world, section->identifier);
    return manager != NULL && strcmp(manager->name, section->name) == 0 ? manager : NULL;
}

/// The section of the resource that goes to a manager, or NULL.
static inline const ct_section *
ct_spawner_section(const ct_world *world, const ct_resource *resource, const ct_manager *manager) {
    for (uint32_t i = 0; i < resource->num_component_types; ++i) {
        if (ct_spawner_manager(world, &resource->sections[i]) == manager)
            return &resource->sections[i];
    }
    return NULL;
}

/// Whether what the resource holds of components that the world knows fits their fields. Asks
/// neither for room nor for what components refer to outside, such as mesh resources. CT_OK,
/// CT_ERR_DATA or CT_ERR_MEMORY with the reason in 'message'; what was verified is remembered in
/// the resource.
ct_status ct_spawner_verify(const ct_world *world, ct_resource *resource, ct_message *message);

/// Whether a spawn could take all types of the resource: their fields, their contents, and what
/// components refer to outside; not whether there is room. Statuses and messages as
/// ct_spawner_check.
ct_status ct_spawner_check_types(ct_world *world, ct_resource *resource,
                                 const ct_spawn_options *options, void *context,
                                 ct_message *message);

/// Whether the options can be followed in this world: the parent is alive and has a transform, and
/// the node, the overrides fit (ct_override_check). CT_OK; CT_ERR_DATA or CT_ERR_MEMORY with the
/// reason in 'message': "parent: ...", "parent_node: ..." or "overrides: ...".
ct_status ct_spawner_check_options(const ct_world *world, ct_resource *resource,
                                   const ct_spawn_options *options, ct_message *message);

/// Whether instances of a section would be left out: the world does not know their type, and its
/// host does not spawn them.
bool ct_spawner_skips(const ct_world *world, const ct_section *section, void *context);

/// How many entities a spawn creates: those of the resource, in each copy.
uint64_t ct_spawner_count(const ct_resource *resource, const ct_spawn_options *options);

/// Whether there is room for the entities of a spawn, or could be. CT_OK; CT_ERR_FULL or
/// CT_ERR_MEMORY with the reason in 'message'.
ct_status ct_spawner_check_count(ct_world *world, const ct_resource *resource,
                                 const ct_spawn_options *options, ct_message *message);

/// Everything that can be known before a spawn, options that were checked apart: types and their
/// fields, contents that were not verified for these fields yet, room for entities and rows (which
/// is taken). CT_OK; CT_ERR_DATA, CT_ERR_FULL or CT_ERR_MEMORY with the reason in 'message'.
/// Nothing changed but the room.
ct_status ct_spawner_check(ct_world *world, ct_resource *resource, const ct_spawn_options *options,
                           void *context, ct_message *message);

/// Checks, then creates all entities in one call (Bitsquid part 4) and their components with one
/// call per type (for many copies: resource/spawner_internal.h), each with its overrides; overrides
/// of types that the resource does not have come first. out[i] is entity i of the resource;
/// entities lie copy by copy, rows of a type as well. All or nothing: after a failure no entity and
/// no component of it is left. Statuses as ct_spawner_check; a failed 'spawn' of the host is
/// CT_ERR_DATA with "" in 'message'. Calls no destroy callback, unless the host has spawned
/// something. O(bytes of the resource x copies); warm, without memory from the allocator but for
/// copies.
ct_status ct_spawner_spawn(ct_world *world, ct_resource *resource, const ct_spawn_options *options,
                           const ct_spawn_call *call, ct_entity *out, ct_message *message);

/// Rolls a spawn back after the host has seen its entities. Cannot fail.
void ct_spawner_undo(ct_world *world, void *context, uint32_t count, const ct_entity *entities);

CT_END_C

#endif
