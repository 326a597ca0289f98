// Memory for what one call needs, taken piece by piece and given back at once.
// Knows nothing of what the pieces are for.
#ifndef CT_ARENA_H
#define CT_ARENA_H

#include "base/alloc.h"

CT_BEGIN_C

/// Bytes that need no allocation.
#define CT_ARENA_FIRST 4096u

/// Pieces never move. May not move in memory itself.
typedef struct ct_arena {
    const ct_allocator *allocator;
    struct ct_arena_chunk *chunks; ///< the youngest first; NULL: only 'first' is used
    unsigned char *next;           ///< of the youngest, aligned to 16
    unsigned char *end;
    unsigned char first[CT_ARENA_FIRST + 16];
} ct_arena;

/// An empty arena. Allocates nothing.
void ct_arena_init(ct_arena *arena, const ct_allocator *allocator);

/// Makes room for a piece of 'bytes' bytes in a new chunk, or returns false: for ct_arena_take.
bool ct_arena_add_chunk(ct_arena *arena, size_t bytes);

/// A piece of 'bytes' bytes, aligned to 16, or NULL when memory runs out. Amortised O(1).
static inline void *ct_arena_take(ct_arena *arena, size_t bytes) {
    size_t room = (size_t)(arena->end - arena->next);
    if (CT_UNLIKELY(room < 16 || bytes > room - 16) && !ct_arena_add_chunk(arena, bytes))
        return NULL;
    void *piece = arena->next;
    arena->next += ct_padded(bytes);
    return piece;
}

/// Gives chunks back: for ct_arena_reset.
void ct_arena_free_chunks(ct_arena *arena);

/// Gives back all that was taken. O(chunks), of which there are few: each is as large as all
/// before.
static inline void ct_arena_reset(ct_arena *arena) {
    if (CT_UNLIKELY(arena->chunks != NULL)) ct_arena_free_chunks(arena);
    arena->next = arena->first + (-(uintptr_t)arena->first & 15u);
    arena->end = arena->first + sizeof arena->first;
}

CT_END_C

#endif
