// Queries of grids: points, boxes and rays in a plane that contains the grid.
#include "component/grid.h"

#include <math.h>

// Limit of coordinates: their products and sums are finite.
#define FARTHEST 1e30

bool ct_grid_view_init(ct_grid_view *view, const ct_manager *grids, ct_row row,
                       const float *matrix) {
    float size[2];
    ct_grid_cell_size(grids, row, size);
    // The vectors of one step in x and one step in y.
    double ax = (double)matrix[0] * size[0], ay = (double)matrix[1] * size[0];
    double bx = (double)matrix[4] * size[1], by = (double)matrix[5] * size[1];
    double area = ax * by - bx * ay, tx = matrix[12], ty = matrix[13];
    view->cells = ct_grid_cells(grids, row);
    view->tiles = ct_grid_tiles_of(grids, row);
    view->x[0] = by / area;
    view->x[1] = -bx / area;
    view->y[0] = -ay / area;
    view->y[1] = ax / area;
    view->x[2] = -(view->x[0] * tx + view->x[1] * ty);
    view->y[2] = -(view->y[0] * tx + view->y[1] * ty);
    double sum = 0;
    for (int i = 0; i < 3; ++i)
        sum += fabs(view->x[i]) + fabs(view->y[i]);
    return area != 0 && sum < FARTHEST; // false for NaN
}

static double near(double number) {
    if (number > FARTHEST) return FARTHEST;
    return number >= -FARTHEST ? number : -FARTHEST; // also for NaN
}

static void to_cells(const ct_grid_view *view, double px, double py, double *x, double *y) {
    *x = view->x[0] * near(px) + view->x[1] * near(py) + view->x[2];
    *y = view->y[0] * near(px) + view->y[1] * near(py) + view->y[2];
}

bool ct_grid_view_cell(const ct_grid_view *view, double px, double py, uint32_t *x, uint32_t *y) {
    double cx, cy;
    to_cells(view, px, py, &cx, &cy);
    if (!(cx >= 0 && cx < view->cells->width && cy >= 0 && cy < view->cells->height)) return false;
    *x = (uint32_t)cx;
    *y = (uint32_t)cy;
    return true;
}

// Clips the range from 'low' to 'high' to 'count' cells. Returns false if no cell is left.
static bool clip(double low, double high, uint32_t count, uint32_t *first, uint32_t *end) {
    if (!(high >= 0 && low < count)) return false;
    *first = low > 0 ? (uint32_t)low : 0;
    *end = high < count ? (uint32_t)high + 1 : count;
    return true;
}

// Computes the range of the row that the box covers, from the parts of its edges inside the row.
static bool begin_row(ct_grid_walk *walk) {
    double low = INFINITY, high = -INFINITY, top = walk->y, bottom = top + 1;
    for (int i = 0; i < 4; ++i) {
        int next = (i + 1) % 4;
        double ax = walk->corner_x[i], ay = walk->corner_y[i];
        double dx = walk->corner_x[next] - ax, dy = walk->corner_y[next] - ay;
        double from = 0, to = 1;
        if (dy != 0) {
            double enters = ((dy > 0 ? top : bottom) - ay) / dy;
            double leaves = ((dy > 0 ? bottom : top) - ay) / dy;
            from = fmax(enters, 0);
            to = fmin(leaves, 1);
        } else if (ay < top || ay > bottom) {
            continue;
        }
        if (from > to) continue;
        double x1 = from > 0 ? ax + dx * from : ax;
        double x2 = to < 1 ? ax + dx * to : walk->corner_x[next];
        low = fmin(low, fmin(x1, x2));
        high = fmax(high, fmax(x1, x2));
    }
    return clip(low, high, walk->view->cells->width, &walk->x, &walk->end_x);
}

ct_grid_walk ct_grid_walk_begin(const ct_grid_view *view, double x1, double y1, double x2,
                                double y2) {
    ct_grid_walk walk = {.view = view};
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 4; ++i) {
        double *x = &walk.corner_x[i], *y = &walk.corner_y[i];
        to_cells(view, i == 0 || i == 3 ? x1 : x2, i < 2 ? y1 : y2, x, y);
        low = fmin(low, *y);
        high = fmax(high, *y);
    }
    bool ok = x1 == x1 && y1 == y1 && x2 == x2 && y2 == y2;
    if (!ok || !clip(low, high, view->cells->height, &walk.y, &walk.end_y)) walk.y = walk.end_y = 0;
    walk.y--; // begins before the first row
    return walk;
}

