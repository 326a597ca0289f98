// Lookup of rows by entity: the two maps of Bitsquid part 2, a small and a direct one.
// Must not depend on components; the owners of rows are passed to each call. Longer than 150 lines:
// lookup is inline.
#ifndef CT_ENTITY_MAP_H
#define CT_ENTITY_MAP_H

#include "base/hash.h"
#include "base/table.h"

CT_BEGIN_C

/// Bitsquid part 2, "Accessing Data", has both.
typedef enum ct_map_kind {
    CT_MAP_ARRAY, ///< pages of 1,024 rows by entity index: two loads, for components almost all
                  ///< have
    CT_MAP_HASH   ///< open addressing, 4 bytes a slot: 5 to 11 bytes a component, for the others.
                  ///< Where that would take more than pages do, it becomes an array for good
} ct_map_kind;

#define CT_MAP_PAGE_BITS 10u
#define CT_MAP_PAGE_ROWS (1u << CT_MAP_PAGE_BITS)

// A page entry is ~row, so that fresh zeroed memory says "no row".

/// At most one entity per index is in the map: see ct_store_add.
typedef struct ct_entity_map {
    uint32_t **pages;    // CT_MAP_ARRAY
    uint32_t page_limit; // entries of 'pages', each NULL or a page
    uint32_t page_count; // pages there are
    ct_table table;      // CT_MAP_HASH: rows, by the indices of their owners
    ct_map_kind kind;
} ct_entity_map;

/// An empty map. Allocates nothing.
void ct_entity_map_init(ct_entity_map *map, ct_map_kind kind);

void ct_entity_map_free(ct_entity_map *map, const ct_allocator *allocator);

/// Makes room for entities[0 .. count - 1]: setting them cannot fail
/// afterwards. 'owners' are those of all rows in the map.
/// CT_OK or CT_ERR_MEMORY; what the map says is unchanged either way.
ct_status ct_entity_map_reserve(ct_entity_map *map, const ct_allocator *allocator,
                                const ct_entity *owners, const ct_entity *entities, uint32_t count);

/// Makes room for 'count' entities in all, of any indices below 'indices'. 'owners' and statuses as
/// above.
ct_status ct_entity_map_reserve_count(ct_entity_map *map, const ct_allocator *allocator,
                                      const ct_entity *owners, uint32_t count, uint32_t indices);

/// Makes room for these entities, CT_NOBODY among them, in the place of all that are in it.
/// 'owners' are those of all rows in the map. Statuses as above.
ct_status ct_entity_map_reserve_all(ct_entity_map *map, const ct_allocator *allocator,
                                    const ct_entity *owners, const ct_entity *entities,
                                    uint32_t count);

/// Enters all rows into an empty map, for which room was reserved: those that are CT_NOBODY's not,
/// and of lists (NULL: there are none) only the first; the one before a first row is the last.
void ct_entity_map_enter_all(ct_entity_map *map, const ct_entity *owners, uint32_t count,
                             const uint32_t *next, const uint32_t *prev);

/// The row under an entity index, whichever generation it belongs to, or CT_NO_ROW.
static inline uint32_t ct_entity_map_find(const ct_entity_map *map, const ct_entity *owners,
                                          uint32_t index) {
    if (map->kind == CT_MAP_ARRAY) {
        uint32_t page = index >> CT_MAP_PAGE_BITS;
        if (CT_UNLIKELY(page >= map->page_limit || map->pages[page] == NULL)) return CT_NO_ROW;
        return ~map->pages[page][index & (CT_MAP_PAGE_ROWS - 1)];
    }
    if (CT_UNLIKELY(map->table.bits == 0)) return CT_NO_ROW;
    // As ct_table_next, which costs 5 % more where nothing is found.
    uint32_t hash = ct_hash_index(index), wanted = ct_table_slot(hash, 0);
    uint32_t mask = ct_table_mask(&map->table);
    for (uint32_t place = hash >> (32 - map->table.bits);; place = (place + 1) & mask) {
        uint32_t slot = map->table.slots[place], row = slot ^ wanted;
        if (row < CT_MAX_ROWS && ct_entity_index(owners[row]) == index) return row;
        if (slot == 0) return CT_NO_ROW;
    }
}

