// Subscribers: application of messages, and return of received values to the world.
#include "level/replication/subscriber.h"

#include "base/message.h"
#include "level/replication/apply.h"

static void on_generation_wrap(ct_generation_wrap_listener *listener, uint32_t index) {
    ct_subscriber *subscriber = (void *)((char *)listener - offsetof(ct_subscriber, watch));
    if (subscriber->now == NULL || subscriber->local_ids == NULL) return;
    uint32_t place = ct_entity_map_find(&subscriber->locals, subscriber->local_ids, index);
    if (place != CT_NO_ROW) ct_apply_set_local(subscriber, place, (ct_entity){CT_NOBODY});
}

ct_status ct_subscriber_init(ct_subscriber *subscriber, const ct_allocator *allocator,
                             ct_world *world, const ct_subscriber_options *options) {
    memset(subscriber, 0, sizeof *subscriber);
    subscriber->allocator = allocator;
    subscriber->world = world;
    subscriber->options = *options;
    subscriber->restores = world->entities->restores;
    ct_scratch_init(&subscriber->memory, allocator);
    ct_entity_map_init(&subscriber->locals, CT_MAP_HASH);
    subscriber->watch.fn = on_generation_wrap;
    ct_entity_manager_watch(world->entities, &subscriber->watch);
    if (options->components == NULL) return CT_OK;
    char **names = ct_scratch_take(&subscriber->memory,
                                   (options->component_count + (size_t)1) * sizeof *names);
    bool fine = names != NULL;
    for (uint32_t i = 0; i < options->component_count && fine; ++i) {
        size_t bytes = strlen(options->components[i]) + 1;
        names[i] = ct_scratch_take(&subscriber->memory, bytes);
        fine = names[i] != NULL;
        if (fine) memcpy(names[i], options->components[i], bytes);
    }
    subscriber->options.components = (const char *const *)names;
    if (!fine) ct_subscriber_free(subscriber);
    return fine ? CT_OK : ct_out_of_memory(allocator);
}

void ct_subscriber_free(ct_subscriber *subscriber) {
    const ct_allocator *allocator = subscriber->allocator;
    ct_entity_manager_unwatch(&subscriber->watch);
    ct_reception_free(subscriber->now, allocator);
    subscriber->now = NULL;
    ct_entity_map_free(&subscriber->locals, allocator);
    ct_free(allocator, subscriber->local_ids,
            subscriber->local_capacity * sizeof *subscriber->local_ids);
    subscriber->local_ids = NULL;
    subscriber->local_capacity = 0;
    ct_scratch_free(&subscriber->memory);
}

ct_entity ct_subscriber_entity(const ct_subscriber *subscriber, ct_entity published) {
    uint32_t place = CT_MIRROR_NONE;
    if (subscriber->now != NULL) place = ct_mirror_find(&subscriber->now->mirror, published);
    if (place == CT_MIRROR_NONE) return (ct_entity){CT_NOBODY};
    return subscriber->now->mirror.entities[place].local;
}

ct_entity ct_subscriber_published(const ct_subscriber *subscriber, ct_entity local) {
    if (subscriber->now != NULL) {
        uint32_t place =
            ct_entity_map_find(&subscriber->locals, subscriber->local_ids, ct_entity_index(local));
        if (place != CT_NO_ROW && subscriber->local_ids[place].id == local.id)
            return subscriber->now->mirror.ids[place];
    }
    return (ct_entity){CT_NOBODY};
}

// ---------------------------------------------------------------- checks

static ct_status check_idle(const ct_subscriber *subscriber, ct_message *message) {
    ct_status status = ct_replication_check_idle(subscriber->world, message);
    if (status != CT_OK || subscriber->restores == subscriber->world->entities->restores)
        return status;
    ct_message_set(message, "entities were restored");
    return CT_ERR_DATA;
}

typedef struct head {
    uint64_t session;
    uint32_t base, frame, components;
    ct_text text;
} head;

