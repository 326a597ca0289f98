// Formulas from programs, which are tables of numbers and names.
#include "bind/world/formula.h"

#include "base/message.h"

#include <string.h>

// A program:
//     constants   numbers
//     parameters  name, value, name, value ...
//     fields      component, field, component, field ...
//     components  names
//     operations  kind, to, a, b, c, d of each
//     registers   number of registers
//     result      first register and number of registers of an expression; or nil

enum { QUERY = 1, PROGRAM };

// Stack indices of the tables, and their lengths.
typedef struct program {
    int constants, parameters, fields, components, operations;
    uint32_t constant_count, parameter_count, field_count, component_count, operation_count;
    ct_bind_query *query;
} program;

// Pushes a table of the program and returns its index; *count is its number of groups of 'group'
// items.
static int push_list(lua_State *L, const char *name, uint32_t group, uint32_t most,
                     uint32_t *count) {
    lua_pushstring(L, name);
    lua_rawget(L, PROGRAM);
    if (!lua_istable(L, -1)) ct_bind_raise_arg(L, PROGRAM, "program without '%s'", name);
    size_t length = ct_bind_rawlen(L, -1);
    if (length % group != 0 || length / group > most)
        ct_bind_raise_arg(L, PROGRAM, "'%s' has %d items", name, (int)length);
    *count = (uint32_t)(length / group);
    return lua_gettop(L);
}

bool ct_bind_to_parameter(lua_State *L, int index, ct_bind_parameter *parameter, double *numbers) {
    ct_entity e = {CT_NOBODY};
    parameter->lanes = 1;
    parameter->type = CT_FORMULA_NUMBER;
    switch (lua_type(L, index)) {
    case LUA_TNUMBER: numbers[0] = lua_tonumber(L, index); return true;
    case LUA_TBOOLEAN:
        parameter->type = CT_FORMULA_BOOLEAN;
        numbers[0] = lua_toboolean(L, index);
        return true;
    case LUA_TTABLE:
        parameter->lanes = (uint32_t)ct_bind_rawlen(L, index);
        if (parameter->lanes < 2 || parameter->lanes > CT_LANES_MOST) return false;
        for (uint32_t i = 0; i < parameter->lanes; ++i) {
            lua_rawgeti(L, index, (int)i + 1);
            bool sound = lua_type(L, -1) == LUA_TNUMBER;
            numbers[i] = lua_tonumber(L, -1);
            lua_pop(L, 1);
            if (!sound) return false;
        }
        return true;
    default:
        parameter->type = CT_FORMULA_ENTITY;
        if (!lua_isnil(L, index) && !ct_bind_to_entity(L, index, &e)) return false;
        numbers[0] = e.id;
        return true;
    }
}

// Pushes the environment of the formula: names of parameters, and the query.
static void push_environment(lua_State *L, const program *p) {
    lua_createtable(L, 0, 2);
    ct_bind_copy_field(L, -1, "query", QUERY);
    lua_createtable(L, (int)p->parameter_count, (int)p->parameter_count);
    for (uint32_t i = 1; i <= p->parameter_count; ++i) {
        lua_rawgeti(L, p->parameters, 2 * (int)i - 1);
        if (lua_type(L, -1) != LUA_TSTRING)
            ct_bind_raise_arg(L, PROGRAM, "parameter %d has no name", (int)i);
        ct_bind_copy_item(L, -2, (int)i, -1);
        ct_bind_push_whole(L, i);
        lua_rawset(L, -3);
    }
    lua_setfield(L, -2, "names");
}

// Returns the manager that an item of a list names; raises if the world has none.
static ct_manager *manager_at(lua_State *L, const program *p, int table, uint32_t place) {
    lua_rawgeti(L, table, (int)place);
    const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    ct_manager *manager = ct_world_find(&p->query->world->core, name);
    if (manager == NULL) ct_bind_raise_arg(L, PROGRAM, "no component '%s'", name);
    lua_pop(L, 1);
    return manager;
}

// Keeps the blocks of the managers of fields and components, and so of the world, alive with the
// formula at index 'object'. Keeps the query, too, unless the query keeps the formula (see
// lua/cuttle/formula.lua, which keeps formulas with a result).
static void keep_blocks(lua_State *L, const program *p, bool with_query, int object) {
    lua_createtable(L, (int)(p->field_count + p->component_count) + 2, 0);
    int kept = lua_gettop(L);
    ct_bind_push_own_handle(L, QUERY, "world", &ct_bind_world_kind, p->query->world);
    for (uint32_t i = 0; i < p->field_count + p->component_count; ++i) {
        bool field = i < p->field_count;
        ct_bind_push_manager(L, kept + 1,
                             manager_at(L, p, field ? p->fields : p->components,
                                        field ? 2 * i + 1 : i - p->field_count + 1));
        ct_bind_push_block(L, -1);
        lua_rawseti(L, kept, (int)i + 1);
        lua_settop(L, kept + 1);
    }
    ct_bind_push_block(L, QUERY);
    lua_rawseti(L, kept, (int)(p->field_count + p->component_count) + 1);
    if (with_query) lua_pushvalue(L, QUERY);
    if (with_query) lua_rawseti(L, kept, (int)(p->field_count + p->component_count) + 2);
    lua_settop(L, kept);
    ct_bind_keep(L, object);
}

// ---------------------------------------------------------------- reading

