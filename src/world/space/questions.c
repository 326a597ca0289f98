// Questions to spaces: entities that touch a circle or a box, and the nearest entities.
#include "world/space/questions.h"

#include <math.h>

// ---------------------------------------------------------------- lists of entities

static ct_status push(ct_space *space, uint32_t *count, uint32_t order) {
    if (CT_UNLIKELY(*count == space->found_capacity)) {
        const ct_allocator *allocator = space->world->allocator;
        ct_status status =
            ct_array_reserve(allocator, (void **)&space->found, &space->found_capacity, *count + 1,
                             sizeof *space->found);
        if (status != CT_OK) return status;
    }
    space->found[(*count)++] = order;
    return CT_OK;
}

// Sorts numbers in ascending order; 'room' has as many items, and may be NULL for up to 32.
static void sort(uint32_t *items, uint32_t *room, uint32_t count) {
    enum { FEW = 32 };
    for (uint32_t i = 1; i < count && count <= FEW; ++i) {
        uint32_t item = items[i], at = i;
        for (; at > 0 && items[at - 1] > item; --at)
            items[at] = items[at - 1];
        items[at] = item;
    }
    if (count <= FEW) return;
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

// Sorts the found places and replaces them by entities.
static ct_status answer(ct_space *space, uint32_t count, ct_space_answer *out) {
    enum { WITHOUT_ROOM = 32 };
    if (count > WITHOUT_ROOM) {
        ct_status status =
            ct_array_reserve(space->world->allocator, (void **)&space->found,
                             &space->found_capacity, 2 * count, sizeof *space->found);
        if (status != CT_OK) return status;
    }
    uint32_t *found = space->found;
    sort(found, count > WITHOUT_ROOM ? found + count : NULL, count);
    for (uint32_t i = 0; i < count; ++i)
        found[i] = space->index.ids[found[i]].id;
    out->entities = (const ct_entity *)(const void *)found;
    out->count = count;
    return CT_OK;
}

ct_status ct_space_within(ct_space *space, const double *centre, double reach,
                          const ct_space_filter *filter, ct_space_answer *out) {
    *out = (ct_space_answer){NULL, 0};
    if (!ct_space_is_point(centre) || !(reach >= 0)) return CT_ERR_DATA;
    if (ct_space_count(space) == 0) return CT_OK;
    const ct_space_index *index = &space->index;
    const double x = centre[0], y = centre[1], z = index->dimensions == 3 ? centre[2] : 0;
    const double low[3] = {x - reach, y - reach, z - reach};
    const double high[3] = {x + reach, y + reach, z + reach};
    uint32_t count = 0;
    ct_space_visit visit;
    ct_space_visit_begin(&visit, index, low, high, true);
    while (ct_space_visit_next(&visit)) {
        for (const ct_space_entry *e = visit.first; e < visit.last; ++e) {
            double dx = (double)e->at[0] - x, dy = (double)e->at[1] - y;
            double dz = (double)e->at[2] - z, r = ct_space_radius(index, e) + reach;
            if (!((dx * dx + dy * dy) + dz * dz <= r * r)) continue;
            if (!ct_space_accepts(space, &visit, filter, e)) continue;
            ct_status status = push(space, &count, e->order);
            if (status != CT_OK) return status;
        }
    }
    return answer(space, count, out);
}

// Returns how far a coordinate is outside of a range.
static double outside(double x, double low, double high) {
    return x < low ? low - x : x > high ? x - high : 0;
}

ct_status ct_space_box(ct_space *space, const double *one, const double *other,
                       const ct_space_filter *filter, ct_space_answer *out) {
    const ct_space_index *index = &space->index;
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    *out = (ct_space_answer){NULL, 0};
    for (uint32_t i = 0; i < index->dimensions; ++i) {
        if (one[i] != one[i] || other[i] != other[i]) return CT_ERR_DATA; // NaN
        low[i] = one[i] < other[i] ? one[i] : other[i];
        high[i] = one[i] < other[i] ? other[i] : one[i];
    }
    if (ct_space_count(space) == 0) return CT_OK;
    uint32_t count = 0;
    ct_space_visit visit;
    ct_space_visit_begin(&visit, index, low, high, true);
    while (ct_space_visit_next(&visit)) {
        for (const ct_space_entry *e = visit.first; e < visit.last; ++e) {
            double dx = outside((double)e->at[0], low[0], high[0]);
            double dy = outside((double)e->at[1], low[1], high[1]);
            double dz = outside((double)e->at[2], low[2], high[2]);
            double r = ct_space_radius(index, e);
            if (!((dx * dx + dy * dy) + dz * dz <= r * r) || !(e->at[0] <= FLT_MAX)) continue;
            if (!ct_space_accepts(space, &visit, filter, e)) continue;
            ct_status status = push(space, &count, e->order);
            if (status != CT_OK) return status;
        }
    }
    return answer(space, count, out);
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
        double low = level->low[i] * level->size, high = (level->high[i] + 1.0) * level->size;
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
    double dx = (double)e->at[0] - search->centre[0], dy = (double)e->at[1] - search->centre[1];
    double dz = (double)e->at[2] - search->centre[2];
    return (dx * dx + dy * dy) + dz * dz;
}

ct_status ct_space_nearest(const ct_space *space, const double *centre, double max,
                           const ct_space_filter *filter, ct_space_near *out) {
    const ct_space_index *index = &space->index;
    double best = HUGE_VAL;
    uint32_t order = CT_NO_ROW;
    *out = (ct_space_near){{CT_NOBODY}, 0};
    if (!ct_space_is_point(centre) || !(max >= 0)) return CT_ERR_DATA;
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
    if (!ct_space_is_point(centre) || !(max >= 0)) return CT_ERR_DATA;
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
