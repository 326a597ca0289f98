// Questions to spaces: entities that touch a circle or a box, and the nearest entities.
#include "world/space/questions.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- lists of entities

// Circle around a centre, or box between two corners.
typedef struct area {
    double low[3], high[3];
    double centre[3], reach; // of a circle
} area;

// Makes room for more places behind those that were found.
static ct_status make_room(ct_space *space, uint32_t count, uint32_t more) {
    return ct_array_reserve(space->world->allocator, (void **)&space->found, &space->found_capacity,
                            count + more, sizeof *space->found);
}

// Returns how far a coordinate is outside of a range.
static inline double outside(double x, double low, double high) {
    return x < low ? low - x : x > high ? x - high : 0;
}

static inline bool meets(const ct_space_index *index, const area *a, bool box,
                         const ct_space_entry *e) {
    const double x = (double)e->x, y = (double)e->y, r = ct_space_radius(index, e);
    double dz = 0;
    if (box) {
        double dx = outside(x, a->low[0], a->high[0]), dy = outside(y, a->low[1], a->high[1]);
        if (index->z != NULL) dz = outside(ct_space_z(index, e), a->low[2], a->high[2]);
        return (dx * dx + dy * dy) + dz * dz <= r * r && e->x <= FLT_MAX;
    }
    double dx = x - a->centre[0], dy = y - a->centre[1], reach = r + a->reach;
    if (index->z != NULL) dz = ct_space_z(index, e) - a->centre[2];
    return (dx * dx + dy * dy) + dz * dz <= reach * reach;
}

// Finds the entries of a run that are in the area, all of which are accepted. Writes their places
// without branches, which cannot be predicted. Returns how many.
static inline uint32_t find_in_run(const ct_space_index *index, const area *a, bool box,
                                   const ct_space_entry *e, const ct_space_entry *last,
                                   uint32_t *found) {
    uint32_t count = 0;
    for (; e < last; ++e) {
        found[count] = e->order;
        count += meets(index, a, box, e);
    }
    return count;
}

static void sort(uint32_t *items, uint32_t *room, uint32_t count) {
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; ++i)
        all |= items[i];
    // An even number of passes, so that the result is in 'items'.
    uint32_t passes = all >> 16 != 0 ? 4 : 2;
    for (uint32_t shift = 0; shift < passes * 8; shift += 8) {
        uint32_t ends[257] = {0};
        for (uint32_t i = 0; i < count; ++i)
            ends[(items[i] >> shift & 255) + 1]++;
        for (uint32_t i = 1; i < 256; ++i)
            ends[i] += ends[i - 1];
        for (uint32_t i = 0; i < count; ++i)
            room[ends[items[i] >> shift & 255]++] = items[i];
        uint32_t *swapped = items;
        items = room;
        room = swapped;
    }
}

enum { FEW = 32, LANES = 8 };

// Writes the entities of a few places in the order of the query: the number of smaller places is
// the index in the answer.
static void sort_few(const ct_space_index *index, const uint32_t *items, uint32_t count,
                     ct_entity *out) {
    int32_t places[FEW + LANES];
    uint32_t padded = (count + LANES - 1) / LANES * LANES;
    for (uint32_t i = 0; i < padded; ++i)
        places[i] = INT32_MAX;
    memcpy(places, items, count * sizeof *items);
    for (uint32_t i = 0; i < count; ++i) {
        int32_t place = places[i], smaller = 0;
        for (uint32_t j = 0; j < padded; ++j)
            smaller += places[j] < place;
        out[smaller] = index->ids[place];
    }
}

// Sorts the found places and replaces them by entities.
static ct_status answer(ct_space *space, uint32_t count, ct_space_answer *out) {
    if (count == 0) return CT_OK;
    ct_status status = make_room(space, count, count);
    if (status != CT_OK) return status;
    uint32_t *found = space->found;
    ct_entity *entities = (ct_entity *)(void *)(found + count);
    out->entities = entities;
    out->count = count;
    if (count <= FEW) {
        sort_few(&space->index, found, count, entities);
        return CT_OK;
    }
    sort(found, found + count, count);
    for (uint32_t i = 0; i < count; ++i)
        entities[i] = space->index.ids[found[i]];
    return CT_OK;
}

