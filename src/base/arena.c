// Memory for what one call needs: a first piece of its own, then chunks of the allocator.
// Knows nothing of what the pieces are for.
#include "base/arena.h"

#define ALIGNMENT 16u

typedef struct ct_arena_chunk {
    struct ct_arena_chunk *older;
    size_t bytes; // of this block
} chunk;

static void use(ct_arena *arena, unsigned char *block, size_t bytes) {
    arena->next = block + (-(uintptr_t)block & (ALIGNMENT - 1));
    arena->end = block + bytes;
}

void ct_arena_init(ct_arena *arena, const ct_allocator *allocator) {
    arena->allocator = allocator;
    arena->chunks = NULL;
    ct_arena_reset(arena);
}

bool ct_arena_add_chunk(ct_arena *arena, size_t bytes) {
    size_t twice = arena->chunks != NULL ? arena->chunks->bytes * 2 : 4 * (size_t)CT_ARENA_FIRST;
    if (!ct_size_mul_add(1, bytes, sizeof(chunk) + 3 * ALIGNMENT, &bytes)) return false;
    if (bytes < twice) bytes = twice;
    chunk *c = ct_alloc(arena->allocator, bytes);
    if (c == NULL) return false;
    *c = (chunk){arena->chunks, bytes};
    arena->chunks = c;
    use(arena, (unsigned char *)(c + 1), bytes - sizeof *c);
    return true;
}

void ct_arena_free_chunks(ct_arena *arena) {
    while (arena->chunks != NULL) {
        chunk *c = arena->chunks;
        arena->chunks = c->older;
        ct_free(arena->allocator, c, c->bytes);
    }
}