static bool read_head(ct_reader *in, head *h) {
    const unsigned char *bytes = in->at;
    size_t count = (size_t)(in->end - in->at);
    uint32_t magic = ct_reader_u32(in), crc = ct_reader_u32(in);
    ct_reader_numbers(in, sizeof h->session, 1, &h->session);
    h->base = ct_reader_u32(in);
    h->frame = ct_reader_u32(in);
    h->components = ct_reader_u32(in);
    h->text = ct_packed_read_text(in);
    return !in->damaged && magic == CT_MESSAGE_MAGIC && h->frame > 0 && h->base <= h->frame &&
           (h->base == 0) == (h->text.length > 0) &&
           crc == ct_hash_crc32(0, bytes + CT_MESSAGE_AT_SESSION, count - CT_MESSAGE_AT_SESSION);
}

// Sets the reason why a head is refused.
static void refuse_head(const void *bytes, size_t count, ct_message *message) {
    ct_reader in = ct_reader_of(bytes, count);
    uint32_t other = ct_reader_u32(&in) - CT_MESSAGE_MAGIC; // a multiple of 2^24 for other versions
    uint32_t version = (other >> 24) + CT_MESSAGE_VERSION;
    if (!in.damaged && other != 0 && other << 8 == 0 && (version & 0xFFu) < 10)
        ct_message_set(message, "the message has version %u, this is version %u", version & 0xFFu,
                       CT_MESSAGE_VERSION);
    else
        ct_message_set(message, "the message is damaged");
}

// Decides whether a message is applied. Returns CT_OK with *skip if it is not newer.
static ct_status check_head(const ct_subscriber *subscriber, const head *h, bool *skip,
                            ct_message *message) {
    const ct_reception *now = subscriber->now;
    bool same = now != NULL && now->session == h->session;
    *skip = same && h->frame <= subscriber->frame;
    if (*skip || h->base == 0) return CT_OK;
    if (now == NULL) {
        ct_message_set(message, "the first message must be full: its base is %u", h->base);
    } else if (!same) {
        ct_message_set(message, "a message of another session must be full: its base is %u",
                       h->base);
    } else if (h->base > subscriber->frame) {
        ct_message_set(message, "stale: at %u, message from %u", subscriber->frame, h->base);
    } else if (h->components != now->published.id) {
        ct_message_set(message, "the components of the publisher have changed");
    } else {
        return CT_OK;
    }
    return CT_ERR_DATA;
}

static ct_status check_components(const ct_subscriber *subscriber, const ct_published *published,
                                  ct_message *message) {
    const ct_subscriber_options *options = &subscriber->options;
    for (uint32_t t = 0; t < published->type_count && options->components != NULL; ++t) {
        uint32_t i = 0;
        while (i < options->component_count &&
               strcmp(options->components[i], published->types[t].name) != 0)
            i++;
        if (i < options->component_count) continue;
        ct_message_set(message, "the message has the component '%s', which is not admitted",
                       published->types[t].name);
        return CT_ERR_DATA;
    }
    return CT_OK;
}

// ---------------------------------------------------------------- steps

// Begins a call: the world is in use until 'end'.
static void begin(ct_apply *apply, ct_subscriber *subscriber, void *context, ct_message *message) {
    memset(apply, 0, sizeof *apply);
    apply->subscriber = subscriber;
    apply->message = message;
    ct_scratch_init(&apply->memory, subscriber->allocator);
    ct_entity_map_init(&apply->map, CT_MAP_HASH);
    apply->patch = (ct_patch){.world = subscriber->world,
                              .allocator = subscriber->world->allocator,
                              .context = context,
                              .message = message,
                              .parent = {CT_NOBODY},
                              .options = {.parent = {CT_NOBODY}},
                              .result = &apply->result,
                              .reason = CT_REASON_APPLY,
                              .forced = true,
                              .finish = ct_apply_write_direct,
                              .user = apply};
    ct_arena_init(&apply->patch.arena, subscriber->world->allocator);
    subscriber->world->busy++;
}

