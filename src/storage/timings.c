// Names of kinds of work.
// Knows nothing of what the work is.
#include "storage/timings.h"

const char *ct_work_name(ct_work work) {
    static const char *const names[CT_WORK_KINDS] = {
        "create", "remove",   "spawn",    "gc",     "hooks",     "propagate",
        "sort",   "evaluate", "simulate", "unload", "on_destroy"};
    return names[work];
}
