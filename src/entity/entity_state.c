// Operations on all entities: snapshots, saves, hash, validation, iteration.
#include "base/hash.h"
#include "base/message.h"
#include "entity/entity_manager.h"

#include <string.h>

// Copies positions from .. from + count - 1 of the log to, or from, a piece, in which the first one
// is at 'start' and the order wraps around.
static void copy_log(const ct_entity_manager *manager, uint64_t from, uint32_t count,
                     uint32_t *piece, uint32_t start, bool back) {
    for (uint32_t done = 0, run; done < count; done += run) {
        uint32_t at = (uint32_t)(from + done) & (manager->capacity - 1);
        uint32_t in_piece = done < count - start ? start + done : done - (count - start);
        run = count - done;
        if (run > manager->capacity - at) run = manager->capacity - at;
        if (run > count - in_piece) run = count - in_piece;
        CT_ASSERT(piece != NULL);
        if (back)
            memcpy(manager->log + at, piece + in_piece, run * sizeof *piece);
        else
            memcpy(piece + in_piece, manager->log + at, run * sizeof *piece);
    }
}

void ct_entity_manager_state(ct_entity_manager *manager, ct_state *state) {
    uint64_t known = manager->tail - manager->known;
    struct {
        uint64_t head, tail;
        uint32_t used, minimum_free;
        uint32_t logged; // logged entries that are saved: collectors may not have read them yet
        uint32_t start;  // place of the oldest entry in their piece
    } v = {.head = manager->head,
           .tail = manager->tail,
           .used = manager->used,
           .minimum_free = manager->minimum_free,
           .logged = (uint32_t)(known < manager->capacity ? known : manager->capacity)};
    CT_ASSERT(manager->dying == NULL);
    // A full log is copied in the order of its memory, so a death changes one entry of the piece.
    if (v.logged == manager->capacity && v.logged > 0) v.start = (uint32_t)v.tail & (v.logged - 1);
    ct_state_values(state, &v, sizeof v);
    if (state->pass == CT_STATE_RESERVE)
        ct_state_require(state, ct_entity_manager_reserve_indices(
                                    manager, v.used > v.logged ? v.used : v.logged));
    ct_state_block(state, manager->slots, v.used * sizeof *manager->slots);
    uint32_t *log = ct_state_piece(state, v.logged * sizeof *log);
    if (state->pass == CT_STATE_SAVE || state->pass == CT_STATE_COMMIT)
        copy_log(manager, v.tail - v.logged, v.logged, log, v.start,
                 state->pass == CT_STATE_COMMIT);
    if (state->pass != CT_STATE_COMMIT) return;
    manager->used = v.used;
    manager->head = v.head;
    manager->tail = v.tail;
    manager->known = v.tail - v.logged;
    manager->minimum_free = v.minimum_free;
    manager->deaths++; // loops compare these counters
    manager->structure++;
    manager->restores++;
}

void ct_entity_manager_write(const ct_entity_manager *manager, ct_writer *out) {
    uint32_t waiting = ct_entity_manager_waiting(manager);
    CT_ASSERT(manager->dying == NULL);
    ct_writer_u32(out, manager->used);
    ct_writer_u32(out, manager->minimum_free);
    ct_writer_u32(out, waiting);
    unsigned char *generations = ct_writer_bytes(out, NULL, manager->used);
    for (uint32_t i = 0; i < manager->used && generations != NULL; ++i)
        generations[i] = (unsigned char)(manager->slots[i] & CT_ENTITY_GENERATION_MASK);
    for (uint64_t p = manager->head; p < manager->tail; ++p)
        ct_writer_u32(out, manager->log[p & (manager->capacity - 1)]);
}

// Appends an index to the queue. Returns false if it is invalid or already queued.
static bool queue(ct_entity_manager *manager, uint32_t index) {
    if (index >= manager->used || (manager->slots[index] & CT_SLOT_FREE) != 0) return false;
    manager->slots[index] |= CT_SLOT_FREE;
    manager->log[manager->tail++] = index;
    return true;
}

