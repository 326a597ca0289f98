// Registers of a formula: converts operations on values into operations on registers.
#ifndef CT_FORMULA_REGISTERS_H
#define CT_FORMULA_REGISTERS_H

#include "world/formula.h"

/// Operations on values, from any origin: ct_formula_assign checks all numbers. A value is one
/// number of a match: a parameter, a constant, a lane that was loaded, or the result of an
/// operation. Values are counted from 1. The first ones are the parameters.
///
/// Operations are those of ct_formula_given with values instead of registers, but LOAD and LOAD_AT
/// load the values 'to' to 'to' + c - 1, MOVE copies one value, and STORE stores the values a, b, c
/// and d, of which the last ones may be 0. The STATEMENT before a STORE has its first lane in 'to'.
typedef struct ct_formula_values {
    const ct_formula_given *operations;
    uint32_t operation_count;
    uint32_t uniform_count; ///< the first operations: computed once in a run, so their results keep
                            ///< their registers
    uint32_t value_count;
    uint32_t parameter_count;
    const uint32_t *constants; ///< their values
    uint32_t constant_count;
    /// For each field the number of its storage times 16, and its lanes if a store of all lanes
    /// replaces earlier ones, else 0. A store to a field changes all fields of its storage.
    const uint32_t *storages;
    uint32_t field_count;
    const uint32_t *result; ///< values of an expression
    uint32_t result_lanes;
} ct_formula_values;

/// Operations on registers. The constants that are used have the first registers, in their order.
/// Then come the parameters.
typedef struct ct_formula_assigned {
    ct_formula_given *operations;
    uint32_t operation_count; ///< with STATEMENT
    uint32_t statement_count; ///< STATEMENT among them
    uint32_t register_count;
    uint32_t result;           ///< first register of the result
    bool *used;                ///< for each constant
    bool needs_more_registers; ///< set if it failed for this reason
} ct_formula_assigned;

/// Returns the bytes of the memory for an assignment.
size_t ct_formula_assign_bytes(const ct_formula_values *given);

/// Gives each value a register until its last use, the lanes of a vector that is loaded or stored
/// consecutive ones. Drops operations without a use, and stores that a later one replaces. The
/// result is in 'memory', aligned to 8. Returns false if a number is wrong, or more than
/// CT_FORMULA_REGISTERS are needed. Allocates nothing. O(operations + values).
bool ct_formula_assign(const ct_formula_values *given, void *memory, ct_formula_assigned *result);

#endif
