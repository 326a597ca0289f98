// Formula objects: calls, parameters, and results over the matches of a query.
#include "bind/world/formula.h"

#include "bind/value/compiled.h"
#include "bind/value/list.h"
#include "bind/value/mailbox.h"

#include <string.h>

// ---------------------------------------------------------------- calls

// Raises that a store failed.
static int raise_fault(lua_State *L, const ct_formula_fault *fault) {
    CT_ASSERT(fault->field != NULL);
    const ct_manager *manager = fault->field->manager;
    ct_field_type type = ct_formula_field_type(manager, fault->field->number);
    luaL_where(L, 1);
    lua_pushfstring(L, "line %d, statement %d: %s.%s of ", (int)fault->line, (int)fault->statement,
                    manager->name, ct_formula_field_name(manager, fault->field->number));
    ct_bind_push_entity_name(L, fault->entity);
    if (type == CT_FIELD_ENUM) {
        ct_bind_refuse(L, " has no label %f", fault->value);
    } else {
        double low, high;
        ct_scalar_range(ct_field_info_of(type)->lane, &low, &high);
        ct_bind_refuse(L, " cannot hold %f (whole numbers from %f to %f; use floor and clamp)",
                       fault->value, low, high);
    }
    lua_concat(L, 4);
    return lua_error(L);
}

// Finds the matches of a list of entities, in memory of 'to', which the caller frees.
static ct_status pick(const ct_bind_query *q, uint32_t count, const ct_entity *entities,
                      ct_scratch *arena, ct_query **list, ct_query *to) {
    ct_query_init(to, q->matches.allocator, list, q->matches.part_count, q->matches.managers,
                  q->matches.roles);
    ct_status status = ct_formula_pick(&q->matches, count, entities, to);
    for (uint32_t i = 0; i < q->condition_count && status == CT_OK; ++i)
        status = ct_formula_select(q->conditions[i]->core, to, to, arena);
    return status;
}

// Runs a formula for all matches of its query, without the Lua API. Returns their number, or -1 if
// 'call' must do it, because it raises, or calls functions of plugins. Reads no mailbox.
static int32_t run(const ct_bind_mailbox *mailbox, ct_bind_formula *f) {
    (void)mailbox;
    ct_bind_query *q = f->query;
    if (q == NULL || f->core->result_lanes > 0 || f->core->told) return -1;
    if (f->core->apart && ct_bind_formula_ended(f->core) != NULL) return -1;
    if (!ct_bind_query_try(q)) return -1;
    ct_formula_fault fault;
    ct_bind_state *state = q->world->state;
    ct_arena_reset(state->arena);
    ct_status status = ct_formula_run(f->core, &q->matches, false, &state->arena->pieces, &fault);
    ct_arena_reset(state->arena);
    return status == CT_OK ? (int32_t)q->matches.count : -1;
}

// Runs a formula for all matches, or for those of a list, and raises.
static int call_checked(lua_State *L) {
    ct_bind_formula *f = ct_bind_check_formula(L, 1);
    ct_formula_fault fault = {.field = NULL};
    ct_query listed, *list = NULL;
    ct_status status;
    uint32_t count, found;
    if (f->core->result_lanes > 0) luaL_error(L, "a formula with a result cannot be called");
    if (lua_isnoneornil(L, 2)) {
        ct_query *matches = ct_bind_query_refresh(L, f->query);
        const ct_bind_parse g = ct_bind_parse_begin(L, f->query->world->state);
        found = matches->count;
        status = ct_formula_run(f->core, matches, false, &g.arena->pieces, &fault);
        ct_bind_parse_end(&g);
    } else {
        lua_settop(L, 2);
        lua_insert(L, 1); // errors of the list name argument 1
        const ct_entity *entities = ct_bind_pin_entity_array(L, 1, &count);
        f = ct_bind_check_formula(L, 2);
        const ct_bind_parse g = ct_bind_parse_begin(L, f->query->world->state);
        status = pick(f->query, count, entities, &g.arena->pieces, &list, &listed);
        found = listed.count;
        if (status == CT_OK)
            status = ct_formula_run(f->core, &listed, true, &g.arena->pieces, &fault);
        ct_query_free(&listed);
        ct_bind_parse_end(&g);
    }
    if (status == CT_ERR_DATA) return raise_fault(L, &fault);
    ct_bind_check_status(L, status, "formula");
    return ct_bind_return_whole(L, found);
}

// formula([list]) -> number of matches
static int call(lua_State *L) {
    ct_bind_formula *f = ct_bind_check(L, 1, &ct_bind_formula_kind);
    int32_t matched = lua_isnoneornil(L, 2) ? run(NULL, f) : -1;
    return matched >= 0 ? ct_bind_return_whole(L, (uint32_t)matched) : call_checked(L);
}

// ---------------------------------------------------------------- parameters

