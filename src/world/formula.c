// Runs of formulas: memory, batches of writes, undo.
#include "world/formula.h"

#include "base/hash.h"
#include "world/formula_internal.h"

#include <string.h>

// ---------------------------------------------------------------- undo

// Copies the items of all stored fields of all matches, to or from 'saved'.
static void copy_stored(const ct_formula_pass *r, bool back) {
    for (uint32_t i = 0; i < r->formula->field_count; ++i) {
        const ct_formula_field *field = &r->formula->fields[i];
        uint32_t width;
        if (!field->stored) continue;
        unsigned char *items = ct_formula_stored_items(&r->formula->columns[i], &width);
        for (uint32_t k = 0; k < r->matches->count; ++k) {
            ct_row row = ct_query_row(r->matches, field->part, k);
            unsigned char *item = items + (size_t)row.i * width;
            unsigned char *copy = r->saved[i] + (size_t)k * width;
            if (row.i != CT_NO_ROW) memcpy(back ? item : copy, back ? copy : item, width);
        }
    }
}

// Runs a formula whose stores may fail. Its marks are set in a second pass, which cannot fail.
static bool pass_with_undo(ct_formula_pass *r) {
    r->trial = false;
    for (uint32_t i = 0; i < r->formula->field_count; ++i)
        if (r->formula->fields[i].stored &&
            (r->formula->columns[i].marked || r->formula->columns[i].told))
            r->trial = true;
    copy_stored(r, false);
    if (ct_formula_pass_all(r, CT_FORMULA_BLOCK)) {
        if (!r->trial) return true;
        copy_stored(r, true);
        r->trial = false;
        return ct_formula_pass_all(r, CT_FORMULA_BLOCK);
    }
    copy_stored(r, true);
    // One match after another: the first fault in this order does not depend on the blocks.
    r->trial = true;
    bool sound = ct_formula_pass_all(r, 1);
    CT_ASSERT(!sound);
    (void)sound;
    copy_stored(r, true);
    return false;
}

// ---------------------------------------------------------------- preparation

// Returns a piece for an array, or NULL.
static void *take(ct_scratch *arena, size_t count, size_t bytes) {
    size_t size;
    return ct_size_mul_add(count, bytes, 64, &size) ? ct_scratch_take(arena, size) : NULL;
}

// Makes a table of the world poses of all rows, if the run changes poses while it reads them.
static ct_status make_table(const ct_formula_pass *r, uint32_t number, ct_scratch *arena) {
    const ct_formula_field *field = &r->formula->fields[number];
    ct_manager *manager = field->manager;
    uint32_t part = field->number - manager->field_count, rows = ct_store_count(&manager->store);
    bool stored = false;
    r->tables[number] = NULL;
    for (uint32_t i = 0; i < r->formula->field_count; ++i)
        stored =
            stored || (r->formula->fields[i].stored && r->formula->fields[i].manager == manager);
    if (field->number < manager->field_count || part == CT_TRANSFORM_LOCAL_ANGLE) return CT_OK;
    if (part == CT_TRANSFORM_WORLD_POSITION ? !ct_transform_in_batch(manager) : !stored)
        return CT_OK;
    uint32_t lanes = part == CT_TRANSFORM_WORLD_POSITION ? 3 : 1;
    double *table = take(arena, (size_t)rows * lanes, sizeof *table);
    if (table == NULL) return CT_ERR_MEMORY;
    for (uint32_t row = 0; row < rows; ++row) {
        double numbers[CT_TRANSFORM_PART_NUMBERS] = {0};
        ct_entity owner = ct_store_owners(&manager->store)[row];
        if (ct_entity_manager_alive_or_dying(manager->store.entities, owner))
            ct_transform_read_part(manager, (ct_row){row}, (ct_transform_part)part, numbers);
        memcpy(table + (size_t)row * lanes, numbers, lanes * sizeof *table);
    }
    r->tables[number] = table;
    return CT_OK;
}

// Normalizes rotations that scripts wrote to the column and that were not read since then.
static void resolve_written(const ct_formula_field *field) {
    ct_manager *manager = field->manager;
    ct_manager_flush_deaths(manager);
    if (field->number >= manager->field_count || !manager->fields[field->number].in_place) return;
    if (*manager->marks->written == 0) return;
    for (uint32_t row = 0; row < ct_store_count(&manager->store); ++row)
        if (ct_entity_manager_alive_or_dying(manager->store.entities,
                                             ct_store_owners(&manager->store)[row]))
            ct_manager_read(manager, field->number, (ct_row){row});
}

// Takes registers for a block of all matches, but at most CT_FORMULA_BLOCK: a run for few entities
// needs no chunk of the arena. The registers of the formula itself are for stores that call no
// function of a plugin: it could run the formula again.
static ct_status take_registers(ct_formula_pass *r, ct_scratch *arena) {
    enum { STEP = 4 };
    const ct_formula *f = r->formula;
    uint32_t count = r->matches->count;
    if (count <= CT_FORMULA_FEW && !f->told) {
        r->pitch = CT_FORMULA_FEW;
        r->registers = f->few;
    } else {
        uint32_t registers = ct_formula_registers(f->register_count, f->depth);
        r->pitch = count < CT_FORMULA_BLOCK ? (count + STEP - 1) / STEP * STEP : CT_FORMULA_BLOCK;
        unsigned char *room = take(arena, (size_t)registers * r->pitch, sizeof(double));
        r->registers = take(arena, registers + f->view_count, sizeof *r->registers);
        if (room == NULL || r->registers == NULL) return CT_ERR_MEMORY;
        ct_formula_place(r->registers, registers, r->pitch, room);
        for (uint32_t i = 0; i < f->constant_count; ++i)
            ct_formula_fill(ct_formula_register(r, i), r->pitch, f->inputs[i]);
    }
    for (uint32_t i = 0; i < f->parameter_count; ++i)
        ct_formula_fill(ct_formula_register(r, f->constant_count + i), r->pitch,
                        f->inputs[f->constant_count + i]);
    return CT_OK;
}

