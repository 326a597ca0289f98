// Local rows of published components, and the values of their steps.
#include "level/replication/apply_target.h"

#include "base/message.h"

const ct_received_entity *ct_apply_record(const ct_apply *apply, ct_entity published) {
    uint32_t r = ct_entity_map_find(&apply->map, apply->ids, ct_entity_index(published));
    return r != CT_NO_ROW && apply->ids[r].id == published.id ? &apply->records[r] : NULL;
}

ct_entity ct_apply_local(const ct_apply *apply, ct_entity published) {
    const ct_entity no_entity = {CT_NOBODY};
    ct_entity local = no_entity;
    if (published.id == CT_NOBODY) return no_entity;
    const ct_received_entity *record = ct_apply_record(apply, published);
    if (record != NULL) {
        local = record->local;
    } else if (apply->before != NULL && apply->base > 0) {
        uint32_t place = ct_mirror_find(&apply->before->mirror, published);
        if (place != CT_MIRROR_NONE) local = apply->before->mirror.entities[place].local;
    }
    return ct_entity_manager_alive(apply->subscriber->world->entities, local) ? local : no_entity;
}

ct_apply_target ct_apply_find(ct_apply *apply, const ct_wanted *wanted) {
    const ct_mirror *mirror = wanted->names != NULL ? wanted->names : &apply->now->mirror;
    ct_entity local = wanted->local;
    ct_apply_target t = {.apply = apply,
                         .wanted = wanted,
                         .type = &apply->now->published.types[wanted->type],
                         .bound = &apply->types[wanted->type],
                         .local = local,
                         .given = ct_mirror_given(mirror, wanted->id),
                         .row = {CT_NO_ROW},
                         .items = wanted->items};
    ct_manager *manager = t.bound->manager;
    if (manager == NULL || !ct_entity_manager_alive(manager->store.entities, local)) return t;
    if (!manager->store.multiple) {
        t.row = ct_store_find(&manager->store, local);
        return t;
    }
    t.id = ct_manager_find_id(manager, &t.given);
    if (t.id != 0) t.row = ct_store_find_id(&manager->store, local, t.id);
    return t;
}

ct_patch_step *ct_apply_step(const ct_apply_target *t, ct_patch_kind kind) {
    ct_apply *apply = t->apply;
    apply->entity = t->local;
    apply->patch.entities = &apply->entity;
    apply->patch.schema = t->bound->schema;
    ct_patch_step *step = ct_patch_add_step(&apply->patch, kind, t->bound->manager, 0);
    if (step == NULL || kind == CT_PATCH_ADD) return step;
    step->id = t->id;
    if ((t->id & CT_ID_IS_STRING) != 0) {
        step->held.ref = t->id & ~CT_ID_IS_STRING;
        ct_string_pool_pin(&apply->patch.world->strings, step->held);
    }
    return step;
}

// ---------------------------------------------------------------- values

static ct_status refuse_label(const ct_apply_target *t, const ct_published_field *field,
                              uint32_t label) {
    ct_message_set(t->apply->message, "%s.%s: label '%s' is not defined here", t->type->name,
                   field->name, field->labels[label].bytes);
    return CT_ERR_DATA;
}

ct_status ct_apply_item(const ct_apply_target *t, uint32_t f, unsigned char *out) {
    const ct_published_field *field = &t->type->fields[f];
    const unsigned char *item = t->items + field->place;
    if (field->type == CT_FIELD_ENTITY) {
        ct_entity e = ct_apply_local(t->apply, (ct_entity){ct_u32_at(item, 0)});
        memcpy(out, &e, sizeof e);
    } else if (field->type == CT_FIELD_ENUM) {
        uint32_t label = t->bound->fields[f].labels[*item];
        if (label == CT_NOT_BOUND) return refuse_label(t, field, *item);
        *out = (unsigned char)label;
    } else {
        ct_published_get(field, item, out);
    }
    return CT_OK;
}

ct_text ct_apply_text(const ct_apply_target *t, uint32_t f) {
    ct_string string;
    memcpy(&string, t->items + t->type->fields[f].place, sizeof string);
    return ct_string_pool_text(&t->apply->now->mirror.strings, string);
}

ct_status ct_apply_add_value(const ct_apply_target *t, ct_patch_step *step, uint32_t f) {
    ct_patch *patch = &t->apply->patch;
    ct_string string;
    ct_patch_value *value = ct_patch_new_value(patch, step, t->bound->fields[f].input);
    unsigned char *item = ct_arena_take(&patch->arena, CT_MAX_ITEM_BYTES);
    if (value == NULL || item == NULL) return CT_ERR_MEMORY;
    if (ct_published_is_text(&t->type->fields[f])) {
        ct_status status =
            ct_string_pool_pin_text(&patch->world->strings, ct_apply_text(t, f), &string);
        if (status != CT_OK) return status;
        memcpy(item, &string, sizeof string);
    } else {
        ct_status status = ct_apply_item(t, f, item);
        if (status != CT_OK) return status;
    }
    value->next = item;
    step->value_count++;
    return CT_OK;
}

ct_cells *ct_apply_cells(const ct_apply_target *t, uint32_t f) {
    ct_mirror_cells cells;
    memcpy(&cells, t->items + t->type->fields[f].place, sizeof cells);
    return cells.cells;
}