// Finds the entities in an area. 'box' is a constant of the caller.
static inline ct_status collect(ct_space *space, const area *a, bool box,
                                const ct_space_filter *filter, ct_space_answer *out) {
    enum { PIECE = 256 };
    const ct_space_index *index = &space->index;
    const bool all = ct_space_all_alive(space) &&
                     (filter == NULL || (!filter->masked && filter->except.id == CT_NOBODY));
    uint32_t count = 0;
    ct_space_visit visit;
    ct_space_visit_begin(&visit, index, a->low, a->high, true);
    while (ct_space_visit_next(&visit)) {
        const ct_space_entry *e = visit.first;
        while (e < visit.last) {
            const ct_space_entry *last = visit.last - e > PIECE ? e + PIECE : visit.last;
            ct_status status = make_room(space, count, PIECE);
            if (status != CT_OK) return status;
            if (all && visit.exact) {
                uint32_t before = count;
                count += find_in_run(index, a, box, e, last, space->found + count);
                for (; before < count; ++before)
                    CT_PREFETCH(&index->ids[space->found[before]]);
                e = last;
            }
            for (; e < last; ++e) {
                if (meets(index, a, box, e) && ct_space_accepts(space, &visit, filter, e))
                    space->found[count++] = e->order;
            }
        }
    }
    return answer(space, count, out);
}

ct_status ct_space_within(ct_space *space, const double *centre, double reach,
                          const ct_space_filter *filter, ct_space_answer *out) {
    area a = {.reach = reach};
    *out = (ct_space_answer){NULL, 0};
    if (!ct_space_is_point(space, centre) || !(reach >= 0)) return CT_ERR_DATA;
    if (ct_space_count(space) == 0) return CT_OK;
    for (uint32_t i = 0; i < space->index.dimensions; ++i) {
        a.centre[i] = centre[i];
        a.low[i] = centre[i] - reach;
        a.high[i] = centre[i] + reach;
    }
    return collect(space, &a, false, filter, out);
}

ct_status ct_space_box(ct_space *space, const double *one, const double *other,
                       const ct_space_filter *filter, ct_space_answer *out) {
    area a = {.reach = 0};
    *out = (ct_space_answer){NULL, 0};
    for (uint32_t i = 0; i < space->index.dimensions; ++i) {
        if (one[i] != one[i] || other[i] != other[i]) return CT_ERR_DATA; // NaN
        a.low[i] = one[i] < other[i] ? one[i] : other[i];
        a.high[i] = one[i] < other[i] ? other[i] : one[i];
    }
    if (ct_space_count(space) == 0) return CT_OK;
    return collect(space, &a, true, filter, out);
}

// ---------------------------------------------------------------- nearest

// Search in regions that grow around a point.
typedef struct region_search {
    ct_space_visit visit;
    double centre[3];
    double max;
    double reach; // of the current region
} region_search;

// Returns how far the point is from the cells of a level.
static double distance_to(const ct_space_level *level, const double *centre) {
    double largest = 0;
    for (int i = 0; i < 3; ++i) {
        double low = level->least[i] * level->size, high = (level->most[i] + 1.0) * level->size;
        double off = outside(centre[i], low, high);
        if (off > largest) largest = off;
    }
    return largest;
}

static void begin_search(region_search *search, const ct_space_index *index, const double *centre,
                         double max) {
    double nearest = HUGE_VAL;
    for (uint32_t i = 0; i < 3; ++i)
        search->centre[i] = i < index->dimensions ? centre[i] : 0;
    for (uint32_t i = 0; i < index->level_count; ++i) {
        if (!index->levels[i].used) continue;
        double off = distance_to(&index->levels[i], search->centre);
        if (off < nearest) nearest = off;
    }
    if (index->levels[CT_SPACE_TOP].used) nearest = 0;
    search->max = max;
    search->reach = nearest + index->cell * 0.5;
    if (search->reach > max) search->reach = max;
}

static void begin_region(region_search *search, const ct_space_index *index) {
    double low[3], high[3];
    for (int i = 0; i < 3; ++i) {
        low[i] = search->centre[i] - search->reach;
        high[i] = search->centre[i] + search->reach;
    }
    ct_space_visit_begin(&search->visit, index, low, high, false);
    if (search->visit.whole) search->reach = search->max;
}

// Makes the region larger. Returns false if the last one was the largest.
static bool grow(region_search *search) {
    if (search->visit.covers || search->reach >= search->max) return false;
    search->reach *= 2;
    if (search->reach > search->max) search->reach = search->max;
    return true;
}

static double square_to(const region_search *search, const ct_space_entry *e) {
    double dx = (double)e->x - search->centre[0], dy = (double)e->y - search->centre[1];
    double dz = ct_space_z(search->visit.index, e) - search->centre[2];
    return (dx * dx + dy * dy) + dz * dz;
}

