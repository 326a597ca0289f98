// Writer of entity resources, for any byte order.
#include "resource/resource_writer.h"

#include "base/hash.h"

#include <string.h>

#define ALIGNMENT 16u

// Offsets of fields that are written last.
enum { AT_BYTES = 8, AT_CHECKSUM = 12, AT_NAMES = 24, AT_ENTITY_NAMES = 28 };
enum { AT_TYPE_NAME = 4 };

static void write_section(ct_writer *writer, const ct_section_source *section) {
    ct_writer_u32(writer, ct_hash_fnv1a(CT_FNV1A_START, section->name, strlen(section->name)));
    ct_writer_u32(writer, 0); // name
    ct_writer_u32(writer, section->schema);
    ct_writer_u32(writer, section->num_instances);
    ct_writer_u32(writer, section->size);
    ct_writer_numbers(writer, section->entity_index, 4, section->num_instances);
    ct_writer_pad(writer, ALIGNMENT);
    ct_writer_bytes(writer, section->data, section->size);
}

static void write_type_names(ct_writer *writer, const ct_resource_source *source,
                             const uint32_t *starts) {
    ct_writer_patch_u32(writer, AT_NAMES, writer->count);
    for (uint32_t i = 0; i < source->num_component_types; ++i) {
        const char *name = source->component_types[i].name;
        ct_writer_patch_u32(writer, starts[i] + AT_TYPE_NAME, writer->count);
        ct_writer_bytes(writer, name, (uint32_t)strlen(name) + 1);
        ct_writer_bytes(writer, source->component_types[i].fields.bytes,
                        source->component_types[i].fields.length);
    }
}

static ct_status write_entity_names(ct_writer *writer, const ct_resource_source *source,
                                    ct_string_block *block) {
    uint32_t named = 0;
    for (uint32_t i = 0; i < source->num_entities; ++i)
        named += source->names[i].bytes != NULL;
    if (named == 0) return CT_OK;
    ct_writer_pad(writer, 4);
    ct_writer_patch_u32(writer, AT_ENTITY_NAMES, writer->count);
    for (uint32_t i = 0; i < source->num_entities; ++i) {
        uint32_t offset = CT_RESOURCE_NO_NAME;
        if (source->names[i].bytes != NULL) {
            ct_status status = ct_string_block_add(block, source->names[i], &offset);
            if (status != CT_OK) return status;
        }
        ct_writer_u32(writer, offset);
    }
    ct_writer_bytes(writer, block->bytes.bytes, block->bytes.count);
    return writer->status;
}

static ct_status write_all(ct_writer *writer, const ct_resource_source *source, uint32_t *starts) {
    ct_writer_u32(writer, CT_RESOURCE_MAGIC);
    ct_writer_u32(writer, CT_RESOURCE_VERSION);
    ct_writer_bytes(writer, NULL, 8); // bytes, checksum
    ct_writer_u32(writer, source->num_entities);
    ct_writer_u32(writer, source->num_component_types);
    ct_writer_bytes(writer, NULL, 8); // names, entity_names
    ct_writer_numbers(writer, source->parent_index, 4, source->num_entities);
    for (uint32_t i = 0; i < source->num_component_types; ++i) {
        ct_writer_pad(writer, ALIGNMENT);
        starts[i] = writer->count;
        write_section(writer, &source->component_types[i]);
    }
    write_type_names(writer, source, starts);

    ct_string_block block;
    ct_string_block_init(&block, writer->allocator, writer->swap);
    ct_status status = write_entity_names(writer, source, &block);
    ct_string_block_free(&block);
    return status != CT_OK ? status : writer->status;
}

ct_status ct_resource_write(ct_writer *writer, const ct_resource_source *source) {
    CT_ASSERT(writer->count == 0 && source->num_component_types <= CT_MAX_COMPONENT_TYPES);
    size_t bytes = (source->num_component_types + 1) * sizeof(uint32_t);
    uint32_t *starts = ct_alloc(writer->allocator, bytes);
    if (starts == NULL) return CT_ERR_MEMORY;
    ct_status status = write_all(writer, source, starts);
    ct_free(writer->allocator, starts, bytes);
    if (status != CT_OK) return status;

    ct_writer_patch_u32(writer, AT_BYTES, writer->count);
    uint32_t crc = ct_hash_crc32(0, writer->bytes + 16, writer->count - 16);
    ct_writer_patch_u32(writer, AT_CHECKSUM, crc);
    return CT_OK;
}
