// Grids: the cells of a map in one component, and queries by points, boxes and rays. The files of
// the grid component call one another.
#ifndef CT_GRID_H
#define CT_GRID_H

#include "storage/cells.h"
#include "storage/layout.h"
#include "storage/resource_names.h"

#define CT_GRID "grid"

// A grid is a layer of tiles (an IntGrid layer of an editor). Cell (x, y), counted from 0, covers
// x * cell_width up to, but not including, (x + 1) * cell_width, and likewise in y, in the space of
// its entity. A cell of 0 is empty. The named tiles define which other numbers are solid.
//
// A cell takes 4 bytes. Grids that are spawned with equal cells share one block of cells, also with
// snapshots, until a cell is written: then that grid gets a copy (storage/cells.h).
//
// Rows that are passed to these functions must belong to living (or just dying) entities.

/// Fields: 'width' and 'height' (changed only by assign), 'cell_size' (numbers above 0) and
/// 'tiles', a name that need not be defined. Create also takes 'cells' and 'flips', texts as
/// described in storage/cells.h. A resource stores both as one text, equal texts once.
extern const ct_manager_type ct_grid_type;

/// Returns size and cells. Valid until a cell is written, the grid is changed or removed, or a
/// snapshot is restored. ct_cells_retain keeps the block valid for longer.
ct_cells *ct_grid_cells(const ct_manager *grids, ct_row row);

/// Writes cell (x, y), which must be in the grid, without flips. Returns CT_OK, or CT_ERR_MEMORY
/// with nothing changed. O(1), or O(cells) if the cells are shared: then it allocates a copy.
ct_status ct_grid_set_cell(ct_manager *grids, ct_row row, uint32_t x, uint32_t y, uint32_t value);

/// Writes the flips of cell (x, y), bits of CT_FLIP_ALL. Returns as ct_grid_set_cell. The first
/// flip of a grid allocates a byte for each cell.
ct_status ct_grid_set_flips(ct_manager *grids, ct_row row, uint32_t x, uint32_t y, uint32_t flips);

/// Writes the cells of the block with the corners (x1, y1) and (x2, y2), both included, as far as
/// they are in the grid; *count gets their number. Returns CT_OK, or CT_ERR_MEMORY with
/// nothing changed. O(cells of the block), or as above.
ct_status ct_grid_fill(ct_manager *grids, ct_row row, int64_t x1, int64_t y1, int64_t x2,
                       int64_t y2, uint32_t value, uint64_t *count);

/// Writes width and height of a cell in the space of its entity.
void ct_grid_cell_size(const ct_manager *grids, ct_row row, float out[2]);

/// Replaces the cells of a grid. Takes over one reference to the new cells. Returns the previous
/// cells with a reference that the caller must release. Cannot fail.
ct_cells *ct_grid_swap_cells(ct_manager *grids, ct_row row, ct_cells *cells);

/// Returns a counter that increases with each change after which ct_grid_cells may return another
/// block. The address is valid as long as the manager.
const uint32_t *ct_grid_changes(const ct_manager *grids);

// Tiles (grid_tiles.c)

/// Defines the solid numbers of the tiles 'name', which must not be "": in grids with these 'tiles'
/// a cell is solid only if it has one of these numbers. 'solid' is copied and may be in any order.
/// Returns CT_OK, or with nothing changed CT_ERR_MEMORY, CT_ERR_FULL (too many names) or
/// CT_ERR_OVER. O(count log count).
ct_status ct_grid_define_tiles(ct_manager *grids, ct_text name, const uint32_t *solid,
                               uint32_t count);

/// Numbers of solid tiles, ascending.
typedef struct ct_grid_tiles {
    const uint32_t *solid;
    uint32_t count;
    bool defined; ///< if false, all numbers except 0 are solid
} ct_grid_tiles;

/// Returns the tiles of a grid. Valid until tiles are defined.
ct_grid_tiles ct_grid_tiles_of(const ct_manager *grids, ct_row row);

/// Returns whether a cell with this number is solid. O(log tiles).
bool ct_grid_is_solid(const ct_grid_tiles *tiles, uint32_t value);

/// A grid in a plane. It may be rotated, scaled, mirrored or sheared. Valid as long as its cells
/// and tiles.
typedef struct ct_grid_view {
    const ct_cells *cells;
    ct_grid_tiles tiles;
    double x[3], y[3]; ///< cell of a point: x[0] * px + x[1] * py + x[2], and likewise y
} ct_grid_view;

/// Initializes a view from a matrix of 16 numbers that maps the grid's space to the plane. It reads
/// the first two numbers of columns 0, 1 and 3. Returns false if all cells are on a line or a
/// point.
bool ct_grid_view_init(ct_grid_view *view, const ct_manager *grids, ct_row row,
                       const float *matrix);

/// Finds the cell that contains a point. Returns false if the point is outside the grid. O(1).
bool ct_grid_view_cell(const ct_grid_view *view, double px, double py, uint32_t *x, uint32_t *y);

/// Iterator over the cells that a box touches, row by row.
typedef struct ct_grid_walk {
    const ct_grid_view *view;
    double corner_x[4], corner_y[4]; ///< of the box, in cells
    uint32_t x, y, end_x, end_y;     ///< the next cell, the end of its row, and the end of the walk
} ct_grid_walk;

/// Begins a walk. The box has the two points as opposite corners. It touches a cell if both have a
/// point in common; its edges count as inside. O(1).
ct_grid_walk ct_grid_walk_begin(const ct_grid_view *view, double x1, double y1, double x2,
                                double y2);

/// Finds the next cell that is not empty. Returns false at the end. A whole walk is O(rows + cells
/// touched).
bool ct_grid_walk_next(ct_grid_walk *walk, uint32_t *x, uint32_t *y, uint32_t *value);

/// Finds the first solid cell on the way from one point to another, including both. Returns false
/// if there is none. A ray through the corner of four cells continues in the opposite cell, unless
/// both cells beside the corner are solid: then the first of these stops it. At most O(width +
/// height). Source: Amanatides and Woo, "A fast voxel traversal algorithm for ray tracing",
/// Eurographics 1987.
bool ct_grid_ray(const ct_grid_view *view, double x1, double y1, double x2, double y2,
                 ct_grid_hit *hit);

#endif
