// Parts of a state that fit the present resource and components, and a list of the others.
#include "level/level_state_apply.h"

#include "base/message.h"
#include "resource/path.h"
#include "storage/labels.h"
#include "storage/manager_access.h"

#include <string.h>

// ---------------------------------------------------------------- entities

// Reads the keys of the named entities. Entities without a key get one that matches nothing.
static void read_keys(ct_reader in, ct_match_key *keys, uint32_t count) {
    uint32_t named = ct_reader_u32(&in), entity;
    for (uint32_t i = 0; i < count; ++i)
        keys[i] = (ct_match_key){{NULL, 0}, i, false};
    for (uint32_t i = 0; i < named; ++i) {
        ct_match_key key;
        ct_state_next_key(&in, &entity, &key);
        keys[entity] = key;
    }
}

ct_status ct_state_match(ct_state_applying *a) {
    const ct_resource *resource = a->level->resource;
    size_t old = a->r.num_entities, next = resource->num_entities;
    a->old_count = a->r.num_entities;
    a->copies = ct_spawner_copies(&a->level->options);
    if (a->r.checksum == resource->checksum && old == next) return CT_OK;
    ct_match_key *keys = ct_scratch_take(&a->memory, (old + next + 1) * sizeof *keys);
    a->place_of = ct_scratch_take(&a->memory, (old + 1) * sizeof *a->place_of);
    a->old_of = ct_scratch_take(&a->memory, (next + 1) * sizeof *a->old_of);
    if (keys == NULL || a->place_of == NULL || a->old_of == NULL) return CT_ERR_MEMORY;
    read_keys(a->r.matching, keys, a->old_count);
    ct_match_keys(resource, keys + old);
    return ct_match_entities(keys, a->old_count, keys + old, resource->num_entities, a->old_of,
                             a->place_of, a->world->allocator);
}

uint32_t ct_state_place(const ct_state_applying *a, uint32_t place) {
    uint32_t copy = place / a->old_count, entity = place % a->old_count;
    if (copy >= a->copies) return CT_MATCH_NONE;
    if (a->place_of != NULL) entity = a->place_of[entity];
    return entity != CT_MATCH_NONE ? copy * a->level->resource->num_entities + entity : entity;
}

// ---------------------------------------------------------------- values

static bool convert_entity(const ct_state_applying *a, ct_state_value *value, ct_message *message) {
    ct_entity e = {CT_NOBODY};
    if (value->target == CT_STATE_LEVEL_PLACE) {
        uint32_t place = ct_state_place(a, value->number);
        if (place == CT_MATCH_NONE) return ct_message_set(message, "the entity does not exist");
        e = a->entities[place];
    } else if (value->target == CT_STATE_OUTSIDE) {
        e.id = value->number;
        if (!ct_entity_manager_alive(a->world->entities, e)) e.id = CT_NOBODY;
    }
    memcpy(value->item.bytes, &e, sizeof e);
    return true;
}

bool ct_state_convert(const ct_state_applying *a, ct_state_value *value, uint32_t *input,
                      ct_values *out, ct_message *message) {
    const ct_state_input *saved = &a->r.inputs[value->input];
    const ct_manager *manager = a->manager;
    *input = ct_manager_find_input(manager, saved->name);
    if (*input >= ct_manager_all_inputs(manager))
        return ct_message_set(message, "the component has no such field");
    const ct_field *field = &manager->inputs[*input];
    const char *was = saved->cells ? "cells" : ct_field_info_of(saved->type)->name;
    const char *is = field->cells ? "cells" : ct_field_info_of(field->type)->name;
    if (strcmp(was, is) != 0) return ct_message_set(message, "was %s, is %s", was, is);
    out->items = value->item.bytes;
    out->stride = 0;
    if (saved->cells && a->r.kind == CT_STATE_SET) {
        out->items = NULL;
        return true;
    }
    if (saved->cells || ct_field_is_text(field->type)) out->items = &value->text;
    if (saved->cells) return value->cell_count == CT_STATE_ALL_CELLS;
    if (field->type == CT_FIELD_ENTITY) return convert_entity(a, value, message);
    if (field->type != CT_FIELD_ENUM) return true;
    uint32_t label = ct_labels_find(field, value->text, message);
    value->item.bytes[0] = (unsigned char)label;
    return label < field->label_count;
}

