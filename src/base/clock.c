// Monotonic clock.
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 199309L // for clock_gettime; NOLINT(bugprone-reserved-identifier)
#endif

#include "base/clock.h"

#ifdef _WIN32

#include <windows.h>

uint64_t ct_clock_now(void) {
    LARGE_INTEGER ticks, frequency;
    if (!QueryPerformanceFrequency(&frequency) || !QueryPerformanceCounter(&ticks)) return 0;
    uint64_t whole = (uint64_t)(ticks.QuadPart / frequency.QuadPart);
    uint64_t rest = (uint64_t)(ticks.QuadPart % frequency.QuadPart);
    return whole * 1000000000u + rest * 1000000000u / (uint64_t)frequency.QuadPart + 1;
}

#else

#include <time.h>

uint64_t ct_clock_now(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + 1;
}

#endif
