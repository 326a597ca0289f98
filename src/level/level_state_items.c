// Values in states of levels: comparison and writing.
#include "level/level_internal.h"
#include "level/level_state_write.h"

#include "base/message.h"
#include "world/host.h"

#include <string.h>

// ---------------------------------------------------------------- items

static uint32_t place_in_level(const ct_state_writing *w, ct_entity e) {
    return e.id == CT_NOBODY ? CT_TABLE_NONE : ct_level_place_of(w->level, e);
}

static void write_target(ct_state_writing *w, const void *item) {
    ct_entity e;
    memcpy(&e, item, sizeof e);
    uint32_t place = place_in_level(w, e);
    bool inside = place != CT_TABLE_NONE;
    if (inside) w->marks[place % w->level->resource->num_entities] = true;
    ct_writer_u8(w->out, e.id == CT_NOBODY ? CT_STATE_NO_ENTITY
                         : inside          ? CT_STATE_LEVEL_PLACE
                                           : CT_STATE_OUTSIDE);
    ct_writer_u32(w->out, e.id == CT_NOBODY ? 0 : inside ? place : e.id);
}

void ct_state_write_item(ct_state_writing *w, uint32_t input, const void *item) {
    const ct_field *field = &w->manager->inputs[input];
    const ct_field_info *info = ct_field_info_of(field->type);
    ct_message number;
    if (field->type == CT_FIELD_ENTITY)
        write_target(w, item);
    else if (field->type == CT_FIELD_STRING)
        ct_writer_text(w->out, ct_patch_text_of(w->manager, input, item, &number));
    else if (field->type == CT_FIELD_ENUM)
        ct_writer_text(w->out, field->labels[*(const unsigned char *)item]);
    else
        ct_writer_numbers(w->out, item, info->lane_bytes, info->lanes);
}

// Returns true if two references are equal: one of the level, and one of the shadow.
static bool is_same_target(const ct_state_writing *w, const void *here, const void *spawned) {
    ct_entity e, other;
    memcpy(&e, here, sizeof e);
    memcpy(&other, spawned, sizeof other);
    if (e.id == CT_NOBODY) return other.id == CT_NOBODY;
    bool alive = ct_entity_manager_alive(w->patch.world->entities, e);
    // A reference to a dead entity becomes CT_NOBODY in a spawn with the state.
    if (!alive) return e.id == other.id || other.id == CT_NOBODY;
    // One that left the level is equal, but a new spawn has another entity in its place.
    return e.id == other.id && place_in_level(w, e) != CT_TABLE_NONE;
}

bool ct_state_is_same(const ct_state_writing *w, uint32_t input, const void *here,
                      const void *spawned) {
    ct_field_type type = w->manager->inputs[input].type;
    ct_message a, b;
    if (type == CT_FIELD_STRING)
        return ct_text_equal(ct_patch_text_of(w->manager, input, here, &a),
                             ct_patch_text_of(w->patch.shadowed, input, spawned, &b));
    if (type == CT_FIELD_ENTITY) return is_same_target(w, here, spawned);
    return memcmp(here, spawned, ct_field_info_of(type)->bytes) == 0;
}

// ---------------------------------------------------------------- cells

static void write_all_cells(ct_state_writing *w, const ct_cells *cells) {
    size_t room = ct_cells_text_room(cells);
    ct_writer_u32(w->out, CT_STATE_ALL_CELLS);
    uint32_t at = w->out->count;
    ct_writer_u32(w->out, 0);
    if (room >= UINT32_MAX) w->out->status = CT_ERR_FULL;
    unsigned char *bytes = ct_writer_bytes(w->out, NULL, (uint32_t)room + 1);
    if (bytes == NULL) return;
    ct_text text = ct_cells_write(cells, bytes);
    bytes[text.length] = '\0';
    w->out->count = at + 4 + text.length + 1;
    ct_writer_patch_u32(w->out, at, text.length);
}