// ---------------------------------------------------------------- parts that were left out

enum { PATH_BYTES = 100 };

// Puts "name/" in front of the text at *at, unless there is no room.
static void prepend(char *room, uint32_t *at, ct_text name) {
    bool last = *at == PATH_BYTES - 1;
    uint32_t bytes = name.length + !last;
    if (name.bytes == NULL || bytes > *at) return;
    *at -= bytes;
    memcpy(room + *at, name.bytes, name.length);
    if (!last) room[*at + name.length] = '/';
}

// Returns the path of an entity of the level: by names, or by the keys in the state.
static const char *path_of(const ct_state_applying *a, const ct_match_key *keys, char *room) {
    const ct_resource *resource = a->level->resource;
    uint32_t at = PATH_BYTES - 1, place = ct_state_place(a, a->r.place);
    room[at] = '\0';
    if (place != CT_MATCH_NONE) {
        uint32_t e = place % resource->num_entities;
        for (; e != CT_RESOURCE_NO_PARENT; e = resource->parent_index[e])
            prepend(room, &at, ct_resource_entity_name(resource, e));
    } else {
        for (uint32_t e = a->r.place % a->old_count; e != CT_MATCH_NONE && keys[e].under != e;
             e = keys[e].under)
            prepend(room, &at, keys[e].text);
    }
    return at == PATH_BYTES - 1 ? "?" : room + at;
}

static void note(ct_writer *notes, const char *path, const char *component, const char *field,
                 const char *reason) {
    ct_message text;
    ct_message_set(&text, "%s%s%s%s%s: %s", path, component[0] != '\0' ? ": " : "", component,
                   field[0] != '\0' ? "." : "", field, reason);
    ct_writer_bytes(notes, text.text, (uint32_t)strlen(text.text) + 1);
}

static void note_values(ct_state_applying *a, const char *path, ct_writer *notes) {
    a->manager = ct_world_find(a->world, a->r.component);
    for (uint32_t v = 0; v < a->r.value_count && a->manager != NULL; ++v) {
        ct_message reason;
        ct_values value;
        uint32_t input;
        ct_message_set(&reason, "the size of the grid has changed");
        bool cells = a->r.inputs[a->r.values[v].input].cells && a->r.kind == CT_STATE_SET;
        if (!ct_state_convert(a, &a->r.values[v], &input, &value, &reason) || cells)
            note(notes, path, a->r.component, a->r.inputs[a->r.values[v].input].name, reason.text);
    }
}

static void note_step(ct_state_applying *a, const ct_match_key *keys, ct_writer *notes) {
    static const char *const reasons[] = {
        [CT_STATE_LEFT_ENTITY] = "the entity does not exist",
        [CT_STATE_LEFT_TYPE] = "the component is not defined",
        [CT_STATE_LEFT_COMPONENT] = "the entity does not have the component",
        [CT_STATE_LEFT_VALUES] = "the values are not valid",
    };
    char room[PATH_BYTES];
    const char *path = path_of(a, keys, room);
    unsigned char left = a->level->left[a->r.step];
    if (left == CT_STATE_LEFT_VALUE)
        note_values(a, path, notes);
    else
        note(notes, path, a->r.component, "", reasons[left]);
}

ct_status ct_level_left(const ct_level *level, ct_writer *notes) {
    ct_state_applying a = {
        .level = (ct_level *)level, .world = level->levels->world, .entities = level->entities};
    if (level->count == 0 || level->options.state.bytes == NULL || level->resource->freed)
        return CT_OK;
    ct_scratch_init(&a.memory, a.world->allocator);
    ct_state_begin(&a.r, level->options.state);
    ct_match_key *keys = ct_scratch_take(&a.memory, (a.r.num_entities + (size_t)1) * sizeof *keys);
    ct_status status = keys != NULL ? ct_state_match(&a) : CT_ERR_MEMORY;
    if (status == CT_OK) read_keys(a.r.matching, keys, a.r.num_entities);
    while (status == CT_OK && ct_state_next(&a.r))
        if (level->left[a.r.step] != CT_STATE_APPLIED) note_step(&a, keys, notes);
    ct_scratch_free(&a.memory);
    return status == CT_OK ? notes->status : status;
}
