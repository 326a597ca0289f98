// Fast path that creates one row without allocation.
#ifndef CT_MANAGER_ONE_H
#define CT_MANAGER_ONE_H

#include "storage/manager.h"

/// Adds a row like ct_store_add, in a store that is not 'multiple', if nothing must grow and no row
/// of the index exists. Otherwise returns false and changes nothing.
static inline bool ct_store_add_one(ct_store *store, ct_entity owner, ct_row *row) {
    ct_columns *columns = &store->columns;
    uint32_t last = columns->count, index = ct_entity_index(owner);
    ct_entity *owners = ct_store_owners(store);
    CT_ASSERT(ct_entity_manager_alive(store->entities, owner) && !store->multiple);
    if (last >= columns->capacity || !ct_entity_map_has_room(&store->map, index)) return false;
    owners[last] = owner;
    uint32_t found = ct_entity_map_enter(&store->map, owners, index, last);
    if (CT_UNLIKELY(found != CT_NO_ROW)) {
        ct_entity_map_move(&store->map, index, last, found);
        return false;
    }
    columns->count = last + 1;
    ct_store_count_change(store, &store->additions);
    row->i = last;
    return true;
}

/// Creates a component like ct_manager_create, with values that are not NULL, if the manager has
/// 'fast_copy'. Otherwise, or in the cases above, returns false and changes nothing.
static inline bool ct_manager_create_one(ct_manager *manager, ct_entity owner,
                                         const ct_values *values, ct_row *row) {
    if (!manager->fast_copy || !ct_store_add_one(&manager->store, owner, row)) return false;
    const ct_columns *columns = &manager->store.columns;
    const uint16_t *width = columns->width + CT_COLUMN_OWNER + 1;
    unsigned char *const *column = columns->at + CT_COLUMN_OWNER + 1;
    for (uint32_t f = 0, count = manager->field_count; f < count; ++f) {
        unsigned char *place = column[f] + (size_t)row->i * width[f];
        const void *item = values[f].items != NULL ? values[f].items : manager->fields[f].preset;
        if (CT_LIKELY(item != NULL))
            ct_item_copy(place, item, width[f]);
        else
            ct_field_zero(manager->fields[f].type, place);
    }
    return true;
}

#endif
