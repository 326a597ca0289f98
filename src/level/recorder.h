// Slots of a ring of snapshots, with one call per frame.
#ifndef CT_RECORDER_H
#define CT_RECORDER_H

#include "base/base.h"

CT_BEGIN_C

#define CT_RECORDER_NO_PLACE UINT32_MAX

/// A ring of places 0 .. keep - 1 for snapshots. Counts frames; the first frame and then every
/// 'every'-th frame has a snapshot.
typedef struct ct_recorder {
    uint32_t every, keep;   ///< frames between snapshots; maximum number of snapshots
    uint32_t oldest, count; ///< place of the oldest snapshot; number of snapshots
    uint32_t since;         ///< frames since the youngest snapshot; below 'every'
} ct_recorder;

/// Initializes an empty ring. Both numbers are at least 1. Allocates nothing.
void ct_recorder_init(ct_recorder *recorder, uint32_t every, uint32_t keep);

/// Returns the place for the snapshot of the next frame, or CT_RECORDER_NO_PLACE if that frame has
/// no snapshot. Places ascend while the ring fills; after that the place contains the oldest
/// snapshot, which may be overwritten.
uint32_t ct_recorder_next(const ct_recorder *recorder);

/// Counts a frame; 'place' is the result of ct_recorder_next for it.
void ct_recorder_add(ct_recorder *recorder, uint32_t place);

/// Returns the place of the snapshot to restore for a rewind to the frame 'frames' ago (0: the
/// last frame): the snapshot of that frame, otherwise the nearest earlier one, otherwise the
/// oldest. Returns CT_RECORDER_NO_PLACE if the ring is empty.
uint32_t ct_recorder_find(const ct_recorder *recorder, uint64_t frames);

/// Returns the same place; *back gets the number of frames between its snapshot and the last
/// frame. O(count).
uint32_t ct_recorder_distance(const ct_recorder *recorder, uint64_t frames, uint64_t *back);

/// Records that the snapshot at 'place' was restored: drops all later snapshots, and all snapshots
/// if the place has none. Returns the number of frames of the rewind.
uint64_t ct_recorder_rewind(ct_recorder *recorder, uint32_t place);

CT_END_C

#endif
