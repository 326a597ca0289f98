// Views: loads of a column without gaps that copy nothing. The operations read the column itself.
#include "world/formula_internal.h"

// Stores where an operation names the registers that it reads one at a time. Returns their number.
static uint32_t find_reads(ct_formula_operation *o, uint32_t *reads[3]) {
    bool several = (o->kind == CT_FORMULA_STORE || o->kind == CT_FORMULA_MOVE) && o->c > 1;
    reads[0] = &o->a;
    if (o->kind < CT_LANE_COUNT) {
        reads[1] = &o->b;
        reads[2] = &o->c;
        return 3;
    }
    if (o->kind == CT_FORMULA_FIND || o->kind == CT_FORMULA_RANDOM) reads[0] = &o->b;
    if (o->kind == CT_FORMULA_LOAD_AT) reads[0] = &o->d;
    return !several && o->kind != CT_FORMULA_LOAD && o->kind != CT_FORMULA_HAS &&
           o->kind != CT_FORMULA_SELF && o->kind != CT_FORMULA_ELSE && o->kind != CT_FORMULA_END;
}

static bool reads_single(ct_formula_operation *o, uint32_t number) {
    uint32_t *reads[3], count = find_reads(o, reads);
    for (uint32_t i = 0; i < count; ++i)
        if (*reads[i] == number) return true;
    return false;
}

static bool reads_several(const ct_formula_operation *o, uint32_t number) {
    return (o->kind == CT_FORMULA_STORE || o->kind == CT_FORMULA_MOVE) && o->c > 1 &&
           number - o->a < o->c;
}

// Returns the place of the last operation that reads what LOAD number 'load' has loaded. Returns 0
// if the LOAD must copy: an operation reads the register together with others or after a store to
// the column, or a MOVE keeps some of its numbers. Behind its branch nothing reads the register.
static uint32_t find_last_read(const ct_formula *f, uint32_t load) {
    enum { MOST = 64 }; // operations to search, so that a long formula takes no quadratic time
    const ct_formula_field *loaded = &f->fields[f->operations[load].a];
    uint32_t last = load, number = f->operations[load].to;
    bool stored = false;
    for (uint32_t i = load + 1; i < f->operation_count; ++i) {
        ct_formula_operation *o = &f->operations[i];
        bool read = reads_single(o, number);
        bool written = number - o->to < ct_formula_written(o->kind, o->c);
        if (i - load > MOST || reads_several(o, number) || (read && stored)) return 0;
        if (written && o->kind == CT_FORMULA_MOVE) return 0;
        if (read) last = i;
        if (written) break;
        if (o->kind != CT_FORMULA_STORE) continue;
        const ct_formula_field *field = &f->fields[o->to];
        stored = stored || (field->manager == loaded->manager && field->number == loaded->number);
    }
    return last;
}

void ct_formula_find_views(ct_formula *f) {
    // Results are quiet NaN if they are NaN; the items of a column may be any.
    if (f->told || f->result_lanes > 0) return;
    for (uint32_t i = f->uniform_count; i < f->operation_count; ++i) {
        ct_formula_operation *load = &f->operations[i];
        if (load->kind != CT_FORMULA_LOAD || !ct_formula_is_straight(f, &f->columns[load->a]))
            continue;
        uint32_t last = find_last_read(f, i);
        if (last == 0) continue;
        load->d = ct_formula_registers(f->register_count, f->depth) + f->view_count++;
        for (uint32_t k = i + 1; k <= last; ++k) {
            uint32_t *reads[3], count = find_reads(&f->operations[k], reads);
            for (uint32_t j = 0; j < count; ++j)
                if (*reads[j] == load->to) *reads[j] = load->d;
        }
    }
}
