// Application of a message: its content, and the steps that change the world.
// Longer than 150 lines: the sources of the application share it.
#ifndef CT_APPLY_H
#define CT_APPLY_H

#include "base/table.h"
#include "level/patch_internal.h"
#include "level/replication/message.h"
#include "level/replication/subscriber.h"

#define CT_NOT_BOUND UINT32_MAX

/// Number of components of a record up to which all of them are searched. No entity without
/// 'multiple' components has more.
#define CT_FEW_COMPONENTS CT_MAX_PUBLISHED

/// Input of the local world for a published field.
typedef struct ct_bound_field {
    uint32_t input;  ///< or CT_NOT_BOUND
    uint32_t column; ///< field of the manager to which values are written directly, or CT_NOT_BOUND
    uint32_t *labels; ///< local label by label of the publisher, or CT_NOT_BOUND
} ct_bound_field;

/// Manager of the local world for a published component.
typedef struct ct_bound_type {
    ct_manager *manager; ///< NULL: the world does not define the component
    ct_bound_field *fields;
    uint32_t size_inputs[2]; ///< width and height of cells
    uint64_t direct;         ///< fields that are written without a step: to a column, or not at all
} ct_bound_type;

/// Received values of one component.
typedef struct ct_received {
    uint32_t type;
    uint32_t id;     ///< holds its string
    uint32_t kind;   ///< CT_CHANGE_SET, CT_CHANGE_CREATE, CT_CHANGE_REMOVE
    uint32_t record; ///< of its entity
    uint64_t given;
    uint64_t present;     ///< subset of 'given'
    uint32_t component;   ///< number in the mirror of a component that exists
    unsigned char *items; ///< hold their strings and cells

    bool direct; ///< the values are written without a step, and stay in the message until then
    ct_row row;
    const unsigned char *values;
    uint32_t bytes;
} ct_received;

/// Record of one entity in a message.
typedef struct ct_received_entity {
    uint32_t place; ///< in the mirror before the message, or CT_MIRROR_NONE
    ct_entity local;
    bool complete;
    bool made;             ///< this message creates the local entity
    uint32_t first, count; ///< its components in 'items'
} ct_received_entity;

typedef struct ct_apply {
    ct_subscriber *subscriber;
    ct_message *message;
    ct_scratch memory;
    ct_reception *before; ///< NULL: none of this session
    ct_reception *now;    ///< equal to 'before', or a new one for a full message
    uint32_t base, frame;

    ct_entity *ids; ///< of the records: ids of the publisher
    ct_received_entity *records;
    uint32_t record_count;
    uint32_t *planned; ///< records with more than direct values
    uint32_t planned_count;
    ct_entity_map map; ///< from indices of the publisher to planned records
    ct_received *items;
    uint32_t item_count, item_capacity;
    ct_table index;    ///< of the items of records with more than CT_FEW_COMPONENTS
    uint32_t *removed; ///< places in the mirror before the message
    uint32_t removed_count;

    struct ct_wanted *wanted; ///< components that are written by steps
    uint32_t wanted_count, wanted_capacity;
    ct_bound_type *types;
    ct_patch patch;
    ct_patch_result result;
    ct_entity entity; ///< of the next step
    uint32_t written;
} ct_apply;

// apply_commit.c

/// Frees a reception, or does nothing for NULL.
void ct_reception_free(ct_reception *reception, const ct_allocator *allocator);

/// Removes all local entities from the map, before another reception replaces the present one.
void ct_subscriber_clear_locals(ct_subscriber *subscriber);

/// Makes room for the local entities of the records. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_apply_reserve_locals(ct_apply *apply);

/// Sets the local entity of a place. Room is reserved.
void ct_apply_set_local(ct_subscriber *subscriber, uint32_t place, ct_entity local);

/// Writes the message to the mirror of the subscriber. Cannot fail.
void ct_apply_commit(ct_apply *apply, uint64_t session);

// apply_item.c

