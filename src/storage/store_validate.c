// Validation of a store, row by row.
#include "storage/store.h"

#include "base/message.h"

static bool is_indexed(const ct_store *store, uint32_t row) {
    const ct_id_columns columns = {ct_store_owners(store), ct_store_u32(store, CT_COLUMN_ID)};
    return ct_id_index_find(&store->ids, &columns, columns.owners[row], columns.ids[row]) == row;
}

// Checks the list that starts at 'head': a single owner, consistent links in both directions, an id
// for each row, not above the last number, and either all rows or none in the index. Returns its
// length, or 0 with the reason in 'message'. Adds the number of indexed rows to *indexed.
static uint32_t check_list(const ct_store *store, const char *name, uint32_t head,
                           uint32_t *indexed, ct_message *message) {
    const uint32_t *next = ct_store_u32(store, CT_COLUMN_NEXT);
    const uint32_t *prev = ct_store_u32(store, CT_COLUMN_PREV);
    const uint32_t *ids = ct_store_u32(store, CT_COLUMN_ID);
    const ct_entity *owners = ct_store_owners(store);
    uint32_t count = store->columns.count, length = 0, last = head;
    for (uint32_t row = head; row != CT_NO_ROW; row = next[row]) {
        if (row >= count || owners[row].id != owners[head].id || ++length > count) {
            ct_message_set(message, "%s: the instance list at row %u has a row of another entity",
                           name, head);
            return 0;
        }
        if (row != head && prev[row] != last) {
            ct_message_set(message, "%s: row %u has a wrong previous row", name, row);
            return 0;
        }
        if (ids[row] == 0) {
            ct_message_set(message, "%s: row %u has no id", name, row);
            return 0;
        }
        if (ids[row] <= CT_LAST_NUMBER && ids[row] > store->last_number) {
            ct_message_set(message, "%s: the id of row %u will be issued again", name, row);
            return 0;
        }
        if (is_indexed(store, row) != is_indexed(store, head)) {
            ct_message_set(message, "%s: row %u is not indexed as its entity's first", name, row);
            return 0;
        }
        *indexed += is_indexed(store, row);
        last = row;
    }
    if (prev[head] != last) {
        ct_message_set(message, "%s: row %u has a wrong last row of its list", name, head);
        return 0;
    }
    return length;
}

bool ct_store_validate(const ct_store *store, const char *name, ct_message *message) {
    const ct_entity *owners = ct_store_owners(store);
    uint32_t count = store->columns.count;
    uint32_t orphans = 0, entities = 0, listed = 0, indexed = 0;
    if (count > store->columns.capacity || count > CT_MAX_ROWS)
        return ct_message_set(message, "%s: more rows than the capacity", name);
    for (uint32_t row = 0; row < count; ++row) {
        if (owners[row].id == CT_NOBODY) {
            orphans++;
            continue;
        }
        if (ct_store_has_no_dead(store) && !ct_entity_manager_alive(store->entities, owners[row]))
            return ct_message_set(message, "%s: row %u has a dead owner that gc missed", name, row);
        if (!ct_entity_is_id(owners[row].id))
            return ct_message_set(message, "%s: the owner of row %u is not an entity", name, row);
        uint32_t found = ct_entity_map_find(&store->map, owners, ct_entity_index(owners[row]));
        if (found >= count || owners[found].id != owners[row].id)
            return ct_message_set(message, "%s: the map does not find row %u", name, row);
        if (found != row) {
            if (store->multiple) continue;
            return ct_message_set(message, "%s: row %u and row %u have the same owner", name, found,
                                  row);
        }
        entities++;
        if (!store->multiple) continue;
        uint32_t length = check_list(store, name, row, &indexed, message);
        if (length == 0) return false;
        listed += length;
    }
    if (orphans != store->orphan_count)
        return ct_message_set(message, "%s: %u orphaned rows, expected %u", name, orphans,
                              store->orphan_count);
    if (entities != ct_entity_map_count(&store->map))
        return ct_message_set(message, "%s: the map has %u entities, the rows have %u", name,
                              ct_entity_map_count(&store->map), entities);
    if (store->multiple && listed != count - orphans)
        return ct_message_set(message, "%s: %u rows are in lists, %u should be", name, listed,
                              count - orphans);
    return indexed == store->ids.used ||
           ct_message_set(message, "%s: %u rows are indexed, %u should be", name, store->ids.used,
                          indexed);
}
