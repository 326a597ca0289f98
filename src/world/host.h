// The callbacks of the host of a world: sections of resources that only the host understands, data
// that it keeps for components, and deaths.
// Must not depend on Lua: a program without it may be the host.
#ifndef CT_HOST_H
#define CT_HOST_H

#include "entity/entity_manager.h"

CT_BEGIN_C

struct ct_manager;
struct ct_section;

/// One per world (ct_world.host), filled once. Every slot may be NULL. 'context' is the argument of
/// the same name of the called core function.
typedef struct ct_host {
    void *user;

    /// Whether it spawns the instances of an opaque section (schema 0).
    bool (*knows)(void *user, void *context, const struct ct_section *section);

    /// Spawns them, 'copies' times, from 1 on: entities[i] is entity i of the resource, those of
    /// the next copy come behind, 'count' in all. It may create, destroy and define
    /// anything; ids that were issued again meanwhile have the top bit set. False when it failed;
    /// the host keeps the reason.
    bool (*spawn)(void *user, void *context, const struct ct_section *section, uint32_t copies,
                  uint32_t count, const ct_entity *entities);

    /// Called when all entities of a level exist with all their components: creates the host's data
    /// for them. False when it failed; then the spawn is rolled back.
    bool (*created)(void *user, void *context, const ct_level *level);

    /// Destroys those of the entities that are alive, by ct_entity_manager_destroy_for, and runs
    /// the host's callbacks; *died gets their number. False when a callback failed, or the host
    /// could not begin: then all are alive. The host keeps the reason. NULL: they are destroyed
    /// with 'context' for the listeners.
    bool (*destroy)(void *user, void *context, ct_reason reason, uint32_t count,
                    const ct_entity *entities, uint32_t *died);

    /// Like 'destroy', with CT_REASON_UNDO, after a spawn failed whose entities the host has used.
    /// Cannot fail.
    void (*undo)(void *user, void *context, uint32_t count, const ct_entity *entities);

    /// The world does not keep the level, since none of its entities is alive or it could not be
    /// spawned: the host may free its data for it. May be called more than once. A level that the
    /// host keeps is not updated by restores: its ids may be issued again.
    void (*released)(void *user, void *context, ct_level *level);

    /// Called before all components of the world are removed, after hooks were called (hooks.h);
    /// with 'last', before the world ends: frees the host's data for them. False when a callback
    /// failed; they are removed all the same.
    bool (*clearing)(void *user, void *context, bool last);

    /// Called at the end of the world, after its levels were released, before its managers are
    /// freed. Must not call back.
    void (*ended)(void *user, void *context);

    /// Components of a manager that has 'hosted' were added to these entities, not by
    /// a spawn: creates the host's data for them. False when it failed; then they are removed.
    bool (*added)(void *user, void *context, struct ct_manager *manager, uint32_t count,
                  const ct_entity *entities);

    /// Whether the host's value of this number is equal to the value of these bytes. Must not call
    /// back. NULL: it never is.
    bool (*holds)(void *user, void *context, uint32_t value, ct_text bytes);
} ct_host;

CT_END_C

#endif