ct_status ct_entity_manager_read(ct_entity_manager *manager, ct_reader *in) {
    uint32_t used = ct_reader_u32(in), minimum_free = ct_reader_u32(in);
    uint32_t waiting = ct_reader_u32(in);
    const unsigned char *generations = ct_reader_bytes(in, used);
    CT_ASSERT(manager->used == 0 && manager->tail == 0);
    if (generations == NULL || used > CT_MAX_ENTITIES || minimum_free >= CT_MAX_ENTITIES)
        return CT_ERR_DATA;
    ct_status status = ct_entity_manager_reserve(manager, used);
    if (status != CT_OK) return status;
    for (uint32_t i = 0; i < used; ++i)
        manager->slots[i] = generations[i];
    manager->used = used;
    manager->minimum_free = minimum_free;
    for (uint32_t i = 0; i < waiting; ++i) {
        if (!queue(manager, ct_reader_u32(in)) || in->damaged) return CT_ERR_DATA;
    }
    return CT_OK;
}

uint64_t ct_entity_manager_hash(const ct_entity_manager *manager) {
    ct_hash_sum hash = {0, 0};
    ct_hash_add(&hash, manager->used);
    ct_hash_add(&hash, manager->minimum_free);
    for (uint32_t i = 0; i < manager->used; ++i)
        ct_hash_add(&hash, manager->slots[i]);
    for (uint64_t p = manager->head; p < manager->tail; ++p)
        ct_hash_add(&hash, manager->log[p & (manager->capacity - 1)]);
    return hash.sum;
}

bool ct_entity_manager_validate(const ct_entity_manager *manager, ct_message *message) {
    uint32_t waiting = ct_entity_manager_waiting(manager);
    if (manager->head > manager->tail || waiting > manager->used)
        return ct_message_set(message,
                              "entity manager: the free queue is longer than there are indices");
    if (manager->used > manager->capacity || manager->used > CT_MAX_ENTITIES)
        return ct_message_set(message, "entity manager: more indices in use than the capacity");
    uint32_t flagged = 0;
    for (uint32_t i = 0; i < manager->used; ++i) {
        if ((manager->slots[i] & ~CT_SLOT_FREE) > CT_ENTITY_GENERATION_MASK)
            return ct_message_set(message, "entity manager: a slot has no generation");
        flagged += (manager->slots[i] & CT_SLOT_FREE) != 0;
    }
    if (flagged != waiting + manager->dying_count)
        return ct_message_set(message,
                              "entity manager: free slots and free queue differ in number");
    // There are as many flags as entries, and every entry is flagged, so an index that is queued
    // twice leaves a flagged slot without an entry. Slots of a const manager cannot be marked, so
    // sums that a repeated index changes are compared.
    uint64_t sum = 0, squares = 0;
    for (uint64_t p = manager->head; p < manager->tail; ++p) {
        uint64_t index = manager->log[p & (manager->capacity - 1)];
        if (index >= manager->used || (manager->slots[index] & CT_SLOT_FREE) == 0)
            return ct_message_set(message, "entity manager: the free queue holds an index in use");
        sum += index;
        squares += index * index;
    }
    for (const ct_dying *d = manager->dying; d != NULL; d = d->outer) {
        uint64_t index = ct_entity_index(d->entity);
        sum += index;
        squares += index * index;
    }
    for (uint32_t i = 0; i < manager->used; ++i) {
        if ((manager->slots[i] & CT_SLOT_FREE) == 0) continue;
        sum -= i;
        squares -= (uint64_t)i * i;
    }
    if (sum != 0 || squares != 0)
        return ct_message_set(message, "entity manager: an index is twice in the free queue");
    return true;
}

void ct_entity_iterator_begin(ct_entity_iterator *loop, const ct_entity_manager *manager,
                              uint16_t *room, uint32_t capacity) {
    *loop = (ct_entity_iterator){room, capacity < manager->used ? capacity : manager->used, 0};
    if (loop->count > 0) memcpy(room, manager->slots, loop->count * sizeof *room);
}

ct_entity ct_entity_iterator_next(ct_entity_iterator *loop, const ct_entity_manager *manager) {
    while (loop->next < loop->count && loop->next < manager->used) {
        uint32_t index = loop->next++;
        uint16_t then = loop->then[index];
        if ((then & CT_SLOT_FREE) == 0 && then == manager->slots[index])
            return ct_entity_make(index, then);
    }
    return (ct_entity){CT_NOBODY};
}
