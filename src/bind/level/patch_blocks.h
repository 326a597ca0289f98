// What Levels that were patched lie in, beside their own block, for as long as somebody may need
// it. Knows nothing of how a level is patched.
#ifndef BIND_PATCH_BLOCKS_H
#define BIND_PATCH_BLOCKS_H

#include "bind/level/level.h"

// A room is a full userdata with the block that a patch gave a level, and in its environment the
// 'resource' that the level has with it. The environment of a Level has 'rooms', once it was
// patched: a set of those that it may come to have, the present one among them. With the block of
// the Level itself goes its own 'resource'.

/// Pushes the room that the Level at 'level' has now, or nil. Allocates nothing.
void ct_bind_push_room(lua_State *L, int level);

/// Pushes the Resource object that the Level at 'level' has now. Allocates nothing.
void ct_bind_push_level_resource(lua_State *L, int level);

/// Pushes a new room of 'bytes' bytes for the Resource at 'resource', and a set of it alone, for
/// ct_bind_take_room. Returns the block.
void *ct_bind_new_room(lua_State *L, int level, int resource, size_t bytes);

/// The set at index 'rooms' becomes that of the Level, pushed by ct_bind_new_room before. Allocates
/// nothing.
void ct_bind_take_room(lua_State *L, int level, int rooms);

// For snapshots, whose table at 'own' keeps Levels by their addresses, and each room with its
// Level:

/// Adds the room that the Level on top has now.
void ct_bind_collect_room(lua_State *L, int own);

/// Whether it is in the table. Allocates nothing.
bool ct_bind_is_room_collected(lua_State *L, int own);

/// The room below the Level on top becomes one that the Level may have.
void ct_bind_add_room(lua_State *L);

/// Whether it is one. Allocates nothing.
bool ct_bind_has_room(lua_State *L);

#endif
