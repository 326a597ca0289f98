// Formula objects of scripts.
#ifndef BIND_FORMULA_H
#define BIND_FORMULA_H

#include "bind/world/query.h"
#include "world/formula_query.h"

typedef struct ct_bind_parameter {
    ct_formula_type type;
    uint32_t first; ///< number among the parameters' registers
    uint32_t lanes;
} ct_bind_parameter;

// Environment table of a Formula:
//     query      the Query object
//     names      an array of the parameters' names, and their numbers by name
typedef struct ct_bind_formula {
    ct_bind_header header;
    ct_bind_query *query; ///< kept by a formula of statements, else by the environment
    ct_world *world;      ///< of the query, in a block that the formula keeps
    ct_formula *core;     ///< follows the parameters
    uint32_t bytes;       ///< of this object, as counted in the world
    uint32_t parameter_count;
    ct_bind_parameter parameters[]; ///< in the order of 'names'
} ct_bind_formula;

extern const ct_bind_kind ct_bind_formula_kind;

/// core.formula.new(query, program) -> Formula (formula_program.c). lua/cuttle/formula.lua makes
/// programs, whose form is described in formula_program.c; every value is checked here.
int ct_bind_formula_new(lua_State *L);

/// core.formula.registers (formula_registers.c).
int ct_bind_formula_registers(lua_State *L);

/// Numbers of an operation in a list: kind, to, a, b, c, d.
enum { CT_BIND_OPERATION = 6 };

/// Returns an item of the list at index 'list', counted from 1, as a whole number; UINT32_MAX if it
/// is none.
uint32_t ct_bind_formula_number(lua_State *L, int list, uint32_t place);

/// Reads such a list.
void ct_bind_formula_operations(lua_State *L, int list, uint32_t count, ct_formula_given *to);

/// core.formula.token (formula_token.c).
int ct_bind_formula_token(lua_State *L);

/// Reads the value at 'index' for a parameter into 'numbers'. Returns false if it has another type.
bool ct_bind_to_parameter(lua_State *L, int index, ct_bind_parameter *parameter, double *numbers);

/// Returns the formula at 'index' if it and its query can be used; raises otherwise.
ct_bind_formula *ct_bind_check_formula(lua_State *L, int index);

/// Returns the formula at 'index', which has a result of at most 'lanes' lanes; raises otherwise,
/// or if its query cannot be used.
ct_bind_formula *ct_bind_check_expression(lua_State *L, int index, uint32_t lanes);

/// Returns a manager of a field or component that has ended, or NULL.
const ct_bind_manager *ct_bind_formula_ended(const ct_formula *formula);

/// Raises if the manager of a field or component has ended.
void ct_bind_formula_check(lua_State *L, const ct_formula *formula);

/// Functions of core.formula.
extern const luaL_Reg ct_bind_formula_results[];      // formula_results.c
extern const luaL_Reg ct_bind_formula_descriptions[]; // formula_fields.c

/// Adds sin, cos, atan2, exp and log to the module table on top (formula_fields.c).
void ct_bind_open_functions(lua_State *L);

/// Adds 'formula' and the functions of numbers to the module table on top.
void ct_bind_open_formulas(lua_State *L);

#endif
