// Changes and removals of a patch: fields, links, components, entities.
#include "level/patch_internal.h"

#include "base/message.h"

#include <string.h>

// Collects the values to write, in the form of ct_manager_assign. Returns their number.
static uint32_t collect_values(const ct_patch *patch, const ct_patch_step *step, bool back,
                               ct_values *values, ct_text *texts) {
    uint32_t count = 0;
    memset(values, 0, ct_manager_all_inputs(step->manager) * sizeof *values);
    for (uint32_t v = 0; v < step->value_count; ++v) {
        const ct_patch_value *value = &step->values[v];
        const void *item = back ? value->old : value->next;
        if (!value->written || item == NULL || value->cells) continue;
        values[value->input].items = ct_patch_item(patch, value, item, &texts[v]);
        count++;
    }
    return count;
}

// Selects the values that may be written: the row must still have the old value. The host may be
// called for a value, so the row is searched again for each.
static void choose(const ct_patch *patch, ct_patch_step *step) {
    bool all = true;
    for (uint32_t v = 0; v < step->value_count; ++v) {
        ct_row row = ct_patch_find_row(patch, step);
        ct_patch_value *value = &step->values[v];
        value->written =
            row.i != CT_NO_ROW &&
            (patch->forced || ct_patch_holds(patch, step->manager, row, value, value->old));
        all = all && step->values[v].written;
    }
    for (uint32_t v = 0; v < step->value_count && step->whole && !all; ++v)
        step->values[v].written = false;
}

// Returns true if a row already has the parent of a link: a model with new nodes has linked its
// children, or the old parent is dead.
static bool is_linked(const ct_patch *patch, const ct_patch_step *step, ct_row row) {
    uint32_t v = 0;
    while (v < step->value_count &&
           ct_patch_holds(patch, step->manager, row, &step->values[v], step->values[v].next))
        v++;
    return v == step->value_count;
}

// Returns true if the new parent has a component, or the link has no parent.
static bool has_target(const ct_patch_step *step) {
    ct_entity e;
    memcpy(&e, step->values[0].next, sizeof e);
    return e.id == CT_NOBODY || ct_store_find(&step->manager->store, e).i != CT_NO_ROW;
}

static ct_status write_step(const ct_patch *patch, ct_patch_step *step) {
    ct_values values[CT_MAX_COLUMNS];
    ct_text texts[CT_MAX_COLUMNS];
    if (step->kind == CT_PATCH_SET) choose(patch, step);
    ct_row row = ct_patch_find_row(patch, step);
    if (row.i == CT_NO_ROW) return CT_OK;
    if (step->kind == CT_PATCH_LINK && !has_target(step)) return CT_OK;
    if (step->kind == CT_PATCH_LINK && is_linked(patch, step, row)) {
        // The child has not moved if only the model of its parent changed and the node name is the
        // same.
        bool follows = step->value_count > 1 &&
                       memcmp(step->values[0].old, step->values[0].next, sizeof(ct_entity)) == 0;
        step->done = step->values[0].written && !follows;
        return CT_OK;
    }
    bool any;
    ct_status status = ct_patch_write_cells(step, row, patch->forced, &any);
    if (status == CT_OK && collect_values(patch, step, false, values, texts) > 0) {
        status = ct_manager_assign(step->manager, row, values);
        any = true;
    }
    step->done = status == CT_OK && any;
    if (!step->done) ct_patch_write_cells_back(step, row);
    return status == CT_ERR_MEMORY ? CT_ERR_MEMORY : CT_OK; // skips a cycle or a missing node
}

static void write_back(const ct_patch *patch, const ct_patch_step *step) {
    ct_values values[CT_MAX_COLUMNS];
    ct_text texts[CT_MAX_COLUMNS];
    ct_row row = ct_patch_find_row(patch, step);
    if (row.i == CT_NO_ROW) return;
    ct_patch_write_cells_back(step, row);
    if (collect_values(patch, step, true, values, texts) == 0) return;
    // Cannot fail: the row had room for the old value.
    ct_manager_assign(step->manager, row, values);
}

static void write_all_back(const ct_patch *patch) {
    for (uint32_t s = patch->step_count; s-- > 0;) {
        const ct_patch_step *step = &patch->steps[s];
        if (step->kind == CT_PATCH_SET && step->done) write_back(patch, step);
    }
}

// Writes to models cannot be undone, because the poses of their nodes are lost, and those to value
// fields, because the host discards the values. Links cannot be undone either, but are written
// separately.
static bool is_one_way(const ct_patch_step *step) {
    return step->one_way || step->manager->type == &ct_model_type;
}

