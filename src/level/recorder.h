// The places of a ring of snapshots, one call a frame.
// Must not depend on snapshots, which the caller keeps.
#ifndef CT_RECORDER_H
#define CT_RECORDER_H

#include "base/base.h"

CT_BEGIN_C

#define CT_RECORDER_NO_PLACE UINT32_MAX

/// Places of snapshots are 0 .. keep - 1. Each frame is counted; every so many, the first of them
/// among them, has a snapshot.
typedef struct ct_recorder {
    uint32_t every, keep;   ///< frames from one snapshot to the next; the most snapshots
    uint32_t oldest, count; ///< place of the first, and how many there are
    uint32_t since;         ///< frames counted since the youngest, below 'every'
} ct_recorder;

/// An empty ring. Both numbers are at least 1. Allocates nothing.
void ct_recorder_init(ct_recorder *recorder, uint32_t every, uint32_t keep);

/// The place for the snapshot of the next frame; CT_RECORDER_NO_PLACE if it has none. New places
/// come one after another; one that was given before has an old snapshot, whose memory is free.
uint32_t ct_recorder_next(const ct_recorder *recorder);

/// Counts the frame whose place that is.
void ct_recorder_took(ct_recorder *recorder, uint32_t place);

/// The place of the snapshot that a rewind restores: that of the frame counted 'frames' ago, 0 for
/// the last one; else the nearest before it; else the oldest. CT_RECORDER_NO_PLACE if there is
/// none.
uint32_t ct_recorder_find(const ct_recorder *recorder, uint64_t frames);

/// The same place, and how many frames it lies behind the last frame. O(count).
uint32_t ct_recorder_look(const ct_recorder *recorder, uint64_t frames, uint64_t *back);

/// It has been restored: those behind it are dropped. Returns the frames gone back. If it is not
/// there any more, all are dropped.
uint64_t ct_recorder_went(ct_recorder *recorder, uint32_t place);

CT_END_C

#endif
