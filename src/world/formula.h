// Formulas: lists of operations over the fields of all matches of a query, run in blocks.
// Longer than 150 lines: it is the reference of the operations.
#ifndef CT_FORMULA_H
#define CT_FORMULA_H

#include "base/arena.h"
#include "base/lanes.h"
#include "component/transform.h"
#include "storage/query.h"

// A formula computes with registers. A register holds one double for each match of the block that
// is computed; a vector takes one register for each lane. Booleans are 1 and 0, entities their ids,
// enums the numbers of their labels. The first registers are the constants, then come the
// parameters, which a run does not change.
//
// Each operation is one double operation, rounded once (base/lanes.h). The mode of floating-point
// calculations is set for a run, so the bits are equal on every host. Matches do not see each
// other's results, but if matches share a row (the first manager is 'multiple', or a list names an
// entity twice), they run one after another.

/// Number of matches in a block: the registers of a usual formula fit in the first cache.
#if defined(CT_TEST) && CT_TEST
#define CT_FORMULA_BLOCK 8u
#define CT_FORMULA_FEW 4u
#else
#define CT_FORMULA_BLOCK 192u
#define CT_FORMULA_FEW 16u ///< runs for so few matches use registers in the formula's block
#endif

#define CT_FORMULA_REGISTERS 1024u
#define CT_FORMULA_OPERATIONS 4096u ///< without STATEMENT
#define CT_FORMULA_FIELDS 256u
#define CT_FORMULA_DEPTH 32u ///< of branches

/// Kinds of operations. Those before CT_LANE_COUNT are ct_lane_operation: to, a, b, c are
/// registers.
typedef enum ct_formula_kind {
    CT_FORMULA_STATEMENT = CT_LANE_COUNT, ///< a: number, b: line of what follows, for errors
    CT_FORMULA_LOAD,    ///< to: first register, a: field, b: first lane, c: number of lanes
    CT_FORMULA_STORE,   ///< to: field, a: first register, b: first lane, c: number of lanes
    CT_FORMULA_FIND,    ///< to = row of the entity in register b in component a, or -1
    CT_FORMULA_LOAD_AT, ///< as LOAD, in the rows of register d; the default for -1
    CT_FORMULA_HAS,     ///< to = whether the match has component a, an optional one of the query
    CT_FORMULA_SELF,    ///< to = the entity
    CT_FORMULA_ALIVE,   ///< to = whether the entity in register a is alive
    CT_FORMULA_RANDOM,  ///< to = ct_formula_random(entity, a, register b)
    CT_FORMULA_IF,      ///< begins a branch of the matches for which register a is not 0
    CT_FORMULA_ELSE,    ///< continues with the matches that no branch has taken
    CT_FORMULA_ELSE_IF, ///< after ELSE: a branch of these matches for which a is not 0
    CT_FORMULA_END,     ///< ends the branches of an IF
    CT_FORMULA_MOVE,    ///< to = a, for the matches of the branch; c: number of registers
    CT_FORMULA_KINDS
} ct_formula_kind;

/// Returns the name of a kind in scripts.
const char *ct_formula_kind_name(uint32_t kind);

static inline bool ct_formula_is_load(uint32_t kind) {
    return kind == CT_FORMULA_LOAD || kind == CT_FORMULA_LOAD_AT;
}

static inline bool ct_formula_is_branch(uint32_t kind) {
    return kind >= CT_FORMULA_IF && kind <= CT_FORMULA_END;
}

/// Returns the number of registers that an operation writes, from 'to' on. 'c' is its member.
static inline uint32_t ct_formula_written(uint32_t kind, uint32_t c) {
    if (ct_formula_is_load(kind) || kind == CT_FORMULA_MOVE) return c;
    return kind != CT_FORMULA_STATEMENT && kind != CT_FORMULA_STORE && !ct_formula_is_branch(kind);
}

/// Operation as it is given. Unused members are ignored.
typedef struct ct_formula_given {
    uint32_t kind, to, a, b, c, d;
} ct_formula_given;

/// Operation that was checked. 'd' of a LOAD: its view, or 0.
typedef struct ct_formula_operation {
    uint32_t kind, to, a, b, c, d;
    uint32_t next; ///< IF, ELSE, ELSE_IF: the operation to continue with if no match takes it
    uint32_t statement, line;
} ct_formula_operation;

/// Field of a formula. From manager->field_count on, 'number' is a ct_transform_part.
typedef struct ct_formula_field {
    ct_manager *manager;
    uint32_t number;
    // set by ct_formula_init:
    uint32_t part; ///< number of the manager in the query; CT_NO_PART: only for LOAD_AT
    bool loaded, stored;
    bool elsewhere, optional; ///< read by LOAD_AT; of an optional manager: rows may be absent
} ct_formula_field;

#define CT_NO_PART CT_MAX_JOINED

