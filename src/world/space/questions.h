// Checks that all questions to spaces share.
#ifndef CT_SPACE_QUESTIONS_H
#define CT_SPACE_QUESTIONS_H

#include "world/space/space.h"
#include "world/space/space_visit.h"

/// Returns whether the coordinates that the space has are finite.
static inline bool ct_space_is_point(const ct_space *space, const double *at) {
    double zero = 0;
    for (uint32_t i = 0; i < space->index.dimensions; ++i)
        zero += at[i] - at[i]; // NOLINT
    return zero == 0;
}

/// Returns whether no entity has died since the last update.
static inline bool ct_space_all_alive(const ct_space *space) {
    return space->deaths == space->world->entities->deaths;
}

/// Returns whether an entry of a visit may be in an answer: it belongs to the row of the visit, its
/// entity is alive, and the filter admits it. For entries that meet the question.
static inline bool ct_space_accepts(const ct_space *space, const ct_space_visit *visit,
                                    const ct_space_filter *filter, const ct_space_entry *entry) {
    const ct_space_index *index = &space->index;
    if (!ct_space_visit_owns(visit, entry)) return false;
    if (filter != NULL) {
        uint32_t mask = index->has_masks ? index->masks[entry->order] : 0;
        if (filter->masked && (mask & filter->mask) == 0) return false;
        if (filter->except.id != CT_NOBODY && index->ids[entry->order].id == filter->except.id)
            return false;
    }
    return ct_space_all_alive(space) ||
           ct_entity_manager_alive(space->world->entities, index->ids[entry->order]);
}

#endif
