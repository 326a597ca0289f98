// Results of formulas over the matches of a query: sums, extremes, order.
#include "bind/value/list.h"
#include "bind/world/formula.h"

static int push_numbers(lua_State *L, const double *numbers, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        lua_pushnumber(L, ct_double_clean(numbers[i]));
    return (int)count;
}

typedef enum answer_kind { SUM, LEAST, GREATEST, LOWEST, HIGHEST } answer_kind;

// Pushes an answer about all matches: a number for each lane, or an entity and its value; nil if
// there is none.
static int push_answer(lua_State *L, answer_kind kind) {
    double numbers[CT_LANES_MOST];
    ct_entity e = {CT_NOBODY};
    ct_status status;
    const ct_bind_formula *f = ct_bind_check_expression(L, 1, kind < LOWEST ? CT_LANES_MOST : 1);
    ct_query *matches = ct_bind_query_refresh(L, f->query);
    bool any = kind == SUM || matches->count > 0;
    const ct_bind_parse g = ct_bind_parse_begin(L, f->query->world->state);
    ct_scratch *arena = &g.arena->pieces;
    if (kind == SUM)
        status = ct_formula_sum(f->core, matches, arena, numbers);
    else if (kind < LOWEST)
        status = ct_formula_extreme(f->core, matches, arena, kind == GREATEST, numbers);
    else
        status = ct_formula_best(f->core, matches, arena, kind == HIGHEST, &e, numbers);
    ct_bind_parse_end(&g);
    ct_bind_check_status(L, status, "formula");
    if (kind < LOWEST)
        return any ? push_numbers(L, numbers, f->core->result_lanes) : ct_bind_return_nil(L);
    if (e.id == CT_NOBODY) return ct_bind_return_nil(L);
    ct_bind_push_entity(L, e);
    return 1 + push_numbers(L, numbers, 1);
}

// core.formula.sum(Formula) -> number for each lane
static int sum(lua_State *L) { return push_answer(L, SUM); }

// core.formula.min(Formula), max(Formula) -> number for each lane, or nil
static int min(lua_State *L) { return push_answer(L, LEAST); }
static int max(lua_State *L) { return push_answer(L, GREATEST); }

// core.formula.lowest(Formula), highest(Formula) -> entity and value, or nil
static int lowest(lua_State *L) { return push_answer(L, LOWEST); }
static int highest(lua_State *L) { return push_answer(L, HIGHEST); }

// core.formula.sorted(Formula [, out]) -> cuttle.list
static int sorted(lua_State *L) {
    uint32_t count = 0, room;
    ct_bind_check_expression(L, 1, 1);
    lua_settop(L, 2);
    ct_bind_prepare_list(L, 2);
    const ct_bind_formula *f = ct_bind_check_expression(L, 1, 1);
    ct_entity *found;
    do { // a finalizer may change the matches
        room = ct_bind_query_refresh(L, f->query)->count;
        found = lua_newuserdata(L, (size_t)room * sizeof *found + 1);
        f = ct_bind_check_expression(L, 1, 1);
    } while (!ct_bind_query_is_current(f->query) || f->query->matches.count > room);
    const ct_bind_parse g = ct_bind_parse_begin(L, f->query->world->state);
    ct_status status =
        ct_formula_sort(f->core, &f->query->matches, &g.arena->pieces, found, &count);
    ct_bind_parse_end(&g);
    ct_bind_check_status(L, status, "formula");
    ct_bind_list_fill(L, ct_bind_test_list(L, 2), count, found);
    lua_settop(L, 2);
    return 1;
}

const luaL_Reg ct_bind_formula_results[] = {
    {"sum", sum},         {"min", min},       {"max", max}, {"lowest", lowest},
    {"highest", highest}, {"sorted", sorted}, {NULL, NULL}};
