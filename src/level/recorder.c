// Recorder: a ring of snapshots, with one call per frame. Most are stored as changes.
#include "level/recorder.h"

void ct_recorder_init(ct_recorder *recorder, const ct_allocator *allocator, uint32_t every,
                      uint32_t keep) {
    CT_ASSERT(every > 0 && keep > 0);
    *recorder = (ct_recorder){.every = every, .keep = keep};
    ct_snapshot_init(&recorder->spare, allocator);
}

// Returns the place of snapshot 'number', counted from the oldest; 'number' is at most the count.
static uint32_t place_at(const ct_recorder *recorder, uint32_t number) {
    uint64_t place = (uint64_t)recorder->oldest + number;
    return (uint32_t)(place < recorder->keep ? place : place - recorder->keep);
}

static ct_recorder_item *recorded_at(const ct_recorder *recorder, uint32_t number) {
    return &recorder->items[place_at(recorder, number)];
}

// Gives a snapshot without a block the block of another one.
static void move_block(ct_snapshot *to, ct_snapshot *from) {
    to->block = from->block;
    to->capacity = from->capacity;
    from->block = NULL;
    from->capacity = 0;
}

// Makes the block of a complete snapshot that is not needed any more the spare block, unless there
// is one.
static void reuse(ct_recorder *recorder, ct_recorder_item *recorded) {
    if (recorder->spare.block == NULL && !recorded->changes)
        move_block(&recorder->spare, &recorded->snapshot);
}

void ct_recorder_free(ct_recorder *recorder) {
    const ct_allocator *allocator = recorder->spare.allocator;
    for (uint32_t place = 0; place < recorder->used; ++place)
        ct_snapshot_free(&recorder->items[place].snapshot);
    ct_snapshot_free(&recorder->spare);
    ct_changed_pages_free(&recorder->pages, allocator);
    ct_free(allocator, recorder->items, recorder->capacity * sizeof *recorder->items);
    ct_recorder_init(recorder, allocator, recorder->every, recorder->keep);
}

size_t ct_recorder_bytes(const ct_recorder *recorder) {
    size_t sum = recorder->spare.capacity;
    for (uint32_t place = 0; place < recorder->used; ++place)
        sum += recorder->items[place].snapshot.capacity;
    return sum;
}

// ---------------------------------------------------------------- recording

uint32_t ct_recorder_next(const ct_recorder *recorder) {
    if (recorder->count == 0) return recorder->oldest;
    if (recorder->since + 1 < recorder->every) return CT_RECORDER_NO_PLACE;
    return place_at(recorder, recorder->count);
}

// Cost of applying changes, in bytes: their bytes, and a part for each.
static size_t cost_of(const ct_snapshot *snapshot, size_t bytes) {
    return bytes + snapshot->bytes / 64;
}

// Returns whether the newest snapshot is stored as changes of these bytes: if a restore of the
// oldest snapshot that depends on them still copies no more than twice its size.
static bool is_small(const ct_recorder *recorder, size_t bytes) {
    const ct_snapshot *newest = &recorded_at(recorder, recorder->count - 1)->snapshot;
    size_t cost = cost_of(newest, bytes);
    for (uint32_t i = recorder->count - 1; i-- > 0 && recorded_at(recorder, i)->changes;)
        cost += cost_of(newest, recorded_at(recorder, i)->snapshot.capacity);
    return cost <= newest->bytes;
}

// Compares the newest snapshot with the next one. If it shall be stored as changes, writes them to
// *changes.
static ct_status make_changes(ct_recorder *recorder, ct_recorder_item *changes) {
    const ct_recorder_item *newest = recorded_at(recorder, recorder->count - 1);
    ct_changed_pages *pages = &recorder->pages;
    ct_status status = ct_changed_pages_reserve(pages, &newest->snapshot);
    if (status != CT_OK) return status;
    ct_changed_pages_compare(pages, &newest->snapshot, &recorder->spare);
    size_t bytes = ct_changes_bytes(pages);
    if (!is_small(recorder, bytes)) return CT_OK;
    void *block = ct_alloc(recorder->spare.allocator, bytes);
    if (block == NULL && bytes > 0) return CT_ERR_MEMORY;
    ct_changes_write(block, pages, &newest->snapshot);
    *changes = (ct_recorder_item){newest->snapshot, pages->count, true};
    changes->snapshot.block = block;
    changes->snapshot.capacity = bytes;
    return CT_OK;
}

