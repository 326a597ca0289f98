// Lookup of rows by entity: the two maps of Bitsquid part 2, a hash table and an array.
// Longer than 150 lines: lookups are inline.
#ifndef CT_ENTITY_MAP_H
#define CT_ENTITY_MAP_H

#include "base/hash.h"
#include "base/runs.h"
#include "base/table.h"

/// Kind of a map (Bitsquid part 2, "Accessing Data").
typedef enum ct_map_kind {
    CT_MAP_ARRAY, ///< pages of 1,024 rows by entity index: two loads, for components that almost
                  ///< every entity has
    CT_MAP_HASH   ///< open addressing, 4 bytes a slot, 5 to 11 bytes a component, for other
                  ///< components. If that takes more memory than pages, it becomes an array
                  ///< permanently
} ct_map_kind;

#define CT_MAP_PAGE_BITS 10u
#define CT_MAP_PAGE_ROWS (1u << CT_MAP_PAGE_BITS)

// A page entry is ~row, so that zeroed memory means "no row".

/// Map from entity index to row. At most one entity per index is in the map: see ct_store_add.
typedef struct ct_entity_map {
    uint32_t **pages;    // CT_MAP_ARRAY
    uint32_t page_limit; // length of 'pages'; each entry is NULL or a page
    uint32_t page_count; // number of allocated pages
    ct_table table;      // CT_MAP_HASH: rows, by the entity index of their owners
    ct_map_kind kind;
} ct_entity_map;

/// Initializes an empty map. Allocates nothing.
void ct_entity_map_init(ct_entity_map *map, ct_map_kind kind);

void ct_entity_map_free(ct_entity_map *map, const ct_allocator *allocator);

/// Reserves memory for entities[0 .. count - 1], so that entering them cannot fail. 'owners' are
/// the owners of all rows in the map. Returns CT_OK or CT_ERR_MEMORY; the entries do not change.
ct_status ct_entity_map_reserve(ct_entity_map *map, const ct_allocator *allocator,
                                const ct_entity *owners, const ct_entity *entities, uint32_t count);

/// Reserves memory for 'count' entities in total, with any indices below 'indices'. 'owners' and
/// statuses as above.
ct_status ct_entity_map_reserve_count(ct_entity_map *map, const ct_allocator *allocator,
                                      const ct_entity *owners, uint32_t count, uint32_t indices);

/// Reserves memory for these entities, which may include CT_NOBODY, to replace all present entries.
/// 'owners' are the owners of all rows in the map. Statuses as above.
ct_status ct_entity_map_reserve_all(ct_entity_map *map, const ct_allocator *allocator,
                                    const ct_entity *owners, const ct_entity *entities,
                                    uint32_t count);

/// Enters all rows into an empty map with reserved memory, except rows with owner CT_NOBODY. If
/// there are lists ('next' is not NULL), enters only the first row of each; prev of a first row is
/// the last row.
void ct_entity_map_enter_all(ct_entity_map *map, const ct_entity *owners, uint32_t count,
                             const uint32_t *next, const uint32_t *prev);

/// Returns the place of an index in an array map. Its page must exist.
static inline uint32_t *ct_entity_map_place(const ct_entity_map *map, uint32_t index) {
    return &map->pages[index >> CT_MAP_PAGE_BITS][index & (CT_MAP_PAGE_ROWS - 1)];
}

/// Returns the row of an entity index, of any generation, or CT_NO_ROW.
static inline uint32_t ct_entity_map_find(const ct_entity_map *map, const ct_entity *owners,
                                          uint32_t index) {
    if (map->kind == CT_MAP_ARRAY) {
        uint32_t page = index >> CT_MAP_PAGE_BITS;
        if (CT_UNLIKELY(page >= map->page_limit || map->pages[page] == NULL)) return CT_NO_ROW;
        return ~map->pages[page][index & (CT_MAP_PAGE_ROWS - 1)];
    }
    if (CT_UNLIKELY(map->table.bits == 0)) return CT_NO_ROW;
    // Like ct_table_next, which costs 5 % more if nothing is found.
    uint32_t hash = ct_hash_index(index), wanted = ct_table_slot(hash, 0);
    uint32_t mask = ct_table_mask(&map->table);
    for (uint32_t place = hash >> (32 - map->table.bits);; place = (place + 1) & mask) {
        uint32_t slot = map->table.slots[place], row = slot ^ wanted;
        if (row < CT_MAX_ROWS && ct_entity_index(owners[row]) == index) return row;
        if (slot == 0) return CT_NO_ROW;
    }
}

