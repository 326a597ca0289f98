// The layout of the instances of one component type in a compiled resource: column by column.
// Must not depend on headers, checksums or worlds.
#ifndef CT_LAYOUT_H
#define CT_LAYOUT_H

#include "storage/columns.h"
#include "storage/field.h"

CT_BEGIN_C

// instance_data of n instances. Columns start at multiples of 16:
//
//     u32 component_id[n]     only in 'multiple' managers: 1 .. 2^30-1, or 0x80000000 +
//                             offset of a string; no two of one entity are the same. 0: the
//                             manager numbers it at spawn
//     field_1[n]  ...  field_k[n]
//     the string block:       u32 length, bytes, NUL, padding to 4; each string once
//
// A string item is an offset into the string block, an enum item that of its label, a value item
// that of its bytes (value_bytes.h; "" is nil), an entity item an index in the resource or
// CT_NOBODY.

#define CT_LAYOUT_ALIGNMENT 16u

/// Where the columns of 'count' instances begin, in bytes.
typedef struct ct_layout_places {
    uint32_t ids;
    uint32_t field[CT_MAX_COLUMNS];
    uint32_t strings;
} ct_layout_places;

struct ct_arena; // base/arena.h

typedef struct ct_layout {
    const ct_field *fields;
    uint32_t field_count;
    bool multiple;
    /// What must hold beyond the types of the columns, or NULL. ancestor[i] is as in
    /// ct_resource_ancestors. False with the reason in 'message'.
    bool (*check)(const unsigned char *data, const ct_layout_places *places, uint32_t count,
                  const uint32_t *ancestor, ct_message *message);
    /// Computes the columns of instance 'i' from its inputs, which the manager type's 'check' has
    /// accepted; of a string column the ct_text. 'ancestor' is the instance of its nearest
    /// ancestor, which was computed before, or CT_NO_ROW. Texts are allocated in the arena. False
    /// when memory runs out. NULL: each column is the input of its name.
    bool (*bake)(const ct_values *values, uint32_t i, uint32_t ancestor, void *const *columns,
                 struct ct_arena *arena);
    /// How late inputs lie, in a section of their own for those instances that have some, and what
    /// that is called: no component type is. NULL: there are none.
    const struct ct_layout *late;
    const char *late_name;
} ct_layout;

/// Computes the places. False when they do not fit in 32 bits.
bool ct_layout_place(const ct_layout *layout, uint32_t count, ct_layout_places *out);

/// Hash of field names, types, order and 'multiple', not of defaults. Never 0.
uint32_t ct_layout_schema(const ct_layout *layout);

/// The text at an offset of a string block of 'bytes' bytes, or one with bytes NULL when none
/// lies there whole: aligned to 4, length and NUL inside the block.
ct_text ct_string_block_text(const unsigned char *block, uint32_t bytes, uint32_t offset);

// Just the bytes that ct_layout_schema is the hash of, and an empty name:
//
//     char multiple[4]              "many" or "one"
//     char name[], type[]  ...      of each field, NUL-terminated
//     char end                      NUL

/// Room for any.
#define CT_LAYOUT_TEXT_BYTES (5u + CT_MAX_COLUMNS * 80u)

/// Writes them; how many there are, or 0 where they would take more than that: names of more than
/// 63 bytes. O(fields).
uint32_t ct_layout_text_write(const ct_layout *layout, char out[CT_LAYOUT_TEXT_BYTES]);

/// Reads them, names staying where they are: 'fields' has room for CT_MAX_COLUMNS, and becomes the
/// layout's. False when the first of 'bytes' bytes are not such, or not those of the schema.
/// O(fields).
bool ct_layout_text_read(const char *text, uint32_t bytes, uint32_t schema, ct_field *fields,
                         ct_layout *out);

/// Whether instances of a layout 'from' can be taken by a manager: it has each of their fields,
/// with the same type, in any order, and requires no other. What it has more gets its default. Enum
/// fields of 'fields', which are the layout's, get the manager's labels. False with what is in the
/// way in 'message' ("hp was float, is double"). O(fields of one x fields of the other).
bool ct_layout_fit(const ct_layout *from, ct_field *fields, const ct_manager *manager,
                   ct_message *message);

CT_END_C

#endif
