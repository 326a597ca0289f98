// Rays through spaces.
#include "world/space/questions.h"

#include <math.h>

// Segment with a thickness, and the first hit so far.
typedef struct segment {
    const ct_space *space;
    const ct_space_filter *filter;
    double from[3], step[3]; // from + fraction * step
    double along[3];         // direction of length 1, or 0
    double length, thickness;
    uint32_t order; // of the hit, or CT_NO_ROW
    double fraction;
    double centre[3]; // of the hit
} segment;

static double dot(const double *a, const double *b) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// Returns the fraction at which the ray touches an entry, or a number above 1.
static double touch(const segment *ray, const ct_space_entry *e) {
    enum { MISSED = 2 };
    double to[3], near[3], end[3];
    const ct_space_index *index = &ray->space->index;
    double radius = ct_space_radius(index, e) + ray->thickness;
    to[0] = (double)e->x - ray->from[0];
    to[1] = (double)e->y - ray->from[1];
    to[2] = ct_space_z(index, e) - ray->from[2];
    if (dot(to, to) <= radius * radius) return 0;
    // The nearest point of the line, from the centre.
    double ahead = dot(to, ray->along);
    if (!(ahead > 0)) return MISSED;
    for (int i = 0; i < 3; ++i) {
        near[i] = to[i] - ahead * ray->along[i];
        end[i] = to[i] - ray->step[i];
    }
    double square = radius * radius - dot(near, near);
    if (!(square >= 0)) return MISSED;
    double distance = ahead - sqrt(square);
    if (distance <= ray->length) return distance > 0 ? distance / ray->length : 0;
    return dot(end, end) <= radius * radius ? 1 : MISSED;
}

// Makes an entry the hit if the ray touches it before the hit so far.
static void consider(segment *ray, const ct_space_visit *visit, const ct_space_entry *e) {
    double fraction = touch(ray, e);
    if (!(fraction <= 1) || fraction > ray->fraction) return;
    if (fraction == ray->fraction && e->order >= ray->order) return;
    if (!ct_space_accepts(ray->space, visit, ray->filter, e)) return;
    ray->fraction = fraction;
    ray->order = e->order;
    ray->centre[0] = (double)e->x;
    ray->centre[1] = (double)e->y;
    ray->centre[2] = ct_space_z(&ray->space->index, e);
}

// Considers the entries of a run. In two dimensions, skips most entries that 'touch' does not
// accept, with the same operations.
static void look(segment *ray, const ct_space_visit *visit) {
    const ct_space_index *index = &ray->space->index;
    const double from_x = ray->from[0], from_y = ray->from[1], thickness = ray->thickness;
    const double along_x = ray->along[0], along_y = ray->along[1];
    const bool flat = index->z == NULL;
    for (const ct_space_entry *e = visit->first; e < visit->last; ++e) {
        double radius = ct_space_radius(index, e) + thickness, square = radius * radius;
        double x = (double)e->x - from_x, y = (double)e->y - from_y;
        double ahead = x * along_x + y * along_y;
        double near_x = x - ahead * along_x, near_y = y - ahead * along_y;
        bool outside = x * x + y * y > square;
        bool behind = ahead <= 0, beside = near_x * near_x + near_y * near_y > square;
        if (CT_UNLIKELY(!(flat && outside && (behind || beside)))) consider(ray, visit, e);
    }
}

// ---------------------------------------------------------------- the cells near the segment

// Part of the segment, as fractions.
typedef struct part {
    double first, last;
} part;

// Walk along the segment through the cells of a level, row by row. A row is near the segment where
// the segment is in the band of the row, which is wider than its cells by 'more'.
typedef struct walk {
    segment *ray;
    const ct_space_level *level;
    uint32_t number; // of the level
    double more[3];
    double inverse[3]; // of the step, or 0 for none
    double left;       // number of cells that may still be visited
} walk;

// Clips a part of the segment to the band of the cells 'one' to 'other' along an axis. Returns
// whether something is left.
static bool clip(const walk *w, int axis, int32_t one, int32_t other, part *p) {
    const ct_space_level *level = w->level;
    double from = w->ray->from[axis], step = w->ray->step[axis];
    // Cells at the edge have all entries beyond.
    if (one == level->low[axis] && level->least[axis] < one) one = level->least[axis];
    if (other == level->high[axis] && level->most[axis] > other) other = level->most[axis];
    double low = one * level->size - w->more[axis] - from;
    double high = (other + 1.0) * level->size + w->more[axis] - from;
    double inverse = w->inverse[axis];
    if (inverse == 0) return low <= 0 && high >= 0;
    double begin = step > 0 ? low * inverse : high * inverse;
    double end = step > 0 ? high * inverse : low * inverse;
    if (begin > p->first) p->first = begin;
    if (end < p->last) p->last = end;
    return p->first <= p->last;
}

// Finds the cells along an axis that a part of the segment is near, in the direction of the
// segment. There may be none: then *count is 0.
static void find_cells(const walk *w, int axis, part p, int32_t *first, int32_t *count) {
    const ct_space_level *level = w->level;
    double from = w->ray->from[axis], step = w->ray->step[axis];
    double a = from + step * p.first, b = from + step * p.last;
    double low = ((a < b ? a : b) - w->more[axis]) * level->inverse;
    double high = ((a < b ? b : a) + w->more[axis]) * level->inverse;
    int32_t least = level->least[axis], most = level->most[axis];
    *count = 0;
    if (!(low < most + 1.0 && high >= least)) return;
    if (low > least) least = ct_space_cell(low, 1);
    if (high < most) most = ct_space_cell(high, 1);
    if (least < level->low[axis]) least = level->low[axis];
    if (most > level->high[axis]) most = level->high[axis];
    if (least > level->high[axis]) least = level->high[axis];
    if (most < level->low[axis]) most = level->low[axis];
    *first = step < 0 ? most : least;
    *count = most - least + 1;
}

