// Profiling counters, and the names of kinds of work.
#include "storage/timings.h"

#include <string.h>

ct_status ct_timings_set(ct_timings *timings, const ct_allocator *allocator, bool on) {
    ct_counters *counters = timings->counters;
    if (on && counters == NULL) counters = (ct_counters *)ct_alloc(allocator, sizeof *counters);
    if (on && counters == NULL) return ct_out_of_memory(allocator);
    if (on) memset(counters, 0, sizeof *counters);
    if (counters != NULL) counters->on = on;
    timings->counters = counters;
    return CT_OK;
}

void ct_timings_free(ct_timings *timings, const ct_allocator *allocator) {
    ct_free(allocator, timings->counters, ct_timings_bytes(timings));
    timings->counters = NULL;
}

const char *ct_work_name(ct_work work) {
    static const char *const names[CT_WORK_KINDS] = {
        "create", "remove",   "spawn",    "gc",     "hooks",     "propagate",
        "sort",   "evaluate", "simulate", "unload", "on_destroy"};
    return names[work];
}
