// Registers of formulas for lua/cuttle/formula/compile.lua.
#include "world/formula_registers.h"
#include "bind/world/formula.h"

enum { UNIFORM = 1, CODE, VALUES, CONSTANTS, PARAMETERS, STORAGES, RESULT };

// Returns the number of groups of 'group' items of the list at 'index', at most 'most'.
static uint32_t count_of(lua_State *L, int index, uint32_t group, uint32_t most) {
    luaL_checktype(L, index, LUA_TTABLE);
    size_t length = ct_bind_rawlen(L, index);
    if (length % group != 0 || length / group > most)
        ct_bind_raise_arg(L, index, "%d items", (int)length);
    return (uint32_t)(length / group);
}

uint32_t ct_bind_formula_number(lua_State *L, int list, uint32_t place) {
    double number;
    lua_rawgeti(L, list, (int)place);
    bool sound = ct_bind_to_whole(L, -1, 0, 4294967295.0, &number);
    lua_pop(L, 1);
    return sound ? (uint32_t)number : UINT32_MAX;
}

void ct_bind_formula_operations(lua_State *L, int list, uint32_t count, ct_formula_given *to) {
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t numbers[CT_BIND_OPERATION];
        for (uint32_t k = 0; k < CT_BIND_OPERATION; ++k)
            numbers[k] = ct_bind_formula_number(L, list, i * CT_BIND_OPERATION + k + 1);
        to[i] = (ct_formula_given){numbers[0], numbers[1], numbers[2],
                                   numbers[3], numbers[4], numbers[5]};
    }
}

static void push_operations(lua_State *L, const ct_formula_assigned *result) {
    lua_createtable(L, (int)result->operation_count * CT_BIND_OPERATION, 0);
    for (uint32_t i = 0; i < result->operation_count; ++i) {
        const ct_formula_given *o = &result->operations[i];
        const uint32_t numbers[CT_BIND_OPERATION] = {o->kind, o->to, o->a, o->b, o->c, o->d};
        for (uint32_t k = 0; k < CT_BIND_OPERATION; ++k)
            ct_bind_store_whole(L, -1, (int)(i * CT_BIND_OPERATION + k) + 1, numbers[k]);
    }
}

// Pushes the constants that are used.
static void push_constants(lua_State *L, const ct_formula_values *given, const bool *used) {
    lua_createtable(L, (int)given->constant_count, 0);
    for (uint32_t i = 0, count = 0; i < given->constant_count; ++i) {
        if (!used[i]) continue;
        lua_rawgeti(L, CONSTANTS, 2 * (int)i + 2);
        lua_rawseti(L, -2, (int)++count);
    }
}

static int push_result(lua_State *L, const ct_formula_values *given) {
    ct_formula_assigned result;
    void *memory = lua_newuserdata(L, ct_formula_assign_bytes(given));
    if (!ct_formula_assign(given, memory, &result)) {
        if (!result.needs_more_registers) luaL_error(L, "wrong operation on values");
        return 0;
    }
    push_operations(L, &result);
    push_constants(L, given, result.used);
    ct_bind_push_whole(L, result.register_count);
    ct_bind_push_whole(L, result.operation_count - result.statement_count);
    ct_bind_push_whole(L, result.result);
    return 5;
}

// core.formula.registers(uniform, code, values, constants, parameters, storages, result)
//     -> operations, constants, registers, number of operations, first register of the result
// The arguments are the lists of ct_formula_values, a constant as its value and its number; the
// results those of core.formula.new. Returns nothing if there are too few registers.
int ct_bind_formula_registers(lua_State *L) {
    enum { MOST = 2 * CT_FORMULA_OPERATIONS };
    lua_settop(L, RESULT);
    uint32_t uniform = count_of(L, UNIFORM, CT_BIND_OPERATION, MOST);
    ct_formula_values given = {
        .operation_count = uniform + count_of(L, CODE, CT_BIND_OPERATION, MOST),
        .uniform_count = uniform,
        .value_count = (uint32_t)ct_bind_check_whole(L, VALUES, 0, 65535),
        .parameter_count = (uint32_t)ct_bind_check_whole(L, PARAMETERS, 0, 65535),
        .constant_count = count_of(L, CONSTANTS, 2, 65535),
        .field_count = count_of(L, STORAGES, 1, CT_FORMULA_FIELDS),
        .result_lanes = lua_isnil(L, RESULT) ? 0 : count_of(L, RESULT, 1, CT_LANES_MOST)};
    size_t numbers = given.constant_count + given.field_count + CT_LANES_MOST;
    ct_formula_given *operations =
        lua_newuserdata(L, given.operation_count * sizeof *operations + numbers * sizeof(uint32_t));
    uint32_t *constants = (uint32_t *)(void *)(operations + given.operation_count);
    uint32_t *storages = constants + given.constant_count, *result = storages + given.field_count;
    ct_bind_formula_operations(L, UNIFORM, uniform, operations);
    ct_bind_formula_operations(L, CODE, given.operation_count - uniform, operations + uniform);
    for (uint32_t i = 0; i < given.constant_count; ++i)
        constants[i] = ct_bind_formula_number(L, CONSTANTS, 2 * i + 1);
    for (uint32_t i = 0; i < given.field_count; ++i)
        storages[i] = ct_bind_formula_number(L, STORAGES, i + 1);
    for (uint32_t i = 0; i < given.result_lanes; ++i)
        result[i] = ct_bind_formula_number(L, RESULT, i + 1);
    given.operations = operations;
    given.constants = constants;
    given.storages = storages;
    given.result = result;
    return push_result(L, &given);
}
