// Common part of all component managers: store, shape and type (manager_type.h).
// Longer than 150 lines: it is the reference of the calls.
#ifndef CT_MANAGER_H
#define CT_MANAGER_H

#include "storage/manager_type.h"
#include "storage/store.h"
#include "storage/timings.h"
#include "storage/value_pool.h"

/// Bit that marks a component id as a string; the other bits are its ct_string.
#define CT_ID_IS_STRING 0x80000000u

/// First member of every manager. Members may be read directly.
struct ct_manager {
    ct_store store; // first: see ct_store
    const ct_manager_type *type;
    const ct_manager_shape *shape;
    const char *name;       ///< these members are those of the shape, with which creations and
    const ct_field *fields; ///< accesses begin
    const ct_field *inputs; ///< often equal to 'fields'
    uint32_t field_count;
    uint32_t input_count;
    uint32_t identifier; ///< FNV-1a of the name
    uint32_t schema;     ///< ct_layout_schema of the layout of the shape
    uint32_t spawn_order;

    ct_string_pool *strings; ///< owned by the world
    ct_value_pool *values;   ///< for value fields, owned by the world
    uint64_t deaths_seen;    ///< end of the log of deaths at the last 'flush_deaths'
    ct_timings timings;      ///< see ct_manager_profile
    bool lent;               ///< the block belongs to a ct_lender
    bool fast_copy; ///< creation copies items: inputs are the columns in order, without strings.
                    ///< False while work is timed
    bool fast_copy_untimed;   ///< value of 'fast_copy' while work is not timed
    bool unchecked;           ///< inputs are the columns in order, without value fields; any
                              ///< combination of values is valid
    bool has_values;          ///< there are value fields
    void *object;             ///< for use by the host; initially NULL
    const char *const *names; ///< names of inputs, if 'unchecked' is set and the host interned the
                              ///< names, so that equal names have the same address; else NULL
    struct ct_hooks *hooks;   ///< see world/hooks/hooks.h; NULL until hooks are added
    const ct_column_marks *marks; ///< of fields with 'in_place'; see ct_manager_marks
};

/// Provider of blocks for managers. A block stays allocated as long as a pointer to the manager may
/// exist: a destroyed manager is empty, but its block is valid.
typedef struct ct_lender {
    /// Returns a zeroed block, aligned to 16, or NULL if memory runs out. The lender frees it.
    void *(*lend)(void *user, size_t bytes);
    void *user;
} ct_lender;

/// Arguments of a new manager that its world supplies.
typedef struct ct_manager_setup {
    const ct_allocator *allocator;
    ct_entity_manager *entities;
    uint32_t *epochs;
    ct_string_pool *strings;
    ct_value_pool *values;
    uint64_t seed;
    ct_map_kind map;
    bool multiple;           ///< equal to that of the layout of the shape
    const ct_lender *lender; ///< provider of the manager's block; NULL: the allocator
} ct_manager_setup;

// Initialization and destruction (manager.c, manager_memory.c).

/// Creates a manager of a type with a shape. Returns NULL if memory runs out.
ct_manager *ct_manager_new(const ct_manager_setup *setup, const ct_manager_type *type);

/// Returns the number of columns of a manager, without those of the store.
static inline uint32_t ct_manager_own_columns(const ct_manager_shape *shape) {
    return shape->widths != NULL ? shape->column_count : shape->field_count;
}

/// Returns the size of the block of a manager: its struct, and the addresses and widths of its
/// columns.
size_t ct_manager_block_bytes(const ct_manager_shape *shape);

/// Allocates the zeroed block of a new manager. Returns NULL if memory runs out. Reads the members
/// of the shape that ct_manager_block_bytes needs.
void *ct_manager_block(const ct_manager_setup *setup, const ct_manager_shape *shape);

/// Frees a block in which no manager was initialized.
void ct_manager_drop_block(const ct_manager_setup *setup, void *block,
                           const ct_manager_shape *shape);

/// Initializes the common part of a manager in a block of ct_manager_block. 'type', 'shape' and all
/// that they refer to must exist as long as the manager. Allocates nothing.
void ct_manager_init(ct_manager *manager, const ct_manager_setup *setup,
                     const ct_manager_type *type, const ct_manager_shape *shape);

/// Removes all rows and frees the manager's memory, and its block unless it is lent. A lent manager
/// stays empty, with its name and fields: lookups find nothing, adding returns CT_ERR_OVER,
/// and running loops detect that rows moved. Cannot fail.
void ct_manager_destroy(ct_manager *manager);

// Creating and removing rows (manager.c, manager_rows.c, manager_memory.c).

/// No value of any input.
extern const ct_values ct_no_values[CT_MAX_COLUMNS];

