// Defines components: from a description, or as another world has them.
// Must not depend on scripts.
#ifndef CT_WORLD_DEFINE_H
#define CT_WORLD_DEFINE_H

#include "world/world.h"

CT_BEGIN_C

/// The result of a definition.
typedef struct ct_definition {
    ct_manager *manager;  ///< of the component
    ct_manager *replaced; ///< the one before it, or NULL
    bool fresh;           ///< the manager was made now
    bool migrates;        ///< it is to have the rows of the one before: ct_world_migrate
} ct_definition;

/// Defines the component of a description, which ct_component_check found sound. 'by_plugin': its
/// callbacks are called, and its address is remembered; otherwise name, fields and flags count, and
/// nothing of it is kept. A manager that was defined just so before (by a plugin: by this very
/// description) is there already: without 'by_plugin' it takes the presets and what is hidden.
///
/// Otherwise one is made, in the spawn order of the one it takes the place of, or as the last. The
/// one before must have no rows of the living. It is in the world yet, and found by the name: once
/// nothing can fail any more the caller removes it, otherwise the new one (ct_world_remove).
///
/// CT_OK; otherwise nothing has changed, and 'message' says why: CT_ERR_DATA when the name's hash
/// is another's, CT_ERR_EXISTS when the one before has rows, or the world is busy, CT_ERR_OVER when
/// the world has ended or is ending, CT_ERR_MEMORY, also when the plugin's 'opened' refused.
/// O(managers + fields).
ct_status ct_world_define(ct_world *world, const ct_component *component, bool by_plugin,
                          ct_definition *out, ct_message *message);

/// The same where the one before may have rows: the new manager has room for them. CT_ERR_EXISTS
/// also when an entity has several and may have one, and when one of the two is a plugin's that
/// keeps data of its own for rows. Until they are moved, by ct_world_migrate, the caller lets
/// nothing be created (CT_WORLD_DEFINING).
ct_status ct_world_redefine(ct_world *world, const ct_component *component, bool by_plugin,
                            ct_definition *out, ct_message *message);

/// Copies the rows of made->replaced, if it 'migrates' (storage/migration.h), right before that is
/// removed. Instances become stale. Hooks are kept, and are not called. Cannot fail. O(rows).
void ct_world_migrate(const ct_definition *made);

/// Defines the components of 'from' in a new world, and the resources that rows may refer to.
/// CT_OK, or CT_ERR_MEMORY, also when a plugin's 'opened' refused. O(definitions).
ct_status ct_world_copy_schema(ct_world *world, const ct_world *from);

/// Creates an entity that stands for a parent in 'from': with a transform, and the model of the
/// parent, if it has one. CT_OK or CT_ERR_MEMORY.
ct_status ct_world_copy_parent(ct_world *world, const ct_world *from, ct_entity parent,
                               ct_entity *out);

/// The parts of it, for a host whose managers have more to them. A component of a plugin that
/// 'world' has not, or NULL; and the resources, of managers that both have. O(definitions).
const ct_component *ct_world_missing_plugin(const ct_world *world, const ct_world *from);
ct_status ct_world_share_resources(ct_world *world, const ct_world *from);

CT_END_C

#endif
