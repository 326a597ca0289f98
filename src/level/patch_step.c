// Steps of a patch: reading, holding and comparing values of rows.
#include "level/patch_internal.h"

#include "base/message.h"
#include "world/host.h"

#include <string.h>

ct_row ct_patch_row(const ct_patch_step *step) {
    ct_store *store = &step->manager->store;
    return store->multiple ? ct_store_find_id(store, step->entity, step->id)
                           : ct_store_find(store, step->entity);
}

ct_row ct_patch_find_row(const ct_patch *patch, const ct_patch_step *step) {
    if (patch->world->destroyed || !ct_entity_manager_alive(patch->world->entities, step->entity))
        return (ct_row){CT_NO_ROW};
    return ct_patch_row(step);
}

ct_value ct_patch_value_of(const ct_manager *manager, uint32_t input, ct_row row) {
    ct_value value;
    memcpy(&value, ct_manager_item(manager, &manager->fields[input], row), sizeof value);
    return value;
}

bool ct_patch_value_is(const ct_patch *patch, const ct_manager *manager, ct_value value,
                       ct_text bytes) {
    const ct_host *host = patch->world->host;
    if (value.slot == 0 || bytes.length == 0) return value.slot == 0 && bytes.length == 0;
    ct_text own = ct_value_pool_bytes_of(manager->values, value);
    if (own.bytes != NULL) return ct_text_equal(own, bytes);
    return host != NULL && host->holds != NULL && host->holds(patch->context, value.slot, bytes);
}

ct_text ct_patch_text_of(const ct_manager *manager, uint32_t input, const void *item,
                         ct_message *number) {
    ct_string string;
    memcpy(&string, item, sizeof string);
    if (manager->type->get == NULL || !manager->inputs[input].numbered)
        return ct_string_pool_text(manager->strings, string);
    ct_message_set(number, "#%u", string.ref);
    return (ct_text){number->text, (uint32_t)strlen(number->text)};
}

bool ct_patch_read_item(ct_manager *manager, uint32_t input, ct_row row, void *item) {
    const ct_manager_type *type = manager->type;
    if (type->get != NULL) return type->get(manager, input, row, item);
    if (input >= manager->input_count) return false;
    const void *place = ct_manager_item(manager, &manager->fields[input], row);
    if (manager->inputs[input].type == CT_FIELD_VALUE) {
        const ct_value value = ct_patch_value_of(manager, input, row);
        const ct_value_pool *values = manager->values;
        ct_string bytes = {0};
        if (ct_value_pool_has(values, value)) bytes = values->slots[value.slot].bytes;
        memcpy(item, &bytes, sizeof bytes);
        return true;
    }
    memcpy(item, place, ct_field_info_of(manager->inputs[input].type)->bytes);
    return true;
}

// Copies an item of the shadow for a step, and holds its string in the level's world.
static ct_status keep_item(ct_patch *patch, uint32_t input, const unsigned char *item, void **out) {
    ct_field_type type = patch->shadowed->inputs[input].type;
    void *kept = ct_arena_take(&patch->arena, CT_MAX_ITEM_BYTES);
    if (kept == NULL) return CT_ERR_MEMORY;
    if (ct_field_is_text(type)) {
        ct_string string;
        ct_message number;
        const ct_text text = ct_patch_text_of(patch->shadowed, input, item, &number);
        ct_status status = ct_string_pool_pin_text(&patch->world->strings, text, &string);
        if (status != CT_OK) return status;
        memcpy(kept, &string, sizeof string);
    } else {
        memcpy(kept, item, ct_field_info_of(type)->bytes);
    }
    *out = kept;
    return CT_OK;
}

const void *ct_patch_item(const ct_patch *patch, const ct_patch_value *value, const void *item,
                          ct_text *text) {
    ct_string string;
    if (item == NULL || value->cells || !ct_field_is_text(value->type)) return item;
    memcpy(&string, item, sizeof string);
    *text = ct_string_pool_text(&patch->world->strings, string);
    return text;
}

