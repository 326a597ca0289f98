// What all component managers have in common: a name, a store, fields, and the few
// verbs in which they differ. Knows nothing of any one of them, nor of worlds.
// Longer than 150 lines: half of it is the manual.
#ifndef CT_MANAGER_H
#define CT_MANAGER_H

#include "base/reader.h"
#include "storage/layout.h"
#include "storage/store.h"
#include "storage/timings.h"
#include "storage/value_pool.h"

CT_BEGIN_C

/// A component id that is a string: this bit, and the ct_string beside it.
#define CT_ID_IS_STRING 0x80000000u

/// Arguments of a spawn (Bitsquid part 4, SpawnFunction): all instances of one
/// component type in a compiled resource. Everything was checked before.
typedef struct ct_spawn {
    const ct_entity *entity_lookup; ///< resource index -> entity: those of the instances are alive;
                                    ///< another may have the top bit set, and is nobody any more
    const ct_entity *meant; ///< the same for entity fields; NULL: as entity_lookup. Of one copy
    uint32_t entity_count;
    const uint32_t *parent_index; ///< per entity of the first copy, CT_NO_ROW for roots
    uint32_t num_instances;
    const uint32_t *entity_index; ///< per instance, ascending
    const unsigned char *data;    ///< 16-byte aligned, host byte order
    uint32_t size;
    const ct_layout *layout; ///< of the data; NULL: the manager's own. Others have fewer fields, or
                             ///< in another order
    const ct_pose *pose;     ///< composed with each root's; NULL for none
    ct_entity parent;        ///< the roots hang under it; CT_NOBODY for none
    uint32_t copies; ///< from 1 on: entities and instances are so many times the same, one copy
                     ///< behind the other
    bool pose_each;  ///< there are as many poses, one for each copy
    struct ct_scratch *scratch; ///< for what is needed until it is done: at most an entity's number
                                ///< for each entity of a copy, and a ct_text for each instance
} ct_spawn;

/// Copy number 'copy' of a spawn, counted from 0, by itself; without its data, which lies column by
/// column.
static inline ct_spawn ct_spawn_copy(const ct_spawn *spawn, uint32_t copy) {
    ct_spawn one = *spawn;
    one.copies = 1;
    one.entity_count /= spawn->copies;
    one.num_instances /= spawn->copies;
    one.entity_lookup += (size_t)copy * one.entity_count;
    if (spawn->pose_each && spawn->pose != NULL) one.pose += copy;
    return one;
}

/// From one copy of a spawn to the next, which may be behind the last.
static inline void ct_spawn_next(const ct_spawn *spawn, ct_spawn *one) {
    one->entity_lookup += one->entity_count;
    if (spawn->pose_each && spawn->pose != NULL) one->pose++;
}

/// Rows to a byte of ct_column_marks.blocks.
#define CT_MARK_BLOCK 32u

/// How a column is written in place whose items have consequences (transform: the next propagate
/// computes what changed). Whoever writes an item, while 'open', stores 1 into the row's mark, the
/// block's, and 'written'. All pointers are good as long as the manager.
typedef struct ct_column_marks {
    const uint32_t *open;         ///< not 0: may be written
    unsigned char *written;       ///< some row is marked
    unsigned char *const *marks;  ///< two bytes a row, of which the field's is 'place'
    unsigned char *const *blocks; ///< a byte for CT_MARK_BLOCK rows
    uint32_t place;
} ct_column_marks;

static inline void ct_column_mark(const ct_column_marks *marks, ct_row row) {
    (*marks->marks)[2 * (size_t)row.i + marks->place] = 1;
    (*marks->blocks)[row.i / CT_MARK_BLOCK] = 1;
    *marks->written = 1;
}

/// Rows that a save has: number i is row rows[i], and row r is number place[r], or CT_NO_ROW.
typedef struct ct_saved_rows {
    const uint32_t *rows;
    uint32_t *place;
    uint32_t count;
} ct_saved_rows;

struct ct_cells; // storage/cells.h
struct ct_arena; // base/arena.h

