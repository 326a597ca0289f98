// Reading and checking of states of levels, which may contain any bytes.
#include "level/level_state_internal.h"

#include "base/hash.h"
#include "base/message.h"
#include "storage/cells.h"
#include "storage/value_bytes.h"

#include <string.h>

static bool refuse(ct_reader *in) {
    in->damaged = true;
    return false;
}

bool ct_state_begin(ct_state_reader *r, ct_text state) {
    memset(r, 0, offsetof(ct_state_reader, inputs));
    r->step = UINT32_MAX;
    r->in = ct_reader_of(state.bytes, state.length);
    ct_reader_bytes(&r->in, CT_STATE_HEAD_BYTES);
    r->checksum = ct_reader_u32(&r->in);
    r->num_entities = ct_reader_u32(&r->in);
    r->copies = ct_reader_u32(&r->in);
    r->step_count = ct_reader_u32(&r->in);
    ct_reader records = ct_reader_part(&r->in, ct_reader_u32(&r->in));
    r->matching = r->in;
    r->in = records;
    return !r->in.damaged;
}

// ---------------------------------------------------------------- tables

static bool read_table(ct_state_reader *r) {
    ct_message unknown;
    r->component = ct_reader_text(&r->in).bytes;
    r->multiple = ct_reader_u8(&r->in) != 0;
    r->input_count = ct_reader_u8(&r->in);
    if (r->input_count > CT_MAX_COLUMNS) return refuse(&r->in);
    for (uint32_t i = 0; i < r->input_count; ++i) {
        ct_state_input *input = &r->inputs[i];
        input->name = ct_reader_text(&r->in).bytes;
        const char *type = ct_reader_text(&r->in).bytes;
        input->cells = strcmp(type, "cells") == 0;
        input->type = input->cells ? CT_FIELD_STRING : ct_field_type_find(type, &unknown);
        if (input->type == CT_FIELD_TYPE_COUNT) return refuse(&r->in);
    }
    return !r->in.damaged;
}

// ---------------------------------------------------------------- values

static bool are_cells(const ct_state_value *value) {
    uint64_t count = (uint64_t)value->width * value->height;
    for (uint32_t i = 0; i < value->cell_count; ++i) {
        uint32_t place;
        ct_reader_copy(value->cells + (size_t)i * CT_STATE_CELL_BYTES, 4, 1, &place);
        if (place >= count || value->cells[(size_t)i * CT_STATE_CELL_BYTES + 8] > CT_FLIP_ALL)
            return false;
    }
    return true;
}

static bool read_cells(ct_state_reader *r, ct_state_value *value) {
    ct_message unread;
    value->width = ct_reader_u32(&r->in);
    value->height = ct_reader_u32(&r->in);
    value->cell_count = ct_reader_u32(&r->in);
    value->cells = NULL;
    if (value->cell_count == CT_STATE_ALL_CELLS) {
        value->text = ct_reader_text(&r->in);
        return !r->in.damaged &&
               (ct_cells_check_text(value->width, value->height, value->text, &unread) ||
                refuse(&r->in));
    }
    value->cells = ct_reader_bytes(&r->in, (uint64_t)value->cell_count * CT_STATE_CELL_BYTES);
    return value->cells != NULL &&
           ((ct_cells_check_size(value->width, value->height, &unread) && are_cells(value)) ||
            refuse(&r->in));
}

static bool read_target(ct_state_reader *r, ct_state_value *value) {
    value->target = ct_reader_u8(&r->in);
    value->number = ct_reader_u32(&r->in);
    bool valid = value->target == CT_STATE_NO_ENTITY;
    if (value->target == CT_STATE_LEVEL_PLACE)
        valid = value->number < (uint64_t)r->num_entities * r->copies;
    if (value->target == CT_STATE_OUTSIDE) valid = value->number >> 30 == 0;
    return valid || refuse(&r->in);
}

static bool read_value(ct_state_reader *r, ct_state_value *value) {
    value->input = ct_reader_u8(&r->in);
    if (value->input >= r->input_count) return refuse(&r->in);
    const ct_state_input *input = &r->inputs[value->input];
    if (input->cells) return read_cells(r, value);
    if (input->type == CT_FIELD_ENTITY) return read_target(r, value);
    const ct_field_info *info = ct_field_info_of(input->type);
    const ct_field field = {.name = input->name, .type = input->type};
    ct_values items = {value->item.bytes, 0};
    if (ct_field_is_text(input->type) || input->type == CT_FIELD_ENUM) {
        value->text = ct_reader_text(&r->in);
        items.items = &value->text;
    } else {
        ct_reader_numbers(&r->in, info->lane_bytes, info->lanes, value->item.bytes);
    }
    if (r->in.damaged) return false;
    if (input->type == CT_FIELD_VALUE && value->text.length == 0) return true;
    return input->type == CT_FIELD_ENUM || ct_field_items_valid(&field, &items, 1) ||
           refuse(&r->in);
}

// ---------------------------------------------------------------- steps

