// A ring of snapshots, one call a frame: how games are played back and rewound.
// Knows nothing of what is in them, nor of who keeps them, if its owner does.
#include "level/recorder.h"

void ct_recorder_init(ct_recorder *recorder, const ct_allocator *allocator, uint32_t every,
                      uint32_t keep) {
    CT_ASSERT(every > 0 && keep > 0);
    *recorder = (ct_recorder){.every = every, .keep = keep, .allocator = allocator};
}

void ct_recorder_free(ct_recorder *recorder) {
    for (uint32_t place = 0; place < recorder->made; ++place)
        ct_snapshot_free(&recorder->snapshots[place]);
    ct_free(recorder->allocator, recorder->snapshots,
            recorder->capacity * sizeof *recorder->snapshots);
    ct_recorder_init(recorder, recorder->allocator, recorder->every, recorder->keep);
}

// ---------------------------------------------------------------- places

// So many places from the oldest on, at most as many as there are.
static uint32_t place_at(const ct_recorder *recorder, uint32_t number) {
    uint64_t place = (uint64_t)recorder->oldest + number;
    return (uint32_t)(place < recorder->keep ? place : place - recorder->keep);
}

// 'steps' snapshots before the youngest.
static uint32_t place_before(const ct_recorder *recorder, uint32_t steps) {
    return place_at(recorder, recorder->count - 1 - steps);
}

uint32_t ct_recorder_next(const ct_recorder *recorder) {
    if (recorder->count == 0) return recorder->oldest;
    if (recorder->since + 1 < recorder->every) return CT_RECORDER_NO_PLACE;
    return place_at(recorder, recorder->count);
}

void ct_recorder_took(ct_recorder *recorder, uint32_t place) {
    CT_ASSERT(place == ct_recorder_next(recorder));
    recorder->since++;
    if (place == CT_RECORDER_NO_PLACE) return;
    recorder->since = 0;
    if (recorder->count < recorder->keep)
        recorder->count++;
    else
        recorder->oldest = place_at(recorder, 1);
}

uint32_t ct_recorder_find(const ct_recorder *recorder, uint64_t frames) {
    if (recorder->count == 0) return CT_RECORDER_NO_PLACE;
    uint64_t steps = 0;
    if (frames > recorder->since) steps = (frames - recorder->since - 1) / recorder->every + 1;
    return place_before(recorder, steps < recorder->count ? (uint32_t)steps : recorder->count - 1);
}

// 'count' if the place has no snapshot.
static uint32_t steps_to(const ct_recorder *recorder, uint32_t place) {
    uint32_t steps = 0;
    while (steps < recorder->count && place_before(recorder, steps) != place)
        steps++;
    return steps;
}

static uint64_t frames_back(const ct_recorder *recorder, uint32_t steps) {
    return recorder->since + (uint64_t)steps * recorder->every;
}

uint32_t ct_recorder_look(const ct_recorder *recorder, uint64_t frames, uint64_t *back) {
    uint32_t place = ct_recorder_find(recorder, frames);
    *back = place != CT_RECORDER_NO_PLACE ? frames_back(recorder, steps_to(recorder, place)) : 0;
    return place;
}

uint64_t ct_recorder_went(ct_recorder *recorder, uint32_t place) {
    uint32_t steps = steps_to(recorder, place);
    uint64_t frames = steps < recorder->count ? frames_back(recorder, steps) : 0;
    recorder->count -= steps;
    recorder->since = 0;
    return frames;
}

// ---------------------------------------------------------------- snapshots

static ct_status make(ct_recorder *recorder) {
    ct_status status =
        ct_array_reserve(recorder->allocator, (void **)&recorder->snapshots, &recorder->capacity,
                         recorder->made + 1, sizeof *recorder->snapshots);
    if (status == CT_OK)
        ct_snapshot_init(&recorder->snapshots[recorder->made++], recorder->allocator);
    return status;
}

ct_status ct_recorder_frame(ct_recorder *recorder, const ct_snapshot_worlds *worlds,
                            ct_message *message) {
    uint32_t place = ct_recorder_next(recorder);
    ct_status status = CT_OK;
    if (place != CT_RECORDER_NO_PLACE) {
        if (place == recorder->made) status = make(recorder);
        if (status == CT_OK)
            status = ct_snapshot_take(&recorder->snapshots[place], worlds, message);
    }
    if (status == CT_OK) ct_recorder_took(recorder, place);
    return status;
}

ct_status ct_recorder_rewind(ct_recorder *recorder, uint64_t frames,
                             const ct_snapshot_worlds *worlds, uint64_t *back,
                             ct_message *message) {
    uint32_t place = ct_recorder_find(recorder, frames);
    *back = 0;
    if (place == CT_RECORDER_NO_PLACE) return CT_OK;
    ct_status status = ct_snapshot_restore(&recorder->snapshots[place], worlds, message);
    if (status == CT_OK) *back = ct_recorder_went(recorder, place);
    return status;
}

size_t ct_recorder_bytes(const ct_recorder *recorder) {
    size_t bytes = 0;
    for (uint32_t place = 0; place < recorder->made; ++place)
        bytes += recorder->snapshots[place].capacity;
    return bytes;
}
