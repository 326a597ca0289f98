// Pairs of entities that are near each other.
#include "world/space/questions.h"

#include <string.h>

// Pairs are found in the order of the packed entries, which are near each other in memory, and then
// sorted by the order of the query. A pair of one space is found with the entry that is packed
// earlier.
typedef struct pairing {
    ct_space *space;
    const ct_space *other;
    double reach;
    uint32_t count;
} pairing;

// Adds a pair to space->found: the places of both entities in the orders of their queries.
static ct_status push(pairing *p, uint32_t one, uint32_t other) {
    ct_space *space = p->space;
    bool swap = p->other == space && other < one;
    if (CT_UNLIKELY(2 * p->count + 2 > space->found_capacity)) {
        if (p->count >= CT_SPACE_MAX_PAIRS) return CT_ERR_FULL;
        ct_status status =
            ct_array_reserve(space->world->allocator, (void **)&space->found,
                             &space->found_capacity, 2 * p->count + 2, sizeof *space->found);
        if (status != CT_OK) return status;
    }
    uint32_t *pair = space->found + 2 * p->count++;
    pair[0] = swap ? other : one;
    pair[1] = swap ? one : other;
    return CT_OK;
}

// Finds the partners of one entry.
static ct_status find_partners(pairing *p, const ct_space_entry *a) {
    const ct_space_index *index = &p->space->index, *others = &p->other->index;
    const double x = (double)a->at[0], y = (double)a->at[1], z = (double)a->at[2];
    const double radius = ct_space_radius(index, a), reach = radius + p->reach;
    const ct_entity e = index->ids[a->order];
    const bool same = p->space == p->other;
    if (!(reach >= 0)) return CT_OK;
    const double low[3] = {x - reach, y - reach, z - reach};
    const double high[3] = {x + reach, y + reach, z + reach};
    ct_space_visit visit;
    ct_space_visit_begin(&visit, others, low, high, true);
    while (ct_space_visit_next(&visit)) {
        const ct_space_entry *b = visit.first;
        if (same && b <= a) b = a + 1;
        for (; b < visit.last; ++b) {
            double dx = (double)b->at[0] - x, dy = (double)b->at[1] - y;
            double dz = (double)b->at[2] - z;
            double r = (radius + ct_space_radius(others, b)) + p->reach;
            if (!((dx * dx + dy * dy) + dz * dz <= r * r)) continue;
            if (!same && others->ids[b->order].id == e.id) continue;
            if (!ct_space_accepts(p->other, &visit, NULL, b)) continue;
            ct_status status = push(p, a->order, b->order);
            if (status != CT_OK) return status;
        }
    }
    return CT_OK;
}

static ct_status find_all(pairing *p) {
    const ct_space_index *index = &p->space->index;
    const ct_entity_manager *entities = p->space->world->entities;
    ct_status status = CT_OK;
    for (uint32_t i = 0; i < index->count + index->moved && status == CT_OK; ++i) {
        const ct_space_entry *entry = &index->entries[i];
        if (entry->at[0] != entry->at[0]) continue; // NOLINT: NaN, in no answer
        if (ct_entity_manager_alive(entities, index->ids[entry->order]))
            status = find_partners(p, entry);
    }
    return status;
}

// Sorts the places of second entities of one first entity, in every second item of 'pairs'.
static void sort_partners(ct_entity *pairs, uint32_t count) {
    for (uint32_t gap = count / 2; gap > 0; gap /= 2) { // Shell's method, for partners in a crowd
        for (uint32_t i = gap; i < count; ++i) {
            ct_entity item = pairs[2 * i + 1];
            uint32_t at = i;
            for (; at >= gap && pairs[2 * (at - gap) + 1].id > item.id; at -= gap)
                pairs[2 * at + 1] = pairs[2 * (at - gap) + 1];
            pairs[2 * at + 1] = item;
        }
    }
}

// Sorts the pairs by their first, then by their second entity, and writes the entities.
static void write_answer(const pairing *p) {
    const ct_space *space = p->space;
    const uint32_t *found = space->found;
    ct_entity *out = space->paired;
    uint32_t *ends = space->runs, count = space->index.count;
    memset(ends, 0, ((size_t)count + 1) * sizeof *ends);
    for (uint32_t i = 0; i < p->count; ++i)
        ends[found[2 * i] + 1]++;
    for (uint32_t i = 1; i <= count; ++i)
        ends[i] += ends[i - 1];
    for (uint32_t i = 0; i < p->count; ++i, found += 2) {
        ct_entity *pair = out + 2 * (size_t)ends[found[0]]++;
        pair[0] = space->index.ids[found[0]];
        pair[1].id = found[1];
    }
    for (uint32_t i = 0, begin = 0; i < count; begin = ends[i++])
        sort_partners(out + 2 * (size_t)begin, ends[i] - begin);
    for (uint32_t i = 0; i < p->count; ++i)
        out[2 * (size_t)i + 1] = p->other->index.ids[out[2 * (size_t)i + 1].id];
}

// Builds the index with larger cells if a reach spans many of them.
static ct_status fit_cells(ct_space *space, double reach) {
    enum { CELLS = 4 };
    ct_space_index *index = &space->index;
    if (reach <= index->cell * CELLS || index->count == 0) return CT_OK;
    if (!ct_space_is_cell(reach)) return CT_OK;
    return ct_space_index_rebuild(index, space->world->allocator, reach);
}

ct_status ct_space_pairs(ct_space *space, double reach, ct_space *other, ct_space_answer *out) {
    *out = (ct_space_answer){NULL, 0};
    if (other == NULL) other = space;
    if (!(reach >= 0) || other->world != space->world) return CT_ERR_DATA;
    uint32_t count = ct_space_count(space);
    if (count == 0 || ct_space_count(other) == 0) return CT_OK;
    const ct_allocator *allocator = space->world->allocator;
    pairing p = {.space = space, .other = other, .reach = reach};
    ct_status status = fit_cells(other, reach);
    if (status == CT_OK) status = find_all(&p);
    if (status == CT_OK)
        status = ct_array_reserve(allocator, (void **)&space->runs, &space->runs_capacity,
                                  count + 1, sizeof *space->runs);
    if (status == CT_OK)
        status = ct_array_reserve(allocator, (void **)&space->paired, &space->paired_capacity,
                                  2 * p.count, sizeof *space->paired);
    if (status != CT_OK) return status;
    write_answer(&p);
    out->entities = space->paired;
    out->count = 2 * p.count;
    return CT_OK;
}
