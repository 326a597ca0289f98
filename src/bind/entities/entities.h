// EntityManager objects: who is alive, who dies, and the callbacks of scripts that hear of it.
// Knows nothing of components.
#ifndef BIND_ENTITIES_H
#define BIND_ENTITIES_H

#include "bind/value/list.h"
#include "entity/entity_manager.h"
#include "storage/death_trace.h"
#include "world/names.h"

/// Room for a place in a script: LUA_IDSIZE and a line.
#define CT_BIND_PLACE 80

/// The script's EntityManager, in a block. The environment table of its object has its callbacks.
typedef struct ct_bind_entities {
    ct_entity_manager core; ///< first: compiled loops read it
    ct_world_names worlds;  ///< all living worlds over it
    ct_death_trace trace;   ///< if deaths are noted with the place in the script
    bool restoring;         ///< a restore runs its callbacks
    bool collected;         ///< it ends with the last of its worlds
    ct_callbacks restored;  ///< functions of scripts that are told of restores
    uint32_t restore_token; ///< of the last one
} ct_bind_entities;

extern const ct_bind_kind ct_bind_entities_kind;

/// The EntityManager of the object at 'index'.
static inline ct_bind_entities *ct_bind_entities_of(lua_State *L, int index) {
    return (ct_bind_entities *)ct_bind_object_at(L, index);
}

/// Ends one that has been collected, unless a world over it is still to end: a callback of that may
/// have run the collector.
void ct_bind_entities_end(ct_bind_entities *entities);

/// Argument 'arg' as an EntityManager object that was not collected; raises otherwise.
ct_bind_entities *ct_bind_check_entities(lua_State *L, int arg);

/// Pushes "entity(7:0) is dead (index now entity(7:1) "orc_12")" or what is true of it. 'names' may
/// be NULL: a debug_name manager that can say who lives there now.
void ct_bind_push_dead(lua_State *L, ct_entity e, const ct_entity_manager *entities,
                       const ct_manager *names);

/// Raises "bad argument #ARG to 'f' (entity(1:0) is dead ...)" unless it is alive.
void ct_bind_check_alive(lua_State *L, int arg, ct_entity e, const ct_entity_manager *entities,
                         const ct_manager *names);

/// Copies the place in the script that led here, "game.lua:12", or "", if deaths are traced.
ct_text ct_bind_copy_place(lua_State *L, const ct_bind_entities *entities, char out[CT_BIND_PLACE]);

/// Destroys entities for a script: callbacks run on L; when all have, the first
/// error one of them raised is raised again. Returns how many died. The EntityManager
/// object is at stack index 'entities' (of a world: ct_bind_push_world_entities). 'items' must
/// not move meanwhile: copy those of a list (ct_bind_pin_entity_array).
uint32_t ct_bind_destroy_entities(lua_State *L, int entities, uint32_t count,
                                  const ct_entity *items);

/// The same for a reason, but the error is left on the stack instead of raised (nil when there was
/// none): for callers that still have to finish, and for finalizers, which drop it.
uint32_t ct_bind_destroy_quietly(lua_State *L, int entities, ct_reason reason, uint32_t count,
                                 const ct_entity *items);

/// What all that changes anything begins with: raises while bodies are made and freed for a restore
/// (ct_entity_manager_freeze).
static inline void ct_bind_check_thawed(lua_State *L, const ct_entity_manager *entities) {
    if (CT_UNLIKELY(ct_entity_manager_is_frozen(entities))) luaL_error(L, CT_FROZEN);
}

/// Raises when the object was collected: only finalizers older than it come here.
static inline void ct_bind_check_kept(lua_State *L, const ct_bind_entities *entities) {
    if (CT_UNLIKELY(entities->core.over)) luaL_error(L, "EntityManager was collected");
}

/// What ct_entity_manager_destroy is given as context, for destroy listeners of
/// the binding: call functions through ct_bind_call_listener.
typedef struct ct_bind_destroy {
    lua_State *L;
    int entities;   ///< stack index of the EntityManager object
    int error_slot; ///< stack index that receives the first error
} ct_bind_destroy;

/// Calls the function and its 'arguments' on top of L; the first error of a destroy is kept. False
/// when there was one.
bool ct_bind_call_listener(const ct_bind_destroy *destroy, int arguments);

/// destroy, on_destroy and off_destroy of EntityManager objects (deaths.c).
extern const luaL_Reg ct_bind_death_methods[];

/// on_restore and off_restore of EntityManager objects (restores.c).
extern const luaL_Reg ct_bind_restore_methods[];

/// Calls those that are registered now, after a restore; the first error is kept.
void ct_bind_tell_restored(const ct_bind_destroy *told, ct_bind_entities *entities);

/// Adds 'entity_manager' to the module table on top.
void ct_bind_open_entity_manager(lua_State *L);

#endif
