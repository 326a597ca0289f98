// Monotonic clock.
#ifndef CT_CLOCK_H
#define CT_CLOCK_H

#include "base/base.h"

CT_BEGIN_C

/// Nanoseconds since some moment, never going back; not 0. 0 where the system has no such clock.
/// Some 20 ns.
uint64_t ct_clock_now(void);

CT_END_C

#endif