static void end(ct_apply *apply) {
    const ct_allocator *allocator = apply->subscriber->allocator;
    ct_patch_free_steps(&apply->patch);
    ct_entity_map_free(&apply->map, allocator);
    ct_free(allocator, apply->items, apply->item_capacity * sizeof *apply->items);
    ct_table_free(&apply->index, allocator);
    ct_free(allocator, apply->wanted, apply->wanted_capacity * sizeof *apply->wanted);
    ct_scratch_free(&apply->memory);
    apply->subscriber->world->busy--;
}

// Returns whether a link was not made.
static bool has_unlinked(const ct_apply *apply) {
    for (uint32_t s = 0; s < apply->patch.step_count; ++s) {
        const ct_patch_step *step = &apply->patch.steps[s];
        ct_entity now = {CT_NOBODY};
        if (step->kind != CT_PATCH_LINK || apply->patch.world->destroyed) continue;
        ct_row row = ct_patch_row(step);
        if (row.i != CT_NO_ROW) ct_patch_read_item(step->manager, step->values[0].input, row, &now);
        if (memcmp(&now, step->values[0].next, sizeof now) != 0) return true;
    }
    return false;
}

static ct_status new_reception(ct_apply *apply, const head *h) {
    const ct_allocator *allocator = apply->subscriber->allocator;
    ct_reception *now = ct_alloc_zero(allocator, sizeof *now);
    if (now == NULL) return ct_out_of_memory(allocator);
    ct_published_init(&now->published, allocator);
    ct_status status =
        ct_published_read(&now->published, (const unsigned char *)h->text.bytes, h->text.length);
    if (status == CT_OK && now->published.id != h->components) status = CT_ERR_DATA;
    if (status == CT_ERR_DATA) ct_apply_refuse(apply);
    if (status == CT_OK)
        status = check_components(apply->subscriber, &now->published, apply->message);
    ct_mirror_init(&now->mirror, allocator, &now->published, false);
    apply->now = now;
    return status;
}

static ct_status apply_message(ct_apply *apply, const head *h, ct_reader *in, bool *ok) {
    ct_subscriber *subscriber = apply->subscriber;
    ct_reception *now = subscriber->now;
    apply->base = h->base;
    apply->frame = h->frame;
    apply->before = now != NULL && now->session == h->session ? now : NULL;
    apply->now = apply->before;
    ct_status status = h->base == 0 ? new_reception(apply, h) : CT_OK;
    if (status == CT_OK) status = ct_apply_bind(apply);
    if (status == CT_OK) status = ct_apply_read(apply, in);
    if (status == CT_OK) status = ct_apply_reserve_locals(apply);
    if (status == CT_OK) status = ct_apply_make(apply);
    if (status != CT_OK) {
        if (apply->now != NULL) ct_apply_release(apply);
        if (apply->now != now) ct_reception_free(apply->now, subscriber->allocator);
        return status;
    }
    // Nothing below this line can fail.
    ct_apply_commit(apply, h->session);
    subscriber->unlinked = has_unlinked(apply);
    if (!ct_patch_remove(&apply->patch)) *ok = false;
    return CT_OK;
}

ct_status ct_subscriber_apply(ct_subscriber *subscriber, const void *bytes, size_t count,
                              void *context, bool *ok, ct_message *message) {
    ct_apply apply;
    ct_reader in = ct_reader_of(bytes, count);
    head h = {0};
    bool skip;
    ct_status status = check_idle(subscriber, message);
    if (status != CT_OK) return status;
    if (count > subscriber->options.max_bytes) {
        const uint64_t size = count; // compared without a warning where size_t has 32 bits
        ct_message_set(message, "the message has %u bytes, the limit is %u",
                       size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
                       subscriber->options.max_bytes);
        return CT_ERR_DATA;
    }
    if (!read_head(&in, &h)) {
        refuse_head(bytes, count, message);
        return CT_ERR_DATA;
    }
    status = check_head(subscriber, &h, &skip, message);
    if (status != CT_OK || skip) return status;
    begin(&apply, subscriber, context, message);
    status = apply_message(&apply, &h, &in, ok);
    end(&apply);
    return status;
}