/// Whether one more index has room. False as long as it is not known without a look around.
static inline bool ct_entity_map_has_room(const ct_entity_map *map, uint32_t index) {
    uint32_t page = index >> CT_MAP_PAGE_BITS;
    if (map->kind == CT_MAP_ARRAY) return page < map->page_limit && map->pages[page] != NULL;
    return map->table.bits > 0 &&
           !ct_table_is_short(&map->table, map->table.bits, map->table.used + 1);
}

/// Makes 'row' the row of an index, and returns the row that was before, or CT_NO_ROW.
/// Room was reserved. One walk finds the old and enters the new.
static inline uint32_t ct_entity_map_enter(ct_entity_map *map, const ct_entity *owners,
                                           uint32_t index, uint32_t row) {
    if (map->kind == CT_MAP_ARRAY) {
        uint32_t *entry = &map->pages[index >> CT_MAP_PAGE_BITS][index & (CT_MAP_PAGE_ROWS - 1)];
        uint32_t before = ~*entry;
        *entry = ~row;
        return before;
    }
    uint32_t *slots = map->table.slots, mask = ct_table_mask(&map->table);
    uint32_t hash = ct_hash_index(index), wanted = ct_table_slot(hash, 0);
    uint32_t place = hash >> (32 - map->table.bits);
    for (; slots[place] != 0; place = (place + 1) & mask) {
        uint32_t before = slots[place] ^ wanted;
        if (before >= CT_MAX_ROWS || ct_entity_index(owners[before]) != index) continue;
        slots[place] = wanted | row;
        return before;
    }
    slots[place] = wanted | row;
    map->table.used++;
    return CT_NO_ROW;
}

/// Enters 'count' indices from 'index' on, which get rows from 'row' on, as far as pages serve,
/// the first page reaches and no index has a row already; returns how many. Room was reserved.
uint32_t ct_entity_map_enter_run(ct_entity_map *map, uint32_t index, uint32_t row, uint32_t count);

/// Prefetches the map entry of an index.
static inline void ct_entity_map_prefetch(const ct_entity_map *map, uint32_t index) {
    if (map->kind == CT_MAP_HASH) {
        if (map->table.bits > 0)
            CT_PREFETCH(&map->table.slots[ct_table_home(&map->table, ct_hash_index(index))]);
        return;
    }
    uint32_t page = index >> CT_MAP_PAGE_BITS;
    if (page < map->page_limit && map->pages[page] != NULL)
        CT_PREFETCH(&map->pages[page][index & (CT_MAP_PAGE_ROWS - 1)]);
}

/// The index, found at row 'from', is at row 'to' from now on.
void ct_entity_map_move(ct_entity_map *map, uint32_t index, uint32_t from, uint32_t to);

/// Removes an index found at 'row'. Owners of all rows in the map are still in
/// place, that of 'row' included.
void ct_entity_map_erase(ct_entity_map *map, const ct_entity *owners, uint32_t index, uint32_t row);

/// Returns how many of 'count' owners, at least one, have consecutive ids: the same generation and
/// indices one after the other.
static inline uint32_t ct_entity_run(const ct_entity *owners, uint32_t count) {
    uint32_t length = 1;
    while (length < count && owners[length].id == owners[0].id + length)
        length++;
    return length;
}

/// The same for the owners of 'count' rows that are at 'from' now and at 'to' from now on.
/// 'owners' are those of all rows; CT_NOBODY is skipped.
void ct_entity_map_move_run(ct_entity_map *map, const ct_entity *owners, uint32_t from, uint32_t to,
                            uint32_t count);

/// Removes the owners of 'count' rows from 'row' on. Returns how many of them are CT_NOBODY.
uint32_t ct_entity_map_erase_run(ct_entity_map *map, const ct_entity *owners, uint32_t row,
                                 uint32_t count);

/// Forgets all, keeps the memory. 'owners' are those of all 'count' rows, CT_NOBODY among them.
/// O(count), however many it had once.
void ct_entity_map_clear(ct_entity_map *map, const ct_entity *owners, uint32_t count);

/// Gives back pages and slots that what is in it does not need. 'owners' are those of all rows.
void ct_entity_map_trim(ct_entity_map *map, const ct_allocator *allocator, const ct_entity *owners);

size_t ct_entity_map_bytes(const ct_entity_map *map);

/// How many indices are in it. O(1) for hashes, O(pages) for arrays.
uint32_t ct_entity_map_count(const ct_entity_map *map);

CT_END_C

#endif
