// Cells in a patch: compared cell by cell if the size is equal, otherwise as a whole.
#include "level/patch_internal.h"

ct_cells *ct_patch_cells_of(ct_manager *manager, uint32_t input, ct_row row) {
    ct_cells *cells;
    manager->type->get(manager, input, row, &cells);
    return cells;
}

static bool same_size(const ct_cells *a, const ct_cells *b) {
    return a->width == b->width && a->height == b->height;
}

// Keeps the cells as text in 'next', the form in which components are created.
static ct_status keep_text(ct_patch *patch, const ct_cells *cells, ct_patch_value *value) {
    ct_text *text = ct_arena_take(&patch->arena, sizeof *text);
    void *bytes = ct_arena_take(&patch->arena, ct_cells_text_room(cells));
    if (text == NULL || bytes == NULL) return CT_ERR_MEMORY;
    *text = ct_cells_write(cells, bytes);
    value->next = text;
    return CT_OK;
}

ct_status ct_patch_read_cells(ct_patch *patch, ct_patch_value *value, ct_row before, ct_row after) {
    ct_cells *next = ct_patch_cells_of(patch->shadowed, value->input, after), *old = NULL;
    if (before.i != CT_NO_ROW) old = ct_patch_cells_of(patch->shadowed, value->input, before);
    if (old != NULL && ct_cells_equal(old, next)) return CT_OK;
    if (old != NULL) return ct_patch_keep_cells(patch, value, old, next);
    value->cells = true;
    return keep_text(patch, next, value);
}

ct_status ct_patch_keep_cells(ct_patch *patch, ct_patch_value *value, ct_cells *old,
                              ct_cells *next) {
    value->changed = ct_arena_take(&patch->arena, sizeof *value->changed);
    if (value->changed == NULL) return CT_ERR_MEMORY;
    *value->changed = (ct_patch_cells){ct_cells_retain(old), ct_cells_retain(next), NULL};
    value->cells = true;
    return CT_OK;
}

void ct_patch_free_cells(const ct_patch_value *value) {
    if (value->changed == NULL) return;
    ct_cells_release(value->changed->old);
    ct_cells_release(value->changed->next);
    ct_cells_release(value->changed->replaced);
}

bool ct_patch_holds_cells(ct_manager *manager, ct_row row, const ct_patch_value *value) {
    const ct_cells *now = ct_patch_cells_of(manager, value->input, row);
    const ct_cells *old = value->changed->old, *next = value->changed->next;
    if (!same_size(old, next)) return ct_cells_equal(now, old);
    if (!same_size(now, old)) return false;
    uint32_t i = 0, count = ct_cells_count(now);
    while (i < count && (ct_cells_same_at(old, next, i) || !ct_cells_same_at(now, old, i)))
        i++;
    return i < count;
}

// Merges the changed cells into 'now'. Returns the result, held, or NULL if memory runs out.
static ct_cells *merge(ct_cells *now, const ct_cells *old, ct_cells *next, bool forced) {
    if (!same_size(now, next) || ct_cells_equal(now, old)) return ct_cells_retain(next);
    ct_cells *merged = ct_cells_retain(now);
    if (ct_cells_own(&merged) != CT_OK ||
        (next->flips != NULL && ct_cells_make_flips(merged) != CT_OK)) {
        ct_cells_release(merged);
        return NULL;
    }
    for (uint32_t i = 0; i < ct_cells_count(old); ++i) {
        if (!ct_cells_same_at(old, next, i) && (forced || ct_cells_same_at(now, old, i)))
            ct_cells_put(merged, i, next->at[i], ct_cells_flips(next, i));
    }
    return merged;
}

ct_status ct_patch_write_cells(ct_patch_step *step, ct_row row, bool forced, bool *any) {
    ct_manager *manager = step->manager;
    *any = false;
    for (uint32_t v = 0; v < step->value_count; ++v) {
        ct_patch_value *value = &step->values[v];
        if (!value->cells || !value->written) continue;
        ct_cells *next = merge(ct_patch_cells_of(manager, value->input, row), value->changed->old,
                               value->changed->next, forced);
        if (next == NULL) return CT_ERR_MEMORY;
        value->changed->replaced = ct_grid_swap_cells(manager, row, next);
        *any = true;
    }
    return CT_OK;
}

void ct_patch_write_cells_back(const ct_patch_step *step, ct_row row) {
    for (uint32_t v = 0; v < step->value_count; ++v) {
        ct_patch_cells *changed = step->values[v].changed;
        if (changed == NULL || changed->replaced == NULL) continue;
        ct_cells_release(ct_grid_swap_cells(step->manager, row, changed->replaced));
        changed->replaced = NULL;
    }
}
