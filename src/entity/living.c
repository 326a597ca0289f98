// A loop over those who are alive, which bears that the body creates and destroys.
#include "entity/entity_manager.h"

#include <string.h>

void ct_living_begin(ct_living *loop, const ct_entity_manager *manager, uint16_t *room,
                     uint32_t capacity) {
    *loop = (ct_living){room, capacity < manager->used ? capacity : manager->used, 0};
    if (loop->count > 0) memcpy(room, manager->slots, loop->count * sizeof *room);
}

ct_entity ct_living_next(ct_living *loop, const ct_entity_manager *manager) {
    while (loop->next < loop->count && loop->next < manager->used) {
        uint32_t index = loop->next++;
        uint16_t then = loop->then[index];
        if ((then & CT_SLOT_FREE) == 0 && then == manager->slots[index])
            return ct_entity_make(index, then);
    }
    return (ct_entity){CT_NOBODY};
}
