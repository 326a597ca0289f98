// Formatting of one line of text without stdio.
#include "base/message.h"

#include <string.h>

typedef struct writer {
    char *at;
    char *end; // position of the terminating NUL at most
} writer;

static void put(writer *w, const char *text) {
    while (*text != '\0' && w->at < w->end)
        *w->at++ = *text++;
}

static void put_number(writer *w, uint32_t value) {
    char digits[11];
    char *at = digits + sizeof digits;
    *--at = '\0';
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    put(w, at);
}

bool ct_message_set_list(ct_message *message, const char *format, va_list arguments) {
    if (message == NULL) return false;
    writer w = {message->text, message->text + sizeof message->text - 1};
    for (const char *at = format; *at != '\0'; ++at) {
        char plain[2] = {*at, '\0'};
        if (*at != '%') {
            put(&w, plain);
            continue;
        }
        ++at;
        CT_ASSERT(*at == 's' || *at == 'u' || *at == '%');
        if (*at == 's') put(&w, va_arg(arguments, const char *));
        if (*at == 'u') put_number(&w, va_arg(arguments, uint32_t));
        if (*at == '%') put(&w, "%");
    }
    *w.at = '\0';
    return false;
}

bool ct_message_set(ct_message *message, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)ct_message_set_list(message, format, arguments);
    va_end(arguments);
    return false;
}

ct_status ct_message_out_of_memory(ct_message *message) {
    ct_message_set(message, "not enough memory");
    return CT_ERR_MEMORY;
}

const char *ct_message_text(ct_text text, char *room, uint32_t bytes) {
    uint32_t length = text.length < bytes ? text.length : bytes - 1;
    if (length > 0) memcpy(room, text.bytes, length);
    room[length] = 0;
    return room;
}
