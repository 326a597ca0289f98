// Checks of a formula's operations, which may come from anywhere.
#include "base/message.h"
#include "world/formula_internal.h"

#include <string.h>

static const char *const names[CT_FORMULA_KINDS] = {
    [CT_LANE_NEG] = "NEG",
    [CT_LANE_NOT] = "NOT",
    [CT_LANE_ABS] = "ABS",
    [CT_LANE_SIGN] = "SIGN",
    [CT_LANE_FLOOR] = "FLOOR",
    [CT_LANE_CEIL] = "CEIL",
    [CT_LANE_SQRT] = "SQRT",
    [CT_LANE_SIN] = "SIN",
    [CT_LANE_COS] = "COS",
    [CT_LANE_EXP] = "EXP",
    [CT_LANE_LOG] = "LOG",
    [CT_LANE_ROUND] = "ROUND",
    [CT_LANE_ADD] = "ADD",
    [CT_LANE_SUB] = "SUB",
    [CT_LANE_MUL] = "MUL",
    [CT_LANE_DIV] = "DIV",
    [CT_LANE_MOD] = "MOD",
    [CT_LANE_MIN] = "MIN",
    [CT_LANE_MAX] = "MAX",
    [CT_LANE_ATAN2] = "ATAN2",
    [CT_LANE_EQ] = "EQ",
    [CT_LANE_NE] = "NE",
    [CT_LANE_LT] = "LT",
    [CT_LANE_LE] = "LE",
    [CT_LANE_AND] = "AND",
    [CT_LANE_OR] = "OR",
    [CT_LANE_SELECT] = "SELECT",
    [CT_FORMULA_STATEMENT] = "STATEMENT",
    [CT_FORMULA_LOAD] = "LOAD",
    [CT_FORMULA_STORE] = "STORE",
    [CT_FORMULA_FIND] = "FIND",
    [CT_FORMULA_LOAD_AT] = "LOAD_AT",
    [CT_FORMULA_HAS] = "HAS",
    [CT_FORMULA_SELF] = "SELF",
    [CT_FORMULA_ALIVE] = "ALIVE",
    [CT_FORMULA_RANDOM] = "RANDOM",
    [CT_FORMULA_IF] = "IF",
    [CT_FORMULA_ELSE] = "ELSE",
    [CT_FORMULA_ELSE_IF] = "ELSE_IF",
    [CT_FORMULA_END] = "END",
    [CT_FORMULA_MOVE] = "MOVE",
};

const char *ct_formula_kind_name(uint32_t kind) {
    return kind < CT_FORMULA_KINDS ? names[kind] : NULL;
}

// ---------------------------------------------------------------- state of a check

static bool is_whole(ct_field_type type) {
    ct_scalar lane = ct_field_info_of(type)->lane;
    return lane >= CT_SCALAR_INT8 && lane <= CT_SCALAR_UINT32;
}

// Registers are defined in the branch that writes them, until the branch ends. Only MOVE keeps the
// numbers of other matches, so that its register stays defined.
typedef struct check {
    ct_formula *formula;
    const ct_query *matches;
    ct_message *message;
    uint32_t number; // of the operation, from 1
    uint32_t depth;
    uint32_t statement, line;
    uint32_t heads[CT_FORMULA_DEPTH + 1];  // the last IF, ELSE or ELSE_IF of each open branch
    bool after_else[CT_FORMULA_DEPTH + 1]; // ELSE_IF is allowed
    uint8_t defined[CT_FORMULA_REGISTERS]; // depth of the definition + 1; 0: not defined
    uint8_t writes[CT_FORMULA_REGISTERS];  // 0, 1, or 2 for more
    bool uniform[CT_FORMULA_REGISTERS];
} check;

static bool refuse(const check *c, const char *what, uint32_t number, const char *why) {
    return ct_message_set(c->message, "operation %u: %s %u %s", c->number, what, number, why);
}

static bool reads(const check *c, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (first >= c->formula->register_count || first + i >= c->formula->register_count)
            return refuse(c, "register", first, "does not exist");
        if (c->defined[first + i] == 0) return refuse(c, "register", first + i, "is not written");
    }
    return true;
}

static bool writes_by(check *c, uint32_t first, uint32_t count, bool moved) {
    const ct_formula *f = c->formula;
    for (uint32_t i = 0; i < count; ++i) {
        if (first >= f->register_count || first + i >= f->register_count)
            return refuse(c, "register", first, "does not exist");
        if (first + i < f->constant_count + f->parameter_count)
            return refuse(c, "register", first + i, "is an input");
        if (c->defined[first + i] == 0 || (!moved && c->defined[first + i] <= c->depth))
            c->defined[first + i] = (uint8_t)(c->depth + 1);
    }
    return true;
}

