// Temporary memory of one call: allocated in pieces, freed together.
#ifndef CT_ARENA_H
#define CT_ARENA_H

#include "base/alloc.h"

/// Arena that allocates all pieces in chunks from the allocator, without an inline buffer: for
/// deeply nested stack frames. Pieces never move.
typedef struct ct_scratch {
    const ct_allocator *allocator;
    struct ct_scratch_chunk *chunks; ///< newest first
    unsigned char *next;             ///< free memory of the newest chunk, aligned to 16
    unsigned char *end;
} ct_scratch;

/// Initializes an arena without chunks. Allocates nothing.
static inline void ct_scratch_init(ct_scratch *scratch, const ct_allocator *allocator) {
    scratch->allocator = allocator;
    scratch->chunks = NULL;
    scratch->next = scratch->end = NULL;
}

/// Adds a chunk with space for a piece of 'bytes' bytes, or returns false. For ct_scratch_take.
bool ct_scratch_add_chunk(ct_scratch *scratch, size_t bytes);

/// Returns a piece of 'bytes' bytes, aligned to 16, or NULL if memory runs out. Amortised O(1).
static inline void *ct_scratch_take(ct_scratch *scratch, size_t bytes) {
    size_t room = (size_t)(scratch->end - scratch->next);
    if (CT_UNLIKELY(room < 16 || bytes > room - 16) && !ct_scratch_add_chunk(scratch, bytes))
        return NULL;
    void *piece = scratch->next;
    scratch->next += ct_padded(bytes);
    return piece;
}

/// Frees all pieces. O(chunks): each chunk is at least twice as large as the one before.
void ct_scratch_free(ct_scratch *scratch);

/// Size of the inline buffer of an arena.
#define CT_ARENA_FIRST 4096u

/// Arena with an inline buffer. Must not move in memory.
typedef struct ct_arena {
    ct_scratch pieces; ///< if 'chunks' is NULL, only 'first' is used
    unsigned char first[CT_ARENA_FIRST + 16];
} ct_arena;

/// Initializes an empty arena. Allocates nothing.
void ct_arena_init(ct_arena *arena, const ct_allocator *allocator);

static inline void *ct_arena_take(ct_arena *arena, size_t bytes) {
    return ct_scratch_take(&arena->pieces, bytes);
}

static inline void ct_arena_reset(ct_arena *arena) {
    if (CT_UNLIKELY(arena->pieces.chunks != NULL)) ct_scratch_free(&arena->pieces);
    arena->pieces.next = arena->first + (-(uintptr_t)arena->first & 15u);
    arena->pieces.end = arena->first + sizeof arena->first;
}

#endif