static ct_status write_all_of(ct_patch *patch, ct_patch_kind kind, bool one_way) {
    for (uint32_t s = 0; s < patch->step_count && !patch->world->destroyed; ++s) {
        ct_patch_step *step = &patch->steps[s];
        if (step->kind != kind || is_one_way(step) != one_way) continue;
        if (write_step(patch, step) != CT_OK) return CT_ERR_MEMORY;
    }
    return CT_OK;
}

// Reserves room for the writes that cannot be undone.
static ct_status reserve_one_way(ct_patch *patch) {
    ct_status status = CT_OK;
    uint64_t needed = 0;
    uint32_t slots = 0;
    for (uint32_t s = 0; s < patch->step_count && status == CT_OK; ++s) {
        ct_patch_step *step = &patch->steps[s];
        ct_values values[CT_MAX_COLUMNS];
        ct_text texts[CT_MAX_COLUMNS];
        if (step->kind != CT_PATCH_SET || !is_one_way(step)) continue;
        slots += step->one_way ? step->value_count : 0;
        if (step->one_way) continue;
        choose(patch, step);
        if (collect_values(patch, step, false, values, texts) > 0)
            status = ct_model_reserve(step->manager, values, &needed);
    }
    if (status != CT_OK || slots == 0) return status;
    return ct_value_pool_reserve(&patch->world->values, slots);
}

// Reserves room for all links to nodes of models.
static ct_status reserve_links(ct_patch *patch) {
    ct_entity *children = ct_arena_take(&patch->arena, patch->step_count * sizeof *children);
    uint32_t count = 0;
    if (children == NULL) return CT_ERR_MEMORY;
    for (uint32_t s = 0; s < patch->step_count; ++s) {
        const ct_patch_step *step = &patch->steps[s];
        if (step->kind == CT_PATCH_LINK && step->value_count > 1) children[count++] = step->entity;
    }
    if (count == 0) return CT_OK;
    return ct_transform_reserve_attached(ct_world_find(patch->world, CT_TRANSFORM), children,
                                         count);
}

// Selects the links that may be written, before models with new nodes change the links of their
// children.
static void choose_links(ct_patch *patch) {
    for (uint32_t s = 0; s < patch->step_count; ++s) {
        ct_patch_step *step = &patch->steps[s];
        if (step->kind != CT_PATCH_LINK) continue;
        step->whole = true;
        choose(patch, step);
    }
}

// Writes the values that cannot be undone last, where nothing can fail, and then links: undoing a
// link would change the order of siblings.
static ct_status write_all(ct_patch *patch) {
    choose_links(patch);
    ct_status status = write_all_of(patch, CT_PATCH_SET, false);
    if (status == CT_OK) status = reserve_one_way(patch);
    if (status == CT_OK) status = reserve_links(patch);
    if (status == CT_OK) status = write_all_of(patch, CT_PATCH_SET, true);
    if (status == CT_OK) status = write_all_of(patch, CT_PATCH_LINK, false);
    if (status != CT_OK) write_all_back(patch);
    return status;
}

ct_status ct_patch_write(ct_patch *patch) {
    ct_world *world = patch->world;
    ct_status status = CT_OK;
    uint32_t begun = 0;
    for (; begun < world->manager_count && status == CT_OK; ++begun)
        status = ct_manager_begin_batch(world->managers[begun]);
    if (status != CT_OK) begun--; // the last manager has not begun
    if (status == CT_OK) status = write_all(patch);
    if (status == CT_OK && patch->finish != NULL) patch->finish(patch->user);
    while (begun-- > 0 && !world->destroyed)
        ct_manager_end_batch(world->managers[begun], NULL);
    return status == CT_OK ? CT_OK : ct_message_out_of_memory(patch->message);
}

static bool remove_components(ct_patch *patch) {
    bool ok = true;
    for (uint32_t s = 0; s < patch->step_count && !patch->world->destroyed; ++s) {
        ct_patch_step *step = &patch->steps[s];
        if (step->kind != CT_PATCH_REMOVE ||
            !ct_entity_manager_alive(patch->world->entities, step->entity))
            continue;
        ct_row row = ct_patch_row(step);
        if (row.i == CT_NO_ROW) continue;
        step->done =
            ct_hooks_remove(patch->world, step->manager, row, patch->reason, patch->context, &ok);
    }
    return ok;
}

static bool destroy_removed(ct_patch *patch) {
    return patch->removed_count == 0 ||
           ct_world_destroy_entities(patch->world, patch->reason, patch->context,
                                     patch->removed_count, patch->removed, &patch->result->removed);
}

bool ct_patch_remove(ct_patch *patch) {
    bool ok = remove_components(patch);
    return destroy_removed(patch) && ok;
}
