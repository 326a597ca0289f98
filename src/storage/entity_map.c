// Lookup of rows by entity: in pages or in a hash table.
#include "storage/entity_map.h"

#include <string.h>

#define PAGE_BYTES (CT_MAP_PAGE_ROWS * sizeof(uint32_t))
#define MAX_PAGES (CT_MAX_ENTITIES >> CT_MAP_PAGE_BITS)

void ct_entity_map_init(ct_entity_map *map, ct_map_kind kind) {
    memset(map, 0, sizeof *map);
    map->kind = kind;
    map->table.dense = true;
}

// Hash function for ct_table; 'owners' is an array of ct_entity.
static uint32_t hash_of(const void *owners, uint32_t row) {
    return ct_hash_index(ct_entity_index(((const ct_entity *)owners)[row]));
}

// The copy of the map lets the compiler keep its members in registers, and the test outside of the
// loops makes one of each kind of map.
void ct_entity_map_find_each(const ct_entity_map *map, const ct_entity *owners,
                             const ct_entity *entities, uint32_t count, uint32_t *rows) {
    const ct_entity_map copy = *map;
    if (copy.kind == CT_MAP_ARRAY) {
        for (uint32_t i = 0; i < count; ++i)
            rows[i] = ct_entity_map_find(&copy, owners, ct_entity_index(entities[i]));
    } else {
        for (uint32_t i = 0; i < count; ++i)
            rows[i] = ct_entity_map_find(&copy, owners, ct_entity_index(entities[i]));
    }
    for (uint32_t i = 0; i < count; ++i)
        if (rows[i] != CT_NO_ROW && owners[rows[i]].id != entities[i].id) rows[i] = CT_NO_ROW;
}

void ct_entity_map_free(ct_entity_map *map, const ct_allocator *allocator) {
    for (uint32_t page = 0; page < map->page_limit; ++page)
        ct_free(allocator, map->pages[page], PAGE_BYTES);
    ct_free(allocator, map->pages, map->page_limit * sizeof *map->pages);
    ct_table_free(&map->table, allocator);
    ct_entity_map_init(map, map->kind);
}

// Reserves an entry for a page in the array of pages.
static ct_status reserve_directory(ct_entity_map *map, const ct_allocator *allocator,
                                   uint32_t page) {
    if (page < map->page_limit) return CT_OK;
    uint32_t limit = ct_grow_capacity(map->page_limit, page + 1, MAX_PAGES);
    uint32_t **pages = ct_alloc_zero(allocator, limit * sizeof *pages);
    if (pages == NULL) return CT_ERR_MEMORY;
    if (map->page_limit > 0) memcpy(pages, map->pages, map->page_limit * sizeof *pages);
    ct_free(allocator, map->pages, map->page_limit * sizeof *pages);
    map->pages = pages;
    map->page_limit = limit;
    return CT_OK;
}

static ct_status reserve_pages(ct_entity_map *map, const ct_allocator *allocator,
                               const ct_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i += ct_entity_map_run(entities + i, count - i)) {
        uint32_t page = ct_entity_index(entities[i]) >> CT_MAP_PAGE_BITS;
        if (CT_LIKELY(page < map->page_limit && map->pages[page] != NULL)) continue;
        if (entities[i].id == CT_NOBODY) continue;
        if (reserve_directory(map, allocator, page) != CT_OK) return CT_ERR_MEMORY;
        map->pages[page] = ct_alloc_zero(allocator, PAGE_BYTES);
        if (map->pages[page] == NULL) return CT_ERR_MEMORY;
        map->page_count++;
    }
    return CT_OK;
}

