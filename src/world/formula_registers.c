// Registers of a formula: a backward pass that finds the last use of each value, and a forward pass
// that gives registers.
#include "world/formula_registers.h"

#include <string.h>

enum { NO_REGISTER = CT_FORMULA_REGISTERS, STORAGE = 16 };

// Values that get consecutive registers together: those of one load, or of one store.
typedef struct unit {
    uint32_t values[CT_LANES_MOST];
    uint32_t count;
    bool loaded;
} unit;

typedef struct assignment {
    const ct_formula_values *given;
    ct_formula_assigned *result;
    ct_formula_given *operations; // as given, and dropped ones with the kind CT_FORMULA_KINDS
    unit *units;                  // of each operation and of the result
    uint32_t *last;               // of each value: the place after its last use; 0: none
    uint32_t *registers;          // of each value, or NO_REGISTER
    uint32_t *units_of;           // of each value: the place after that of its unit; 0: none
    bool *fixed;                  // of each value: keeps its register
    uint32_t value_count;         // with copies
    uint32_t lowest;              // no register below this one is free
    uint32_t statement;           // of the last STATEMENT
    bool taken[CT_FORMULA_REGISTERS];
} assignment;

// Copies the values that an operation reads, and returns their number.
static uint32_t operands(const ct_formula_given *o, uint32_t *values) {
    const uint32_t all[CT_LANES_MOST] = {o->a, o->b, o->c, o->d};
    uint32_t first = 0, count = 0;
    if (o->kind < CT_LANE_COUNT) count = ct_lane_operands((ct_lane_operation)o->kind);
    switch (o->kind) {
    case CT_FORMULA_STORE:
        while (count < CT_LANES_MOST && all[count] != 0)
            count++;
        break;
    case CT_FORMULA_LOAD_AT: first = 3, count = 1; break;
    case CT_FORMULA_FIND:
    case CT_FORMULA_RANDOM: first = 1, count = 1; break;
    case CT_FORMULA_ALIVE:
    case CT_FORMULA_MOVE:
    case CT_FORMULA_IF:
    case CT_FORMULA_ELSE_IF: count = 1; break;
    default: break;
    }
    for (uint32_t i = 0; i < count; ++i)
        values[i] = all[first + i];
    return count;
}

// Returns the number of values that an operation writes, from 'to' on.
static uint32_t results(const ct_formula_given *o) {
    return ct_formula_written(o->kind, o->kind != CT_FORMULA_MOVE ? o->c : 1);
}

static bool are_values(const ct_formula_values *given, const uint32_t *values, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (values[i] == 0 || values[i] > given->value_count) return false;
    return true;
}

static bool is_sound(const ct_formula_values *given, const ct_formula_given *o) {
    uint32_t values[CT_LANES_MOST], count = results(o);
    if (o->kind >= CT_FORMULA_KINDS || count > CT_LANES_MOST) return false;
    if (ct_formula_is_load(o->kind) && (count == 0 || o->a >= given->field_count)) return false;
    if (count > 0 && (o->to == 0 || (uint64_t)o->to + count - 1 > given->value_count)) return false;
    count = operands(o, values);
    if (o->kind == CT_FORMULA_STORE && (count == 0 || o->to >= given->field_count)) return false;
    return are_values(given, values, count);
}

static bool are_sound(const ct_formula_values *given) {
    for (uint32_t i = 0; i < given->operation_count; ++i)
        if (!is_sound(given, &given->operations[i])) return false;
    return are_values(given, given->constants, given->constant_count) &&
           given->parameter_count <= given->value_count && given->result_lanes <= CT_LANES_MOST &&
           are_values(given, given->result, given->result_lanes);
}

// ---------------------------------------------------------------- uses

static void use(assignment *a, const uint32_t *values, uint32_t count, uint32_t place) {
    for (uint32_t i = 0; i < count; ++i)
        if (a->last[values[i]] == 0) a->last[values[i]] = place + 1;
}

static bool is_used(const assignment *a, const ct_formula_given *o) {
    for (uint32_t i = 0; i < results(o); ++i)
        if (a->last[o->to + i] != 0) return true;
    return false;
}

// Fields that a later store writes for all matches, before they are loaded.
typedef struct overwritten {
    bool fields[CT_FORMULA_FIELDS];
    int32_t depth; // of branches, from the end
} overwritten;

