// Every invariant of who is alive.
#include "base/message.h"
#include "entity/entity_manager.h"

bool ct_entity_manager_validate(const ct_entity_manager *manager, ct_message *message) {
    uint32_t waiting = ct_entity_manager_waiting(manager);
    if (manager->head > manager->tail || waiting > manager->used)
        return ct_message_set(message,
                              "entity manager: the free queue is longer than there are indices");
    if (manager->used > manager->capacity || manager->used > CT_MAX_ENTITIES)
        return ct_message_set(message,
                              "entity manager: more indices in use than there is room for");
    uint32_t flagged = 0;
    for (uint32_t i = 0; i < manager->used; ++i) {
        if ((manager->slots[i] & ~CT_SLOT_FREE) > CT_ENTITY_GENERATION_MASK)
            return ct_message_set(message, "entity manager: a slot holds no generation");
        flagged += (manager->slots[i] & CT_SLOT_FREE) != 0;
    }
    if (flagged != waiting + manager->dying_count)
        return ct_message_set(message,
                              "entity manager: free slots and free queue differ in number");
    // As many flags as entries, and every entry flagged: an index that waits
    // twice would leave some flagged slot without an entry. Visits cannot be marked
    // in a const manager: sums that a repeated index must break are compared.
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
        return ct_message_set(message, "entity manager: an index waits twice in the free queue");
    return true;
}
