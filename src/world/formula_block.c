// Blocks of a running formula: its branches and operations.
#include "world/formula_internal.h"

#include "base/hash.h"

#include <string.h>

// ---------------------------------------------------------------- branches

// Divides the matches of 'mask' (NULL: all) by a condition. A part without a difference to all
// matches of the block needs no mask.
static void divide(ct_formula_pass *r, ct_formula_branch *b, const double *mask,
                   const double *condition) {
    const uint32_t room = ct_formula_registers(r->formula->register_count, r->depth - 1);
    double *yes = ct_formula_register(r, room), *no = ct_formula_register(r, room + 1);
    const ct_lane_kernel *loops = r->loops->operations;
    uint32_t before = b->left_count;
    if (mask == NULL) {
        b->active_count = r->loops->count_true(r->count, condition);
        b->left_count = r->count - b->active_count;
        b->active = b->left = NULL;
        if (b->active_count == 0 || b->left_count == 0) return;
        loops[CT_LANE_NOT](r->count, no, condition, condition, condition);
        loops[CT_LANE_NOT](r->count, yes, no, no, no);
    } else {
        // 'mask' may be 'no': 'yes' is computed first, and the rest is what it leaves.
        loops[CT_LANE_AND](r->count, yes, mask, condition, condition);
        loops[CT_LANE_LT](r->count, no, yes, mask, mask);
        b->active_count = r->loops->count_true(r->count, yes);
        b->left_count = before - b->active_count;
    }
    b->active = yes;
    b->left = no;
}

// Executes IF, ELSE, ELSE_IF or END at place 'i'. Returns the place to continue with.
static uint32_t take_branch(ct_formula_pass *r, const ct_formula_operation *o, uint32_t i) {
    const ct_formula_operation *all = r->formula->operations;
    ct_formula_branch *b = &r->branches[r->depth];
    if (o->kind == CT_FORMULA_IF) {
        const ct_formula_branch *outer = b;
        b = &r->branches[++r->depth];
        b->left_count = outer->active_count;
        divide(r, b, outer->active, ct_formula_register(r, o->a));
        return b->active_count > 0 ? i + 1 : o->next;
    }
    if (o->kind == CT_FORMULA_END) {
        r->depth--;
        return i + 1;
    }
    if (o->kind == CT_FORMULA_ELSE) {
        b->active = b->left;
        b->active_count = b->left_count;
        if (b->left_count > 0) return i + 1;
        while (all[i].kind != CT_FORMULA_END)
            i = all[i].next;
        return i;
    }
    divide(r, b, b->left, ct_formula_register(r, o->a));
    return b->active_count > 0 ? i + 1 : o->next;
}

// ---------------------------------------------------------------- operations

static void move(const ct_formula_pass *r, const ct_formula_operation *o) {
    const double *mask = o->d != 0 ? NULL : r->branches[r->depth].active;
    for (uint32_t k = 0; k < o->c && o->to != o->a; ++k) {
        double *to = ct_formula_register(r, o->to + k), *from = ct_formula_register(r, o->a + k);
        if (mask == NULL)
            memcpy(to, from, r->count * sizeof *to);
        else
            r->loops->operations[CT_LANE_SELECT](r->count, to, mask, from, to);
    }
}

double ct_formula_random(ct_entity entity, uint32_t place, double seed) {
    uint64_t hash = ct_hash_mix(ct_double_bits(seed + 0), (uint64_t)place << 32 | entity.id);
    return (double)(ct_hash_mix(hash, 0) >> 11) * 0x1p-53;
}

static ct_entity entity_of(const ct_formula_pass *r, uint32_t i) {
    return ct_query_entity(r->matches, r->first + i);
}

// Returns the entity that a register holds; any number is allowed.
static ct_entity held_entity(double number) {
    ct_entity e = {number >= 0 && number <= CT_NOBODY ? (uint32_t)number : CT_NOBODY};
    return e;
}

static void find_rows(const ct_formula_pass *r, const ct_formula_operation *o) {
    const ct_store *store = &r->formula->components[o->a]->store;
    const double *from = ct_formula_register(r, o->b);
    double *to = ct_formula_register(r, o->to);
    for (uint32_t i = 0; i < r->count; ++i) {
        ct_entity e = held_entity(from[i]);
        bool alive = ct_entity_manager_alive(store->entities, e);
        uint32_t row = alive ? ct_store_find(store, e).i : CT_NO_ROW;
        to[i] = row != CT_NO_ROW ? row : -1.0;
    }
}

static void per_entity(const ct_formula_pass *r, const ct_formula_operation *o) {
    double *to = ct_formula_register(r, o->to);
    const ct_entity_manager *entities = r->matches->managers[0]->store.entities;
    const uint32_t count = r->count;
    if (o->kind == CT_FORMULA_SELF) {
        for (uint32_t i = 0; i < count; ++i)
            to[i] = entity_of(r, i).id;
    } else if (o->kind == CT_FORMULA_ALIVE) {
        const double *from = ct_formula_register(r, o->a);
        for (uint32_t i = 0; i < count; ++i)
            to[i] = ct_entity_manager_alive(entities, held_entity(from[i]));
    } else if (o->kind == CT_FORMULA_RANDOM) {
        const double *seeds = ct_formula_register(r, o->b);
        for (uint32_t i = 0; i < count; ++i)
            to[i] = ct_formula_random(entity_of(r, i), o->a, seeds[i]);
    } else {
        uint32_t part = r->formula->component_parts[o->a];
        for (uint32_t i = 0; i < count; ++i)
            to[i] = ct_query_row(r->matches, part, r->first + i).i != CT_NO_ROW;
    }
}