// Sets a bit for each row in the table. In the order of the rows, owners and pages are read and
// written one after another, which is several times as fast as in the order of the slots.
static uint64_t *rows_in_table(const ct_table *table, const ct_allocator *allocator,
                               uint32_t *words) {
    uint32_t last = 0;
    for (uint32_t i = 0; i <= ct_table_mask(table); ++i) {
        uint32_t row = ct_table_number(table->slots[i]);
        last = row > last ? row : last;
    }
    *words = last / 64 + 1;
    uint64_t *bits = ct_alloc_zero(allocator, *words * sizeof *bits);
    if (bits == NULL) return NULL;
    for (uint32_t i = 0; i <= ct_table_mask(table); ++i) {
        uint32_t row = ct_table_number(table->slots[i]);
        bits[row / 64] |= (uint64_t)(table->slots[i] != 0) << row % 64;
    }
    return bits;
}

// Enters the rows of a table into pages if all their indices are below 'indices'.
static bool enter_rows(ct_entity_map *array, const ct_allocator *allocator, const ct_entity *owners,
                       const uint64_t *bits, uint32_t words, uint64_t indices) {
    uint32_t last = MAX_PAGES;
    for (uint32_t row = 0; row < words * 64; ++row) {
        if ((bits[row / 64] >> row % 64 & 1) == 0) continue;
        uint32_t index = ct_entity_index(owners[row]), page = index >> CT_MAP_PAGE_BITS;
        if (index >= indices) return false;
        if (page != last && reserve_pages(array, allocator, &owners[row], 1) != CT_OK) return false;
        if (array->pages == NULL) return false; // for the analyzer: a page was reserved
        last = page;
        array->pages[page][index & (CT_MAP_PAGE_ROWS - 1)] = ~row;
    }
    return true;
}

// Replaces the table by pages if all its indices are below 'indices'.
static bool become_array(ct_entity_map *map, const ct_allocator *allocator, const ct_entity *owners,
                         uint64_t indices) {
    uint32_t words;
    uint64_t *bits = rows_in_table(&map->table, allocator, &words);
    if (bits == NULL) return false;
    ct_entity_map array;
    ct_entity_map_init(&array, CT_MAP_ARRAY);
    bool fits = enter_rows(&array, allocator, owners, bits, words, indices);
    ct_free(allocator, bits, words * sizeof *bits);
    ct_entity_map_free(fits ? map : &array, allocator);
    if (fits) *map = array;
    return fits;
}

// Returns whether all indices are below 'indices'. CT_NOBODY has none.
static bool are_below(const ct_entity *entities, uint32_t count, uint64_t indices) {
    for (uint32_t i = 0; i < count; ++i)
        if (entities[i].id != CT_NOBODY && ct_entity_index(entities[i]) >= indices) return false;
    return count > 0;
}

// Reserves slots for 'more' rows in the table. Instead of growing, the table becomes an array if
// the pages for its indices, or those of its first entities, take no more memory than the slots.
// That is the case for clustered indices.
static ct_status reserve_slots(ct_entity_map *map, const ct_allocator *allocator,
                               const ct_entity *owners, uint32_t more, const ct_entity *entities,
                               uint32_t count) {
    ct_table *table = &map->table;
    uint32_t bits = table->bits;
    while (ct_table_is_short(table, bits, table->used + more))
        bits++;
    if (bits == table->bits && bits > 0) return CT_OK;
    uint64_t bytes = (uint64_t)sizeof *table->slots << bits;
    uint64_t indices = bytes / PAGE_BYTES << CT_MAP_PAGE_BITS;
    if (table->used > 0 && become_array(map, allocator, owners, indices)) return CT_OK;
    if (table->used == 0 && indices > 0 && are_below(entities, count, indices)) {
        ct_entity_map_free(map, allocator);
        map->kind = CT_MAP_ARRAY;
        return CT_OK;
    }
    return ct_table_reserve(table, allocator, more, hash_of, owners) ? CT_OK : CT_ERR_MEMORY;
}

// Reserves slots for 'more' rows in the table, or pages for the indices of these entities.
static ct_status reserve(ct_entity_map *map, const ct_allocator *allocator, const ct_entity *owners,
                         uint32_t more, const ct_entity *entities, uint32_t count) {
    ct_status status = CT_OK;
    if (map->kind == CT_MAP_HASH && more > 0)
        status = reserve_slots(map, allocator, owners, more, entities, count);
    if (status != CT_OK || map->kind == CT_MAP_HASH) return status;
    return reserve_pages(map, allocator, entities, count);
}

