// Passes of a snapshot: each object lists its pieces of memory once, for measuring, saving and
// restoring.
#ifndef CT_STATE_H
#define CT_STATE_H

#include "base/alloc.h"

#include <string.h>

/// Task of a pass. An object with state has one function that lists its pieces in a fixed order;
/// each pass calls it.
typedef enum ct_state_pass {
    CT_STATE_MEASURE, ///< counts bytes; of the first two passes, only this one may fail
    CT_STATE_SAVE,    ///< copies pieces into the block
    CT_STATE_RESERVE, ///< checks the saved pieces, and reserves memory for them; a failure changes
                      ///< nothing else
    CT_STATE_COMMIT   ///< copies pieces back; cannot fail
} ct_state_pass;

/// Maximum number of columns of a manager (storage/columns.h).
#define CT_STATE_COLUMNS 64u

/// Reference to a shared block, and the function that releases it.
typedef struct ct_held {
    void *block;
    void (*release)(void *block);
} ct_held;

typedef struct ct_state {
    ct_state_pass pass;
    unsigned char *block; ///< aligned to 16; NULL in MEASURE
    size_t used;          ///< size of the pieces so far
    uint32_t piece_count; ///< number of the pieces so far
    uint32_t *sizes;      ///< SAVE writes the size of each piece, in units of 16 bytes; else NULL
    ct_status status;     ///< status of the first failure, with its reason in 'message'
    ct_message *message;

    // Blocks that the snapshot shares. MEASURE counts how many references SAVE will hold.
    ct_held *held;
    uint32_t held_count;

    // For a restore: data of the current world and manager.
    const uint32_t *strings;               ///< present number of each saved string
    bool same_strings;                     ///< all numbers are equal to the saved ones
    const void *columns[CT_STATE_COLUMNS]; ///< the saved columns of the manager's store
    uint32_t rows; ///< number of rows of the manager: the saved one, or in a save the present one
} ct_state;

static inline bool ct_state_restores(const ct_state *state) {
    return state->pass >= CT_STATE_RESERVE;
}

/// Returns the next piece of the block, aligned to 16; NULL in MEASURE. SAVE clears the bytes
/// between its end and the next piece, so that equal states have equal bytes.
static inline void *ct_state_piece(ct_state *state, size_t bytes) {
    const size_t padded = ct_padded(bytes);
    unsigned char *piece = state->block != NULL ? state->block + state->used : NULL;
    if (state->sizes != NULL && piece != NULL) {
        state->sizes[state->piece_count] = (uint32_t)(padded / 16);
        if (padded > bytes) memset(piece + padded - 16, 0, 16);
    }
    state->used += padded;
    state->piece_count++;
    return piece;
}

/// Copies to or from a piece, which exists in every pass except MEASURE.
static inline void ct_state_copy(void *to, const void *from, size_t bytes) {
    CT_ASSERT(to != NULL && from != NULL);
    memcpy(to, from, bytes);
}

/// Saves and restores the piece at 'memory', which only COMMIT writes. Returns the saved piece.
static inline const void *ct_state_block(ct_state *state, void *memory, size_t bytes) {
    void *piece = ct_state_piece(state, bytes);
    if (bytes == 0 || memory == NULL) return piece;
    if (state->pass == CT_STATE_SAVE) ct_state_copy(piece, memory, bytes);
    if (state->pass == CT_STATE_COMMIT) ct_state_copy(memory, piece, bytes);
    return piece;
}

/// Saves and restores values in a struct of the caller: RESERVE and COMMIT replace them by the
/// saved ones, which the caller then uses.
static inline void ct_state_values(ct_state *state, void *values, size_t bytes) {
    void *piece = ct_state_piece(state, bytes);
    if (state->pass == CT_STATE_SAVE) ct_state_copy(piece, values, bytes);
    if (ct_state_restores(state)) ct_state_copy(values, piece, bytes);
}

/// Does the same for one number: returns the saved one, or 'now'.
static inline uint32_t ct_state_number(ct_state *state, uint32_t now) {
    ct_state_values(state, &now, sizeof now);
    return now;
}

/// Shares a block with the snapshot, unless it is NULL: MEASURE counts it, SAVE keeps a reference
/// that the caller must add.
static inline void ct_state_hold(ct_state *state, void *block, void (*release)(void *block)) {
    if (block == NULL || ct_state_restores(state)) return;
    if (state->pass == CT_STATE_SAVE) {
        state->held[state->held_count].block = block;
        state->held[state->held_count].release = release;
    }
    state->held_count++;
}

/// Makes MEASURE or RESERVE fail with this status, unless it is CT_OK or the pass failed before.
/// Returns whether the status is CT_OK.
static inline bool ct_state_require(ct_state *state, ct_status status) {
    if (state->status == CT_OK) state->status = status;
    return status == CT_OK;
}

#endif
