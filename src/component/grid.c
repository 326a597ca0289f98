// Grid manager: its columns, and the cells of rows that are created, written and removed.
#include "component/grid_internal.h"

#include "base/message.h"
#include "storage/manager_access.h"

#include <string.h>

ct_cells *ct_grid_cells(const ct_manager *grids, ct_row row) {
    return ct_grids_of(grids)->blocks[row.i];
}

void ct_grid_cell_size(const ct_manager *grids, ct_row row, float out[2]) {
    memcpy(out, ct_manager_item(grids, &ct_grid_inputs[CT_GRID_IN_CELL_SIZE], row),
           2 * sizeof *out);
}

const uint32_t *ct_grid_changes(const ct_manager *grids) { return &ct_grids_of(grids)->changes; }

ct_status ct_grid_set_cell(ct_manager *grids, ct_row row, uint32_t x, uint32_t y, uint32_t value) {
    ct_grids *g = ct_grids_of(grids);
    ct_cells **cells = &g->blocks[row.i], *before = *cells;
    uint32_t at = y * before->width + x;
    CT_ASSERT(x < before->width && y < before->height);
    if (before->at[at] == value && ct_cells_flips(before, at) == 0) return CT_OK;
    ct_status status = ct_cells_own(cells);
    if (status != CT_OK) return status;
    if (*cells != before) g->changes++;
    ct_cells_put(*cells, at, value, 0);
    return CT_OK;
}

ct_status ct_grid_set_flips(ct_manager *grids, ct_row row, uint32_t x, uint32_t y, uint32_t flips) {
    ct_grids *g = ct_grids_of(grids);
    ct_cells **cells = &g->blocks[row.i], *before = *cells;
    uint32_t at = y * before->width + x;
    CT_ASSERT(x < before->width && y < before->height && flips <= CT_FLIP_ALL);
    if (ct_cells_flips(before, at) == flips) return CT_OK;
    ct_status status = ct_cells_own(cells);
    if (*cells != before) g->changes++;
    if (status == CT_OK) status = ct_cells_make_flips(*cells);
    if (status == CT_OK) ct_cells_put(*cells, at, (*cells)->at[at], flips);
    return status;
}

// Orders two coordinates and limits them to 0 .. size - 1. Returns false if none is left.
static bool limit(int64_t *low, int64_t *high, uint32_t size) {
    int64_t one = *low, other = *high;
    *low = one < other ? one : other;
    *high = one < other ? other : one;
    if (*low < 0) *low = 0;
    if (*high >= size) *high = (int64_t)size - 1;
    return *low <= *high;
}

ct_status ct_grid_fill(ct_manager *grids, ct_row row, int64_t x1, int64_t y1, int64_t x2,
                       int64_t y2, uint32_t value, uint64_t *count) {
    const ct_cells *cells = ct_grid_cells(grids, row);
    *count = 0;
    if (!limit(&x1, &x2, cells->width) || !limit(&y1, &y2, cells->height)) return CT_OK;
    // Only the first write can fail: it copies the cells if they are shared.
    for (int64_t y = y1; y <= y2; ++y) {
        for (int64_t x = x1; x <= x2; ++x) {
            ct_status status = ct_grid_set_cell(grids, row, (uint32_t)x, (uint32_t)y, value);
            if (status != CT_OK) return status;
        }
    }
    *count = (uint64_t)(x2 - x1 + 1) * (uint64_t)(y2 - y1 + 1);
    return CT_OK;
}

// ---------------------------------------------------------------- values

static ct_status write(ct_manager *manager, uint32_t field, ct_row row, const void *item) {
    if (!ct_manager_check_item(manager, field, item, NULL)) return CT_ERR_DATA;
    return ct_manager_write_column(manager, field, row, item);
}

static bool get(ct_manager *manager, uint32_t input, ct_row row, void *item) {
    ct_cells *cells = ct_grid_cells(manager, row);
    if (ct_grid_inputs[input].cells) {
        memcpy(item, &cells, sizeof(ct_cells *));
        return input == CT_GRID_IN_CELLS || ct_cells_are_flipped(cells);
    }
    memcpy(item, ct_manager_item(manager, &ct_grid_inputs[input], row),
           ct_field_info_of(ct_grid_inputs[input].type)->bytes);
    return true;
}

