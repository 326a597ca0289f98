// Type of a component manager: the functions in which managers differ, and their arguments; the
// constant data of a component.
// Longer than 150 lines: it is the reference of the functions.
#ifndef CT_MANAGER_TYPE_H
#define CT_MANAGER_TYPE_H

#include "base/reader.h"
#include "base/state.h"
#include "base/writer.h"
#include "storage/columns.h"
#include "storage/layout.h"
#include "storage/string_pool.h"

/// Arguments of a spawn (Bitsquid part 4, SpawnFunction): all instances of one component type in a
/// compiled resource. All data was checked before.
typedef struct ct_spawn {
    const ct_entity *entity_lookup; ///< entity by resource index. Owners of instances are alive; an
                                    ///< id with the top bit set refers to no entity
    const ct_entity *meant; ///< the same for entity fields and one copy; NULL: entity_lookup
    uint32_t entity_count;
    const uint32_t *parent_index; ///< for each entity of the first copy; CT_NO_ROW for roots
    uint32_t num_instances;
    const uint32_t *entity_index; ///< for each instance, ascending
    const unsigned char *data;    ///< aligned to 16, in host byte order
    uint32_t size;
    const ct_layout *layout; ///< layout of the data; NULL: the manager's layout. It may lack
                             ///< fields, or have another order
    const ct_pose *pose;     ///< composed with the pose of each root; NULL for none
    ct_entity parent;        ///< becomes the parent of the roots; CT_NOBODY for none
    uint32_t copies;         ///< >= 1: how often entities and instances are repeated, copy by copy
    bool pose_each;          ///< 'pose' is an array with an element for each copy
    struct ct_scratch *scratch; ///< temporary memory: at most a number for each entity of a copy,
                                ///< and a ct_text for each instance
} ct_spawn;

/// Returns the arguments for one copy of a spawn, counted from 0. The data is not split, because it
/// is stored by column.
static inline ct_spawn ct_spawn_copy(const ct_spawn *spawn, uint32_t copy) {
    ct_spawn one = *spawn;
    one.copies = 1;
    one.entity_count /= spawn->copies;
    one.num_instances /= spawn->copies;
    one.entity_lookup += (size_t)copy * one.entity_count;
    if (spawn->pose_each && spawn->pose != NULL) one.pose += copy;
    return one;
}

/// Advances 'one' to the next copy of a spawn, or past the last one.
static inline void ct_spawn_next(const ct_spawn *spawn, ct_spawn *one) {
    one->entity_lookup += one->entity_count;
    if (spawn->pose_each && spawn->pose != NULL) one->pose++;
}

/// Number of rows per byte of ct_column_marks.blocks.
#define CT_MARK_BLOCK 32u

/// Marks for a column that is written directly although writes have effects (transform: the next
/// propagate computes world poses). While *open is not 0, writing an item must set the mark of the
/// row, the mark of its block, and *written. The pointers are valid as long as the manager.
typedef struct ct_column_marks {
    const uint32_t *open;         ///< not 0: the column may be written
    unsigned char *written;       ///< a row is marked
    unsigned char *const *marks;  ///< two bytes per row; a write sets byte number 'place'
    unsigned char *const *blocks; ///< one byte for each CT_MARK_BLOCK rows
    uint32_t place;
} ct_column_marks;

static inline void ct_column_mark(const ct_column_marks *marks, ct_row row) {
    (*marks->marks)[2 * (size_t)row.i + marks->place] = 1;
    (*marks->blocks)[row.i / CT_MARK_BLOCK] = 1;
    *marks->written = 1;
}

/// Rows of a save: row rows[i] has number i in the save, and place[r] is the number of row r, or
/// CT_NO_ROW.
typedef struct ct_saved_rows {
    const uint32_t *rows;
    uint32_t *place;
    uint32_t count;
} ct_saved_rows;

/// Task of 'memory', which it performs before it counts.
typedef enum ct_memory_task {
    CT_MEMORY_COUNT, ///< none: the manager is not changed
    CT_MEMORY_TRIM,  ///< frees spare memory, if possible
    CT_MEMORY_FREE   ///< frees all memory; all rows were removed
} ct_memory_task;

/// Constant data of a component. A built-in component has one for all worlds; a component that a
/// script or a plugin has defined has one for each manager.
typedef struct ct_manager_shape {
    const char *name;
    size_t bytes; ///< size of the manager's struct, of which ct_manager is the first member
    const uint16_t *widths; ///< item sizes of the manager's columns; NULL: those of the fields
    uint32_t column_count;  ///< number of 'widths'
    const ct_field *fields; ///< fields that can be read and written, in order
    uint32_t field_count;
    const ct_field *inputs; ///< values that creation takes; NULL: the fields
    uint32_t input_count;   ///< number of 'inputs' without late ones, which follow the others
    uint32_t late_count; ///< inputs that refer to components of other types, and are written after
                         ///< all components exist (transform: parent_node)
    size_t names;        ///< offset of the ct_resource_names in the manager's struct; 0: none
    const char *hosted; ///< name of a value that the host keeps for each component (actor: "body"),
                        ///< or NULL. Only the host adds and removes such components
    bool singly;        ///< rows are removed one by one, each with its calls of 'removing', 'moved'
    bool together;      ///< all copies of a resource are spawned in one call of 'spawn'
    ct_layout layout;   ///< columns in a compiled resource
} ct_manager_shape;