static bool is_overwritten(const assignment *a, overwritten *later, uint32_t field,
                           uint32_t lanes) {
    if (later->fields[field]) return true;
    later->fields[field] = later->depth == 0 && a->given->storages[field] % STORAGE == lanes;
    return false;
}

static void forget_stores(const assignment *a, overwritten *later, uint32_t field) {
    const uint32_t *storages = a->given->storages;
    for (uint32_t i = 0; i < a->given->field_count; ++i)
        if (storages[i] / STORAGE == storages[field] / STORAGE) later->fields[i] = false;
}

// Sets the last use of each value, and drops operations without a use.
static void find_uses(assignment *a) {
    overwritten later = {.depth = 0};
    for (uint32_t place = a->given->operation_count; place-- > 0;) {
        ct_formula_given *o = &a->operations[place];
        uint32_t values[CT_LANES_MOST], count = operands(o, values);
        bool dropped = results(o) > 0 ? !is_used(a, o) : o->kind == CT_FORMULA_STATEMENT;
        if (o->kind == CT_FORMULA_END) later.depth++;
        if (o->kind == CT_FORMULA_IF) later.depth--;
        if (o->kind == CT_FORMULA_STORE) dropped = is_overwritten(a, &later, o->to, count);
        if (dropped)
            o->kind = CT_FORMULA_KINDS;
        else
            use(a, values, count, place);
        if (ct_formula_is_load(o->kind)) forget_stores(a, &later, o->a);
    }
}

// ---------------------------------------------------------------- registers

// Takes consecutive free registers. Returns the first one, or NO_REGISTER.
static uint32_t take(assignment *a, uint32_t count) {
    uint32_t first = a->lowest;
    for (uint32_t run = 0; run < count; ++run) {
        if (first + count > CT_FORMULA_REGISTERS) {
            a->result->needs_more_registers = true;
            return NO_REGISTER;
        }
        if (!a->taken[first + run]) continue;
        first += run + 1;
        run = UINT32_MAX; // begins again
    }
    for (uint32_t i = 0; i < count; ++i)
        a->taken[first + i] = true;
    if (first == a->lowest) a->lowest = first + count;
    if (first + count > a->result->register_count) a->result->register_count = first + count;
    return first;
}

static bool take_values(assignment *a, const uint32_t *values, uint32_t count) {
    uint32_t first = take(a, count);
    for (uint32_t i = 0; i < count && first != NO_REGISTER; ++i)
        a->registers[values[i]] = first + i;
    return first != NO_REGISTER;
}

static void release(assignment *a, uint32_t value) {
    uint32_t number = a->registers[value];
    a->taken[number] = false;
    if (number < a->lowest) a->lowest = number;
}

// Releases the registers of values that are not used after a place.
static void release_after(assignment *a, const uint32_t *values, uint32_t count, uint32_t place) {
    for (uint32_t i = 0; i < count; ++i) {
        if (a->last[values[i]] != place + 1) continue;
        a->last[values[i]] = 0;
        if (!a->fixed[values[i]]) release(a, values[i]);
    }
}

// Gives a value that is written a register, together with its unit of a store.
static bool define(assignment *a, uint32_t value) {
    if (a->registers[value] != NO_REGISTER) return true;
    const unit *u = a->units_of[value] == 0 ? NULL : &a->units[a->units_of[value] - 1];
    return u == NULL || u->loaded ? take_values(a, &value, 1) : take_values(a, u->values, u->count);
}

// Gives values registers that are never free again.
static bool take_fixed(assignment *a) {
    const ct_formula_values *given = a->given;
    for (uint32_t i = 0; i < given->constant_count; ++i) {
        uint32_t value = given->constants[i];
        a->result->used[i] = a->last[value] != 0 && a->registers[value] == NO_REGISTER;
        a->fixed[value] = true;
        if (a->result->used[i] && !take_values(a, &value, 1)) return false;
    }
    for (uint32_t value = 1; value <= given->parameter_count; ++value) {
        a->fixed[value] = true;
        if (!take_values(a, &value, 1)) return false;
    }
    for (uint32_t i = 0; i < given->uniform_count; ++i)
        for (uint32_t k = 0; k < results(&given->operations[i]); ++k)
            a->fixed[given->operations[i].to + k] = true;
    return true;
}

// ---------------------------------------------------------------- units

