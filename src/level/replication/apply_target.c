// Local rows of published components, the values of their steps, and links of transforms.
#include "level/replication/apply_target.h"

#include "base/message.h"

const ct_received_entity *ct_apply_record(const ct_apply *apply, ct_entity published) {
    uint32_t r = ct_entity_map_find(&apply->map, apply->ids, ct_entity_index(published));
    return r != CT_NO_ROW && apply->ids[r].id == published.id ? &apply->records[r] : NULL;
}

// Returns the local entity for an entity of the publisher, or CT_NOBODY if it has not arrived or
// was destroyed.
static ct_entity local_of(const ct_apply *apply, ct_entity published) {
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
    ct_apply_target t = {.apply = apply,
                         .wanted = wanted,
                         .type = &apply->now->published.types[wanted->type],
                         .bound = &apply->types[wanted->type],
                         .given = ct_mirror_given(mirror, wanted->id),
                         .row = {CT_NO_ROW}};
    ct_manager *manager = t.bound->manager;
    if (manager == NULL || apply->patch.world->destroyed ||
        !ct_entity_manager_alive(manager->store.entities, wanted->local))
        return t;
    if (!manager->store.multiple) {
        t.row = ct_store_find(&manager->store, wanted->local);
        return t;
    }
    t.id = ct_manager_find_id(manager, &t.given);
    if (t.id != 0) t.row = ct_store_find_id(&manager->store, wanted->local, t.id);
    return t;
}

ct_patch_step *ct_apply_step(const ct_apply_target *t, ct_patch_kind kind) {
    ct_apply *apply = t->apply;
    apply->entity = t->wanted->local;
    apply->patch.entities = &apply->entity;
    ct_patch_step *step = ct_patch_add_step(&apply->patch, kind, t->bound->manager, 0);
    if (step != NULL && kind != CT_PATCH_ADD) ct_patch_set_id(&apply->patch, step, t->id);
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
    const unsigned char *item = t->wanted->items + field->place;
    if (field->type == CT_FIELD_ENTITY) {
        ct_entity e = local_of(t->apply, (ct_entity){ct_u32_at(item, 0)});
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
    memcpy(&string, t->wanted->items + t->type->fields[f].place, sizeof string);
    return ct_string_pool_text(&t->apply->now->mirror.strings, string);
}

ct_status ct_apply_add_value(const ct_apply_target *t, ct_patch_step *step, uint32_t f) {
    ct_patch *patch = &t->apply->patch;
    ct_string string;
    uint32_t input = t->bound->fields[f].input;
    ct_field_type type = t->bound->manager->inputs[input].type;
    ct_patch_value *value = ct_patch_new_value(patch, step, input);
    unsigned char *item = ct_arena_take(&patch->arena, ct_field_info_of(type)->bytes);
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
    memcpy(&cells, t->wanted->items + t->type->fields[f].place, sizeof cells);
    return cells.cells;
}

// ---------------------------------------------------------------- links

// Returns the field of the node of the parent, or CT_NOT_BOUND.
static uint32_t node_field(const ct_apply_target *t) {
    const ct_manager *manager = t->bound->manager;
    for (uint32_t f = 0; f < t->type->field_count; ++f) {
        uint32_t input = t->bound->fields[f].input;
        if (input != CT_NOT_BOUND && input >= manager->input_count &&
            ct_published_is_text(&t->type->fields[f]))
            return f;
    }
    return CT_NOT_BOUND;
}

static ct_entity present_parent(const ct_apply_target *t) {
    ct_entity e = {CT_NOBODY};
    if (t->row.i != CT_NO_ROW)
        ct_patch_read_item(t->bound->manager, t->bound->fields[t->type->parent].input, t->row, &e);
    return e;
}

static ct_status add_link(const ct_apply_target *t, ct_entity parent, uint32_t node) {
    ct_patch *patch = &t->apply->patch;
    ct_patch_step *step = ct_apply_step(t, CT_PATCH_LINK);
    if (step == NULL) return CT_ERR_MEMORY;
    ct_patch_value *value =
        ct_patch_new_value(patch, step, t->bound->fields[t->type->parent].input);
    ct_entity *item = ct_arena_take(&patch->arena, sizeof *item);
    if (value == NULL || item == NULL) return CT_ERR_MEMORY;
    *item = parent;
    value->old = value->next = item;
    step->value_count++;
    return node != CT_NOT_BOUND ? ct_apply_add_value(t, step, node) : CT_OK;
}

// Returns whether a row is attached to the received node, or to none if there is none.
static bool is_attached(const ct_apply_target *t, uint32_t node, bool present) {
    unsigned char item[CT_MAX_ITEM_BYTES];
    ct_message number;
    if (t->row.i == CT_NO_ROW || node == CT_NOT_BOUND) return !present;
    if (!ct_patch_read_item(t->bound->manager, t->bound->fields[node].input, t->row, item))
        return !present;
    return present && ct_text_equal(ct_apply_text(t, node),
                                    ct_patch_text_of(t->bound->manager,
                                                     t->bound->fields[node].input, item, &number));
}

ct_status ct_apply_link(ct_apply *apply, const ct_wanted *wanted, bool unlink) {
    const ct_published_type *type = &apply->now->published.types[wanted->type];
    uint32_t parent = type->parent;
    if (parent == type->field_count) return CT_OK;
    const ct_apply_target t = ct_apply_find(apply, wanted);
    if (t.bound->manager == NULL) return CT_OK;
    if (t.bound->fields[parent].input == CT_NOT_BOUND) return CT_OK;
    uint32_t node = node_field(&t);
    uint64_t fields = UINT64_C(1) << parent;
    if (node != CT_NOT_BOUND) fields |= UINT64_C(1) << node;
    if (t.row.i != CT_NO_ROW && (wanted->given & fields) == 0) return CT_OK;
    ct_entity next = {CT_NOBODY}, now = present_parent(&t);
    if ((wanted->present >> parent & 1) != 0) {
        const ct_entity wanted_parent = {
            ct_u32_at(wanted->items + t.type->fields[parent].place, 0)};
        next = local_of(apply, wanted_parent);
    }
    bool attached =
        node != CT_NOT_BOUND && (wanted->present >> node & 1) != 0 && next.id != CT_NOBODY;
    if (next.id == now.id && is_attached(&t, node, attached)) return CT_OK;
    if (wanted->vacant && now.id != CT_NOBODY) return CT_OK;
    if (unlink) {
        apply->written++;
        if (now.id == CT_NOBODY) return CT_OK;
        return add_link(&t, (ct_entity){CT_NOBODY}, CT_NOT_BOUND);
    }
    if (next.id == CT_NOBODY) return CT_OK;
    return add_link(&t, next, attached ? node : CT_NOT_BOUND);
}
