// Values of the components that may have changed.
#include "level/replication/record.h"

#include "base/message.h"
#include "component/model.h"
#include "component/transform.h"
#include "level/patch_internal.h"

// State while one component is read.
typedef struct reading {
    ct_recording *recording;
    ct_mirror *mirror;
    const ct_published_type *type;
    ct_manager *manager;
    ct_row row;
    ct_recorded *out;
} reading;

static ct_status refuse(const reading *r, const char *field, const char *reason) {
    ct_message_set(r->recording->message, "%s.%s of entity(%u:%u): %s", r->type->name, field,
                   ct_entity_index(r->out->entity), ct_entity_generation(r->out->entity), reason);
    return CT_ERR_DATA;
}

static ct_status put_text(const reading *r, const ct_published_field *field, ct_text text) {
    ct_string string;
    ct_status status = ct_string_pool_intern(&r->mirror->strings, text, &string);
    if (status == CT_OK) memcpy(r->out->items + field->place, &string, sizeof string);
    return status;
}

static ct_status read_value(const reading *r, const ct_published_field *field, uint32_t input) {
    const ct_save_values *values = r->recording->values;
    const ct_value value = ct_patch_value_of(r->manager, input, r->row);
    ct_text bytes;
    if (ct_save_value_bytes(r->manager, value, values, &bytes)) return put_text(r, field, bytes);
    const char *reason = values != NULL ? values->reason : NULL;
    return refuse(r, field->name, reason != NULL ? reason : "the host keeps the value");
}

// Writes the frames of the last changes of cells. Cells that are equal to those of the last frame
// keep theirs; if the size changed, all are new.
static ct_status stamp_cells(const reading *r, const ct_published_field *field,
                             ct_mirror_cells *cells) {
    const ct_mirror *mirror = r->mirror;
    uint32_t f = (uint32_t)(field - r->type->fields), count = ct_cells_count(cells->cells);
    ct_mirror_cells before;
    if (r->out->component == CT_MIRROR_NONE) return CT_OK;
    const ct_mirror_component *component = &mirror->components[r->out->component];
    memcpy(&before, ct_mirror_items(mirror, component) + field->place, sizeof before);
    if (ct_cells_equal(before.cells, cells->cells)) return CT_OK;
    cells->stamps = ct_alloc(mirror->allocator, (size_t)count * sizeof *cells->stamps);
    if (cells->stamps == NULL) return CT_ERR_MEMORY;
    uint32_t old = ct_mirror_stamps(mirror, component)[f];
    bool resized =
        before.cells->width != cells->cells->width || before.cells->height != cells->cells->height;
    for (uint32_t i = 0; i < count; ++i) {
        bool same = !resized && ct_cells_same_at(before.cells, cells->cells, i);
        uint32_t stamp = before.stamps != NULL && same ? before.stamps[i] : old;
        cells->stamps[i] = same ? stamp : r->recording->frame;
    }
    return CT_OK;
}

static ct_status read_cells(const reading *r, const ct_published_field *field, const void *item) {
    ct_mirror_cells cells = {NULL, NULL};
    memcpy(&cells.cells, item, sizeof cells.cells);
    ct_status status = stamp_cells(r, field, &cells);
    if (status != CT_OK) return status;
    ct_cells_retain(cells.cells);
    memcpy(r->out->items + field->place, &cells, sizeof cells);
    return CT_OK;
}

static ct_status read_item(const reading *r, const ct_published_field *field, uint32_t input) {
    unsigned char item[CT_MAX_ITEM_BYTES];
    ct_message number;
    ct_status status = CT_OK;
    if (field->type == CT_FIELD_VALUE) {
        status = read_value(r, field, input);
    } else if (!ct_patch_read_item(r->manager, input, r->row, item)) {
        return CT_OK;
    } else if (field->cells) {
        status = read_cells(r, field, item);
    } else if (field->type == CT_FIELD_STRING) {
        status = put_text(r, field, ct_patch_text_of(r->manager, input, item, &number));
    } else {
        ct_published_put(field, item, r->out->items + field->place);
    }
    if (status == CT_OK) r->out->present |= UINT64_C(1) << (field - r->type->fields);
    return status;
}

// Returns whether the receiver can have the same link to a parent. It needs the model of the node.
static bool is_linkable(const reading *r, ct_row parent) {
    const ct_published *published = r->mirror->published;
    uint32_t t = 0;
    bool attached;
    if (!ct_recording_admits(r->recording, ct_store_owners(&r->manager->store)[parent.i]))
        return false;
    if (!ct_transform_is_linked(r->manager, r->row, &attached) || !attached) return true;
    while (t < published->type_count && strcmp(published->types[t].name, CT_MODEL) != 0)
        t++;
    return t < published->type_count;
}