// ---------------------------------------------------------------- blocks

enum { RECENT_BYTES = CT_GRID_RECENT * sizeof(uint32_t) };

ct_status ct_grid_reserve_blocks(ct_grids *g, uint32_t rows) {
    uint32_t old = g->block_capacity;
    ct_status status = ct_array_reserve(g->base.store.allocator, (void **)&g->blocks,
                                        &g->block_capacity, rows, sizeof(ct_cells *));
    for (uint32_t i = old; i < g->block_capacity; ++i)
        g->blocks[i] = NULL;
    return status;
}

void ct_grid_release_blocks(ct_grids *g, uint32_t first, uint32_t end) {
    g->changes++;
    for (uint32_t row = first; row < end && row < g->block_capacity; ++row) {
        ct_cells_release(g->blocks[row]);
        g->blocks[row] = NULL;
    }
}

void ct_grid_put_block(ct_grids *g, uint32_t row, ct_cells *cells) {
    ct_cells *before = g->blocks[row];
    g->blocks[row] = cells;
    ct_cells_release(before);
    ct_store_u32(&g->base.store, CT_GRID_WIDTH)[row] = cells->width;
    ct_store_u32(&g->base.store, CT_GRID_HEIGHT)[row] = cells->height;
    g->changes++;
}

ct_cells *ct_grid_share(ct_grids *g, uint32_t row, ct_cells *cells) {
    uint64_t hash = ct_cells_hash(cells);
    if (g->recent == NULL) g->recent = ct_alloc_zero(g->base.store.allocator, RECENT_BYTES);
    if (g->recent == NULL) return cells; // without memory nothing is shared
    uint32_t *recent = &g->recent[hash % CT_GRID_RECENT];
    ct_cells *other = *recent < g->block_capacity ? g->blocks[*recent] : NULL;
    if (other == NULL || !other->hashed || other->hash != hash || !ct_cells_equal(cells, other)) {
        *recent = row;
        return cells;
    }
    ct_cells_retain(other);
    ct_cells_release(cells);
    return other;
}

// Table from cell texts to rows that were just created: rows with the same text share their cells.
enum { REMEMBERED = 64 };

typedef struct remembered {
    const char *text[REMEMBERED];
    uint32_t row[REMEMBERED];
} remembered;

static ct_cells *new_cells(ct_grids *g, uint32_t row, ct_text text, ct_text flips,
                           remembered *made) {
    const ct_store *store = &g->base.store;
    uint32_t width = ct_store_u32(store, CT_GRID_WIDTH)[row];
    uint32_t height = ct_store_u32(store, CT_GRID_HEIGHT)[row];
    uint32_t place = (uint32_t)((uintptr_t)text.bytes >> 2) % REMEMBERED;
    if (made->text[place] == text.bytes && flips.length == 0) {
        ct_cells *cells = g->blocks[made->row[place]];
        if (cells->width == width && cells->height == height) return ct_cells_retain(cells);
    }
    ct_cells *cells = ct_cells_new(g->base.store.allocator, width, height, text);
    if (cells == NULL) return NULL;
    if (flips.length == 0) {
        made->text[place] = text.bytes;
        made->row[place] = row;
    } else if (ct_cells_fill_flips(cells, flips) != CT_OK) {
        ct_cells_release(cells);
        return NULL;
    }
    return ct_grid_share(g, row, cells);
}

// Sets the cells of new rows from one text for all or one text for each. The fields are written
// already. On failure the rows hold no cells and no strings.
static ct_status enter(ct_grids *g, uint32_t first, uint32_t count, const ct_values *texts,
                       const ct_values *flips) {
    remembered made = {{NULL}, {0}};
    ct_status status = ct_grid_reserve_blocks(g, first + count);
    for (uint32_t i = 0; i < count && status == CT_OK; ++i) {
        g->blocks[first + i] =
            new_cells(g, first + i, ct_grid_text(texts, i), ct_grid_text(flips, i), &made);
        if (g->blocks[first + i] == NULL) status = ct_out_of_memory(g->base.store.allocator);
    }
    if (status == CT_OK) return CT_OK;
    ct_grid_release_blocks(g, first, first + count);
    ct_manager_release_items(&g->base, &ct_grid_inputs[CT_GRID_IN_TILES], (ct_row){first}, count);
    return status;
}