typedef enum ct_formula_type {
    CT_FORMULA_NUMBER,
    CT_FORMULA_BOOLEAN,
    CT_FORMULA_ENTITY
} ct_formula_type;

/// Source of a formula, from any origin: ct_formula_init checks everything.
typedef struct ct_formula_source {
    const ct_query *matches; ///< of the query; only its managers and roles are read
    const double *constants;
    uint32_t constant_count;
    uint32_t parameter_count; ///< registers of parameters
    uint32_t register_count;  ///< with constants and parameters
    const ct_formula_given *operations;
    uint32_t operation_count;
    const ct_formula_field *fields; ///< manager and number are given
    uint32_t field_count;
    ct_manager *const *components; ///< of FIND and HAS
    uint32_t component_count;
    uint32_t result, result_lanes; ///< of an expression: its registers; 0 lanes: none
} ct_formula_source;

/// Members may be read. The arrays follow the struct in its block.
typedef struct ct_formula {
    double *inputs; ///< constants, then parameters; the latter may be written between runs
    ct_formula_field *fields;
    struct ct_formula_column *columns; ///< one for each field; a run sets the addresses of items
    ct_manager **components;
    uint32_t *component_parts; ///< number in the query, or CT_NO_PART
    ct_formula_operation *operations;
    double **few; ///< registers for CT_FORMULA_FEW matches, which hold the constants
    const ct_lane_loops *loops;
    uint32_t constant_count, parameter_count, register_count, field_count, component_count;
    uint32_t uniform_count; ///< the first operations: equal for all matches, computed once in a run
    uint32_t operation_count;
    uint32_t depth; ///< most branches that are open at once
    uint32_t view_count;
    uint32_t result, result_lanes;
    bool may_fail; ///< stores to a field of whole numbers
    bool stores;
    bool shared; ///< matches of the query may share rows that are stored
    bool direct; ///< fields are columns for which a run prepares and completes nothing
    bool absent; ///< values for absent components are needed
    bool told;   ///< stores call the 'write' of a manager's type
    bool apart;  ///< a field or component is not of the query
} ct_formula;

/// Returns the bytes of a formula's block.
size_t ct_formula_bytes(const ct_formula_source *source);

/// Checks a source and makes a formula of it in a block of that size, aligned to 8. Returns false
/// with the reason in 'message': "operation 3: register 20 does not exist". Allocates nothing.
/// O(operations + registers x branches).
bool ct_formula_init(ct_formula *formula, const ct_formula_source *source, ct_message *message);

/// Returns whether a field can be read, or also written, by formulas. False with the reason in
/// 'message'.
bool ct_formula_can_read(const ct_manager *manager, uint32_t field, ct_message *message);
bool ct_formula_can_write(const ct_manager *manager, uint32_t field, ct_message *message);

/// Returns whether a load after a store returns the stored number, rounded to the field's type.
/// False for whole numbers, parts of a pose, and fields whose manager may change what is stored.
bool ct_formula_is_plain(const ct_manager *manager, uint32_t field);

/// Returns the number of a field, or of one of the parts world_position, world_angle and
/// local_angle of a transform; CT_NO_ROW if there is none with this name.
uint32_t ct_formula_find_field(const ct_manager *manager, const char *name);

/// Returns the name of a field or part.
const char *ct_formula_field_name(const ct_manager *manager, uint32_t field);

/// Returns the type of a field or part.
ct_field_type ct_formula_field_type(const ct_manager *manager, uint32_t field);

/// A store that failed.
typedef struct ct_formula_fault {
    ct_entity entity;
    const ct_formula_field *field;
    double value;
    uint32_t statement, line;
} ct_formula_fault;

/// Runs the statements of a formula for all matches, which must be valid and belong to managers of
/// its query. 'repeats': matches may share rows of the first manager. Returns CT_OK; CT_ERR_MEMORY;
/// or CT_ERR_DATA with *fault, the first store in the order of matches and statements whose field
/// cannot hold the value. Changes nothing unless it returns CT_OK. Moves no rows. 'arena' is
/// temporary memory: registers, and the former items of written fields if a store may fail.
ct_status ct_formula_run(const ct_formula *formula, ct_query *matches, bool repeats,
                         ct_scratch *arena, ct_formula_fault *fault);

/// Receives the results for 'count' matches from number 'first' on. Lane k of match first + i is
/// result[k * pitch + i].
typedef void (*ct_formula_sink)(void *user, uint32_t first, uint32_t count, const double *result,
                                size_t pitch);

/// Computes the result of a formula without stores for all matches, in order, and passes it to
/// 'sink'. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_formula_evaluate(const ct_formula *formula, ct_query *matches, ct_scratch *arena,
                              ct_formula_sink sink, void *user);

/// Returns a number from 0 to below 1 for an entity, a place in a text and a seed: a hash, equal on
/// every host.
double ct_formula_random(ct_entity entity, uint32_t place, double seed);

#endif