ct_status ct_subscriber_reset(ct_subscriber *subscriber, bool destroy, void *context, bool *ok,
                              ct_message *message) {
    ct_world *world = subscriber->world;
    uint32_t unread;
    ct_status status = ct_replication_check_idle(subscriber->world, message);
    if (status != CT_OK && (status != CT_ERR_OVER || destroy)) return status;
    if (destroy && subscriber->now != NULL) {
        uint32_t count = subscriber->now->mirror.count;
        world->busy++; // the list must not change
        *ok = ct_world_destroy_entities(world, CT_REASON_APPLY, context, count,
                                        subscriber->local_ids, &unread);
        world->busy--;
    }
    ct_subscriber_clear_locals(subscriber);
    ct_reception_free(subscriber->now, subscriber->allocator);
    subscriber->now = NULL;
    subscriber->frame = 0;
    if (status == CT_OK) subscriber->restores = world->entities->restores;
    return CT_OK;
}

// ---------------------------------------------------------------- return of received values

// Adds the components of an entity, or a record if its local entity was destroyed.
static ct_status want_entity(ct_apply *apply, uint32_t place) {
    const ct_mirror *mirror = &apply->before->mirror;
    ct_entity e = mirror->ids[place];
    ct_status status = CT_OK;
    if (ct_entity_manager_alive(apply->subscriber->world->entities,
                                mirror->entities[place].local)) {
        uint32_t c = mirror->entities[place].first;
        for (; c != CT_MIRROR_NONE && status == CT_OK; c = mirror->components[c].next) {
            ct_wanted wanted = ct_apply_wanted(mirror, c);
            wanted.compare = true;
            status = ct_apply_want(apply, &wanted);
        }
        return status;
    }
    uint32_t r = apply->record_count;
    apply->ids[r] = e;
    apply->records[r] = (ct_received_entity){.place = place, .local = {CT_NOBODY}};
    if (ct_apply_plan_record(apply, r)) apply->record_count++;
    return CT_OK;
}

static uint32_t place_of(const ct_subscriber *subscriber, ct_entity local) {
    ct_entity e = ct_subscriber_published(subscriber, local);
    return e.id != CT_NOBODY ? ct_mirror_find(&subscriber->now->mirror, e) : CT_MIRROR_NONE;
}

static ct_status choose(ct_apply *apply, const ct_entity *list, uint32_t count) {
    const ct_subscriber *subscriber = apply->subscriber;
    uint32_t all = apply->before->mirror.count, room = list != NULL ? count : all;
    ct_status status = ct_apply_reserve_records(apply, room);
    for (uint32_t i = 0; i < room && status == CT_OK; ++i) {
        uint32_t place = list != NULL ? place_of(subscriber, list[i]) : i;
        if (place != CT_MIRROR_NONE) status = want_entity(apply, place);
    }
    return status;
}

static ct_status put_back(ct_apply *apply, const ct_entity *list, uint32_t count) {
    ct_subscriber *subscriber = apply->subscriber;
    ct_status status = choose(apply, list, count);
    if (status == CT_OK) status = ct_apply_bind(apply);
    if (status == CT_OK) status = ct_apply_reserve_locals(apply);
    if (status != CT_OK) return status;
    status = ct_apply_make(apply);
    for (uint32_t r = 0; r < apply->record_count && status == CT_OK; ++r)
        ct_apply_set_local(subscriber, apply->records[r].place, apply->records[r].local);
    return status;
}

ct_status ct_subscriber_put_back(ct_subscriber *subscriber, const ct_entity *list, uint32_t count,
                                 void *context, uint32_t *written, ct_message *message) {
    ct_apply apply;
    ct_status status = check_idle(subscriber, message);
    *written = 0;
    if (status != CT_OK || subscriber->now == NULL) return status;
    begin(&apply, subscriber, context, message);
    apply.before = apply.now = subscriber->now;
    apply.base = apply.frame = subscriber->frame;
    status = put_back(&apply, list, count);
    end(&apply);
    if (status == CT_OK) *written = apply.written;
    return status;
}
