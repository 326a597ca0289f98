// Capture: living entities as a compiled resource.
#ifndef CT_CAPTURE_H
#define CT_CAPTURE_H

#include "base/writer.h"
#include "world/world.h"

/// Appends a resource of these entities, which must be alive, to an empty writer, in the byte order
/// of the host: all components as they are now, names, and parents within the list. The entities
/// are ordered depth first, roots in the order of the list, children in the order of siblings; an
/// entity that the list contains twice is captured once. An entity whose parent is not in the list
/// becomes a root with its world pose. If 'lenient' is set, a field that names an entity outside of
/// the list becomes CT_NOBODY; otherwise it is refused. Not contained: bodies and other data of the
/// host, poses of nodes. Returns CT_OK; CT_ERR_MEMORY; CT_ERR_FULL; CT_ERR_DATA with the reason in
/// 'message': a refused field, or values that a resource cannot contain. If the host cannot write
/// one of its values, the message names its place, and the host keeps the reason. O(components);
/// the world does not change.
ct_status ct_capture(ct_world *world, const ct_entity *entities, uint32_t count, bool lenient,
                     void *context, ct_writer *out, ct_message *message);

#endif
