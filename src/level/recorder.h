// A ring of snapshots, one call a frame: how games are played back and rewound.
// Knows nothing of what is in them, nor of who keeps them, if its owner does.
#ifndef CT_RECORDER_H
#define CT_RECORDER_H

#include "level/snapshot.h"

CT_BEGIN_C

#define CT_RECORDER_NO_PLACE UINT32_MAX

/// Places of snapshots are 0 .. keep - 1. Each frame is counted; every so many, the first of them
/// among them, has a snapshot.
typedef struct ct_recorder {
    uint32_t every, keep;   ///< frames from one snapshot to the next; the most snapshots
    uint32_t oldest, count; ///< place of the first, and how many there are
    uint32_t since;         ///< frames counted since the youngest, below 'every'

    // Of ct_recorder_frame and ct_recorder_rewind, not used by those who keep snapshots themselves:
    const ct_allocator *allocator;
    ct_snapshot *snapshots; ///< by place
    uint32_t made, capacity;
} ct_recorder;

/// One that has recorded nothing. Both numbers are at least 1. Allocates nothing.
void ct_recorder_init(ct_recorder *recorder, const ct_allocator *allocator, uint32_t every,
                      uint32_t keep);

void ct_recorder_free(ct_recorder *recorder);

/// Counts a frame and, if one is due, takes a snapshot, at the limit in the memory of the oldest.
/// Statuses of ct_snapshot_take: unless it is CT_OK, all is as it was.
ct_status ct_recorder_frame(ct_recorder *recorder, const ct_snapshot_worlds *worlds,
                            ct_message *message);

/// Restores what was at the frame counted 'frames' ago, 0 being the last that was; if that has no
/// snapshot, the nearest before it, and if there is none so old, the oldest. Later ones are
/// dropped, their memory is kept, and the next frame follows the one that came back. *back: how
/// many frames that was; 0, and nothing happens, if nothing is recorded. Statuses of
/// ct_snapshot_restore.
ct_status ct_recorder_rewind(ct_recorder *recorder, uint64_t frames,
                             const ct_snapshot_worlds *worlds, uint64_t *back, ct_message *message);

/// Bytes held by all snapshots, dropped ones too. O(keep).
size_t ct_recorder_bytes(const ct_recorder *recorder);

// ---------------------------------------------------------------- for who keeps the snapshots

/// The place for the snapshot of the next frame; CT_RECORDER_NO_PLACE if it has none. New places
/// come one after another; one that was given before has an old snapshot, whose memory is free.
uint32_t ct_recorder_next(const ct_recorder *recorder);

/// Counts the frame whose place that is.
void ct_recorder_took(ct_recorder *recorder, uint32_t place);

/// The place of what a rewind restores, or CT_RECORDER_NO_PLACE.
uint32_t ct_recorder_find(const ct_recorder *recorder, uint64_t frames);

/// The same place, and how many frames it lies behind the last frame. O(count).
uint32_t ct_recorder_look(const ct_recorder *recorder, uint64_t frames, uint64_t *back);

/// It has been restored: those behind it are dropped. Returns the frames gone back. If it is not
/// there any more, all are dropped.
uint64_t ct_recorder_went(ct_recorder *recorder, uint32_t place);

CT_END_C

#endif
