// Format of messages, and writing of them.
#ifndef CT_REPLICATION_MESSAGE_H
#define CT_REPLICATION_MESSAGE_H

#include "level/replication/publisher.h"

// A message. Numbers are little-endian; "packed" is a number of packed.h.
//
//     "CTR" and the version, a digit; u32 CRC-32 of all that follows
//     u64 session, u32 base (0: a full message), u32 frame, u32 id of the components
//     packed bytes of the text of the components (published.h), in full messages; else 0
//     u32 number of removed entities: each: packed difference of its index, u8 generation
//     u32 number of records: each: packed (difference of its index x 4 + kind), and then by kind
//
//     RECORD_COMPLETE    u8 generation, packed number of components, a component each
//     RECORD_CHANGES     packed number of changes, a change each
//     RECORD_SAME        values for the changes of the last record of changes
//
//     component    packed type, id, packed mask of fields with an item, the items
//     change       packed (type x 4 + kind), and then by kind
//     CHANGE_SET       id, packed mask of changed fields, packed mask of those without an item,
//     items CHANGE_CREATE    the rest of a component CHANGE_REMOVE    id
//
//     id       if the type is 'multiple': packed (number x 2), or packed 1 and a text
//     items    in the order of fields: numbers and labels as in a column; entity: packed id + 1, 0
//              for none; text and value: packed length and bytes; with a step: u8 bytes of a lane,
//              the lanes as signed numbers, or u8 255 and the lanes as in a column; cells: see
//              write_cells in message_item.c
//
// Differences are signed, from the index before in the same list, with the sign in the lowest bit.

#define CT_MESSAGE_VERSION 1u
#define CT_MESSAGE_MAGIC (0x30525443u + (CT_MESSAGE_VERSION << 24)) // "CTR1"

/// Places of parts of the head, and its end.
enum { CT_MESSAGE_AT_CRC = 4, CT_MESSAGE_AT_SESSION = 8, CT_MESSAGE_HEAD = 28 };

enum { CT_RECORD_SAME, CT_RECORD_CHANGES, CT_RECORD_COMPLETE };
enum { CT_CHANGE_SET, CT_CHANGE_CREATE, CT_CHANGE_REMOVE };

/// Byte in front of lanes with a step that are as in a column.
#define CT_LANES_EXACT 255u

/// Kinds of cells in a message.
enum { CT_CELLS_WHOLE, CT_CELLS_CHANGED };

enum { CT_SHAPE_CHANGES = 8 };

/// Changes of a record without their values.
typedef struct ct_message_shape {
    uint32_t count; ///< 0: cannot be repeated
    uint32_t type[CT_SHAPE_CHANGES];
    uint64_t mask[CT_SHAPE_CHANGES], absent[CT_SHAPE_CHANGES];
} ct_message_shape;

/// Flag of the entities that the receiver gets.
#define CT_MESSAGE_LISTED 1u

/// A message that is being written: removed entities and records separately.
typedef struct ct_message_out {
    const ct_publisher *publisher;
    uint32_t base;
    const unsigned char *listed; ///< by place in the mirror: flags; NULL: the receiver gets all
    ct_writer removed, records;
    uint32_t removed_count, record_count;
    uint32_t removed_index, record_index; ///< of the last entity
    ct_message_shape shape;
} ct_message_out;

void ct_message_begin(ct_message_out *out, const ct_publisher *publisher, uint32_t base);

/// Appends a removed entity.
void ct_message_remove(ct_message_out *out, ct_entity e);

/// Appends an entity: with all values, or with those that changed since the base.
void ct_message_add(ct_message_out *out, uint32_t place, bool complete);

/// Writes the message to 'bytes', replacing what it has. Returns CT_OK, CT_ERR_MEMORY or
/// CT_ERR_FULL.
ct_status ct_message_end(ct_message_out *out, ct_writer *bytes);
void ct_message_free(ct_message_out *out);

/// Returns the number of bytes so far.
uint32_t ct_message_bytes(const ct_message_out *out);

/// Appends the difference of two indices.
static inline uint64_t ct_index_difference(uint32_t index, uint32_t before) {
    uint64_t gap = index >= before ? index - before : before - index;
    return gap << 1 | (index < before);
}

/// Writes the item of a field. Of cells, only those that changed after 'base'; 0: all.
void ct_message_write_item(ct_writer *out, const ct_mirror *mirror, const ct_published_field *field,
                           const unsigned char *item, uint32_t base);

/// Replaces the items of a transform by those of a root with the same world pose, for a receiver
/// without its parent. 'items' has the items of the component, and 'present' is updated.
void ct_message_make_root(const ct_publication *publication, const ct_mirror_component *component,
                          unsigned char *items, uint64_t *present);

/// Returns the place of the parent of a component, or CT_MIRROR_NONE.
uint32_t ct_message_parent(const ct_mirror *mirror, const ct_mirror_component *component);

#endif
