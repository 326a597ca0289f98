// Conditions of query:where.
#include "bind/world/formula.h"

const ct_bind_manager *ct_bind_formula_ended(const ct_formula *f) {
    for (uint32_t i = 0; i < f->field_count + f->component_count; ++i) {
        const ct_manager *core =
            i < f->field_count ? f->fields[i].manager : f->components[i - f->field_count];
        const ct_bind_manager *manager = core->object;
        if (CT_UNLIKELY(manager->destroyed != NULL)) return manager;
    }
    return NULL;
}

void ct_bind_formula_check(lua_State *L, const ct_formula *f) {
    const ct_bind_manager *ended = ct_bind_formula_ended(f);
    if (CT_UNLIKELY(ended != NULL)) ct_bind_raise_destroyed(L, ended);
}

ct_status ct_bind_query_select(lua_State *L, ct_bind_query *q) {
    ct_query *matches = &q->source->matches;
    for (uint32_t i = 0; i < q->condition_count; ++i)
        ct_bind_formula_check(L, q->conditions[i]->core);
    ct_status status = ct_query_refresh(matches);
    if (status != CT_OK) return status;
    const ct_bind_parse g = ct_bind_parse_begin(L, q->world->state);
    for (uint32_t i = 0; i < q->condition_count && status == CT_OK; ++i) {
        status = ct_formula_select(q->conditions[i]->core, matches, &q->matches, &g.arena->pieces);
        matches = &q->matches;
    }
    ct_bind_parse_end(&g);
    return status;
}