/// The verbs in which managers differ. Every slot but 'fill' may be NULL.
typedef struct ct_manager_type {
    /// The name of a value that the host keeps for a component (actor: "body"), or NULL. Only it
    /// adds and removes such components.
    const char *hosted;
    /// Whether these values may stand together (transform: angle and rotation may
    /// not). False with the reason in 'message'. Called before anything is created.
    bool (*check)(const ct_manager *manager, const ct_values *values, uint32_t count,
                  ct_message *message);
    /// Whether the instances of a resource may be spawned here; looks only at num_instances,
    /// entity_index, data and size, which were checked, and at the parent. False with the reason in
    /// 'message'.
    bool (*check_spawn)(const ct_manager *manager, const ct_spawn *spawn, ct_message *message);
    /// Writes the own columns of 'count' new rows from 'first' on. values[i]
    /// belongs to inputs[i]. On failure nothing is held: the caller takes the rows back.
    ct_status (*fill)(ct_manager *manager, ct_row first, uint32_t count, const ct_values *values);
    /// Writes one field of one row. NULL: ct_manager_write_column.
    ct_status (*write)(ct_manager *manager, uint32_t field, ct_row row, const void *item);
    /// Whether an item may be written to a field of any row. NULL: 'check', where the inputs are
    /// the fields, or all may. False with the reason in 'message'.
    bool (*check_item)(const ct_manager *manager, uint32_t field, const void *item,
                       ct_message *message);
    /// Writes those inputs of one row, late ones included, whose values[i].items are not NULL;
    /// 'created': this call created the row. NULL: as many 'write's, for managers whose inputs are
    /// their fields. On failure nothing is written.
    ct_status (*assign)(ct_manager *manager, ct_row row, const ct_values *values, bool created);
    /// Whether values that may stand together may be assigned to this row (grid: as many cells as
    /// its size needs; transform: a node that its parent has). 'row' is CT_NO_ROW for 'count' rows
    /// that will be created, each with its own item of the values. False with the reason in
    /// 'message'. NULL: they may, or 'assign' says why.
    bool (*check_assign)(const ct_manager *manager, ct_row row, const ct_values *values,
                         uint32_t count, ct_message *message);
    /// Puts in order what deaths have left undone, before a column is read (transform: children of
    /// the dead become roots). Moves no rows. Sets 'deaths_seen' to the end of the log of deaths.
    void (*flush_deaths)(ct_manager *manager);
    /// The item of a field, where the column alone does not tell it (transform: a world
    /// matrix in a batch). Valid until the next call. NULL: flush_deaths, then the column's.
    const void *(*read)(ct_manager *manager, uint32_t field, ct_row row);
    /// Where writes to the column of a field are marked. False for one that is not written in
    /// place.
    bool (*marks)(ct_manager *manager, uint32_t field, ct_column_marks *out);
    /// Copies what creating would have to take as input 'input' to make what is in a row now (of a
    /// numbered one the number, a uint32_t). False when that is nothing (transform: no matrix
    /// unless it is sheared). NULL: inputs are fields.
    bool (*get)(ct_manager *manager, uint32_t input, ct_row row, void *item);
    /// Rows first .. first + count - 1 are there and filled, by create or by a spawn. On failure
    /// own data is as before; the rows are taken back, and 'removing' is not told of them.
    ct_status (*created)(ct_manager *manager, ct_row first, uint32_t count);
    /// 'count' rows from 'first' on are about to be removed: releases what they refer to, except
    /// for strings and values. More than one: their owners are dead, or these are all rows. May not
    /// change rows.
    void (*removing)(ct_manager *manager, ct_row first, uint32_t count);
    /// 'count' rows from 'from' on were copied to 'to' and the following rows, which they do not
    /// overlap, and are about to vanish.
    void (*moved)(ct_manager *manager, ct_row to, ct_row from, uint32_t count);
    /// The index of the dead owner of 'row' lives again: from now on the row is CT_NOBODY's and
    /// waits for gc.
    void (*orphaned)(ct_manager *manager, ct_row row);
    /// The manager ends, all rows have gone: frees what it holds beside its store and itself.
    void (*ended)(ct_manager *manager);
    /// Computes the layout's columns of instance 'i' from its inputs, which 'check' has let pass;
    /// of a string the ct_text. 'ancestor' is the number of its nearest ancestor's instance,
    /// computed before, or CT_NO_ROW; what texts need is taken from the arena. False when memory
    /// runs out. NULL: each column is the input of its name.
    bool (*bake)(const ct_values *values, uint32_t i, uint32_t ancestor, void *const *columns,
                 struct ct_arena *arena);
    /// Creates the instances of a resource. NULL: ct_manager_spawn_columns.
    ct_status (*spawn)(ct_manager *manager, const ct_spawn *spawn);
    /// Before many writes, if there is any: overrides of a spawn, a field of many rows (transform:
    /// a batch begins). On failure nothing has changed.
    ct_status (*begin_writes)(ct_manager *manager);
    /// After that, whatever came of it (transform: the end of the batch). After overrides 'spawn'
    /// is given, unless they failed (transform: links, the spawn's pose); its components were
    /// spawned without a pose.
    ct_status (*end_writes)(ct_manager *manager, const ct_spawn *spawn);
    /// Gives spare memory beside the store back, if it can.
    void (*trim)(ct_manager *manager);
    /// Bytes held beside the store.
    size_t (*bytes)(const ct_manager *manager);
    /// What is kept beside the store and comes back with a snapshot, piece by piece (base/state.h),
    /// after the store's own, which COMMIT has put in place: strings have the numbers of now. In
    /// RESERVE the saved rows are still in state->columns. NULL: nothing.
    void (*state)(ct_manager *manager, ct_state *state);
    /// Writes what is kept beside the fields into a save, of all but the dead. CT_OK, or
    /// CT_ERR_DATA with the reason in 'message'. NULL: nothing.
    ct_status (*save)(ct_manager *manager, const ct_saved_rows *saved, ct_writer *out,
                      ct_message *message);
    /// Reads that, any bytes, when the rows, in the order of the save, are there and filled; where
    /// inputs are not fields, with all columns at their defaults but those of fields. In the
    /// reverse order of spawns. CT_OK, CT_ERR_MEMORY, or CT_ERR_DATA with the reason in 'message';
    /// the manager need not be in order then.
    ct_status (*load)(ct_manager *manager, ct_reader *in, ct_message *message);
    /// Rows may refer from now on to what rows of 'from' may: resources. The manager is a new one.
    /// CT_OK or CT_ERR_MEMORY. NULL: there is nothing.
    ct_status (*resemble)(ct_manager *manager, const ct_manager *from);
    /// A hash of what a living row has beside its fields, the same on every host, called before
    /// fields are read (transform: parent, children; models: poses of nodes). NULL: nothing.
    uint64_t (*hash)(ct_manager *manager, ct_row row);
    /// Tells of each reference to a string that is held beside those of rows (presets, names that
    /// are known). NULL: none is.
    void (*strings)(const ct_manager *manager, ct_string_audit *audit);
    /// Invariants beyond those of the store.
    bool (*validate)(const ct_manager *manager, ct_message *message);
} ct_manager_type;

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
    uint32_t input_count;
    uint32_t late_count;    ///< inputs behind those, which refer to components of other types: they
                            ///< are written when those are there (transform: parent_node)
    const char *late_name;  ///< of the section that has them in a resource
    const ct_field *layout; ///< columns in a compiled resource; often the same as 'fields'
    uint32_t layout_count;

    ct_string_pool *strings; ///< the world's
    ct_value_pool *values;   ///< the world's, of value fields
    uint64_t deaths_seen;    ///< end of the log of deaths when 'flush_deaths' last looked
    size_t self_bytes;       ///< of the block that holds the manager
    ct_timings timings;      ///< see ct_manager_profile
    bool lent;               ///< the block is not ours: see ct_lender
    bool untimed_plain;      ///< 'plain' while its work is not timed: then it is not
    bool plain; ///< one more row is but copied: inputs are its columns in their order, no strings
    bool free;  ///< it is plain, and any values of them may stand together, or none
    bool has_values;          ///< it has value fields
    void *object;             ///< NULL until the host enters what it has for the manager
    const char *const *names; ///< of inputs, if it is free and the host has each name once, so that
                              ///< equal ones have one address; or NULL
    struct ct_hooks *hooks;   ///< of world/hooks/hooks.h; NULL: it never had any
};