// ---------------------------------------------------------------- creating

static ct_status fill(ct_manager *manager, ct_row first, uint32_t count, const ct_values *values) {
    ct_status status = ct_manager_fill_columns(manager, first, count, values);
    if (status != CT_OK) return status;
    // When a save is loaded, rows are created without values: 'load' sets their cells later.
    for (uint32_t column = CT_GRID_WIDTH; column <= CT_GRID_HEIGHT; ++column) {
        uint32_t *numbers = ct_store_u32(&manager->store, column) + first.i;
        for (uint32_t i = 0; i < count; ++i)
            numbers[i] += numbers[i] == 0;
    }
    return enter(ct_grids_of(manager), first.i, count, &values[CT_GRID_IN_CELLS],
                 &values[CT_GRID_IN_FLIPS]);
}

static ct_status spawn(ct_manager *manager, const ct_spawn *arguments) {
    uint32_t count = arguments->num_instances;
    ct_layout_places places;
    if (!ct_layout_place(&manager->shape->layout, count, &places)) return CT_ERR_DATA;
    ct_text *texts = ct_scratch_take(arguments->scratch, count * sizeof *texts);
    if (texts == NULL) return ct_out_of_memory(manager->store.allocator);
    for (uint32_t i = 0; i < count; ++i) {
        texts[i] = ct_text_stored(arguments->data + places.strings,
                                  ct_u32_at(arguments->data + places.field[CT_GRID_IN_CELLS], i));
    }
    const ct_values values = {texts, sizeof *texts}, none = {NULL, 0};
    ct_status status = ct_manager_spawn_columns(manager, arguments);
    if (status == CT_OK) {
        // At the row limit the spawn first removes dead rows: the new rows are the last ones.
        status = enter(ct_grids_of(manager), ct_store_count(&manager->store) - count, count,
                       &values, &none);
        if (status != CT_OK) ct_store_rollback(&manager->store, count);
    }
    return status;
}

// ---------------------------------------------------------------- changing

static bool check_assign(const ct_manager *manager, ct_row row, const ct_values *values,
                         uint32_t count, ct_message *message) {
    (void)count; // is 1, because there are no late inputs
    const ct_cells *now = ct_grid_cells(manager, row);
    uint32_t width = ct_grid_number(&values[CT_GRID_IN_WIDTH], 0, now->width);
    uint32_t height = ct_grid_number(&values[CT_GRID_IN_HEIGHT], 0, now->height);
    ct_text cells = ct_grid_text(&values[CT_GRID_IN_CELLS], 0);
    return ct_cells_check_text(width, height, cells, message) &&
           ct_cells_check_flips(width * height, ct_grid_text(&values[CT_GRID_IN_FLIPS], 0),
                                message);
}

// Fills new cells of a row with the given values. Cells that are given without flips have none.
static ct_status fill_cells(ct_cells *cells, const ct_cells *now, const ct_values *values) {
    bool given = values[CT_GRID_IN_CELLS].items != NULL;
    ct_text flips = ct_grid_text(&values[CT_GRID_IN_FLIPS], 0);
    ct_status status = given ? ct_cells_fill(cells, ct_grid_text(&values[CT_GRID_IN_CELLS], 0))
                             : ct_cells_fill_from(cells, now);
    if (status != CT_OK || values[CT_GRID_IN_FLIPS].items == NULL) return status;
    return ct_cells_fill_flips(cells, flips);
}

// Sets *out to new cells for a row, with one reference, or to NULL if its cells do not change.
static ct_status change_cells(ct_grids *g, uint32_t row, const ct_values *values, ct_cells **out) {
    const ct_cells *now = g->blocks[row];
    uint32_t width = ct_grid_number(&values[CT_GRID_IN_WIDTH], 0, now->width);
    uint32_t height = ct_grid_number(&values[CT_GRID_IN_HEIGHT], 0, now->height);
    *out = NULL;
    if (!check_assign(&g->base, (ct_row){row}, values, 1, NULL)) return CT_ERR_DATA;
    bool given = values[CT_GRID_IN_CELLS].items != NULL || values[CT_GRID_IN_FLIPS].items != NULL;
    if (!given && width == now->width && height == now->height) return CT_OK;
    ct_cells *cells = ct_cells_block(g->base.store.allocator, width, height);
    if (cells == NULL) return ct_out_of_memory(g->base.store.allocator);
    ct_status status = fill_cells(cells, now, values);
    if (status == CT_OK)
        *out = cells;
    else
        ct_cells_release(cells);
    return status;
}

