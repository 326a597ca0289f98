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

// The segment along an axis, in cells of a level. It is near a cell while it is in the band of the
// cell, which is wider than the cell by 'more'. It enters the band of cell c at the fraction
// enter + c * pace, and leaves it at leave + c * pace.
typedef struct track {
    double from, step, more;
    double enter, leave, pace;
    double least, most; // cells
    int32_t way;        // from a cell to the next one: 1 or -1
} track;

// Walk along the segment through the cells of a level, row by row.
typedef struct walk {
    segment *ray;
    uint32_t level;
    int64_t left; // number of cells that may still be visited
    track tracks[3];
} walk;

// Sets the track of an axis, and clips a part of the segment to the bands of all cells. Returns
// whether something is left.
static bool begin_track(track *t, const segment *ray, const ct_space_level *level, int axis,
                        part *p) {
    double from = ray->from[axis], step = ray->step[axis];
    double more = (level->largest + ray->thickness) * (1 + 1e-9) +
                  (fabs(from) + fabs(step) + level->size) * 1e-14; // for rounding
    *t = (track){.from = from * level->inverse,
                 .step = step * level->inverse,
                 .more = more * level->inverse,
                 .leave = 1,
                 .way = step < 0 ? -1 : 1};
    // Cells at the edge have all entries beyond.
    double least = level->least[axis], most = level->most[axis];
    t->least = ct_space_clamp(level, axis, level->least[axis]);
    t->most = ct_space_clamp(level, axis, level->most[axis]);
    double below = -t->more - t->from, above = 1 + t->more - t->from;
    if (fabs(t->step) < 1e-290) return !(least + below > 0 || most + above < 0);
    bool back = step < 0;
    t->pace = 1 / t->step;
    t->enter = (back ? above : below) * t->pace;
    t->leave = (back ? below : above) * t->pace;
    double begin = t->enter + (back ? most : least) * t->pace;
    double end = t->leave + (back ? least : most) * t->pace;
    if (begin > p->first) p->first = begin;
    if (end < p->last) p->last = end;
    return p->first <= p->last;
}

// Finds the cells that a part of the segment is near, in the direction of the segment. Returns
// their number, at least 1.
static int32_t find_cells(const track *t, part p, int32_t *first) {
    double a = t->from + t->step * p.first, b = t->from + t->step * p.last;
    double low = (a < b ? a : b) - t->more, high = (a < b ? b : a) + t->more;
    low = low > t->least ? low : t->least;
    high = high < t->most ? high : t->most;
    int32_t least = ct_space_cell(low < t->most ? low : t->most, 1);
    int32_t most = ct_space_cell(high > t->least ? high : t->least, 1);
    *first = t->way < 0 ? most : least;
    return most - least + 1;
}

// Clips a part of the segment to the band of one of the cells that were found for it; 'left' is the
// number of cells from this one on. The first and the last cell may have all entries beyond.
static part cut(const track *t, part p, int32_t cell, int32_t left, int32_t count) {
    double begin = t->enter + cell * t->pace, end = t->leave + cell * t->pace;
    if (left < count && begin > p.first) p.first = begin;
    if (left > 1 && end < p.last) p.last = end;
    return p;
}

// Row of cells near a part of the segment.
typedef struct line {
    part p;
    int32_t x, count; // cells, in the direction of the segment
} line;

// Finds the cells of a row; 'left' is the number of rows from this one on.
static line find_line(const walk *w, part p, int32_t y, int32_t left, int32_t count) {
    line found = {.p = cut(&w->tracks[1], p, y, left, count)};
    found.count = find_cells(&w->tracks[0], found.p, &found.x);
    return found;
}

// Looks at the cells of a row. Returns false if they are too many.
static bool look_at_line(walk *w, const line *l, int32_t y, int32_t z) {
    enum { PIECE = 16 }; // cells, after which a hit ends the walk
    const track *t = &w->tracks[0];
    ct_space_visit visit;
    w->left -= (int64_t)l->count + 1;
    if (w->left < 0) return false;
    for (int32_t x = l->x, left = l->count, cells; left > 0; left -= cells, x += t->way * cells) {
        cells = left < PIECE ? left : PIECE;
        if (left < l->count && cut(t, l->p, x, left, l->count).first > w->ray->fraction) break;
        int32_t end = x + t->way * (cells - 1), one = x < end ? x : end, other = x < end ? end : x;
        ct_space_visit_row(&visit, &w->ray->space->index, w->level, one, other, y, z);
        while (ct_space_visit_run(&visit))
            look(w->ray, &visit);
    }
    return true;
}

// Looks at the rows of a layer. Returns false if there are too many cells.
static bool look_at_layer(walk *w, part p, int32_t z) {
    int32_t y, count = find_cells(&w->tracks[1], p, &y), way = w->tracks[1].way;
    line next = find_line(w, p, y, count, count);
    for (int32_t left = count; left > 0; --left, y += way) {
        const line row = next;
        // The processor can find the next row while it looks at the entries of this one.
        if (left > 1) next = find_line(w, p, y + way, left - 1, count);
        if (row.p.first > w->ray->fraction) return true; // a hit is before this and all later rows
        if (!look_at_line(w, &row, y, z)) return false;
    }
    return true;
}

// Looks at the cells of a level near the segment. Returns false if they are too many.
static bool look_at_level(segment *ray, uint32_t number, int64_t *left) {
    const ct_space_level *level = &ray->space->index.levels[number];
    walk w = {.ray = ray, .level = number, .left = *left};
    part p = {0, 1};
    for (int i = 0; i < 3; ++i)
        if (!begin_track(&w.tracks[i], ray, level, i, &p)) return true;
    const track *t = &w.tracks[2];
    int32_t z, count = find_cells(t, p, &z);
    for (int32_t layers = count; layers > 0; --layers, z += t->way) {
        part layer = cut(t, p, z, layers, count);
        if (--w.left < 0) return false;
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
    int64_t left = index->count;
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
    if (!ct_space_is_point(space, from) || !ct_space_is_point(space, to) || !(thickness >= 0))
        return CT_ERR_DATA;
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
