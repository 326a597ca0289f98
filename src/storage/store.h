// Common data of component managers: rows, owners, and the lookup of rows by entity.
// Longer than 150 lines: lookups are inline.
#ifndef CT_STORE_H
#define CT_STORE_H

#include "base/hash.h"
#include "entity/entity_manager.h"
#include "storage/columns.h"
#include "storage/entity_map.h"
#include "storage/id_index.h"

/// Columns of the store. The manager's columns begin at ct_store_own_columns.
enum {
    CT_COLUMN_OWNER = 0, ///< ct_entity; CT_NOBODY marks a row that waits for gc
    // only if an entity may have several rows:
    CT_COLUMN_NEXT = 1, ///< next row of the same entity, or CT_NO_ROW
    CT_COLUMN_PREV = 2, ///< previous row of the same entity; for the first row, the last row
    CT_COLUMN_ID = 3    ///< component id: 1 .. CT_LAST_NUMBER, or 0x80000000 + string
};

/// Largest number that a caller may pass as a component id, and largest number that a store issues.
/// The gap ensures that passed ids cannot exhaust the numbers.
#define CT_LAST_GIVEN_NUMBER 0x3FFFFFFFu
#define CT_LAST_NUMBER 0x7FFFFFFFu

/// First member of a manager (manager.h). The store calls the functions 'removing', 'moved' and
/// 'orphaned' of the manager's type.
typedef struct ct_store {
    ct_columns columns; // first: compiled loops read count and addresses
    ct_entity_map map;
    ct_entity_manager *entities;
    const ct_allocator *allocator;
    ct_generation_wrap_listener watch;
    uint64_t gc_position; // position in the entity manager's log of deaths
    ct_random random;

    // An epoch stamps the instances (row handles) that scripts hold. A new epoch is drawn if rows
    // moved and an instance was created since the last draw.
    uint32_t *epochs; // counter that the stores share, owned by the caller
    uint32_t epoch;

    // Loops over rows compare these: the number of removals and moves of rows and, if the last
    // change was a single removal, the removed row and the index of the former last row. After a gc
    // that moved a row, 'last_removed' is CT_NO_ROW.
    uint32_t changes;
    ct_row last_removed;
    uint32_t last_vanished;

    uint32_t additions; // calls that added rows, rolled back new rows or orphaned rows

    uint32_t orphan_count; // rows with owner CT_NOBODY
    uint32_t sweep;        // a sweep in parts still has to check the rows before this one
    bool epoch_used;
    bool multiple;
    bool refers;          // removal calls ct_manager_rows_removing
    uint32_t last_number; // largest numeric component id that any row has ever had
    uint32_t kept_number; // last_number before a call that adds rows and may still fail
    ct_table ids; // index of component ids; contains all or no rows of an entity with many rows
} ct_store;

/// Initializes an empty store. 'widths' are the widths of the manager's columns. 'epochs' is a
/// counter that outlives the store; the store draws its first epoch from it. The store must not
/// move in memory until it is freed, because the entity manager keeps its address. 'places' is
/// memory of ct_store_places bytes that exists as long as the store.
void ct_store_init(ct_store *store, const ct_allocator *allocator, ct_entity_manager *entities,
                   uint32_t *epochs, ct_map_kind kind, bool multiple, const uint16_t *widths,
                   uint32_t own_column_count, void *places);

/// Returns the bytes for the addresses and widths of all columns of a store.
static inline size_t ct_store_places(bool multiple, uint32_t own_column_count) {
    size_t columns = (multiple ? CT_COLUMN_ID + 1u : CT_COLUMN_OWNER + 1u) + own_column_count;
    return ct_padded(columns * (sizeof(unsigned char *) + sizeof(uint16_t)));
}

/// Frees all memory without calling the type. The store is then empty and cannot grow: adding
/// returns CT_ERR_OVER.
void ct_store_free(ct_store *store);

/// Removes all rows and keeps the memory. Calls 'removing' of the type once for all rows. O(rows),
/// a few ns each.
void ct_store_clear(ct_store *store);

/// Returns the number of the first column that belongs to the manager.
static inline uint32_t ct_store_own_columns(const ct_store *store) {
    return store->multiple ? CT_COLUMN_ID + 1 : CT_COLUMN_OWNER + 1;
}

static inline uint32_t ct_store_count(const ct_store *store) { return store->columns.count; }

static inline ct_entity *ct_store_owners(const ct_store *store) {
    return (ct_entity *)(void *)store->columns.at[CT_COLUMN_OWNER];
}

static inline uint32_t *ct_store_u32(const ct_store *store, uint32_t column) {
    CT_ASSERT(column < store->columns.column_count);
    return (uint32_t *)(void *)store->columns.at[column];
}

/// Returns a bound of the indices of all entities, after new entities brought the number of rows
/// to 'count'.
uint32_t ct_store_indices_for(const ct_store *store, uint32_t count);

