// Shared helpers of programs without Lua: files, limited memory, resources.
#ifndef SPEC_HOST_H
#define SPEC_HOST_H

#include "memory.h"
#include "resource/spawner.h"

#include <string.h>

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

#endif
