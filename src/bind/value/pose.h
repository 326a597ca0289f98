// Poses and matrices as arguments and results.
// Knows nothing of whose they are.
#ifndef BIND_POSE_H
#define BIND_POSE_H

#include "bind/value/check.h"

/// The pose that the values at index .. index + 3 describe: position, rotation, angle, scale, each
/// of them nil for none. False with what is wrong pushed: "scale: expected 3 numbers, got 2".
/// Calls nothing of the script's; allocates only then.
bool ct_bind_to_pose(lua_State *L, int index, ct_pose *out);

/// Arguments arg .. arg + 9: px,py,pz, qx,qy,qz,qw, sx,sy,sz. Calls nothing of the script's
/// unless it raises.
void ct_bind_check_pose(lua_State *L, int arg, ct_pose *out);

/// Pushes the ten numbers; how many.
int ct_bind_push_pose(lua_State *L, const ct_pose *pose);

/// Pushes numbers, at most 16; how many. They may vanish while they are pushed.
int ct_bind_push_floats(lua_State *L, const float *numbers, int count);

/// Raises when argument 'arg' is neither a table to be filled nor none.
void ct_bind_check_out(lua_State *L, int arg);

/// Pushes the 16 numbers, or fills the table at 'out' and leaves that on top; how many values.
int ct_bind_push_matrix(lua_State *L, const float *matrix, int out);

#endif
