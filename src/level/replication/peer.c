// Peers: what one receiver was sent, and messages for it.
#include "level/replication/peer.h"

#include "level/replication/message.h"

#include <stdlib.h>

// ---------------------------------------------------------------- construction

void ct_peer_init(ct_peer *peer, ct_publisher *publisher) {
    memset(peer, 0, sizeof *peer);
    peer->allocator = publisher->allocator;
    peer->publisher = publisher;
    ct_writer_init(&peer->message, publisher->allocator, false);
}

void ct_peer_free(ct_peer *peer) {
    const ct_allocator *allocator = peer->allocator;
    for (uint32_t i = 0; i < peer->sent_count; ++i)
        ct_peer_sent_free(allocator, &peer->sent[i]);
    ct_free(allocator, peer->sent, peer->sent_capacity * sizeof *peer->sent);
    ct_free(allocator, peer->waits, peer->wait_capacity * sizeof *peer->waits);
    ct_writer_free(&peer->message);
    peer->sent = NULL;
    peer->waits = NULL;
    peer->sent_count = peer->sent_capacity = peer->wait_count = peer->wait_capacity = 0;
}

bool ct_peer_acknowledge(ct_peer *peer, uint32_t frame) {
    for (uint32_t i = 0; i < peer->sent_count; ++i) {
        if (peer->sent[i].frame != frame) continue;
        if (frame > peer->acknowledged) peer->acknowledged = frame;
        return true;
    }
    return false;
}

// ---------------------------------------------------------------- the state of the receiver

enum {
    LISTED = CT_MESSAGE_LISTED,
    MISSED = 2, // it may lack the entity, or values of it
    WAITED = 4, // it did not get all changes
    WHOLE = 8   // it gets all values
};

// One call of ct_peer_message.
typedef struct call {
    ct_peer *peer;
    const ct_mirror *mirror;
    ct_scratch memory;
    uint32_t base;
    unsigned char *flags; // by place
    uint32_t *places;     // of 'list'; NULL: all places
    ct_peer_list list;    // entities in the list that are published; empty for all
    bool all;
    ct_peer_list waited; // entities that have no room
    ct_message_out out;
} call;

// Makes room in an empty list. Returns whether there was memory.
static bool take_list(ct_scratch *memory, ct_peer_list *list, uint32_t most) {
    list->items = ct_scratch_take(memory, (most + (size_t)1) * sizeof *list->items);
    return list->items != NULL;
}

// Returns the number of listed entities, and the place of one of them.
static uint32_t listed_count(const call *c) { return c->all ? c->mirror->count : c->list.count; }
static uint32_t listed_place(const call *c, uint32_t i) { return c->all ? i : c->places[i]; }

static ct_status read_list(call *c, const ct_entity *list, uint32_t count) {
    const ct_mirror *mirror = c->mirror;
    c->flags = ct_scratch_take(&c->memory, mirror->count + (size_t)1);
    if (c->flags == NULL) return CT_ERR_MEMORY;
    memset(c->flags, c->all ? LISTED : 0, mirror->count);
    if (c->all) return CT_OK;
    c->places = ct_scratch_take(&c->memory, (count + (size_t)1) * sizeof *c->places);
    if (c->places == NULL || !take_list(&c->memory, &c->list, count)) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t place = ct_mirror_find(mirror, list[i]);
        if (place == CT_MIRROR_NONE || c->flags[place] != 0) continue;
        c->flags[place] = LISTED;
        c->list.items[c->list.count++] = list[i];
    }
    if (c->list.count > 1)
        qsort(c->list.items, c->list.count, sizeof *c->list.items, ct_u32_compare);
    for (uint32_t i = 0; i < c->list.count; ++i)
        c->places[i] = ct_mirror_find(mirror, c->list.items[i]);
    return CT_OK;
}

static void flag(const call *c, const ct_peer_list *list, unsigned char bit) {
    for (uint32_t i = 0; i < list->count; ++i) {
        uint32_t place = ct_mirror_find(c->mirror, list->items[i]);
        if (place != CT_MIRROR_NONE) c->flags[place] |= bit;
    }
}

