// Reading of the items of messages, which may be any bytes, and direct values: the common case of
// numbers of a component that exists, which are written to columns without steps of a patch.
#include "level/replication/apply.h"
#include "storage/manager_access.h"
#include "storage/value_bytes.h"

static void read_steps(ct_reader *in, const ct_published_field *field, ct_published_steps *steps) {
    const ct_field_info *info = ct_field_info_of(field->type);
    uint32_t bytes = ct_reader_u8(in);
    unsigned char lanes[CT_MAX_ITEM_BYTES] = {0};
    memset(steps, 0, sizeof *steps);
    if (bytes == CT_LANES_EXACT) {
        steps->exact = 1;
        ct_reader_numbers(in, info->lane_bytes, info->lanes, lanes);
        if (!ct_field_nan_clean(field->type, lanes, 1)) in->damaged = true;
        for (uint32_t i = 0; i < info->lanes; ++i)
            steps->lane[i] = ct_scalar_load(info->lane, lanes + (size_t)i * info->lane_bytes);
        return;
    }
    if (bytes > 7) in->damaged = true;
    for (uint32_t i = 0; i < info->lanes && bytes > 0; ++i) {
        const unsigned char *lane = ct_reader_bytes(in, bytes);
        if (lane == NULL) return;
        uint64_t bits = 0;
        for (uint32_t b = 0; b < bytes; ++b)
            bits |= (uint64_t)lane[b] << (8 * b);
        bool negative = (lane[bytes - 1] & 0x80) != 0;
        if (negative) bits = (UINT64_C(1) << (8 * bytes)) - bits;
        steps->lane[i] = negative ? -(double)bits : (double)bits;
    }
}

static void read_numbers(ct_reader *in, const ct_published_field *field, unsigned char *item) {
    const ct_field_info *info = ct_field_info_of(field->type);
    if (field->step > 0) {
        ct_published_steps steps;
        read_steps(in, field, &steps);
        memcpy(item, &steps, sizeof steps);
        return;
    }
    if (!ct_reader_numbers(in, info->lane_bytes, info->lanes, item)) return;
    bool valid = ct_field_nan_clean(field->type, item, 1);
    if (info->lane == CT_SCALAR_BOOL || field->type == CT_FIELD_ENUM)
        valid = *item < (field->type == CT_FIELD_ENUM ? field->label_count : 2);
    if (!valid) in->damaged = true;
}

static ct_status read_text(ct_apply *apply, ct_reader *in, const ct_published_field *field,
                           unsigned char *item) {
    ct_text text = ct_packed_read_text(in);
    ct_string string;
    if (in->damaged) return CT_OK;
    if (field->type == CT_FIELD_VALUE && text.length > 0 && !ct_value_bytes_valid(text)) {
        in->damaged = true;
        return CT_OK;
    }
    ct_status status = ct_string_pool_intern(&apply->now->mirror.strings, text, &string);
    if (status == CT_OK) memcpy(item, &string, sizeof string);
    if (status != CT_OK) in->damaged = true; // nothing is held
    return status;
}

static void read_run(ct_reader *in, ct_cells *cells, uint32_t first, uint32_t count, bool flips) {
    for (uint32_t i = first; i < first + count; ++i)
        cells->at[i] = ct_packed_read_u32(in);
    const unsigned char *bits = flips ? ct_reader_bytes(in, count) : NULL;
    for (uint32_t i = 0; i < count && cells->flips != NULL; ++i) {
        uint32_t value = bits != NULL ? bits[i] : 0;
        if (value > CT_FLIP_ALL) in->damaged = true;
        cells->flips[first + i] = (unsigned char)value;
    }
}

static void read_runs(ct_reader *in, ct_cells *cells, bool flips) {
    uint32_t runs = ct_packed_read_u32(in), at = 0, count = ct_cells_count(cells);
    for (uint32_t i = 0; i < runs && !in->damaged; ++i) {
        at += (uint32_t)ct_packed_read(in, count - at);
        uint32_t length = (uint32_t)ct_packed_read(in, count - at);
        read_run(in, cells, at, length, flips);
        at += length;
    }
}

// Returns the received cells of a component before this message, or NULL.
static ct_cells *cells_before(const ct_apply *apply, const ct_published_field *field,
                              uint32_t component) {
    ct_mirror_cells cells;
    if (component == CT_MIRROR_NONE) return NULL;
    const ct_mirror *mirror = &apply->now->mirror;
    memcpy(&cells, ct_mirror_items(mirror, &mirror->components[component]) + field->place,
           sizeof cells);
    return cells.cells;
}

