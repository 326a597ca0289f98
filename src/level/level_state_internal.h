// Format of states of levels, and their reader.
#ifndef CT_LEVEL_STATE_INTERNAL_H
#define CT_LEVEL_STATE_INTERNAL_H

#include "base/reader.h"
#include "level/level_state.h"
#include "resource/match.h"

// Format; all numbers are little-endian:
//
//     "CTLS", u32 version, u32 size in bytes, u32 CRC-32 of the bytes after it
//     u32 checksum of the resource, u32 its entities, u32 copies in the level
//     u32 number of steps, u32 bytes of the records
//     records; each: u8 ct_state_kind, and
//         CT_STATE_TABLE, for the steps that follow: text component, u8 1 if an entity may have
//             several, u8 number of inputs; each: text name, text type, "cells" for cells
//         CT_STATE_DEAD: u32 place
//         otherwise: u32 place; if an entity may have several, the id: u8 ct_state_id, and its
//             numbers or text; u8 number of values; each: u8 input, its item
//     u32 number of entities for matching, ascending; each: u32 entity, u32 the entity it is
//         under or 0xFFFFFFFF, u8 ct_state_key, a text unless it is CT_STATE_UNNAMED
//
// A place is copy x entities + entity. Items: a text for strings, labels and values; for an entity
// u8 ct_state_target and a u32; for cells u32 width, u32 height, u32 number of changed cells, and
// of each the u32 place, u32 cell and u8 flips, or, if the number is 0xFFFFFFFF, a text with all
// cells; otherwise the numbers.

#define CT_STATE_MAGIC 0x534C5443u
#define CT_STATE_VERSION 1u
#define CT_STATE_ALL_CELLS 0xFFFFFFFFu
enum { CT_STATE_HEAD_BYTES = 16, CT_STATE_AT_SIZE = 8, CT_STATE_AT_CHECKSUM = 12 };
enum { CT_STATE_AT_STEPS = 28, CT_STATE_AT_RECORDS = 32, CT_STATE_RECORDS = 36 };
enum { CT_STATE_CELL_BYTES = 9 };

typedef enum ct_state_kind {
    CT_STATE_TABLE,
    CT_STATE_DEAD,
    CT_STATE_ADD,    ///< a component that the resource does not have, without its parent
    CT_STATE_SET,    ///< changed values
    CT_STATE_LINK,   ///< the parent and late inputs
    CT_STATE_REMOVE, ///< a component that the level does not have
    CT_STATE_KINDS
} ct_state_kind;

typedef enum ct_state_id {
    CT_STATE_NUMBER, ///< u32: the given number
    CT_STATE_TEXT,   ///< text: the given text
    CT_STATE_ORDER,  ///< u32: order among the components of the spawn without a given id
    CT_STATE_ADDED   ///< u32: the number, u32: order among the components of the entity whose ids
                     ///< are numbers, those of the resource first
} ct_state_id;

typedef enum ct_state_target {
    CT_STATE_NO_ENTITY,
    CT_STATE_LEVEL_PLACE, ///< u32: place of an entity of the level
    CT_STATE_OUTSIDE      ///< u32: id of another entity
} ct_state_target;

typedef enum ct_state_key { CT_STATE_UNNAMED, CT_STATE_NAME, CT_STATE_SOURCE_ID } ct_state_key;

typedef struct ct_state_input {
    const char *name;
    ct_field_type type; ///< unused for cells
    bool cells;
} ct_state_input;

/// A value of a step. The members of other types are unused.
typedef struct ct_state_value {
    uint32_t input; ///< in ct_state_reader.inputs
    ct_text text;   ///< of a string, label or value, or of all cells
    uint32_t target, number;
    uint32_t width, height, cell_count;
    const unsigned char *cells;
    union {
        unsigned char bytes[CT_MAX_ITEM_BYTES];
        double aligned;
    } item; ///< numbers
} ct_state_value;

/// Iterator over the steps of a state.
typedef struct ct_state_reader {
    ct_reader in, matching;
    uint32_t checksum, num_entities, copies, step_count;
    // The present table.
    const char *component; ///< NULL: none yet
    bool multiple;
    uint32_t input_count;
    ct_state_input inputs[CT_MAX_COLUMNS];
    // The present step.
    uint32_t step; ///< its number, from 0
    ct_state_kind kind;
    uint32_t place;
    ct_state_id id;
    uint32_t id_number, id_order;
    ct_text id_text;
    uint32_t value_count;
    ct_state_value values[CT_MAX_COLUMNS];
} ct_state_reader;

/// Starts reading a state whose header is valid. Returns false if it is damaged.
bool ct_state_begin(ct_state_reader *r, ct_text state);

/// Reads the next step. Returns false at the end, or with 'in' damaged.
bool ct_state_next(ct_state_reader *r);

/// Reads the key of the next entity for matching. Returns false if it is damaged.
bool ct_state_next_key(ct_reader *in, uint32_t *entity, ct_match_key *key);

/// Applies the option 'state' of a level that is being spawned: the 'finish' of ct_spawn_call,
/// with the level as 'user'. Notes in level->left the steps that are left out.
ct_status ct_level_state_apply(ct_spawn_finish *finish, ct_message *message);

#endif
