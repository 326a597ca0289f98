// Checks of formula arguments.
#include "bind/world/formula.h"

const ct_bind_kind ct_bind_formula_kind = {"Formula"};

ct_bind_formula *ct_bind_check_formula(lua_State *L, int index) {
    ct_bind_formula *f = ct_bind_check(L, index, &ct_bind_formula_kind);
    ct_bind_push_own(L, index, "query");
    if (f->query == NULL || ct_bind_test(L, -1, &ct_bind_query_kind) != f->query)
        ct_bind_raise_replaced(L);
    lua_pop(L, 1);
    ct_bind_query_check(L, f->query);
    ct_bind_formula_check(L, f->core);
    return f;
}

ct_bind_formula *ct_bind_check_expression(lua_State *L, int index, uint32_t lanes) {
    ct_bind_formula *f = ct_bind_check_formula(L, index);
    if (f->core->result_lanes == 0 || f->core->stores)
        ct_bind_raise_arg(L, index, "formula with a result expected");
    if (f->core->result_lanes > lanes) ct_bind_raise_arg(L, index, "number expected, got vector");
    return f;
}
