// Allocation: one allocator interface, whose functions get the size at every call.
#ifndef CT_ALLOC_H
#define CT_ALLOC_H

#include "base/base.h"

CT_BEGIN_C

/// The host's memory. 'reallocate' behaves like realloc: 'block' NULL asks for
/// a new one, 'new_bytes' 0 frees (and must not fail), NULL returns failure and
/// leaves the old block alone. 'old_bytes' is always the size asked for before.
/// Blocks are aligned at least as malloc aligns them.
typedef struct ct_allocator {
    void *(*reallocate)(void *user, void *block, size_t old_bytes, size_t new_bytes);
    void *user;
} ct_allocator;

/// The C library's malloc, realloc and free.
extern const ct_allocator ct_allocator_malloc;

/// Allocator that always fails; installed when an object is destroyed. Failures become CT_ERR_OVER
/// (ct_out_of_memory).
extern const ct_allocator ct_allocator_over;

/// The status of a failed allocation: CT_ERR_OVER or CT_ERR_MEMORY.
static inline ct_status ct_out_of_memory(const ct_allocator *allocator) {
    return allocator == &ct_allocator_over ? CT_ERR_OVER : CT_ERR_MEMORY;
}

/// A block of 'bytes' bytes, or NULL. 0 bytes is NULL.
void *ct_alloc(const ct_allocator *allocator, size_t bytes);

/// The same, filled with zero.
void *ct_alloc_zero(const ct_allocator *allocator, size_t bytes);

/// Frees a block of exactly 'bytes' bytes. NULL is allowed.
void ct_free(const ct_allocator *allocator, void *block, size_t bytes);

/// a * b + c in *out. False, and *out untouched, when size_t cannot hold it.
/// The one place where sizes that depend on data are multiplied.
bool ct_size_mul_add(size_t a, size_t b, size_t c, size_t *out);

/// The next multiple of 16, for the next part of a block.
static inline size_t ct_padded(size_t bytes) { return (bytes + 15) & ~(size_t)15; }

/// Required alignment of borrowed blocks. Memory with a smaller alignment (payloads of Lua's
/// userdata have 8) must be larger by as much.
#define CT_BLOCK_ALIGNMENT 16u

/// The first such place from 'at' on.
static inline void *ct_block_at(void *at) {
    unsigned char *block = (unsigned char *)at;
    return block + (-(uintptr_t)block & (CT_BLOCK_ALIGNMENT - 1));
}

/// The next capacity of an array that must hold 'needed': half as much again, CT_FIRST_CAPACITY at
/// least, never beyond 'limit'; just 'needed' where that is more. needed <= limit.
uint32_t ct_grow_capacity(uint32_t capacity, uint32_t needed, uint32_t limit);

/// Makes room for 'needed' items of 'width' bytes in a growing array. CT_OK or
/// CT_ERR_MEMORY (CT_ERR_OVER) with *items and *capacity as they were. May move the items.
ct_status ct_array_reserve(const ct_allocator *allocator, void **items, uint32_t *capacity,
                           uint32_t needed, size_t width);

/// Frees the room behind 'needed' items, unless the allocator fails. May move them.
void ct_array_trim(const ct_allocator *allocator, void **items, uint32_t *capacity, uint32_t needed,
                   size_t width);

CT_END_C

#endif