/// Creates one component per owner with these values (values[i] belongs to inputs[i], without late
/// ones; NULL: all defaults) and, in a 'multiple' manager, these ids (NULL: numbers). Owners must
/// be alive, required inputs given, and numbers among the ids at most CT_LAST_GIVEN_NUMBER. All or
/// nothing. Returns the statuses of ct_store_add and those of the manager type. For CT_ERR_EXISTS,
/// *first is the position in 'owners' of an owner that already has a component, or has a component
/// with the same id. For CT_ERR_FULL, see ct_manager_limit. O(count).
ct_status ct_manager_create(ct_manager *manager, const ct_entity *owners, uint32_t count,
                            const ct_values *values, const ct_component_id *ids, ct_row *first);

/// Prevents the numbers among these ids from being issued. For a caller that creates in several
/// calls.
void ct_manager_note_ids(ct_manager *manager, const ct_component_id *ids, uint32_t count);

/// Describes the limit that caused CT_ERR_FULL: returns the number, and writes the name of the
/// limited thing to *what.
uint32_t ct_manager_limit(const ct_manager *manager, const char **what);

/// Removes the last 'count' rows, which ct_manager_create just made, after a later step of the
/// caller failed. Instances and loops stay valid. Cannot fail.
void ct_manager_rollback(ct_manager *manager, uint32_t count);

/// Removes all rows of these entities, from the last entity to the first, with ct_manager_rollback
/// if they are the last rows. Cannot fail.
void ct_manager_remove_entities(ct_manager *manager, uint32_t count, const ct_entity *entities);

/// Removes a row, or all rows of an entity, without calling hooks. Returns the number of rows.
void ct_manager_remove(ct_manager *manager, ct_row row);
uint32_t ct_manager_remove_all(ct_manager *manager, ct_entity e);

/// Does the same for many entities, from the last one to the first. Rows that have the order of the
/// entities are removed together, which counts as moving rows. O(count).
uint32_t ct_manager_remove_many(ct_manager *manager, uint32_t count, const ct_entity *entities);

/// Calls 'created' for new rows with written columns. If it fails, releases their strings and
/// values.
ct_status ct_manager_rows_created(ct_manager *manager, ct_row first, uint32_t count);

/// Calls 'removing' for rows that the store is about to remove, and releases their strings, string
/// ids and values.
void ct_manager_rows_removing(ct_manager *manager, ct_row first, uint32_t count);

/// Release the strings, string ids and values of 'count' rows from 'first' on; only the ids; only
/// the items of one field.
void ct_manager_release_rows(ct_manager *manager, ct_row first, uint32_t count);
void ct_manager_release_ids(ct_manager *manager, ct_row first, uint32_t count);
void ct_manager_release_items(ct_manager *manager, const ct_field *field, ct_row first,
                              uint32_t count);

/// Sets the values of all components of a dying entity to nil. Returns whether a value was not nil.
/// O(value fields x components).
bool ct_manager_release_values(ct_manager *manager, ct_entity e);

/// Copies every input to the column with the same number. Default of 'fill'.
ct_status ct_manager_fill_columns(ct_manager *manager, ct_row first, uint32_t count,
                                  const ct_values *values);

/// Fills one column of new rows with the field's default, and counts references to its string.
/// Cannot fail.
void ct_manager_fill_default(ct_manager *manager, const ct_field *field, ct_row first,
                             uint32_t count);

// Spawning (manager_spawn.c). All or nothing.

/// Calls the type's 'spawn', or the default.
ct_status ct_manager_spawn(ct_manager *manager, const ct_spawn *spawn);

/// Copies the columns of the data (resource-format.md), and translates strings and entities.
/// Default of 'spawn'.
ct_status ct_manager_spawn_columns(ct_manager *manager, const ct_spawn *spawn);

/// Adds rows for all instances of a spawn, without writing their columns: the first step of every
/// 'spawn'.
ct_status ct_manager_spawn_rows(ct_manager *manager, const ct_spawn *spawn, ct_row *first);

// Fields and inputs (manager.c).

/// Returns the marks of a field with 'in_place'.
static inline ct_column_marks ct_manager_marks(const ct_manager *manager, uint32_t field) {
    ct_column_marks marks = *manager->marks;
    marks.place = manager->fields[field].mark;
    return marks;
}

/// Returns the number of inputs, including late ones.
static inline uint32_t ct_manager_all_inputs(const ct_manager *manager) {
    return manager->input_count + manager->shape->late_count;
}

/// Returns whether a late input is given.
static inline bool ct_manager_gives_late(const ct_manager *manager, const ct_values *values) {
    uint32_t i = 0;
    while (i < manager->shape->late_count && values[manager->input_count + i].items == NULL)
        i++;
    return i < manager->shape->late_count;
}

/// Return the number of the field (input, late ones included) with this name, or the number of
/// fields (inputs) if there is none.
uint32_t ct_manager_find_field(const ct_manager *manager, const char *name);
uint32_t ct_manager_find_input(const ct_manager *manager, const char *name);

/// Returns the number of the input that holds the parent of a component, or input_count.
uint32_t ct_manager_hierarchy(const ct_manager *manager);