/// Reserves memory for 'count' rows in total, of existing entities or of the next new ones. Returns
/// CT_OK, CT_ERR_MEMORY, or CT_ERR_FULL above CT_MAX_ROWS.
ct_status ct_store_reserve_rows(ct_store *store, uint32_t count);

/// Appends one row per owner, in order; *first is the row of owners[0]. The manager's columns of
/// the new rows are not initialized. Owners must be alive. Rows of a dead entity with the same
/// index are orphaned, so that no component can become attached to another entity. Returns CT_OK,
/// CT_ERR_MEMORY or CT_ERR_FULL; or CT_ERR_EXISTS if the store is not 'multiple' and an owner has a
/// row already or is listed twice, with the position of the owner in *first. All or nothing. In a
/// 'multiple' store, set the ids of the new rows with ct_store_set_id. Amortised O(count); moves no
/// rows except at the limit.
ct_status ct_store_add(ct_store *store, const ct_entity *owners, uint32_t count, ct_row *first);

/// Does the same for owners lookup[numbers[0 .. count - 1]]. Runs of consecutive indices are added
/// together. Used to spawn levels.
ct_status ct_store_add_listed(ct_store *store, const ct_entity *lookup, const uint32_t *numbers,
                              uint32_t count, ct_row *first);

/// Removes the last 'count' rows, after a later step of the caller failed. Does not call the type.
void ct_store_rollback(ct_store *store, uint32_t count);

/// Returns the first row for an entity index, dead or alive, or CT_NO_ROW.
static inline uint32_t ct_store_find_index(const ct_store *store, uint32_t index) {
    return ct_entity_map_find(&store->map, ct_store_owners(store), index);
}

/// Returns the first row of an entity that is alive or in its destroy callbacks, or CT_NO_ROW. Any
/// 32 bits are allowed.
static inline ct_row ct_store_find(const ct_store *store, ct_entity e) {
    const ct_entity *owners = ct_store_owners(store);
    ct_row row = {ct_store_find_index(store, ct_entity_index(e))};
    // The index matches. The generation may not, because rows of dead entities remain until gc.
    if (row.i != CT_NO_ROW &&
        (owners[row.i].id != e.id || !ct_entity_manager_alive_or_dying(store->entities, e)))
        row.i = CT_NO_ROW;
    return row;
}

/// Returns whether a row is the first one of its owner.
static inline bool ct_store_is_first(const ct_store *store, uint32_t row) {
    return !store->multiple ||
           ct_store_find_index(store, ct_entity_index(ct_store_owners(store)[row])) == row;
}

/// Returns whether a row is the only one of its owner.
static inline bool ct_store_is_single(const ct_store *store, uint32_t row) {
    return !store->multiple || (ct_store_u32(store, CT_COLUMN_NEXT)[row] == CT_NO_ROW &&
                                ct_store_u32(store, CT_COLUMN_PREV)[row] == row);
}

/// Returns the next row of the same entity, or CT_NO_ROW.
static inline ct_row ct_store_next(const ct_store *store, ct_row row) {
    row.i = store->multiple ? ct_store_u32(store, CT_COLUMN_NEXT)[row.i] : CT_NO_ROW;
    return row;
}

/// Returns row number 'n' of an entity, from 0, or CT_NO_ROW. O(n).
ct_row ct_store_find_nth(const ct_store *store, ct_entity e, uint32_t n);

/// Returns a number that changes whenever a row is added, removed, moved or orphaned: for caches of
/// rows.
static inline uint32_t ct_store_structure(const ct_store *store) {
    return store->changes + store->additions;
}

/// Counts a change of the rows in 'changes' or 'additions', and in the entity manager.
static inline void ct_store_count_change(ct_store *store, uint32_t *counter) {
    ++*counter;
    store->entities->structure++;
}

/// Row handle of a script, its instance: row + CT_ROW_SPAN x epoch, an integer below 2^53.
#define CT_ROW_SPAN 4194304.0

static inline double ct_store_instance(ct_store *store, ct_row row) {
    store->epoch_used = true;
    return row.i + CT_ROW_SPAN * store->epoch;
}

/// Returns whether a number is an instance that is not stale, and writes its row to *out.
static inline bool ct_store_find_instance(const ct_store *store, double number, ct_row *out) {
    if (!(number >= CT_ROW_SPAN && number < CT_ROW_SPAN * 2147483648.0)) return false;
    uint64_t bits = (uint64_t)number;
    out->i = (uint32_t)bits & (CT_MAX_ROWS - 1);
    return (double)bits == number && (uint32_t)(bits >> CT_ROW_BITS) == store->epoch &&
           out->i < ct_store_count(store);
}

/// Returns the component id of a row (see CT_COLUMN_ID); 0 if the store has no ids.
static inline uint32_t ct_store_id(const ct_store *store, ct_row row) {
    return store->multiple ? ct_store_u32(store, CT_COLUMN_ID)[row.i] : 0;
}

/// Sets the id of a new row. Before, the id is 0 or not initialized.
void ct_store_set_id(ct_store *store, ct_row row, uint32_t id);

