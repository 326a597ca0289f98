// The labels of enum fields: numbers in columns, texts outside.
#ifndef CT_LABELS_H
#define CT_LABELS_H

#include "storage/field.h"

CT_BEGIN_C

/// An item is one byte.
#define CT_MAX_LABELS 256u
#define CT_MAX_LABEL_BYTES 63u

/// Tells the labels of a description apart, which stay where they are. How many there are; one more
/// than CT_MAX_LABELS, with so many told, when there are more.
uint32_t ct_labels_split(const char *labels, ct_text out[CT_MAX_LABELS]);

/// Whether a description is sound: 1 to CT_MAX_LABELS labels of 1 to CT_MAX_LABEL_BYTES bytes, no
/// two the same, and the default is one of them. False with the reason in 'message'. NULL is not.
bool ct_labels_check(const ct_enum *labels, ct_message *message);

/// The number of a label, or label_count with "unknown label 'TEXT'", and the nearest, in 'message'
/// (may be NULL). The text ends with a zero byte.
uint32_t ct_labels_find(const ct_field *field, ct_text text, ct_message *message);

/// Whether two enum fields have the same labels in the same order.
bool ct_labels_equal(const ct_field *field, const ct_field *other);

CT_END_C

#endif
