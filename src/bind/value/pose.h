// Poses and matrices as arguments and results.
// Must not depend on any component.
#ifndef BIND_POSE_H
#define BIND_POSE_H

#include "bind/value/check.h"

/// Reads the values at index .. index + 3 (position, rotation, angle, scale; each may be nil) as a
/// pose. Returns false and pushes the message if one is invalid: "scale: expected 3 numbers, got
/// 2". Calls no function of the script; allocates only on failure.
bool ct_bind_to_pose(lua_State *L, int index, ct_pose *out);

/// Reads arguments arg .. arg + 9: px,py,pz, qx,qy,qz,qw, sx,sy,sz. Calls no function of the script
/// unless it raises.
void ct_bind_check_pose(lua_State *L, int arg, ct_pose *out);

/// Pushes the ten numbers and returns 10.
int ct_bind_push_pose(lua_State *L, const ct_pose *pose);

/// Raises unless argument 'arg' is a table to be filled, nil or absent.
void ct_bind_check_out(lua_State *L, int arg);

/// Writes numbers to the table at 'table', from position 1. They must not move while it grows.
void ct_bind_fill_floats(lua_State *L, int table, const float *numbers, int count);

/// Pushes the 16 numbers, or fills the table at 'out' and pushes that. Returns the number of
/// values.
int ct_bind_push_matrix(lua_State *L, const float *matrix, int out);

#endif
