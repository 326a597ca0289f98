// Who has died where, and under which name; messages about the dead.
// Knows nothing of scripts.
#include "storage/death_trace.h"

#include "base/message.h"

#include <string.h>

#define FIRST_CAPACITY 64u
#define SHOWN_BYTES 64u
#define PLACE_BYTES 80u

void ct_death_trace_begin(ct_death_trace *trace, ct_entity_manager *entities) {
    memset(trace, 0, sizeof *trace);
    ct_string_pool_init(&trace->texts, entities->allocator);
    entities->trace = trace;
}

void ct_death_trace_end(ct_death_trace *trace, ct_entity_manager *entities) {
    const ct_allocator *allocator = trace->texts.allocator;
    if (entities->trace != trace) return;
    entities->trace = NULL;
    ct_free(allocator, trace->slots, trace->capacity * sizeof *trace->slots);
    ct_free(allocator, trace->names, trace->name_capacity * sizeof *trace->names);
    ct_string_pool_free(&trace->texts);
    memset(trace, 0, sizeof *trace);
}

size_t ct_death_trace_bytes(const ct_death_trace *trace) {
    return trace->capacity * sizeof *trace->slots + trace->name_capacity * sizeof *trace->names +
           ct_string_pool_bytes(&trace->texts);
}

// ---------------------------------------------------------------- names

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

// In the first world that has one.
static ct_text name_of(const ct_death_trace *trace, ct_entity e) {
    ct_text name = {NULL, 0};
    for (uint32_t i = 0; i < trace->name_count && name.bytes == NULL; ++i)
        name = name_in(trace->names[i], e);
    return name;
}

// ---------------------------------------------------------------- deaths

// The slot of an id, or the free one where it belongs.
static ct_death *slot_of(const ct_death_trace *trace, uint32_t id) {
    uint32_t at = id * 0x9E3779B1u;
    at ^= at >> 15;
    while (trace->slots[at & (trace->capacity - 1)].id != id &&
           trace->slots[at & (trace->capacity - 1)].id != CT_NOBODY)
        at++;
    return &trace->slots[at & (trace->capacity - 1)];
}

static bool grow(ct_death_trace *trace) {
    const ct_allocator *allocator = trace->texts.allocator;
    ct_death_trace larger = *trace;
    size_t bytes;
    larger.capacity = trace->capacity > 0 ? trace->capacity * 2 : FIRST_CAPACITY;
    if (!ct_size_mul_add(larger.capacity, sizeof *larger.slots, 0, &bytes)) return false;
    larger.slots = ct_alloc(allocator, bytes);
    if (larger.slots == NULL) return false;
    memset(larger.slots, 0xFF, bytes);
    for (uint32_t i = 0; i < trace->capacity; ++i)
        if (trace->slots[i].id != CT_NOBODY)
            *slot_of(&larger, trace->slots[i].id) = trace->slots[i];
    ct_free(allocator, trace->slots, trace->capacity * sizeof *trace->slots);
    *trace = larger;
    return true;
}

static ct_string text_or_none(ct_string_pool *texts, ct_text text) {
    ct_string string = {0};
    if (text.bytes == NULL || ct_string_pool_intern(texts, text, &string) != CT_OK)
        return (ct_string){0};
    return string;
}

static void note(ct_death_trace *trace, ct_entity e, ct_text place) {
    if (trace->count >= trace->capacity / 2 && !grow(trace)) return;
    ct_death *slot = slot_of(trace, e.id);
    if (slot->id == CT_NOBODY) {
        *slot = (ct_death){.id = e.id};
        trace->count++;
    }
    ct_string_pool_release(&trace->texts, slot->place);
    ct_string_pool_release(&trace->texts, slot->name);
    slot->place = text_or_none(&trace->texts, place);
    slot->name = text_or_none(&trace->texts, name_of(trace, e));
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
    if (trace == NULL || trace->count == 0 || ct_entity_manager_alive(entities, e)) return false;
    const ct_death *slot = slot_of(trace, e.id);
    if (slot->id == CT_NOBODY) return false;
    *place = ct_string_pool_text(&trace->texts, slot->place);
    *name = ct_string_pool_text(&trace->texts, slot->name);
    return true;
}

// ---------------------------------------------------------------- messages

// A text after 'before' and in front of 'after', cut off, zero bytes as \0; or "".
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
