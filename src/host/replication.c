// Publishers, peers and subscribers for hosts.
#include "host/host_internal.h"

#include "level/replication/peer.h"
#include "level/replication/subscriber.h"

void ct_host_replication_options_init(ct_host_replication_options *options, uint32_t size) {
    static const ct_host_replication_options defaults = {
        .size = sizeof defaults, .keep = 64, .max_bytes = 1u << 20, .max_entities = 65536};
    ct_options_init(options, size, &defaults, sizeof defaults);
}

static bool has_names(const ct_host_replication_options *o, ct_message *message) {
    bool given = true;
    for (uint32_t i = 0; i < o->component_count && given; ++i)
        given = o->components[i] != NULL;
    for (uint32_t i = 0; i < o->step_count && given; ++i)
        given = o->steps[i].component != NULL && o->steps[i].field != NULL;
    return given || ct_message_set(message, "components, steps: a name expected, got NULL");
}

// Reads the options and returns the world, or NULL with the reason.
static ct_slot_world *begin(ct_host_entities *host, ct_host_world world,
                            const ct_host_replication_options *options,
                            ct_host_replication_options *o) {
    ct_host_replication_options_init(o, sizeof *o);
    if (!ct_slots_may_change(host) ||
        !ct_slot_options(options, o, sizeof *o, "ct_host_replication_options_init",
                         &host->message) ||
        !has_names(o, &host->message))
        return NULL;
    return ct_slot_world_of(host, world);
}

// Makes the handle of an object that was initialized, or frees the block.
static ct_status end(ct_host_entities *host, ct_status status, ct_slot_kind kind, uint32_t world,
                     void *object, size_t bytes, uint64_t *id) {
    if (status == CT_OK) return ct_slot_new(host, kind, world, object, id);
    ct_free(&host->allocator, object, bytes);
    return ct_slot_status(host, status);
}

// ---------------------------------------------------------------- publishers

static ct_status open_publisher(ct_host_entities *host, ct_world *world,
                                const ct_host_replication_options *o, ct_publisher *out) {
    ct_scratch scratch;
    ct_scratch_init(&scratch, &host->allocator);
    ct_publisher_step *steps =
        ct_scratch_take(&scratch, (o->step_count + (size_t)1) * sizeof *steps);
    ct_status status = CT_ERR_MEMORY;
    for (uint32_t i = 0; i < o->step_count && steps != NULL; ++i)
        steps[i] = (ct_publisher_step){o->steps[i].component, o->steps[i].field, o->steps[i].step};
    const ct_publisher_options core = {.components = o->components,
                                       .component_count = o->component_count,
                                       .steps = steps,
                                       .step_count = o->step_count,
                                       .keep = o->keep};
    if (steps != NULL)
        status = ct_publisher_init(out, &host->allocator, world, &core, &host->message);
    ct_scratch_free(&scratch);
    return status;
}

ct_status ct_host_publisher_new(ct_host_entities *host, ct_host_world world,
                                const ct_host_replication_options *options,
                                ct_host_publisher *out) {
    ct_host_replication_options o;
    out->id = 0;
    ct_slot_world *object = begin(host, world, options, &o);
    if (object == NULL) return CT_ERR_DATA;
    ct_publisher *publisher = ct_slot_alloc(host, sizeof *publisher);
    if (publisher == NULL) return CT_ERR_MEMORY;
    ct_status status = open_publisher(host, &object->core, &o, publisher);
    return end(host, status, CT_SLOT_PUBLISHER, object->slot, publisher, sizeof *publisher,
               &out->id);
}

static ct_status record(ct_host_entities *host, ct_host_publisher publisher, const ct_entity *list,
                        uint32_t count, uint32_t *frame) {
    ct_publisher *core = ct_slot_change(host, publisher.id, CT_SLOT_PUBLISHER);
    if (core == NULL) return CT_ERR_DATA;
    ct_status status = ct_publisher_frame(core, list, count, NULL, &host->message);
    if (status == CT_OK && frame != NULL) *frame = core->frame;
    return ct_slot_status(host, status);
}

ct_status ct_host_frame(ct_host_entities *host, ct_host_publisher publisher, uint32_t *frame) {
    return record(host, publisher, NULL, 0, frame);
}

ct_status ct_host_frame_of(ct_host_entities *host, ct_host_publisher publisher,
                           const ct_entity *list, uint32_t count, uint32_t *frame) {
    static const ct_entity none; // no item is read
    return record(host, publisher, list != NULL ? list : &none, count, frame);
}

// Writes a message as the result of a call.
static ct_status write_packet(ct_host_entities *host, const ct_publisher *publisher,
                              ct_status status, ct_text text, uint32_t waiting,
                              ct_host_packet *out) {
    if (status == CT_ERR_FULL) ct_message_set(&host->message, "the message has more than 4 GB");
    if (status != CT_OK) return ct_slot_status(host, status);
    const ct_host_packet packet = {
        .frame = publisher->frame, .bytes = text.bytes, .count = text.length, .waiting = waiting};
    return ct_slot_result(host, out, &packet, sizeof packet);
}

static bool has_frame(ct_host_entities *host, const ct_publisher *publisher) {
    return publisher->frame > 0 || ct_message_set(&host->message, "no frame was recorded");
}

ct_status ct_host_shared_message(ct_host_entities *host, ct_host_publisher publisher, uint32_t base,
                                 ct_host_packet *out) {
    ct_text text;
    ct_publisher *core = ct_slot_change(host, publisher.id, CT_SLOT_PUBLISHER);
    if (core == NULL || !has_frame(host, core)) return CT_ERR_DATA;
    ct_status status = ct_publisher_message(core, base, &text);
    return write_packet(host, core, status, text, 0, out);
}

