// Who is alive, as a save has it: generations, and the queue of those who wait.
#include "entity/entity_save.h"

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

// Whether the index may wait behind those before it.
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