// Returns the number of the parameter with the name at 'key', or 0.
static uint32_t find_parameter(lua_State *L, int object, int key) {
    const ct_bind_formula *f = ct_bind_check(L, object, &ct_bind_formula_kind);
    double number = 0;
    ct_bind_push_own(L, object, "names");
    if (!lua_istable(L, -1)) ct_bind_raise_replaced(L);
    lua_pushvalue(L, key);
    if (lua_type(L, key) == LUA_TSTRING) {
        lua_rawget(L, -2);
        ct_bind_to_whole(L, -1, 1, f->parameter_count, &number);
    }
    lua_pop(L, 2);
    return f->core != NULL ? (uint32_t)number : 0;
}

static int push_parameter(lua_State *L, const ct_bind_formula *f, uint32_t number) {
    const ct_bind_parameter *parameter = &f->parameters[number - 1];
    const double *values = f->core->inputs + f->core->constant_count + parameter->first;
    if (parameter->type == CT_FORMULA_BOOLEAN) return ct_bind_return_bool(L, values[0] != 0);
    if (parameter->type == CT_FORMULA_ENTITY)
        return ct_bind_return_entity(L, (ct_entity){(uint32_t)values[0]});
    if (parameter->lanes > 1) lua_createtable(L, (int)parameter->lanes, 0);
    for (uint32_t i = 0; i < parameter->lanes; ++i) {
        lua_pushnumber(L, values[i]);
        if (parameter->lanes > 1) lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

// Raises that a formula has no such parameter.
static int raise_unknown(lua_State *L, int object, int key) {
    const ct_bind_formula *f = ct_bind_check(L, object, &ct_bind_formula_kind);
    if (lua_type(L, key) != LUA_TSTRING)
        return luaL_error(L, "name of a parameter expected, got %s", ct_bind_type_name(L, key));
    ct_bind_push_own(L, object, "names");
    ct_nearest nearest = ct_nearest_begin(lua_tostring(L, key));
    for (uint32_t i = 1; i <= f->parameter_count; ++i, lua_pop(L, 1)) {
        lua_rawgeti(L, -1, (int)i); // the table keeps the name
        if (lua_type(L, -1) == LUA_TSTRING) ct_nearest_offer(&nearest, lua_tostring(L, -1));
    }
    ct_bind_push_unknown(L, "parameter", lua_tostring(L, key), &nearest);
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
    return lua_error(L);
}

static void set_parameter(lua_State *L, ct_bind_formula *f, uint32_t number, int key, int value) {
    static const char *const types[] = {"number", "boolean", "entity"};
    const ct_bind_parameter *parameter = &f->parameters[number - 1];
    ct_bind_parameter given;
    double numbers[CT_LANES_MOST];
    bool sound = ct_bind_to_parameter(L, value, &given, numbers) && given.type == parameter->type &&
                 given.lanes == parameter->lanes;
    if (!sound && parameter->lanes > 1)
        luaL_error(L, "parameter '%s': table of %d numbers expected, got %s", lua_tostring(L, key),
                   (int)parameter->lanes,
                   lua_istable(L, value) ? "a table of other items" : ct_bind_type_name(L, value));
    if (!sound)
        luaL_error(L, "parameter '%s': %s expected, got %s", lua_tostring(L, key),
                   types[parameter->type], ct_bind_type_name(L, value));
    memcpy(f->core->inputs + f->core->constant_count + parameter->first, numbers,
           parameter->lanes * sizeof *numbers);
}

// formula.name
static int index(lua_State *L) {
    uint32_t number = find_parameter(L, 1, 2);
    if (number > 0) return push_parameter(L, lua_touserdata(L, 1), number);
    ct_bind_push_raw(L, lua_upvalueindex(1), 2);
    return lua_isnil(L, -1) ? raise_unknown(L, 1, 2) : 1;
}

// formula.name = value
static int newindex(lua_State *L) {
    uint32_t number = find_parameter(L, 1, 2);
    lua_settop(L, 3);
    if (number == 0) return raise_unknown(L, 1, 2);
    set_parameter(L, lua_touserdata(L, 1), number, 2, 3);
    return 0;
}

// core.formula.set(Query with conditions, name, value): of the last condition that has the name
static int set(lua_State *L) {
    const ct_bind_query *q = ct_bind_query_self(L);
    lua_settop(L, 3);
    if (q->condition_count == 0) luaL_error(L, "the query has no condition (see where)");
    ct_bind_push_block(L, 1);
    for (uint32_t i = q->condition_count; i > 0; --i) {
        lua_rawgeti(L, 4, (int)i);
        uint32_t number = find_parameter(L, 5, 2);
        if (number > 0) {
            set_parameter(L, q->conditions[i - 1], number, 2, 3);
            return 0;
        }
        if (i == 1) return raise_unknown(L, 5, 2);
        lua_settop(L, 4);
    }
    return 0;
}

// ---------------------------------------------------------------- queries with conditions

// Pushes a query with the managers of the query at index 1.
static ct_bind_query *push_same_query(lua_State *L, const ct_bind_query *q) {
    static const char *const marks[] = {
        [CT_QUERY_REQUIRED] = "", [CT_QUERY_EXCLUDED] = "!", [CT_QUERY_OPTIONAL] = "?"};
    lua_pushcfunction(L, ct_bind_new_query);
    ct_bind_push_own_handle(L, 1, "world", &ct_bind_world_kind, q->world);
    for (uint32_t i = 0; i < q->matches.part_count; ++i)
        lua_pushfstring(L, "%s%s", marks[q->matches.roles[i]], q->managers[i]->core->name);
    lua_call(L, (int)q->matches.part_count + 1, 1);
    return ct_bind_check(L, -1, &ct_bind_query_kind);
}

// core.formula.where(query, Formula) -> Query
static int where(lua_State *L) {
    ct_bind_query *q = ct_bind_query_self(L);
    ct_bind_formula *f = ct_bind_check_expression(L, 2, 1);
    lua_settop(L, 2);
    if (f->query != q) ct_bind_raise_arg(L, 2, "formula of another query");
    if (q->condition_count == CT_BIND_CONDITIONS)
        luaL_error(L, "too many conditions (limit is %d)", (int)CT_BIND_CONDITIONS);
    ct_bind_query *made = push_same_query(L, q);
    // The new query keeps the formulas, the query without conditions, and blocks.
    lua_createtable(L, CT_BIND_CONDITIONS, 4);
    ct_bind_push_block(L, 1);
    for (uint32_t i = 1; i <= q->condition_count; ++i) {
        lua_rawgeti(L, 5, (int)i);
        lua_rawseti(L, 4, (int)i);
    }
    ct_bind_copy_item(L, 4, (int)q->condition_count + 1, 2);
    lua_getfield(L, 5, "source");
    ct_bind_copy_field(L, 4, "source", q->source == NULL ? 1 : -1);
    lua_settop(L, 5);
    lua_setfield(L, 4, "blocks");
    ct_bind_push_block(L, 3);
    lua_setfield(L, 4, "own");
    ct_bind_keep(L, 3);
    memcpy(made->conditions, q->conditions, sizeof q->conditions);
    made->conditions[q->condition_count] = f;
    made->condition_count = q->condition_count + 1;
    made->source = q->source != NULL ? q->source : q;
    return 1;
}

// The formula keeps the block of the world alive, even if the world is destroyed.
static int collect(lua_State *L) {
    ct_bind_formula *f = ct_bind_self(L, &ct_bind_formula_kind);
    if (f->world != NULL) f->world->formula_bytes -= f->bytes;
    f->bytes = 0;
    return 0;
}

static int tostring(lua_State *L) {
    const ct_bind_formula *f = ct_bind_self(L, &ct_bind_formula_kind);
    return ct_bind_return_format(L, "Formula (%d operations)",
                                 f->core != NULL ? (int)f->core->operation_count : 0);
}

void ct_bind_open_formulas(lua_State *L) {
    static const luaL_Reg none[] = {{NULL, NULL}};
    static const luaL_Reg functions[] = {{"new", ct_bind_formula_new},
                                         {"registers", ct_bind_formula_registers},
                                         {"token", ct_bind_formula_token},
                                         {"where", where},
                                         {"set", set},
                                         {NULL, NULL}};
    ct_bind_open_functions(L);
    ct_bind_add_functions(L, "formula", functions);
    lua_getfield(L, -1, "formula");
    ct_bind_set_functions(L, ct_bind_formula_results);
    ct_bind_set_functions(L, ct_bind_formula_descriptions);
    lua_newtable(L);
    for (uint32_t i = 0; i < CT_FORMULA_KINDS; ++i) {
        ct_bind_add_whole(L, ct_formula_kind_name(i), i);
    }
    lua_setfield(L, -2, "operations");
    lua_pop(L, 1);
    ct_bind_class_new(L, &ct_bind_formula_kind, none, collect, tostring);
    ct_bind_push_registered(L, &ct_bind_formula_kind);
    ct_bind_add_function(L, "__call", call);
    ct_bind_add_function(L, "__newindex", newindex);
    ct_bind_add_address(L, "run_formula", (void (*)(void))run);
    ct_bind_add_pointer(L, "formula_pointer", &ct_bind_formula_kind, false);
    ct_bind_push_compiled(L);
    ct_bind_copy_field(L, -1, "formula_class", -2);
    lua_pop(L, 1);
    ct_bind_push_lua_methods(L, ct_bind_formula_kind.name);
    lua_pushcclosure(L, index, 1);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}
