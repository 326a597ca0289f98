// Values that are written to columns without steps of a patch, which is the common case: numbers of
// a component that exists.
#include "level/replication/apply.h"
#include "storage/manager_access.h"

// Returns the row of a component with one row for each entity, or CT_NO_ROW.
static ct_row find_row(const ct_apply *apply, const ct_received *item, ct_entity local) {
    const ct_manager *manager = apply->types[item->type].manager;
    if (manager == NULL || apply->patch.world->destroyed ||
        !ct_entity_manager_alive(manager->store.entities, local))
        return (ct_row){CT_NO_ROW};
    return ct_store_find(&manager->store, local);
}

bool ct_apply_is_direct(const ct_apply *apply, ct_received *item, ct_entity local) {
    const ct_bound_type *bound = &apply->types[item->type];
    if (item->kind != CT_CHANGE_SET || (item->given & ~bound->direct) != 0) return false;
    item->row = find_row(apply, item, local);
    return item->row.i != CT_NO_ROW;
}

// Reads the values again, to the mirror, and writes them to the row.
static void write_item(ct_apply *apply, const ct_received *item) {
    const ct_published_type *type = &apply->now->published.types[item->type];
    const ct_bound_type *bound = &apply->types[item->type];
    ct_mirror_component *component = &apply->now->mirror.components[item->component];
    unsigned char *items = ct_mirror_items(&apply->now->mirror, component);
    unsigned char own[CT_MAX_ITEM_BYTES];
    ct_reader in = ct_reader_of(item->values, item->bytes);
    ct_row row = item->row;
    if (apply->patch.host_ran) // hooks may have removed it
        row = find_row(apply, item, apply->now->mirror.entities[component->place].local);
    component->present = (component->present & ~item->given) | item->present;
    for (uint32_t f = 0; f < type->field_count && item->present >> f != 0; ++f) {
        const ct_published_field *field = &type->fields[f];
        if ((item->present >> f & 1) == 0) continue;
        const ct_field_info *info = ct_field_info_of(field->type);
        unsigned char *value = items + field->place;
        if (field->step > 0)
            (void)ct_apply_read_item(apply, &in, field, item->component, value);
        else // numbers, which ct_apply_read has checked
            ct_reader_numbers(&in, info->lane_bytes, info->lanes, value);
        if (row.i == CT_NO_ROW || bound->fields[f].column == CT_NOT_BOUND) continue;
        if (field->step > 0) ct_published_get(field, value, own);
        (void)ct_manager_write_item(bound->manager, bound->fields[f].column, row,
                                    field->step > 0 ? own : value);
    }
}

void ct_apply_write_direct(void *user) {
    ct_apply *apply = user;
    for (uint32_t i = 0; i < apply->item_count; ++i) {
        if (apply->items[i].direct) write_item(apply, &apply->items[i]);
    }
}