// Flags the listed entities that were missing in the list of a message since the base.
static void flag_missed(const call *c, uint32_t *counts) {
    const ct_peer *peer = c->peer;
    uint32_t messages = 0;
    memset(counts, 0, c->mirror->count * sizeof *counts);
    for (uint32_t i = 0; i < peer->sent_count; ++i) {
        const ct_peer_sent *sent = &peer->sent[i];
        if (sent->frame < c->base) continue;
        // Entities that waited only later have later stamps, unless a full message removed them.
        if (sent->frame == c->base || sent->full) flag(c, &sent->lists[CT_SENT_WAITED], WAITED);
        if (sent->every) continue;
        messages++;
        for (uint32_t j = 0; j < sent->lists[CT_SENT_EVERY].count; ++j) {
            uint32_t place = ct_mirror_find(c->mirror, sent->lists[CT_SENT_EVERY].items[j]);
            if (place != CT_MIRROR_NONE) counts[place]++;
        }
    }
    for (uint32_t i = 0; i < listed_count(c); ++i) {
        uint32_t p = listed_place(c, i);
        if (counts[p] < messages) c->flags[p] |= MISSED;
    }
}

// Returns whether the receiver may have another local pose, although the values of the component
// are older than the base: if a parent that it has was removed in a message in which the entity
// waited, or if the parent was missing or is sent with all values.
static bool is_moved(const call *c, const ct_mirror_component *component) {
    const ct_published_type *type = &c->mirror->published->types[component->type];
    if (type->parent == type->field_count) return false;
    if (ct_mirror_stamps(c->mirror, component)[type->parent] > c->base) return true;
    uint32_t parent = ct_message_parent(c->mirror, component);
    if (parent == CT_MIRROR_NONE) return false;
    unsigned char above = c->flags[parent];
    return (above & LISTED) == 0 || (above & (MISSED | WAITED)) != 0;
}

// Flags the entities in the list that are sent with all values.
static void flag_whole(const call *c) {
    const ct_mirror *mirror = c->mirror;
    for (uint32_t i = 0; i < listed_count(c); ++i) {
        uint32_t p = listed_place(c, i);
        bool whole = (c->flags[p] & (MISSED | WAITED)) != 0 || mirror->entities[p].since > c->base;
        uint32_t m = mirror->entities[p].first;
        for (; m != CT_MIRROR_NONE && !whole; m = mirror->components[m].next)
            whole = is_moved(c, &mirror->components[m]);
        if (whole) c->flags[p] |= WHOLE;
    }
}

// ---------------------------------------------------------------- candidates

// An entity that the message must mention.
typedef struct candidate {
    ct_entity entity;
    uint32_t place; // CT_MIRROR_NONE: it is removed at the receiver
    uint32_t since; // first frame in which it waited, or the newest frame
    bool change;    // neither a removal nor a new entity
} candidate;

static int by_priority(const void *a, const void *b) {
    const candidate *one = a, *other = b;
    if (one->since != other->since) return one->since < other->since ? -1 : 1;
    if (one->change != other->change) return one->change ? 1 : -1;
    bool removal = one->place == CT_MIRROR_NONE;
    if (removal != (other->place == CT_MIRROR_NONE)) return removal ? -1 : 1;
    return ct_u32_compare(&one->entity.id, &other->entity.id);
}

static uint32_t waiting_since(const ct_peer *peer, ct_entity e) {
    const ct_peer_wait *wait = NULL;
    if (peer->wait_count > 0)
        wait = bsearch(&e, peer->waits, peer->wait_count, sizeof *peer->waits, ct_u32_compare);
    return wait != NULL ? wait->since : peer->publisher->frame;
}

// Removes the entities in a list that the receiver may have, but must not keep.
static uint32_t find_leavers(const call *c, const ct_peer_list *list, ct_entity *out) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; ++i) {
        uint32_t place = ct_mirror_find(c->mirror, list->items[i]);
        if (place == CT_MIRROR_NONE || (c->flags[place] & LISTED) == 0)
            out[count++] = list->items[i];
    }
    return count;
}

