// What all component managers have in common: a name, a store, fields, and a type (manager_type.h).
// Must not depend on any one component, nor on worlds.
// Longer than 150 lines: it is the manual of the calls.
#ifndef CT_MANAGER_H
#define CT_MANAGER_H

#include "storage/manager_type.h"
#include "storage/store.h"
#include "storage/timings.h"
#include "storage/value_pool.h"

CT_BEGIN_C

/// Marks a component id that is a string: this bit, and the ct_string beside it.
#define CT_ID_IS_STRING 0x80000000u

/// The first member of every manager. Open for reading.
struct ct_manager {
    ct_store store; // first: see ct_store
    const ct_manager_type *type;
    const char *name;
    uint32_t identifier; ///< FNV-1a of the name
    uint32_t spawn_order;

    const ct_field *fields; ///< what can be read and written, in order
    uint32_t field_count;
    const ct_field *inputs; ///< what creating takes; often the same as 'fields'
    uint32_t input_count;   ///< without late inputs, which are stored behind the others
    uint32_t late_count; ///< inputs that refer to components of other types, and are written when
                         ///< those exist (transform: parent_node)
    ct_layout layout;    ///< columns in a compiled resource; often the same as 'fields'
    const char *hosted;  ///< name of a value that the host keeps for each component (actor:
                         ///< "body"), or NULL. Only the host adds and removes such components

    ct_string_pool *strings; ///< of the world
    ct_value_pool *values;   ///< of the world, for value fields
    uint64_t deaths_seen;    ///< end of the log of deaths at the last 'flush_deaths'
    size_t self_bytes;       ///< of the block that holds the manager
    ct_timings timings;      ///< see ct_manager_profile
    bool lent;               ///< the block belongs to a ct_lender
    bool fast_copy; ///< new rows are copied: inputs are the columns in order, without strings
    bool fast_copy_untimed;   ///< 'fast_copy' while work is not timed
    bool unchecked;           ///< fast_copy_untimed, and any values are valid together
    bool has_values;          ///< it has value fields
    void *object;             ///< of the host; NULL at first
    const char *const *names; ///< of inputs, if it is unchecked and the host interned the names, so
                              ///< that equal ones have one address; or NULL
    struct ct_hooks *hooks;   ///< of world/hooks/hooks.h; NULL: it never had any
};

/// Lends blocks for managers. A block stays allocated as long as a pointer to the manager may
/// exist: after its end the manager is empty.
typedef struct ct_lender {
    /// A zeroed block, aligned to 16, or NULL when memory runs out. The lender frees it.
    void *(*lend)(void *user, size_t bytes);
    void *user;
} ct_lender;

/// Arguments of a new manager that come from its world.
typedef struct ct_manager_setup {
    const ct_allocator *allocator;
    ct_entity_manager *entities;
    uint32_t *epochs;
    ct_string_pool *strings;
    ct_value_pool *values;
    uint64_t seed;
    ct_map_kind map;
    bool multiple;
    const ct_lender *lender; ///< of the manager's block; NULL: the allocator
} ct_manager_setup;

// Beginning and end (manager.c).

/// Allocates the zeroed block of a new manager: 'bytes' for its struct, and room for the addresses
/// of its columns. Returns NULL when memory runs out.
void *ct_manager_block(const ct_manager_setup *setup, size_t bytes, uint32_t own_columns);

/// Frees such a block if no manager was made in it.
void ct_manager_drop_block(const ct_manager_setup *setup, void *block, size_t bytes,
                           uint32_t own_columns);

/// Initialises the common part of a manager in a block of ct_manager_block(setup, self_bytes,
/// own_column_count). 'name', 'type' and the fields must live as long as the manager. Inputs and
/// layout are the fields; a manager where they differ sets them afterwards. Allocates nothing.
void ct_manager_init(ct_manager *manager, size_t self_bytes, const ct_manager_type *type,
                     const char *name, const ct_manager_setup *setup, const uint16_t *own_widths,
                     uint32_t own_column_count, const ct_field *fields, uint32_t field_count);

/// Removes all rows and frees the manager's memory, its block too unless it is lent. A lent manager
/// stays empty, with its name and fields: finding returns nothing, adding returns CT_ERR_OVER, and
/// loops notice that rows moved. Cannot fail.
void ct_manager_destroy(ct_manager *manager);

// Creating and removing rows (manager.c, manager_rows.c, manager_memory.c).

