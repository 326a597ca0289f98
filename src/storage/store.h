// The common data of component managers: rows, their owners, and the lookup of rows by entity.
// Must not depend on the meaning of columns. Longer than 150 lines: looking up is inline.
#ifndef CT_STORE_H
#define CT_STORE_H

#include "base/hash.h"
#include "entity/entity_manager.h"
#include "storage/columns.h"
#include "storage/entity_map.h"
#include "storage/id_index.h"

CT_BEGIN_C

/// Columns of the store itself. A manager's own begin at ct_store_own_columns.
enum {
    CT_COLUMN_OWNER = 0, ///< ct_entity; CT_NOBODY: a row that waits for gc
    // only where an entity may have several:
    CT_COLUMN_NEXT = 1, ///< next row of the same entity, or CT_NO_ROW
    CT_COLUMN_PREV = 2, ///< the one before; of the first row, the last
    CT_COLUMN_ID = 3    ///< component id: 1 .. CT_LAST_NUMBER, or 0x80000000 + string
};

/// The largest number that may be given as a component id, and the largest that a store issues: so
/// none runs out of numbers because of what it was given.
#define CT_LAST_GIVEN_NUMBER 0x3FFFFFFFu
#define CT_LAST_NUMBER 0x7FFFFFFFu

/// Lies first in its manager (manager.h), whose type is told what becomes of rows: 'removing',
/// 'moved', 'orphaned'.
typedef struct ct_store {
    ct_columns columns; // first: compiled loops read count and addresses
    ct_entity_map map;
    ct_entity_manager *entities;
    const ct_allocator *allocator;
    ct_generation_wrap_listener watch;
    uint64_t gc_position; // in the entity manager's log of deaths
    uint32_t sweep;       // rows before this one are still to be looked at by a sweep in parts
    ct_random random;

    // An epoch stamps the instances (row handles) that scripts hold. A new one
    // is drawn when rows moved and an instance was handed out since the last.
    uint32_t *epochs; // the counter that stores share, lent from above
    uint32_t epoch;
    bool handed_out;

    // Loops over rows watch these: how often rows were removed or moved, and of a removal, if that
    // was the last of it, which row went, and which place, the last one's then, ceased to be.
    uint32_t changes;
    ct_row last_removed;
    uint32_t last_vanished;

    uint32_t additions; // calls that added rows, took new rows back or orphaned rows

    uint32_t orphan_count; // rows whose index lives again with a component of its own
    bool multiple;
    bool refers; // rows hold strings, or their type hears of removals: ct_manager_row_removing
    uint32_t last_number; // the largest component id that was a number, of any row there ever was
    uint32_t kept_number; // the same before a call that makes rows, and may yet fail
    ct_table ids; // of entities with many rows, once one was looked for by its id: all or none
} ct_store;

/// An empty store; 'widths' are those of the manager's own columns. 'epochs' is
/// a counter that outlives the store; the store's first epoch is drawn from it.
/// The store may not move in memory until it is freed: the entity manager knows its address.
/// 'places' is memory of ct_store_places bytes, which lives as long as the store.
void ct_store_init(ct_store *store, const ct_allocator *allocator, ct_entity_manager *entities,
                   uint32_t *epochs, ct_map_kind kind, bool multiple, const uint16_t *widths,
                   uint32_t own_column_count, void *places);

/// Bytes for the addresses and widths of all columns of a store.
static inline size_t ct_store_places(bool multiple, uint32_t own_column_count) {
    size_t columns = (multiple ? CT_COLUMN_ID + 1u : CT_COLUMN_OWNER + 1u) + own_column_count;
    return ct_padded(columns * (sizeof(unsigned char *) + sizeof(uint16_t)));
}

/// Frees all memory, without a word to the type. What is left is an empty store that cannot grow:
/// adding says CT_ERR_OVER.
void ct_store_free(ct_store *store);

/// Forgets all rows, keeps the memory. The type hears 'clearing', or 'removing' of each. O(rows), a
/// few ns each.
void ct_store_clear(ct_store *store);

/// Number of the first column that is the manager's own.
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

/// Room for 'count' more rows and for these owners in the map, so that adding
/// them cannot fail. At the limit of rows the dead are collected first, which moves rows.
/// CT_OK, CT_ERR_MEMORY or CT_ERR_FULL.
ct_status ct_store_reserve(ct_store *store, const ct_entity *owners, uint32_t count);

