// Files and limited memory of programs without Lua. C99 and C++11.
#ifndef SPEC_HOSTS_MEMORY_H
#define SPEC_HOSTS_MEMORY_H

#include <stdio.h>
#include <stdlib.h>

/// Reads at most 'room' bytes of a file. Returns the number of bytes, or 0 without a file.
static inline size_t read_file(const char *path, unsigned char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return 0;
    size_t count = fread(bytes, 1, room, file);
    fclose(file);
    return count;
}

/// The 'user' of an allocator that counts blocks and limits allocations.
typedef struct budget {
    size_t blocks; // allocated blocks
    size_t left;   // allocations that still succeed; SIZE_MAX: all
} budget;

static inline void *reallocate_within(void *user, void *block, size_t old_bytes, size_t new_bytes) {
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

#endif
