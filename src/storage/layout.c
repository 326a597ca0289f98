// Column offsets, schema hashes, and the fields of a layout as bytes.
#include "storage/layout.h"

#include "base/hash.h"

#include <string.h>

static uint64_t pad(uint64_t offset) {
    return (offset + CT_LAYOUT_ALIGNMENT - 1) & ~(uint64_t)(CT_LAYOUT_ALIGNMENT - 1);
}

bool ct_layout_place(const ct_layout *layout, uint32_t count, ct_layout_places *out) {
    // At most 64 columns of at most 64 bytes and 2^32 rows, so 64 bits are sufficient.
    uint64_t at = 0;
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

#define MULTIPLE_BYTES 4u
#define MAX_NAME 63u

static uint32_t append(char *out, uint32_t at, const char *text) {
    uint32_t bytes = (uint32_t)strlen(text) + 1;
    memcpy(out + at, text, bytes);
    return at + bytes;
}

uint32_t ct_layout_text_write(const ct_layout *layout, char out[CT_LAYOUT_TEXT_BYTES]) {
    uint32_t at = MULTIPLE_BYTES;
    static const char many[] = {'m', 'a', 'n', 'y'}, one[] = {'o', 'n', 'e', 0};
    memcpy(out, layout->multiple ? many : one, MULTIPLE_BYTES);
    for (uint32_t f = 0; f < layout->field_count; ++f) {
        if (strlen(layout->fields[f].name) > MAX_NAME) return 0;
        at = append(out, at, layout->fields[f].name);
        at = append(out, at, ct_field_info_of(layout->fields[f].type)->name);
    }
    return append(out, at, "");
}

// Returns the NUL-terminated text at *at, and advances *at past it; NULL if it has no NUL before
// 'bytes'.
static const char *next_text(const char *text, uint32_t bytes, uint32_t *at) {
    const char *first = text + *at;
    const char *nul = memchr(first, 0, bytes - *at);
    if (nul == NULL) return NULL;
    *at = (uint32_t)(nul - text) + 1;
    return first;
}

// Reads the name and type of a field. Returns false if they are invalid.
static bool read_field(const char *text, uint32_t bytes, uint32_t *at, ct_field *out) {
    ct_message reason;
    const char *name = next_text(text, bytes, at);
    const char *type = name != NULL ? next_text(text, bytes, at) : NULL;
    if (type == NULL || strlen(name) > MAX_NAME || strlen(type) > MAX_NAME) return false;
    *out = (ct_field){.name = name, .type = ct_field_type_find(type, &reason)};
    return out->type != CT_FIELD_TYPE_COUNT;
}

bool ct_layout_text_read(const char *text, uint32_t bytes, uint32_t schema, ct_field *fields,
                         ct_layout *out) {
    uint32_t at = MULTIPLE_BYTES, count = 0;
    if (bytes <= MULTIPLE_BYTES) return false;
    bool multiple = memcmp(text, "many", MULTIPLE_BYTES) == 0;
    if (!multiple && memcmp(text, "one", MULTIPLE_BYTES) != 0) return false;
    while (at < bytes && text[at] != '\0') {
        if (count == CT_MAX_COLUMNS || !read_field(text, bytes, &at, &fields[count])) return false;
        count++;
    }
    *out = (ct_layout){.fields = fields, .field_count = count, .multiple = multiple};
    return at < bytes && ct_layout_schema(out) == schema;
}
