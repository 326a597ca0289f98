// Steps of a message: links of transforms.
#include "base/message.h"
#include "level/replication/apply_target.h"

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
    ct_message text;
    ct_string own;
    if (t->row.i == CT_NO_ROW || node == CT_NOT_BOUND) return !present;
    if (!ct_patch_read_item(t->bound->manager, t->bound->fields[node].input, t->row, item))
        return !present;
    memcpy(&own, item, sizeof own);
    ct_message_set(&text, "#%u", own.ref);
    return present &&
           ct_text_equal(ct_apply_text(t, node), (ct_text){text.text, (uint32_t)strlen(text.text)});
}

ct_status ct_apply_link(ct_apply *apply, const ct_wanted *wanted, bool unlink) {
    const ct_apply_target t = ct_apply_find(apply, wanted);
    uint32_t parent = t.type->parent;
    if (parent == t.type->field_count || t.bound->manager == NULL) return CT_OK;
    if (t.bound->fields[parent].input == CT_NOT_BOUND) return CT_OK;
    uint32_t node = node_field(&t);
    uint64_t fields = UINT64_C(1) << parent;
    if (node != CT_NOT_BOUND) fields |= UINT64_C(1) << node;
    if (t.row.i != CT_NO_ROW && (wanted->given & fields) == 0) return CT_OK;
    ct_entity next = {CT_NOBODY}, now = present_parent(&t);
    if ((wanted->present >> parent & 1) != 0) {
        const ct_entity wanted_parent = {ct_u32_at(t.items + t.type->fields[parent].place, 0)};
        next = ct_apply_local(apply, wanted_parent);
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
