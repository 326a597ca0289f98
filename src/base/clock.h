// Monotonic clock.
#ifndef CT_CLOCK_H
#define CT_CLOCK_H

#include "base/base.h"

/// Returns the nanoseconds since an arbitrary time, monotonic and not 0; or 0 if the system has no
/// such clock. Takes about 20 ns.
uint64_t ct_clock_now(void);

#endif