static bool writes(check *c, uint32_t first, uint32_t count) {
    return writes_by(c, first, count, false);
}

static bool has_lanes(const check *c, uint32_t number, uint32_t first, uint32_t count) {
    const ct_formula *f = c->formula;
    if (number >= f->field_count) return refuse(c, "field", number, "does not exist");
    const ct_formula_field *field = &f->fields[number];
    uint32_t lanes = ct_field_info_of(ct_formula_field_type(field->manager, field->number))->lanes;
    if (count == 0 || first >= lanes || count > lanes - first)
        return refuse(c, "lane", first, "does not exist");
    return true;
}

// ---------------------------------------------------------------- operations

static bool check_load(check *c, const ct_formula_operation *o) {
    if (!has_lanes(c, o->a, o->b, o->c)) return false;
    ct_formula_field *field = &c->formula->fields[o->a];
    if (o->kind == CT_FORMULA_LOAD_AT) {
        field->elsewhere = true;
        if (!reads(c, o->d, 1)) return false;
        if (o->d - o->to < o->c) return refuse(c, "register", o->d, "is written by its LOAD_AT");
    } else if (field->part == CT_NO_PART) {
        return refuse(c, "field", o->a, "is not in the query");
    }
    field->loaded = true;
    return writes(c, o->to, o->c);
}

static bool check_store(check *c, const ct_formula_operation *o) {
    if (!has_lanes(c, o->to, o->b, o->c) || !reads(c, o->a, o->c)) return false;
    ct_formula_field *field = &c->formula->fields[o->to];
    if (field->part == CT_NO_PART) return refuse(c, "field", o->to, "is not in the query");
    if (!ct_formula_can_write(field->manager, field->number, NULL))
        return refuse(c, "field", o->to, "is read-only");
    if (is_whole(ct_formula_field_type(field->manager, field->number))) c->formula->may_fail = true;
    field->stored = c->formula->stores = true;
    return true;
}

static bool check_component(check *c, const ct_formula_operation *o) {
    const ct_formula *f = c->formula;
    if (o->a >= f->component_count) return refuse(c, "component", o->a, "does not exist");
    uint32_t part = f->component_parts[o->a];
    if (o->kind == CT_FORMULA_HAS && part == CT_NO_PART)
        return refuse(c, "component", o->a, "is not in the query");
    return (o->kind == CT_FORMULA_HAS || reads(c, o->b, 1)) && writes(c, o->to, 1);
}

// Opens, continues or closes a branch. 'place' is the place of the operation in the formula.
static bool check_branch(check *c, const ct_formula_operation *o, uint32_t place) {
    ct_formula *f = c->formula;
    if (o->kind == CT_FORMULA_IF) {
        if (!reads(c, o->a, 1)) return false;
        if (c->depth == CT_FORMULA_DEPTH) return refuse(c, "more than", c->depth, "branches");
        c->heads[++c->depth] = place;
        c->after_else[c->depth] = false;
        if (c->depth > f->depth) f->depth = c->depth;
        return true;
    }
    if (c->depth == 0 || (o->kind == CT_FORMULA_ELSE_IF) > c->after_else[c->depth] ||
        (o->kind == CT_FORMULA_ELSE && c->after_else[c->depth]))
        return ct_message_set(c->message, "operation %u: %s without IF", c->number, names[o->kind]);
    if (o->kind == CT_FORMULA_ELSE_IF && !reads(c, o->a, 1)) return false;
    f->operations[c->heads[c->depth]].next = place;
    c->heads[c->depth] = place;
    c->after_else[c->depth] = o->kind == CT_FORMULA_ELSE;
    for (uint32_t i = 0; i < f->register_count && o->kind != CT_FORMULA_ELSE_IF; ++i)
        if (c->defined[i] > c->depth) c->defined[i] = 0;
    if (o->kind == CT_FORMULA_END) c->depth--;
    return true;
}

static bool check_lane(check *c, ct_formula_operation *o) {
    uint32_t operands = ct_lane_operands((ct_lane_operation)o->kind);
    if (operands < 3) o->c = o->a;
    if (operands < 2) o->b = o->a;
    return reads(c, o->a, 1) && reads(c, o->b, 1) && reads(c, o->c, 1) && writes(c, o->to, 1);
}

