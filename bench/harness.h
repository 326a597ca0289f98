// What the C benches share: a clock, a check that ends the program, a median.
// Knows nothing of what is measured.
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Seconds, from some moment on.
static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// A wrong answer ends the program: its time would mean nothing.
static inline void require(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static inline int compare_times(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sorts the times; the middle one is the answer, the first one the best.
static inline double median_of(double *times, size_t count) {
    qsort(times, count, sizeof *times, compare_times);
    return times[count / 2];
}

#endif
