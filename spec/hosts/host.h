// Shared helpers of programs without Lua: files, resources, limited memory.
#ifndef SPEC_HOST_H
#define SPEC_HOST_H

#include "resource/spawner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Reads at most 'room' bytes of a file. Returns the number of bytes, or 0 without a file.
static inline size_t read_file(const char *path, unsigned char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return 0;
    size_t count = fread(bytes, 1, room, file);
    fclose(file);
    return count;
}

/// Loads the level at a path as a resource. Returns false if there is none.
static inline bool load_resource(const char *path, const ct_allocator *allocator,
                                 ct_resource *resource) {
    static unsigned char bytes[65536];
    ct_builtin_layout layouts[CT_MAX_BUILTINS + 1];
    ct_message message;
    size_t count = read_file(path, bytes, sizeof bytes);
    if (count == 0 || ct_resource_init(resource, allocator, (uint32_t)count) != CT_OK) return false;
    memcpy(resource->blob, bytes, count);
    ct_spawner_builtin_layouts(layouts);
    return ct_resource_check(resource, layouts, &message) == CT_OK;
}

/// The 'user' of an allocator that counts blocks and limits allocations.
typedef struct budget {
    size_t blocks; // allocated blocks
    size_t left;   // allocations that still succeed; SIZE_MAX: all
} budget;

static inline void *reallocate_within(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    budget *b = user;
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