// Returns whether values have or will have consecutive registers.
static bool are_consecutive(const assignment *a, const uint32_t *values, uint32_t count) {
    uint32_t first = a->registers[values[0]], place = 0;
    if (first == NO_REGISTER && a->units_of[values[0]] == 0) return false;
    const unit *u = first == NO_REGISTER ? &a->units[a->units_of[values[0]] - 1] : NULL;
    while (u != NULL && u->values[place] != values[0])
        place++;
    for (uint32_t i = 1; i < count; ++i) {
        if (u == NULL && a->registers[values[i]] != first + i) return false;
        if (u != NULL && (place + i >= u->count || u->values[place + i] != values[i])) return false;
    }
    return true;
}

// Makes stored values a unit. Values that have another place are copied: the unit has new ones.
static void make_unit(assignment *a, const uint32_t *values, uint32_t count, uint32_t place) {
    unit *u = &a->units[place];
    u->count = count;
    bool as_given = count <= 1 || are_consecutive(a, values, count);
    for (uint32_t i = 0; i < count; ++i) {
        bool has_place = a->units_of[values[i]] != 0 || a->registers[values[i]] != NO_REGISTER;
        u->values[i] = !as_given && has_place ? ++a->value_count : values[i];
        if (!as_given) a->units_of[u->values[i]] = place + 1;
    }
}

static void make_units(assignment *a) {
    const ct_formula_values *given = a->given;
    for (uint32_t place = 0; place < given->operation_count; ++place) {
        const ct_formula_given *o = &a->operations[place];
        if (!ct_formula_is_load(o->kind)) continue;
        a->units[place] = (unit){.count = o->c, .loaded = true};
        for (uint32_t i = 0; i < o->c; ++i) {
            a->units[place].values[i] = o->to + i;
            a->units_of[o->to + i] = place + 1;
        }
    }
    for (uint32_t place = 0; place < given->operation_count; ++place) {
        uint32_t values[CT_LANES_MOST];
        if (a->operations[place].kind == CT_FORMULA_STORE)
            make_unit(a, values, operands(&a->operations[place], values), place);
    }
    make_unit(a, given->result, given->result_lanes, given->operation_count);
}

// ---------------------------------------------------------------- operations on registers

static void emit(assignment *a, ct_formula_given operation) {
    a->result->operations[a->result->operation_count++] = operation;
}

static bool have_registers(const assignment *a, const uint32_t *values, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (a->registers[values[i]] == NO_REGISTER) return false;
    return true;
}

// Copies values to their unit where they have another place. Returns the first register, or
// NO_REGISTER.
static uint32_t gather(assignment *a, const uint32_t *values, uint32_t count, uint32_t place) {
    const unit *u = &a->units[place];
    if (!have_registers(a, values, count)) return NO_REGISTER;
    for (uint32_t i = 0; i < count; ++i) {
        if (u->values[i] == values[i]) continue;
        if (!define(a, u->values[i])) return NO_REGISTER;
        a->last[u->values[i]] = place + 1;
        emit(a, (ct_formula_given){.kind = CT_FORMULA_MOVE,
                                   .to = a->registers[u->values[i]],
                                   .a = a->registers[values[i]],
                                   .c = 1});
    }
    release_after(a, values, count, place);
    release_after(a, u->values, count, place);
    return a->registers[u->values[0]];
}

static bool store(assignment *a, const ct_formula_given *o, uint32_t place) {
    uint32_t values[CT_LANES_MOST], count = operands(o, values);
    uint32_t from = gather(a, values, count, place);
    const ct_formula_given *statement = &a->given->operations[place == 0 ? 0 : place - 1];
    if (from == NO_REGISTER || statement->kind != CT_FORMULA_STATEMENT) return false;
    if (a->statement != statement->a) {
        a->statement = statement->a;
        a->result->statement_count++;
        emit(a, (ct_formula_given){
                    .kind = CT_FORMULA_STATEMENT, .a = statement->a, .b = statement->b});
    }
    emit(a, (ct_formula_given){
                .kind = CT_FORMULA_STORE, .to = o->to, .a = from, .b = statement->to, .c = count});
    return true;
}

