// Formatting of one line of text without stdio.
#ifndef CT_MESSAGE_H
#define CT_MESSAGE_H

#include "base/base.h"

#include <stdarg.h>

/// Writes 'format' to message->text, truncated to its size. Supports only %s (const char *), %u
/// (uint32_t) and %%. Returns false, so that a check can end with 'return ct_message_set(...)'.
/// 'message' may be NULL.
bool ct_message_set(ct_message *message, const char *format, ...) CT_PRINTF(2, 3);

/// Does the same with a list of arguments.
bool ct_message_set_list(ct_message *message, const char *format, va_list arguments)
    CT_PRINTF(2, 0);

/// Writes "not enough memory". Returns CT_ERR_MEMORY, so that a call can end with
/// 'return ct_message_out_of_memory(...)'.
ct_status ct_message_out_of_memory(ct_message *message);

/// Copies a text, which need not be NUL-terminated, to 'room' as a string for %s, truncated to
/// 'bytes' bytes (> 0) including the NUL. Returns 'room'.
const char *ct_message_text(ct_text text, char *room, uint32_t bytes);

#endif
