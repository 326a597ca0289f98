// Reader of little-endian numbers and texts from untrusted bytes.
#ifndef CT_READER_H
#define CT_READER_H

#include "base/writer.h"

#include <string.h>

/// Reader that never reads out of bounds. After the first failed read, 'damaged' is set and all
/// further reads return NULL, 0 or "".
typedef struct ct_reader {
    const unsigned char *at, *end;
    bool damaged;
} ct_reader;

static inline ct_reader ct_reader_of(const void *bytes, size_t count) {
    const unsigned char *at = (const unsigned char *)bytes;
    const ct_reader reader = {at, at + count, false};
    return reader;
}

/// Returns the next 'count' bytes without copying, or NULL.
static inline const unsigned char *ct_reader_bytes(ct_reader *reader, uint64_t count) {
    const unsigned char *bytes = reader->at;
    if (reader->damaged || count > (uint64_t)(reader->end - bytes)) {
        reader->damaged = true;
        return NULL;
    }
    reader->at += (size_t)count;
    return bytes;
}

/// Returns a reader of the next 'count' bytes, and skips them.
static inline ct_reader ct_reader_part(ct_reader *reader, uint64_t count) {
    const unsigned char *bytes = ct_reader_bytes(reader, count);
    const ct_reader part = {bytes, bytes != NULL ? reader->at : NULL, bytes == NULL};
    return part;
}

/// Copies 'count' numbers of 'width' bytes, and converts them to the host's byte order.
static inline void ct_reader_copy(const unsigned char *bytes, uint32_t width, uint32_t count,
                                  void *out) {
    if (count == 0) return;
    CT_ASSERT(bytes != NULL && out != NULL);
    memcpy(out, bytes, (size_t)width * count);
    if (width > 1 && ct_host_is_big_endian()) ct_swap_numbers(out, width, count);
}

/// Reads the next 'count' numbers in the same way. Returns false and writes nothing if there are
/// fewer.
static inline bool ct_reader_numbers(ct_reader *reader, uint32_t width, uint32_t count, void *out) {
    const unsigned char *bytes = ct_reader_bytes(reader, (uint64_t)width * count);
    if (bytes != NULL) ct_reader_copy(bytes, width, count, out);
    return bytes != NULL;
}

static inline uint32_t ct_reader_u8(ct_reader *reader) {
    const unsigned char *byte = ct_reader_bytes(reader, 1);
    return byte != NULL ? *byte : 0;
}

static inline uint32_t ct_reader_u32(ct_reader *reader) {
    uint32_t number = 0;
    ct_reader_numbers(reader, 4, 1, &number);
    return number;
}

/// Reads a text that ct_writer_text wrote. A zero byte follows the text, which may contain others.
static inline ct_text ct_reader_text(ct_reader *reader) {
    uint32_t length = ct_reader_u32(reader);
    const unsigned char *bytes = ct_reader_bytes(reader, (uint64_t)length + 1);
    ct_text text = {"", 0};
    if (bytes != NULL && bytes[length] == '\0') {
        text.bytes = (const char *)bytes;
        text.length = length;
    } else {
        reader->damaged = true;
    }
    return text;
}

#endif
