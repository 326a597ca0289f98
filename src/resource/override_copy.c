// Making overrides of gathered values, and self-contained copies, which a level keeps for restarts.
#include "resource/override.h"

#include "base/packed.h"
#include "storage/field.h"

#include <stdlib.h>
#include <string.h>

uint32_t ct_override_take(const ct_manager *manager, const ct_values *values,
                          ct_override_value *out) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < ct_manager_all_inputs(manager); ++i) {
        const ct_field *input = &manager->inputs[i];
        const void *item = values[i].items;
        if (item == NULL) continue;
        if (input->type == CT_FIELD_ENUM) item = &input->labels[*(const unsigned char *)item];
        out[count++] = (ct_override_value){input->name, input->type, item};
    }
    return count;
}

static int compare(const void *a, const void *b) {
    const ct_override *one = a, *other = b;
    int order = strcmp(one->path.bytes, other->path.bytes);
    if (order == 0 && one->component != NULL) order = strcmp(one->component, other->component);
    if (order != 0) return order;
    return one->place < other->place ? -1 : one->place > other->place;
}

void ct_override_sort(ct_override *overrides, uint32_t count) {
    if (count > 0) qsort(overrides, count, sizeof *overrides, compare);
}

static void put_value(ct_packed *b, const ct_override_value *from, ct_override_value *to) {
    bool text = ct_field_is_text(from->type) || from->type == CT_FIELD_ENUM;
    const char *input = ct_packed_put(b, from->input, strlen(from->input));
    size_t bytes = text ? sizeof(ct_text) : ct_field_info_of(from->type)->bytes;
    void *item = ct_packed_put(b, from->item, bytes);
    if (text) ct_packed_put_text(b, *(const ct_text *)from->item, item);
    if (to != NULL) *to = (ct_override_value){input, from->type, item};
}

static void put_override(ct_packed *b, const ct_override *from, ct_override *to) {
    ct_packed_put_text(b, from->path, to != NULL ? &to->path : NULL);
    if (from->component == NULL) return;
    const char *component = ct_packed_put(b, from->component, strlen(from->component));
    ct_packed_put_text(b, from->id.text, to != NULL ? &to->id.text : NULL);
    ct_override_value *values = ct_packed_put(b, from->values, from->value_count * sizeof *values);
    for (uint32_t i = 0; i < from->value_count; ++i)
        put_value(b, &from->values[i], to != NULL ? &values[i] : NULL);
    if (to == NULL) return;
    to->component = component;
    to->values = values;
}

static ct_override *put_all(ct_packed *b, const ct_override *overrides, uint32_t count) {
    ct_override *copy = ct_packed_put(b, overrides, count * sizeof *copy);
    for (uint32_t i = 0; i < count; ++i)
        put_override(b, &overrides[i], copy != NULL ? &copy[i] : NULL);
    return copy;
}

size_t ct_override_bytes(const ct_override *overrides, uint32_t count) {
    ct_packed b = {NULL, 0};
    if (count > 0) put_all(&b, overrides, count);
    return b.used;
}

const ct_override *ct_override_copy(const ct_override *overrides, uint32_t count, void *memory) {
    ct_packed b = {memory, 0};
    return count > 0 ? put_all(&b, overrides, count) : NULL;
}
