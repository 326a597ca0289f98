// Formats one line of text without stdio.
#ifndef CT_MESSAGE_H
#define CT_MESSAGE_H

#include "base/base.h"

CT_BEGIN_C

/// Writes 'format' into message->text, cut off where the room ends. %s takes a
/// const char *, %u a uint32_t, %% is a percent sign; nothing else is known.
/// Returns false, so that a check can end with 'return ct_message_set(...)'.
/// 'message' may be NULL.
bool ct_message_set(ct_message *message, const char *format, ...) CT_PRINTF(2, 3);

/// As much of a text as fits into 'bytes' bytes (> 0) with a zero byte behind it, which a text need
/// not have: what %s may stand for. Returns 'room'.
const char *ct_message_text(ct_text text, char *room, uint32_t bytes);

CT_END_C

#endif
