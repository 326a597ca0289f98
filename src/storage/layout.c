// Places and schema of a layout.
#include "storage/layout.h"

#include "base/hash.h"

#include <string.h>

static uint64_t pad(uint64_t offset) {
    return (offset + CT_LAYOUT_ALIGNMENT - 1) & ~(uint64_t)(CT_LAYOUT_ALIGNMENT - 1);
}

bool ct_layout_place(const ct_layout *layout, uint32_t count, ct_layout_places *out) {
    // At most 64 columns of at most 64 bytes and 2^32 rows: 64 bits are plenty.
    uint64_t at = 0;
    out->ids = 0;
    if (layout->multiple) at = pad((uint64_t)count * 4);
    for (uint32_t f = 0; f < layout->field_count; ++f) {
        if (at > UINT32_MAX) return false;
        out->field[f] = (uint32_t)at;
        at = pad(at + (uint64_t)count * ct_field_compiled_bytes(layout->fields[f].type));
    }
    if (at > UINT32_MAX) return false;
    out->strings = (uint32_t)at;
    return true;
}

uint32_t ct_layout_schema(const ct_layout *layout) {
    uint32_t hash = ct_hash_fnv1a(CT_FNV1A_START, layout->multiple ? "many" : "one", 4);
    for (uint32_t f = 0; f < layout->field_count; ++f) {
        const ct_field *field = &layout->fields[f];
        const char *type = ct_field_info_of(field->type)->name;
        // The NULs are hashed too: "ab", "c" and "a", "bc" differ.
        hash = ct_hash_fnv1a(hash, field->name, strlen(field->name) + 1);
        hash = ct_hash_fnv1a(hash, type, strlen(type) + 1);
    }
    return hash != 0 ? hash : 1;
}

ct_text ct_string_block_text(const unsigned char *block, uint32_t bytes, uint32_t offset) {
    static const ct_text none = {NULL, 0};
    ct_text text;
    if (offset % 4 != 0 || bytes < 5 || offset > bytes - 5) return none;
    memcpy(&text.length, block + offset, 4);
    if (text.length > bytes - 5 - offset || block[offset + 4 + text.length] != 0) return none;
    text.bytes = (const char *)block + offset + 4;
    return text;
}