// Prepares the fields of a formula that is not direct.
static ct_status prepare(ct_formula_pass *r, ct_scratch *arena) {
    const ct_formula *f = r->formula;
    r->tables = take(arena, f->field_count, sizeof *r->tables);
    if (r->tables == NULL) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < f->field_count; ++i) {
        resolve_written(&f->fields[i]);
        if (make_table(r, i, arena) != CT_OK) return CT_ERR_MEMORY;
    }
    return CT_OK;
}

// Takes memory for the former items of stored fields.
static ct_status take_saved(ct_formula_pass *r, ct_scratch *arena) {
    const ct_formula *f = r->formula;
    r->saved = take(arena, f->field_count, sizeof *r->saved);
    for (uint32_t i = 0; i < f->field_count && r->saved != NULL; ++i) {
        if (!f->fields[i].stored) continue;
        r->saved[i] = take(arena, r->matches->count, CT_MAX_ITEM_BYTES / 2);
        if (r->saved[i] == NULL) return CT_ERR_MEMORY;
    }
    return r->saved != NULL ? CT_OK : CT_ERR_MEMORY;
}

// Returns whether an earlier field has the same manager and is stored.
static bool is_begun(const ct_formula *f, uint32_t number) {
    for (uint32_t i = 0; i < number; ++i)
        if (f->fields[i].stored && f->fields[i].manager == f->fields[number].manager) return true;
    return false;
}

// Ends the batches of the stored fields before 'end'.
static void end_batches(const ct_formula *f, uint32_t end) {
    for (uint32_t i = 0; i < end; ++i)
        if (f->fields[i].stored && !is_begun(f, i))
            (void)ct_manager_end_batch(f->fields[i].manager, NULL);
}

static ct_status begin_batches(const ct_formula *f) {
    for (uint32_t i = 0; i < f->field_count; ++i) {
        if (!f->fields[i].stored || is_begun(f, i)) continue;
        ct_status status = ct_manager_begin_batch(f->fields[i].manager);
        if (status == CT_OK) continue;
        end_batches(f, i);
        return status;
    }
    return CT_OK;
}

// Sets what may have changed: tables, addresses of parts, and values of absent components.
static void open_columns(const ct_formula_pass *r) {
    const ct_formula *f = r->formula;
    for (uint32_t i = 0; i < f->field_count; ++i) {
        const ct_formula_field *field = &f->fields[i];
        const double *table = r->tables != NULL ? r->tables[i] : NULL;
        if (field->number >= field->manager->field_count)
            ct_formula_describe_column(f, &f->columns[i], field, table);
        else if (field->optional || field->elsewhere)
            ct_formula_set_absent(&f->columns[i]);
    }
}

static ct_status run_all(ct_formula_pass *r, ct_scratch *arena) {
    // cppcheck-suppress ctuuninitvar; the callers initialize the members that are read
    const ct_formula *f = r->formula;
    const bool direct = f->direct, may_fail = f->may_fail;
    ct_status status = take_registers(r, arena);
    if (status == CT_OK && may_fail) status = take_saved(r, arena);
    if (status == CT_OK && !direct) status = prepare(r, arena);
    if (status == CT_OK && !direct) status = begin_batches(f);
    if (status != CT_OK) return status;
    // Nothing below this line can fail, except a store.
    if (!direct || f->absent) open_columns(r);
    ct_float_mode mode = ct_float_mode_begin();
    bool sound = may_fail ? pass_with_undo(r) : ct_formula_pass_all(r, CT_FORMULA_BLOCK);
    ct_float_mode_end(mode);
    if (!direct) end_batches(f, f->field_count);
    return sound ? CT_OK : CT_ERR_DATA;
}

ct_status ct_formula_run(const ct_formula *formula, ct_query *matches, bool repeats,
                         ct_scratch *arena, ct_formula_fault *fault) {
    ct_formula_pass r; // large: only these members are initialized
    r.formula = formula;
    r.matches = matches;
    r.loops = formula->loops;
    r.fault = fault;
    r.sink = NULL;
    r.tables = NULL;
    r.trial = false;
    r.shared = repeats || formula->shared;
    return matches->count > 0 ? run_all(&r, arena) : CT_OK;
}

ct_status ct_formula_evaluate(const ct_formula *formula, ct_query *matches, ct_scratch *arena,
                              ct_formula_sink sink, void *user) {
    ct_formula_pass r;
    CT_ASSERT(!formula->stores && formula->result_lanes > 0);
    r.formula = formula;
    r.matches = matches;
    r.loops = formula->loops;
    r.sink = sink;
    r.tables = NULL;
    r.user = user;
    r.shared = r.trial = false;
    return matches->count > 0 ? run_all(&r, arena) : CT_OK;
}
