// Growing block of bytes in the byte order of the target.
#ifndef CT_WRITER_H
#define CT_WRITER_H

#include "base/alloc.h"

/// Writer. After a failed write, further writes do nothing; check 'status' at the end.
typedef struct ct_writer {
    unsigned char *bytes;
    uint32_t count;
    uint32_t capacity;
    bool swap;        ///< the byte order of the target differs from the host's
    ct_status status; ///< CT_OK, CT_ERR_MEMORY, or CT_ERR_FULL beyond 2^32 - 1 bytes
    const ct_allocator *allocator;
} ct_writer;

/// Initializes an empty writer. Allocates nothing.
void ct_writer_init(ct_writer *writer, const ct_allocator *allocator, bool big_endian);

/// Frees the bytes. A zeroed writer is allowed.
void ct_writer_free(ct_writer *writer);

/// Appends 'count' bytes unchanged, or zeros if 'bytes' is NULL. Returns their address, so that
/// they can be written later, or NULL on failure. Any later write may move all bytes.
unsigned char *ct_writer_bytes(ct_writer *writer, const void *bytes, uint32_t count);

/// Appends 'count' numbers of 'width' bytes (1, 2, 4 or 8) each, in the target's byte order.
void ct_writer_numbers(ct_writer *writer, const void *numbers, uint32_t width, uint32_t count);

/// Reverses the byte order of 'count' numbers of 'width' bytes each.
void ct_swap_numbers(void *numbers, uint32_t width, uint32_t count);

static inline void ct_writer_u8(ct_writer *writer, uint32_t value) {
    const unsigned char byte = (unsigned char)value;
    ct_writer_bytes(writer, &byte, 1);
}

void ct_writer_u32(ct_writer *writer, uint32_t value);

/// Appends the length, the bytes, and a zero byte. The second function takes a string.
void ct_writer_text(ct_writer *writer, ct_text text);
void ct_writer_name(ct_writer *writer, const char *name);

/// Appends zeros up to the next multiple of 'alignment'.
void ct_writer_pad(ct_writer *writer, uint32_t alignment);

/// Overwrites the number at 'offset', which must have been written before.
void ct_writer_patch_u32(ct_writer *writer, uint32_t offset, uint32_t value);

#endif