ct_status ct_host_peer_new(ct_host_entities *host, ct_host_publisher publisher, ct_host_peer *out) {
    out->id = 0;
    ct_publisher *core = ct_slot_change(host, publisher.id, CT_SLOT_PUBLISHER);
    if (core == NULL) return CT_ERR_DATA;
    ct_peer *peer = ct_slot_alloc(host, sizeof *peer);
    if (peer == NULL) return CT_ERR_MEMORY;
    ct_peer_init(peer, core);
    const uint32_t world = ct_slot_owner(host, publisher.id)->slot;
    return ct_slot_new(host, CT_SLOT_PEER, world, peer, &out->id);
}

ct_status ct_host_peer_message(ct_host_entities *host, ct_host_peer peer, const ct_entity *list,
                               uint32_t count, uint32_t limit, ct_host_packet *out) {
    ct_text text;
    ct_peer *core = ct_slot_change(host, peer.id, CT_SLOT_PEER);
    if (core == NULL || !has_frame(host, core->publisher)) return CT_ERR_DATA;
    ct_status status = ct_peer_message(core, list, count, limit, &text);
    return write_packet(host, core->publisher, status, text, ct_peer_waiting(core), out);
}

ct_status ct_host_acknowledge(ct_host_entities *host, ct_host_peer peer, uint32_t frame) {
    ct_peer *core = ct_slot_change(host, peer.id, CT_SLOT_PEER);
    if (core == NULL) return CT_ERR_DATA;
    if (ct_peer_acknowledge(core, frame)) return CT_OK;
    return ct_slot_fail(host, "peer: no message of frame %u is kept", frame);
}

// ---------------------------------------------------------------- subscribers

ct_status ct_host_subscriber_new(ct_host_entities *host, ct_host_world world,
                                 const ct_host_replication_options *options,
                                 ct_host_subscriber *out) {
    ct_host_replication_options o;
    out->id = 0;
    ct_slot_world *object = begin(host, world, options, &o);
    if (object == NULL) return CT_ERR_DATA;
    ct_subscriber *subscriber = ct_slot_alloc(host, sizeof *subscriber);
    if (subscriber == NULL) return CT_ERR_MEMORY;
    const ct_subscriber_options core = {.max_bytes = o.max_bytes,
                                        .max_entities = o.max_entities,
                                        .components = o.component_count > 0 ? o.components : NULL,
                                        .component_count = o.component_count};
    ct_status status = ct_subscriber_init(subscriber, &host->allocator, &object->core, &core);
    return end(host, status, CT_SLOT_SUBSCRIBER, object->slot, subscriber, sizeof *subscriber,
               &out->id);
}

ct_status ct_host_apply(ct_host_entities *host, ct_host_subscriber subscriber, const void *bytes,
                        size_t count, uint32_t *frame) {
    bool ok = true; // there is no host that could fail
    ct_subscriber *core = ct_slot_change(host, subscriber.id, CT_SLOT_SUBSCRIBER);
    if (core == NULL) return CT_ERR_DATA;
    ct_status status = ct_subscriber_apply(core, bytes, count, NULL, &ok, &host->message);
    if (status == CT_OK && frame != NULL) *frame = core->frame;
    return ct_slot_status(host, status);
}

ct_status ct_host_received(ct_host_entities *host, ct_host_subscriber subscriber, uint32_t count,
                           const ct_entity *published, ct_entity *out) {
    ct_subscriber *core = ct_slot_read(host, subscriber.id, CT_SLOT_SUBSCRIBER);
    if (core == NULL) return CT_ERR_DATA;
    for (uint32_t i = 0; i < count; ++i) {
        out[i] = ct_subscriber_entity(core, published[i]);
        if (!ct_entity_manager_alive(&host->core, out[i])) out[i].id = CT_NOBODY;
    }
    return CT_OK;
}

ct_status ct_host_published(ct_host_entities *host, ct_host_subscriber subscriber, uint32_t count,
                            const ct_entity *received, ct_entity *out) {
    ct_subscriber *core = ct_slot_read(host, subscriber.id, CT_SLOT_SUBSCRIBER);
    if (core == NULL) return CT_ERR_DATA;
    for (uint32_t i = 0; i < count; ++i)
        out[i] = ct_subscriber_published(core, received[i]);
    return CT_OK;
}

ct_status ct_host_forget(ct_host_entities *host, ct_host_subscriber subscriber, bool destroy) {
    bool ok = true; // there is no host that could fail
    ct_subscriber *core = ct_slot_change(host, subscriber.id, CT_SLOT_SUBSCRIBER);
    if (core == NULL) return CT_ERR_DATA;
    ct_status status = ct_subscriber_reset(core, destroy, NULL, &ok, &host->message);
    return ct_slot_status(host, status);
}

ct_status ct_host_differences(ct_host_entities *host, ct_host_subscriber subscriber,
                              const void **texts, size_t *bytes) {
    ct_subscriber *core = ct_slot_read(host, subscriber.id, CT_SLOT_SUBSCRIBER);
    if (core == NULL) return CT_ERR_DATA;
    ct_slot_begin_text(host);
    ct_subscriber_fields(core, &host->saved);
    return ct_slot_end_text(host, CT_OK, texts, bytes);
}

ct_status ct_host_put_back(ct_host_entities *host, ct_host_subscriber subscriber,
                           const ct_entity *list, uint32_t count, uint32_t *written) {
    uint32_t values;
    ct_subscriber *core = ct_slot_change(host, subscriber.id, CT_SLOT_SUBSCRIBER);
    if (core == NULL) return CT_ERR_DATA;
    ct_status status = ct_subscriber_put_back(core, list, count, NULL, &values, &host->message);
    if (status == CT_OK && written != NULL) *written = values;
    return ct_slot_status(host, status);
}