/// Creates one component per owner with these values (values[i] belongs to inputs[i], without late
/// ones; NULL: all defaults) and, in a 'multiple' manager, these ids (NULL: numbers). Owners are
/// alive, required inputs are given, numbers among the ids are not above CT_LAST_GIVEN_NUMBER. All
/// or nothing; statuses as ct_store_add and the manager's own. CT_ERR_EXISTS puts into *first the
/// place, in 'owners', of one that has a component already, or whose id is taken. CT_ERR_FULL: see
/// ct_manager_limit. O(count).
ct_status ct_manager_create(ct_manager *manager, const ct_entity *owners, uint32_t count,
                            const ct_values *values, const ct_component_id *ids, ct_row *first);

/// Prevents that a number among these ids is issued, for a caller that creates in several calls.
void ct_manager_see_ids(ct_manager *manager, const ct_component_id *ids, uint32_t count);

/// Names the limit behind CT_ERR_FULL: returns the number, and writes what is limited to *what.
uint32_t ct_manager_limit(const ct_manager *manager, const char **what);

/// Removes the last 'count' rows, which ct_manager_create made just now, after a later step of the
/// caller failed. Instances and loops do not notice. Cannot fail.
void ct_manager_rollback(ct_manager *manager, uint32_t count);

/// Removes all rows of these entities, the youngest first, as ct_manager_rollback where they are
/// the last rows. Cannot fail.
void ct_manager_remove_entities(ct_manager *manager, uint32_t count, const ct_entity *entities);

/// Removes a row, or all rows of an entity, without calling hooks; returns the number of rows.
void ct_manager_remove(ct_manager *manager, ct_row row);
uint32_t ct_manager_remove_all(ct_manager *manager, ct_entity e);

/// Calls 'created' for the last 'count' rows. If that fails the rows are removed.
ct_status ct_manager_rows_created(ct_manager *manager, uint32_t count);

/// For the store: calls 'removing' for rows that are about to be removed, and releases their
/// strings, string ids and values.
void ct_manager_rows_removing(ct_manager *manager, ct_row first, uint32_t count);

/// Releases the strings, string ids and values of 'count' rows from 'first' on; only the ids; only
/// those of one field.
void ct_manager_release_rows(ct_manager *manager, ct_row first, uint32_t count);
void ct_manager_release_ids(ct_manager *manager, ct_row first, uint32_t count);
void ct_manager_release_items(ct_manager *manager, const ct_field *field, ct_row first,
                              uint32_t count);

/// Sets the values of all components of a dying entity to nil; returns whether one was not nil.
/// O(value fields x components).
bool ct_manager_release_values(ct_manager *manager, ct_entity e);

/// The default 'fill': every input is copied to the column of the same number.
ct_status ct_manager_fill_columns(ct_manager *manager, ct_row first, uint32_t count,
                                  const ct_values *values);

/// Fills one column of new rows with the field's default, and counts its strings. Cannot fail.
void ct_manager_fill_default(ct_manager *manager, const ct_field *field, ct_row first,
                             uint32_t count);

// Spawning (manager_spawn.c). All or nothing.

/// Spawns by the type's 'spawn', or by the default.
ct_status ct_manager_spawn(ct_manager *manager, const ct_spawn *spawn);

/// The default 'spawn': copies the columns of the data (resource-format.md), and translates strings
/// and entities.
ct_status ct_manager_spawn_columns(ct_manager *manager, const ct_spawn *spawn);

/// Adds rows for all instances of a spawn, without writing their columns: the first step of every
/// 'spawn'.
ct_status ct_manager_spawn_rows(ct_manager *manager, const ct_spawn *spawn, ct_row *first);

// Fields and inputs (manager.c).

/// The number of inputs, late ones included.
static inline uint32_t ct_manager_all_inputs(const ct_manager *manager) {
    return manager->input_count + manager->late_count;
}

/// Whether some late input is given.
static inline bool ct_manager_gives_late(const ct_manager *manager, const ct_values *values) {
    uint32_t i = 0;
    while (i < manager->late_count && values[manager->input_count + i].items == NULL)
        i++;
    return i < manager->late_count;
}

/// The number of the field (input, late ones included) of a name, or the count of them.
uint32_t ct_manager_find_field(const ct_manager *manager, const char *name);
uint32_t ct_manager_find_input(const ct_manager *manager, const char *name);

/// The string that the component id of a row is; "" if it is a number.
static inline ct_string ct_manager_id_string(const ct_manager *manager, ct_row row) {
    uint32_t id = ct_store_id(&manager->store, row);
    ct_string string = {(id & CT_ID_IS_STRING) != 0 ? id & ~CT_ID_IS_STRING : 0};
    return string;
}

