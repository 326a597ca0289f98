// Boxes that move in the plane of a grid and slide along its solid cells.
#include "component/grid_shape.h"

#include <math.h>

// Limit of coordinates: their sums and products are finite.
#define FARTHEST 1e30

// One of the two axes of a move. Coordinates are relative to the grid, in units of the world. The
// leading edge of the box is the one in the direction of the move.
typedef struct axis {
    double low, high; // edges of the box before the move, or where a wall stopped it
    double step;      // 0 after a wall has stopped the box
    double size;      // of a cell
    double tolerance; // an overlap that is not larger is contact
    int64_t count;    // cells of the grid
    int64_t lead;     // cell of the leading edge, clipped to -1 .. count
    double next;      // fraction of the move at which the leading edge enters the next cell
    int direction;    // of the move: -1, 0 or 1
    bool stopped;
} axis;

typedef struct mover {
    axis x, y;
    const ct_cells *cells;
    const ct_grid_solid *solid;
} mover;

static double near(double number) { return fmin(fmax(number, -FARTHEST), FARTHEST); }

static int64_t clipped(double cell, int64_t count) {
    return (int64_t)fmin(fmax(cell, -1), (double)count);
}

// Returns the first cell that a box covers whose low edge is at 'low'.
static int64_t first_cell(const axis *a, double low) {
    return clipped(floor((low + a->tolerance) / a->size), a->count);
}

static int64_t last_cell(const axis *a, double high) {
    return clipped(ceil((high - a->tolerance) / a->size) - 1, a->count);
}

// Returns the fraction of the move at which the leading edge enters the next cell, or INFINITY.
static double next_edge(const axis *a) {
    int64_t cell = a->lead + a->direction;
    if (a->direction == 0 || cell < -1 || cell > a->count) return INFINITY;
    double gap =
        a->direction > 0 ? (double)cell * a->size - a->high : a->low - (double)(cell + 1) * a->size;
    double length = fabs(a->step);
    return gap < length ? fmax(gap, 0) / length : INFINITY;
}

static axis begin_axis(double centre, double half, double step, double origin, double size,
                       uint32_t count) {
    axis a = {.step = near(step), .size = size, .count = count};
    double at = near(centre) - origin, reach = near(half);
    a.low = at - reach;
    a.high = at + reach;
    // Positions are read from floats: twice their rounding, but never more than a small part of a
    // cell or of the box.
    double largest = fmax(fabs(centre), fabs(origin)) + reach;
    a.tolerance = fmin(largest * 0x1p-22, fmin(size, reach) / 16);
    a.direction = (a.step > 0) - (a.step < 0);
    a.lead = a.direction < 0 ? first_cell(&a, a.low) : last_cell(&a, a.high);
    a.next = next_edge(&a);
    return a;
}

// Stores the cells that the box covers at a fraction of the move, without those outside the grid.
static void covered(const axis *a, double t, int64_t *first, int64_t *last) {
    double moved = a->step * t;
    *first = a->direction < 0 ? a->lead : first_cell(a, a->low + moved);
    *last = a->direction > 0 ? a->lead : last_cell(a, a->high + moved);
    // A box without extent is in one cell.
    if (*last < *first) *last = *first = a->direction > 0 ? *last : *first;
    if (*first < 0) *first = 0;
    if (*last >= a->count) *last = a->count - 1;
}

// Returns the number of a cell, by its places along the axis of a move and across.
static uint32_t value_at(const mover *m, const axis *along, int64_t place, int64_t across) {
    int64_t x = along == &m->x ? place : across, y = along == &m->x ? across : place;
    return m->cells->at[(size_t)y * m->cells->width + (size_t)x];
}

// Returns whether the side of a cell that faces against 'direction' stops the box.
static bool stops(const mover *m, const axis *along, int64_t place, int64_t across, int direction) {
    uint32_t value = value_at(m, along, place, across);
    bool sideways = along == &m->x;
    return ct_grid_stops(m->solid, value, sideways ? -direction : 0, sideways ? 0 : -direction);
}

// Returns whether a cell is solid from both sides, so that it holds a box that is inside.
static bool holds(const mover *m, const axis *along, int64_t place, int64_t across) {
    return place >= 0 && place < along->count && stops(m, along, place, across, along->direction) &&
           stops(m, along, place, across, -along->direction);
}

// Returns the cell of the trailing edge at a fraction of the move, at most 'last' in the direction
// of the move.
static int64_t trailing(const axis *a, double t, int64_t last) {
    double moved = a->step * t;
    int64_t cell = a->direction > 0 ? first_cell(a, a->low + moved) : last_cell(a, a->high + moved);
    return (last - cell) * a->direction < 0 ? last : cell;
}

// Returns whether cells hold the box from the cell 'from' to the one before 'place'.
static bool is_held(const mover *m, const axis *along, int64_t from, int64_t place,
                    int64_t across) {
    for (; from != place; from += along->direction)
        if (!holds(m, along, from, across)) return false;
    return true;
}

