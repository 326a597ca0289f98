// Layout of the instances of one component type in a compiled resource: column by column.
#ifndef CT_LAYOUT_H
#define CT_LAYOUT_H

#include "storage/columns.h"
#include "storage/field.h"

// instance_data of n instances. Columns start at multiples of 16:
//
//     u32 component_id[n]     only in 'multiple' managers: 1 .. 2^30-1, or 0x80000000 +
//                             offset of a string; no two of one entity are the same. 0: the
//                             manager numbers it at spawn
//     field_1[n]  ...  field_k[n]
//     the string block:       u32 length, bytes, NUL, padding to 4; each string once
//
// A string item is an offset into the string block, an enum item the offset of its label, a value
// item the offset of its bytes (value_bytes.h; "" is nil), an entity item an index in the resource
// or CT_NOBODY.

#define CT_LAYOUT_ALIGNMENT 16u

/// Offsets of the columns of 'count' instances, in bytes.
typedef struct ct_layout_places {
    uint32_t field[CT_MAX_COLUMNS];
    uint32_t strings;
} ct_layout_places;

struct ct_arena; // base/arena.h

typedef struct ct_layout {
    const ct_field *fields;
    uint32_t field_count;
    bool multiple;
    /// Checks constraints beyond the types of the columns, or NULL. ancestor[i] is as in
    /// ct_resource_ancestors. Returns false with the reason in 'message'.
    bool (*check)(const unsigned char *data, const ct_layout_places *places, uint32_t count,
                  const uint32_t *ancestor, ct_message *message);
    /// Computes the columns of instance 'i' from its inputs, which the manager type's 'check' has
    /// accepted; for a string column the ct_text. 'ancestor' is the instance of the nearest
    /// ancestor, which was computed before, or CT_NO_ROW. Texts are allocated in the arena. Returns
    /// false if memory runs out. NULL: each column is the input with the same name.
    bool (*bake)(const ct_values *values, uint32_t i, uint32_t ancestor, void *const *columns,
                 struct ct_arena *arena);
    /// Layout of late inputs, in a separate section for the instances that have some, and the name
    /// of the section, which is not the name of a component type. NULL: no late inputs.
    const struct ct_layout *late;
    const char *late_name;
} ct_layout;

/// Computes the offsets. Returns false if they do not fit in 32 bits.
bool ct_layout_place(const ct_layout *layout, uint32_t count, ct_layout_places *out);

/// Returns a hash of field names, types, order and 'multiple', but not of defaults. Never 0.
uint32_t ct_layout_schema(const ct_layout *layout);

/// Returns the text at an offset in a string block of 'bytes' bytes, or a text with bytes NULL if
/// the offset is not aligned to 4 or the text with its NUL is not completely inside the block.
ct_text ct_string_block_text(const unsigned char *block, uint32_t bytes, uint32_t offset);

// Text of a layout: exactly the bytes that ct_layout_schema hashes, and an empty name:
//
//     char multiple[4]              "many" or "one"
//     char name[], type[]  ...      of each field, NUL-terminated
//     char end                      NUL

/// Maximum size of the text of a layout.
#define CT_LAYOUT_TEXT_BYTES (5u + CT_MAX_COLUMNS * 80u)

/// Writes the text of a layout. Returns its size, or 0 if a name has more than 63 bytes. O(fields).
uint32_t ct_layout_text_write(const ct_layout *layout, char out[CT_LAYOUT_TEXT_BYTES]);

/// Reads the text of a layout. Names are not copied; 'fields' has room for CT_MAX_COLUMNS, and
/// becomes the fields of the layout. Returns false if the first bytes of 'bytes' are not a valid
/// text, or not the text of the schema. O(fields).
bool ct_layout_text_read(const char *text, uint32_t bytes, uint32_t schema, ct_field *fields,
                         ct_layout *out);

#endif
