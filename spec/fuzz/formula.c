// Fuzz target: any operations as formulas over queries of every kind, run and evaluated with
// limited memory, as they are and after they got registers. An input: a byte of options, then
// fields, then operations of seven bytes.
#include "scene.h"

#include "component/transform.h"
#include "world/formula_query.h"
#include "world/formula_registers.h"

enum { ENTITIES = 11, OPERATIONS = 64, CONSTANTS = 3, PARAMETERS = 2, REGISTERS = 24, FIELDS = 6 };

typedef struct program {
    double constants[CONSTANTS];
    ct_formula_given operations[OPERATIONS];
    ct_formula_field fields[FIELDS];
    ct_manager *components[2];
    ct_formula_source source;
} program;

static ct_manager *any_manager(const scene *s, feed *in) {
    return s->world.managers[feed_byte(in) % s->world.manager_count];
}

// Reads a formula. Most operands are small, so that many formulas are accepted.
static void read_program(const scene *s, feed *in, program *p) {
    for (int i = 0; i < CONSTANTS; ++i)
        p->constants[i] = feed_float(in);
    for (int i = 0; i < FIELDS; ++i) {
        ct_manager *manager = any_manager(s, in);
        uint32_t number = feed_byte(in) % (manager->field_count + CT_TRANSFORM_PART_NUMBERS + 1);
        p->fields[i] = (ct_formula_field){.manager = manager, .number = number};
        if (!ct_formula_can_read(manager, number, NULL))
            p->fields[i] = (ct_formula_field){.manager = scene_manager(s, CT_TRANSFORM)};
    }
    for (int i = 0; i < 2; ++i)
        p->components[i] = any_manager(s, in);
    uint32_t count = 0;
    for (; count < OPERATIONS && feed_left(in) > 0; ++count) {
        uint32_t numbers[6];
        for (int i = 0; i < 6; ++i)
            numbers[i] = feed_byte(in);
        if (numbers[5] == 255) numbers[feed_byte(in) % 6] *= 0x01010101u;
        p->operations[count] = (ct_formula_given){numbers[0] % (CT_FORMULA_KINDS + 1),
                                                  numbers[1],
                                                  numbers[2],
                                                  numbers[3],
                                                  numbers[4],
                                                  numbers[5]};
    }
    p->source = (ct_formula_source){.constants = p->constants,
                                    .constant_count = CONSTANTS,
                                    .parameter_count = PARAMETERS,
                                    .register_count = REGISTERS,
                                    .operations = p->operations,
                                    .operation_count = count,
                                    .fields = p->fields,
                                    .field_count = FIELDS,
                                    .components = p->components,
                                    .component_count = 2};
}

// A formula that fails has changed nothing.
static void run(scene *s, const ct_formula *formula, ct_query *matches, bool repeats,
                ct_scratch *arena) {
    ct_formula_fault fault;
    uint64_t before = scene_hash(s);
    ct_status status = ct_formula_run(formula, matches, repeats, arena, &fault);
    REQUIRE(status == CT_OK || status == CT_ERR_MEMORY || status == CT_ERR_DATA);
    REQUIRE(status != CT_ERR_DATA || fault.field->stored);
    if (status != CT_OK) REQUIRE(scene_hash(s) == before);
}

static void evaluate(const ct_formula *formula, ct_query *matches, ct_query *to,
                     ct_scratch *arena) {
    double numbers[CT_LANES_MOST];
    ct_entity e, sorted[2 * ENTITIES * ENTITIES];
    uint32_t count = 0;
    (void)ct_formula_sum(formula, matches, arena, numbers);
    (void)ct_formula_extreme(formula, matches, arena, true, numbers);
    (void)ct_formula_best(formula, matches, arena, false, &e, numbers);
    if (ct_formula_sort(formula, matches, arena, sorted, &count) == CT_OK)
        REQUIRE(count <= matches->count);
    if (ct_formula_select(formula, matches, to, arena) == CT_OK)
        REQUIRE(to->count <= matches->count);
    (void)ct_formula_select(formula, to, to, arena);
}

