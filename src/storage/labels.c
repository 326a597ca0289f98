// Labels of enum fields.
#include "storage/labels.h"

#include "base/message.h"
#include "base/nearest.h"
#include "base/text.h"

#include <string.h>

uint32_t ct_labels_split(const char *labels, ct_text out[CT_MAX_LABELS]) {
    uint32_t count = 0;
    for (; *labels != '\0'; ++count) {
        if (count == CT_MAX_LABELS) return count + 1;
        out[count] = (ct_text){labels, (uint32_t)strlen(labels)};
        labels += out[count].length + 1;
    }
    return count;
}

bool ct_labels_check(const ct_enum *labels, ct_message *message) {
    ct_text texts[CT_MAX_LABELS];
    uint32_t count =
        labels != NULL && labels->labels != NULL ? ct_labels_split(labels->labels, texts) : 0;
    if (count == 0) return ct_message_set(message, "labels expected");
    if (count > CT_MAX_LABELS)
        return ct_message_set(message, "too many labels (limit is %u)", CT_MAX_LABELS);
    for (uint32_t i = 0; i < count; ++i) {
        if (texts[i].length > CT_MAX_LABEL_BYTES)
            return ct_message_set(message, "label %u is too long (limit is %u bytes)", i + 1,
                                  CT_MAX_LABEL_BYTES);
        for (uint32_t other = 0; other < i; ++other) {
            if (ct_text_equal(texts[other], texts[i]))
                return ct_message_set(message, "duplicate label '%s'", texts[i].bytes);
        }
    }
    return labels->preset < count ||
           ct_message_set(message, "its default is not a value of its type");
}

uint32_t ct_labels_find(const ct_field *field, ct_text text, ct_message *message) {
    uint32_t number = 0;
    while (number < field->label_count && !ct_text_equal(field->labels[number], text))
        number++;
    if (number < field->label_count || message == NULL) return number;
    ct_nearest nearest = ct_nearest_begin_text(text);
    for (uint32_t i = 0; i < field->label_count; ++i)
        ct_nearest_offer(&nearest, field->labels[i].bytes);
    ct_message reason;
    ct_nearest_message(&nearest, &reason);
    ct_message_set(message, "unknown label %s", reason.text);
    return number;
}

bool ct_labels_equal(const ct_field *field, const ct_field *other) {
    if (field->label_count != other->label_count) return false;
    for (uint32_t i = 0; i < field->label_count; ++i) {
        if (!ct_text_equal(field->labels[i], other->labels[i])) return false;
    }
    return true;
}
