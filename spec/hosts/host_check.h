// Checks of the programs that call cuttle_host.h. C99 and C++11.
#ifndef HOST_CHECK_H
#define HOST_CHECK_H

#include "cuttle_host.h"

#include <stdio.h>
#include <stdlib.h>
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

// Memory of an entity manager: the blocks that it has, and the allocations that are left.
typedef struct budget {
    size_t blocks, left;
} budget;

static inline void *reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    budget *b = (budget *)user;
    (void)old_bytes;
    if (new_bytes == 0) {
        b->blocks -= block != NULL;
        free(block);
        return NULL;
    }
    if (b->left == 0) return NULL;
    if (b->left != SIZE_MAX) b->left--;
    b->blocks += block == NULL;
    return realloc(block, new_bytes);
}

static inline ct_host_entities *open_host(budget *memory, size_t left) {
    const ct_allocator allocator = {reallocate, memory};
    ct_host_options options;
    ct_host_entities *host;
    memory->left = left;
    ct_host_options_init(&options, sizeof options);
    options.allocator = &allocator;
    return ct_host_new(&options, &host) == CT_OK ? host : NULL;
}

static inline size_t read_file(const char *path, unsigned char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return 0;
    size_t count = fread(bytes, 1, room, file);
    fclose(file);
    return count;
}

#endif
