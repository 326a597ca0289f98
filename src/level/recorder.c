// Slots of a ring of snapshots, with one call per frame.
#include "level/recorder.h"

void ct_recorder_init(ct_recorder *recorder, uint32_t every, uint32_t keep) {
    CT_ASSERT(every > 0 && keep > 0);
    *recorder = (ct_recorder){.every = every, .keep = keep};
}

// Returns the place of snapshot 'number', counted from the oldest; 'number' is at most the count.
static uint32_t place_at(const ct_recorder *recorder, uint32_t number) {
    uint64_t place = (uint64_t)recorder->oldest + number;
    return (uint32_t)(place < recorder->keep ? place : place - recorder->keep);
}

// Returns the place of the snapshot 'steps' before the youngest.
static uint32_t place_before(const ct_recorder *recorder, uint32_t steps) {
    return place_at(recorder, recorder->count - 1 - steps);
}

uint32_t ct_recorder_next(const ct_recorder *recorder) {
    if (recorder->count == 0) return recorder->oldest;
    if (recorder->since + 1 < recorder->every) return CT_RECORDER_NO_PLACE;
    return place_at(recorder, recorder->count);
}

void ct_recorder_add(ct_recorder *recorder, uint32_t place) {
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

// Returns the distance of a place from the youngest, or 'count' if the place has no snapshot.
static uint32_t steps_to(const ct_recorder *recorder, uint32_t place) {
    uint32_t steps = 0;
    while (steps < recorder->count && place_before(recorder, steps) != place)
        steps++;
    return steps;
}

static uint64_t frames_back(const ct_recorder *recorder, uint32_t steps) {
    return recorder->since + (uint64_t)steps * recorder->every;
}

uint32_t ct_recorder_distance(const ct_recorder *recorder, uint64_t frames, uint64_t *back) {
    uint32_t place = ct_recorder_find(recorder, frames);
    *back = place != CT_RECORDER_NO_PLACE ? frames_back(recorder, steps_to(recorder, place)) : 0;
    return place;
}

uint64_t ct_recorder_rewind(ct_recorder *recorder, uint32_t place) {
    uint32_t steps = steps_to(recorder, place);
    uint64_t frames = steps < recorder->count ? frames_back(recorder, steps) : 0;
    recorder->count -= steps;
    recorder->since = 0;
    return frames;
}