// Loads the lanes from the first to the last one that is used.
static bool load(assignment *a, ct_formula_given o, uint32_t place) {
    uint32_t row[CT_LANES_MOST], rows = operands(&o, row), value = o.to;
    while (a->last[o.to + o.c - 1] == 0)
        o.c--;
    for (; a->last[value] == 0; o.c--)
        value++;
    if (!have_registers(a, row, rows)) return false;
    o.b += value - o.to;
    o.to = take(a, o.c);
    if (o.to == NO_REGISTER) return false;
    for (uint32_t i = 0; i < o.c; ++i)
        a->registers[value + i] = o.to + i;
    for (uint32_t i = 0; i < o.c; ++i)
        if (a->last[value + i] == 0) release(a, value + i);
    o.d = rows > 0 ? a->registers[row[0]] : 0;
    release_after(a, row, rows, place);
    emit(a, o);
    return true;
}

static bool encode(assignment *a, ct_formula_given o, uint32_t place) {
    uint32_t values[CT_LANES_MOST], count = operands(&o, values);
    if (o.kind == CT_FORMULA_STORE) return store(a, &o, place);
    if (ct_formula_is_load(o.kind)) return load(a, o, place);
    if (!have_registers(a, values, count)) return false;
    uint32_t *const numbers[CT_LANES_MOST] = {&o.a, &o.b, &o.c, &o.d};
    bool is_second = o.kind == CT_FORMULA_FIND || o.kind == CT_FORMULA_RANDOM;
    for (uint32_t i = 0; i < count; ++i)
        *numbers[is_second ? 1 : i] = a->registers[values[i]];
    if (o.kind == CT_FORMULA_MOVE) o.c = 1;
    release_after(a, values, count, place);
    if (results(&o) > 0) {
        if (!define(a, o.to)) return false;
        o.to = a->registers[o.to];
    }
    emit(a, o);
    return true;
}

// ---------------------------------------------------------------- memory

// A store copies at most its values, and so does the result.
static size_t most_copies(const ct_formula_values *given) {
    size_t count = given->result_lanes;
    for (uint32_t i = 0; i < given->operation_count; ++i)
        if (given->operations[i].kind == CT_FORMULA_STORE) count += CT_LANES_MOST;
    return count;
}

size_t ct_formula_assign_bytes(const ct_formula_values *given) {
    size_t copies = most_copies(given), values = given->value_count + copies + 1;
    return ct_padded(sizeof(assignment)) +
           (2 * (size_t)given->operation_count + copies) * sizeof(ct_formula_given) +
           ((size_t)given->operation_count + 1) * sizeof(unit) +
           values * (3 * sizeof(uint32_t) + sizeof(bool)) + given->constant_count * sizeof(bool);
}

static assignment *lay_out(const ct_formula_values *given, void *memory,
                           ct_formula_assigned *result) {
    size_t copies = most_copies(given), values = given->value_count + copies + 1;
    assignment *a = memory;
    memset(memory, 0, ct_formula_assign_bytes(given));
    *result = (ct_formula_assigned){.register_count = 0};
    *a = (assignment){.given = given, .result = result, .value_count = given->value_count};
    a->operations = (ct_formula_given *)(void *)((unsigned char *)memory + ct_padded(sizeof *a));
    result->operations = a->operations + given->operation_count;
    a->units = (unit *)(void *)(result->operations + given->operation_count + copies);
    a->last = (uint32_t *)(void *)(a->units + given->operation_count + 1);
    a->registers = a->last + values;
    a->units_of = a->registers + values;
    a->fixed = (bool *)(void *)(a->units_of + values);
    result->used = a->fixed + values;
    if (given->operation_count > 0)
        memcpy(a->operations, given->operations, given->operation_count * sizeof *a->operations);
    for (size_t i = 0; i < values; ++i)
        a->registers[i] = NO_REGISTER;
    return a;
}

bool ct_formula_assign(const ct_formula_values *given, void *memory, ct_formula_assigned *result) {
    *result = (ct_formula_assigned){.register_count = 0};
    if (given->field_count > CT_FORMULA_FIELDS || !are_sound(given)) return false;
    assignment *a = lay_out(given, memory, result);
    use(a, given->result, given->result_lanes, given->operation_count);
    find_uses(a);
    if (!take_fixed(a)) return false;
    make_units(a);
    for (uint32_t place = 0; place < given->operation_count; ++place)
        if (a->operations[place].kind != CT_FORMULA_KINDS &&
            !encode(a, a->operations[place], place))
            return false;
    if (given->result_lanes > 0)
        result->result = gather(a, given->result, given->result_lanes, given->operation_count);
    return result->result != NO_REGISTER;
}