bool ct_patch_new_items(const ct_patch *patch, const ct_patch_step *step, bool late,
                        ct_values *values, ct_text *texts) {
    const ct_manager *manager = step->manager;
    bool any = false;
    memset(values, 0, ct_manager_all_inputs(manager) * sizeof *values);
    for (uint32_t v = 0; v < step->value_count; ++v) {
        const ct_patch_value *value = &step->values[v];
        if ((value->input >= manager->input_count) != late) continue;
        values[value->input].items = ct_patch_item(patch, value, value->next, &texts[v]);
        any = true;
    }
    return any;
}

bool ct_patch_holds(const ct_patch *patch, ct_manager *manager, ct_row row,
                    const ct_patch_value *value, void *item) {
    unsigned char own[CT_MAX_ITEM_BYTES];
    ct_message number;
    ct_text text = {NULL, 0};
    if (value->cells) return ct_patch_holds_cells(manager, row, value);
    if (item != NULL) ct_patch_item(patch, value, item, &text);
    if (value->type == CT_FIELD_VALUE && item != NULL)
        return ct_patch_value_is(patch, manager, ct_patch_value_of(manager, value->input, row),
                                 text);
    if (!ct_patch_read_item(manager, value->input, row, own)) return item == NULL;
    if (item == NULL) return false;
    if (manager->type->get != NULL && manager->inputs[value->input].numbered)
        return ct_text_equal(text, ct_patch_text_of(manager, value->input, own, &number));
    if (!ct_field_items_same(value->type, own, item)) return false;
    memcpy(item, own, ct_field_info_of(value->type)->bytes);
    return true;
}

ct_status ct_patch_create_entities(ct_patch *patch, uint32_t count) {
    ct_entity_manager *entities = patch->world->entities;
    ct_status status = ct_entity_manager_create(entities, count, patch->created);
    patch->created_count = status == CT_OK ? count : 0;
    if (status == CT_ERR_MEMORY) return ct_message_out_of_memory(patch->message);
    if (status == CT_ERR_FULL)
        ct_message_set(patch->message, "entity manager is full (%u alive)",
                       ct_entity_manager_count(entities));
    return status;
}

ct_patch_step *ct_patch_add_step(ct_patch *patch, ct_patch_kind kind, ct_manager *manager,
                                 uint32_t place) {
    if (ct_array_reserve(patch->allocator, (void **)&patch->steps, &patch->step_capacity,
                         patch->step_count + 1, sizeof *patch->steps) != CT_OK)
        return NULL;
    ct_patch_step *step = &patch->steps[patch->step_count++];
    *step = (ct_patch_step){
        .kind = kind,
        .manager = manager,
        .place = place,
        .entity = patch->entities[place],
    };
    return step;
}

void ct_patch_set_id(ct_patch *patch, ct_patch_step *step, uint32_t id) {
    step->id = id;
    if ((id & CT_ID_IS_STRING) == 0) return;
    step->held.ref = id & ~CT_ID_IS_STRING;
    ct_string_pool_pin(&patch->world->strings, step->held);
}

ct_status ct_patch_give_id(ct_patch *patch, ct_patch_step *step, ct_component_id given) {
    ct_string_pool *strings = &patch->world->strings;
    step->given = given;
    if (given.text.bytes == NULL) return CT_OK;
    ct_status status = ct_string_pool_pin_text(strings, given.text, &step->held);
    if (status == CT_OK) step->given.text = ct_string_pool_text(strings, step->held);
    return status;
}

ct_patch_value *ct_patch_new_value(ct_patch *patch, ct_patch_step *step, uint32_t input) {
    const ct_manager *manager = step->manager;
    if (step->values == NULL)
        step->values =
            ct_arena_take(&patch->arena, ct_manager_all_inputs(manager) * sizeof *step->values);
    if (step->values == NULL) return NULL;
    ct_patch_value *value = &step->values[step->value_count];
    *value = (ct_patch_value){.input = input, .type = (uint8_t)manager->inputs[input].type};
    return value;
}

static ct_status add_value(ct_patch *patch, ct_patch_step *step, uint32_t input,
                           const unsigned char *old, const unsigned char *next) {
    ct_patch_value *value = ct_patch_new_value(patch, step, input);
    ct_status status = CT_OK;
    if (value == NULL) return CT_ERR_MEMORY;
    if (old != NULL) status = keep_item(patch, input, old, &value->old);
    if (status != CT_OK) return status;
    step->value_count++; // the step releases its items from here on
    return next != NULL ? keep_item(patch, input, next, &value->next) : CT_OK;
}

