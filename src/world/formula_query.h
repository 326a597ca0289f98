// Results of formulas over the matches of a query: conditions, sums, extremes, order.
#ifndef CT_FORMULA_QUERY_H
#define CT_FORMULA_QUERY_H

#include "world/formula.h"

// The formulas of these functions have a result and no stores. 'matches' must be valid; 'arena' is
// temporary memory. Each function returns CT_OK, or CT_ERR_MEMORY without results.

/// Writes the matches for which the result of a condition is not 0 to 'to', which has the same
/// managers and may be 'matches'. They are valid as long as 'matches'. O(matches).
ct_status ct_formula_select(const ct_formula *condition, ct_query *matches, ct_query *to,
                            ct_scratch *arena);

/// Writes the matches of a query that belong to the entities of a list to 'to', in the order of the
/// list, which may name an entity twice. Only the managers and roles of 'query' are used. O(count).
ct_status ct_formula_pick(const ct_query *query, uint32_t count, const ct_entity *entities,
                          ct_query *to);

/// Adds the results in order, beginning with 0. 'out' has a number for each lane of the result.
ct_status ct_formula_sum(const ct_formula *formula, ct_query *matches, ct_scratch *arena,
                         double *out);

/// Computes the least (greatest) result for each lane: min(a, b) is b < a ? b : a, in order.
/// Without matches 'out' is unchanged.
ct_status ct_formula_extreme(const ct_formula *formula, ct_query *matches, ct_scratch *arena,
                             bool greatest, double *out);

/// Finds the entity with the lowest (highest) result, the first one if equal. NaN is never the
/// lowest or highest. *entity is CT_NOBODY if there is none.
ct_status ct_formula_best(const ct_formula *formula, ct_query *matches, ct_scratch *arena,
                          bool highest, ct_entity *entity, double *value);

/// Writes the entities of all matches, each once, in ascending order of the result of its first
/// match; equal results in the order of matches, NaN last. 'out' needs room for matches->count.
/// O(n log n).
ct_status ct_formula_sort(const ct_formula *formula, ct_query *matches, ct_scratch *arena,
                          ct_entity *out, uint32_t *count);

#endif
