// Places and names of destroyed entities; messages about dead entities.
#include "storage/death_trace.h"

#include "base/hash.h"
#include "base/message.h"

#include <string.h>

#define SHOWN_BYTES 64u
#define PLACE_BYTES 80u

void ct_death_trace_begin(ct_death_trace *trace, ct_entity_manager *entities) {
    memset(trace, 0, sizeof *trace);
    ct_string_pool_init(&trace->texts, entities->allocator);
    entities->trace = trace;
}

static void forget_deaths(ct_death_trace *trace) {
    const ct_allocator *allocator = trace->texts.allocator;
    ct_free(allocator, trace->deaths, trace->capacity * sizeof *trace->deaths);
    ct_table_free(&trace->table, allocator);
    ct_string_pool_free(&trace->texts);
    trace->deaths = NULL;
    trace->capacity = 0;
}

void ct_death_trace_end(ct_death_trace *trace, ct_entity_manager *entities) {
    const ct_allocator *allocator = trace->texts.allocator;
    if (entities->trace != trace) return;
    entities->trace = NULL;
    forget_deaths(trace);
    ct_free(allocator, trace->names, trace->name_capacity * sizeof *trace->names);
    memset(trace, 0, sizeof *trace);
}

size_t ct_death_trace_bytes(const ct_death_trace *trace) {
    return trace->capacity * sizeof *trace->deaths + ct_table_bytes(&trace->table) +
           trace->name_capacity * sizeof *trace->names + ct_string_pool_bytes(&trace->texts);
}

ct_status ct_death_trace_add_names(const ct_entity_manager *entities, const ct_manager *names) {
    ct_death_trace *trace = entities->trace;
    if (trace == NULL) return CT_OK;
    ct_status status =
        ct_array_reserve(trace->texts.allocator, (void **)&trace->names, &trace->name_capacity,
                         trace->name_count + 1, sizeof *trace->names);
    if (status == CT_OK) trace->names[trace->name_count++] = names;
    return status;
}

void ct_death_trace_remove_names(const ct_entity_manager *entities, const ct_manager *names) {
    ct_death_trace *trace = entities->trace;
    uint32_t kept = 0;
    for (uint32_t i = 0; trace != NULL && i < trace->name_count; ++i)
        if (trace->names[i] != names) trace->names[kept++] = trace->names[i];
    if (trace != NULL) trace->name_count = kept;
}

static ct_text name_in(const ct_manager *names, ct_entity e) {
    ct_row row = ct_store_find(&names->store, e);
    ct_string name;
    if (row.i == CT_NO_ROW) return (ct_text){NULL, 0};
    memcpy(&name, ct_manager_item(names, &names->fields[0], row), sizeof name);
    return ct_string_pool_text(names->strings, name);
}

// Returns the name in the first world that has one.
static ct_text name_of(const ct_death_trace *trace, ct_entity e) {
    ct_text name = {NULL, 0};
    for (uint32_t i = 0; i < trace->name_count && name.bytes == NULL; ++i)
        name = name_in(trace->names[i], e);
    return name;
}

// Hash function for ct_table; 'deaths' is an array of ct_death.
static uint32_t hash_of(const void *deaths, uint32_t number) {
    return ct_hash_index(((const ct_death *)deaths)[number].id);
}

// Returns the death of an id, or NULL.
static ct_death *death_of(const ct_death_trace *trace, uint32_t id) {
    uint32_t hash = ct_hash_index(id), at = ct_table_home(&trace->table, hash), number;
    do
        number = ct_table_next(&trace->table, hash, &at);
    while (number != CT_TABLE_NONE && trace->deaths[number].id != id);
    return number != CT_TABLE_NONE ? &trace->deaths[number] : NULL;
}

// Adds a death. Returns NULL if memory runs out. A full table is emptied first: recent deaths are
// the most useful.
static ct_death *add_death(ct_death_trace *trace, uint32_t id) {
    const ct_allocator *allocator = trace->texts.allocator;
    if (trace->table.used == CT_TABLE_NUMBERS) forget_deaths(trace);
    uint32_t number = trace->table.used;
    if (ct_array_reserve(allocator, (void **)&trace->deaths, &trace->capacity, number + 1,
                         sizeof *trace->deaths) != CT_OK ||
        !ct_table_reserve(&trace->table, allocator, 1, hash_of, trace->deaths))
        return NULL;
    ct_table_add(&trace->table, ct_hash_index(id), number);
    trace->deaths[number] = (ct_death){.id = id};
    return &trace->deaths[number];
}

