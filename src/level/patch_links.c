// Parents of components in a patch: in the old resource, in the new one, and in the level.
#include "level/patch_internal.h"

#include <string.h>

static bool has_row(const ct_patch *patch, const ct_patch_side *side, uint32_t entity) {
    return ct_store_find(&patch->shadowed->store, side->entities[entity]).i != CT_NO_ROW;
}

// Returns the nearest ancestor in the resource that has a component in the shadow, or
// CT_MATCH_NONE.
static uint32_t above_in(const ct_patch *patch, const ct_patch_side *side, uint32_t entity) {
    const uint32_t *parents = side->resource->parent_index;
    uint32_t above = parents[entity];
    while (above != CT_RESOURCE_NO_PARENT && !has_row(patch, side, above))
        above = parents[above];
    return above;
}

// Returns the new parent of an entity: its nearest ancestor that has the component in the new
// resource and also has it in the level or gets it from this patch.
static ct_entity parent_of(const ct_patch_copy *p, const ct_manager *manager, uint32_t j) {
    const ct_patch *patch = p->patch;
    for (uint32_t a = j; (a = above_in(patch, &patch->after, a)) != CT_MATCH_NONE;) {
        ct_entity e = ct_patch_next_entity(p, a);
        if (patch->made[p->next_from + a] || ct_store_find(&manager->store, e).i != CT_NO_ROW)
            return e;
        // The patch adds the component to the ancestor if the old version does not have it.
        uint32_t i = patch->match.old_of[a];
        if (i == CT_MATCH_NONE) continue;
        if (!has_row(patch, &patch->before, i) && ct_patch_is_alive(p, e)) return e;
    }
    return patch->options.parent;
}

static ct_status keep_entity(ct_patch *patch, void **out, ct_entity e) {
    void *kept = ct_arena_take(&patch->arena, sizeof e);
    if (kept == NULL) return CT_ERR_MEMORY;
    memcpy(kept, &e, sizeof e);
    *out = kept;
    return CT_OK;
}

ct_status ct_patch_name_parents(const ct_patch_copy *p, ct_patch_step *step, uint32_t i,
                                uint32_t j) {
    ct_patch *patch = p->patch;
    uint32_t input = ct_manager_hierarchy(step->manager);
    ct_status status = CT_OK;
    for (uint32_t v = 0; v < step->value_count && status == CT_OK; ++v) {
        ct_patch_value *value = &step->values[v];
        if (value->input != input) continue;
        if (value->old != NULL) {
            uint32_t above = above_in(patch, &patch->before, i);
            ct_entity e = patch->options.parent;
            if (above != CT_MATCH_NONE) e.id = ct_patch_old_entity(p, above).id & 0x7FFFFFFFu;
            status = keep_entity(patch, &value->old, e);
        }
        if (value->next != NULL && status == CT_OK)
            status = keep_entity(patch, &value->next, parent_of(p, step->manager, j));
    }
    return status;
}

// Returns true if the parent of a component differs, or the node of the parent that it has.
static bool hangs_elsewhere(const ct_patch_copy *p, ct_manager *manager, uint32_t i, uint32_t j,
                            ct_row before, ct_row after) {
    const ct_patch *patch = p->patch;
    uint32_t old = above_in(patch, &patch->before, i);
    uint32_t next = above_in(patch, &patch->after, j);
    if ((old == CT_MATCH_NONE) != (next == CT_MATCH_NONE)) return true;
    if (next != CT_MATCH_NONE && patch->match.old_of[next] != old) return true;
    for (uint32_t n = manager->input_count; n < ct_manager_all_inputs(manager); ++n) {
        unsigned char a[CT_MAX_ITEM_BYTES] = {0}, b[CT_MAX_ITEM_BYTES] = {0};
        bool had = ct_patch_read_item(patch->shadowed, n, before, a);
        bool has = ct_patch_read_item(patch->shadowed, n, after, b);
        size_t bytes = ct_field_info_of(manager->inputs[n].type)->bytes;
        if (had != has || (had && memcmp(a, b, bytes) != 0)) return true;
    }
    return false;
}

ct_status ct_patch_plan_link(const ct_patch_copy *p, ct_manager *manager, uint32_t i, uint32_t j,
                             ct_row before, ct_row after) {
    uint32_t input = ct_manager_hierarchy(manager);
    if (input == manager->input_count || !hangs_elsewhere(p, manager, i, j, before, after))
        return CT_OK;
    ct_patch_step *step = ct_patch_add_step(p->patch, CT_PATCH_LINK, manager, p->next_from + j);
    if (step == NULL) return CT_ERR_MEMORY;
    // Added without ct_patch_read_values: a row without a parent has no item.
    ct_patch_value *value = ct_patch_new_value(p->patch, step, input);
    if (value == NULL) return CT_ERR_MEMORY;
    value->old = value->next = step; // placeholders; set below
    step->value_count++;
    ct_status status = ct_patch_name_parents(p, step, i, j);
    if (status != CT_OK) return status;
    return ct_patch_read_values(p->patch, step, manager->input_count,
                                ct_manager_all_inputs(manager), before, after);
}
