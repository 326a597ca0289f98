// Pairs of entities that are near each other.
#include "world/space/questions.h"

#include <string.h>

// Pairs are found in the order of the packed entries, which are near each other in memory, and then
// sorted by the order of the query. A pair of one space is found with the packed entry, if the
// other one was moved, otherwise with the entry that is packed earlier.
typedef struct pairing {
    ct_space *space;
    const ct_space *other;
    double reach;
    uint32_t count;
} pairing;

// Makes room for more pairs in space->found: the places of both entities in the orders of their
// queries.
static ct_status make_room(pairing *p, uint32_t more) {
    ct_space *space = p->space;
    if (CT_LIKELY(2 * (p->count + more) <= space->found_capacity)) return CT_OK;
    if (p->count > CT_SPACE_MAX_PAIRS) return CT_ERR_FULL;
    return ct_array_reserve(space->world->allocator, (void **)&space->found, &space->found_capacity,
                            2 * (p->count + more), sizeof *space->found);
}

static void put_pair(const pairing *p, uint32_t one, uint32_t other) {
    bool swap = p->other == p->space && other < one;
    uint32_t *pair = p->space->found + 2 * (size_t)p->count;
    pair[0] = swap ? other : one;
    pair[1] = swap ? one : other;
}

// ---------------------------------------------------------------- in any grid

// Finds the partners of one entry.
static ct_status find_partners(pairing *p, const ct_space_entry *a) {
    const ct_space_index *index = &p->space->index, *others = &p->other->index;
    const double x = (double)a->x, y = (double)a->y, z = ct_space_z(index, a);
    const double radius = ct_space_radius(index, a), reach = radius + p->reach;
    const ct_entity e = index->ids[a->order];
    const ct_space_entry *moved = index->entries + index->count;
    const bool same = p->space == p->other;
    if (!(reach >= 0)) return CT_OK;
    const double low[3] = {x - reach, y - reach, z - reach};
    const double high[3] = {x + reach, y + reach, z + reach};
    ct_space_visit visit;
    ct_space_visit_begin(&visit, others, low, high, true);
    while (ct_space_visit_next(&visit)) {
        for (const ct_space_entry *b = visit.first; b < visit.last; ++b) {
            double dx = (double)b->x - x, dy = (double)b->y - y, dz = ct_space_z(others, b) - z;
            double r = (radius + ct_space_radius(others, b)) + p->reach;
            if (!((dx * dx + dy * dy) + dz * dz <= r * r)) continue;
            if (same && (b <= a ? a < moved || b >= moved : a < moved && b >= moved)) continue;
            if (!same && others->ids[b->order].id == e.id) continue;
            if (!ct_space_accepts(p->other, &visit, NULL, b)) continue;
            ct_status status = make_room(p, 1);
            if (status != CT_OK) return status;
            put_pair(p, a->order, b->order);
            p->count++;
        }
    }
    return CT_OK;
}

// ---------------------------------------------------------------- in a regular grid of one level

// Finds the partners of one entry among others of its space. Writes pairs without branches, which
// cannot be predicted.
static ct_status scan(pairing *p, const ct_space_entry *a, const ct_space_entry *b,
                      const ct_space_entry *last) {
    const ct_space_index *index = &p->space->index;
    const double x = (double)a->x, y = (double)a->y, z = ct_space_z(index, a);
    const double radius = ct_space_radius(index, a), reach = p->reach;
    const bool deep = index->z != NULL;
    if (b >= last) return CT_OK;
    ct_status status = make_room(p, (uint32_t)(last - b));
    if (status != CT_OK) return status;
    for (; b < last; ++b) {
        double dx = (double)b->x - x, dy = (double)b->y - y;
        double dz = deep ? ct_space_z(index, b) - z : 0;
        double r = (radius + ct_space_radius(index, b)) + reach;
        put_pair(p, a->order, b->order);
        p->count += (dx * dx + dy * dy) + dz * dz <= r * r;
    }
    return CT_OK;
}

// Rows of cells that a cell is compared with: its own and half of the others within 'far' cells.
typedef struct half {
    const ct_space_level *level;
    int32_t far;
} half;