/// Stores the row of each of 'count' entities in 'rows', or CT_NO_ROW. Dead entities have rows
/// until gc removes them.
void ct_entity_map_find_each(const ct_entity_map *map, const ct_entity *owners,
                             const ct_entity *entities, uint32_t count, uint32_t *rows);

/// Returns whether an index can be entered without reserving memory. May return false if that is
/// not known without a search.
static inline bool ct_entity_map_has_room(const ct_entity_map *map, uint32_t index) {
    uint32_t page = index >> CT_MAP_PAGE_BITS;
    if (map->kind == CT_MAP_ARRAY) return page < map->page_limit && map->pages[page] != NULL;
    return map->table.bits > 0 &&
           !ct_table_is_short(&map->table, map->table.bits, map->table.used + 1);
}

/// Sets the row of an index, and returns its previous row, or CT_NO_ROW. Memory must be reserved.
/// One probe sequence finds the old row and enters the new one.
static inline uint32_t ct_entity_map_enter(ct_entity_map *map, const ct_entity *owners,
                                           uint32_t index, uint32_t row) {
    if (map->kind == CT_MAP_ARRAY) {
        uint32_t *entry = ct_entity_map_place(map, index);
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

/// Enters 'count' consecutive indices from 'index' on, with consecutive rows from 'row' on. Stops
/// at the end of the first page or at an index that has a row, and does nothing for a hash. Returns
/// the number of entered indices. Memory must be reserved.
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

/// Changes the row of an index from 'from' to 'to'.
static inline void ct_entity_map_move(ct_entity_map *map, uint32_t index, uint32_t from,
                                      uint32_t to) {
    if (map->kind == CT_MAP_ARRAY)
        *ct_entity_map_place(map, index) = ~to;
    else
        ct_table_replace(&map->table, ct_hash_index(index), from, to);
}

/// Part of ct_entity_map_erase.
void ct_entity_map_erase_hashed(ct_entity_map *map, const ct_entity *owners, uint32_t row);

/// Removes an index with this row. The owners of all rows in the map, including 'row', must be
/// unchanged.
static inline void ct_entity_map_erase(ct_entity_map *map, const ct_entity *owners, uint32_t index,
                                       uint32_t row) {
    if (map->kind == CT_MAP_ARRAY)
        *ct_entity_map_place(map, index) = 0;
    else
        ct_entity_map_erase_hashed(map, owners, row);
}

/// Returns how many of 'count' owners, at least one, have consecutive ids: the same generation and
/// consecutive indices.
static inline uint32_t ct_entity_run(const ct_entity *owners, uint32_t count) {
    return ct_u32_run(owners, count, 1);
}

/// Returns the length of such a run on one page of an array map.
static inline uint32_t ct_entity_map_run(const ct_entity *owners, uint32_t count) {
    if (count < 2 || owners[1].id != owners[0].id + 1) return 1;
    uint32_t room = CT_MAP_PAGE_ROWS - (ct_entity_index(owners[0]) & (CT_MAP_PAGE_ROWS - 1));
    return ct_entity_run(owners, count < room ? count : room);
}

/// Changes the rows of the owners of 'count' rows that move from 'from' to 'to'. 'owners' are the
/// owners of all rows; CT_NOBODY is skipped.
void ct_entity_map_move_run(ct_entity_map *map, const ct_entity *owners, uint32_t from, uint32_t to,
                            uint32_t count);

/// Removes the owners of 'count' rows from 'row' on. Returns the number of rows with owner
/// CT_NOBODY.
uint32_t ct_entity_map_erase_run(ct_entity_map *map, const ct_entity *owners, uint32_t row,
                                 uint32_t count);

/// Removes all entries and keeps the memory. 'owners' are the owners of all 'count' rows, which may
/// include CT_NOBODY. O(count), independent of the capacity.
void ct_entity_map_clear(ct_entity_map *map, const ct_entity *owners, uint32_t count);

/// Frees unused pages and slots. 'owners' are the owners of all rows.
void ct_entity_map_trim(ct_entity_map *map, const ct_allocator *allocator, const ct_entity *owners);

size_t ct_entity_map_bytes(const ct_entity_map *map);

/// Returns the number of entries. O(1) for hashes, O(pages) for arrays.
uint32_t ct_entity_map_count(const ct_entity_map *map);

#endif
