// Allocation through the given allocator, with checked sizes.
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void *malloc_reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    (void)user;
    (void)old_bytes;
    if (new_bytes == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_bytes);
}

const ct_allocator ct_allocator_malloc = {malloc_reallocate, NULL};

static void *refuse(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    (void)user, (void)block, (void)old_bytes, (void)new_bytes;
    return NULL;
}

const ct_allocator ct_allocator_destroyed = {refuse, NULL};

void *ct_alloc(const ct_allocator *allocator, size_t bytes) {
    if (bytes == 0) return NULL;
    return allocator->reallocate(allocator->user, NULL, 0, bytes);
}

void *ct_alloc_zero(const ct_allocator *allocator, size_t bytes) {
    void *block = ct_alloc(allocator, bytes);
    if (block != NULL) memset(block, 0, bytes);
    return block;
}

void ct_free(const ct_allocator *allocator, void *block, size_t bytes) {
    if (block != NULL) allocator->reallocate(allocator->user, block, bytes, 0);
}

bool ct_size_mul_add(size_t a, size_t b, size_t c, size_t *out) {
    if (b != 0 && a > (SIZE_MAX - c) / b) return false;
    *out = a * b + c;
    return true;
}

uint32_t ct_grow_capacity(uint32_t capacity, uint32_t needed, uint32_t limit) {
    CT_ASSERT(needed <= limit);
    uint64_t grown = (uint64_t)capacity + capacity / 2;
    if (grown < CT_FIRST_CAPACITY) grown = CT_FIRST_CAPACITY;
    if (grown < needed) grown = needed;
    return grown > limit ? limit : (uint32_t)grown;
}

ct_status ct_array_reserve(const ct_allocator *allocator, void **items, uint32_t *capacity,
                           uint32_t needed, size_t width) {
    if (needed <= *capacity) return CT_OK;
    uint32_t grown = ct_grow_capacity(*capacity, needed, UINT32_MAX);
    size_t bytes;
    if (!ct_size_mul_add(grown, width, 0, &bytes)) return CT_ERR_MEMORY;
    void *block = allocator->reallocate(allocator->user, *items, *capacity * width, bytes);
    if (block == NULL) return ct_out_of_memory(allocator);
    *items = block;
    *capacity = grown;
    return CT_OK;
}

void ct_array_trim(const ct_allocator *allocator, void **items, uint32_t *capacity, uint32_t needed,
                   size_t width) {
    if (needed >= *capacity) return;
    void *block = allocator->reallocate(allocator->user, *items, *capacity * width, needed * width);
    if (block == NULL && needed > 0) return;
    *items = block;
    *capacity = needed;
}