// Lists the entities that the receiver must remove, some more than once.
static ct_status list_removed(call *c, ct_entity **out, uint32_t *count) {
    const ct_peer *peer = c->peer;
    const ct_publication *now = peer->publisher->now;
    size_t room = (size_t)now->removal_count + c->mirror->count + 1;
    bool any = false;
    for (uint32_t i = 0; i < peer->sent_count; ++i)
        room += (size_t)peer->sent[i].lists[CT_SENT_ANY].count +
                peer->sent[i].lists[CT_SENT_WAITED].count;
    ct_entity *removed = *out = ct_scratch_take(&c->memory, room * sizeof *removed);
    *count = 0;
    if (removed == NULL) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < peer->sent_count; ++i) {
        const ct_peer_sent *sent = &peer->sent[i];
        if (sent->frame < c->base) continue;
        any = any || sent->any;
        *count += find_leavers(c, &sent->lists[CT_SENT_ANY], removed + *count);
        *count += find_leavers(c, &sent->lists[CT_SENT_WAITED], removed + *count);
    }
    for (uint32_t i = 0; i < now->removal_count && any; ++i) {
        const ct_removal_record *removal = &now->removals[i];
        if (removal->type == CT_MIRROR_NONE && removal->frame > c->base &&
            ct_mirror_find(c->mirror, removal->entity) == CT_MIRROR_NONE)
            removed[(*count)++] = removal->entity;
    }
    for (uint32_t p = 0; p < c->mirror->count && any && !c->all; ++p) {
        if ((c->flags[p] & LISTED) == 0) removed[(*count)++] = c->mirror->ids[p];
    }
    return CT_OK;
}

static ct_status list_candidates(call *c, candidate **out, uint32_t *count) {
    const ct_mirror *mirror = c->mirror;
    ct_entity *removed = NULL;
    uint32_t removed_count = 0;
    *count = 0;
    ct_status status = c->base > 0 ? list_removed(c, &removed, &removed_count) : CT_OK;
    if (status != CT_OK) return status;
    candidate *list = *out =
        ct_scratch_take(&c->memory, (removed_count + (size_t)listed_count(c) + 1) * sizeof *list);
    if (list == NULL) return CT_ERR_MEMORY;
    if (removed_count > 1) qsort(removed, removed_count, sizeof *removed, ct_u32_compare);
    for (uint32_t i = 0; i < removed_count; ++i) {
        if (i > 0 && removed[i].id == removed[i - 1].id) continue;
        list[(*count)++] =
            (candidate){removed[i], CT_MIRROR_NONE, waiting_since(c->peer, removed[i]), false};
    }
    for (uint32_t i = 0; i < listed_count(c); ++i) {
        uint32_t p = listed_place(c, i);
        bool whole = (c->flags[p] & WHOLE) != 0;
        if (!whole && mirror->entities[p].changed <= c->base) continue;
        list[(*count)++] =
            (candidate){mirror->ids[p], p, waiting_since(c->peer, mirror->ids[p]), !whole};
    }
    return CT_OK;
}

// ---------------------------------------------------------------- writing

// Appends candidates until the limit. Returns the number of those that fit.
static uint32_t write_candidates(call *c, const candidate *list, uint32_t count, uint32_t limit) {
    ct_message_out *out = &c->out;
    for (uint32_t i = 0; i < count; ++i) {
        const ct_message_out before = *out;
        if (list[i].place == CT_MIRROR_NONE)
            ct_message_remove(out, list[i].entity);
        else
            ct_message_add(out, list[i].place, (c->flags[list[i].place] & WHOLE) != 0);
        if (limit == 0 || i == 0 || ct_message_bytes(out) <= limit) continue;
        out->removed.count = before.removed.count;
        out->records.count = before.records.count;
        out->removed_count = before.removed_count;
        out->record_count = before.record_count;
        return i;
    }
    return count;
}

static ct_status list_waiting(call *c, const candidate *list, uint32_t count,
                              ct_peer_wait **waits) {
    *waits = ct_scratch_take(&c->memory, (count + (size_t)1) * sizeof **waits);
    if (*waits == NULL || !take_list(&c->memory, &c->waited, count)) return CT_ERR_MEMORY;
    for (uint32_t i = 0; i < count; ++i)
        (*waits)[i] = (ct_peer_wait){list[i].entity, list[i].since};
    if (count > 1) qsort(*waits, count, sizeof **waits, ct_u32_compare);
    for (uint32_t i = 0; i < count; ++i)
        c->waited.items[c->waited.count++] = (*waits)[i].entity;
    return CT_OK;
}