static void load(const ct_formula_pass *r, const ct_formula_operation *o) {
    const ct_formula_column *column = &r->formula->columns[o->a];
    const ct_formula_rows *rows = &r->rows[column->field->part];
    double *to = ct_formula_register(r, o->to);
    bool straight = rows->list == NULL && ct_formula_is_straight(r->formula, column);
    double *items = straight ? (double *)(void *)*column->items + rows->first : NULL;
    if (straight && o->d == 0)
        column->store_straight(rows->count, items, NULL, to);
    else if (!straight)
        ct_formula_load(column, r->loops, rows, o->b, o->c, to);
    if (o->d != 0) r->registers[o->d] = straight ? items : to;
}

static bool store(ct_formula_pass *r, const ct_formula_operation *o) {
    const ct_formula_column *column = &r->formula->columns[o->to];
    const ct_formula_rows *rows = &r->rows[column->field->part];
    const double *mask = r->branches[r->depth].active, *from = ct_formula_register(r, o->a);
    uint32_t lane = 0, end = rows->count;
    if (rows->list == NULL && column->store_straight != NULL)
        column->store_straight(end, from, mask,
                               *column->items + (size_t)rows->first * column->stride);
    else
        end = ct_formula_store(column, r->loops, rows, mask, o->b, o->c, from, &lane);
    if (CT_LIKELY(end == rows->count)) {
        if (!r->trial && (column->marked || column->told)) ct_formula_stored(column, rows, mask);
        return true;
    }
    *r->fault = (ct_formula_fault){entity_of(r, end), column->field,
                                   ct_formula_register(r, o->a + lane)[end], o->statement, o->line};
    return false;
}

// Executes the operations from 'i' to 'end' for the current block. Returns false if a store failed.
static bool execute(ct_formula_pass *r, uint32_t i, uint32_t end) {
    const ct_formula_operation *all = r->formula->operations;
    r->depth = 0;
    r->branches[0] = (ct_formula_branch){.active_count = r->count};
    while (i < end) {
        const ct_formula_operation *o = &all[i];
        if (CT_LIKELY(o->kind < CT_LANE_COUNT)) {
            r->loops->operations[o->kind](
                r->count, ct_formula_register(r, o->to), ct_formula_register(r, o->a),
                ct_formula_register(r, o->b), ct_formula_register(r, o->c));
            i++;
            continue;
        }
        if (ct_formula_is_branch(o->kind)) {
            i = take_branch(r, o, i);
            continue;
        }
        switch (o->kind) {
        case CT_FORMULA_LOAD: load(r, o); break;
        case CT_FORMULA_LOAD_AT:
            ct_formula_load_at(&r->formula->columns[o->a], ct_formula_register(r, o->d), r->rows,
                               o->b, o->c, ct_formula_register(r, o->to));
            break;
        case CT_FORMULA_STORE:
            if (!store(r, o)) return false;
            break;
        case CT_FORMULA_FIND: find_rows(r, o); break;
        case CT_FORMULA_MOVE: move(r, o); break;
        default: per_entity(r, o);
        }
        i++;
    }
    return true;
}

// ---------------------------------------------------------------- blocks

// Returns how many matches from 'first' on belong to different entities, at most 'most'.
static uint32_t count_distinct(const ct_formula_pass *r, uint32_t most) {
    enum { SLOTS = 512 };
    uint32_t slots[SLOTS], count = 0;
    memset(slots, 0xFF, sizeof slots);
    for (; count < most; ++count) {
        uint32_t id = entity_of(r, count).id, slot = ct_hash_index(id) >> 23;
        while (slots[slot] != id && slots[slot] != CT_NOBODY)
            slot = (slot + 1) % SLOTS;
        if (slots[slot] == id) break;
        slots[slot] = id;
    }
    return count;
}

static void open_block(ct_formula_pass *r, uint32_t first) {
    uint32_t left = r->matches->count - first;
    r->first = first;
    r->count = left < r->most ? left : r->most;
    if (r->shared && r->count > 1) r->count = count_distinct(r, r->count);
    for (uint32_t i = 0; i < r->matches->part_count; ++i) {
        const ct_query_part *part = &r->matches->parts[i];
        r->rows[i] = (ct_formula_rows){part->listed ? part->rows + first : NULL,
                                       first + part->offset, r->count, r->pitch,
                                       part->listed && r->matches->roles[i] == CT_QUERY_OPTIONAL};
    }
}

bool ct_formula_pass_all(ct_formula_pass *r, uint32_t most) {
    const ct_formula *f = r->formula;
    uint32_t total = r->matches->count;
    r->first = 0;
    r->most = most;
    r->count = total < r->pitch ? total : r->pitch;
    if (f->uniform_count > 0 && !execute(r, 0, f->uniform_count)) return false;
    for (uint32_t first = 0; first < total; first += r->count) {
        open_block(r, first);
        if (!execute(r, f->uniform_count, f->operation_count)) return false;
        if (r->sink != NULL)
            r->sink(r->user, first, r->count, ct_formula_register(r, f->result), r->pitch);
    }
    return true;
}
