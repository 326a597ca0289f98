// Memory blocks of patched Levels, besides the block of the Level object.
#ifndef BIND_PATCH_BLOCKS_H
#define BIND_PATCH_BLOCKS_H

#include "bind/level/level.h"

// A room is a full userdata with the block that a patch gave a level; its environment has the
// 'resource' that the level uses with this block. The environment of a patched Level has 'rooms':
// a set of the rooms that the level may use, including the current one. The first block of the
// Level belongs to the 'resource' in the environment of the Level.

/// Pushes the current room of the Level at 'level', or nil. Allocates nothing.
void ct_bind_push_room(lua_State *L, int level);

/// Pushes the current Resource object of the Level at 'level'. Allocates nothing.
void ct_bind_push_level_resource(lua_State *L, int level);

/// Pushes a new room of 'bytes' bytes for the Resource at 'resource', and a set with this room
/// only, for ct_bind_take_room. Returns the block.
void *ct_bind_new_room(lua_State *L, int level, int resource, size_t bytes);

/// Replaces the rooms of the Level by the set at index 'rooms', which ct_bind_new_room pushed.
/// Allocates nothing.
void ct_bind_take_room(lua_State *L, int level, int rooms);

// Functions for snapshots. The table at 'own' has Levels by address, and the Level of each room.

/// Adds the current room of the Level on top to the table.
void ct_bind_collect_room(lua_State *L, int own);

/// Returns true if the table has the current room, or the Level has none. Allocates nothing.
bool ct_bind_is_room_collected(lua_State *L, int own);

/// Adds the room below the Level on top to the rooms of the Level.
void ct_bind_add_room(lua_State *L);

/// Returns true if the Level has that room. Allocates nothing.
bool ct_bind_has_room(lua_State *L);

#endif
