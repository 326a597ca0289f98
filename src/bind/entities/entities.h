// EntityManager objects: liveness and destruction of entities, and the callbacks of scripts.
// Must not depend on components.
#ifndef BIND_ENTITIES_H
#define BIND_ENTITIES_H

#include "bind/value/list.h"
#include "entity/entity_manager.h"
#include "storage/death_trace.h"
#include "world/names.h"

/// Size of a buffer for a position in a script: LUA_IDSIZE and a line number.
#define CT_BIND_PLACE 80

/// EntityManager of scripts, in a block. The environment table of its object has its callbacks.
typedef struct ct_bind_entities {
    ct_entity_manager core; ///< first: compiled loops read it
    ct_world_names worlds;  ///< all living worlds of it
    ct_death_trace trace;   ///< positions in the script at which entities died, if tracing is on
    bool restoring;         ///< a restore is running its callbacks
    bool collected;         ///< it ends with its last world
    ct_callbacks restored;  ///< functions of scripts that restores call
    uint32_t restore_token; ///< of the last registered function
} ct_bind_entities;

extern const ct_bind_kind ct_bind_entities_kind;

/// Ends a collected EntityManager, unless one of its worlds has not ended yet: a callback of that
/// world may have run the collector.
void ct_bind_entities_end(ct_bind_entities *entities);

/// Returns argument 'arg' as an EntityManager object that was not collected; raises otherwise.
ct_bind_entities *ct_bind_check_entities(lua_State *L, int arg);

/// Pushes a description such as "entity(7:0) is dead (index now entity(7:1) "orc_12")", with the
/// name of the present entity in the world.
void ct_bind_push_dead(lua_State *L, ct_entity e, const ct_world *world);

/// Raises "bad argument #ARG to 'f' (entity(1:0) is dead ...)" unless the entity is alive.
void ct_bind_check_alive(lua_State *L, int arg, ct_entity e, const ct_world *world);

/// If deaths are traced, copies the current position in the script, "game.lua:12"; else "".
ct_text ct_bind_copy_place(lua_State *L, const ct_bind_entities *entities, char out[CT_BIND_PLACE]);

/// Destroys entities for a script and returns their number. Runs all callbacks on L, then raises
/// the first error of a callback again. The EntityManager object is at stack index 'entities' (of a
/// world: ct_bind_push_world_entities). 'items' must not move during the call: copy the items of a
/// list (ct_bind_pin_entity_array).
uint32_t ct_bind_destroy_entities(lua_State *L, int entities, uint32_t count,
                                  const ct_entity *items);

/// The same for a given reason, but leaves the error on the stack (nil if there was none) instead
/// of raising it: for callers with work left to do, and for finalizers, which drop it.
uint32_t ct_bind_destroy_quietly(lua_State *L, int entities, ct_reason reason, uint32_t count,
                                 const ct_entity *items);

/// Raises while a restore creates and frees bodies (ct_entity_manager_freeze). All operations that
/// change something call it first.
static inline void ct_bind_check_thawed(lua_State *L, const ct_entity_manager *entities) {
    if (CT_UNLIKELY(ct_entity_manager_is_frozen(entities))) luaL_error(L, CT_FROZEN);
}

/// Raises if the object was collected, which only finalizers that are older than it can observe.
static inline void ct_bind_check_not_collected(lua_State *L, const ct_bind_entities *entities) {
    if (CT_UNLIKELY(entities->core.destroyed)) luaL_error(L, "EntityManager was collected");
}

/// Context of ct_entity_manager_destroy for destroy listeners of the binding, which call functions
/// through ct_bind_call_listener.
typedef struct ct_bind_notice {
    lua_State *L;
    int entities;   ///< stack index of the EntityManager object
    int error_slot; ///< stack index that receives the first error
} ct_bind_notice;

/// Calls the function with its 'arguments' on top of L. Returns false on an error; the first error
/// of a destroy is kept.
bool ct_bind_call_listener(const ct_bind_notice *notice, int arguments);

/// Pops the error of a callback, and keeps it if it is the first.
void ct_bind_keep_error(const ct_bind_notice *notice);

/// destroy, on_destroy and off_destroy of EntityManager objects (deaths.c).
extern const luaL_Reg ct_bind_death_methods[];

/// Calls the currently registered functions after a restore; the first error is kept.
void ct_bind_notify_restored(const ct_bind_notice *notice, ct_bind_entities *entities);

/// Adds 'entity_manager' to the module table on top.
void ct_bind_open_entity_manager(lua_State *L);

#endif
