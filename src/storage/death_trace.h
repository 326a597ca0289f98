// Record of where entities were destroyed, and of their names, for messages about dead entities;
// and these messages. Off by default.
#ifndef CT_DEATH_TRACE_H
#define CT_DEATH_TRACE_H

#include "base/table.h"
#include "storage/manager.h"

typedef struct ct_death {
    uint32_t id;
    ct_string place, name;
} ct_death;

/// Record of one entity manager, which refers to it while the trace is on. Grows with the deaths.
typedef struct ct_death_trace {
    ct_string_pool texts;
    ct_death *deaths;
    uint32_t capacity;
    ct_table table;           // index of 'deaths', by id
    const ct_manager **names; // managers of the worlds with a name as their first field
    uint32_t name_count;
    uint32_t name_capacity;
} ct_death_trace;

/// Starts the trace, before the first world is made. Allocates nothing.
void ct_death_trace_begin(ct_death_trace *trace, ct_entity_manager *entities);

/// Frees the trace, after the worlds or their entity manager were destroyed.
void ct_death_trace_end(ct_death_trace *trace, ct_entity_manager *entities);

/// Returns the trace of the entity manager, or NULL.
static inline ct_death_trace *ct_death_trace_of(const ct_entity_manager *entities) {
    return entities->trace;
}

/// Add and remove a manager of names, for worlds. Do nothing if there is no trace. CT_OK or
/// CT_ERR_MEMORY.
ct_status ct_death_trace_add_names(const ct_entity_manager *entities, const ct_manager *names);
void ct_death_trace_remove_names(const ct_entity_manager *entities, const ct_manager *names);

/// Records the place ("game.lua:12") and name of each of 'count' entities that is alive, directly
/// before they are destroyed. Records less if memory runs out, and nothing if there is no trace.
void ct_death_trace_note(const ct_entity_manager *entities, uint32_t count, const ct_entity *items,
                         ct_text place);

/// Does the same for all living entities, before a restore, which destroys the entities that it
/// does not restore.
void ct_death_trace_note_all(const ct_entity_manager *entities, ct_text place);

/// Returns whether a death was recorded, with its place and the name of the entity, "" for none.
bool ct_death_trace_find(const ct_entity_manager *entities, ct_entity e, ct_text *place,
                         ct_text *name);

/// Returns the allocated bytes.
size_t ct_death_trace_bytes(const ct_death_trace *trace);

/// Writes the state of an entity that is not alive: 'entity(7:0) is being destroyed', or
/// 'entity(7:0) "orc" is dead, destroyed at game.lua:12 (index now entity(7:1) "orc_12")', with
/// names cut off after 64 bytes. 'names' has the name of the entity that uses the index now; NULL:
/// the trace's managers. All messages about dead entities are made here.
void ct_dead_message(const ct_manager *names, const ct_entity_manager *entities, ct_entity e,
                     ct_message *message);

#endif