static ct_status read_cells(ct_apply *apply, ct_reader *in, const ct_published_field *field,
                            uint32_t component, unsigned char *item) {
    const ct_allocator *allocator = apply->subscriber->world->allocator;
    uint32_t kind = ct_reader_u8(in);
    uint32_t width = ct_packed_read_u32(in), height = ct_packed_read_u32(in);
    bool flips = ct_reader_u8(in) != 0;
    ct_message unread;
    ct_mirror_cells cells = {NULL, NULL};
    const ct_cells *before =
        kind == CT_CELLS_CHANGED ? cells_before(apply, field, component) : NULL;
    if (in->damaged || kind > CT_CELLS_CHANGED || !ct_cells_check_size(width, height, &unread) ||
        (kind == CT_CELLS_CHANGED &&
         (before == NULL || before->width != width || before->height != height)) ||
        (kind == CT_CELLS_WHOLE && (uint64_t)width * height > (uint64_t)(in->end - in->at))) {
        in->damaged = true;
        return CT_OK;
    }
    cells.cells = ct_cells_block(allocator, width, height);
    ct_status status = cells.cells != NULL ? CT_OK : CT_ERR_MEMORY;
    if (status == CT_OK && before != NULL) status = ct_cells_fill_from(cells.cells, before);
    if (status == CT_OK && flips) status = ct_cells_make_flips(cells.cells);
    if (status != CT_OK) {
        ct_cells_release(cells.cells);
        in->damaged = true; // nothing is held
        return status;
    }
    if (kind == CT_CELLS_WHOLE)
        read_run(in, cells.cells, 0, width * height, flips);
    else
        read_runs(in, cells.cells, flips);
    memcpy(item, &cells, sizeof cells);
    return CT_OK;
}

ct_status ct_apply_read_item(ct_apply *apply, ct_reader *in, const ct_published_field *field,
                             uint32_t component, unsigned char *item) {
    if (field->cells) return read_cells(apply, in, field, component, item);
    if (ct_published_is_text(field)) return read_text(apply, in, field, item);
    if (field->type == CT_FIELD_ENTITY) {
        uint32_t id = (uint32_t)ct_packed_read(in, CT_MAX_ENTITIES * UINT64_C(256)) - 1;
        memcpy(item, &id, sizeof id);
        return CT_OK;
    }
    read_numbers(in, field, item);
    return CT_OK;
}

// ---------------------------------------------------------------- direct values

// Returns the row of a component with one row for each entity, or CT_NO_ROW.
static ct_row find_row(const ct_apply *apply, const ct_received *item, ct_entity local) {
    const ct_manager *manager = apply->types[item->type].manager;
    if (manager == NULL || apply->patch.world->destroyed ||
        !ct_entity_manager_alive(manager->store.entities, local))
        return (ct_row){CT_NO_ROW};
    return ct_store_find(&manager->store, local);
}

bool ct_apply_is_direct(const ct_apply *apply, ct_received *item, ct_entity local) {
    const ct_bound_type *bound = &apply->types[item->type];
    if (item->kind != CT_CHANGE_SET || (item->given & ~bound->direct) != 0) return false;
    item->row = find_row(apply, item, local);
    return item->row.i != CT_NO_ROW;
}

// Reads the values again, to the mirror, and writes them to the row.
static void write_item(ct_apply *apply, const ct_received *item) {
    const ct_published_type *type = &apply->now->published.types[item->type];
    const ct_bound_type *bound = &apply->types[item->type];
    ct_mirror_component *component = &apply->now->mirror.components[item->component];
    unsigned char *items = ct_mirror_items(&apply->now->mirror, component);
    unsigned char own[CT_MAX_ITEM_BYTES];
    ct_reader in = ct_reader_of(item->values, item->bytes);
    ct_row row = item->row;
    if (apply->patch.host_ran) // hooks may have removed it
        row = find_row(apply, item, apply->now->mirror.entities[component->place].local);
    component->present = (component->present & ~item->given) | item->present;
    for (uint32_t f = 0; f < type->field_count && item->present >> f != 0; ++f) {
        const ct_published_field *field = &type->fields[f];
        if ((item->present >> f & 1) == 0) continue;
        const ct_field_info *info = ct_field_info_of(field->type);
        unsigned char *value = items + field->place;
        if (field->step > 0)
            (void)ct_apply_read_item(apply, &in, field, item->component, value);
        else // numbers, which ct_apply_read has checked
            ct_reader_numbers(&in, info->lane_bytes, info->lanes, value);
        if (row.i == CT_NO_ROW || bound->fields[f].column == CT_NOT_BOUND) continue;
        if (field->step > 0) ct_published_get(field, value, own);
        (void)ct_manager_write_item(bound->manager, bound->fields[f].column, row,
                                    field->step > 0 ? own : value);
    }
}

void ct_apply_write_direct(void *user) {
    ct_apply *apply = user;
    for (uint32_t i = 0; i < apply->item_count; ++i) {
        if (apply->items[i].direct) write_item(apply, &apply->items[i]);
    }
}
