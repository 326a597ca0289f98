// What hangs on nodes of models: transforms ask for nodes here, models tell here what becomes of
// them. Knows nothing of how either of them gets its matrices.
#ifndef CT_NODE_LINKS_H
#define CT_NODE_LINKS_H

#include "storage/manager.h"

CT_BEGIN_C

/// From now on transforms may hang on nodes of models, and follow them.
void ct_node_links_connect(ct_manager *transforms, ct_manager *models);

CT_END_C

#endif
