// Recorder objects: rings of Snapshot objects, one call a frame.
// Knows nothing of what a snapshot is.
#ifndef BIND_RECORDER_H
#define BIND_RECORDER_H

#include "bind/value/object.h"

/// recorder, at stack index 1 -> nothing
int ct_bind_record_frame(lua_State *L);

/// recorder, frames -> frames gone back
int ct_bind_rewind_frames(lua_State *L);

/// Adds recorder to the module table on top of the stack.
void ct_bind_open_recorder(lua_State *L);

#endif
