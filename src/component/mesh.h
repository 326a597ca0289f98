// Meshes: the static resource that an instance shows, its color, and whether it is visible.
#ifndef CT_MESH_H
#define CT_MESH_H

#include "storage/layout.h"
#include "storage/resource_names.h"

#define CT_MESH "mesh"

/// Fields: resource string, which must be a registered name; color; visible bool, true by default.
/// An entity may have several meshes.
extern const ct_manager_type ct_mesh_type;

/// Registers a resource name, which must not be "". Returns CT_OK, also if the name is registered
/// already, CT_ERR_MEMORY or CT_ERR_FULL.
ct_status ct_mesh_add_name(ct_manager *manager, ct_text name);

#endif