// Returns by how much 'count' exceeds the number of rows in the table.
static uint32_t missing(const ct_entity_map *map, uint32_t count) {
    return count > map->table.used ? count - map->table.used : 0;
}

ct_status ct_entity_map_reserve(ct_entity_map *map, const ct_allocator *allocator,
                                const ct_entity *owners, const ct_entity *entities,
                                uint32_t count) {
    return reserve(map, allocator, owners, count, entities, count);
}

ct_status ct_entity_map_reserve_all(ct_entity_map *map, const ct_allocator *allocator,
                                    const ct_entity *owners, const ct_entity *entities,
                                    uint32_t count) {
    return reserve(map, allocator, owners, missing(map, count), entities, count);
}

ct_status ct_entity_map_reserve_count(ct_entity_map *map, const ct_allocator *allocator,
                                      const ct_entity *owners, uint32_t count, uint32_t indices) {
    ct_status status = reserve(map, allocator, owners, missing(map, count), NULL, 0);
    if (map->kind == CT_MAP_HASH) return status;
    for (ct_entity e = {0}; e.id < indices && status == CT_OK; e.id += CT_MAP_PAGE_ROWS)
        status = reserve_pages(map, allocator, &e, 1);
    return status;
}

void ct_entity_map_enter_all(ct_entity_map *map, const ct_entity *owners, uint32_t count,
                             const uint32_t *next, const uint32_t *prev) {
    for (uint32_t row = 0; row < count; ++row) {
        uint32_t index = ct_entity_index(owners[row]);
        if (owners[row].id == CT_NOBODY || (next != NULL && next[prev[row]] == row)) continue;
        if (map->kind == CT_MAP_ARRAY) {
            map->pages[index >> CT_MAP_PAGE_BITS][index & (CT_MAP_PAGE_ROWS - 1)] = ~row;
        } else {
            ct_table_add(&map->table, ct_hash_index(index), row);
        }
    }
}

uint32_t ct_entity_map_enter_run(ct_entity_map *map, uint32_t index, uint32_t row, uint32_t count) {
    if (map->kind != CT_MAP_ARRAY) return 0;
    uint32_t place = index & (CT_MAP_PAGE_ROWS - 1), taken = 0;
    uint32_t *entries = map->pages[index >> CT_MAP_PAGE_BITS] + place;
    if (count > CT_MAP_PAGE_ROWS - place) count = CT_MAP_PAGE_ROWS - place;
    for (uint32_t i = 0; i < count; ++i)
        taken |= entries[i];
    for (uint32_t i = 0; taken != 0 && i < count; ++i) {
        if (entries[i] != 0) count = i;
    }
    for (uint32_t i = 0; i < count; ++i)
        entries[i] = ~(row + i);
    return count;
}

void ct_entity_map_erase_hashed(ct_entity_map *map, const ct_entity *owners, uint32_t row) {
    ct_table_remove(&map->table, row, hash_of, owners);
}

// Returns the page entries of at most 'count' owners with consecutive ids on one page, and sets
// *count to their number. Returns NULL, with *count 1, for a hash and for CT_NOBODY.
static uint32_t *entries_of(const ct_entity_map *map, const ct_entity *owners, uint32_t *count) {
    bool none = map->kind != CT_MAP_ARRAY || owners[0].id == CT_NOBODY;
    *count = none ? 1 : ct_entity_map_run(owners, *count);
    return none ? NULL : ct_entity_map_place(map, ct_entity_index(owners[0]));
}

