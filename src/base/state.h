// Passes of a snapshot: one list of pieces of memory is measured, saved and restored.
#ifndef CT_STATE_H
#define CT_STATE_H

#include "base/alloc.h"

#include <string.h>

CT_BEGIN_C

/// What is done with the pieces. An object with state has one function that lists its pieces, in
/// one order; each pass calls it.
typedef enum ct_state_pass {
    CT_STATE_MEASURE, ///< bytes are counted; the only one of the first two that may fail
    CT_STATE_SAVE,    ///< pieces are copied into the block
    CT_STATE_RESERVE, ///< checks the saved pieces, and makes room for them; may fail, with nothing
                      ///< changed but room
    CT_STATE_COMMIT   ///< pieces are copied back; cannot fail
} ct_state_pass;

/// More than columns of a manager (storage/columns.h).
#define CT_STATE_COLUMNS 64u

/// A reference to a block that is shared, and the function that removes it.
typedef struct ct_held {
    void *block;
    void (*release)(void *block);
} ct_held;

typedef struct ct_state {
    ct_state_pass pass;
    unsigned char *block; ///< aligned to 16; NULL while it is measured
    size_t used;          ///< bytes of the pieces so far
    ct_status status;     ///< of the first failure, with its reason in 'message'
    ct_message *message;

    // Blocks that the snapshot shares: MEASURE counts how many references SAVE takes.
    ct_held *held;
    uint32_t held_count;

    // When it is restored: of the current world and manager.
    const uint32_t *strings; ///< number of each saved string, as the world counts them now
    bool same_strings;       ///< each has the number that it had
    const void *columns[CT_STATE_COLUMNS]; ///< the saved columns of the manager's store
} ct_state;

static inline bool ct_state_restores(const ct_state *state) {
    return state->pass >= CT_STATE_RESERVE;
}

/// The next piece of the block, aligned to 16; NULL while it is measured.
static inline void *ct_state_piece(ct_state *state, size_t bytes) {
    unsigned char *piece = state->block != NULL ? state->block + state->used : NULL;
    state->used += ct_padded(bytes);
    return piece;
}

/// Copies to or from a piece, which there is in every pass but MEASURE.
static inline void ct_state_copy(void *to, const void *from, size_t bytes) {
    CT_ASSERT(to != NULL && from != NULL);
    memcpy(to, from, bytes);
}

/// A piece that lies at 'memory', which is written by COMMIT alone. Returns where it is saved.
static inline const void *ct_state_block(ct_state *state, void *memory, size_t bytes) {
    void *piece = ct_state_piece(state, bytes);
    if (bytes == 0 || memory == NULL) return piece;
    if (state->pass == CT_STATE_SAVE) ct_state_copy(piece, memory, bytes);
    if (state->pass == CT_STATE_COMMIT) ct_state_copy(memory, piece, bytes);
    return piece;
}

/// Some values in a struct of the caller: RESERVE and COMMIT replace them by the saved ones, which
/// the caller then uses.
static inline void ct_state_values(ct_state *state, void *values, size_t bytes) {
    void *piece = ct_state_piece(state, bytes);
    if (state->pass == CT_STATE_SAVE) ct_state_copy(piece, values, bytes);
    if (ct_state_restores(state)) ct_state_copy(values, piece, bytes);
}

/// The same for one number: returns the saved one, or 'now'.
static inline uint32_t ct_state_number(ct_state *state, uint32_t now) {
    ct_state_values(state, &now, sizeof now);
    return now;
}

/// A block that the snapshot shares, unless it is NULL: MEASURE counts it, SAVE keeps the reference
/// that the caller adds.
static inline void ct_state_hold(ct_state *state, void *block, void (*release)(void *block)) {
    if (block == NULL || ct_state_restores(state)) return;
    if (state->pass == CT_STATE_SAVE) {
        state->held[state->held_count].block = block;
        state->held[state->held_count].release = release;
    }
    state->held_count++;
}

/// MEASURE or RESERVE fails, if it has not yet, with this status; false if that is not CT_OK.
static inline bool ct_state_require(ct_state *state, ct_status status) {
    if (state->status == CT_OK) state->status = status;
    return status == CT_OK;
}

CT_END_C

#endif
