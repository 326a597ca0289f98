// Shapes of the solid cells of a grid: boxes that collide with them, rectangles and outlines.
#ifndef CT_GRID_SHAPE_H
#define CT_GRID_SHAPE_H

#include "component/grid.h"

/// Decides which cells are solid: 'where', or the tiles if it is NULL.
typedef struct ct_grid_solid {
    const ct_grid_tiles *tiles;
    ct_grid_where where;
    void *user;
} ct_grid_solid;

/// Returns whether the side (nx, ny) of a cell with this number is solid. (0, 0) is the whole cell.
static inline bool ct_grid_stops(const ct_grid_solid *solid, uint32_t value, int nx, int ny) {
    if (value == 0 || solid->where == NULL) return ct_grid_is_solid(solid->tiles, value);
    return solid->where(solid->user, value, nx, ny);
}

/// Plane of a grid that is neither rotated nor scaled: its origin and the size of its cells.
typedef struct ct_grid_plane {
    double x, y, cell_width, cell_height;
} ct_grid_plane;

/// Moves the box with centre (box[0], box[1]) and half size (box[2], box[3]), which must not be
/// negative, by 'step'. All numbers must be finite. The box stops at the first solid cell on the
/// line, exactly at its edge, and slides along it with the rest of the step. A cell is solid for
/// the box if the side that the box enters is solid. An overlap that the rounding of positions to
/// floats explains is contact.
///
/// In cells that are solid from both sides, a box moves only as long as no larger part of it would
/// be inside. A box that is completely inside moves only to the nearer end of the wall on each
/// axis. The space outside of the grid is free.
///
/// At most O(width + height) steps, each over the cells at one edge of the box. 'cells' must stay
/// valid while 'where' is called. Source of the traversal: see ct_grid_ray.
ct_grid_stop ct_grid_move(const ct_cells *cells, const ct_grid_solid *solid,
                          const ct_grid_plane *plane, const double box[4], const double step[2]);

// Rectangles and outlines (grid_shape.c)

/// Solid cells, one byte for each cell, and the place of an iteration over them.
typedef struct ct_grid_marks {
    unsigned char *at; ///< memory of the caller: width * height bytes
    uint32_t width, height;
    uint32_t next;                 ///< cell where the search for the next shape begins
    uint32_t x, y, from_x, from_y; ///< corner of the current loop, and its first corner
    int direction;
} ct_grid_marks;

/// Marks the solid cells of 'cells'. 'where' is called with side (0, 0) for each number that
/// occurs, possibly more than once. 'cells' must stay valid while 'where' is called. O(cells).
ct_grid_marks ct_grid_mark(const ct_cells *cells, const ct_grid_solid *solid, unsigned char *bytes);

/// Finds the next rectangle of solid cells: the cells to the right of the first solid cell by rows
/// that no rectangle contains yet, then as many rows below as are free over this width. All
/// rectangles together contain each solid cell once. Returns false at the end. O(cells) for all.
bool ct_grid_next_rectangle(ct_grid_marks *marks, ct_grid_rectangle *out);

/// Begins the next outline, with the first upper edge of a solid cell by rows that no outline
/// contains yet. Returns false at the end. Use other marks for rectangles. O(cells) for all
/// outlines with their corners.
bool ct_grid_next_outline(ct_grid_marks *marks);

/// Writes the next corner of the outline, in cells. The solid cells are to the right of the
/// direction: with y down, outer outlines are clockwise, and holes are counterclockwise. Outlines
/// that meet in a corner stay apart. Returns false after the last corner.
bool ct_grid_next_corner(ct_grid_marks *marks, uint32_t *x, uint32_t *y);

#endif
