// Copies of overrides that depend on nothing: what a level keeps for its restarts.
// Knows nothing of worlds, nor whether the overrides fit anything.
#include "resource/override.h"

#include "storage/field.h"

#include <string.h>

// A block that is filled from its start; without one, only its size is counted.
typedef struct block {
    unsigned char *start;
    size_t used;
} block;

static void *put(block *b, const void *from, size_t bytes) {
    unsigned char *to = b->start != NULL ? b->start + b->used : NULL;
    b->used += (bytes + 16) & ~(size_t)15; // with room for a zero byte, of which texts need one
    if (to == NULL || bytes == 0) return to;
    to[bytes] = 0;
    return memcpy(to, from, bytes);
}

// A text in the copy, so far one that points to the original.
static void put_text(block *b, ct_text from, ct_text *to) {
    if (from.bytes == NULL) return;
    const char *copy = put(b, from.bytes, from.length);
    if (to != NULL) to->bytes = copy;
}

static void put_value(block *b, const ct_override_value *from, ct_override_value *to) {
    bool text = from->type == CT_FIELD_STRING || from->type == CT_FIELD_ENUM;
    const char *input = put(b, from->input, strlen(from->input));
    size_t bytes = text ? sizeof(ct_text) : ct_field_info_of(from->type)->bytes;
    void *item = put(b, from->item, bytes);
    if (text) put_text(b, *(const ct_text *)from->item, item);
    if (to != NULL) *to = (ct_override_value){input, from->type, item};
}

static void put_override(block *b, const ct_override *from, ct_override *to) {
    put_text(b, from->path, to != NULL ? &to->path : NULL);
    if (from->component == NULL) return;
    const char *component = put(b, from->component, strlen(from->component));
    put_text(b, from->id.text, to != NULL ? &to->id.text : NULL);
    ct_override_value *values = put(b, from->values, from->value_count * sizeof *values);
    for (uint32_t i = 0; i < from->value_count; ++i)
        put_value(b, &from->values[i], to != NULL ? &values[i] : NULL);
    if (to == NULL) return;
    to->component = component;
    to->values = values;
}

static ct_override *put_all(block *b, const ct_override *overrides, uint32_t count) {
    ct_override *copy = put(b, overrides, count * sizeof *copy);
    for (uint32_t i = 0; i < count; ++i)
        put_override(b, &overrides[i], copy != NULL ? &copy[i] : NULL);
    return copy;
}

size_t ct_override_bytes(const ct_override *overrides, uint32_t count) {
    block b = {NULL, 0};
    if (count > 0) put_all(&b, overrides, count);
    return b.used;
}

const ct_override *ct_override_copy(const ct_override *overrides, uint32_t count, void *memory) {
    block b = {memory, 0};
    return count > 0 ? put_all(&b, overrides, count) : NULL;
}
