// What lies where in a grid: points, boxes and rays, seen from a plane that the grid lies in.
// Knows nothing of what that plane is, nor of the other components.
#ifndef CT_GRID_QUERY_H
#define CT_GRID_QUERY_H

#include "component/grid.h"

CT_BEGIN_C

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
