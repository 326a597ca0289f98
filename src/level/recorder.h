// Recorder: a ring of snapshots, with one call per frame. Most are stored as changes.
#ifndef CT_RECORDER_H
#define CT_RECORDER_H

#include "level/snapshot_changes.h"

#define CT_RECORDER_NO_PLACE UINT32_MAX
#define CT_RECORDER_MOST 1048576u ///< limit of 'every' and 'keep' for callers

/// A snapshot of a recorder: complete, or only the blocks in which it differs from the next later
/// one (snapshot_changes.h).
typedef struct ct_recorder_item {
    ct_snapshot snapshot; ///< its block has the state or the changes; the rest describes the state
    uint32_t page_count;  ///< of the changes
    bool changes;         ///< the block has changes
} ct_recorder_item;

/// A ring of places 0 .. keep - 1 for snapshots. Counts frames; the first frame and then every
/// 'every'-th frame has a snapshot. The newest snapshot is complete, and others are complete if the
/// changes since are as large, so a restore copies at most about two snapshots.
typedef struct ct_recorder {
    uint32_t every, keep;    ///< frames between snapshots; maximum number of snapshots
    uint32_t oldest, count;  ///< place of the oldest snapshot; number of snapshots
    uint32_t since;          ///< frames since the youngest snapshot; below 'every'
    uint32_t used, capacity; ///< of items
    ct_recorder_item *items; ///< by place; those of dropped snapshots keep their memory until the
                             ///< place is used again
    ct_snapshot spare;       ///< block for the next snapshot, and for restores
    ct_changed_pages pages;  ///< of the last comparison
} ct_recorder;

/// Initializes an empty recorder. Both numbers are at least 1. Allocates nothing.
void ct_recorder_init(ct_recorder *recorder, const ct_allocator *allocator, uint32_t every,
                      uint32_t keep);

/// Frees all snapshots; the recorder is empty afterwards.
void ct_recorder_free(ct_recorder *recorder);

/// Returns the place for the snapshot of the next frame, or CT_RECORDER_NO_PLACE if that frame has
/// no snapshot. Places ascend while the ring fills; after that the place contains the oldest
/// snapshot, which will be dropped.
uint32_t ct_recorder_next(const ct_recorder *recorder);

/// Ends a frame: takes a snapshot of the worlds if the frame has one; otherwise they are not used.
/// Returns the status of ct_snapshot_take; unless it is CT_OK, no frame is counted and all
/// snapshots are kept. Takes one snapshot, and compares it with the one before.
ct_status ct_recorder_frame(ct_recorder *recorder, const ct_snapshot_worlds *worlds,
                            ct_message *message);

/// Returns the place of the snapshot to restore for a rewind to the frame 'frames' ago (0: the
/// last frame): the snapshot of that frame, otherwise the nearest earlier one, otherwise the
/// oldest. *back gets the number of frames between it and the last frame. Returns
/// CT_RECORDER_NO_PLACE, and 0 frames, if the recorder is empty.
uint32_t ct_recorder_find(const ct_recorder *recorder, uint64_t frames, uint64_t *back);

/// Restores the snapshot that ct_recorder_find finds, over any entity manager, and keeps all
/// snapshots. The recorder is not empty. Returns the status of ct_snapshot_restore.
ct_status ct_recorder_restore(ct_recorder *recorder, uint64_t frames,
                              const ct_snapshot_worlds *worlds, ct_message *message);

/// Does the same, drops all later snapshots, and continues from the restored frame. Unless the
/// status is CT_OK, nothing changes.
ct_status ct_recorder_rewind(ct_recorder *recorder, uint64_t frames,
                             const ct_snapshot_worlds *worlds, ct_message *message);

/// Returns the bytes of all snapshots, also of dropped ones, and of the spare block. O(keep).
size_t ct_recorder_bytes(const ct_recorder *recorder);

#endif
