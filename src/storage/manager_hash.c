// A hash of the components that the living have: wherever their rows lie, on whatever host.
#include "base/hash.h"
#include "storage/manager.h"

#include <string.h>

static uint64_t mix_string(uint64_t hash, const ct_string_pool *pool, ct_string string) {
    const ct_text text = ct_string_pool_text(pool, string);
    hash = ct_hash_mix(hash, text.length);
    return string.ref != 0 ? ct_hash_mix(hash, pool->entries[string.ref].hash) : hash;
}

// Numbers by their bits, whatever order their bytes are in.
static uint64_t mix_lane(uint64_t hash, const unsigned char *item, uint32_t bytes) {
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (bytes) {
    case 1: return ct_hash_mix(hash, *item);
    case 2: memcpy(&two, item, sizeof two); return ct_hash_mix(hash, two);
    case 4: memcpy(&four, item, sizeof four); return ct_hash_mix(hash, four);
    default: memcpy(&eight, item, sizeof eight); return ct_hash_mix(hash, eight);
    }
}

static uint64_t mix_field(uint64_t hash, const ct_manager *manager, const ct_field *field,
                          ct_row row) {
    const ct_field_info *info = ct_field_info_of(field->type);
    const unsigned char *item = ct_manager_item(manager, field, row);
    if (field->type == CT_FIELD_STRING)
        return mix_string(hash, manager->strings, *(const ct_string *)(const void *)item);
    for (uint32_t lane = 0; lane < info->lanes; ++lane, item += info->lane_bytes)
        hash = mix_lane(hash, item, info->lane_bytes);
    return hash;
}

static uint64_t mix_row(uint64_t hash, ct_manager *manager, ct_row row) {
    uint32_t id = ct_store_id(&manager->store, row);
    if ((id & CT_ID_IS_STRING) != 0)
        hash = mix_string(hash, manager->strings, (ct_string){id & ~CT_ID_IS_STRING});
    else
        hash = ct_hash_mix(hash, id);
    if (manager->type->hash != NULL) hash = ct_hash_mix(hash, manager->type->hash(manager, row));
    for (uint32_t f = 0; f < manager->field_count; ++f) {
        const ct_field *field = &manager->fields[f];
        if (ct_field_is_kept(field) && field->type != CT_FIELD_VALUE)
            hash = mix_field(hash, manager, &manager->fields[f], row);
    }
    return hash;
}

// Components of an entity one after another, as they were created; entities are added up, in
// whatever order they come.
uint64_t ct_manager_hash(ct_manager *manager) {
    const ct_store *store = &manager->store;
    uint64_t sum = store->multiple ? store->last_number : 0;
    ct_manager_flush_deaths(manager);
    for (uint32_t i = 0; i < ct_store_count(store); ++i) {
        ct_entity owner = ct_store_owners(store)[i];
        ct_row row = ct_store_find(store, owner);
        if (row.i != i || !ct_entity_manager_alive(store->entities, owner)) continue;
        uint64_t hash = ct_hash_mix(manager->identifier, owner.id);
        for (; row.i != CT_NO_ROW; row = ct_store_next(store, row))
            hash = mix_row(hash, manager, row);
        sum += hash;
    }
    return ct_hash_mix(manager->identifier, sum);
}
