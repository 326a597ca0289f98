// A hash of who is alive and which ids come next.
#include "base/hash.h"
#include "entity/entity_manager.h"

uint64_t ct_entity_manager_hash(const ct_entity_manager *manager) {
    uint64_t hash = ct_hash_mix(manager->used, manager->minimum_free);
    for (uint32_t i = 0; i < manager->used; ++i)
        hash = ct_hash_mix(hash, manager->slots[i]);
    for (uint64_t p = manager->head; p < manager->tail; ++p)
        hash = ct_hash_mix(hash, manager->log[p & (manager->capacity - 1)]);
    return hash;
}