static bool check_move(check *c, ct_formula_operation *o) {
    if (o->c == 0 || o->c > CT_LANES_MOST) return refuse(c, "a move of", o->c, "registers");
    if (!reads(c, o->a, o->c)) return false;
    if (o->to - o->a < o->c && o->to != o->a) return refuse(c, "register", o->to, "overlaps");
    // Registers without a value do not keep one for the matches of other branches.
    o->d = 0;
    for (uint32_t i = 0; i < o->c; ++i)
        if (o->to < CT_FORMULA_REGISTERS - CT_LANES_MOST && c->defined[o->to + i] == 0) o->d = 1;
    return writes_by(c, o->to, o->c, true);
}

static bool check_operation(check *c, ct_formula_operation *o, uint32_t place) {
    o->statement = c->statement;
    o->line = c->line;
    switch (o->kind) {
    case CT_FORMULA_LOAD:
    case CT_FORMULA_LOAD_AT: return check_load(c, o);
    case CT_FORMULA_STORE: return check_store(c, o);
    case CT_FORMULA_FIND:
    case CT_FORMULA_HAS: return check_component(c, o);
    case CT_FORMULA_SELF: return writes(c, o->to, 1);
    case CT_FORMULA_ALIVE: return reads(c, o->a, 1) && writes(c, o->to, 1);
    case CT_FORMULA_RANDOM: return reads(c, o->b, 1) && writes(c, o->to, 1);
    case CT_FORMULA_IF:
    case CT_FORMULA_ELSE:
    case CT_FORMULA_ELSE_IF:
    case CT_FORMULA_END: return check_branch(c, o, place);
    case CT_FORMULA_MOVE: return check_move(c, o);
    default: return check_lane(c, o);
    }
}

// ---------------------------------------------------------------- uniform operations

static void count_writes(check *c, const ct_formula_given *o) {
    uint32_t count = ct_formula_written(o->kind, o->c);
    if (count > CT_LANES_MOST) return;
    for (uint32_t i = 0; i < count && o->to < CT_FORMULA_REGISTERS - CT_LANES_MOST; ++i)
        if (c->writes[o->to + i] < 2) c->writes[o->to + i]++;
}

// Returns whether an operation gives the same result for all matches, in a register of its own.
static bool is_uniform(check *c, const ct_formula_given *o) {
    if (o->kind >= CT_LANE_COUNT || o->to >= CT_FORMULA_REGISTERS || c->writes[o->to] != 1)
        return false;
    const uint32_t given[3] = {o->a, o->b, o->c};
    for (uint32_t i = 0; i < 3 && i < ct_lane_operands((ct_lane_operation)o->kind); ++i)
        if (given[i] >= CT_FORMULA_REGISTERS || !c->uniform[given[i]]) return false;
    c->uniform[o->to] = true;
    return true;
}

// Copies the operations, uniform ones first, and checks each.
static bool check_all(check *c, const ct_formula_source *source) {
    ct_formula *f = c->formula;
    bool hoisted = false;
    for (uint32_t i = 0; i < source->operation_count; ++i)
        count_writes(c, &source->operations[i]);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < source->operation_count; ++i) {
            const ct_formula_given *given = &source->operations[i];
            c->number = i + 1;
            if (given->kind >= CT_FORMULA_KINDS)
                return refuse(c, "kind", given->kind, "does not exist");
            hoisted = given->to < CT_FORMULA_REGISTERS && given->kind < CT_LANE_COUNT &&
                      (pass == 0 ? is_uniform(c, given) : c->uniform[given->to]);
            if (hoisted != (pass == 0)) continue;
            if (given->kind == CT_FORMULA_STATEMENT) {
                c->statement = given->a;
                c->line = given->b;
                continue;
            }
            if (f->operation_count == CT_FORMULA_OPERATIONS)
                return ct_message_set(c->message, "more than %u operations", f->operation_count);
            ct_formula_operation *o = &f->operations[f->operation_count];
            *o = (ct_formula_operation){.kind = given->kind,
                                        .to = given->to,
                                        .a = given->a,
                                        .b = given->b,
                                        .c = given->c,
                                        .d = given->kind != CT_FORMULA_LOAD ? given->d : 0};
            if (!check_operation(c, o, f->operation_count)) return false;
            f->operation_count++;
        }
        if (pass == 0) f->uniform_count = f->operation_count;
    }
    if (c->depth > 0) return ct_message_set(c->message, "IF without END");
    return f->result_lanes == 0 || reads(c, f->result, f->result_lanes);
}

// ---------------------------------------------------------------- the formula

static uint32_t part_of(const ct_query *matches, const ct_manager *manager) {
    for (uint32_t i = 0; i < matches->part_count; ++i)
        if (matches->managers[i] == manager && matches->roles[i] != CT_QUERY_EXCLUDED) return i;
    return CT_NO_PART;
}

