// Steps of a message: values of one component in the form of a patch.
#include "base/math.h"
#include "base/message.h"
#include "level/replication/apply_target.h"
#include "storage/manager_access.h"

// Adds the present item of a row, so that it can be written back.
static ct_status add_old(const ct_apply_target *t, ct_patch_value *value) {
    ct_patch *patch = &t->apply->patch;
    unsigned char *old = ct_arena_take(&patch->arena, CT_MAX_ITEM_BYTES);
    ct_manager *manager = t->bound->manager;
    ct_string string;
    if (old == NULL) return CT_ERR_MEMORY;
    if (!ct_patch_read_item(manager, value->input, t->row, old)) return CT_OK;
    if (value->type == CT_FIELD_STRING) {
        memcpy(&string, old, sizeof string);
        ct_string_pool_pin(&patch->world->strings, string);
    }
    value->old = old;
    return CT_OK;
}

static ct_status add_size(const ct_apply_target *t, ct_patch_step *step, uint32_t input,
                          uint32_t number) {
    ct_patch *patch = &t->apply->patch;
    ct_patch_value *value = ct_patch_new_value(patch, step, input);
    uint32_t *item = ct_arena_take(&patch->arena, sizeof *item);
    if (value == NULL || item == NULL) return CT_ERR_MEMORY;
    *item = number;
    value->next = item;
    step->value_count++;
    return CT_OK;
}

// Adds the cells of a new grid, with their size.
static ct_status add_new_cells(const ct_apply_target *t, ct_patch_step *step, uint32_t f) {
    ct_patch *patch = &t->apply->patch;
    const ct_cells *cells = ct_apply_cells(t, f);
    ct_status status = add_size(t, step, t->bound->size_inputs[0], cells->width);
    if (status == CT_OK) status = add_size(t, step, t->bound->size_inputs[1], cells->height);
    if (status != CT_OK) return status;
    ct_patch_value *value = ct_patch_new_value(patch, step, t->bound->fields[f].input);
    ct_text *text = ct_arena_take(&patch->arena, sizeof *text);
    void *bytes = ct_arena_take(&patch->arena, ct_cells_text_room(cells));
    if (value == NULL || text == NULL || bytes == NULL) return CT_ERR_MEMORY;
    *text = ct_cells_write(cells, bytes);
    value->cells = true;
    value->next = text;
    step->value_count++;
    return CT_OK;
}

// Adds changed cells: those that differ from the cells that were received before, or from those of
// the row.
static ct_status add_cells(const ct_apply_target *t, ct_patch_step *step, uint32_t f) {
    ct_manager *manager = t->bound->manager;
    ct_patch_value *value = ct_patch_new_value(&t->apply->patch, step, t->bound->fields[f].input);
    ct_cells *old;
    if (value == NULL) return CT_ERR_MEMORY;
    manager->type->get(manager, value->input, t->row, &old);
    if (t->wanted->old_items != NULL)
        memcpy(&old, t->wanted->old_items + t->type->fields[f].place, sizeof old);
    ct_status status = ct_patch_keep_cells(&t->apply->patch, value, old, ct_apply_cells(t, f));
    step->value_count += value->cells;
    return status;
}

// ---------------------------------------------------------------- components

// Returns whether a field is written by LINK steps.
static bool is_link(const ct_apply_target *t, uint32_t f) {
    uint32_t input = t->bound->fields[f].input;
    return t->bound->manager->inputs[input].hierarchy || input >= t->bound->manager->input_count;
}

static bool wants(const ct_apply_target *t, uint64_t fields, uint32_t f) {
    return (fields >> f & 1) != 0 && t->bound->fields[f].input != CT_NOT_BOUND && !is_link(t, f);
}

// Checks the values of a step before anything is changed.
static ct_status check(const ct_apply_target *t, const ct_patch_step *step) {
    const ct_patch *patch = &t->apply->patch;
    const ct_manager *manager = t->bound->manager;
    ct_values values[CT_MAX_COLUMNS];
    ct_text texts[CT_MAX_COLUMNS];
    ct_message reason;
    (void)ct_patch_new_items(patch, step, false, values, texts);
    if (ct_manager_check_values(manager, values, 1, step->kind == CT_PATCH_ADD, &reason))
        return CT_OK;
    ct_message_set(t->apply->message, "%s: %s", manager->name, reason.text);
    return CT_ERR_DATA;
}

static uint32_t count_fields(const ct_apply_target *t) {
    uint32_t count = 0;
    for (uint32_t f = 0; f < t->type->field_count; ++f)
        count += wants(t, t->wanted->present, f);
    return count;
}

static ct_status add_component(const ct_apply_target *t, uint64_t present) {
    ct_patch *patch = &t->apply->patch;
    ct_patch_step *step = ct_apply_step(t, CT_PATCH_ADD);
    uint32_t count = count_fields(t);
    if (step == NULL) return CT_ERR_MEMORY;
    t->apply->written += count;
    // Cells come with two numbers.
    step->values = ct_arena_take(&patch->arena, (count + 2) * sizeof *step->values);
    if (step->values == NULL) return CT_ERR_MEMORY;
    ct_status status = ct_patch_give_id(patch, step, t->given);
    for (uint32_t f = 0; f < t->type->field_count && status == CT_OK; ++f) {
        if (!wants(t, present, f)) continue;
        status =
            t->type->fields[f].cells ? add_new_cells(t, step, f) : ct_apply_add_value(t, step, f);
    }
    return status == CT_OK ? check(t, step) : status;
}

