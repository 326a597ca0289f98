// Meshes: the static resource that an instance shows, its color, and whether it is visible.
#ifndef CT_MESH_H
#define CT_MESH_H

#include "storage/layout.h"
#include "storage/resource_names.h"

CT_BEGIN_C

#define CT_MESH "mesh"

/// The manager; an entity may have several meshes. NULL when memory runs out. Fields: resource
/// string, which must be a known name; color; visible bool, true unless told.
ct_manager *ct_mesh_create(const ct_manager_setup *setup);

/// How meshes lie in a resource.
ct_layout ct_mesh_layout(void);

/// From now on the name is known. CT_OK, also when it was already; CT_ERR_MEMORY or
/// CT_ERR_FULL. Not "".
ct_status ct_mesh_add_name(ct_manager *manager, ct_text name);

/// The names that are known.
const ct_resource_names *ct_mesh_names(const ct_manager *manager);

CT_END_C

#endif
