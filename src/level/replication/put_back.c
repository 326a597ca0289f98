// Return of received values to the world.
#include "base/message.h"
#include "level/replication/apply.h"

// Adds the components of an entity, or a record if its local entity was destroyed.
static ct_status add(ct_apply *apply, uint32_t place) {
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
        if (place != CT_MIRROR_NONE) status = add(apply, place);
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
    ct_status status = ct_replication_check_idle(subscriber->world, message);
    *written = 0;
    if (status == CT_OK && subscriber->restores != subscriber->world->entities->restores) {
        ct_message_set(message, "entities were restored");
        return CT_ERR_DATA;
    }
    if (status != CT_OK || subscriber->now == NULL) return status;
    ct_apply_begin(&apply, subscriber, context, message);
    apply.before = apply.now = subscriber->now;
    apply.base = apply.frame = subscriber->frame;
    status = put_back(&apply, list, count);
    ct_apply_end(&apply);
    if (status == CT_OK) *written = apply.written;
    return status;
}
