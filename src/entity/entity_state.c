// Who is alive and who waits, into snapshots and back.
#include "entity/entity_manager.h"

#include <string.h>

// Positions from - from + count - 1 of the log, to or from a piece in which they are in order.
static void copy_log(const ct_entity_manager *manager, uint64_t from, uint32_t count,
                     uint32_t *piece, bool back) {
    uint32_t start = (uint32_t)from & (manager->capacity - 1);
    uint32_t first = count < manager->capacity - start ? count : manager->capacity - start;
    const size_t width = sizeof *piece;
    if (count == 0) return;
    CT_ASSERT(piece != NULL);
    if (back) {
        memcpy(manager->log + start, piece, first * width);
        memcpy(manager->log, piece + first, (count - first) * width);
    } else {
        memcpy(piece, manager->log + start, first * width);
        memcpy(piece + first, manager->log, (count - first) * width);
    }
}

void ct_entity_manager_state(ct_entity_manager *manager, ct_state *state) {
    uint64_t known = manager->tail - manager->known;
    struct {
        uint64_t head, tail;
        uint32_t used, minimum_free;
        uint32_t logged; // of the log: as much as collectors may not have read yet
    } v = {manager->head, manager->tail, manager->used, manager->minimum_free,
           (uint32_t)(known < manager->capacity ? known : manager->capacity)};
    CT_ASSERT(manager->dying == NULL);
    ct_state_values(state, &v, sizeof v);
    if (state->pass == CT_STATE_RESERVE)
        ct_state_require(state, ct_entity_manager_reserve_indices(
                                    manager, v.used > v.logged ? v.used : v.logged));
    ct_state_block(state, manager->slots, v.used * sizeof *manager->slots);
    uint32_t *log = ct_state_piece(state, v.logged * sizeof *log);
    if (state->pass == CT_STATE_SAVE || state->pass == CT_STATE_COMMIT)
        copy_log(manager, v.tail - v.logged, v.logged, log, state->pass == CT_STATE_COMMIT);
    if (state->pass != CT_STATE_COMMIT) return;
    manager->used = v.used;
    manager->head = v.head;
    manager->tail = v.tail;
    manager->known = v.tail - v.logged;
    manager->minimum_free = v.minimum_free;
    manager->deaths++; // loops look
}