// Looks at the cells of a row near a part of the segment. Returns false if they are too many.
static bool look_at_row(walk *w, part p, int32_t y, int32_t z) {
    enum { PIECE = 16 }; // cells, after which a hit ends the walk
    ct_space_visit visit;
    int32_t x, count, way = w->ray->step[0] < 0 ? -1 : 1;
    find_cells(w, 0, p, &x, &count);
    w->left -= count + 1;
    if (w->left < 0) return false;
    for (int32_t cells; count > 0; count -= cells, x += way * cells) {
        cells = count < PIECE ? count : PIECE;
        int32_t end = x + way * (cells - 1), one = way > 0 ? x : end, other = way > 0 ? end : x;
        part piece = p;
        if (w->ray->fraction <= 1 &&
            (!clip(w, 0, one, other, &piece) || piece.first > w->ray->fraction))
            continue;
        ct_space_visit_row(&visit, &w->ray->space->index, w->number, one, other, y, z);
        while (ct_space_visit_run(&visit))
            look(w->ray, &visit);
    }
    return true;
}

// Looks at the rows of a layer. Returns false if there are too many cells.
static bool look_at_layer(walk *w, part p, int32_t z) {
    int32_t y, count, way = w->ray->step[1] < 0 ? -1 : 1;
    find_cells(w, 1, p, &y, &count);
    for (; count > 0; --count, y += way) {
        part row = p;
        if (!clip(w, 1, y, y, &row)) continue;
        if (row.first > w->ray->fraction) return true; // a hit is before this and all later rows
        if (!look_at_row(w, row, y, z)) return false;
    }
    return true;
}

// Looks at the cells of a level near the segment. Returns false if they are too many.
static bool look_at_level(segment *ray, uint32_t number, double *left) {
    const ct_space_level *level = &ray->space->index.levels[number];
    walk w = {.ray = ray, .level = level, .number = number, .left = *left};
    part p = {0, 1};
    int32_t z, count, way = ray->step[2] < 0 ? -1 : 1;
    for (int i = 0; i < 3; ++i) {
        w.more[i] = (level->largest + ray->thickness) * (1 + 1e-9) +
                    (fabs(ray->from[i]) + fabs(ray->step[i]) + level->size) * 1e-14;
        w.inverse[i] = fabs(ray->step[i]) < 1e-290 ? 0 : 1 / ray->step[i];
        if (!clip(&w, i, level->least[i], level->most[i], &p)) return true;
    }
    find_cells(&w, 2, p, &z, &count);
    for (; count > 0; --count, z += way) {
        part layer = p;
        if (--w.left < 0) return false;
        if (!clip(&w, 2, z, z, &layer)) continue;
        if (layer.first > ray->fraction) break;
        if (!look_at_layer(&w, layer, z)) return false;
    }
    *left = w.left;
    return true;
}

// Looks at the entries near the segment: at all entries if the cells are more.
static void follow(segment *ray) {
    const ct_space_index *index = &ray->space->index;
    ct_space_visit visit;
    double left = index->count;
    bool enough = true;
    if (index->levels[CT_SPACE_TOP].used) {
        ct_space_visit_row(&visit, index, CT_SPACE_TOP, 0, 0, 0, 0);
        while (ct_space_visit_run(&visit))
            look(ray, &visit);
    }
    for (uint32_t i = 0; i < index->level_count && enough; ++i) {
        if (index->levels[i].used) enough = look_at_level(ray, i, &left);
    }
    if (enough) return;
    ct_space_visit_all(&visit, index);
    while (ct_space_visit_next(&visit))
        look(ray, &visit);
}

static void write_hit(const segment *ray, ct_space_hit *hit) {
    double length;
    hit->entity = ray->space->index.ids[ray->order];
    hit->fraction = ray->fraction;
    for (int i = 0; i < 3; ++i) {
        hit->at[i] = ray->from[i] + ray->step[i] * ray->fraction;
        hit->normal[i] = hit->at[i] - ray->centre[i];
    }
    length = sqrt(dot(hit->normal, hit->normal));
    for (int i = 0; i < 3 && length > 0; ++i)
        hit->normal[i] /= length;
}

ct_status ct_space_ray(const ct_space *space, const double *from, const double *to,
                       double thickness, const ct_space_filter *filter, ct_space_hit *hit) {
    *hit = (ct_space_hit){.entity = {CT_NOBODY}};
    if (!ct_space_is_point(from) || !ct_space_is_point(to) || !(thickness >= 0)) return CT_ERR_DATA;
    if (ct_space_count(space) == 0) return CT_OK;
    segment ray = {.space = space,
                   .filter = filter,
                   .thickness = thickness,
                   .order = CT_NO_ROW,
                   .fraction = HUGE_VAL};
    for (uint32_t i = 0; i < space->index.dimensions; ++i) {
        ray.from[i] = from[i];
        ray.step[i] = to[i] - from[i];
    }
    ray.length = sqrt(dot(ray.step, ray.step));
    for (int i = 0; i < 3 && ray.length > 0; ++i)
        ray.along[i] = ray.step[i] / ray.length;
    follow(&ray);
    if (ray.order != CT_NO_ROW) write_hit(&ray, hit);
    return CT_OK;
}
