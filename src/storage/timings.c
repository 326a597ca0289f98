// Profiling counters, and the names of kinds of work.
#include "storage/timings.h"

#include <string.h>

ct_status ct_timings_set(ct_timings *timings, const ct_allocator *allocator, bool on) {
    const size_t bytes = CT_WORK_KINDS * sizeof *timings->work;
    if (on && timings->work == NULL) timings->work = (ct_work_time *)ct_alloc(allocator, bytes);
    if (on && timings->work == NULL) return ct_out_of_memory(allocator);
    if (on) memset(timings->work, 0, bytes);
    timings->on = on;
    return CT_OK;
}

void ct_timings_free(ct_timings *timings, const ct_allocator *allocator) {
    ct_free(allocator, timings->work, ct_timings_bytes(timings));
    *timings = (ct_timings){NULL, false};
}

const char *ct_work_name(ct_work work) {
    static const char *const names[CT_WORK_KINDS] = {
        "create", "remove",   "spawn",    "gc",     "hooks",     "propagate",
        "sort",   "evaluate", "simulate", "unload", "on_destroy"};
    return names[work];
}
