// The transform hierarchy: local and world poses, kept right whenever anything moves.
// Knows nothing of the other components.
#ifndef CT_TRANSFORM_H
#define CT_TRANSFORM_H

#include "storage/manager.h"

#define CT_TRANSFORM "transform"

/// The manager (seed, part 3). NULL when memory runs out.
ct_manager *ct_transform_create(const ct_manager_setup *setup);

#endif
