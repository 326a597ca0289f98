// Labels of enum fields: numbers in columns, texts outside of them.
#ifndef CT_LABELS_H
#define CT_LABELS_H

#include "storage/field.h"

/// Maximum number of labels: an item is one byte.
#define CT_MAX_LABELS 256u
#define CT_MAX_LABEL_BYTES 63u

/// Splits a description into its labels, which are not copied. Returns their number, or
/// CT_MAX_LABELS + 1 if there are more than CT_MAX_LABELS, of which that many are written.
uint32_t ct_labels_split(const char *labels, ct_text out[CT_MAX_LABELS]);

/// Checks a description: 1 to CT_MAX_LABELS different labels of 1 to CT_MAX_LABEL_BYTES bytes, and
/// the default is one of them. Returns false with the reason in 'message', also for NULL.
bool ct_labels_check(const ct_enum *labels, ct_message *message);

/// Returns the number of a label, or label_count with "unknown label 'TEXT'" and the nearest label
/// in 'message' (may be NULL). A zero byte must follow the text.
uint32_t ct_labels_find(const ct_field *field, ct_text text, ct_message *message);

/// Returns whether two enum fields have the same labels in the same order.
bool ct_labels_equal(const ct_field *field, const ct_field *other);

#endif