/// The component id of a given text or number, or 0 if no row can have it.
uint32_t ct_manager_find_id(const ct_manager *manager, const ct_component_id *id);

/// The place of an item in its column. Valid until rows are created or removed.
static inline void *ct_manager_item(const ct_manager *manager, const ct_field *field, ct_row row) {
    return manager->store.columns.at[field->column] +
           (size_t)row.i * manager->store.columns.width[field->column];
}

/// Applies the deaths since the last call to rows of living entities.
static inline void ct_manager_flush_deaths(ct_manager *manager) {
    if (CT_UNLIKELY(manager->type->flush_deaths != NULL)) manager->type->flush_deaths(manager);
}

/// The item of a field as it is now. Valid until the next call.
static inline const void *ct_manager_read(ct_manager *manager, uint32_t field, ct_row row) {
    if (manager->type->read != NULL) return manager->type->read(manager, field, row);
    ct_manager_flush_deaths(manager);
    return ct_manager_item(manager, &manager->fields[field], row);
}

/// The item of a field as its column has it (in a batch of transforms, world matrices from before
/// the batch); of a field without a column, as it is now. Valid until the next call.
static inline const void *ct_manager_shown(ct_manager *manager, uint32_t field, ct_row row) {
    const ct_field *f = &manager->fields[field];
    return f->computed ? manager->type->read(manager, field, row)
                       : ct_manager_item(manager, f, row);
}

/// Writes an item, as in ct_values, to a field. After a failure the row is as before.
ct_status ct_manager_write(ct_manager *manager, uint32_t field, ct_row row, const void *item);

/// The default 'write': copies the item, and counts strings.
ct_status ct_manager_write_column(ct_manager *manager, uint32_t field, ct_row row,
                                  const void *item);

/// Writes several inputs of one row, late ones included; all or nothing.
ct_status ct_manager_assign(ct_manager *manager, ct_row row, const ct_values *values);

/// The same for late inputs of a row that was created by the same call.
static inline ct_status ct_manager_assign_late(ct_manager *manager, ct_row row,
                                               const ct_values *values) {
    return manager->type->assign(manager, row, values, true);
}

/// Begins and ends a group of writes: see ct_manager_type.batch.
static inline ct_status ct_manager_begin_batch(ct_manager *manager) {
    return manager->type->batch != NULL ? manager->type->batch(manager, true, NULL) : CT_OK;
}

static inline ct_status ct_manager_end_batch(ct_manager *manager, const ct_spawn *spawn) {
    return manager->type->batch != NULL ? manager->type->batch(manager, false, spawn) : CT_OK;
}

// Memory and timings (manager_memory.c).

/// Returns the bytes held: rows, map and all else.
size_t ct_manager_bytes(const ct_manager *manager);

/// Makes room for 'count' rows in all: creating up to that many does not allocate, except for
/// strings, cells of grids and nodes of models. May move columns; no row moves. CT_OK,
/// CT_ERR_MEMORY, or CT_ERR_FULL above CT_MAX_ROWS; rows are as before in any case. O(count).
ct_status ct_manager_reserve(ct_manager *manager, uint32_t count);

/// Frees spare memory. No row moves, but columns do. Never fails. O(rows).
void ct_manager_trim(ct_manager *manager);

/// Starts to time the manager's work, from 0 on, or stops and keeps the timings. While off, single
/// components cost nothing, and other work a branch. CT_OK, or CT_ERR_MEMORY with nothing changed.
ct_status ct_manager_profile(ct_manager *manager, bool on);

// Snapshots and checks of all rows. O(rows).

/// Snapshots (base/state.h). The strings of the world come first.
void ct_manager_state(ct_manager *manager, ct_state *state);

/// A hash of the components of living entities, the same on every host: fields by owner and order
/// of creation, strings by content. It does not depend on the order of rows, nor on rows of dead
/// entities.
uint64_t ct_manager_hash(ct_manager *manager);

/// The number of references to values that rows hold.
uint64_t ct_manager_count_values(const ct_manager *manager);

/// Adds each reference to a string that the manager holds: of rows, those of the dead too, of
/// string ids, and of the type's data beside them.
void ct_manager_count_strings(const ct_manager *manager, ct_string_audit *audit);

/// Whether all invariants hold, the counts of strings apart. False with the reason, which begins
/// with the manager's name.
bool ct_manager_validate(const ct_manager *manager, ct_message *message);

CT_END_C

#endif