// Returns whether the box cannot enter the cells at 'place', because more of the box would be in
// solid cells than before. No cell holds a box that is free.
static bool is_blocked(const mover *m, const axis *along, const axis *other, double t,
                       int64_t place) {
    int64_t first, last, from = trailing(along, t, place - along->direction);
    if (place < 0 || place >= along->count) return false;
    covered(other, t, &first, &last);
    for (int64_t across = first; across <= last; ++across) {
        if (stops(m, along, place, across, along->direction) &&
            !is_held(m, along, from, place, across))
            return true;
    }
    return false;
}

// Returns the distance that a box inside solid cells must move in a direction to leave them.
static double way_out(const mover *m, const axis *along, const axis *other, int direction) {
    int64_t first, last, end;
    covered(along, 0, &first, &last);
    end = direction > 0 ? first : last;
    int64_t near_end, far_end;
    covered(other, 0, &near_end, &far_end);
    for (int64_t across = near_end; across <= far_end; ++across) {
        while (holds(m, along, end, across))
            end += direction;
    }
    return direction > 0 ? (double)end * along->size - along->low
                         : along->high - (double)(end + 1) * along->size;
}

// Returns whether solid cells cover all of the box.
static bool is_buried(const mover *m, const axis *along, const axis *other) {
    int64_t first, last, from, to;
    covered(along, 0, &first, &last);
    covered(other, 0, &from, &to);
    if (first_cell(along, along->low) < first || last_cell(along, along->high) > last) return false;
    if (first_cell(other, other->low) < from || last_cell(other, other->high) > to) return false;
    for (int64_t across = from; across <= to; ++across) {
        for (int64_t place = first; place <= last; ++place)
            if (!holds(m, along, place, across)) return false;
    }
    return from <= to && first <= last;
}

// Returns whether the box begins in solid cells and would move deeper.
static bool begins_deeper(const mover *m, const axis *along, const axis *other) {
    int64_t first, last;
    if (along->direction == 0 || along->lead < 0 || along->lead >= along->count) return false;
    int64_t from = trailing(along, 0, along->lead);
    covered(other, 0, &first, &last);
    for (int64_t across = first; across <= last; ++across) {
        if (holds(m, along, along->lead, across) && !is_held(m, along, from, along->lead, across))
            return true;
    }
    return is_buried(m, along, other) &&
           way_out(m, along, other, along->direction) > way_out(m, along, other, -along->direction);
}

static void stop(axis *a) {
    a->stopped = true;
    a->step = 0;
    a->next = INFINITY;
}

// Stops the box at the edge of the next cell.
static void stop_at_edge(axis *a) {
    double extent = a->high - a->low;
    if (a->direction > 0) {
        a->high = (double)(a->lead + 1) * a->size;
        a->low = a->high - extent;
    } else {
        a->low = (double)a->lead * a->size;
        a->high = a->low + extent;
    }
    stop(a);
}

// Returns the centre after the move. Rounding does not put a box into the wall that stopped it.
static double end_of(const axis *a, double from, double half, double step, double origin,
                     bool moved) {
    if (!a->stopped) return from + step;
    if (!moved) return from;
    if (a->direction > 0) {
        double centre = a->high - half + origin;
        return centre - origin + half > a->high ? nextafter(centre, -INFINITY) : centre;
    }
    double centre = a->low + half + origin;
    return centre - origin - half < a->low ? nextafter(centre, INFINITY) : centre;
}

ct_grid_stop ct_grid_move(const ct_cells *cells, const ct_grid_solid *solid,
                          const ct_grid_plane *plane, const double box[4], const double step[2]) {
    mover m = {.cells = cells, .solid = solid};
    m.x = begin_axis(box[0], box[2], step[0], plane->x, plane->cell_width, cells->width);
    m.y = begin_axis(box[1], box[3], step[1], plane->y, plane->cell_height, cells->height);
    bool in_x = begins_deeper(&m, &m.x, &m.y), in_y = begins_deeper(&m, &m.y, &m.x);
    if (in_x) stop(&m.x);
    if (in_y) stop(&m.y);
    for (;;) {
        bool sideways = m.x.next <= m.y.next;
        axis *along = sideways ? &m.x : &m.y, *other = sideways ? &m.y : &m.x;
        double t = along->next;
        if (t == INFINITY) break;
        if (is_blocked(&m, along, other, t, along->lead + along->direction)) {
            stop_at_edge(along);
        } else {
            along->lead += along->direction;
            along->next = next_edge(along);
        }
    }
    return (ct_grid_stop){end_of(&m.x, box[0], box[2], step[0], plane->x, !in_x),
                          end_of(&m.y, box[1], box[3], step[1], plane->y, !in_y),
                          m.x.stopped ? m.x.direction : 0, m.y.stopped ? m.y.direction : 0};
}
