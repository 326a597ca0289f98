// The callbacks of the host of a world: sections of resources that only the host understands, data
// that it keeps for components, and deaths.
// Must not depend on Lua: a program without it may be the host.
#ifndef CT_HOST_H
#define CT_HOST_H

#include "entity/entity_manager.h"

CT_BEGIN_C

struct ct_manager;
struct ct_section;

/// One per world (ct_world.host), filled once. Every slot may be NULL. 'context' is what the caller
/// of the core's function gave along: whatever the host needs for this one call.
typedef struct ct_host {
    void *user;

    /// Whether it spawns the instances of an opaque section (schema 0).
    bool (*knows)(void *user, void *context, const struct ct_section *section);

    /// Spawns them, 'copies' times, from 1 on: entities[i] is entity i of the resource, those of
    /// the next copy come behind, 'count' in all. It may create, destroy and define whatever it
    /// likes, and entities whose ids came round again are marked by the top bit. False when it
    /// failed, for reasons of which it keeps the account.
    bool (*spawn)(void *user, void *context, const struct ct_section *section, uint32_t copies,
                  uint32_t count, const ct_entity *entities);

    /// All entities of a level are there, with all their components: makes what it keeps for them
    /// outside. False when it failed; then the spawn is rolled back.
    bool (*created)(void *user, void *context, const ct_level *level);

    /// Destroys those of the entities that are alive for that reason
    /// (ct_entity_manager_destroy_for), when its callbacks must hear of it; *died
    /// gets how many there were. False when a callback failed, of which it keeps the account: they
    /// are dead all the same, or, when it could not begin, all alive. NULL: they are destroyed
    /// with 'context' for the listeners.
    bool (*destroy)(void *user, void *context, ct_reason reason, uint32_t count,
                    const ct_entity *entities, uint32_t *died);

    /// Like 'destroy', with CT_REASON_UNDO, after a spawn that failed when the host has seen its
    /// entities. Cannot fail.
    void (*undo)(void *user, void *context, uint32_t count, const ct_entity *entities);

    /// The world does not keep the level, as nothing of it is alive, or it could not be spawned:
    /// a host may drop what it keeps for it. May be told more than once. One that is kept on is
    /// told of no restore: to a snapshot of before its spawn, ids that it has may be issued again.
    void (*released)(void *user, void *context, ct_level *level);

    /// All components of the world are about to go, and hooks have heard of it (hooks.h); with
    /// 'last' the world, too: ends what it keeps for them outside. False when a callback failed, of
    /// which it keeps the account: they go all the same.
    bool (*clearing)(void *user, void *context, bool last);

    /// The world ends, its levels are forgotten: the managers are there for the last time. May not
    /// call back.
    void (*ended)(void *user, void *context);

    /// Components of a manager that has 'hosted' were added to these entities, not by
    /// a spawn: makes what it keeps for them. False when it failed; then they go again.
    bool (*added)(void *user, void *context, struct ct_manager *manager, uint32_t count,
                  const ct_entity *entities);

    /// Whether the value that it keeps under this number is what these bytes make. May not call
    /// back. NULL: it never is.
    bool (*holds)(void *user, void *context, uint32_t value, ct_text bytes);
} ct_host;

CT_END_C

#endif
