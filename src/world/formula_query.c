// Results of formulas over the matches of a query: conditions, sums, extremes, order.
#include "world/formula_query.h"

#include <string.h>

// ---------------------------------------------------------------- conditions

typedef struct selection {
    const ct_query *from;
    ct_query *to;
    uint32_t kept;
    ct_status status;
} selection;

static void reserve_rows(selection *s, uint32_t count) {
    for (uint32_t i = 0; i < s->to->part_count && s->status == CT_OK; ++i) {
        ct_query_part *part = &s->to->parts[i];
        void *rows = part->rows;
        if (s->to->roles[i] == CT_QUERY_EXCLUDED || count <= part->capacity) continue;
        s->status =
            ct_array_reserve(s->to->allocator, &rows, &part->capacity, count, sizeof *part->rows);
        part->rows = rows;
    }
}

// Returns whether a number is not 0. Integer operations on all bits except the sign take less time
// than comparisons.
static bool has_true(uint32_t count, const double *result) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; ++i)
        bits |= ct_double_bits(result[i]) << 1;
    return bits != 0;
}

// Adds the matches of a block. 'to' may be 'from': rows are written behind those that are read.
static void select_some(selection *s, uint32_t first, uint32_t count, const double *result) {
    uint32_t chosen[CT_FORMULA_BLOCK], found = 0;
    memset(chosen, 0, count * sizeof *chosen); // for the analyzer
    for (uint32_t i = 0; i < count; ++i) {
        chosen[found] = first + i;
        found += result[i] != 0;
    }
    reserve_rows(s, s->kept + found);
    for (uint32_t i = 0; i < s->to->part_count && s->status == CT_OK; ++i) {
        ct_query_part *part = &s->to->parts[i];
        for (uint32_t k = 0; s->to->roles[i] != CT_QUERY_EXCLUDED && k < found; ++k)
            part->rows[s->kept + k] = ct_query_row(s->from, i, chosen[k]).i;
    }
    s->kept += found;
}

static void select_block(void *user, uint32_t first, uint32_t count, const double *result,
                         size_t pitch) {
    (void)pitch;
    if (has_true(count, result)) select_some(user, first, count, result);
}

// Ends the writing of matches to a list of rows.
static void set_listed(ct_query *to, uint32_t count) {
    for (uint32_t i = 0; i < to->part_count; ++i)
        to->parts[i].listed = to->roles[i] != CT_QUERY_EXCLUDED;
    to->count = count;
    to->found = false;
    to->finds++;
}

ct_status ct_formula_select(const ct_formula *condition, ct_query *matches, ct_query *to,
                            ct_scratch *arena) {
    selection s = {matches, to, 0, CT_OK};
    if (matches != to) to->count = 0;
    // Rows that are described by an offset cannot be replaced while they are read.
    if (matches == to) set_listed(to, to->count);
    ct_status status = ct_formula_evaluate(condition, matches, arena, select_block, &s);
    if (status == CT_OK) status = s.status;
    set_listed(to, status == CT_OK ? s.kept : 0);
    return status;
}

// Finds the rows of an entity that belong to a match. 'rows' has the row of the first manager.
static bool find_others(const ct_query *query, ct_entity e, uint32_t *rows) {
    for (uint32_t i = 1; i < query->part_count; ++i) {
        rows[i] = ct_store_find(&query->managers[i]->store, e).i;
        if (query->roles[i] == CT_QUERY_REQUIRED
                ? rows[i] == CT_NO_ROW
                : query->roles[i] == CT_QUERY_EXCLUDED && rows[i] != CT_NO_ROW)
            return false;
    }
    return true;
}

ct_status ct_formula_pick(const ct_query *query, uint32_t count, const ct_entity *entities,
                          ct_query *to) {
    const ct_store *first = &query->managers[0]->store;
    selection s = {query, to, 0, CT_OK};
    uint32_t rows[CT_MAX_JOINED] = {0};
    for (uint32_t i = 0; i < count; ++i) {
        bool alive = ct_entity_manager_alive(first->entities, entities[i]);
        ct_row row = alive ? ct_store_find(first, entities[i]) : (ct_row){CT_NO_ROW};
        if (row.i == CT_NO_ROW || !find_others(query, entities[i], rows)) continue;
        for (; row.i != CT_NO_ROW && s.status == CT_OK; row = ct_store_next(first, row)) {
            rows[0] = row.i;
            reserve_rows(&s, s.kept + 1);
            for (uint32_t k = 0; k < to->part_count && s.status == CT_OK; ++k)
                if (to->roles[k] != CT_QUERY_EXCLUDED) to->parts[k].rows[s.kept] = rows[k];
            s.kept++;
        }
        if (s.status != CT_OK) break;
    }
    set_listed(to, s.status == CT_OK ? s.kept : 0);
    return s.status;
}

// ---------------------------------------------------------------- numbers

typedef struct fold {
    double numbers[CT_LANES_MOST];
    uint32_t lanes;
    bool greatest, begun;
    const ct_query *matches;
    ct_entity entity;
} fold;

