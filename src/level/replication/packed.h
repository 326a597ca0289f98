// Numbers of variable length in messages.
#ifndef CT_REPLICATION_PACKED_H
#define CT_REPLICATION_PACKED_H

#include "base/reader.h"

/// Largest number of bytes of a packed number.
#define CT_PACKED_BYTES 10u

/// Appends a number in groups of seven bits, the lowest first. All groups except the last have the
/// top bit set. O(bits).
static inline void ct_packed_write(ct_writer *out, uint64_t number) {
    unsigned char bytes[CT_PACKED_BYTES];
    uint32_t count = 0;
    for (; number >= 0x80; number >>= 7)
        bytes[count++] = (unsigned char)(number | 0x80);
    bytes[count++] = (unsigned char)number;
    ct_writer_bytes(out, bytes, count);
}

/// Reads a number of at most 'most'. Sets 'damaged' of the reader and returns 0 for a larger one.
static inline uint64_t ct_packed_read(ct_reader *in, uint64_t most) {
    uint64_t number = 0;
    // Most numbers have one byte.
    if (CT_LIKELY(!in->damaged && in->at < in->end && *in->at < 0x80 && *in->at <= most))
        return *in->at++;
    for (uint32_t shift = 0; shift < 63; shift += 7) {
        const unsigned char *byte = ct_reader_bytes(in, 1);
        if (byte == NULL) return 0;
        number |= (uint64_t)(*byte & 0x7F) << shift;
        if ((*byte & 0x80) != 0) continue;
        if (number <= most) return number;
        break;
    }
    in->damaged = true;
    return 0;
}

/// Reads a number of 32 bits.
static inline uint32_t ct_packed_read_u32(ct_reader *in) {
    return (uint32_t)ct_packed_read(in, UINT32_MAX);
}

/// Appends a text: its packed length and its bytes.
static inline void ct_packed_write_text(ct_writer *out, ct_text text) {
    ct_packed_write(out, text.length);
    if (text.length > 0) ct_writer_bytes(out, text.bytes, text.length);
}

/// Reads a text without copying. Its bytes are not followed by a zero byte.
static inline ct_text ct_packed_read_text(ct_reader *in) {
    uint32_t length = ct_packed_read_u32(in);
    const unsigned char *bytes = ct_reader_bytes(in, length);
    ct_text text = {"", 0};
    if (bytes != NULL && length > 0) {
        text.bytes = (const char *)bytes;
        text.length = length;
    }
    return text;
}

#endif
