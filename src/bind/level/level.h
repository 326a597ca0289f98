// Level objects: what one spawn of a resource brought to life.
// Knows nothing of how options are written.
#ifndef BIND_LEVEL_H
#define BIND_LEVEL_H

#include "bind/world/world.h"
#include "resource/spawner.h"

/// What world:spawn was asked for, checked; kept for restarts.
typedef struct ct_bind_spawn_request {
    bool has_pose;
    ct_pose pose;
    ct_entity parent; ///< CT_NOBODY for none
    bool refuse_unknown;
} ct_bind_spawn_request;

// The environment of a Level: world, resource, overrides (nil for none), skipped (nil when nothing
// was).
typedef struct ct_bind_level {
    ct_bind_world *world;  // kept alive through the environment table
    ct_resource *resource; // likewise
    ct_bind_spawn_request request;
    // Behind this struct, room for all entities of the resource. One whose index has gone
    // through all generations since has the top bit set: the id may be a stranger's by now.
    ct_entity *entities;
    uint32_t count;  // 0 when unloaded
    bool overridden; // the environment has overrides
    bool skipped;    // it has skipped
    bool busy;       // its entities are being created, or destroyed
    bool spawning;   // created

    // While something of it is alive the world keeps the Level, to unload it when it is
    // destroyed: in this list, and in the table 'levels' of its environment.
    bool linked;
    uint32_t *places;     // from index to place + 1, by open addressing: once an index went round
    uint32_t place_count; // a power of two
    uint32_t serial;
    struct ct_bind_level *next;
    struct ct_bind_level *previous; // NULL for the first
} ct_bind_level;

/// Pushes a new empty Level; world and Resource objects are at these indices.
ct_bind_level *ct_bind_level_new(lua_State *L, int world, int resource,
                                 const ct_bind_spawn_request *request);

/// Whether anything of a level is alive.
bool ct_bind_level_lives(const ct_bind_level *level);

/// Destroys what is alive of the Level at 'index', which is empty afterwards. Pushes how many
/// died, and the first error of a callback or nil.
void ct_bind_level_unload(lua_State *L, int index);

void ct_bind_open_level(lua_State *L);

// ---------------------------------------------------------------- spawning (level_spawn.c)

/// Pushes why an entity cannot be the parent of a level's roots, and answers false.
bool ct_bind_is_spawn_parent(lua_State *L, const ct_bind_world *world, ct_entity parent);

/// How many values a spawn needs on the stack: all that may raise while it is made.
#define BIND_LEVEL_NEEDS 6

typedef enum ct_bind_readiness {
    BIND_LEVEL_READY,
    BIND_LEVEL_MISTAKEN, ///< by what the script says in the overrides
    BIND_LEVEL_UNREADY,  ///< by room, memory or depth
} ct_bind_readiness;

/// Level, whether it will be spawned -> the needs; or false and the mistake. For
/// ct_bind_level_push_needs alone.
int ct_bind_level_prepare(lua_State *L);

/// Pushes what a spawn of the Level at 'index' needs in the world as it is now, or the message.
/// The function ct_bind_level_prepare is at index 'prepare'. Without 'spawning' nothing is changed
/// but room. Raises nothing.
ct_bind_readiness ct_bind_level_push_needs(lua_State *L, int index, int prepare, bool spawning);

/// Whether the Level at 'index' could be spawned once what is alive of it is gone, with the needs
/// from index 'needs' on: false with the message on top. Changes nothing but room.
bool ct_bind_level_check(lua_State *L, int index, int needs);

/// Spawns the empty Level at 'index', with the needs of one that is spawned from index 'needs' on:
/// answers true, or false with the message on top; then nothing was spawned.
bool ct_bind_level_spawn(lua_State *L, int index, int needs);

// ---------------------------------------------------------------- the world's list (levels.c)

/// An entity that is one no more: see ct_bind_level.entities.
#define BIND_LEVEL_LOST 0x80000000u

/// The world object at index 'world' keeps the Level at 'index'. May raise, and run finalizers.
void ct_bind_level_anchor(lua_State *L, int index, int world);

/// Puts an anchored level into the world's list; lets go of others of which nothing is alive.
void ct_bind_level_link(lua_State *L, int world, ct_bind_level *level);

/// Takes a level out of the world's list and table, wherever it is. Cannot fail.
void ct_bind_level_unlink(lua_State *L, int world, ct_bind_level *level);

/// Unloads all levels of the world object at index 'world'. Pushes the first error of a
/// destroy callback, or nil.
void ct_bind_unload_levels(lua_State *L, int world);

/// The world ends: forgets the levels it still keeps.
void ct_bind_drop_levels(ct_bind_world *world);

/// world:spawn and world:register_spawner.
extern const luaL_Reg ct_bind_level_methods[];

#endif