/// Makes room for 'count' rows in all, of entities that exist now or of as many new ones. CT_OK,
/// CT_ERR_MEMORY, or CT_ERR_FULL above CT_MAX_ROWS.
ct_status ct_store_reserve_rows(ct_store *store, uint32_t count);

/// Appends one row per owner, in order; *first is the row of owners[0]. The
/// manager's own columns of the new rows hold garbage until it fills them.
/// Owners are alive. Of a dead predecessor under the same index the rows become
/// nobody's, so that no component can ever attach itself to a stranger.
/// CT_OK, CT_ERR_MEMORY, CT_ERR_FULL; CT_ERR_EXISTS, with the place of the
/// owner in *first, when one has a row already or stands in the list twice and
/// the store is not 'multiple'. All or nothing.
/// In a 'multiple' store the ids of the new rows are set by ct_store_set_id.
/// Amortised O(count); moves no row except at the limit.
ct_status ct_store_add(ct_store *store, const ct_entity *owners, uint32_t count, ct_row *first);

/// The same for owners lookup[numbers[0 .. count - 1]], where runs of consecutive indices are
/// entered at once: how levels are spawned.
ct_status ct_store_add_listed(ct_store *store, const ct_entity *lookup, const uint32_t *numbers,
                              uint32_t count, ct_row *first);

/// Takes the last 'count' rows off again, for a caller whose later steps
/// failed. The type hears nothing.
void ct_store_rollback(ct_store *store, uint32_t count);

/// The first row under an entity index, dead or alive, or CT_NO_ROW.
static inline uint32_t ct_store_find_index(const ct_store *store, uint32_t index) {
    return ct_entity_map_find(&store->map, ct_store_owners(store), index);
}

/// The first row of a living (or just dying) entity, or CT_NO_ROW. Any 32 bits
/// may be asked about.
static inline ct_row ct_store_find(const ct_store *store, ct_entity e) {
    const ct_entity *owners = ct_store_owners(store);
    ct_row row = {ct_store_find_index(store, ct_entity_index(e))};
    // The owner settles the generation: a dead one's row may still be here.
    if (row.i != CT_NO_ROW &&
        (owners[row.i].id != e.id || !ct_entity_manager_answers(store->entities, e)))
        row.i = CT_NO_ROW;
    return row;
}

/// The next row of the same entity, or CT_NO_ROW.
static inline ct_row ct_store_next(const ct_store *store, ct_row row) {
    row.i = store->multiple ? ct_store_u32(store, CT_COLUMN_NEXT)[row.i] : CT_NO_ROW;
    return row;
}

/// The row of an entity that has 'n' of its rows before it, or CT_NO_ROW. O(n).
ct_row ct_store_find_nth(const ct_store *store, ct_entity e, uint32_t n);

/// Changes whenever a row was added, removed, moved or orphaned: for what keeps rows.
static inline uint32_t ct_store_structure(const ct_store *store) {
    return store->changes + store->additions;
}

/// What a script holds of a row, its instance: row + CT_ROW_SPAN x epoch, an integer below
/// 2^53.
#define CT_ROW_SPAN 4194304.0

static inline double ct_store_instance(ct_store *store, ct_row row) {
    store->handed_out = true;
    return row.i + CT_ROW_SPAN * store->epoch;
}

/// Whether any number is an instance that is not stale; its row is in *out then.
static inline bool ct_store_find_instance(const ct_store *store, double number, ct_row *out) {
    if (!(number >= CT_ROW_SPAN && number < CT_ROW_SPAN * 2147483648.0)) return false;
    uint64_t bits = (uint64_t)number;
    out->i = (uint32_t)bits & (CT_MAX_ROWS - 1);
    return (double)bits == number && (uint32_t)(bits >> CT_ROW_BITS) == store->epoch &&
           out->i < ct_store_count(store);
}

/// The component id of a row (see CT_COLUMN_ID); 0 where there are none.
static inline uint32_t ct_store_id(const ct_store *store, ct_row row) {
    return store->multiple ? ct_store_u32(store, CT_COLUMN_ID)[row.i] : 0;
}

/// Gives a new row its id. The id is 0, or nothing yet, before.
void ct_store_set_id(ct_store *store, ct_row row, uint32_t id);

