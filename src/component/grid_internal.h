// Internals of the grid component: blocks of cells by row, tiles by name.
#ifndef CT_GRID_INTERNAL_H
#define CT_GRID_INTERNAL_H

#include "base/text.h"
#include "component/grid.h"
#include "storage/manager_save.h"

/// Columns of the rows.
enum {
    CT_GRID_WIDTH = CT_COLUMN_OWNER + 1, ///< u32, equal to the width of the cells
    CT_GRID_HEIGHT,                      ///< u32
    CT_GRID_CELL_SIZE,                   ///< 2 floats
    CT_GRID_TILES,                       ///< ct_string
};

/// Inputs of create. The first CT_GRID_FIELDS are fields, and the first CT_GRID_RESOURCE_COLUMNS
/// are the columns in resources.
enum {
    CT_GRID_IN_WIDTH,
    CT_GRID_IN_HEIGHT,
    CT_GRID_IN_CELL_SIZE,
    CT_GRID_IN_TILES,
    CT_GRID_IN_CELLS,
    CT_GRID_IN_FLIPS,
    CT_GRID_INPUTS,
    CT_GRID_FIELDS = CT_GRID_IN_CELLS,
    CT_GRID_RESOURCE_COLUMNS = CT_GRID_IN_FLIPS
};

/// Size of the table of recent rows, indexed by the hash of their cells.
enum { CT_GRID_RECENT = 64 };

typedef struct ct_grid_definition {
    uint32_t *solid; ///< ascending
    uint32_t count;
} ct_grid_definition;

typedef struct ct_grids {
    ct_manager base;
    uint32_t changes;
    ct_cells **blocks; ///< by row; NULL after the last row
    uint32_t block_capacity;
    uint32_t *recent; ///< by hash: a row that may have equal cells; NULL until a grid is created
    ct_resource_names known; ///< number: 1 + index in 'definitions'
    ct_grid_definition *definitions;
    uint32_t definition_count;
    uint32_t definition_capacity;
} ct_grids;

static inline ct_grids *ct_grids_of(const ct_manager *manager) {
    return (ct_grids *)(uintptr_t)manager;
}

/// Makes room for the blocks of rows below 'rows'. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_grid_reserve_blocks(ct_grids *g, uint32_t rows);

/// Releases the cells of the rows from 'first' to before 'end'. Cannot fail.
void ct_grid_release_blocks(ct_grids *g, uint32_t first, uint32_t end);

/// Replaces the cells of a row. Takes over one reference to 'cells'.
void ct_grid_put_block(ct_grids *g, uint32_t row, ct_cells *cells);

/// Returns the equal cells of a recent row, or 'cells', which 'row' will own. Takes over one
/// reference to 'cells' and returns one reference to the result.
ct_cells *ct_grid_share(ct_grids *g, uint32_t row, ct_cells *cells);

// Values (grid_check.c)

extern const ct_field ct_grid_inputs[CT_GRID_INPUTS];

static inline uint32_t ct_grid_number(const ct_values *values, uint32_t i, uint32_t otherwise) {
    const void *item = ct_values_item(values, i);
    return item != NULL ? ct_u32_at(item, 0) : otherwise;
}

static inline ct_text ct_grid_text(const ct_values *values, uint32_t i) {
    const void *item = ct_values_item(values, i);
    return item != NULL ? ct_text_load(item) : (ct_text){"", 0};
}

bool ct_grid_check_cell_size(const float *size, ct_message *message);
bool ct_grid_check(const ct_manager *manager, const ct_values *values, uint32_t count,
                   ct_message *message);
bool ct_grid_check_layout(const unsigned char *data, const ct_layout_places *places, uint32_t count,
                          const uint32_t *ancestor, ct_message *message);
bool ct_grid_bake(const ct_values *values, uint32_t i, uint32_t ancestor, void *const *columns,
                  ct_arena *arena);

// (grid_tiles.c)

/// Part of the slot 'memory' of the manager type. Nothing can be trimmed.
size_t ct_grid_tiles_memory(ct_grids *g, ct_memory_task task);

// (grid_state.c)

void ct_grid_state(ct_manager *manager, ct_state *state);
uint64_t ct_grid_hash(ct_manager *manager, ct_row row);
ct_status ct_grid_save(ct_manager *grids, const ct_saved_rows *saved, ct_writer *out,
                       ct_message *message);
ct_status ct_grid_load(ct_manager *grids, ct_reader *in, ct_message *message);
bool ct_grid_validate(const ct_manager *manager, ct_message *message);

#endif
