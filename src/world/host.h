// Callbacks of the host of a world: for opaque sections of resources, data that the host keeps for
// components, and deaths.
#ifndef CT_HOST_H
#define CT_HOST_H

#include "entity/entity_manager.h"

struct ct_manager;
struct ct_section;
struct ct_writer;

/// One for each world (ct_world.host), initialized once. Every slot may be NULL. 'context' is the
/// argument of the same name of the core function that was called.
typedef struct ct_host {
    /// Returns whether the host spawns the instances of an opaque section (schema 0).
    bool (*spawns_section)(void *context, const struct ct_section *section);

    /// Spawns the instances for 'copies' copies, at least 1: entities[i] is entity i of the
    /// resource, the entities of the next copy follow, 'count' in total. May create, destroy and
    /// define anything; ids that were reused meanwhile have the top bit set. Returns false on
    /// failure; the host keeps the reason.
    bool (*spawn)(void *context, const struct ct_section *section, uint32_t copies, uint32_t count,
                  const ct_entity *entities);

    /// Called when all entities of a level exist with all components. Creates the host's data for
    /// them. Returns false on failure; then the spawn is rolled back.
    bool (*created)(void *context, const ct_level *level);

    /// Destroys the living ones of the entities with ct_entity_manager_destroy_for and runs the
    /// host's callbacks; *died gets their number. Returns false if a callback failed, or if the
    /// host could not begin: then all are alive. The host keeps the reason. If NULL, the core
    /// destroys them with 'context' for the listeners.
    bool (*destroy)(void *context, ct_reason reason, uint32_t count, const ct_entity *entities,
                    uint32_t *died);

    /// Like 'destroy' with CT_REASON_UNDO, after a failed spawn of entities that the host has used.
    /// Cannot fail.
    void (*undo)(void *context, uint32_t count, const ct_entity *entities);

    /// Called when the world does not keep a level, because none of its entities is alive or the
    /// spawn failed: the host may free its data for it. May be called more than once. Restores do
    /// not update a level that the host keeps: its ids may be reused.
    void (*released)(void *context, ct_level *level);

    /// Called before all components of the world are removed, after their hooks ran (hooks.h), and
    /// with 'last' before the world ends. Frees the host's data for them. Returns false if a
    /// callback failed; the components are removed nevertheless.
    bool (*clearing)(void *context, bool last);

    /// Called at the end of the world, after its levels were released and before its managers are
    /// freed. Must not call the core.
    void (*ended)(void *context);

    /// Called when components of a 'hosted' manager were added to these entities, not by a spawn.
    /// Creates the host's data for them. Returns false on failure; then they are removed.
    bool (*added)(void *context, struct ct_manager *manager, uint32_t count,
                  const ct_entity *entities);

    /// Returns whether the host's value of this number is equal to the value of these bytes. Must
    /// not call the core. If NULL, no value is equal.
    bool (*holds)(void *context, uint32_t value, ct_text bytes);

    /// Appends the bytes of the host's value of this number (storage/value_bytes.h) as a text.
    /// Must not call the core. Returns false on failure; the host keeps the reason.
    bool (*write)(void *context, uint32_t value, struct ct_writer *out);
} ct_host;

#endif