static void forget_old(ct_peer *peer) {
    const ct_publisher *publisher = peer->publisher;
    uint32_t old = 0;
    while (old < peer->sent_count && !ct_publisher_keeps(publisher, peer->sent[old].frame))
        ct_peer_sent_free(peer->allocator, &peer->sent[old++]);
    peer->sent_count -= old;
    if (old > 0) memmove(peer->sent, peer->sent + old, peer->sent_count * sizeof *peer->sent);
}

// Records the message.
static ct_status record(call *c, const ct_peer_wait *waits) {
    ct_peer *peer = c->peer;
    const ct_allocator *allocator = peer->allocator;
    const ct_peer_sent sent = {
        peer->publisher->frame, c->all, c->all, c->base == 0, {c->list, c->list, c->waited}};
    ct_status status = ct_array_reserve(allocator, (void **)&peer->waits, &peer->wait_capacity,
                                        c->waited.count, sizeof *peer->waits);
    if (status == CT_OK)
        status = ct_array_reserve(allocator, (void **)&peer->sent, &peer->sent_capacity,
                                  peer->sent_count + 1, sizeof *peer->sent);
    if (status != CT_OK) return status;
    bool again = peer->sent_count > 0 && peer->sent[peer->sent_count - 1].frame == sent.frame;
    ct_peer_sent *last = &peer->sent[again ? peer->sent_count - 1 : peer->sent_count];
    if (!again) *last = (ct_peer_sent){.frame = sent.frame, .every = true};
    status = ct_peer_sent_merge(allocator, last, &sent);
    if (status != CT_OK && !again) ct_peer_sent_free(allocator, last);
    if (status == CT_OK && !again) peer->sent_count++;
    if (status != CT_OK) return status;
    peer->wait_count = c->waited.count;
    if (waits != NULL && peer->wait_count > 0)
        memcpy(peer->waits, waits, peer->wait_count * sizeof *waits);
    forget_old(peer);
    return CT_OK;
}

// Returns whether the receiver lacks nothing else than what changed since the base.
static bool is_plain(const call *c) {
    const ct_peer *peer = c->peer;
    bool plain = c->all;
    for (uint32_t i = 0; i < peer->sent_count; ++i) {
        const ct_peer_sent *sent = &peer->sent[i];
        if (sent->frame >= c->base)
            plain = plain && sent->every && sent->lists[CT_SENT_WAITED].count == 0;
    }
    return plain || (c->all && c->base == 0);
}

static ct_status write_message(call *c, const ct_entity *list, uint32_t count, uint32_t limit) {
    candidate *candidates;
    ct_peer_wait *waits;
    uint32_t found;
    ct_status status = read_list(c, list, count);
    if (status != CT_OK) return status;
    uint32_t *counts = ct_scratch_take(&c->memory, (c->mirror->count + (size_t)1) * sizeof *counts);
    if (counts == NULL) return CT_ERR_MEMORY;
    flag_missed(c, counts);
    flag_whole(c);
    status = list_candidates(c, &candidates, &found);
    if (status != CT_OK) return status;
    if (limit > 0 && found > 1) qsort(candidates, found, sizeof *candidates, by_priority);
    if (!c->all) c->out.listed = c->flags;
    uint32_t sent = write_candidates(c, candidates, found, limit);
    status = list_waiting(c, candidates + sent, found - sent, &waits);
    if (status == CT_OK) status = ct_message_end(&c->out, &c->peer->message);
    return status == CT_OK ? record(c, waits) : status;
}

ct_status ct_peer_message(ct_peer *peer, const ct_entity *list, uint32_t count, uint32_t limit,
                          ct_text *bytes) {
    ct_publisher *publisher = peer->publisher;
    call c = {.peer = peer, .mirror = &publisher->now->mirror, .all = list == NULL};
    if (publisher->frame == 0) return CT_ERR_DATA;
    if (ct_publisher_keeps(publisher, peer->acknowledged)) c.base = peer->acknowledged;
    ct_scratch_init(&c.memory, publisher->allocator);
    if (limit == 0 && is_plain(&c)) {
        ct_status shared = ct_publisher_message(publisher, c.base, bytes);
        return shared == CT_OK ? record(&c, NULL) : shared;
    }
    ct_message_begin(&c.out, publisher, c.base);
    ct_status status = write_message(&c, list, count, limit);
    ct_message_free(&c.out);
    ct_scratch_free(&c.memory);
    if (status == CT_OK) *bytes = (ct_text){(const char *)peer->message.bytes, peer->message.count};
    return status;
}
