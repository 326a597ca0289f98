// The instances of a section for many copies of its entities: rows in large pieces instead of one
// by one. Knows nothing of worlds, nor of any one component.
#ifndef CT_REPEAT_H
#define CT_REPEAT_H

#include "resource/resource.h"
#include "storage/manager.h"

CT_BEGIN_C

/// Spawns a section's instances for each copy of 'spawn', in which the fields of instances are not
/// set; rows lie copy by copy. The contents were verified for the manager. Several copies at a time
/// are laid out as if they were one resource, which every piece of as many is made of; a type that
/// wants to hear of its rows (ct_manager_type.created) gets all in one. CT_OK, or the manager's
/// status: CT_ERR_MEMORY, CT_ERR_FULL, or CT_ERR_DATA; then copies may be there already. O(bytes of
/// the section x copies); many copies take some 100 KB of scratch.
ct_status ct_repeat_spawn(ct_manager *manager, const ct_section *section, const ct_spawn *spawn);

CT_END_C

#endif