void ct_entity_map_move_run(ct_entity_map *map, const ct_entity *owners, uint32_t from, uint32_t to,
                            uint32_t count) {
    for (uint32_t done = 0, length; done < count; done += length) {
        length = count - done;
        const ct_entity *owner = owners + from + done;
        uint32_t *entries = entries_of(map, owner, &length);
        for (uint32_t i = 0; i < length && entries != NULL; ++i)
            entries[i] = ~(to + done + i);
        if (entries == NULL && owner->id != CT_NOBODY)
            ct_entity_map_move(map, ct_entity_index(*owner), from + done, to + done);
    }
}

uint32_t ct_entity_map_erase_run(ct_entity_map *map, const ct_entity *owners, uint32_t row,
                                 uint32_t count) {
    uint32_t orphans = 0;
    for (uint32_t done = 0, length; done < count; done += length) {
        length = count - done;
        const ct_entity *owner = owners + row + done;
        uint32_t *entries = entries_of(map, owner, &length);
        if (entries != NULL)
            memset(entries, 0, length * sizeof *entries);
        else if (owner->id == CT_NOBODY)
            orphans++;
        else
            ct_entity_map_erase(map, owners, ct_entity_index(*owner), row + done);
    }
    return orphans;
}

// Clears the slot of an owner, and the following slots up to an empty one. Valid because all owners
// are removed.
static void forget(ct_entity_map *map, uint32_t index) {
    if (map->kind == CT_MAP_ARRAY) {
        *ct_entity_map_place(map, index) = 0;
        return;
    }
    ct_table *table = &map->table;
    uint32_t place = ct_table_home(table, ct_hash_index(index));
    for (; table->slots[place] != 0; place = (place + 1) & ct_table_mask(table))
        table->slots[place] = 0;
}

// Removes few owners from a large map one by one.
void ct_entity_map_clear(ct_entity_map *map, const ct_entity *owners, uint32_t count) {
    size_t places = map->kind == CT_MAP_ARRAY ? (size_t)map->page_count << CT_MAP_PAGE_BITS
                                              : ct_table_bytes(&map->table) / sizeof(uint32_t);
    map->table.used = 0;
    if (count < places / 16) {
        for (uint32_t row = 0; row < count; ++row)
            if (owners[row].id != CT_NOBODY) forget(map, ct_entity_index(owners[row]));
        return;
    }
    for (uint32_t page = 0; page < map->page_limit; ++page) {
        if (map->pages[page] != NULL) memset(map->pages[page], 0, PAGE_BYTES);
    }
    if (map->table.slots != NULL) memset(map->table.slots, 0, ct_table_bytes(&map->table));
}

static bool is_empty(const uint32_t *page) {
    uint32_t taken = 0;
    for (uint32_t i = 0; i < CT_MAP_PAGE_ROWS; ++i)
        taken |= page[i];
    return taken == 0;
}

void ct_entity_map_trim(ct_entity_map *map, const ct_allocator *allocator,
                        const ct_entity *owners) {
    for (uint32_t page = 0; page < map->page_limit; ++page) {
        if (map->pages[page] == NULL || !is_empty(map->pages[page])) continue;
        ct_free(allocator, map->pages[page], PAGE_BYTES);
        map->pages[page] = NULL;
        map->page_count--;
    }
    if (map->page_count == 0 && map->table.used == 0)
        ct_entity_map_free(map, allocator);
    else if (map->kind == CT_MAP_HASH)
        ct_table_trim(&map->table, allocator, hash_of, owners);
}

size_t ct_entity_map_bytes(const ct_entity_map *map) {
    return map->page_limit * sizeof *map->pages + map->page_count * PAGE_BYTES +
           ct_table_bytes(&map->table);
}

uint32_t ct_entity_map_count(const ct_entity_map *map) {
    if (map->kind == CT_MAP_HASH) return map->table.used;
    uint32_t count = 0;
    for (uint32_t page = 0; page < map->page_limit; ++page) {
        for (uint32_t i = 0; map->pages[page] != NULL && i < CT_MAP_PAGE_ROWS; ++i)
            count += map->pages[page][i] != 0;
    }
    return count;
}
