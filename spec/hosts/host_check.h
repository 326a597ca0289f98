// Checks of the programs that call cuttle_host.h. C99 and C++11.
#ifndef HOST_CHECK_H
#define HOST_CHECK_H

#include "cuttle_host.h"
#include "memory.h"

#include <string.h>

static unsigned mistakes;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: %s\n", __LINE__, #condition);                                         \
            mistakes++;                                                                            \
        }                                                                                          \
    } while (0)

// Calls that fail: the status, and a part of the reason.
#define REFUSED(host, status, call, reason)                                                        \
    do {                                                                                           \
        ct_status is_ = (call);                                                                    \
        if (is_ != (status) || strstr(ct_host_message(host), reason) == NULL) {                    \
            printf("line %d: %d: %s\n", __LINE__, (int)is_, ct_host_message(host));                \
            mistakes++;                                                                            \
        }                                                                                          \
    } while (0)

#define DONE(host, call)                                                                           \
    do {                                                                                           \
        if ((call) != CT_OK) {                                                                     \
            printf("line %d: %s\n", __LINE__, ct_host_message(host));                              \
            mistakes++;                                                                            \
        }                                                                                          \
    } while (0)

// Returns from a function with a status unless it is CT_OK.
#define TRY(call)                                                                                  \
    do {                                                                                           \
        ct_status status_ = (call);                                                                \
        if (status_ != CT_OK) return status_;                                                      \
    } while (0)

static inline ct_host_entities *open_host(budget *memory, size_t left) {
    const ct_allocator allocator = {reallocate_within, memory};
    ct_host_options options;
    ct_host_entities *host;
    memory->left = left;
    ct_host_options_init(&options, sizeof options);
    options.allocator = &allocator;
    return ct_host_new(&options, &host) == CT_OK ? host : NULL;
}

// Ends a game that was played with limited memory: it succeeded, or failed for lack of memory.
// Nothing leaks, and a world that has not been destroyed is valid.
static inline ct_status end_limited(ct_host_entities *host, budget *memory, ct_host_world world,
                                    ct_status status) {
    CHECK(status == CT_OK ||
          (status == CT_ERR_MEMORY && (host == NULL || ct_host_message(host)[0] != '\0')));
    memory->left = SIZE_MAX;
    if (world.id != 0) DONE(host, ct_host_validate(host, world));
    CHECK(ct_host_free(host) == CT_OK && memory->blocks == 0);
    return status;
}

// Plays with more allocations each time, until the game succeeds.
static inline void check_memory(ct_status (*play_limited)(size_t left)) {
    ct_status status = CT_ERR_MEMORY;
    for (size_t left = 0; status == CT_ERR_MEMORY && left < 100000; left += 1 + left / 64)
        status = play_limited(left);
    CHECK(status == CT_OK);
}

#endif
