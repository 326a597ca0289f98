// Connection of transforms and the model nodes that they are attached to.
#ifndef CT_NODE_LINKS_H
#define CT_NODE_LINKS_H

#include "storage/manager.h"

/// Lets transforms be attached to nodes of models, and updates them when the nodes change.
void ct_node_links_connect(ct_manager *transforms, ct_manager *models);

#endif