// Writes the changed cells, or all cells if the size differs, most have changed, or 'row' is NULL.
static void write_cells(ct_state_writing *w, const ct_cells *here, const ct_cells *row) {
    uint32_t count = ct_cells_count(here), changed = 0;
    ct_writer_u32(w->out, here->width);
    ct_writer_u32(w->out, here->height);
    bool same_size = row != NULL && here->width == row->width && here->height == row->height;
    for (uint32_t i = 0; i < count && same_size; ++i)
        changed += !ct_cells_same_at(here, row, i);
    if (!same_size || changed > count / 4) {
        write_all_cells(w, here);
        return;
    }
    ct_writer_u32(w->out, changed);
    for (uint32_t i = 0; i < count; ++i) {
        if (ct_cells_same_at(here, row, i)) continue;
        ct_writer_u32(w->out, i);
        ct_writer_u32(w->out, here->at[i]);
        ct_writer_u8(w->out, ct_cells_flips(here, i));
    }
}

// ---------------------------------------------------------------- values of the host

static ct_status write_value(ct_state_writing *w, uint32_t input, ct_entity e, ct_value value) {
    const ct_host *host = w->patch.world->host;
    ct_text own = {"", 0};
    if (value.slot != 0) own = ct_value_pool_bytes_of(w->manager->values, value);
    if (own.bytes != NULL) {
        ct_writer_text(w->out, own);
        return CT_OK;
    }
    if (host != NULL && host->write != NULL && host->write(w->patch.context, value.slot, w->out))
        return CT_OK;
    ct_message_set(w->patch.message, "%s.%s of entity(%u:%u)", w->manager->name,
                   w->manager->inputs[input].name, ct_entity_index(e), ct_entity_generation(e));
    return CT_ERR_DATA;
}

static ct_status save_value(ct_state_writing *w, uint32_t step, uint32_t input,
                            const ct_state_rows *rows) {
    ct_string string = {0};
    const ct_value value = ct_patch_value_of(w->manager, input, rows->here);
    if (rows->spawned.i != CT_NO_ROW)
        ct_patch_read_item(w->patch.shadowed, input, rows->spawned, &string);
    if (ct_patch_value_is(&w->patch, w->manager, value,
                          ct_string_pool_text(w->patch.shadowed->strings, string)))
        return CT_OK;
    ct_state_begin_value(w, step, input);
    return write_value(w, input, rows->owner, value);
}

static void save_cells(ct_state_writing *w, uint32_t step, uint32_t input,
                       const ct_state_rows *rows) {
    const ct_cells *cells = ct_patch_cells_of(w->manager, input, rows->here), *old = NULL;
    if (rows->spawned.i != CT_NO_ROW)
        old = ct_patch_cells_of(w->patch.shadowed, input, rows->spawned);
    if (old != NULL && ct_cells_equal(cells, old)) return;
    ct_state_begin_value(w, step, input);
    write_cells(w, cells, old);
}

ct_status ct_state_write_value(ct_state_writing *w, uint32_t step, uint32_t input,
                               const ct_state_rows *rows) {
    const ct_field *field = &w->manager->inputs[input];
    unsigned char here[CT_MAX_ITEM_BYTES], spawned[CT_MAX_ITEM_BYTES];
    bool is_new = rows->spawned.i == CT_NO_ROW;
    if (field->flips || (field->of_cells && !is_new)) return CT_OK; // in the cells
    if (field->type == CT_FIELD_VALUE) return save_value(w, step, input, rows);
    if (field->cells) {
        save_cells(w, step, input, rows);
        return CT_OK;
    }
    bool has = ct_patch_read_item(w->manager, input, rows->here, here);
    bool had = !is_new && ct_patch_read_item(w->patch.shadowed, input, rows->spawned, spawned);
    if (!has || (had && ct_state_is_same(w, input, here, spawned))) return CT_OK;
    ct_state_begin_value(w, step, input);
    ct_state_write_item(w, input, here);
    return CT_OK;
}
