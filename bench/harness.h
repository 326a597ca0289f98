// Shared code of the C benches: a clock, a check that ends the program, figures of samples, and the
// output of rows. Must not depend on the core. A row is one line of CSV, with the columns of
// bench/results.lua.
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Returns seconds since an arbitrary moment.
static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Ends the program after a wrong result.
static inline void require(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

// ---------------------------------------------------------------- the figures of samples

static inline int compare_times(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sorts the times and returns their median; for an even number the mean of the middle two.
static inline double median_of(double *times, size_t count) {
    qsort(times, count, sizeof *times, compare_times);
    return (times[(count - 1) / 2] + times[count / 2]) / 2;
}

// Returns the difference of the third and the first quartile of sorted times, divided by the
// median.
static inline double spread_of(const double *times, size_t count) {
    size_t first = (count + 1) / 4, third = (3 * (count - 1) + 2) / 4;
    double median = (times[(count - 1) / 2] + times[count / 2]) / 2;
    return median > 0 ? (times[third] - times[first]) / median : 0;
}

// ---------------------------------------------------------------- a bench and its rows

enum { MAX_ROUNDS = 101, MAX_RESULTS = 512 };

// One line of the table. Omitted members are 0.
typedef struct result {
    const char *name;
    bool cold;      // memory is used for the first time
    uint32_t items; // of one run
    double *times;  // nanoseconds per item; sorted by 'report'
    int rounds;
    const char *limit;   // the name of the limit: an earlier case with as many items, or any text
    double *limit_times; // measured in turns with 'times'; NULL: those of the earlier case
    double bytes;        // held per item; for a limit: moved per item
} result;

static struct {
    const char *name;
    bool quick;
    int most_rounds;
    struct {
        const char *name;
        uint32_t items;
        double best;
    } reported[MAX_RESULTS];
    int count;
} the_bench;

// --quick: small sizes, checks results only. --rounds N: the maximum number of rounds of a case.
static inline void open_bench(const char *name, int argc, char **argv) {
    the_bench.name = name;
    the_bench.most_rounds = 15;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--quick") == 0)
            the_bench.quick = true;
        else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            the_bench.most_rounds = atoi(argv[++i]);
        else
            require(false, "options: --quick, --rounds N");
    }
    require(the_bench.most_rounds > 0 && the_bench.most_rounds <= MAX_ROUNDS, "--rounds 1 to 101");
}

// Returns the number of rounds of a case: fewer for large ones.
static inline int rounds_for(uint32_t items) {
    int rounds = items > 200000 ? 3 : items > 20000 ? 9 : 15;
    if (the_bench.quick) return 1;
    return rounds < the_bench.most_rounds ? rounds : the_bench.most_rounds;
}

// Returns the best time of an earlier case; -1 if there is none.
static inline double reported_best(const char *name, uint32_t items) {
    for (int i = 0; i < the_bench.count; ++i) {
        if (the_bench.reported[i].items == items && strcmp(the_bench.reported[i].name, name) == 0)
            return the_bench.reported[i].best;
    }
    return -1;
}

// Prints the row of a case.
static inline void report(const result *r) {
    if (the_bench.quick) {
        printf("%s,\"%s\",%s,%u,,,,,,,,,\n", the_bench.name, r->name, r->cold ? "cold" : "warm",
               r->items);
        return;
    }
    double median = median_of(r->times, (size_t)r->rounds);
    printf("%s,\"%s\",%s,%u,%d,%.4g,%.4g,%.3f,", the_bench.name, r->name, r->cold ? "cold" : "warm",
           r->items, r->rounds, median, r->times[0], spread_of(r->times, (size_t)r->rounds));
    double best = r->times[0], limit = 0;
    if (r->limit_times != NULL)
        qsort(r->limit_times, (size_t)r->rounds, sizeof limit, compare_times),
            limit = r->limit_times[0];
    else if (r->limit != NULL)
        limit = reported_best(r->limit, r->items);
    require(limit >= 0, "the limit of a case must be an earlier case");
    if (r->limit != NULL)
        printf("\"%s\",%.4g,%.3f,%.1f,0\n", r->limit, limit, best / limit, r->bytes);
    else
        printf(",,,%.1f,0\n", r->bytes);
    fflush(stdout);
    require(the_bench.count < MAX_RESULTS, "too many results");
    the_bench.reported[the_bench.count].name = r->name;
    the_bench.reported[the_bench.count].items = r->items;
    the_bench.reported[the_bench.count++].best = best;
}

#endif
