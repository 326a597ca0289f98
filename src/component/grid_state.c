// Cells of grids in snapshots, saves and hashes.
#include "component/grid_internal.h"

#include "base/message.h"

static void release_cells(void *cells) { ct_cells_release(cells); }

// A snapshot holds references to the blocks: no cell is copied until one is written.
void ct_grid_state(ct_manager *manager, ct_state *state) {
    ct_grids *g = ct_grids_of(manager);
    uint32_t rows = state->rows;
    ct_cells **saved = ct_state_piece(state, rows * sizeof *saved);
    switch (state->pass) {
    case CT_STATE_MEASURE: state->held_count += rows; break;
    case CT_STATE_SAVE:
        for (uint32_t row = 0; row < rows; ++row) {
            CT_ASSERT(saved != NULL);
            saved[row] = g->blocks[row];
            ct_state_hold(state, ct_cells_retain(saved[row]), release_cells);
        }
        break;
    case CT_STATE_RESERVE: ct_state_require(state, ct_grid_reserve_blocks(g, rows)); break;
    case CT_STATE_COMMIT:
        // The snapshot holds a reference to each restored block.
        ct_grid_release_blocks(g, 0, g->block_capacity);
        for (uint32_t row = 0; row < rows; ++row) {
            CT_ASSERT(saved != NULL);
            g->blocks[row] = ct_cells_retain(saved[row]);
        }
        break;
    }
}

uint64_t ct_grid_hash(ct_manager *manager, ct_row row) {
    return ct_cells_hash(ct_grid_cells(manager, row));
}

// Writes width and height of each row, and its cells as a text.
ct_status ct_grid_save(ct_manager *grids, const ct_saved_rows *saved, ct_writer *out,
                       ct_message *message) {
    (void)message;
    for (uint32_t i = 0; i < saved->count; ++i) {
        const ct_cells *cells = ct_grid_cells(grids, (ct_row){saved->rows[i]});
        size_t bytes = ct_cells_text_room(cells);
        void *text = ct_alloc(out->allocator, bytes);
        if (text == NULL) return CT_ERR_MEMORY;
        ct_writer_u32(out, cells->width);
        ct_writer_u32(out, cells->height);
        ct_writer_text(out, ct_cells_write(cells, text));
        ct_free(out->allocator, text, bytes);
    }
    return CT_OK;
}

static ct_status read_row(ct_grids *g, ct_row row, ct_reader *in, ct_message *message) {
    uint32_t width = ct_reader_u32(in), height = ct_reader_u32(in);
    ct_text text = ct_reader_text(in);
    float size[2];
    ct_grid_cell_size(&g->base, row, size);
    if (in->damaged || text.length == 0 || !ct_grid_check_cell_size(size, NULL) ||
        !ct_cells_check_text(width, height, text, NULL)) {
        ct_message_set(message, CT_GRID ": the save is damaged");
        return CT_ERR_DATA;
    }
    ct_cells *cells = ct_cells_new(g->base.store.allocator, width, height, text);
    if (cells == NULL) return CT_ERR_MEMORY;
    ct_grid_put_block(g, row.i, ct_grid_share(g, row.i, cells));
    return CT_OK;
}

ct_status ct_grid_load(ct_manager *grids, ct_reader *in, ct_message *message) {
    ct_status status = CT_OK;
    for (ct_row row = {0}; row.i < ct_store_count(&grids->store) && status == CT_OK; ++row.i)
        status = read_row(ct_grids_of(grids), row, in, message);
    return status;
}

static bool validate_row(const ct_manager *manager, ct_row row) {
    const ct_cells *cells = ct_grid_cells(manager, row);
    float size[2];
    ct_grid_cell_size(manager, row, size);
    return cells != NULL && cells->references > 0 && ct_grid_check_cell_size(size, NULL) &&
           ct_cells_check_size(cells->width, cells->height, NULL) &&
           ct_store_u32(&manager->store, CT_GRID_WIDTH)[row.i] == cells->width &&
           ct_store_u32(&manager->store, CT_GRID_HEIGHT)[row.i] == cells->height;
}

bool ct_grid_validate(const ct_manager *manager, ct_message *message) {
    const ct_grids *g = ct_grids_of(manager);
    uint32_t count = ct_store_count(&manager->store);
    for (ct_row row = {0}; row.i < count; ++row.i) {
        if (row.i >= g->block_capacity || !validate_row(manager, row))
            return ct_message_set(message, CT_GRID ": row %u has wrong cells", row.i);
    }
    for (uint32_t row = count; row < g->block_capacity; ++row) {
        if (g->blocks[row] != NULL) return ct_message_set(message, CT_GRID ": cells without a row");
    }
    return true;
}