static bool read_id(ct_state_reader *r) {
    r->id = (ct_state_id)ct_reader_u8(&r->in);
    r->id_text = (ct_text){NULL, 0};
    r->id_number = 0;
    if (r->id > CT_STATE_ADDED) return refuse(&r->in);
    if (r->id == CT_STATE_TEXT)
        r->id_text = ct_reader_text(&r->in);
    else
        r->id_number = ct_reader_u32(&r->in);
    if (r->id == CT_STATE_ADDED) r->id_order = ct_reader_u32(&r->in);
    bool valid =
        r->id == CT_STATE_TEXT ? r->id_text.length > 0 : r->id_number <= CT_LAST_GIVEN_NUMBER;
    return !r->in.damaged && (valid || refuse(&r->in));
}

static bool read_step(ct_state_reader *r) {
    r->step++;
    r->place = ct_reader_u32(&r->in);
    r->value_count = 0;
    if (r->place >= (uint64_t)r->num_entities * r->copies) return refuse(&r->in);
    if (r->kind == CT_STATE_DEAD) return !r->in.damaged;
    if (r->component == NULL) return refuse(&r->in);
    if (r->multiple && !read_id(r)) return false;
    uint32_t count = ct_reader_u8(&r->in);
    if (count > CT_MAX_COLUMNS) return refuse(&r->in);
    for (; r->value_count < count; ++r->value_count)
        if (!read_value(r, &r->values[r->value_count])) return false;
    return !r->in.damaged;
}

bool ct_state_next(ct_state_reader *r) {
    while (!r->in.damaged && r->in.at != r->in.end) {
        uint32_t kind = ct_reader_u8(&r->in);
        if (kind >= CT_STATE_KINDS) return refuse(&r->in);
        r->kind = (ct_state_kind)kind;
        if (r->kind != CT_STATE_TABLE) return read_step(r);
        if (!read_table(r)) return false;
    }
    return false;
}

bool ct_state_next_key(ct_reader *in, uint32_t *entity, ct_match_key *key) {
    *entity = ct_reader_u32(in);
    key->under = ct_reader_u32(in);
    uint32_t kind = ct_reader_u8(in);
    if (kind > CT_STATE_SOURCE_ID) return refuse(in);
    key->id = kind == CT_STATE_SOURCE_ID;
    key->text = (ct_text){NULL, 0};
    if (kind != CT_STATE_UNNAMED) key->text = ct_reader_text(in);
    return !in->damaged;
}

// ---------------------------------------------------------------- checks

static bool check_header(ct_text state, ct_message *message) {
    ct_reader in = ct_reader_of(state.bytes, state.length);
    uint32_t magic = ct_reader_u32(&in), version = ct_reader_u32(&in);
    uint32_t size = ct_reader_u32(&in), checksum = ct_reader_u32(&in);
    if (in.damaged || magic != CT_STATE_MAGIC)
        return ct_message_set(message, "not the state of a level");
    if (version != CT_STATE_VERSION)
        return ct_message_set(message, "the state has version %u, this is version %u", version,
                              CT_STATE_VERSION);
    if (size != state.length)
        return ct_message_set(message, "the state is truncated, or has bytes behind its end");
    if (ct_hash_crc32(0, in.at, size - CT_STATE_HEAD_BYTES) != checksum)
        return ct_message_set(message, "the state is damaged: its checksum differs");
    return true;
}

// Checks that the entities for matching ascend, and that each is under one before it.
static bool check_keys(ct_state_reader *r) {
    ct_reader *in = &r->matching;
    uint32_t count = ct_reader_u32(in), entity, last = 0;
    if (count > r->num_entities) return refuse(in);
    for (uint32_t i = 0; i < count; ++i, last = entity) {
        ct_match_key key;
        if (!ct_state_next_key(in, &entity, &key)) return false;
        if (entity >= r->num_entities || (i > 0 && entity <= last)) return refuse(in);
        if (key.under != CT_MATCH_NONE && key.under >= entity) return refuse(in);
    }
    return !in->damaged && in->at == in->end;
}

bool ct_level_state_check(ct_text state, ct_message *message) {
    ct_state_reader r;
    uint32_t steps = 0;
    if (!check_header(state, message)) return false;
    bool valid = ct_state_begin(&r, state) && r.num_entities <= CT_MAX_ENTITIES &&
                 r.copies <= CT_MAX_ENTITIES &&
                 (uint64_t)r.num_entities * r.copies <= CT_MAX_ENTITIES;
    while (valid && ct_state_next(&r))
        steps++;
    valid = valid && !r.in.damaged && steps == r.step_count && check_keys(&r);
    return valid || ct_message_set(message, "the state is damaged");
}

uint32_t ct_level_state_marks(ct_text state) {
    ct_reader in = ct_reader_of(state.bytes, state.length);
    ct_reader_bytes(&in, CT_STATE_AT_STEPS);
    uint32_t steps = ct_reader_u32(&in);
    return steps < state.length ? steps : state.length;
}