/// Lends blocks for managers to lie in, for as long as anybody may hold a pointer to the manager:
/// who asks it after its end finds an empty one.
typedef struct ct_lender {
    /// A zeroed block, aligned to 16, or NULL when memory runs out. Whoever lent it frees it.
    void *(*lend)(void *user, size_t bytes);
    void *user;
} ct_lender;

/// What a new manager needs to be told by the world it belongs to.
typedef struct ct_manager_setup {
    const ct_allocator *allocator;
    ct_entity_manager *entities;
    uint32_t *epochs;
    ct_string_pool *strings;
    ct_value_pool *values;
    uint64_t seed;
    ct_map_kind map;
    bool multiple;
    const ct_lender *lender; ///< of the block that the manager lies in; NULL: the allocator
} ct_manager_setup;

/// Allocates the zeroed block of a new manager: 'bytes' for its struct, and room for the addresses
/// of its columns. Returns NULL when memory runs out.
void *ct_manager_block(const ct_manager_setup *setup, size_t bytes, uint32_t own_columns);

/// Frees it when no manager comes of it.
void ct_manager_drop_block(const ct_manager_setup *setup, void *block, size_t bytes,
                           uint32_t own_columns);

/// Sets up the common part of a manager in a block of ct_manager_block(setup, self_bytes,
/// own_column_count).
/// 'name', 'type' and the field arrays must live as long as the manager. All three field arrays are
/// 'fields'; a manager where they differ sets them afterwards. Allocates nothing.
void ct_manager_init(ct_manager *manager, size_t self_bytes, const ct_manager_type *type,
                     const char *name, const ct_manager_setup *setup, const uint16_t *own_widths,
                     uint32_t own_column_count, const ct_field *fields, uint32_t field_count);

