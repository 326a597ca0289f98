// Writes an entity resource, for any byte order.
// Knows nothing of source text: what it is given was parsed and checked before.
#ifndef CT_RESOURCE_WRITER_H
#define CT_RESOURCE_WRITER_H

#include "base/writer.h"
#include "resource/resource.h"
#include "storage/manager.h"

CT_BEGIN_C

/// The instances of one component type, ready to be put in place.
typedef struct ct_section_source {
    const char *name;
    uint32_t schema;              ///< ct_layout_schema, or 0 for opaque data
    uint32_t num_instances;       ///< > 0
    const uint32_t *entity_index; ///< ascending; equal neighbours only where the layout is multiple
    const unsigned char *data;    ///< instance_data, in the writer's byte order
    uint32_t size;
    ct_text fields; ///< ct_layout_text_write of that layout, or none: then only a type of just
                    ///< these fields will take the instances
} ct_section_source;

typedef struct ct_resource_source {
    uint32_t num_entities;
    const uint32_t *parent_index;             ///< a parent stands before its children
    const ct_text *names;                     ///< per entity, bytes NULL for none
    uint32_t num_component_types;             ///< at most CT_MAX_COMPONENT_TYPES
    const ct_section_source *component_types; ///< in spawn order
} ct_resource_source;

/// Appends the whole resource to an empty writer. The same source gives the same bytes on every
/// host. CT_OK; CT_ERR_MEMORY; CT_ERR_FULL beyond 2^32 - 1 bytes, and then the writer's bytes mean
/// nothing. O(bytes).
ct_status ct_resource_write(ct_writer *writer, const ct_resource_source *source);

/// Values of all instances of one component type.
typedef struct ct_columns_source {
    const char *name;
    uint32_t num_instances;
    const uint32_t *entity_index;
    ct_layout layout;
    const ct_values *columns;      ///< per field of the layout, items as in ct_values; an entity
                                   ///< item is an index in the resource
    const ct_component_id *ids;    ///< per instance, or NULL; only where the layout is multiple
    const ct_string_pool *presets; ///< that the presets of string fields belong to
} ct_columns_source;

/// Appends them to an empty writer as instance_data, without the last padding. CT_OK;
/// CT_ERR_MEMORY; CT_ERR_FULL beyond 2^31 - 1 bytes of strings or 2^32 - 1 in all; CT_ERR_DATA when
/// two components of an entity have one id, with the reason in 'message' and the later one in
/// *instance. Cost: O(bytes); explicit ids are compared within their entity.
ct_status ct_columns_write(ct_writer *writer, const ct_columns_source *source, uint32_t *instance,
                           ct_message *message);

/// Collects strings, each once: the string block of a section or of the entity names.
typedef struct ct_string_block {
    ct_string_pool pool;
    uint32_t *offset; // by string of the pool; 0xFFFFFFFF: not written yet
    uint32_t offset_capacity;
    ct_writer bytes;
} ct_string_block;

void ct_string_block_init(ct_string_block *block, const ct_allocator *allocator, bool swap);
void ct_string_block_free(ct_string_block *block);

/// The offset of a text in the block, where it is now. CT_OK, CT_ERR_MEMORY or CT_ERR_FULL.
ct_status ct_string_block_add(ct_string_block *block, ct_text text, uint32_t *offset);

CT_END_C

#endif
