// The fields of a layout as bytes, which a resource has beside a type's name: by them instances fit
// a type that has got more fields since. Knows nothing of headers or worlds.
#ifndef CT_LAYOUT_TEXT_H
#define CT_LAYOUT_TEXT_H

#include "storage/manager.h"

CT_BEGIN_C

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
