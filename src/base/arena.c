// Temporary memory of one call: an inline buffer, then chunks from the allocator.
#include "base/arena.h"

#define ALIGNMENT 16u

typedef struct ct_scratch_chunk {
    struct ct_scratch_chunk *older;
    size_t bytes; // size of this block
} chunk;

bool ct_scratch_add_chunk(ct_scratch *scratch, size_t bytes) {
    const chunk *last = scratch->chunks;
    size_t twice = last != NULL ? last->bytes * 2 : 4 * (size_t)CT_ARENA_FIRST;
    if (!ct_size_mul_add(1, bytes, sizeof(chunk) + 3 * ALIGNMENT, &bytes)) return false;
    if (bytes < twice) bytes = twice;
    chunk *c = ct_alloc(scratch->allocator, bytes);
    if (c == NULL) return false;
    *c = (chunk){scratch->chunks, bytes};
    scratch->chunks = c;
    unsigned char *block = (unsigned char *)(c + 1);
    scratch->next = block + (-(uintptr_t)block & (ALIGNMENT - 1));
    scratch->end = (unsigned char *)c + bytes;
    return true;
}

void ct_scratch_free(ct_scratch *scratch) {
    while (scratch->chunks != NULL) {
        chunk *c = scratch->chunks;
        scratch->chunks = c->older;
        ct_free(scratch->allocator, c, c->bytes);
    }
    scratch->next = scratch->end = NULL;
}

void ct_arena_init(ct_arena *arena, const ct_allocator *allocator) {
    ct_scratch_init(&arena->pieces, allocator);
    ct_arena_reset(arena);
}