// Adds the snapshot in 'spare'.
static ct_status add(ct_recorder *recorder, uint32_t place) {
    ct_recorder_item changes = {.changes = false};
    ct_status status = ct_array_reserve(recorder->spare.allocator, (void **)&recorder->items,
                                        &recorder->capacity, place + 1, sizeof *recorder->items);
    if (status == CT_OK && recorder->count > 0) status = make_changes(recorder, &changes);
    if (status != CT_OK) return status;
    // Nothing below this line can fail.
    const ct_snapshot taken = recorder->spare;
    ct_snapshot_init(&recorder->spare, taken.allocator);
    if (changes.changes) {
        ct_recorder_item *newest = recorded_at(recorder, recorder->count - 1);
        move_block(&recorder->spare, &newest->snapshot);
        *newest = changes;
    }
    if (place < recorder->used) {
        reuse(recorder, &recorder->items[place]);
        ct_snapshot_free(&recorder->items[place].snapshot);
    } else {
        recorder->used++;
    }
    recorder->items[place] = (ct_recorder_item){.snapshot = taken};
    if (recorder->count < recorder->keep)
        recorder->count++;
    else
        recorder->oldest = place_at(recorder, 1);
    return CT_OK;
}

ct_status ct_recorder_frame(ct_recorder *recorder, const ct_snapshot_worlds *worlds,
                            ct_message *message) {
    uint32_t place = ct_recorder_next(recorder);
    ct_status status = CT_OK;
    if (place == CT_RECORDER_NO_PLACE) {
        recorder->since++;
        return CT_OK;
    }
    if (recorder->keep == 1 && recorder->count == 1) {
        status = ct_snapshot_take(&recorder->items[place].snapshot, worlds, message);
    } else {
        status = ct_snapshot_take(&recorder->spare, worlds, message);
        if (status == CT_OK) status = add(recorder, place);
        if (status != CT_OK) ct_snapshot_free(&recorder->spare); // releases what it holds
    }
    if (status == CT_OK) recorder->since = 0;
    return status;
}

// ---------------------------------------------------------------- restoring

// Returns the number of the snapshot, counted from the oldest. There is one.
static uint32_t number_of(const ct_recorder *recorder, uint64_t frames) {
    uint64_t steps = 0;
    if (frames > recorder->since) steps = (frames - recorder->since - 1) / recorder->every + 1;
    return steps < recorder->count ? recorder->count - 1 - (uint32_t)steps : 0;
}

uint32_t ct_recorder_find(const ct_recorder *recorder, uint64_t frames, uint64_t *back) {
    *back = 0;
    if (recorder->count == 0) return CT_RECORDER_NO_PLACE;
    uint32_t number = number_of(recorder, frames);
    *back = recorder->since + (uint64_t)(recorder->count - 1 - number) * recorder->every;
    return place_at(recorder, number);
}

// Restores a snapshot that is stored as changes to the spare block.
static ct_status complete(ct_recorder *recorder, uint32_t number) {
    const ct_snapshot *snapshot = &recorded_at(recorder, number)->snapshot;
    ct_snapshot *spare = &recorder->spare;
    uint32_t later = number;
    while (recorded_at(recorder, later)->changes)
        later++;
    if (spare->capacity < snapshot->bytes) {
        void *block = ct_alloc(spare->allocator, snapshot->bytes);
        if (block == NULL) return CT_ERR_MEMORY;
        ct_snapshot_free(spare);
        spare->block = block;
        spare->capacity = snapshot->bytes;
    }
    spare->bytes = snapshot->bytes;
    spare->piece_count = snapshot->piece_count;
    for (uint32_t pass = 0; pass < 2; ++pass) {
        ct_changes_part part = pass == 0 ? CT_CHANGES_TABLE : CT_CHANGES_PIECES;
        ct_changes_begin(spare, &recorded_at(recorder, later)->snapshot, part);
        for (uint32_t i = later; i-- > number;) {
            const ct_recorder_item *changes = recorded_at(recorder, i);
            ct_changes_apply(spare, changes->snapshot.block, changes->page_count, part);
        }
    }
    return CT_OK;
}

ct_status ct_recorder_restore(ct_recorder *recorder, uint64_t frames,
                              const ct_snapshot_worlds *worlds, ct_message *message) {
    CT_ASSERT(recorder->count > 0);
    uint32_t number = number_of(recorder, frames);
    const ct_recorder_item *recorded = recorded_at(recorder, number);
    if (!recorded->changes) return ct_snapshot_restore(&recorded->snapshot, worlds, message);
    ct_status status = complete(recorder, number);
    return status == CT_OK ? ct_snapshot_restore(&recorder->spare, worlds, message) : status;
}

ct_status ct_recorder_rewind(ct_recorder *recorder, uint64_t frames,
                             const ct_snapshot_worlds *worlds, ct_message *message) {
    ct_status status = ct_recorder_restore(recorder, frames, worlds, message);
    if (status != CT_OK) return status;
    // Nothing below this line can fail.
    uint32_t number = number_of(recorder, frames);
    ct_recorder_item *recorded = recorded_at(recorder, number);
    if (recorded->changes) {
        ct_snapshot *snapshot = &recorded->snapshot;
        ct_free(snapshot->allocator, snapshot->block, snapshot->capacity);
        move_block(snapshot, &recorder->spare);
        recorded->changes = false;
    }
    if (recorder->count - 1 > number) reuse(recorder, recorded_at(recorder, recorder->count - 1));
    recorder->count = number + 1;
    recorder->since = 0;
    return CT_OK;
}