// Takes the operations as operations on values, of which a part is uniform, and gives them
// registers. Returns memory of the operations that replace those of the program, or NULL.
static void *assign(program *p, uint8_t options) {
    enum { VALUES = 64, STORAGE = 16 };
    uint32_t constants[CONSTANTS], storages[FIELDS], result[] = {1 + options % VALUES, 2};
    const uint32_t count = p->source.operation_count;
    for (uint32_t i = 0; i < CONSTANTS; ++i)
        constants[i] = PARAMETERS + 1 + i;
    for (uint32_t i = 0; i < FIELDS; ++i)
        storages[i] = i / 2 * STORAGE + i % 2;
    const ct_formula_values given = {.operations = p->operations,
                                     .operation_count = count,
                                     .uniform_count = count / (2u + options % 4),
                                     .value_count = VALUES,
                                     .parameter_count = PARAMETERS,
                                     .constants = constants,
                                     .constant_count = CONSTANTS,
                                     .storages = storages,
                                     .field_count = FIELDS,
                                     .result = result,
                                     .result_lanes = p->source.result_lanes};
    ct_formula_assigned assigned;
    void *memory = malloc(ct_formula_assign_bytes(&given));
    REQUIRE(memory != NULL);
    if (!ct_formula_assign(&given, memory, &assigned)) {
        free(memory);
        return NULL;
    }
    REQUIRE(assigned.register_count <= CT_FORMULA_REGISTERS);
    uint32_t used = 0;
    for (uint32_t i = 0; i < CONSTANTS; ++i)
        if (assigned.used[i]) p->constants[used++] = p->constants[i];
    p->source.constant_count = used;
    p->source.register_count = assigned.register_count;
    p->source.operations = assigned.operations;
    p->source.operation_count = assigned.operation_count;
    p->source.result = assigned.result;
    return memory;
}

// Runs the program, if it is accepted, over two queries of the same managers.
static void try_program(scene *s, feed *in, const ct_entity *entities, const program *p,
                        ct_query *query, ct_query *other, bool limited) {
    ct_scratch arena;
    ct_message message;
    ct_scratch_init(&arena, &s->allocator);
    ct_formula *formula = malloc(ct_formula_bytes(&p->source));
    REQUIRE(formula != NULL);
    if (ct_formula_init(formula, &p->source, &message) && ct_query_refresh(query) == CT_OK) {
        formula->inputs[p->source.constant_count] = feed_float(in);
        if (limited) scene_limit(s, feed_byte(in));
        run(s, formula, query, false, &arena);
        if (ct_formula_pick(query, ENTITIES, entities, other) == CT_OK)
            run(s, formula, other, true, &arena);
        if (formula->result_lanes > 0 && !formula->stores) evaluate(formula, query, other, &arena);
        scene_limit(s, 255);
    }
    free(formula);
    ct_scratch_free(&arena);
}

static void play(scene *s, feed *in, const ct_entity *entities) {
    static program p;
    uint8_t options = feed_byte(in);
    ct_manager *managers[] = {scene_manager(s, options % 2 == 0 ? "health" : "item"),
                              scene_manager(s, CT_TRANSFORM), scene_manager(s, "bag")};
    const ct_query_role roles[] = {CT_QUERY_REQUIRED, CT_QUERY_REQUIRED, CT_QUERY_OPTIONAL};
    uint32_t count = 1 + options / 2 % 3;
    ct_query query, other;
    ct_query_init(&query, &s->allocator, &s->world.queries, count, managers, roles);
    ct_query_init(&other, &s->allocator, &s->world.queries, count, managers, roles);
    read_program(s, in, &p);
    p.source.matches = &query;
    p.source.result_lanes = options / 8 % 3;
    p.source.result = REGISTERS - 1 - options / 32;
    try_program(s, in, entities, &p, &query, &other, (options & 64) != 0);
    void *memory = assign(&p, options);
    if (memory != NULL) try_program(s, in, entities, &p, &query, &other, (options & 64) != 0);
    free(memory);
    p.source.matches = NULL;
    ct_query_free(&query);
    ct_query_free(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    feed in = {bytes, bytes + count};
    ct_entity entities[ENTITIES] = {{CT_NOBODY}};
    scene s;
    scene_open(&s);
    for (int i = 0; i < ENTITIES - 1; ++i)
        entities[i] = scene_create(&s, (float)i, i > 2 ? entities[i - 2] : (ct_entity){CT_NOBODY});
    entities[ENTITIES - 1] = entities[0]; // twice
    play(&s, &in, entities);
    scene_validate(&s);
    scene_close(&s);
    return 0;
}
