// Interface for allocators, which receive the size of a block in every call.
#ifndef CT_ALLOC_H
#define CT_ALLOC_H

#include "base/base.h"

/// Allocator that uses malloc, realloc and free. On Linux, a block of 2 MB or more is pages of the
/// system instead: huge pages where it has them, which move without a copy when the block grows.
extern const ct_allocator ct_allocator_malloc;

/// Allocator that always fails; installed when an object is destroyed. Failures become
/// CT_ERR_OVER (ct_out_of_memory).
extern const ct_allocator ct_allocator_destroyed;

/// Returns the status of a failed allocation: CT_ERR_OVER or CT_ERR_MEMORY.
static inline ct_status ct_out_of_memory(const ct_allocator *allocator) {
    return allocator == &ct_allocator_destroyed ? CT_ERR_OVER : CT_ERR_MEMORY;
}

/// Allocates 'bytes' bytes. Returns NULL on failure, and for 0 bytes.
void *ct_alloc(const ct_allocator *allocator, size_t bytes);

/// Does the same and fills the block with zeros.
void *ct_alloc_zero(const ct_allocator *allocator, size_t bytes);

/// Frees a block of exactly 'bytes' bytes. NULL is allowed.
void ct_free(const ct_allocator *allocator, void *block, size_t bytes);

/// Writes a * b + c to *out. Returns false, and leaves *out unchanged, if the result overflows.
/// Sizes that depend on data are multiplied only here.
bool ct_size_mul_add(size_t a, size_t b, size_t c, size_t *out);

/// Rounds up to a multiple of 16, the start of the next part of a block.
static inline size_t ct_padded(size_t bytes) { return (bytes + 15) & ~(size_t)15; }

/// Required alignment of borrowed blocks. Memory with a smaller alignment (userdata of Lua has 8)
/// must be larger by the difference.
#define CT_BLOCK_ALIGNMENT 16u

/// Returns the first address from 'at' on with this alignment.
static inline void *ct_block_at(void *at) {
    unsigned char *block = (unsigned char *)at;
    return block + (-(uintptr_t)block & (CT_BLOCK_ALIGNMENT - 1));
}

/// Returns the next capacity of an array that must hold 'needed' items: 1.5 times the present one,
/// but at least CT_FIRST_CAPACITY and 'needed', and at most 'limit'. needed <= limit.
uint32_t ct_grow_capacity(uint32_t capacity, uint32_t needed, uint32_t limit);

/// Makes the capacity of an array at least 'needed' items of 'width' bytes. Returns CT_OK, or
/// CT_ERR_MEMORY (CT_ERR_OVER) with *items and *capacity unchanged. May move the items.
ct_status ct_array_reserve(const ct_allocator *allocator, void **items, uint32_t *capacity,
                           uint32_t needed, size_t width);

/// Reduces the capacity to 'needed' items, unless the allocator fails. May move them.
void ct_array_trim(const ct_allocator *allocator, void **items, uint32_t *capacity, uint32_t needed,
                   size_t width);

#endif
