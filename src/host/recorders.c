// Recorders for hosts.
#include "host/host_internal.h"

#include "level/recorder.h"

void ct_host_recorder_options_init(ct_host_recorder_options *options, uint32_t size) {
    static const ct_host_recorder_options defaults = {
        .size = sizeof defaults, .every = 1, .keep = 600};
    ct_options_init(options, size, &defaults, sizeof defaults);
}

static bool check_number(ct_host_entities *host, const char *name, uint32_t number) {
    if (number >= 1 && number <= CT_RECORDER_MOST) return true;
    return ct_message_set(&host->message, "%s: integer in [1, %u] expected, got %u", name,
                          CT_RECORDER_MOST, number);
}

ct_status ct_host_recorder_new(ct_host_entities *host, const ct_host_recorder_options *options,
                               ct_host_recorder *out) {
    ct_host_recorder_options o;
    out->id = 0;
    ct_host_recorder_options_init(&o, sizeof o);
    if (!ct_slots_may_change(host) ||
        !ct_slot_options(options, &o, sizeof o, "ct_host_recorder_options_init", &host->message) ||
        !check_number(host, "every", o.every) || !check_number(host, "keep", o.keep))
        return CT_ERR_DATA;
    ct_recorder *recorder = ct_slot_alloc(host, sizeof *recorder);
    if (recorder == NULL) return CT_ERR_MEMORY;
    ct_recorder_init(recorder, &host->allocator, o.every, o.keep);
    return ct_slot_new(host, CT_SLOT_RECORDER, 0, recorder, &out->id);
}

ct_status ct_host_record(ct_host_entities *host, ct_host_recorder recorder) {
    ct_recorder *core = ct_slot_change(host, recorder.id, CT_SLOT_RECORDER);
    if (core == NULL) return CT_ERR_DATA;
    const ct_snapshot_worlds worlds = ct_slot_worlds(host);
    ct_status status = ct_recorder_frame(core, &worlds, &host->message);
    ct_slot_sweep_resources(host); // of levels that only the dropped frame had
    return ct_slot_status(host, status);
}

ct_status ct_host_rewind(ct_host_entities *host, ct_host_recorder recorder, uint64_t frames,
                         uint64_t *back) {
    uint64_t distance;
    ct_status status = CT_OK;
    ct_recorder *core = ct_slot_change(host, recorder.id, CT_SLOT_RECORDER);
    if (core == NULL) return CT_ERR_DATA;
    const ct_snapshot_worlds worlds = ct_slot_worlds(host);
    if (ct_recorder_find(core, frames, &distance) != CT_RECORDER_NO_PLACE)
        status = ct_recorder_rewind(core, frames, &worlds, &host->message);
    if (status == CT_OK && back != NULL) *back = distance;
    ct_slot_sweep_resources(host);
    return ct_slot_status(host, status);
}

ct_status ct_host_recording_of(ct_host_entities *host, ct_host_recorder recorder,
                               ct_host_recording *out) {
    const ct_recorder *core = ct_slot_read(host, recorder.id, CT_SLOT_RECORDER);
    if (core == NULL) return CT_ERR_DATA;
    const ct_host_recording recording = {.frames = core->count, .bytes = ct_recorder_bytes(core)};
    return ct_slot_result(host, out, &recording, sizeof recording);
}
