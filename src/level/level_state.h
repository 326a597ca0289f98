// States of levels: what differs between a spawned level and a new spawn of its resource.
#ifndef CT_LEVEL_STATE_H
#define CT_LEVEL_STATE_H

#include "base/writer.h"
#include "level/level.h"

// A state contains changed values, removed, added and moved components, and dead entities. A level
// that is spawned with the option 'state' has them before hooks and the host see its entities.
// Equal differences give equal bytes on every host. A state of another version of the resource is
// applied as far as its entities match, as in a patch (resource/match.h).

/// Appends the state of a spawned level to an empty writer with little-endian numbers
/// (ct_save_writer). Living entities are compared with the resource, spawned out of sight with the
/// options of the level without its state. Entities that left the level count as dead. References
/// to entities outside of the level are stored as ids. Not contained: bodies and other data of the
/// host, poses of nodes, the order of siblings. Returns CT_OK; CT_ERR_OVER or CT_ERR_EXISTS (as
/// ct_level_spawn); CT_ERR_DATA (the level is unloaded, or the world's components do not fit the
/// resource any more); CT_ERR_FULL; CT_ERR_MEMORY, with the reason in 'message'. If the host cannot
/// write one of its values, the status is CT_ERR_DATA and the message names the place. The world
/// does not change. Costs about a spawn, and a comparison of each component.
ct_status ct_level_save(ct_level *level, void *context, ct_writer *out, ct_message *message);

/// Checks a state, which may be any bytes. Returns false with the reason in 'message'. O(bytes).
bool ct_level_state_check(ct_text state, ct_message *message);

/// Returns the number of bytes that a level needs to note which parts of a state were left out; at
/// most state.length.
uint32_t ct_level_state_marks(ct_text state);

/// Appends a text, with a zero byte, for each part of the option 'state' that the last spawn of the
/// level left out, because the resource or the components have changed. Returns CT_OK or
/// CT_ERR_MEMORY. O(bytes of the state).
ct_status ct_level_left(const ct_level *level, ct_writer *notes);

#endif