ct_cells *ct_grid_swap_cells(ct_manager *grids, ct_row row, ct_cells *cells) {
    ct_cells *before = ct_cells_retain(ct_grid_cells(grids, row));
    ct_grid_put_block(ct_grids_of(grids), row.i, cells);
    return before;
}

// If the size is assigned without cells, the cells inside both sizes are kept.
static ct_status assign(ct_manager *manager, ct_row row, const ct_values *values, bool created) {
    (void)created;
    ct_grids *g = ct_grids_of(manager);
    const void *tiles = values[CT_GRID_IN_TILES].items;
    const void *size = values[CT_GRID_IN_CELL_SIZE].items;
    ct_cells *cells;
    ct_status status = change_cells(g, row.i, values, &cells);
    if (status != CT_OK) return status;
    if (tiles != NULL) status = ct_manager_write_column(manager, CT_GRID_IN_TILES, row, tiles);
    if (status != CT_OK) {
        ct_cells_release(cells);
        return status;
    }
    // Nothing below this line can fail.
    if (size != NULL) ct_manager_write_column(manager, CT_GRID_IN_CELL_SIZE, row, size);
    if (cells != NULL) ct_grid_put_block(g, row.i, cells);
    return CT_OK;
}

// ---------------------------------------------------------------- removing

static void removing(ct_manager *manager, ct_row first, uint32_t count) {
    ct_grid_release_blocks(ct_grids_of(manager), first.i, first.i + count);
}

static void moved(ct_manager *manager, ct_row to, ct_row from, uint32_t count) {
    ct_grids *g = ct_grids_of(manager);
    memcpy(g->blocks + to.i, g->blocks + from.i, count * sizeof *g->blocks);
    memset(g->blocks + from.i, 0, count * sizeof *g->blocks);
    g->changes++;
}

// Each row counts its fraction of shared cells.
static size_t memory(ct_manager *manager, ct_memory_task task) {
    ct_grids *g = ct_grids_of(manager);
    if (task != CT_MEMORY_COUNT)
        ct_array_trim(manager->store.allocator, (void **)&g->blocks, &g->block_capacity,
                      ct_store_count(&manager->store), sizeof(ct_cells *));
    if (task == CT_MEMORY_FREE) {
        ct_free(manager->store.allocator, g->recent, RECENT_BYTES);
        g->recent = NULL;
        g->changes++;
    }
    size_t sum = ct_grid_tiles_memory(g, task) + g->block_capacity * sizeof(ct_cells *);
    if (g->recent != NULL) sum += RECENT_BYTES;
    for (uint32_t row = 0; row < g->block_capacity; ++row) {
        const ct_cells *cells = g->blocks[row];
        if (cells != NULL) sum += ct_cells_bytes(cells) / cells->references;
    }
    return sum;
}

static const ct_manager_shape shape = {
    .name = CT_GRID,
    .bytes = sizeof(ct_grids),
    .names = offsetof(ct_grids, known),
    .widths = (const uint16_t[]){4, 4, 8, 4},
    .column_count = 4,
    .fields = ct_grid_inputs,
    .field_count = CT_GRID_FIELDS,
    .inputs = ct_grid_inputs,
    .input_count = CT_GRID_INPUTS,
    .layout = {.fields = ct_grid_inputs,
               .field_count = CT_GRID_RESOURCE_COLUMNS,
               .check = ct_grid_check_layout,
               .bake = ct_grid_bake},
};

const ct_manager_type ct_grid_type = {
    .shape = &shape,
    .check = ct_grid_check,
    .fill = fill,
    .write = write,
    .assign = assign,
    .check_assign = check_assign,
    .get = get,
    .removing = removing,
    .moved = moved,
    .spawn = spawn,
    .memory = memory,
    .state = ct_grid_state,
    .save = ct_grid_save,
    .load = ct_grid_load,
    .hash = ct_grid_hash,
    .strings = ct_resource_names_count,
    .validate = ct_grid_validate,
};