// Returns the bytes of the registers for few matches. Each branch takes two operations.
static size_t few_bytes(const ct_formula_source *source) {
    uint32_t count = source->register_count, depth = source->operation_count / 2;
    if (count > CT_FORMULA_REGISTERS) count = CT_FORMULA_REGISTERS;
    if (depth > CT_FORMULA_DEPTH) depth = CT_FORMULA_DEPTH;
    count = ct_formula_registers(count, depth);
    return (count + source->operation_count) * sizeof(double *) +
           (size_t)count * CT_FORMULA_FEW * sizeof(double) + 64;
}

size_t ct_formula_bytes(const ct_formula_source *source) {
    return ct_padded(sizeof(ct_formula)) +
           (source->constant_count + source->parameter_count) * sizeof(double) +
           source->field_count * (sizeof(ct_formula_column) + sizeof(ct_formula_field)) +
           source->component_count * (sizeof(ct_manager *) + sizeof(double)) +
           ct_padded(source->operation_count * sizeof(ct_formula_operation)) + few_bytes(source);
}

// Divides the block.
static void lay_out(ct_formula *f, const ct_formula_source *source) {
    *f = (ct_formula){.constant_count = source->constant_count,
                      .parameter_count = source->parameter_count,
                      .register_count = source->register_count,
                      .field_count = source->field_count,
                      .component_count = source->component_count,
                      .loops = ct_lane_loops_best(),
                      .result = source->result,
                      .result_lanes = source->result_lanes};
    uint32_t inputs = source->constant_count + source->parameter_count;
    f->inputs = (double *)(void *)((unsigned char *)f + ct_padded(sizeof *f));
    f->columns = (ct_formula_column *)(void *)(f->inputs + inputs);
    f->fields = (ct_formula_field *)(void *)(f->columns + f->field_count);
    f->components = (ct_manager **)(void *)(f->fields + f->field_count);
    f->operations = (ct_formula_operation *)(void *)(f->components + f->component_count);
    f->component_parts = (uint32_t *)(void *)(f->operations + source->operation_count);
    f->few = (double **)(void *)((unsigned char *)f + ct_formula_bytes(source) - few_bytes(source));
    memset(f->inputs, 0, inputs * sizeof *f->inputs);
    for (uint32_t i = 0; i < source->constant_count; ++i)
        f->inputs[i] = source->constants[i];
    for (uint32_t i = 0; i < f->field_count; ++i) {
        f->fields[i] = (ct_formula_field){.manager = source->fields[i].manager,
                                          .number = source->fields[i].number};
        uint32_t part = part_of(source->matches, f->fields[i].manager);
        f->fields[i].part = part;
        f->apart = f->apart || part == CT_NO_PART;
        f->fields[i].optional =
            part != CT_NO_PART && source->matches->roles[part] == CT_QUERY_OPTIONAL;
    }
    for (uint32_t i = 0; i < f->component_count; ++i) {
        f->components[i] = source->components[i];
        f->component_parts[i] = part_of(source->matches, f->components[i]);
        f->apart = f->apart || f->component_parts[i] == CT_NO_PART;
    }
}

bool ct_formula_init(ct_formula *formula, const ct_formula_source *source, ct_message *message) {
    check c = {.formula = formula, .matches = source->matches, .message = message};
    uint32_t most = source->register_count;
    lay_out(formula, source);
    if (most > CT_FORMULA_REGISTERS || source->constant_count > most ||
        source->parameter_count > most - source->constant_count)
        return ct_message_set(message, "%u registers (limit is %u)", most, CT_FORMULA_REGISTERS);
    if (source->field_count > CT_FORMULA_FIELDS)
        return ct_message_set(message, "%u fields (limit is %u)", source->field_count,
                              CT_FORMULA_FIELDS);
    for (uint32_t i = 0; i < source->field_count; ++i)
        if (!ct_formula_can_read(source->fields[i].manager, source->fields[i].number, message))
            return false;
    for (uint32_t i = 0; i < source->constant_count + source->parameter_count; ++i) {
        c.defined[i] = 1;
        c.uniform[i] = true;
    }
    if (!check_all(&c, source)) return false;
    ct_formula_describe_fields(formula, source->matches);
    ct_formula_find_views(formula);
    most = ct_formula_registers(most, formula->depth);
    ct_formula_place(formula->few, most, CT_FORMULA_FEW,
                     (unsigned char *)(formula->few + most + formula->view_count));
    for (uint32_t i = 0; i < source->constant_count; ++i)
        ct_formula_fill(formula->few[i], CT_FORMULA_FEW, source->constants[i]);
    return true;
}