/// Functions in which managers differ. All except 'fill' may be NULL. A function that returns false
/// or CT_ERR_DATA may write the reason to 'message'.
typedef struct ct_manager_type {
    const ct_manager_shape *shape; ///< NULL: each manager of the type has a separate one

    /// Initializes the members of a new manager, of which the common ones are initialized and all
    /// others are zero. Allocates nothing.
    void (*init)(ct_manager *manager);

    // Checks without changes.

    /// Returns whether a combination of values is valid (transform: angle and rotation exclude each
    /// other).
    bool (*check)(const ct_manager *manager, const ct_values *values, uint32_t count,
                  ct_message *message);
    /// Returns whether valid values may be assigned to this row (grid: the number of cells matches
    /// the size; transform: the parent has the node). If 'row' is CT_NO_ROW, checks 'count' rows
    /// that will be created, each with its own item. NULL: no check; 'assign' may still fail with a
    /// reason.
    bool (*check_assign)(const ct_manager *manager, ct_row row, const ct_values *values,
                         uint32_t count, ct_message *message);
    /// Returns whether the instances of a resource may be spawned. Reads only num_instances,
    /// entity_index, data, size and parent.
    bool (*check_spawn)(const ct_manager *manager, const ct_spawn *spawn, ct_message *message);

    // Creation and removal of rows.

    /// Writes the columns of 'count' new rows from 'first' on. values[i] belongs to inputs[i]. If
    /// it fails, the columns must hold no references, and the caller removes the rows.
    ct_status (*fill)(ct_manager *manager, ct_row first, uint32_t count, const ct_values *values);
    /// Called after 'fill' or ct_manager_spawn_columns wrote the columns of 'count' new rows from
    /// 'first' on. If it fails, the caller releases the strings and values, and removes the rows.
    ct_status (*created)(ct_manager *manager, ct_row first, uint32_t count);
    /// Creates the instances of a resource. NULL: ct_manager_spawn_columns.
    ct_status (*spawn)(ct_manager *manager, const ct_spawn *spawn);
    /// Called before 'count' rows from 'first' on are removed. Releases the data that they refer
    /// to, except strings and values. If 'count' is above 1, their owners are dead, or these are
    /// all rows. Must not change rows.
    void (*removing)(ct_manager *manager, ct_row first, uint32_t count);
    /// Called after 'count' rows from 'from' on were copied to 'to' and the rows after it, without
    /// overlap, and before the originals are removed.
    void (*moved)(ct_manager *manager, ct_row to, ct_row from, uint32_t count);
    /// Called before a row of a dead entity is orphaned because the entity's index was reused. The
    /// row then belongs to CT_NOBODY until gc removes it.
    void (*orphaned)(ct_manager *manager, ct_row row);
    /// Applies deaths to rows of living entities before a column is read (transform: children of
    /// dead entities become roots). Moves no rows. Sets 'deaths_seen' to the end of the log of
    /// deaths.
    void (*flush_deaths)(ct_manager *manager);

    // Reading and writing.

    /// Returns the item of a field, if the column alone does not contain it (transform: a world
    /// matrix in a batch). Valid until the next call. NULL: flush_deaths, then the item of the
    /// column.
    const void *(*read)(ct_manager *manager, uint32_t field, ct_row row);
    /// Copies the value of an input that would recreate the current row (for a 'numbered' input the
    /// number, a uint32_t). Returns false if there is none (transform: the matrix, unless it is
    /// sheared). NULL: inputs are fields.
    bool (*get)(ct_manager *manager, uint32_t input, ct_row row, void *item);
    /// Writes one field of one row. NULL: ct_manager_write_column.
    ct_status (*write)(ct_manager *manager, uint32_t field, ct_row row, const void *item);
    /// Writes the inputs of one row for which values[i].items is not NULL, late ones included. All
    /// or nothing. 'created': the same call created the row. NULL: calls 'write' for each, for
    /// managers with inputs equal to fields.
    ct_status (*assign)(ct_manager *manager, ct_row row, const ct_values *values, bool created);
    /// Begins or ends a group of writes (transform: a batch). If beginning fails, nothing has
    /// changed. At the end, 'spawn' is not NULL if overrides of a spawn were written (transform:
    /// links the rows and applies the pose of the spawn, which were left out before).
    ct_status (*batch)(ct_manager *manager, bool begin, const ct_spawn *spawn);

    // Data beside the rows.

    /// Performs a task on the memory beside the store, and returns the remaining allocated bytes.
    size_t (*memory)(ct_manager *manager, ct_memory_task task);
    /// Saves or restores data beside the store, step by step (base/state.h), after the store did
    /// the same. In COMMIT the store is already restored, and strings have their new numbers. In
    /// RESERVE the saved rows are still in state->columns.
    void (*state)(ct_manager *manager, ct_state *state);
    /// Writes data beside the fields to a save, for living entities only.
    ct_status (*save)(ct_manager *manager, const ct_saved_rows *saved, ct_writer *out,
                      ct_message *message);
    /// Reads the output of 'save', or any other bytes, after the rows were created in the order of
    /// the save. If inputs are not fields, all columns except those of fields have their defaults.
    /// Called in the reverse order of spawns. If it fails, the manager is not used any more.
    ct_status (*load)(ct_manager *manager, ct_reader *in, ct_message *message);
    /// Copies the resources that rows may refer to from another manager to this new manager.
    ct_status (*copy_resources)(ct_manager *manager, const ct_manager *from);
    /// Returns a hash of the data that a living row has beside its fields, equal on every host
    /// (transform: parent and children; model: poses of nodes). Called before fields are read.
    uint64_t (*hash)(ct_manager *manager, ct_row row);
    /// Adds each reference to a string that is held beside the rows (presets, known names).
    void (*strings)(const ct_manager *manager, ct_string_audit *audit);
    /// Checks the invariants beyond those of the store.
    bool (*validate)(const ct_manager *manager, ct_message *message);
} ct_manager_type;

#endif