/// Issues the next number for the id of a new row; no row of the store has had it or will get it
/// again. Returns CT_OK, or CT_ERR_FULL if there are no more numbers.
static inline ct_status ct_store_next_number(ct_store *store, uint32_t *number) {
    if (CT_UNLIKELY(store->last_number >= CT_LAST_NUMBER)) return CT_ERR_FULL;
    *number = ++store->last_number;
    return CT_OK;
}

/// Prevents a number from being issued.
static inline void ct_store_note_numbers(ct_store *store, uint32_t number) {
    if (number > store->last_number) store->last_number = number;
}

/// Save and restore the next number, around the creation of rows that may be rolled back before
/// their ids are visible.
static inline void ct_store_keep_number(ct_store *store) {
    store->kept_number = store->last_number;
}
static inline void ct_store_restore_number(ct_store *store) {
    store->last_number = store->kept_number;
}

/// Returns the row of an entity with this component id, or CT_NO_ROW; always CT_NO_ROW in a store
/// that is not 'multiple'. O(1): the first search among many rows of an entity indexes them, if
/// memory suffices.
ct_row ct_store_find_id(ct_store *store, ct_entity e, uint32_t id);

/// Exchanges two rows, in a store with CT_MAP_ARRAY that is not 'multiple'. Does not call the type:
/// the caller must update references to rows and call ct_store_rows_moved.
void ct_store_swap(ct_store *store, ct_row a, ct_row b);

/// Removes one row; the last row moves to its place (Bitsquid part 2, destroy()). Never allocates,
/// cannot fail.
void ct_store_remove(ct_store *store, ct_row row);

/// Removes 'count' rows from 'first' on. Up to as many rows from the end move to their place, with
/// one copy per column. Never allocates, cannot fail.
void ct_store_remove_rows(ct_store *store, ct_row first, uint32_t count);

/// Updates links (row numbers) to 'count' rows that moved from 'from' to 'to'. Returns whether any
/// link refers to another row. For 'moved' of types with rows that refer to each other.
static inline bool ct_links_shift(uint32_t *links, uint32_t link_count, ct_row to, ct_row from,
                                  uint32_t count) {
    uint32_t shift = to.i - from.i, others = 0;
    for (uint32_t i = 0; i < link_count; ++i) {
        uint32_t link = links[i], inside = link - from.i < count;
        others |= (link != CT_NO_ROW) & (inside ^ 1);
        links[i] = link + (shift & (0 - inside));
    }
    return others != 0;
}

/// Removes all rows of an entity, alive or not. Returns their number.
uint32_t ct_store_remove_all(ct_store *store, ct_entity e);

/// Orphans the rows of an entity: it then has no component in this store, and gc removes the rows
/// later. No row moves. Cannot fail.
void ct_store_orphan_rows(ct_store *store, ct_entity e);

/// Removes rows of dead entities: first of entities that the log of deaths lists since the last
/// call, then at random until four living owners in a row are found (Bitsquid part 2, gc()).
/// Returns the number of removed rows. O(deaths) + four probes. Never allocates, cannot fail. If
/// it moves a row, as ct_store_gc_some and ct_store_sweep can, running loops stop with an error.
uint32_t ct_store_gc(ct_store *store);

/// Does the same in parts: stops after 'limit' removed rows, or after checks that take as long, and
/// continues at the next call. Removes orphaned rows, and then in the order of deaths.
uint32_t ct_store_gc_some(ct_store *store, uint32_t limit);

/// Returns whether all owners are known to be alive, because all dead entities were collected.
/// O(1).
static inline bool ct_store_has_no_dead(const ct_store *store) {
    const ct_entity_manager *entities = store->entities;
    return store->gc_position == entities->tail && store->sweep == 0 && store->orphan_count == 0 &&
           entities->dying_count == 0;
}

/// Removes all rows of dead entities and returns their number. O(rows).
uint32_t ct_store_sweep(ct_store *store);

/// Makes running loops over rows stop with an error, and instances stale, because rows moved.
void ct_store_rows_moved(ct_store *store);

/// Frees spare memory. Columns move, rows do not. Cannot fail. O(rows).
void ct_store_trim(ct_store *store);

/// Saves or restores rows and all related data, for snapshots. The entity manager must be restored
/// already.
void ct_store_state(ct_store *store, ct_state *state);

/// Copies owners, lists, ids and gc state of all rows from another store of the same entities to an
/// empty one with enough capacity in columns and map. The manager's columns are not initialized,
/// and no references to string ids are counted. Ids start at 1 if the other store has none. If only
/// the other store is 'multiple', no entity may have several rows. Cannot fail. O(rows).
void ct_store_take_rows(ct_store *store, const ct_store *from);

size_t ct_store_bytes(const ct_store *store);

/// Checks every invariant of rows, map and lists. Returns false with the reason in 'message'.
/// O(rows).
bool ct_store_validate(const ct_store *store, const char *name, ct_message *message);

#endif
