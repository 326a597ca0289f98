// Connects transforms with the nodes of models that they are attached to.
#ifndef CT_NODE_LINKS_H
#define CT_NODE_LINKS_H

#include "storage/manager.h"

CT_BEGIN_C

/// Allows transforms to be attached to nodes of models, and makes them follow the nodes.
void ct_node_links_connect(ct_manager *transforms, ct_manager *models);

CT_END_C

#endif
