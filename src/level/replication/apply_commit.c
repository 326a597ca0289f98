// Commit of a message to the mirror of a subscriber.
#include "level/replication/apply.h"

void ct_reception_free(ct_reception *reception, const ct_allocator *allocator) {
    if (reception == NULL) return;
    ct_mirror_free(&reception->mirror);
    ct_published_free(&reception->published);
    ct_free(allocator, reception, sizeof *reception);
}

ct_status ct_apply_reserve_locals(ct_apply *apply) {
    ct_subscriber *subscriber = apply->subscriber;
    const ct_mirror *mirror = &apply->now->mirror;
    uint32_t count = mirror->count + apply->planned_count;
    ct_status status = ct_array_reserve(subscriber->allocator, (void **)&subscriber->local_ids,
                                        &subscriber->local_capacity, count, sizeof(ct_entity));
    if (status != CT_OK || count == 0) return status;
    // The message creates an entity for each planned record at most, before hooks run.
    uint64_t indices = (uint64_t)subscriber->world->entities->used + apply->planned_count;
    return ct_entity_map_reserve_count(
        &subscriber->locals, subscriber->allocator, subscriber->local_ids, count,
        indices < CT_MAX_ENTITIES ? (uint32_t)indices : CT_MAX_ENTITIES);
}

void ct_apply_set_local(ct_subscriber *subscriber, uint32_t place, ct_entity local) {
    ct_entity *ids = subscriber->local_ids;
    subscriber->now->mirror.entities[place].local = local;
    if (ids[place].id == local.id) return;
    if (ids[place].id != CT_NOBODY)
        ct_entity_map_erase(&subscriber->locals, ids, ct_entity_index(ids[place]), place);
    ids[place] = local;
    if (local.id == CT_NOBODY) return;
    uint32_t other = ct_entity_map_enter(&subscriber->locals, ids, ct_entity_index(local), place);
    // An entity that a script destroyed, whose index was used again.
    if (other != CT_NO_ROW && other != place) ids[other].id = CT_NOBODY;
}

// Removes an entity, as ct_mirror_remove.
static void remove_place(ct_subscriber *subscriber, uint32_t place) {
    ct_reception *now = subscriber->now;
    ct_entity *ids = subscriber->local_ids;
    CT_ASSERT(now != NULL && ids != NULL); // there is at least one entity
    uint32_t last = now->mirror.count - 1;
    if (ids[place].id != CT_NOBODY)
        ct_entity_map_erase(&subscriber->locals, ids, ct_entity_index(ids[place]), place);
    if (place != last && ids[last].id != CT_NOBODY)
        ct_entity_map_move(&subscriber->locals, ct_entity_index(ids[last]), last, place);
    ids[place] = ids[last];
    ct_mirror_remove(&now->mirror, place);
}

void ct_subscriber_clear_locals(ct_subscriber *subscriber) {
    if (subscriber->now == NULL) return;
    ct_entity_map_clear(&subscriber->locals, subscriber->local_ids, subscriber->now->mirror.count);
}

static void commit_item(ct_apply *apply, uint32_t place, const ct_received *item) {
    ct_mirror *mirror = &apply->now->mirror;
    const ct_published_type *type = &mirror->published->types[item->type];
    uint32_t c = ct_mirror_find_component(mirror, place, item->type, item->id);
    if (item->kind == CT_CHANGE_REMOVE || c != CT_MIRROR_NONE)
        ct_mirror_release_id(mirror, item->id);
    if (item->kind == CT_CHANGE_REMOVE) {
        if (c != CT_MIRROR_NONE) ct_mirror_remove_component(mirror, c);
        return;
    }
    if (c == CT_MIRROR_NONE)
        c = ct_mirror_add_component(mirror, place, item->type, item->id, apply->frame);
    for (uint32_t f = 0; f < type->field_count; ++f) {
        if ((item->given >> f & 1) == 0) continue;
        bool has = (item->present >> f & 1) != 0;
        ct_mirror_put(mirror, &mirror->components[c], f,
                      has ? item->items + type->fields[f].place : NULL);
    }
}

// Removes the components that a complete record does not have.
static void prune(ct_apply *apply, const ct_received_entity *record, uint32_t place) {
    ct_mirror *mirror = &apply->now->mirror;
    uint32_t c = mirror->entities[place].first;
    while (c != CT_MIRROR_NONE) {
        uint32_t next = mirror->components[c].next;
        const ct_mirror_component *component = &mirror->components[c];
        if (ct_apply_find_item(apply, record, component->type, component->id) == NULL)
            ct_mirror_remove_component(mirror, c);
        c = next;
    }
}

static void commit_record(ct_apply *apply, uint32_t r) {
    ct_mirror *mirror = &apply->now->mirror;
    const ct_received_entity *record = &apply->records[r];
    // Removals move entities to other places.
    bool same = apply->now == apply->before && apply->removed_count == 0;
    uint32_t place = same ? record->place : CT_MIRROR_NONE;
    if (place == CT_MIRROR_NONE) place = ct_mirror_find(mirror, apply->ids[r]);
    if (place == CT_MIRROR_NONE) {
        place = ct_mirror_add(mirror, apply->ids[r], apply->frame);
        apply->subscriber->local_ids[place].id = CT_NOBODY;
    }
    ct_apply_set_local(apply->subscriber, place, record->local);
    if (record->complete) prune(apply, record, place);
    for (uint32_t i = record->first; i < record->first + record->count; ++i) {
        if (!apply->items[i].direct) commit_item(apply, place, &apply->items[i]);
    }
}

void ct_apply_commit(ct_apply *apply, uint64_t session) {
    ct_subscriber *subscriber = apply->subscriber;
    ct_reception *replaced = subscriber->now != apply->now ? subscriber->now : NULL;
    // From the last place on: the last entity moves to the place of a removed one.
    for (uint32_t i = apply->removed_count; i-- > 0 && replaced == NULL;)
        remove_place(subscriber, apply->removed[i]);
    if (replaced != NULL) ct_subscriber_clear_locals(subscriber);
    subscriber->now = apply->now;
    subscriber->now->session = session;
    subscriber->frame = apply->frame;
    for (uint32_t i = 0; i < apply->planned_count; ++i)
        commit_record(apply, apply->planned[i]);
    apply->item_count = 0; // the mirror holds everything
    ct_reception_free(replaced, subscriber->allocator);
}
