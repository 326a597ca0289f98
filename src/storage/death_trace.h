// Records where entities were destroyed, and their names, for messages about dead entities; and
// these messages. Off by default.
#ifndef CT_DEATH_TRACE_H
#define CT_DEATH_TRACE_H

#include "base/table.h"
#include "storage/manager.h"

CT_BEGIN_C

typedef struct ct_death {
    uint32_t id;
    ct_string place, name;
} ct_death;

/// Of one entity manager, which points to it while it is on. Grows with the deaths.
typedef struct ct_death_trace {
    ct_string_pool texts;
    ct_death *deaths;
    uint32_t capacity;
    ct_table table;           // of 'deaths', by id
    const ct_manager **names; // of the worlds: managers whose first field is a name
    uint32_t name_count;
    uint32_t name_capacity;
} ct_death_trace;

/// From now on deaths that are noted are told of. Before the first world. Allocates nothing.
void ct_death_trace_begin(ct_death_trace *trace, ct_entity_manager *entities);

/// Frees it. The worlds have ended, or their entity manager has.
void ct_death_trace_end(ct_death_trace *trace, ct_entity_manager *entities);

/// The entity manager's, or NULL.
static inline ct_death_trace *ct_death_trace_of(const ct_entity_manager *entities) {
    return entities->trace;
}

/// A manager of names comes and goes, for worlds; nothing where there is no trace. CT_OK or
/// CT_ERR_MEMORY.
ct_status ct_death_trace_add_names(const ct_entity_manager *entities, const ct_manager *names);
void ct_death_trace_remove_names(const ct_entity_manager *entities, const ct_manager *names);

/// Notes the place ("game.lua:12") and the names of those of 'count' entities that are alive, right
/// before they are destroyed. Notes less if memory runs out, and nothing if there is no trace.
void ct_death_trace_note(const ct_entity_manager *entities, uint32_t count, const ct_entity *items,
                         ct_text place);

/// The same of all: for a restore, which ends those that it does not bring back.
void ct_death_trace_note_all(const ct_entity_manager *entities, ct_text place);

/// Whether a death was noted: where, and under which name, "" for none.
bool ct_death_trace_find(const ct_entity_manager *entities, ct_entity e, ct_text *place,
                         ct_text *name);

/// Bytes held.
size_t ct_death_trace_bytes(const ct_death_trace *trace);

/// Writes what has become of an entity that is not alive: 'entity(7:0) is being destroyed', or
/// 'entity(7:0) "orc" is dead, destroyed at game.lua:12 (index now entity(7:1) "orc_12")', names
/// cut off after 64 bytes. 'names' has that of the one that lives there now; NULL: the trace's.
/// Every message about the dead is made here.
void ct_dead_message(const ct_manager *names, const ct_entity_manager *entities, ct_entity e,
                     ct_message *message);

CT_END_C

#endif
