// What programs without Lua share: files, resources, memory that ends.
// Knows nothing of what they try.
#ifndef SPEC_HOST_H
#define SPEC_HOST_H

#include "resource/spawner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// How many bytes of a file there are in 'bytes' now, at most 'room'; 0 without one.
static inline size_t read_file(const char *path, unsigned char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return 0;
    size_t count = fread(bytes, 1, room, file);
    fclose(file);
    return count;
}

/// Whether there is a level at that path, which is a resource now.
static inline bool load_resource(const char *path, const ct_allocator *allocator,
                                 ct_resource *resource) {
    static unsigned char bytes[65536];
    ct_known_layout layouts[CT_MAX_BUILTINS + 1];
    ct_message message;
    size_t count = read_file(path, bytes, sizeof bytes);
    if (count == 0 || ct_resource_init(resource, allocator, (uint32_t)count) != CT_OK) return false;
    memcpy(resource->blob, bytes, count);
    ct_spawner_builtin_layouts(layouts);
    return ct_resource_check(resource, layouts, &message) == CT_OK;
}

/// The 'user' of an allocator that counts, and gives no more than so much.
typedef struct budget {
    size_t blocks; // that are out
    size_t left;   // allocations that succeed yet; SIZE_MAX: all
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