static void add_block(void *user, uint32_t first, uint32_t count, const double *result,
                      size_t pitch) {
    fold *f = user;
    (void)first;
    for (uint32_t k = 0; k < f->lanes; ++k)
        for (uint32_t i = 0; i < count; ++i)
            f->numbers[k] += result[k * pitch + i];
}

ct_status ct_formula_sum(const ct_formula *formula, ct_query *matches, ct_scratch *arena,
                         double *out) {
    fold f = {.lanes = formula->result_lanes};
    ct_status status = ct_formula_evaluate(formula, matches, arena, add_block, &f);
    if (status == CT_OK) memcpy(out, f.numbers, f.lanes * sizeof *out);
    return status;
}

static void extreme_block(void *user, uint32_t first, uint32_t count, const double *result,
                          size_t pitch) {
    fold *f = user;
    (void)first;
    for (uint32_t k = 0; k < f->lanes; ++k) {
        double best = f->begun ? f->numbers[k] : result[k * pitch];
        for (uint32_t i = 0; i < count; ++i) {
            double number = result[k * pitch + i];
            best = (f->greatest ? number > best : number < best) ? number : best;
        }
        f->numbers[k] = best;
    }
    f->begun = true;
}

ct_status ct_formula_extreme(const ct_formula *formula, ct_query *matches, ct_scratch *arena,
                             bool greatest, double *out) {
    fold f = {.lanes = formula->result_lanes, .greatest = greatest};
    ct_status status = ct_formula_evaluate(formula, matches, arena, extreme_block, &f);
    if (status == CT_OK && f.begun) memcpy(out, f.numbers, f.lanes * sizeof *out);
    return status;
}

static void best_block(void *user, uint32_t first, uint32_t count, const double *result,
                       size_t pitch) {
    fold *f = user;
    (void)pitch;
    for (uint32_t i = 0; i < count; ++i) {
        double number = result[i];
        bool better = f->greatest ? number > f->numbers[0] : number < f->numbers[0];
        if (!f->begun) better = number == number; // NOLINT(misc-redundant-expression): not NaN
        if (!better) continue;
        f->begun = true;
        f->numbers[0] = number;
        f->entity = ct_query_entity(f->matches, first + i);
    }
}

ct_status ct_formula_best(const ct_formula *formula, ct_query *matches, ct_scratch *arena,
                          bool highest, ct_entity *entity, double *value) {
    fold f = {.lanes = 1, .greatest = highest, .matches = matches, .entity = {CT_NOBODY}};
    ct_status status = ct_formula_evaluate(formula, matches, arena, best_block, &f);
    *entity = f.entity;
    *value = f.numbers[0];
    return status;
}

// ---------------------------------------------------------------- order

typedef struct sort_item {
    uint64_t key; // unsigned order of keys is the order of the numbers
    ct_entity entity;
} sort_item;

typedef struct sorting {
    const ct_query *matches;
    sort_item *items;
    uint32_t count;
} sorting;

static uint64_t key_of(double number) {
    if (number != number) return ~0ULL;           // NOLINT(misc-redundant-expression): NaN is last
    uint64_t bits = ct_double_bits(number + 0.0); // -0 equals 0
    return bits >> 63 != 0 ? ~bits : bits | 1ULL << 63;
}

static void collect_block(void *user, uint32_t first, uint32_t count, const double *result,
                          size_t pitch) {
    sorting *s = user;
    (void)pitch;
    for (uint32_t i = 0; i < count; ++i) {
        if (!ct_query_is_first_match(s->matches, first + i)) continue;
        s->items[s->count++] =
            (sort_item){key_of(result[i]), ct_query_entity(s->matches, first + i)};
    }
}

// Merges the sorted runs from[low .. middle - 1] and from[middle .. high - 1].
static void merge(const sort_item *from, sort_item *to, uint32_t low, uint32_t middle,
                  uint32_t high) {
    uint32_t a = low, b = middle;
    for (uint32_t i = low; i < high; ++i)
        to[i] = b >= high || (a < middle && from[a].key <= from[b].key) ? from[a++] : from[b++];
}

ct_status ct_formula_sort(const ct_formula *formula, ct_query *matches, ct_scratch *arena,
                          ct_entity *out, uint32_t *count) {
    size_t bytes = (size_t)matches->count * sizeof(sort_item) + 1;
    sort_item *items = ct_scratch_take(arena, bytes), *other = ct_scratch_take(arena, bytes);
    if (items == NULL || other == NULL) return CT_ERR_MEMORY;
    sorting s = {matches, items, 0};
    ct_status status = ct_formula_evaluate(formula, matches, arena, collect_block, &s);
    if (status != CT_OK) return status;
    for (uint32_t width = 1; width < s.count; width *= 2) {
        for (uint32_t low = 0; low < s.count; low += 2 * width) {
            uint32_t middle = s.count - low < width ? s.count : low + width;
            uint32_t high = s.count - middle < width ? s.count : middle + width;
            merge(items, other, low, middle, high);
        }
        sort_item *swap = items;
        items = other;
        other = swap;
    }
    for (uint32_t i = 0; i < s.count; ++i)
        out[i] = items[i].entity;
    *count = s.count;
    return CT_OK;
}
