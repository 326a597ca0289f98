// Profiling counters, active while enabled.
#ifndef CT_TIMINGS_H
#define CT_TIMINGS_H

#include "base/alloc.h"
#include "base/clock.h"

/// Kinds of work. A world has only CREATE, SPAWN and UNLOAD, for calls that concern all its
/// managers, including the hooks that they call, and ON_DESTROY. Nested work counts for both kinds.
typedef enum ct_work {
    CT_WORK_CREATE,    ///< components of one or more entities in one call
    CT_WORK_REMOVE,    ///< a component, or all components of an entity, without gc
    CT_WORK_SPAWN,     ///< components of a level
    CT_WORK_GC,        ///< collection of dead entities
    CT_WORK_HOOKS,     ///< each call of a hook
    CT_WORK_PROPAGATE, ///< world poses, in deferred mode, and at the end of a batch
    CT_WORK_SORT,
    CT_WORK_EVALUATE,   ///< of models
    CT_WORK_SIMULATE,   ///< of point masses
    CT_WORK_UNLOAD,     ///< of levels, including all death listeners
    CT_WORK_ON_DESTROY, ///< each call of a death listener (ct_entity_manager_listen, with order 0),
                        ///< for entities of any world: see ct_world_timing
    CT_WORK_KINDS
} ct_work;

typedef struct ct_counters {
    bool on;
    ct_work_time work[CT_WORK_KINDS]; ///< by ct_work
} ct_counters;

/// Counters of a manager or a world. Members may be read directly.
typedef struct ct_timings {
    ct_counters *counters; ///< NULL until the first start
} ct_timings;

static inline bool ct_timings_are_on(const ct_timings *timings) {
    return CT_UNLIKELY(timings->counters != NULL) && timings->counters->on;
}

/// Starts counting from 0, or stops and keeps the counters. Stopping cannot fail. Starting may
/// return CT_ERR_MEMORY (CT_ERR_OVER) and then changes nothing.
ct_status ct_timings_set(ct_timings *timings, const ct_allocator *allocator, bool on);

/// Frees the counters.
void ct_timings_free(ct_timings *timings, const ct_allocator *allocator);

/// Returns the counter of a kind; zero before the first start.
static inline ct_work_time ct_timings_of(const ct_timings *timings, ct_work work) {
    static const ct_work_time none = {0, 0};
    return timings->counters != NULL ? timings->counters->work[work] : none;
}

static inline size_t ct_timings_bytes(const ct_timings *timings) {
    return timings->counters != NULL ? sizeof *timings->counters : 0;
}

/// Returns the name of a kind: "create", "remove", ...
const char *ct_work_name(ct_work work);

/// Returns the time at which work begins, or 0 while timings are off, at the cost of a branch.
static inline uint64_t ct_work_begin(const ct_timings *timings) {
    return ct_timings_are_on(timings) ? ct_clock_now() : 0;
}

/// Records work that ends now; 'begun' is the result of ct_work_begin.
static inline void ct_work_end(ct_timings *timings, ct_work work, uint64_t begun) {
    if (CT_LIKELY(begun == 0) || !ct_timings_are_on(timings)) return;
    timings->counters->work[work].calls++;
    timings->counters->work[work].nanoseconds += ct_clock_now() - begun;
}

#endif
