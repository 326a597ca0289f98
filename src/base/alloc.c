// Allocation through the given allocator, with checked sizes.
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // mremap; NOLINT(bugprone-reserved-identifier)
#endif

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

// AddressSanitizer checks only blocks of malloc.
#if defined(__SANITIZE_ADDRESS__)
#define MALLOC_ONLY
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MALLOC_ONLY
#endif
#endif

#if defined(__linux__) && UINTPTR_MAX > 0xFFFFFFFFu && !defined(MALLOC_ONLY)
#include <sys/mman.h>
#endif

// ---------------------------------------------------------------- large blocks

// On Linux, large blocks are pages of the system. malloc would use pages of 4 KB for them, and copy
// most of them when they grow. Blocks begin at a multiple of the size of a huge page, so that the
// system can use huge pages, and can move those without a copy when a block grows. Only its size
// tells whether a block is large.
#ifdef MADV_HUGEPAGE

#define HUGE_PAGE ((size_t)2 << 20)
#define SMALL_PAGE ((size_t)64 << 10) // a multiple of all sizes of small pages

#if defined(CT_TEST) && CT_TEST
#define LARGE_BLOCK SMALL_PAGE
#else
#define LARGE_BLOCK HUGE_PAGE
#endif

static bool is_large(size_t bytes) { return bytes >= LARGE_BLOCK; }

// Returns the size of the pages of a block: at most a quarter more, because a huge page at the end
// holds memory as soon as one byte of it is written.
static size_t size_of_pages(size_t bytes) {
    size_t huge = (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    return huge - bytes <= bytes / 4 ? huge : (bytes + SMALL_PAGE - 1) & ~(SMALL_PAGE - 1);
}

// Reserves addresses without memory. Returns NULL on failure.
static void *reserve_addresses(size_t size) {
    unsigned char *at =
        mmap(NULL, size + HUGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return NULL;
    size_t before = -(uintptr_t)at & (HUGE_PAGE - 1);
    if (before > 0) munmap(at, before);
    munmap(at + before + size, HUGE_PAGE - before);
    return at + before;
}

static void *map_pages(size_t size) {
    void *at = reserve_addresses(size);
    if (at == NULL) return NULL;
    if (mprotect(at, size, PROT_READ | PROT_WRITE) != 0) {
        munmap(at, size);
        return NULL;
    }
    (void)madvise(at, size, MADV_HUGEPAGE); // may be unknown to the system
    return at;
}

static void *resize_pages(void *block, size_t old_size, size_t new_size) {
    if (new_size == old_size) return block;
    if (mremap(block, old_size, new_size, 0) == block) return block;
    void *at = reserve_addresses(new_size);
    if (at == NULL) return NULL;
    // After a failure the addresses stay reserved: the system may have freed them, and another
    // thread may own them now.
    at = mremap(block, old_size, new_size, MREMAP_MAYMOVE | MREMAP_FIXED, at);
    return at != MAP_FAILED ? at : NULL;
}

// Reallocates a block that is large, or becomes it.
static void *reallocate_large(void *block, size_t old_bytes, size_t new_bytes) {
    void *moved = NULL;
    if (new_bytes > SIZE_MAX / 2) return NULL;
    if (is_large(old_bytes) && is_large(new_bytes))
        return resize_pages(block, size_of_pages(old_bytes), size_of_pages(new_bytes));
    if (new_bytes > 0) {
        moved = is_large(new_bytes) ? map_pages(size_of_pages(new_bytes)) : malloc(new_bytes);
        if (moved == NULL) return NULL;
    }
    if (moved != NULL && block != NULL)
        memcpy(moved, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    if (is_large(old_bytes))
        munmap(block, size_of_pages(old_bytes));
    else
        free(block);
    return moved;
}

#else

static bool is_large(size_t bytes) { return (void)bytes, false; }

static void *reallocate_large(void *block, size_t old_bytes, size_t new_bytes) {
    (void)block, (void)old_bytes, (void)new_bytes;
    return NULL;
}

#endif

static void *malloc_reallocate(void *user, void *block, size_t old_bytes, size_t new_bytes) {
    (void)user;
    if (CT_UNLIKELY(is_large(old_bytes) || is_large(new_bytes)))
        return reallocate_large(block, old_bytes, new_bytes);
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
