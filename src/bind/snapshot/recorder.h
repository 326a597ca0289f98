// Recorder objects: rings of Snapshot objects, with one call per frame.
#ifndef BIND_RECORDER_H
#define BIND_RECORDER_H

#include "bind/value/object.h"

/// recorder, at stack index 1 -> nothing
int ct_bind_record_frame(lua_State *L);

/// More frames than any recorder has, for a rewind to the oldest: 2^62.
#define CT_BIND_MOST_FRAMES 4611686018427387904.0

/// recorder, frames -> number of frames of the rewind
int ct_bind_rewind_frames(lua_State *L);

/// Registers the classes and functions of snapshots, and adds 'recorder' to the module table on
/// top.
void ct_bind_open_recorder(lua_State *L);

#endif