/// The next number: no row of the store has had it, nor will another. CT_OK, or CT_ERR_FULL when
/// there is none. For automatic ids of new rows.
static inline ct_status ct_store_next_number(ct_store *store, uint32_t *number) {
    if (CT_UNLIKELY(store->last_number >= CT_LAST_NUMBER)) return CT_ERR_FULL;
    *number = ++store->last_number;
    return CT_OK;
}

/// A number has been seen: it will not be issued.
static inline void ct_store_number_seen(ct_store *store, uint32_t number) {
    if (number > store->last_number) store->last_number = number;
}

/// Before rows are made that may be taken back before anyone has seen their ids, and afterwards:
/// the same numbers come next.
static inline void ct_store_keep_number(ct_store *store) {
    store->kept_number = store->last_number;
}
static inline void ct_store_restore_number(ct_store *store) {
    store->last_number = store->kept_number;
}

/// Returns the row of an entity with that component id, or CT_NO_ROW; always CT_NO_ROW in a store
/// that is not 'multiple'. O(1): the first search among many rows of an entity indexes them, if
/// memory suffices.
ct_row ct_store_find_id(ct_store *store, ct_entity e, uint32_t id);

/// Two rows change places, in a store with CT_MAP_ARRAY that is not 'multiple'. The type
/// hears nothing: a manager that does this mends what refers to rows, and tells loops.
void ct_store_swap(ct_store *store, ct_row a, ct_row b);

/// Removes one row: the last one moves into its place (Bitsquid part 2,
/// destroy()). Never allocates, never fails.
void ct_store_remove(ct_store *store, ct_row row);

/// Removes 'count' rows from 'first' on, whose owners are dead. As many of the last rows take their
/// place, in one copy for each column. Never allocates, never fails.
void ct_store_remove_dead(ct_store *store, ct_row first, uint32_t count);

/// Changes links, numbers of rows, that lead to one of 'count' rows at 'from' which have moved to
/// 'to'. Returns whether another link leads to any row. For 'moved' of types whose rows refer to
/// one another.
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

/// Removes all rows of an entity, alive or not; how many went.
uint32_t ct_store_remove_all(ct_store *store, ct_entity e);

/// The rows of an entity become nobody's, who waits for gc: it has no component here any more, and
/// no row moves. Never fails.
void ct_store_disown(ct_store *store, ct_entity e);

/// Removes rows of the dead: those whose deaths were logged since the last
/// call, then as in Bitsquid part 2, gc(), at random until four living in a
/// row. How many went. O(deaths) + four probes. Never allocates, never fails.
uint32_t ct_store_gc(ct_store *store);

/// The same in parts: stops when 'limit' rows have gone, or when looking for them took as long, and
/// goes on from there at the next call. What died first goes first.
uint32_t ct_store_gc_some(ct_store *store, uint32_t limit);

/// Whether it is known that the owner of each row is alive: all that have died were collected.
/// O(1).
static inline bool ct_store_has_no_dead(const ct_store *store) {
    const ct_entity_manager *entities = store->entities;
    return store->gc_position == entities->tail && store->sweep == 0 && store->orphan_count == 0 &&
           entities->dying_count == 0;
}

/// Removes all rows of the dead; how many went. O(rows).
uint32_t ct_store_sweep(ct_store *store);

/// Draws a new epoch if an instance of the present one may be held somewhere:
/// for managers that move rows themselves.
void ct_store_draw_epoch(ct_store *store);

/// Tells loops that rows moved: they stop with an error.
void ct_store_rows_moved(ct_store *store);

/// Gives spare memory back: columns move, rows stay. Never fails. O(rows).
void ct_store_trim(ct_store *store);

/// Rows, with all that decides about them, for snapshots. The entity manager is in its place.
void ct_store_state(ct_store *store, ct_state *state);

/// Takes the owners, lists and ids of all rows of another store, of the same entities, and its
/// state of gc, into one that has none, with room for them in columns and map. Own columns hold
/// garbage then; of string ids no reference is held. Ids begin anew where the other has none; where
/// only the other may have several of an entity, none has. Cannot fail. O(rows).
void ct_store_take_rows(ct_store *store, const ct_store *from);

size_t ct_store_bytes(const ct_store *store);

/// Every invariant of rows, map and lists. False with the reason in 'message'. O(rows).
bool ct_store_validate(const ct_store *store, const char *name, ct_message *message);

CT_END_C

#endif