/// Ends the manager: its rows go, its memory is given back, its block too unless it is lent. A lent
/// one holds an empty manager from then on, with its name and fields: looking up finds nothing,
/// adding says CT_ERR_OVER, loops see that rows moved. Cannot fail.
void ct_manager_destroy(ct_manager *manager);

/// How many inputs there are, late ones included.
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

/// Creates one component per owner with these values (values[i] belongs to
/// inputs[i], late ones apart; NULL: all defaults) and, in a 'multiple' manager, these ids (NULL:
/// numbers). CT_ERR_EXISTS puts into *first the place, in 'owners', of one that has one already, or
/// whose id is taken; CT_ERR_FULL: ct_manager_limit tells of what. All or nothing; other
/// statuses as ct_store_add and the manager's own. Owners are alive; required inputs are given;
/// numbers among the ids are not above CT_LAST_GIVEN_NUMBER. O(count).
ct_status ct_manager_create(ct_manager *manager, const ct_entity *owners, uint32_t count,
                            const ct_values *values, const ct_component_id *ids, ct_row *first);

/// No number among these ids will be issued: for a caller who creates in several calls what belongs
/// together, so that none has what a later one is given.
void ct_manager_see_ids(ct_manager *manager, const ct_component_id *ids, uint32_t count);

/// Takes back the last 'count' rows, which ct_manager_create made just now, for a caller whose
/// later steps failed: instances and loops do not notice. Cannot fail.
void ct_manager_rollback(ct_manager *manager, uint32_t count);

/// Removes all rows of these entities, the youngest first: what came last is taken back without a
/// trace. Cannot fail.
void ct_manager_strip(ct_manager *manager, uint32_t count, const ct_entity *entities);

/// 'count' rows from 'first' on are about to be removed: calls 'removing', and releases strings,
/// string ids and values. For the store.
void ct_manager_rows_removing(ct_manager *manager, ct_row first, uint32_t count);

/// The last 'count' rows are there and filled: their type hears of it. Where it fails they are
/// taken back, and its status is returned.
ct_status ct_manager_rows_created(ct_manager *manager, uint32_t count);

/// All that comes back with a snapshot. The strings of the world come first.
void ct_manager_state(ct_manager *manager, ct_state *state);

/// A hash of the components of the living, the same on every host: fields by owner and order of
/// creation, strings by content. Where rows lie, and what waits for gc, does not change it.
/// O(rows).
uint64_t ct_manager_hash(ct_manager *manager);

/// Releases the strings, string ids and values of 'count' rows from 'first' on.
void ct_manager_release_rows(ct_manager *manager, ct_row first, uint32_t count);

/// What 'count' items of a field hold is let go: strings, values, nothing.
void ct_manager_release_items(ct_manager *manager, const ct_field *field, ct_row first,
                              uint32_t count);

/// The values of all components of an entity become nil, as it dies; whether there may be any to
/// let go. O(value fields x components).
bool ct_manager_release_values(ct_manager *manager, ct_entity e);

/// How many references to values its rows hold. O(rows).
uint64_t ct_manager_count_values(const ct_manager *manager);

/// Number of the field (input, late ones included) of a name, or how many there are.
uint32_t ct_manager_find_field(const ct_manager *manager, const char *name);
uint32_t ct_manager_find_input(const ct_manager *manager, const char *name);

/// How instances lie in a resource, as far as the types of columns tell it.
static inline ct_layout ct_manager_layout(const ct_manager *manager) {
    ct_layout layout = {
        manager->layout, manager->layout_count, manager->store.multiple, NULL, NULL, NULL};
    return layout;
}

/// The same of late inputs, which have a section of their own.
static inline ct_layout ct_manager_late_layout(const ct_manager *manager) {
    ct_layout layout = {
        manager->inputs + manager->input_count, manager->late_count, false, NULL, NULL, NULL};
    return layout;
}

/// The item of a field. Valid until rows are created or removed.
static inline void *ct_manager_item(const ct_manager *manager, const ct_field *field, ct_row row) {
    return manager->store.columns.at[field->column] +
           (size_t)row.i * manager->store.columns.width[field->column];
}

