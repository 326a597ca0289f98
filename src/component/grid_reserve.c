// Cells of grids that will be spawned, made before, so that the spawn needs no memory.
// Knows nothing of who spawns, nor of the other components.
#include "base/hash.h"
#include "base/text.h"
#include "component/grid_internal.h"

#include <stdlib.h>

// ---------------------------------------------------------------- cells by their text

static uint64_t key_of(const ct_grids *g, uint32_t width, uint32_t height, ct_text text) {
    uint64_t hash = ct_hash_text(g->base.strings->seed, text.bytes, text.length);
    return ct_hash_mix(hash, (uint64_t)width << 32 | height);
}

static int order_of_numbers(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare(const void *one, const void *other) {
    const ct_grid_kept *a = one, *b = other;
    int order = order_of_numbers(a->key, b->key);
    if (order == 0) order = order_of_numbers(a->width, b->width);
    if (order == 0) order = order_of_numbers(a->height, b->height);
    return order != 0 ? order : ct_text_compare(a->text, b->text);
}

static ct_grid_kept kept_of(const ct_grids *g, uint32_t width, uint32_t height, ct_text text) {
    return (ct_grid_kept){key_of(g, width, height, text), width, height, text, NULL};
}

ct_cells *ct_grid_kept_cells(const ct_grids *g, uint32_t width, uint32_t height, ct_text text) {
    if (g->kept_count == 0) return NULL;
    const ct_grid_kept wanted = kept_of(g, width, height, text);
    const ct_grid_kept *found = bsearch(&wanted, g->kept, g->kept_count, sizeof *g->kept, compare);
    return found != NULL ? found->cells : NULL;
}

static ct_status note_text(ct_grids *g, uint32_t width, uint32_t height, ct_text text) {
    const ct_grid_kept *last = g->kept_count > 0 ? &g->kept[g->kept_count - 1] : NULL;
    if (last != NULL && last->text.bytes == text.bytes && last->width == width &&
        last->height == height)
        return CT_OK;
    ct_status status = ct_array_reserve(g->base.store.allocator, (void **)&g->kept,
                                        &g->kept_capacity, g->kept_count + 1, sizeof *g->kept);
    if (status == CT_OK) g->kept[g->kept_count++] = kept_of(g, width, height, text);
    return status;
}

// Each that was noted, once, in order.
static ct_status make_kept(ct_grids *g) {
    uint32_t noted = g->kept_count;
    g->kept_count = 0;
    if (noted == 0) return CT_OK;
    qsort(g->kept, noted, sizeof *g->kept, compare);
    for (uint32_t i = 0; i < noted; ++i) {
        ct_grid_kept *kept = &g->kept[g->kept_count];
        if (g->kept_count > 0 && compare(kept - 1, &g->kept[i]) == 0) continue;
        *kept = g->kept[i];
        kept->cells = ct_cells_new(g->base.store.allocator, kept->width, kept->height, kept->text);
        if (kept->cells == NULL) return CT_ERR_MEMORY;
        kept->cells = ct_grid_shared(g, kept->cells);
        g->kept_count++;
    }
    return CT_OK;
}

// ---------------------------------------------------------------- blocks by their size

// The first that has at least so many cells, or the count.
static uint32_t find_blank(const ct_grids *g, uint32_t cells) {
    uint32_t first = 0, end = g->blank_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (g->blanks[middle].count < cells)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

ct_cells *ct_grid_new_block(ct_grids *g, uint32_t width, uint32_t height) {
    uint32_t first = find_blank(g, width * height);
    ct_grid_blank *blank = first < g->blank_count ? &g->blanks[first] : NULL;
    if (blank == NULL || blank->count != width * height || blank->left == 0)
        return ct_cells_block(g->base.store.allocator, width, height);
    ct_cells **last = &g->blanks[first + --blank->left].cells, *cells = *last;
    *last = NULL;
    cells->width = width;
    cells->height = height;
    return cells;
}

static ct_status add_blanks(ct_grids *g, uint32_t width, uint32_t height, uint32_t count) {
    const ct_allocator *allocator = g->base.store.allocator;
    ct_status status = ct_array_reserve(allocator, (void **)&g->blanks, &g->blank_capacity,
                                        g->blank_count + count, sizeof *g->blanks);
    for (; count > 0 && status == CT_OK; --count) {
        ct_cells *cells = ct_cells_block(allocator, width, height);
        if (cells == NULL) return CT_ERR_MEMORY;
        g->blanks[g->blank_count++] = (ct_grid_blank){cells, ct_cells_count(cells), 0};
    }
    return status;
}

static int compare_blanks(const void *one, const void *other) {
    return order_of_numbers(((const ct_grid_blank *)one)->count,
                            ((const ct_grid_blank *)other)->count);
}

// Ascending; the first of each size knows how many there are.
static void sort_blanks(ct_grids *g) {
    if (g->blank_count > 0) qsort(g->blanks, g->blank_count, sizeof *g->blanks, compare_blanks);
    for (uint32_t i = 0, first = 0; i < g->blank_count; ++i) {
        if (g->blanks[i].count != g->blanks[first].count) first = i;
        g->blanks[first].left++;
    }
}

// ---------------------------------------------------------------- both

// Cells of the resource are made and shared. Who is overridden gets a block for what it will have.
ct_status ct_grid_reserve(ct_manager *manager, ct_need *need) {
    ct_grids *g = ct_grids_of(manager);
    ct_grid_release(manager); // a spawn in whose callbacks this one begins makes its own then
    ct_status status = ct_grid_reserve_blocks(g, ct_store_count(&manager->store) + need->rows);
    while (status == CT_OK && need->next(need)) {
        uint32_t width = ct_grid_number(&need->values[CT_GRID_IN_WIDTH], 0, 0);
        uint32_t height = ct_grid_number(&need->values[CT_GRID_IN_HEIGHT], 0, 0);
        ct_text text = ct_grid_text(&need->values[CT_GRID_IN_CELLS], 0);
        if (!ct_cells_check_size(width, height, NULL)) continue;
        if (need->overriding)
            status = add_blanks(g, width, height, need->count);
        else
            status = note_text(g, width, height, text);
    }
    sort_blanks(g);
    return status == CT_OK ? make_kept(g) : status;
}

void ct_grid_release(ct_manager *manager) {
    ct_grids *g = ct_grids_of(manager);
    const ct_allocator *allocator = manager->store.allocator;
    for (uint32_t i = 0; i < g->kept_count; ++i)
        ct_cells_release(g->kept[i].cells);
    for (uint32_t i = 0; i < g->blank_count; ++i)
        if (g->blanks[i].cells != NULL) ct_cells_release(g->blanks[i].cells);
    ct_free(allocator, g->kept, g->kept_capacity * sizeof *g->kept);
    ct_free(allocator, g->blanks, g->blank_capacity * sizeof *g->blanks);
    g->kept = NULL;
    g->blanks = NULL;
    g->kept_count = g->kept_capacity = g->blank_count = g->blank_capacity = 0;
}