// Returns whether an item of a row is equal to a received text, or has the received cells.
static bool holds_other(const ct_apply_target *t, uint32_t f, const void *own) {
    ct_cells *cells;
    ct_string string;
    if (!t->type->fields[f].cells) {
        memcpy(&string, own, sizeof string);
        return ct_text_equal(ct_string_pool_text(t->bound->manager->strings, string),
                             ct_apply_text(t, f));
    }
    memcpy(&cells, own, sizeof cells);
    return ct_cells_equal(cells, ct_apply_cells(t, f));
}

// Returns whether the row has the received item of a field.
static bool holds(const ct_apply_target *t, uint32_t f) {
    unsigned char own[CT_MAX_ITEM_BYTES], wanted[CT_MAX_ITEM_BYTES];
    ct_manager *manager = t->bound->manager;
    const ct_published_field *field = &t->type->fields[f];
    uint32_t input = t->bound->fields[f].input;
    if (field->type == CT_FIELD_VALUE)
        return ct_patch_value_is(&t->apply->patch, manager,
                                 ct_patch_value_of(manager, input, t->row), ct_apply_text(t, f));
    if (!ct_patch_read_item(manager, input, t->row, own)) return false;
    if (field->type == CT_FIELD_STRING) return holds_other(t, f, own);
    if (ct_apply_item(t, f, wanted) != CT_OK) return true; // refused when it was received
    if (field->type == CT_FIELD_QUAT && manager->type == &ct_transform_type) {
        float rotation[4];
        memcpy(rotation, wanted, sizeof rotation);
        ct_quat_normalize(rotation, rotation);
        memcpy(wanted, rotation, sizeof rotation);
    }
    if (field->type == CT_FIELD_ENTITY) {
        ct_entity e, other;
        memcpy(&e, own, sizeof e);
        memcpy(&other, wanted, sizeof other);
        if (other.id == CT_NOBODY) return !ct_entity_manager_alive(manager->store.entities, e);
    }
    return ct_field_items_same(field->type, own, wanted);
}

// Returns whether a field of a row names no living entity.
static bool is_vacant(const ct_apply_target *t, uint32_t f) {
    ct_entity e = {CT_NOBODY};
    ct_patch_read_item(t->bound->manager, t->bound->fields[f].input, t->row, &e);
    return !ct_entity_manager_alive(t->bound->manager->store.entities, e);
}

// Adds one field to a step of a component that exists. Values have steps of their own, because
// their writes cannot be undone.
static ct_status set_field(const ct_apply_target *t, ct_patch_step **step, uint32_t f) {
    const ct_published_field *field = &t->type->fields[f];
    if (*step == NULL || field->type == CT_FIELD_VALUE) *step = ct_apply_step(t, CT_PATCH_SET);
    if (*step == NULL) return CT_ERR_MEMORY;
    if (field->cells) return add_cells(t, *step, f);
    ct_status status = ct_apply_add_value(t, *step, f);
    if (status != CT_OK) return status;
    if (field->type != CT_FIELD_VALUE)
        return add_old(t, &(*step)->values[(*step)->value_count - 1]);
    (*step)->one_way = true;
    return CT_OK;
}

static ct_status set_fields(const ct_apply_target *t, bool values) {
    const ct_wanted *wanted = t->wanted;
    ct_patch_step *step = NULL;
    ct_status status = CT_OK;
    for (uint32_t f = 0; f < t->type->field_count && status == CT_OK; ++f) {
        bool is_value = t->type->fields[f].type == CT_FIELD_VALUE;
        if (!wants(t, wanted->given & wanted->present, f) || is_value != values ||
            (wanted->vacant && !is_vacant(t, f)))
            continue;
        // The host may be called for a value, so the row is searched again.
        const ct_apply_target found = values ? ct_apply_find(t->apply, wanted) : *t;
        if (found.row.i == CT_NO_ROW || (wanted->compare && holds(&found, f))) continue;
        t->apply->written++;
        status = set_field(t, &step, f);
        if (status == CT_OK && values) status = check(t, step);
    }
    return status == CT_OK && step != NULL && !values ? check(t, step) : status;
}

ct_status ct_apply_component(ct_apply *apply, const ct_wanted *wanted) {
    const ct_apply_target t = ct_apply_find(apply, wanted);
    if (t.bound->manager == NULL) return CT_OK;
    if (t.row.i == CT_NO_ROW) return add_component(&t, wanted->present);
    ct_status status = set_fields(&t, false);
    return status == CT_OK ? set_fields(&t, true) : status;
}

ct_status ct_apply_remove(ct_apply *apply, const ct_wanted *wanted) {
    const ct_apply_target t = ct_apply_find(apply, wanted);
    if (t.row.i == CT_NO_ROW) return CT_OK;
    return ct_apply_step(&t, CT_PATCH_REMOVE) != NULL ? CT_OK : CT_ERR_MEMORY;
}
