// Definition of components, from a description or another world.
#ifndef CT_WORLD_DEFINE_H
#define CT_WORLD_DEFINE_H

#include "world/world.h"

/// The result of a definition.
typedef struct ct_definition {
    ct_manager *manager;  ///< the manager of the component
    ct_manager *replaced; ///< the previous manager, or NULL
    bool is_new;          ///< the manager is new
    bool migrates;        ///< ct_world_migrate will move the rows of the previous manager
} ct_definition;

/// Defines the component of a description that ct_component_check accepted. If 'by_plugin', the
/// manager calls its callbacks and keeps its address; else the manager copies name, fields and
/// flags only. If an equal definition exists (for a plugin: this same description), its manager is
/// used; without 'by_plugin' it takes the presets and hidden fields.
///
/// Otherwise this function makes a manager, with the spawn order of the previous one or as the
/// last. The previous manager must have no rows of living entities unless 'migrates': then the new
/// one has room for them, and the caller must prevent the creation of components until
/// ct_world_migrate (CT_WORLD_DEFINING). The previous manager stays in the world and is found by
/// the name. When nothing else can fail, the caller removes it, or on failure the new one
/// (ct_world_remove).
///
/// Returns CT_OK, or with nothing changed and the reason in 'message': CT_ERR_DATA if the name has
/// the hash of another component; CT_ERR_EXISTS if the world is busy, or if the previous manager
/// has rows (with 'migrates': several components of an entity that may have only one, or rows for
/// which a plugin keeps data of its own); CT_ERR_OVER if the world has ended or is ending;
/// CT_ERR_MEMORY, also if the plugin's 'opened' returned false. O(managers + fields).
ct_status ct_world_define(ct_world *world, const ct_component *component, bool by_plugin,
                          bool migrates, ct_definition *out, ct_message *message);

/// Copies the rows of made->replaced if 'migrates' is set (storage/migration.h). Must be called
/// directly before that manager is removed. Instances become stale. Hooks are kept and do not run.
/// Cannot fail. O(rows).
void ct_world_migrate(const ct_definition *made);

/// Copies the component definitions of 'from' to a new world, and the resources that rows may refer
/// to. Returns CT_OK or CT_ERR_MEMORY, also if a plugin's 'opened' returned false. O(definitions).
ct_status ct_world_copy_schema(ct_world *world, const ct_world *from);

/// Creates an entity that represents a parent in 'from': with a transform, and the parent's model
/// if it has one. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_world_copy_parent(ct_world *world, const ct_world *from, ct_entity parent,
                               ct_entity *out);

/// Parts of ct_world_copy_schema, for hosts that keep more data for managers. The first returns a
/// plugin's component that 'world' does not have, or NULL; the second copies the resources of
/// managers that both worlds have. O(definitions).
const ct_component *ct_world_missing_plugin(const ct_world *world, const ct_world *from);
ct_status ct_world_share_resources(ct_world *world, const ct_world *from);

#endif
