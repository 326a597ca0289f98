// Grids: the cells of a map in one component, numbers in rows; and queries about them, by points,
// boxes and rays. Its files call one another: cells depend on rows.
#ifndef CT_GRID_H
#define CT_GRID_H

#include "storage/cells.h"
#include "storage/layout.h"
#include "storage/resource_names.h"

CT_BEGIN_C

#define CT_GRID "grid"

extern const ct_manager_type ct_grid_type;

// A layer of tiles, an int grid of an editor. Cell (x, y), counted from 0, covers x * cell_width up
// to (x + 1) * cell_width, and the like in y, in the space of its entity, its first edges included.
// 0 is an empty one; what other numbers mean is told by the tiles that the grid names.
//
// Cells take 4 bytes. Grids that are spawned with the same cells share one block of them, and so do
// snapshots, until a cell is written: that grid gets a copy of its own then (storage/cells.h).
//
// Rows given to these functions are rows of living (or just dying) entities.

/// The manager; one grid per entity. NULL when memory runs out. Its fields are 'width' and
/// 'height', which assigning changes, 'cell_size' (of numbers above 0) and 'tiles', a
/// name that need not be defined; creating takes 'cells', too, a text as storage/cells.h has it.
ct_manager *ct_grid_create(const ct_manager_setup *setup);

/// How grids lie in a resource: their cells as texts, of which equal ones are one.
ct_layout ct_grid_layout(void);

/// Size and cells. Good until a cell is written, the grid changes or goes, or a snapshot is
/// restored; for longer it can be held by ct_cells_retain.
ct_cells *ct_grid_cells(const ct_manager *grids, ct_row row);

/// Writes cell (x, y), which is one. CT_OK; CT_ERR_MEMORY with nothing changed, where the cells are
/// shared: O(cells) then, else O(1).
ct_status ct_grid_set_cell(ct_manager *grids, ct_row row, uint32_t x, uint32_t y, uint32_t value);

/// Width and height of a cell in the space of its entity.
void ct_grid_cell_size(const ct_manager *grids, ct_row row, float out[2]);

/// Gives a grid other cells, taking over one reference to them, and returns its former cells with a
/// reference that the caller must release. Cannot fail.
ct_cells *ct_grid_swap_cells(ct_manager *grids, ct_row row, ct_cells *cells);

/// Counts up with each change after which ct_grid_cells may return something else. Stays where it
/// is as long as the manager's block.
const uint32_t *ct_grid_changes(const ct_manager *grids);

// Tiles (grid_tiles.c)

/// From now on grids whose 'tiles' is this name, which is not "", are solid where they have one of
/// these numbers, and nowhere else. 'solid' is copied, in any order. CT_OK; CT_ERR_MEMORY,
/// CT_ERR_FULL (too many names) or CT_ERR_OVER with nothing changed. O(count log count).
ct_status ct_grid_define_tiles(ct_manager *grids, ct_text name, const uint32_t *solid,
                               uint32_t count);

/// Numbers of solid tiles, ascending.
typedef struct ct_grid_tiles {
    const uint32_t *solid;
    uint32_t count;
    bool defined; ///< false: all but 0 are solid
} ct_grid_tiles;

/// Those of a grid. Good until tiles are defined.
ct_grid_tiles ct_grid_tiles_of(const ct_manager *grids, ct_row row);

/// O(log tiles).
bool ct_grid_is_solid(const ct_grid_tiles *tiles, uint32_t value);

/// A grid that lies in a plane, however it is turned, scaled, mirrored or sheared. Good as long as
/// its cells and tiles (grid.h).
typedef struct ct_grid_view {
    const ct_cells *cells;
    ct_grid_tiles tiles;
    double x[3], y[3]; ///< of a point of the plane: x[0] * px + x[1] * py + x[2] in cells, and y
} ct_grid_view;

/// A view by where the unit vectors and the origin of the grid's space are: the first two numbers
/// of columns 0, 1 and 3 of a matrix of 16. False when all cells lie in a line or a point.
bool ct_grid_view_init(ct_grid_view *view, const ct_manager *grids, ct_row row,
                       const float *matrix);

/// The cell that a point is in; false outside. O(1).
bool ct_grid_view_cell(const ct_grid_view *view, double px, double py, uint32_t *x, uint32_t *y);

/// A walk over the cells that a box touches, row by row.
typedef struct ct_grid_walk {
    const ct_grid_view *view;
    double corner_x[4], corner_y[4]; ///< of the box, in cells
    uint32_t x, y, end_x, end_y;     ///< what comes next, and where the row and the walk end
} ct_grid_walk;

/// The box reaches from one point to another, edges included: it touches a cell if it has a point
/// of it. O(1).
ct_grid_walk ct_grid_walk_begin(const ct_grid_view *view, double x1, double y1, double x2,
                                double y2);

/// The next cell that is not empty; false at the end. O(rows + cells touched) for a whole walk.
bool ct_grid_walk_next(ct_grid_walk *walk, uint32_t *x, uint32_t *y, uint32_t *value);

/// The first solid cell on the way from one point to another, both included; false when there is
/// none. A ray through the corner of four cells goes on in the one opposite, unless the two on both
/// sides are solid: then the first of them stops it. O(width + height) at most. Source: Amanatides
/// and Woo, "A fast voxel traversal algorithm for ray tracing", Eurographics 1987.
bool ct_grid_ray(const ct_grid_view *view, double x1, double y1, double x2, double y2,
                 ct_grid_hit *hit);

CT_END_C

#endif
