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

// Tests the conditions of a query.
static ct_status select_matches(ct_bind_query *q, ct_scratch *arena) {
    ct_query *matches = &q->source->matches;
    ct_status status = ct_query_refresh(matches);
    for (uint32_t i = 0; i < q->condition_count && status == CT_OK; ++i) {
        status = ct_formula_select(q->conditions[i]->core, matches, &q->matches, arena);
        matches = &q->matches;
    }
    return status;
}

ct_status ct_bind_query_select(lua_State *L, ct_bind_query *q) {
    for (uint32_t i = 0; i < q->condition_count; ++i)
        ct_bind_formula_check(L, q->conditions[i]->core);
    const ct_bind_parse g = ct_bind_parse_begin(L, q->world->state);
    ct_status status = select_matches(q, &g.arena->pieces);
    ct_bind_parse_end(&g);
    return status;
}

bool ct_bind_query_try(ct_bind_query *q) {
    ct_bind_state *state = q->world->state;
    if (q->matches.link == NULL || state->holding != NULL ||
        ct_entity_manager_is_frozen(&q->world->entities->core))
        return false;
    // The matches cannot be updated if a manager has ended.
    if (q->source == NULL) return ct_query_refresh(&q->matches) == CT_OK;
    for (uint32_t i = 0; i < q->condition_count; ++i)
        if (ct_bind_formula_ended(q->conditions[i]->core) != NULL) return false;
    ct_arena_reset(state->arena);
    ct_status status = select_matches(q, &state->arena->pieces);
    ct_arena_reset(state->arena);
    return status == CT_OK;
}