ct_status ct_patch_read_values(ct_patch *patch, ct_patch_step *step, uint32_t first, uint32_t end,
                               ct_row before, ct_row after) {
    ct_manager *manager = patch->shadowed;
    for (uint32_t input = first; input < end; ++input) {
        unsigned char old[CT_MAX_ITEM_BYTES], next[CT_MAX_ITEM_BYTES];
        ct_status status = CT_OK;
        if (manager->inputs[input].flips) continue; // compared with the cells
        if (manager->inputs[input].cells) {
            ct_patch_value *value = ct_patch_new_value(patch, step, input);
            if (value == NULL) return CT_ERR_MEMORY;
            status = ct_patch_read_cells(patch, value, before, after);
            if (status != CT_OK) return status;
            step->value_count += value->cells;
            continue;
        }
        if (manager->inputs[input].of_cells && before.i != CT_NO_ROW) continue;
        bool had = before.i != CT_NO_ROW && ct_patch_read_item(manager, input, before, old);
        bool has = after.i != CT_NO_ROW && ct_patch_read_item(manager, input, after, next);
        ct_field_type type = manager->inputs[input].type;
        bool same = had == has && (!had || ct_field_items_same(type, old, next));
        if (same && (!had || step->kind != CT_PATCH_LINK)) continue;
        status = add_value(patch, step, input, had ? old : NULL, has ? next : NULL);
        if (status != CT_OK) return status;
        if (before.i != CT_NO_ROW && had != has) step->whole = true;
    }
    return CT_OK;
}

static void unpin(ct_string_pool *strings, const ct_patch_value *value, const void *item) {
    ct_string string;
    if (item == NULL || value->cells || !ct_field_is_text(value->type)) return;
    memcpy(&string, item, sizeof string);
    ct_string_pool_unpin(strings, string);
}

void ct_patch_free_steps(ct_patch *patch) {
    ct_string_pool *strings = &patch->world->strings;
    // A destroyed world has freed its strings.
    for (uint32_t s = 0; s < patch->step_count && !patch->world->destroyed; ++s) {
        const ct_patch_step *step = &patch->steps[s];
        if (step->held.ref != 0) ct_string_pool_unpin(strings, step->held);
        for (uint32_t v = 0; v < step->value_count; ++v) {
            unpin(strings, &step->values[v], step->values[v].old);
            unpin(strings, &step->values[v], step->values[v].next);
            ct_patch_free_cells(&step->values[v]);
        }
    }
    ct_free(patch->allocator, patch->steps, patch->step_capacity * sizeof *patch->steps);
    patch->steps = NULL;
    patch->step_count = patch->step_capacity = 0;
    ct_arena_reset(&patch->arena);
}

// ---------------------------------------------------------------- ids

ct_component_id ct_patch_given_id(const ct_manager *shadowed, ct_row row) {
    uint32_t id = ct_store_id(&shadowed->store, row);
    ct_component_id given = {0};
    if ((id & CT_ID_IS_STRING) != 0)
        given.text = ct_string_pool_text(shadowed->strings, ct_manager_id_string(shadowed, row));
    else if (!ct_patch_is_issued(id))
        given.number = id;
    return given;
}

uint32_t ct_patch_id_here(ct_manager *manager, ct_manager *shadowed, ct_entity in_before,
                          ct_row row, ct_row *at_here) {
    ct_store *store = &manager->store;
    if (!store->multiple) return 0;
    const ct_component_id given = ct_patch_given_id(shadowed, row);
    if (!ct_patch_is_issued(ct_store_id(&shadowed->store, row)))
        return ct_manager_find_id(manager, &given);
    while (at_here->i != CT_NO_ROW) {
        uint32_t number = ct_store_id(store, *at_here);
        *at_here = ct_store_next(store, *at_here);
        if ((number & CT_ID_IS_STRING) == 0 &&
            (ct_patch_is_issued(number) ||
             ct_store_find_id(&shadowed->store, in_before, number).i == CT_NO_ROW))
            return number;
    }
    return 0;
}