static ct_string text_or_none(ct_string_pool *texts, ct_text text) {
    ct_string string = {0};
    if (text.bytes == NULL || ct_string_pool_intern(texts, text, &string) != CT_OK)
        return (ct_string){0};
    return string;
}

static void note(ct_death_trace *trace, ct_entity e, ct_text place) {
    ct_death *death = death_of(trace, e.id);
    if (death == NULL) death = add_death(trace, e.id);
    if (death == NULL) return;
    ct_string_pool_release(&trace->texts, death->place);
    ct_string_pool_release(&trace->texts, death->name);
    death->place = text_or_none(&trace->texts, place);
    death->name = text_or_none(&trace->texts, name_of(trace, e));
}

void ct_death_trace_note(const ct_entity_manager *entities, uint32_t count, const ct_entity *items,
                         ct_text place) {
    if (entities->trace == NULL) return;
    for (uint32_t i = 0; i < count; ++i)
        if (ct_entity_manager_alive(entities, items[i])) note(entities->trace, items[i], place);
}

void ct_death_trace_note_all(const ct_entity_manager *entities, ct_text place) {
    for (uint32_t index = 0; entities->trace != NULL && index < entities->used; ++index) {
        ct_entity e = ct_entity_manager_at(entities, index);
        if (e.id != CT_NOBODY) note(entities->trace, e, place);
    }
}

bool ct_death_trace_find(const ct_entity_manager *entities, ct_entity e, ct_text *place,
                         ct_text *name) {
    const ct_death_trace *trace = entities->trace;
    if (trace == NULL || ct_entity_manager_alive(entities, e)) return false;
    const ct_death *death = death_of(trace, e.id);
    if (death == NULL) return false;
    *place = ct_string_pool_text(&trace->texts, death->place);
    *name = ct_string_pool_text(&trace->texts, death->name);
    return true;
}

// Formats a text between 'before' and 'after', truncated to 'limit' bytes, with zero bytes as \0.
// Returns "" for an empty text.
static const char *show(ct_message *out, const char *before, ct_text text, uint32_t limit,
                        const char *after) {
    char cut[2 * PLACE_BYTES + 1], *at = cut;
    out->text[0] = '\0';
    if (text.bytes == NULL || text.length == 0) return out->text;
    for (uint32_t i = 0; i < text.length && i < limit; ++i) {
        if (text.bytes[i] != '\0') {
            *at++ = text.bytes[i];
        } else {
            *at++ = '\\';
            *at++ = '0';
        }
    }
    *at = '\0';
    ct_message_set(out, "%s%s%s", before, cut, after);
    return out->text;
}

void ct_dead_message(const ct_manager *names, const ct_entity_manager *entities, ct_entity e,
                     ct_message *message) {
    uint32_t index = ct_entity_index(e), generation = ct_entity_generation(e);
    ct_entity now = ct_entity_manager_at(entities, index);
    ct_text place = {NULL, 0}, name = {NULL, 0}, other = {NULL, 0};
    ct_message was, at, is;
    if (ct_entity_manager_is_dying(entities, e)) {
        ct_message_set(message, "entity(%u:%u) is being destroyed", index, generation);
        return;
    }
    ct_death_trace_find(entities, e, &place, &name);
    show(&was, " \"", name, SHOWN_BYTES, "\"");
    show(&at, ", destroyed at ", place, PLACE_BYTES, "");
    if (now.id == CT_NOBODY) {
        ct_message_set(message, "entity(%u:%u)%s is dead%s", index, generation, was.text, at.text);
        return;
    }
    if (names != NULL)
        other = name_in(names, now);
    else if (entities->trace != NULL)
        other = name_of(entities->trace, now);
    ct_message_set(message, "entity(%u:%u)%s is dead%s (index now entity(%u:%u)%s)", index,
                   generation, was.text, at.text, index, ct_entity_generation(now),
                   show(&is, " \"", other, SHOWN_BYTES, "\""));
}