// Compares the entries of a cell with later ones of its row and with those of other rows.
static ct_status compare_cell(pairing *p, const half *h, int32_t x, int32_t y, int32_t z) {
    const ct_space_index *index = &p->space->index;
    const ct_space_level *level = h->level;
    const uint32_t bucket = ct_space_bucket(index, level, x, y, z);
    const ct_space_entry *first = index->entries + index->start[bucket];
    const ct_space_entry *end = index->entries + index->start[bucket + 1];
    if (first == end) return CT_OK;
    const int32_t x1 = x - h->far < level->low[0] ? level->low[0] : x - h->far;
    const int32_t x2 = x + h->far > level->high[0] ? level->high[0] : x + h->far;
    ct_status status = CT_OK;
    for (const ct_space_entry *a = first; a < end && status == CT_OK; ++a)
        status = scan(p, a, a + 1, index->entries + index->start[bucket + (uint32_t)(x2 - x) + 1]);
    for (int32_t to_z = z; to_z <= z + h->far && to_z <= level->high[2]; ++to_z) {
        int32_t to_y = to_z == z ? y + 1 : y - h->far;
        for (to_y = to_y < level->low[1] ? level->low[1] : to_y;
             to_y <= y + h->far && to_y <= level->high[1]; ++to_y) {
            uint32_t row = ct_space_bucket(index, level, x1, to_y, to_z);
            const ct_space_entry *b = index->entries + index->start[row];
            const ct_space_entry *last =
                index->entries + index->start[row + (uint32_t)(x2 - x1) + 1];
            for (const ct_space_entry *a = first; a < end && status == CT_OK; ++a)
                status = scan(p, a, b, last);
        }
    }
    return status;
}

static ct_status compare_cells(pairing *p, const half *h) {
    const ct_space_level *level = h->level;
    ct_status status = CT_OK;
    for (int32_t z = level->low[2]; z <= level->high[2] && status == CT_OK; ++z)
        for (int32_t y = level->low[1]; y <= level->high[1] && status == CT_OK; ++y)
            for (int32_t x = level->low[0]; x <= level->high[0] && status == CT_OK; ++x)
                status = compare_cell(p, h, x, y, z);
    return status;
}

// Returns whether cells can be compared with half of their neighbours.
static bool find_half(const pairing *p, half *h) {
    enum { MOST = 5 };
    const ct_space_index *index = &p->space->index;
    h->level = NULL;
    if (p->space != p->other || !index->regular) return false;
    for (uint32_t i = 0; i < index->level_count; ++i) {
        if (!index->levels[i].used) continue;
        if (h->level != NULL) return false;
        h->level = &index->levels[i];
    }
    if (h->level == NULL || index->levels[CT_SPACE_TOP].used) return false;
    double far = (2 * h->level->largest + p->reach) * h->level->inverse * (1 + 1e-9) + 1;
    h->far = far <= MOST ? (int32_t)far : 0;
    return h->far != 0;
}

static void drop_dead(pairing *p) {
    const ct_entity *ids = p->space->index.ids;
    const ct_entity_manager *entities = p->space->world->entities;
    const uint32_t *from = p->space->found;
    uint32_t count = 0, *to = p->space->found;
    for (uint32_t i = 0; i < p->count; ++i, from += 2) {
        if (!ct_entity_manager_alive(entities, ids[from[0]])) continue;
        if (!ct_entity_manager_alive(entities, ids[from[1]])) continue;
        to[2 * count] = from[0];
        to[2 * count++ + 1] = from[1];
    }
    p->count = count;
}

// ---------------------------------------------------------------- all pairs

static ct_status find_all(pairing *p) {
    const ct_space_index *index = &p->space->index;
    const ct_entity_manager *entities = p->space->world->entities;
    ct_status status = CT_OK;
    uint32_t first = 0;
    half h;
    if (find_half(p, &h)) {
        status = compare_cells(p, &h);
        if (status == CT_OK && !ct_space_all_alive(p->space)) drop_dead(p);
        first = index->count;
    }
    for (uint32_t i = first; i < index->count + index->moved && status == CT_OK; ++i) {
        const ct_space_entry *entry = &index->entries[i];
        if (entry->x != entry->x) continue; // NOLINT: NaN, in no answer
        if (ct_entity_manager_alive(entities, index->ids[entry->order]))
            status = find_partners(p, entry);
    }
    return status == CT_OK && p->count > CT_SPACE_MAX_PAIRS ? CT_ERR_FULL : status;
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
        if (ends[i] - begin > 1) sort_partners(out + 2 * (size_t)begin, ends[i] - begin);
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
