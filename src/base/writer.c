// Growing block of bytes in the target's byte order.
#include "base/writer.h"

#include <string.h>

void ct_writer_init(ct_writer *writer, const ct_allocator *allocator, bool big_endian) {
    memset(writer, 0, sizeof *writer);
    writer->allocator = allocator;
    writer->swap = big_endian != ct_host_is_big_endian();
}

void ct_writer_free(ct_writer *writer) {
    if (writer->bytes != NULL) ct_free(writer->allocator, writer->bytes, writer->capacity);
    writer->bytes = NULL;
    writer->count = writer->capacity = 0;
}

unsigned char *ct_writer_bytes(ct_writer *writer, const void *bytes, uint32_t count) {
    if (writer->status != CT_OK) return NULL;
    if (count > UINT32_MAX - writer->count) {
        writer->status = CT_ERR_FULL;
        return NULL;
    }
    writer->status = ct_array_reserve(writer->allocator, (void **)&writer->bytes, &writer->capacity,
                                      writer->count + count, 1);
    if (writer->status != CT_OK || count == 0) return NULL;
    unsigned char *at = writer->bytes + writer->count;
    if (bytes != NULL)
        memcpy(at, bytes, count);
    else
        memset(at, 0, count);
    writer->count += count;
    return at;
}

void ct_swap_numbers(void *numbers, uint32_t width, uint32_t count) {
    unsigned char *at = numbers;
    for (uint32_t i = 0; i < count; ++i, at += width) {
        for (uint32_t low = 0, high = width - 1; low < high; ++low, --high) {
            unsigned char byte = at[low];
            at[low] = at[high];
            at[high] = byte;
        }
    }
}

void ct_writer_numbers(ct_writer *writer, const void *numbers, uint32_t width, uint32_t count) {
    if (count > UINT32_MAX / width) {
        if (writer->status == CT_OK) writer->status = CT_ERR_FULL;
        return;
    }
    unsigned char *at = ct_writer_bytes(writer, numbers, count * width);
    if (at != NULL && writer->swap) ct_swap_numbers(at, width, count);
}

void ct_writer_u32(ct_writer *writer, uint32_t value) { ct_writer_numbers(writer, &value, 4, 1); }

void ct_writer_text(ct_writer *writer, ct_text text) {
    ct_writer_u32(writer, text.length);
    ct_writer_bytes(writer, text.bytes, text.length);
    ct_writer_bytes(writer, NULL, 1);
}

void ct_writer_name(ct_writer *writer, const char *name) {
    ct_writer_text(writer, (ct_text){name, (uint32_t)strlen(name)});
}

void ct_writer_pad(ct_writer *writer, uint32_t alignment) {
    ct_writer_bytes(writer, NULL, (0u - writer->count) & (alignment - 1));
}

void ct_writer_patch_u32(ct_writer *writer, uint32_t offset, uint32_t value) {
    if (writer->status != CT_OK) return;
    CT_ASSERT(offset <= writer->count - 4);
    memcpy(writer->bytes + offset, &value, 4);
    if (writer->swap) ct_swap_numbers(writer->bytes + offset, 4, 1);
}
