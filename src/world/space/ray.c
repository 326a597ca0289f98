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
    double radius = ct_space_radius(&ray->space->index, e) + ray->thickness;
    for (int i = 0; i < 3; ++i)
        to[i] = (double)e->at[i] - ray->from[i];
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

static void look(segment *ray, ct_space_visit *visit) {
    while (ct_space_visit_next(visit)) {
        for (const ct_space_entry *e = visit->first; e < visit->last; ++e) {
            double fraction = touch(ray, e);
            if (!(fraction <= 1) || fraction > ray->fraction) continue;
            if (fraction == ray->fraction && e->order >= ray->order) continue;
            if (!ct_space_accepts(ray->space, visit, ray->filter, e)) continue;
            ray->fraction = fraction;
            ray->order = e->order;
            for (int i = 0; i < 3; ++i)
                ray->centre[i] = (double)e->at[i];
        }
    }
}

// Clips the fractions *first to *last to where the segment is in the bounds of a level.
static bool clip(const segment *ray, const ct_space_level *level, double *first, double *last) {
    double more = (level->largest + ray->thickness) * (1 + 1e-9) + level->size * 1e-3;
    for (int i = 0; i < 3; ++i) {
        double low = level->low[i] * level->size - more - ray->from[i];
        double high = (level->high[i] + 1.0) * level->size + more - ray->from[i];
        double step = ray->step[i];
        if (step == 0) {
            if (low > 0 || high < 0) return false;
            continue;
        }
        double one = low / step, other = high / step;
        if ((one < other ? one : other) > *first) *first = one < other ? one : other;
        if ((one < other ? other : one) < *last) *last = one < other ? other : one;
    }
    return *first <= *last;
}

// Finds the fractions between which the segment is near cells. Returns false if it is near none.
static bool clip_all(const segment *ray, double *first, double *last) {
    const ct_space_index *index = &ray->space->index;
    *first = index->levels[CT_SPACE_TOP].used ? 0 : 1;
    *last = index->levels[CT_SPACE_TOP].used ? 1 : 0;
    for (uint32_t i = 0; i < index->level_count; ++i) {
        double begin = 0, end = 1;
        if (!index->levels[i].used || !clip(ray, &index->levels[i], &begin, &end)) continue;
        if (begin < *first) *first = begin;
        if (end > *last) *last = end;
    }
    return *first <= *last;
}

// Returns the number of pieces into which a part of the segment is divided: the box of a piece is
// at most 16 cells long, and about 3 cells wide.
static double count_pieces(const segment *ray, double share) {
    double longest = 0, second = 0, cell = ray->space->index.cell;
    for (int i = 0; i < 3; ++i) {
        double cells = fabs(ray->step[i]) * share / cell;
        second = cells > longest ? longest : cells > second ? cells : second;
        longest = cells > longest ? cells : longest;
    }
    double pieces = ceil(longest / 16 > second / 3 ? longest / 16 : second / 3);
    return pieces >= 1 ? pieces : 1;
}

// Follows the segment in pieces, until a hit is before the end of a piece. Looks at all entries if
// the pieces have more cells than there are entries.
static void follow(segment *ray, double first, double last) {
    const ct_space_index *index = &ray->space->index;
    ct_space_visit visit;
    double pieces = count_pieces(ray, last - first), visited = 0;
    for (double piece = 0; piece < pieces && pieces <= index->count; ++piece) {
        double begin = first + (last - first) * (piece / pieces);
        double end = first + (last - first) * ((piece + 1) / pieces);
        double low[3], high[3];
        for (int i = 0; i < 3; ++i) {
            double a = ray->from[i] + ray->step[i] * begin, b = ray->from[i] + ray->step[i] * end;
            double more = ray->thickness + (fabs(ray->from[i]) + fabs(ray->step[i])) * 1e-15;
            low[i] = (a < b ? a : b) - more;
            high[i] = (a < b ? b : a) + more;
        }
        ct_space_visit_begin(&visit, index, low, high, true);
        visited += visit.visited;
        if (visited > index->count) break;
        look(ray, &visit);
        if (ray->fraction <= end || piece + 1 == pieces) return;
    }
    ct_space_visit_all(&visit, index);
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
    double first, last;
    if (clip_all(&ray, &first, &last)) follow(&ray, first, last);
    if (ray.order != CT_NO_ROW) write_hit(&ray, hit);
    return CT_OK;
}