/// Reads an item of a component, which is number 'component' of the mirror (CT_MIRROR_NONE: a new
/// one). Sets 'damaged' of the reader for invalid bytes; then only cells are held. Returns CT_OK,
/// CT_ERR_MEMORY or CT_ERR_FULL; then nothing is held.
ct_status ct_apply_read_item(ct_apply *apply, ct_reader *in, const ct_published_field *field,
                             uint32_t component, unsigned char *item);

/// Returns whether the given values of a component of a local entity are written without a step,
/// and sets the row.
bool ct_apply_is_direct(const ct_apply *apply, ct_received *item, ct_entity local);

/// Writes the direct values to the mirror and the world. 'user' is the ct_apply. Cannot fail.
void ct_apply_write_direct(void *user);

// apply_read.c

/// Reads the records of a message behind its head. Returns CT_OK, CT_ERR_MEMORY or CT_ERR_DATA.
ct_status ct_apply_read(ct_apply *apply, ct_reader *in);

/// Releases what the received values hold, unless they were committed.
void ct_apply_release(ct_apply *apply);

/// Writes the message that the bytes are not a valid message. Returns CT_ERR_DATA.
ct_status ct_apply_refuse(const ct_apply *apply);

// apply_bind.c

/// Finds the managers and inputs of the published components. Returns CT_OK, CT_ERR_MEMORY, or
/// CT_ERR_DATA if a field has another type in the world.
ct_status ct_apply_bind(ct_apply *apply);

// apply_plan.c

/// Makes room for 'count' records, all of which may be planned. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_apply_reserve_records(ct_apply *apply, uint32_t count);

/// Adds a record to the planned ones. Returns false if its entity has a planned record already.
bool ct_apply_plan_record(ct_apply *apply, uint32_t record);

/// Creates the local entities that are missing, lists the steps, and takes them. Returns CT_OK;
/// after a failure everything is undone.
ct_status ct_apply_make(ct_apply *apply);

// apply_step.c, apply_target.c

/// Values that a component of a local entity must have.
typedef struct ct_wanted {
    ct_entity local;
    uint32_t type;
    uint32_t id;
    const unsigned char *items;     ///< of all fields
    const unsigned char *old_items; ///< items before the message; NULL: cells are compared with
                                    ///< the cells of the row
    uint64_t present;               ///< fields with an item
    uint64_t given;                 ///< fields that are written if the component exists
    bool compare;           ///< only values that differ from the world are written, and counted
    bool vacant;            ///< only fields that name no living entity are written
    const ct_mirror *names; ///< mirror with the string of 'id'; NULL: that of the message
} ct_wanted;

/// Adds values to the list from which ct_apply_make makes steps. Returns CT_OK or CT_ERR_MEMORY.
ct_status ct_apply_want(ct_apply *apply, const ct_wanted *wanted);

/// Returns the values of a component in the mirror.
ct_wanted ct_apply_wanted(const ct_mirror *mirror, uint32_t component);

/// Returns the first item of a record for a component, or NULL. O(1).
const ct_received *ct_apply_find_item(const ct_apply *apply, const ct_received_entity *record,
                                      uint32_t type, uint32_t id);

/// Adds the last item, whose type and id are set, to the items that are found. Returns CT_OK or
/// CT_ERR_MEMORY.
ct_status ct_apply_enter_item(ct_apply *apply);

/// Lists the steps that add the component, or write its values except links. Returns CT_OK;
/// CT_ERR_MEMORY; CT_ERR_DATA with the reason in the message.
ct_status ct_apply_component(ct_apply *apply, const ct_wanted *wanted);

/// Lists the step that links the component to its parent, or with 'unlink' the step before it that
/// removes its other parent: all links are removed before others are made, which could close a
/// cycle with them.
ct_status ct_apply_link(ct_apply *apply, const ct_wanted *wanted, bool unlink);

/// Lists the removal of the component from the local entity, if it has it.
ct_status ct_apply_remove(ct_apply *apply, const ct_wanted *wanted);

/// Returns the planned record of an entity of the publisher, or NULL.
const ct_received_entity *ct_apply_record(const ct_apply *apply, ct_entity published);

#endif