ct_status ct_space_nearest(const ct_space *space, const double *centre, double max,
                           const ct_space_filter *filter, ct_space_near *out) {
    const ct_space_index *index = &space->index;
    double best = HUGE_VAL;
    uint32_t order = CT_NO_ROW;
    *out = (ct_space_near){{CT_NOBODY}, 0};
    if (!ct_space_is_point(space, centre) || !(max >= 0)) return CT_ERR_DATA;
    if (ct_space_count(space) == 0) return CT_OK;
    region_search search;
    begin_search(&search, index, centre, max);
    do {
        begin_region(&search, index);
        while (ct_space_visit_next(&search.visit)) {
            for (const ct_space_entry *e = search.visit.first; e < search.visit.last; ++e) {
                double square = square_to(&search, e);
                if (!(square < best || (square == best && e->order < order))) continue;
                if (!(square <= max * max)) continue;
                if (!ct_space_accepts(space, &search.visit, filter, e)) continue;
                best = square;
                order = e->order;
            }
        }
    } while (!(best < search.reach * search.reach) && grow(&search));
    if (order == CT_NO_ROW) return CT_OK;
    *out = (ct_space_near){index->ids[order], sqrt(best)};
    return CT_OK;
}

// ---------------------------------------------------------------- many nearest

// While they are collected, items have the square of the distance and the place in the order of the
// query instead of the entity. The farthest one is first: a heap.
static bool is_farther(const ct_space_near *a, const ct_space_near *b) {
    if (a->distance != b->distance) return a->distance > b->distance;
    return a->entity.id > b->entity.id;
}

// Moves an item down in the heap to its place, from place 'at' on.
static void sink(ct_space_near *heap, uint32_t count, uint32_t at, ct_space_near item) {
    for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && is_farther(&heap[child + 1], &heap[child])) child++;
        if (!is_farther(&heap[child], &item)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = item;
}

// Adds an item, or replaces the farthest one if 'most' items are there.
static void add_near(ct_space_near *heap, uint32_t *count, uint32_t most, ct_space_near item) {
    if (*count == most) {
        if (is_farther(&heap[0], &item)) sink(heap, most, 0, item);
        return;
    }
    uint32_t at = (*count)++;
    for (; at > 0 && is_farther(&item, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = item;
}

// Sorts the heap, and replaces squares and places.
static void finish_near(const ct_space_index *index, ct_space_near *heap, uint32_t count) {
    for (uint32_t left = count; left > 1; --left) {
        ct_space_near last = heap[left - 1];
        heap[left - 1] = heap[0];
        sink(heap, left - 1, 0, last);
    }
    for (uint32_t i = 0; i < count; ++i) {
        heap[i].entity = index->ids[heap[i].entity.id];
        heap[i].distance = sqrt(heap[i].distance);
    }
}

ct_status ct_space_nearest_many(ct_space *space, uint32_t count, const double *centre, double max,
                                const ct_space_filter *filter, const ct_space_near **found,
                                uint32_t *found_count) {
    const ct_space_index *index = &space->index;
    uint32_t number = 0;
    *found = NULL;
    *found_count = 0;
    if (!ct_space_is_point(space, centre) || !(max >= 0)) return CT_ERR_DATA;
    if (count > ct_space_count(space)) count = ct_space_count(space);
    if (count == 0) return CT_OK;
    ct_status status = ct_array_reserve(space->world->allocator, (void **)&space->near,
                                        &space->near_capacity, count, sizeof *space->near);
    if (status != CT_OK) return status;
    ct_space_near *heap = space->near;
    region_search search;
    begin_search(&search, index, centre, max);
    do {
        number = 0;
        begin_region(&search, index);
        while (ct_space_visit_next(&search.visit)) {
            for (const ct_space_entry *e = search.visit.first; e < search.visit.last; ++e) {
                const ct_space_near item = {{e->order}, square_to(&search, e)};
                if (!(item.distance <= max * max)) continue;
                if (number == count && !is_farther(&heap[0], &item)) continue;
                if (ct_space_accepts(space, &search.visit, filter, e))
                    add_near(heap, &number, count, item);
            }
        }
    } while (!(number == count && heap[0].distance < search.reach * search.reach) && grow(&search));
    finish_near(index, heap, number);
    *found = heap;
    *found_count = number;
    return CT_OK;
}