static const double *read_constants(lua_State *L, const program *p, const ct_bind_parse *g) {
    double *constants = ct_bind_parse_take(g, (p->constant_count + 1) * sizeof *constants);
    for (uint32_t i = 0; i < p->constant_count; ++i) {
        lua_rawgeti(L, p->constants, (int)i + 1);
        constants[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    return constants;
}

static bool read_fields(lua_State *L, const program *p, ct_formula_field *fields,
                        ct_message *message) {
    for (uint32_t i = 0; i < p->field_count; ++i) {
        lua_rawgeti(L, p->fields, 2 * (int)i + 2);
        const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
        fields[i].number = ct_formula_find_field(fields[i].manager, name);
        if (!ct_formula_can_read(fields[i].manager, fields[i].number, message)) return false;
        lua_pop(L, 1);
    }
    return true;
}

// Reads the parameters. Returns the number of their registers, or CT_NO_ROW.
static uint32_t read_parameters(lua_State *L, const program *p, ct_bind_parameter *parameters,
                                double *numbers) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->parameter_count; ++i) {
        lua_rawgeti(L, p->parameters, 2 * (int)i + 2);
        if (!ct_bind_to_parameter(L, -1, &parameters[i], numbers + count)) return CT_NO_ROW;
        parameters[i].first = count;
        count += parameters[i].lanes;
        lua_pop(L, 1);
    }
    return count;
}

// Initializes the formula object from the program. Returns false with the reason in 'message'.
static bool fill(lua_State *L, const program *p, const ct_bind_parse *g, ct_formula_source *source,
                 ct_bind_formula *f, ct_message *message) {
    ct_formula_field *fields = ct_bind_parse_take(g, (p->field_count + 1) * sizeof *fields);
    ct_manager **components = ct_bind_parse_take(g, (p->component_count + 1) * sizeof *components);
    ct_formula_given *operations =
        ct_bind_parse_take(g, (p->operation_count + 1) * sizeof *operations);
    double numbers[CT_FORMULA_REGISTERS];
    for (uint32_t i = 0; i < p->field_count; ++i)
        fields[i].manager = manager_at(L, p, p->fields, 2 * i + 1);
    for (uint32_t i = 0; i < p->component_count; ++i)
        components[i] = manager_at(L, p, p->components, i + 1);
    source->constants = read_constants(L, p, g);
    ct_bind_formula_operations(L, p->operations, p->operation_count, operations);
    source->operations = operations;
    source->fields = fields;
    source->components = components;
    if (!read_fields(L, p, fields, message)) return false;
    source->parameter_count = read_parameters(L, p, f->parameters, numbers);
    if (source->parameter_count == CT_NO_ROW)
        return ct_message_set(message, "a parameter has a wrong type");
    f->core = ct_block_at(f->parameters + p->parameter_count);
    if (!ct_formula_init(f->core, source, message)) return false;
    if (source->parameter_count > 0)
        memcpy(f->core->inputs + p->constant_count, numbers,
               source->parameter_count * sizeof *numbers);
    f->parameter_count = p->parameter_count;
    return true;
}

static void push_program(lua_State *L, program *p) {
    luaL_checktype(L, PROGRAM, LUA_TTABLE);
    lua_settop(L, PROGRAM);
    p->constants = push_list(L, "constants", 1, CT_FORMULA_REGISTERS, &p->constant_count);
    p->parameters =
        push_list(L, "parameters", 2, CT_FORMULA_REGISTERS / CT_LANES_MOST, &p->parameter_count);
    p->fields = push_list(L, "fields", 2, CT_FORMULA_FIELDS, &p->field_count);
    p->components = push_list(L, "components", 1, CT_FORMULA_FIELDS, &p->component_count);
    p->operations = push_list(L, "operations", CT_BIND_OPERATION, 2 * CT_FORMULA_OPERATIONS,
                              &p->operation_count);
}

// Reads the numbers beside the lists.
static void read_numbers(lua_State *L, ct_formula_source *source) {
    double registers = 0;
    lua_pushliteral(L, "registers");
    lua_rawget(L, PROGRAM);
    bool sound = ct_bind_to_whole(L, -1, 0, CT_FORMULA_REGISTERS, &registers);
    source->register_count = (uint32_t)registers;
    lua_pushliteral(L, "result");
    lua_rawget(L, PROGRAM);
    if (lua_istable(L, -1)) {
        source->result = ct_bind_formula_number(L, lua_gettop(L), 1);
        source->result_lanes = ct_bind_formula_number(L, lua_gettop(L), 2);
    }
    if (!sound || source->result_lanes > CT_LANES_MOST)
        ct_bind_raise_arg(L, PROGRAM, "too many registers");
}

int ct_bind_formula_new(lua_State *L) {
    program p = {.query = ct_bind_query_self(L)};
    ct_message message;
    push_program(L, &p);
    ct_formula_source source = {.matches = &p.query->matches,
                                .constant_count = p.constant_count,
                                .parameter_count = p.parameter_count * CT_LANES_MOST,
                                .field_count = p.field_count,
                                .component_count = p.component_count,
                                .operation_count = p.operation_count};
    read_numbers(L, &source);
    ct_bind_formula *f;
    size_t bytes = sizeof *f + CT_BLOCK_ALIGNMENT + p.parameter_count * sizeof *f->parameters +
                   ct_formula_bytes(&source);
    f = ct_bind_object_new(L, &ct_bind_formula_kind, bytes);
    int object = lua_gettop(L);
    push_environment(L, &p);
    ct_bind_set_owned(L, object);
    keep_blocks(L, &p, source.result_lanes == 0, object);
    ct_bind_query_self(L); // a finalizer may have ended it
    const ct_bind_parse g = ct_bind_parse_begin(L, p.query->world->state);
    bool sound = fill(L, &p, &g, &source, f, &message);
    ct_bind_parse_end(&g);
    if (!sound) ct_bind_raise_arg(L, PROGRAM, "%s", message.text);
    f->query = p.query;
    f->bytes = (uint32_t)bytes;
    f->world = &p.query->world->core;
    f->world->formula_bytes += bytes;
    lua_settop(L, object);
    return 1;
}