bool ct_grid_walk_next(ct_grid_walk *walk, uint32_t *x, uint32_t *y, uint32_t *value) {
    const ct_cells *cells = walk->view->cells;
    for (;;) {
        while (walk->x < walk->end_x) {
            *x = walk->x++;
            *value = cells->at[(size_t)walk->y * cells->width + *x];
            if (*value == 0) continue;
            *y = walk->y;
            return true;
        }
        do {
            if (walk->y + 1 == walk->end_y) return false;
            walk->y++;
        } while (!begin_row(walk));
    }
}

// A ray along one axis: its coordinate at t is 'from' + t * 'length', in cell 'cell' of 'count'.
typedef struct axis {
    double from, length;
    int64_t cell, count;
} axis;

// Returns the t at which the ray enters the next cell, or INFINITY if it ends before.
static double next_edge(const axis *a) {
    if (a->length == 0) return INFINITY;
    double t = ((double)(a->cell + (a->length > 0)) - a->from) / a->length;
    // If the ray ends on an edge, its end is in the cell after the edge.
    return a->length > 0 ? (t <= 1 ? t : INFINITY) : (t < 1 ? t : INFINITY);
}

// Narrows 'begin' and 'end' to the part inside the grid. Returns false if no part is inside.
static bool clip_axis(const axis *a, double *begin, double *end) {
    if (a->length == 0) return a->from >= 0 && a->from < (double)a->count;
    double enters = -a->from / a->length, leaves = ((double)a->count - a->from) / a->length;
    *begin = fmax(*begin, fmin(enters, leaves));
    *end = fmin(*end, fmax(enters, leaves));
    return *begin <= *end;
}

// Finds the cell at 'begin'. Returns false if the ray only touches the last edge from outside.
static bool begin_axis(axis *a, double begin) {
    double at = a->from + a->length * begin;
    if (at >= (double)a->count && a->length >= 0) return false;
    // At large coordinates rounding can put the first cell outside the grid.
    double last = (double)a->count - 1;
    a->cell = (int64_t)fmin(fmax(at, 0), last);
    return true;
}

static void step(axis *a) { a->cell += a->length > 0 ? 1 : -1; }

static uint32_t value_at(const ct_grid_view *view, int64_t x, int64_t y) {
    const ct_cells *cells = view->cells;
    bool inside = x >= 0 && y >= 0 && x < cells->width && y < cells->height;
    return inside ? cells->at[(size_t)y * cells->width + (size_t)x] : 0;
}

static bool is_solid(const ct_grid_view *view, int64_t x, int64_t y) {
    return ct_grid_is_solid(&view->tiles, value_at(view, x, y));
}

bool ct_grid_ray(const ct_grid_view *view, double x1, double y1, double x2, double y2,
                 ct_grid_hit *hit) {
    double ax, ay, bx, by, t = 0, end = 1;
    if (x1 != x1 || y1 != y1 || x2 != x2 || y2 != y2) return false;
    x1 = near(x1), y1 = near(y1), x2 = near(x2), y2 = near(y2);
    to_cells(view, x1, y1, &ax, &ay);
    to_cells(view, x2, y2, &bx, &by);
    axis x = {ax, bx - ax, 0, view->cells->width}, y = {ay, by - ay, 0, view->cells->height};
    if (!clip_axis(&x, &t, &end) || !clip_axis(&y, &t, &end)) return false;
    if (!begin_axis(&x, t) || !begin_axis(&y, t)) return false;
    while (x.cell >= 0 && y.cell >= 0 && x.cell < x.count && y.cell < y.count) {
        if (is_solid(view, x.cell, y.cell)) {
            *hit = (ct_grid_hit){(uint32_t)x.cell, (uint32_t)y.cell, value_at(view, x.cell, y.cell),
                                 x1 + (x2 - x1) * t, y1 + (y2 - y1) * t};
            return true;
        }
        double next_x = next_edge(&x), next_y = next_edge(&y), next = fmin(next_x, next_y);
        if (next == INFINITY) return false;
        t = fmax(t, next);
        int64_t beside_x = x.cell + (x.length > 0 ? 1 : -1);
        int64_t beside_y = y.cell + (y.length > 0 ? 1 : -1);
        bool corner = next_x == next_y;
        bool blocked =
            corner && is_solid(view, beside_x, y.cell) && is_solid(view, x.cell, beside_y);
        if (next_x <= next_y) step(&x);
        if (next_y < next_x || (corner && !blocked)) step(&y);
    }
    return false;
}