// An entity that cannot be linked to its parent is published as a root with its world pose.
static void make_root(const reading *r) {
    ct_row parent = ct_transform_parent(r->manager, r->row);
    ct_pose pose;
    float matrix[16];
    if (parent.i == CT_NO_ROW || is_linkable(r, parent)) return;
    bool whole = ct_transform_root_pose(r->manager, r->row, &pose, matrix);
    // The node of the parent is the only text.
    ct_mirror_release(r->mirror, r->type, r->out->items, r->out->present);
    ct_published_put_root(r->type, r->out->items, &r->out->present, &pose, whole ? NULL : matrix);
}

static ct_status read_id(const reading *r) {
    uint32_t id = ct_store_id(&r->manager->store, r->row);
    ct_string string;
    r->out->id = id;
    if ((id & CT_ID_IS_STRING) == 0) {
        if (id <= CT_LAST_GIVEN_NUMBER) return CT_OK;
        ct_message_set(r->recording->message, "%s: id %u is too large to be published",
                       r->type->name, id);
        return CT_ERR_DATA;
    }
    ct_text text =
        ct_string_pool_text(r->manager->strings, ct_manager_id_string(r->manager, r->row));
    r->out->id = 0;
    ct_status status = ct_string_pool_intern(&r->mirror->strings, text, &string);
    if (status == CT_OK) r->out->id = CT_ID_IS_STRING | string.ref;
    return status;
}

static ct_status read_component(ct_recording *recording, uint32_t t, ct_row row) {
    ct_publisher *publisher = recording->publisher;
    const ct_published_type *type = &publisher->now->published.types[t];
    ct_manager *manager = publisher->now->watched[t].manager;
    ct_status status = ct_array_reserve(publisher->allocator, (void **)&recording->items,
                                        &recording->item_capacity, recording->item_count + 1,
                                        sizeof *recording->items);
    if (status != CT_OK) return status;
    ct_recorded *out = &recording->items[recording->item_count];
    *out = (ct_recorded){.entity = ct_store_owners(&manager->store)[row.i], .type = t};
    out->items = ct_scratch_take(&recording->memory, type->item_bytes);
    if (out->items == NULL) return CT_ERR_MEMORY;
    memset(out->items, 0, type->item_bytes);
    const reading r = {recording, &publisher->now->mirror, type, manager, row, out};
    recording->item_count++; // releases what it holds from here on
    status = read_id(&r);
    out->component = ct_mirror_find_of(r.mirror, out->entity, t, out->id);
    for (uint32_t f = 0, input = 0; f < type->field_count && status == CT_OK; ++f, ++input) {
        while (!ct_published_has(&manager->inputs[input]))
            input++;
        status = read_item(&r, &type->fields[f], input);
    }
    if (status == CT_OK && manager->type == &ct_transform_type) make_root(&r);
    return status;
}

// Reads all components of an entity and type, so that new ones keep their order.
static ct_status read_row(ct_recording *recording, uint32_t t, ct_row row) {
    ct_status status = CT_OK;
    const ct_store *store = &recording->publisher->now->watched[t].manager->store;
    if (store->multiple) row = ct_store_find(store, ct_store_owners(store)[row.i]);
    for (; row.i != CT_NO_ROW && status == CT_OK; row = ct_store_next(store, row))
        status = read_component(recording, t, row);
    return status;
}

// Reads the components of entities that were not published before, whose rows may be unchanged.
static ct_status read_admitted(ct_recording *recording) {
    const ct_publisher *publisher = recording->publisher;
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < recording->match_count && status == CT_OK; ++i) {
        ct_entity e = recording->matches[i];
        if (ct_mirror_find(&publisher->now->mirror, e) != CT_MIRROR_NONE ||
            !ct_recording_admits(recording, e))
            continue;
        for (uint32_t t = 0; t < publisher->now->watched_count && status == CT_OK; ++t) {
            ct_row row = ct_store_find(&publisher->now->watched[t].manager->store, e);
            if (row.i != CT_NO_ROW) status = read_row(recording, t, row);
        }
    }
    return status;
}

ct_status ct_recording_read(ct_recording *recording) {
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < recording->row_count && status == CT_OK; ++i) {
        const ct_recorded_row *at = &recording->rows[i];
        const ct_store *store = &recording->publisher->now->watched[at->type].manager->store;
        ct_entity owner = ct_store_owners(store)[at->row];
        if (owner.id == CT_NOBODY || !ct_recording_admits(recording, owner)) continue;
        if (!ct_recording_visit(recording, owner, CT_PASS_READ + at->type)) continue;
        status = read_row(recording, at->type, (ct_row){at->row});
    }
    return status == CT_OK ? read_admitted(recording) : status;
}

void ct_recording_release(ct_recording *recording) {
    ct_mirror *mirror = &recording->publisher->now->mirror;
    for (uint32_t i = 0; i < recording->item_count; ++i) {
        const ct_recorded *item = &recording->items[i];
        ct_mirror_release(mirror, &mirror->published->types[item->type], item->items,
                          item->present);
        ct_mirror_release_id(mirror, item->id);
    }
    recording->item_count = 0;
}