/// Returns the string that is the component id of a row; "" if the id is a number.
static inline ct_string ct_manager_id_string(const ct_manager *manager, ct_row row) {
    uint32_t id = ct_store_id(&manager->store, row);
    ct_string string = {(id & CT_ID_IS_STRING) != 0 ? id & ~CT_ID_IS_STRING : 0};
    return string;
}

/// Returns the component id for a text or number, or 0 if no row can have it.
uint32_t ct_manager_find_id(const ct_manager *manager, const ct_component_id *id);

/// Returns an item of a column.
static inline void *ct_manager_item_in(const ct_manager *manager, uint32_t column, ct_row row) {
    const ct_columns *columns = &manager->store.columns;
    return columns->at[column] + (size_t)row.i * columns->width[column];
}

/// Returns the address of an item in its column. Valid until rows are created or removed.
static inline void *ct_manager_item(const ct_manager *manager, const ct_field *field, ct_row row) {
    return ct_manager_item_in(manager, field->column, row);
}

/// Applies the deaths since the last call to rows of living entities.
static inline void ct_manager_flush_deaths(ct_manager *manager) {
    if (CT_UNLIKELY(manager->type->flush_deaths != NULL)) manager->type->flush_deaths(manager);
}

/// Returns the current item of a field. Valid until the next call.
static inline const void *ct_manager_read(ct_manager *manager, uint32_t field, ct_row row) {
    if (manager->type->read != NULL) return manager->type->read(manager, field, row);
    ct_manager_flush_deaths(manager);
    return ct_manager_item(manager, &manager->fields[field], row);
}

/// Returns the item of a field from its column (in a batch of transforms, world matrices from
/// before the batch); for a field without a column, the current item. Valid until the next call.
static inline const void *ct_manager_column_item(ct_manager *manager, uint32_t field, ct_row row) {
    const ct_field *f = &manager->fields[field];
    return f->computed ? manager->type->read(manager, field, row)
                       : ct_manager_item(manager, f, row);
}

/// Writes an item in the format of ct_values to a field. If it fails, the row is unchanged.
ct_status ct_manager_write(ct_manager *manager, uint32_t field, ct_row row, const void *item);

/// Copies an item to its column, and counts references to strings. Default of 'write'.
ct_status ct_manager_write_column(ct_manager *manager, uint32_t field, ct_row row,
                                  const void *item);

/// Writes several inputs of one row, late ones included. All or nothing.
ct_status ct_manager_assign(ct_manager *manager, ct_row row, const ct_values *values);

/// Writes late inputs of a row that the same call created.
static inline ct_status ct_manager_assign_late(ct_manager *manager, ct_row row,
                                               const ct_values *values) {
    return manager->type->assign(manager, row, values, true);
}

/// Begin and end a group of writes: see ct_manager_type.batch.
static inline ct_status ct_manager_begin_batch(ct_manager *manager) {
    return manager->type->batch != NULL ? manager->type->batch(manager, true, NULL) : CT_OK;
}

static inline ct_status ct_manager_end_batch(ct_manager *manager, const ct_spawn *spawn) {
    return manager->type->batch != NULL ? manager->type->batch(manager, false, spawn) : CT_OK;
}

// Memory and timings (manager_memory.c).

/// Returns the allocated bytes: rows, map and all other data.
size_t ct_manager_bytes(const ct_manager *manager);

/// Reserves memory for 'count' rows in total: creating up to that many does not allocate, except
/// for strings, cells of grids and nodes of models. May move columns; no row moves. Returns CT_OK,
/// CT_ERR_MEMORY, or CT_ERR_FULL above CT_MAX_ROWS; rows never change. O(count).
ct_status ct_manager_reserve(ct_manager *manager, uint32_t count);

/// Frees spare memory. Columns move, rows do not. Cannot fail. O(rows).
void ct_manager_trim(ct_manager *manager);

/// Starts to time the manager's work, from 0, or stops and keeps the timings. While profiling is
/// off, single components cost nothing extra, and other work a branch. Returns CT_OK, or
/// CT_ERR_MEMORY without a change.
ct_status ct_manager_profile(ct_manager *manager, bool on);

// Snapshots and checks of all rows. O(rows).

/// Saves or restores the manager for snapshots (base/state.h). The strings of the world are
/// restored first.
void ct_manager_state(ct_manager *manager, ct_state *state);

/// Returns a hash of the components of living entities, equal on every host: fields by owner and
/// order of creation, strings by content. It does not depend on the order of rows, or on rows of
/// dead entities.
uint64_t ct_manager_hash(ct_manager *manager);

/// Returns the number of references to values in all rows.
uint64_t ct_manager_count_values(const ct_manager *manager);

/// Adds each reference to a string that the manager holds: in rows, including those of dead
/// entities, in string ids, and in the type's data beside the rows.
void ct_manager_count_strings(const ct_manager *manager, ct_string_audit *audit);

/// Checks all invariants except the counts of strings. Returns false with the reason, which begins
/// with the manager's name.
bool ct_manager_validate(const ct_manager *manager, ct_message *message);

#endif