/// What deaths since the last call do to rows of the living, where a type has that.
static inline void ct_manager_flush_deaths(ct_manager *manager) {
    if (CT_UNLIKELY(manager->type->flush_deaths != NULL)) manager->type->flush_deaths(manager);
}

/// The item of a field as it is now. Valid until the next call.
static inline const void *ct_manager_read(ct_manager *manager, uint32_t field, ct_row row) {
    if (manager->type->read != NULL) return manager->type->read(manager, field, row);
    ct_manager_flush_deaths(manager);
    return ct_manager_item(manager, &manager->fields[field], row);
}

/// The item of a field as its column shows it (in a batch of transforms, world matrices are those
/// from before); of one that has no column, as it is now. Valid until the next call.
static inline const void *ct_manager_shown(ct_manager *manager, uint32_t field, ct_row row) {
    const ct_field *f = &manager->fields[field];
    return f->computed ? manager->type->read(manager, field, row)
                       : ct_manager_item(manager, f, row);
}

/// Writes a field; an item as in ct_values. Statuses are the manager's own;
/// the row is as before when it is not CT_OK.
ct_status ct_manager_write(ct_manager *manager, uint32_t field, ct_row row, const void *item);

/// The default 'write': the item is copied, strings are counted.
ct_status ct_manager_write_column(ct_manager *manager, uint32_t field, ct_row row,
                                  const void *item);

/// Writes several of all inputs of one row, all or nothing; statuses as ct_manager_write.
ct_status ct_manager_assign(ct_manager *manager, ct_row row, const ct_values *values);

/// The same for late inputs of a row that was created by the same call.
static inline ct_status ct_manager_assign_late(ct_manager *manager, ct_row row,
                                               const ct_values *values) {
    return manager->type->assign(manager, row, values, true);
}

/// What there is no more of where a verb says CT_ERR_FULL: how many there may be, *what they are.
uint32_t ct_manager_limit(const ct_manager *manager, const char **what);

/// The component id of a given text or number, or 0 when no row can have it.
uint32_t ct_manager_find_id(const ct_manager *manager, const ct_component_id *id);

/// The default 'fill': every input goes to the column of the same place.
ct_status ct_manager_fill_columns(ct_manager *manager, ct_row first, uint32_t count,
                                  const ct_values *values);

/// One column of new rows gets the field's default, of strings a reference for each. Cannot fail.
void ct_manager_fill_default(ct_manager *manager, const ct_field *field, ct_row first,
                             uint32_t count);

/// Rows for all instances of a spawn, without their own columns: the first step
/// of every 'spawn'. All or nothing.
ct_status ct_manager_spawn_rows(ct_manager *manager, const ct_spawn *spawn, ct_row *first);

/// The default 'spawn': rows for all instances, columns copied from the data
/// as resource-format.md lays them out, strings and entities translated.
ct_status ct_manager_spawn_columns(ct_manager *manager, const ct_spawn *spawn);

/// Spawns through the type's own slot or the default. All or nothing.
ct_status ct_manager_spawn(ct_manager *manager, const ct_spawn *spawn);

/// Removes a row, or all rows of an entity, of which no hook is told; how many went.
void ct_manager_remove(ct_manager *manager, ct_row row);
uint32_t ct_manager_remove_all(ct_manager *manager, ct_entity e);

/// From now on its work is timed, from 0 on; or no longer, and its timings stay. While it is off,
/// nothing is paid for single components, and a branch for all else. Returns CT_OK, or
/// CT_ERR_MEMORY with nothing changed.
ct_status ct_manager_profile(ct_manager *manager, bool on);

/// Bytes held: rows, map and all else.
size_t ct_manager_bytes(const ct_manager *manager);

/// Makes room for 'count' rows in all: creating up to that many does not allocate, except for
/// strings, cells of grids and nodes of models. May move columns; no row moves. CT_OK,
/// CT_ERR_MEMORY, or CT_ERR_FULL above CT_MAX_ROWS; rows are as before in any case. O(count).
ct_status ct_manager_reserve(ct_manager *manager, uint32_t count);

/// Gives spare memory back, which growing takes again. No row moves, but columns do. Never fails.
/// O(rows).
void ct_manager_trim(ct_manager *manager);

/// Tells of each reference to a string that the manager holds: of rows, those of the dead too, of
/// string ids, and of what its type holds beside them. O(rows).
void ct_manager_count_strings(const ct_manager *manager, ct_string_audit *audit);

/// Every invariant, the counts of strings apart. False with the reason, the manager's name first.
/// O(rows).
bool ct_manager_validate(const ct_manager *manager, ct_message *message);

CT_END_C

#endif
