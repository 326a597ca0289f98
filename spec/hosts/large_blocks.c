// The allocator that hosts get by default, with blocks that become large and small again.
#include "base/alloc.h"
#include "host.h"

#include <sys/resource.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 // as gcc
#endif
#endif

#if defined(__linux__) && UINTPTR_MAX > 0xFFFFFFFFu && !defined(__SANITIZE_ADDRESS__)
#define EXPECTED_ALIGNMENT ((size_t)2 << 20)
#else
#define EXPECTED_ALIGNMENT 16u
#endif

static const ct_allocator *const allocator = &ct_allocator_malloc;

static uint64_t word_at(size_t i) { return i * 0x9E3779B97F4A7C15u; }

static void fill(uint64_t *block, size_t from, size_t bytes) {
    for (size_t i = from / 8; i < bytes / 8; ++i)
        block[i] = word_at(i);
}

static size_t count_changed(const uint64_t *block, size_t bytes) {
    size_t changed = 0;
    for (size_t i = 0; i < bytes / 8; ++i)
        changed += block[i] != word_at(i);
    return changed;
}

// Resizes a block step by step, through all kinds of sizes.
static void resize(void) {
    enum { KB = 1024, MB = 1024 * KB, STEPS = 120 };
    static const size_t edges[] = {64 * KB, 2 * MB, 4 * MB, 64 * KB + 8, 2 * MB + 8};
    size_t bytes = 0, changed = 0, unaligned = 0;
    uint64_t *block = NULL;
    uint32_t random = 1;
    for (size_t i = 0; i < STEPS; ++i) {
        random = random * 1664525u + 1013904223u;
        size_t next = random >> (i % 2 == 0 ? 9 : 14), kept = bytes < next ? bytes : next;
        if (i % 6 == 0) next = edges[random >> 8 & 3] - (random >> 20 & 8);
        next = (next & ~(size_t)7) + 8;
        kept = bytes < next ? bytes : next;
        block = allocator->reallocate(NULL, block, bytes, next);
        if (block == NULL) break;
        changed += count_changed(block, kept);
        fill(block, kept, next);
        if (next >= 2 * MB) unaligned += (uintptr_t)block % EXPECTED_ALIGNMENT != 0;
        bytes = next;
    }
    bool all = block != NULL;
    ct_free(allocator, block, bytes);
    printf("resized: all %d, %zu words changed, %zu blocks unaligned\n", all, changed, unaligned);
}

// Returns whether a block cannot be resized. If it can, the block is the new one.
static bool is_refused(uint64_t **block, size_t *bytes, size_t wanted) {
    uint64_t *resized = allocator->reallocate(NULL, *block, *bytes, wanted);
    if (resized == NULL) return true;
    *block = resized;
    *bytes = wanted;
    return false;
}

// Requests that the system refuses leave the block unchanged.
static void refuse(size_t bytes) {
    const size_t some = (size_t)1 << 28, far = sizeof some == 8 ? some << 34 : SIZE_MAX / 2 + 1;
    size_t now = bytes;
    uint64_t *block = ct_alloc(allocator, bytes);
    if (block == NULL) return;
    fill(block, 0, bytes);
    struct rlimit limit;
    int refused = ct_alloc(allocator, far) == NULL;
    refused += is_refused(&block, &now, far);
    refused += is_refused(&block, &now, SIZE_MAX);
    getrlimit(RLIMIT_DATA, &limit);
    const struct rlimit none = {4096, limit.rlim_max}; // 0 would have another meaning
    setrlimit(RLIMIT_DATA, &none);                     // addresses can still be reserved
    refused += is_refused(&block, &now, some);
    refused += ct_alloc(allocator, some) == NULL;
    setrlimit(RLIMIT_DATA, &limit);
    printf("refused: %d, %zu words changed\n", refused, count_changed(block, bytes));
    ct_free(allocator, block, now);
}

int main(int argc, char **argv) {
    (void)argv;
    resize();
    if (argc == 1) return 0;
    refuse(1000);
    refuse((size_t)3 << 20);
    return 0;
}
